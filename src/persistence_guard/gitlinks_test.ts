import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { createHash } from "node:crypto";
import { type Place, with_place } from "./_testing.ts";

const SETUP = `git init -q .; printf 'ig/\\n*.o\\n' > .gitignore; echo x > f; git add .
git commit -qm one; mkdir -p ig`;

/** A repository whose settings run something in whoever enters it. */
const evil = (folder: string) =>
  `mkdir -p "$(dirname "${folder}")"; git init -q "${folder}"; git -C "${folder}" commit -q --allow-empty -m x
git -C "${folder}" config core.fsmonitor 'touch $HOME/ran; false'`;

/** A 32-bit number as an index has it. */
function word(value: number): Uint8Array {
  const bytes = new Uint8Array(4);
  new DataView(bytes.buffer).setUint32(0, value);
  return bytes;
}

function joined(...parts: readonly (Uint8Array | string)[]): Uint8Array<ArrayBuffer> {
  return new Uint8Array(Buffer.concat(parts.map((part) => Buffer.from(part as Uint8Array))));
}

const hashed = (bytes: Uint8Array | string, kind: "sha1" | "sha256" = "sha1") =>
  new Uint8Array(createHash(kind).update(bytes).digest());

/** An entry of an index, without what fills it up. */
function entry(name: Uint8Array | string, mode: number, id = hashed("x")): Uint8Array {
  const { length } = joined(name);
  const flags = word(Math.min(length, 0xfff)).subarray(2);
  return joined(new Uint8Array(24), word(mode), new Uint8Array(12), id, flags, name);
}

const filled = (entry: Uint8Array) => joined(entry, new Uint8Array(8 - entry.length % 8));
const part = (name: string, data: Uint8Array) => joined(name, word(data.length), data);
const HEAD = joined("DIRC", word(2), word(1));

/** Writes an index of these parts, with its checksum. */
function written(
  parts: readonly (Uint8Array | string)[],
  { in: git_dir = ".git", kind = "sha1" }: { in?: string; kind?: "sha1" | "sha256" } = {},
): string {
  const body = joined(...parts);
  return `base64 -d <<< ${joined(body, hashed(body, kind)).toBase64()} > ${git_dir}/index\n`;
}

/** Lists a folder in the index by its bytes, as `git update-index` would not do it for each of them. */
const listed = (
  name: Uint8Array | string,
  { in: git_dir = ".git", kind = "sha1", mode = 0o160000 }: {
    in?: string;
    kind?: "sha1" | "sha256";
    mode?: number;
  } = {},
) => written([HEAD, filled(entry(name, mode, hashed("x", kind)))], { in: git_dir, kind });

/** An index that lists one thing to who reads it from the start, and `ig/r` to git's threads, or by ids of SHA-256. */
function two_faced(kind: "threads" | "ids"): string {
  if (kind === "ids") {
    const start = filled(entry("z".repeat(10), 0o160000)).subarray(0, 72);
    const name = joined(word(4).subarray(2), "ig/r", new Uint8Array(2));
    return written([HEAD, start, name, part("AAAA", new Uint8Array(4))]);
  }
  const seen = joined(HEAD, filled(entry("f", 0o100644)));
  const at = word(seen.length);
  const listed = part("JUNK", filled(entry("ig/r", 0o160000)));
  const offsets = part("IEOT", joined(word(1), word(seen.length + 8), word(1)));
  const kinds = hashed(joined("JUNK", word(72), "IEOT", word(12)));
  return written([seen, listed, offsets, part("EOIE", joined(at, kinds))]);
}

const ATTACKS: readonly (readonly [
  name: string,
  command: string | ((root: string) => string),
  said: RegExp,
])[] = [
  ["in an ignored folder", `${evil("ig/r")}; git add -f ig/r`, /put back ig\/r\/\.git\/config/],
  [
    "in a closed folder",
    `${evil("c/r")}; git add c/r; chmod 0111 c`,
    /put back c\/r\/\.git\/config/,
  ],
  [
    "behind 2,000 others",
    `mkdir -p ig/d{1..2100}/.git; ${evil("ig/r")}; git add -f ig/r`,
    /put back ig\/r\/\.git\/config/,
  ],
  [
    "in one that is listed in an ignored one, five deep",
    `${evil("ig/a/b/c/d/e")}; for f in ig/a/b/c/d ig/a/b/c ig/a/b ig/a; do git init -q $f
git -C $f add -f .; git -C $f commit -qm x; done; git add -f ig/a`,
    /put back ig\/a\/b\/c\/d\/e\/\.git\/config/,
  ],
  [
    "packed paths",
    `echo a > ig/a; ${evil("ig/ab")}; git add -f ig; git update-index --index-version 4`,
    /put back ig\/ab\/\.git\/config/,
  ],
  [
    "a split index",
    `${evil("ig/r")}; git add -f ig; git update-index --split-index`,
    /put back ig\/r\/\.git\/config/,
  ],
  [
    "in one of the other kind of ids",
    `git init -q --object-format=sha256 ig/o; git -C ig/o commit -q --allow-empty -m x; ${
      evil("ig/o/r")
    }; ${
      listed("r", { in: "ig/o/.git", kind: "sha256" })
    }git update-index --add --cacheinfo 160000,$(git rev-parse HEAD),ig/o`,
    /put back ig\/o\/r\/\.git\/config/,
  ],
  [
    "with bits in its mode that git does not look at",
    `${evil("ig/r")}; ${listed("ig/r", { mode: 0o160644 })}`,
    /put back ig\/r\/\.git\/config/,
  ],
  [
    "outside the workspace",
    `${evil("../caches/own/r")}; ${listed("../caches/own/r")}`,
    /put back .*\/caches\/own\/r\/\.git\/config/,
  ],
  [
    "by an absolute path",
    (root) => `${evil("../caches/own/r")}; ${listed(`${root}/caches/own/r`)}`,
    /put back .*\/caches\/own\/r\/\.git\/config/,
  ],
  [
    "a `.git` that leads away",
    `${evil("ig/r")}; git add -f ig; mv ig/r/.git ig/dir; echo "gitdir: ../dir" > ig/r/.git`,
    /put back ig\/r\/\.git/,
  ],
  [
    "a hook",
    `${evil("ig/r")}; git add -f ig; git -C ig/r config --unset core.fsmonitor
printf '#!/bin/sh\\ntouch $HOME/ran' > ig/r/.git/hooks/post-index-change; chmod +x ig/r/.git/hooks/*`,
    /put back ig\/r\/\.git\/hooks\/post-index-change/,
  ],
  [
    "a submodule's working tree that is another folder",
    `git init -q ig/src; git -C ig/src commit -q --allow-empty -m x
git -c protocol.file.allow=always submodule --quiet add -f "$PWD/ig/src" ig/s
mkdir ig/w; ${evil("ig/w/r")}; git config -f .git/modules/ig/s/config core.worktree "$PWD/ig/w"
git --git-dir=.git/modules/ig/s --work-tree=ig/w add -f r || git -C ig/s add -f r`,
    /put back .*core\.worktree/,
  ],
  [
    "in the tree of a folder that a sparse index leaves out and that is there",
    `${evil("ig/s/r")}; ${listed("ig/", { mode: 0o040000 })}`,
    /put back ig\/s\/r\/\.git\/config/,
  ],
  [
    "in such a folder that has too many",
    `${evil("ig/s/r")}; mkdir ig/{1..1100}; ${listed("ig/", { mode: 0o040000 })}`,
    /git runs in .*\/ig\/ by itself, and hamr can't watch/,
  ],
  [
    "where an editor looks: right below, ignored",
    evil("e.o"),
    /put back e\.o\/\.git\/config/,
  ],
  [
    "where an editor looks: named as a submodule",
    `${
      evil("ig/deep/r")
    }; printf '[submodule "x"]\\n\\tpath = ig/deep/r\\n\\turl = ./x\\n' > .gitmodules`,
    /put back ig\/deep\/r\/\.git\/config/,
  ],
  [
    "a name that is no text",
    `${evil("ig/r")}; git add -f ig; mv ig/r "$(printf 'ig/\\377')"; ${
      listed(joined("ig/", new Uint8Array([0xff])))
    }`,
    /git runs in .*ig\/\ufffd by itself, and hamr can't watch/,
  ],
  [
    "a path near the longest",
    `n=$(printf 'n%.0s' $(seq 250)); p=ig; for i in $(seq 16); do p=$p/$n; done
( ${evil("r")} ); mkdir -p $p; mv r $p; ${listed(`ig/${`${"n".repeat(250)}/`.repeat(16)}r`)}`,
    /git runs in .*nnn.* by itself, and hamr can't watch/,
  ],
  [
    "an index that is a link",
    `${evil("ig/r")}; git add -f ig; mv .git/index ig/index; ln -s ../ig/index .git/index`,
    /put back \.git\/index/,
  ],
  [
    "an index that says one thing, and another to git's threads",
    `${evil("ig/r")}; git config index.threads 4; ${two_faced("threads")}`,
    /index shows one thing to git and another to other programs; it is index\.refused now/,
  ],
  [
    "an index of ids of both kinds",
    `rm -rf .git; git init -q --object-format=sha256 .; ${evil("ig/r")}; ${two_faced("ids")}`,
    /index shows one thing to git and another to other programs; it is index\.refused now/,
  ],
];

/** Whether a person's ordinary commands run something. From git 2.53 on some end in an error where a repository has ids of the other kind. */
const entered = (place: Place) => {
  place.sh(
    "rm -f $HOME/ran; for c in status diff 'add -A' 'status -s'; do git $c > ../out 2>&1 || true; done",
  );
  return place.exists(`${place.root}/home/ran`);
};

for (const [name, command, said] of ATTACKS) {
  Deno.test(`git runs nothing in what an index lists: ${name}`, () =>
    with_place(SETUP, async (place) => {
      const watch = await place.watch();
      const lines = [
        ...await watch.step(typeof command === "string" ? command : command(place.root)),
      ];
      const more = await watch.step("true");
      lines.push(...more, ...watch.guarded.take().warnings);
      assert.match(lines.join("\n"), said);
      if (!/can't watch|index by itself/.test(lines.join())) assert.equal(entered(place), false);
      await watch.step("true");
      assert.deepEqual(watch.guarded.take().warnings, [], "said once");
    }));
}

Deno.test("a `.git` that is a file is compared as one, also where it may be executed", () => {
  const file = "\"$(printf 'ig/\\377/.git')\"";
  const index = listed(joined("ig/", new Uint8Array([0xff])));
  const setup =
    `mkdir -p "$(printf 'ig/\\377')"; echo gitdir: ../a > ${file}; chmod +x ${file}; ${index}`;
  return with_place(`${SETUP}\n${setup}`, async (place) => {
    const watch = await place.watch();
    assert.deepEqual([...await watch.step("true"), ...watch.guarded.take().warnings], []);
    const lines = await watch.step(`echo gitdir: ../b > ${file}`);
    assert.match([...lines, ...watch.guarded.take().warnings].join("\n"), /can't watch/);
  });
});

const HONEST: readonly (readonly [name: string, setup: string, command: string])[] = [
  [
    "a submodule is added, committed, updated, moved and taken away",
    "git init -q ../lib; git -C ../lib commit -q --allow-empty -m x",
    `git -c protocol.file.allow=always submodule --quiet add ../lib ig/lib 2> /dev/null ||
  git -c protocol.file.allow=always submodule --quiet add -f "$PWD/../lib" ig/lib
git commit -qm lib; git submodule --quiet update --init; git mv ig/lib lib; git commit -qm moved
git submodule --quiet deinit -f lib; git rm -qf lib`,
  ],
  [
    "a worktree with a submodule",
    "git init -q ../lib; git -C ../lib commit -q --allow-empty -m x",
    `git -c protocol.file.allow=always submodule --quiet add "$PWD/../lib" lib; git commit -qm lib
git worktree add -q wt; git -C wt -c protocol.file.allow=always submodule --quiet update --init
git -C wt/lib config user.name me`,
  ],
  [
    "clones, and repositories that a test makes",
    "git init -q ../lib; git -C ../lib commit -q --allow-empty -m x",
    `git clone -q ../lib vendor; git clone -q ../lib ig/vendor; git -C vendor config user.name me
t=$(mktemp -d ig/test.XXX); git init -q $t/r; echo x > $t/r/.git/hooks/pre-commit
git -C $t/r config core.fsmonitor false; git -C $t/r config core.hooksPath hooks
mkdir -p node_modules/dep; git clone -q ../lib node_modules/dep/x; git status > ../out`,
  ],
  [
    "a repository of before, with hooks of its own, is listed now",
    `git init -q ig/old; git -C ig/old commit -q --allow-empty -m x; sleep 1.1
git -C ig/old config core.hooksPath own; echo x > ig/old/.git/hooks/pre-push; sleep 2.2`,
    "git add -f ig/old",
  ],
  [
    "submodules of before that no text names",
    `git init -q "$(printf 'ig/\\377')"; git -C "$(printf 'ig/\\377')" commit -q --allow-empty -m x
git add -f ig; git commit -qm x`,
    `git -C "$(printf 'ig/\\377')" commit -q --allow-empty -m y; git add -f ig; git commit -qm y`,
  ],
  [
    "entries without a repository, an empty index, none",
    "git update-index --add --cacheinfo 160000,$(git rev-parse HEAD),none; mkdir none",
    "git rm -q --cached none f; git rm -q --cached .gitignore; rm -f .git/index; git reset -q",
  ],
  [
    "an index for threads, of each version",
    "touch {1..40}; git add .; git commit -qm many; git config index.threads 4; git config index.recordOffsetTable true",
    `for v in 2 3 4; do git update-index --index-version $v; touch $v/ 2> /dev/null || true
echo $v > 7; git -c index.recordOffsetTable=true -c index.recordEndOfIndexEntries=true -c index.threads=4 add .; done; rm {1..20}; git add -u`,
  ],
  [
    "a sparse checkout",
    "mkdir a b; touch a/x b/x; git add .; git commit -qm ab",
    "git sparse-checkout set --cone --sparse-index a; git status > ../out; git sparse-checkout disable",
  ],
];

for (const [name, setup, command] of HONEST) {
  Deno.test(`no alarm: ${name}`, () =>
    with_place(`${SETUP}\n${setup}`, async (place) => {
      const watch = await place.watch();
      await watch.step("true");
      const lines = [...await watch.step(command)];
      lines.push(
        ...await watch.step("git status > ../out; git add -A; git commit -qm all || true"),
      );
      assert.deepEqual([...lines, ...watch.guarded.take().warnings], []);
    }));
}

for (
  const path of ["../home/.zshenv", ".git/hooks/post-commit", "a/.GIT/config", "/etc/x", "a/./b"]
) {
  Deno.test(`an index by which git would write elsewhere is named: ${path}`, () =>
    with_place("git init -q .; git read-tree --empty", async ({ watch, sh }) => {
      const { step, guarded } = await watch();
      const before = sh("ls .git/hooks ../home");
      await step(written([HEAD, filled(entry(path, 0o100644, hashed("")))]));
      const [line, ...more] = guarded.take().warnings;
      assert.match(line ?? "", /\.git\/index lists .* it is index\.refused now, and `git reset`/);
      assert.ok(line?.includes(path));
      sh("git checkout -q . 2> /dev/null || :");
      assert.equal(sh("git ls-files; ls .git/hooks ../home"), before);
      await step("touch x");
      assert.deepEqual([...more, ...guarded.take().warnings], [], "said once");
      sh("git read-tree --empty");
      await step(written([HEAD, filled(entry(path, 0o100644, hashed("")))]));
      assert.match(guarded.take().warnings.join(), /it is index\.refused-2 now/);
      sh("git reset -q; git checkout -q . 2> /dev/null || :");
      assert.equal(sh("git ls-files"), "");
    }));
}

Deno.test("paths that only look like it are nobody's business", () =>
  with_place("git init -q .", async ({ watch }) => {
    const make =
      "mkdir -p .github a/.gitlab a/..b .g; for f in .gitignore .github/x a/.gitlab/y a/..b/z .g/.git-x a/.gita ...; do " +
      "echo x > $f; done; git add -A; git update-index --index-version 4; git update-index --index-version 2; git commit -qm x";
    const { step, guarded } = await watch();
    assert.deepEqual(await step(make), []);
    assert.deepEqual(guarded.take().warnings, []);
  }));

const COMMIT = "echo 1 > f; git add f; git commit -qm 1";
const INDEXES: Readonly<Record<string, readonly [before: string, step: string]>> = {
  "a cache of what is untracked": [
    `git config core.untrackedCache true; mkdir -p a/b; echo x > a/b/c; ${COMMIT}; git status -s`,
    "touch a/n; git status -s; git add -A; git commit -qm 2",
  ],
  "many files": [`git config feature.manyFiles true; ${COMMIT}`, "echo 2 > f; git commit -qam 2"],
  "a sparse index": [
    `mkdir -p a c/d; echo x > a/f; echo x > c/d/f; git add -A; ${COMMIT}
git sparse-checkout init --cone --sparse-index; git sparse-checkout set a`,
    "echo y > a/f; git commit -qam y; git status -s",
  ],
  "a sparse index, and what it leaves out is made": [
    `mkdir -p a c/d; echo x > a/f; echo x > c/d/f; git add -A; ${COMMIT}
git sparse-checkout init --cone --sparse-index; git sparse-checkout set a`,
    "mkdir -p c/d/n; echo n > c/d/n/n",
  ],
  "a split index": [`git config core.splitIndex true; ${COMMIT}`, "echo 2 > f; git commit -qam 2"],
  "no checksum": [`git config index.skipHash true; ${COMMIT}`, "echo 2 > f; git commit -qam 2"],
  "a conflict, an intention to add, a flag": [
    `${COMMIT}; git switch -qc b; echo 2 > f; git commit -qam 2; git switch -q -; echo 3 > f; git commit -qam 3`,
    "git merge b; touch n; git add -N n; echo 4 > f; git add f; git commit -qm m; git update-index --assume-unchanged f",
  ],
};

for (const [name, [before, command]] of Object.entries(INDEXES)) {
  Deno.test(`an honest index stays git's: ${name}`, () =>
    with_place("git init -q .", async ({ watch, sh }) => {
      sh(`{ ${before}\n} > /dev/null 2>&1 || :`);
      const { step, guarded } = await watch();
      await step(`{ ${command}; } > /dev/null 2>&1 || :`);
      assert.deepEqual([guarded.take().warnings, sh("ls .git | grep refused || :")], [[], ""]);
      assert.notEqual(sh("git ls-files"), "");
    }));
}
