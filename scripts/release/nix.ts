/** A package for Nix: the archive of each machine with its sum; nothing is built. */
import { archives_of } from "./pack.ts";

const SYSTEMS: Readonly<Record<string, string>> = {
  "linux-x64": "x86_64-linux",
  "linux-arm64": "aarch64-linux",
  "macos-x64": "x86_64-darwin",
  "macos-arm64": "aarch64-darwin",
};

/**
 * `hamr.nix` for `callPackage`. `listed`: lines of SHA256SUMS. Null where they have no archive for a system that Nix
 * knows. `url` is where the files are; {version} in it stands for the version.
 */
export function nix_package(
  listed: string,
  { version, url }: { readonly version: string; readonly url: string },
): string | null {
  const at = url.replaceAll("{version}", version).replace(/\/$/, "");
  const sources = archives_of(listed, version).flatMap(({ target, file, sha256 }) => {
    const system = SYSTEMS[target];
    if (system === undefined) return [];
    return [
      `    ${system} = fetchurl {`,
      `      url = ${quoted(`${at}/${file}`)};`,
      `      sha256 = "${sha256}";`,
      "    };",
    ];
  });
  if (sources.length === 0) return null;
  return [
    "# nix-build -E '(import <nixpkgs> {}).callPackage ./hamr.nix {}'",
    "# NixOS runs programs of others with programs.nix-ld.enable = true.",
    "{ lib, stdenv, fetchurl }:",
    "let",
    "  inherit (stdenv.hostPlatform) system;",
    "  sources = {",
    ...sources,
    "  };",
    "in",
    "stdenv.mkDerivation {",
    '  pname = "hamr";',
    `  version = ${quoted(version)};`,
    '  src = sources.${system} or (throw "there is no hamr for ${system}");',
    "  # The program finds its own code by its place in the file: nothing may change that.",
    "  dontFixup = true;",
    "  installPhase = ''",
    "    install -Dm755 hamr $out/bin/hamr",
    "    install -Dm644 hamr.1 $out/share/man/man1/hamr.1",
    "  '';",
    "  meta = {",
    '    description = "Coding agent in one binary, with permissions that the kernel enforces";',
    `    homepage = ${quoted(new URL(at).origin)};`,
    "    license = lib.licenses.mit;",
    '    mainProgram = "hamr";',
    "    platforms = builtins.attrNames sources;",
    "    sourceProvenance = [ lib.sourceTypes.binaryNativeCode ];",
    "  };",
    "}",
    "",
  ].join("\n");
}

/** Without what Nix would put into it. */
function quoted(text: string): string {
  return JSON.stringify(text).replaceAll("${", "\\${");
}
