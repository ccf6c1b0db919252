#!/bin/sh
# Installs hamr for you alone: takes the archive for this machine out of a release, checks its SHA-256, and puts the program into a
# folder of yours. Nothing is changed unless all of that went well.
#
#   sh install.sh [--from FOLDER|URL] [--version V] [--to DIR] [--signers FILE]
#
#   --from     where the files of the release are, SHA256SUMS among them; {version} in it stands for the version.
#              Default: $HAMR_RELEASES
#   --version  default: the version that this script came with
#   --to       default: ~/.local/bin
#   --signers  whose signature SHA256SUMS must have: lines of "hamr ssh-ed25519 KEY" (OpenSSH's allowed signers)
set -eu

version=0.1.0
from=${HAMR_RELEASES:-}
to=
signers=

fail() {
  echo "install.sh: $*" >&2
  exit 1
}

while [ $# -gt 0 ]; do
  case $1 in
    -h | --help)
      sed -n '2,/^set /{/^#/s/^# \{0,1\}//p;}' "$0"
      exit 0
      ;;
    --from | --version | --to | --signers) [ $# -gt 1 ] || fail "$1 needs a value" ;;
    *) fail "unknown argument $1; see --help" ;;
  esac
  case $1 in
    --from) from=$2 ;;
    --version) version=${2#v} ;;
    --to) to=$2 ;;
    --signers) signers=$2 ;;
  esac
  shift 2
done
[ -n "$to" ] || to=${HOME:?install.sh: no HOME is set, name a folder with --to}/.local/bin
[ -n "$from" ] || fail "name the release: --from FOLDER or --from URL"
from=$(printf '%s' "${from%/}" | sed "s/{version}/$version/g")

case $(uname -s) in
  Linux) os=linux ;;
  Darwin) os=macos ;;
  *) fail "there is no hamr for $(uname -s); on Windows run install.ps1" ;;
esac
case $(uname -m) in
  x86_64 | amd64) arch=x64 ;;
  aarch64 | arm64) arch=arm64 ;;
  *) fail "there is no hamr for $(uname -m)" ;;
esac
if [ "$os" = linux ] && (ldd --version 2>&1 || true) | grep -qi musl; then
  fail "hamr needs glibc 2.27 or newer; this machine has musl"
fi

kind=tar.gz
if command -v xz > /dev/null; then kind=tar.xz; fi
name=hamr-$version-$os-$arch
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 1' INT TERM HUP

get() {
  case $from in
    *://*)
      if command -v curl > /dev/null; then
        curl -fsSL --retry 2 -o "$work/$1" "$from/$1" || fail "$from/$1 could not be downloaded"
      elif command -v wget > /dev/null; then
        wget -q -O "$work/$1" "$from/$1" || fail "$from/$1 could not be downloaded"
      else
        fail "there is neither curl nor wget"
      fi
      ;;
    *) cp "$from/$1" "$work/$1" || fail "$from has no $1" ;;
  esac
}

get SHA256SUMS
if [ -n "$signers" ]; then
  command -v ssh-keygen > /dev/null || fail "there is no ssh-keygen, which checks signatures"
  get SHA256SUMS.sig
  # What the signature is for is part of it: nothing else that this key has signed counts.
  said=$(ssh-keygen -Y verify -f "$signers" -I hamr -n hamr-release -s "$work/SHA256SUMS.sig" \
    < "$work/SHA256SUMS" 2>&1) || fail "SHA256SUMS is not signed by one of $signers: $said"
fi
sum=$(awk -v name="$name.$kind" '$2 == name { print $1 }' "$work/SHA256SUMS")
[ -n "$sum" ] || fail "the release in $from has no $name.$kind"
get "$name.$kind"
if command -v sha256sum > /dev/null; then
  found=$(sha256sum "$work/$name.$kind")
else
  found=$(shasum -a 256 "$work/$name.$kind")
fi
[ "${found%% *}" = "$sum" ] || fail "$name.$kind is not what SHA256SUMS says (${found%% *}): cut off, or changed"
tar -xf "$work/$name.$kind" -C "$work" || fail "$name.$kind can't be unpacked"
said=$("$work/$name/hamr" --version 2>&1) || fail "it does not start here: $said"

mkdir -p "$to" || fail "$to can't be made"
# In one step: a hamr that runs keeps its file.
if ! { cp "$work/$name/hamr" "$to/.hamr.$$" && chmod 755 "$to/.hamr.$$" && mv -f "$to/.hamr.$$" "$to/hamr"; }; then
  rm -f "$to/.hamr.$$"
  fail "$to can't be written"
fi
echo "$said is in $to/hamr"
case :$PATH: in
  *":$to:"*) ;;
  *)
    case ${SHELL:-} in
      */zsh) add="echo 'export PATH=\"$to:\$PATH\"' >> ~/.zprofile" ;;
      */fish) add="fish_add_path '$to'" ;;
      *) add="echo 'export PATH=\"$to:\$PATH\"' >> ~/.profile" ;;
    esac
    echo "$to is not in your PATH; add it, then log in again: $add"
    ;;
esac
echo "Next: hamr demo shows a run without a model, hamr doctor what is missing for one of yours."
