import assert from "node:assert/strict";
import { type Bench, bench, sh } from "../tools/_testing.ts";
import { git_place, GitIndex } from "./git_index.ts";
import { open_folders } from "./linux_folders.ts";
import { name_bytes, STAT_WORDS } from "./folders.ts";

const GIT = "git -c user.name=t -c user.email=t@localhost";
const COMMIT = `${GIT} commit -qm x`;
const bytes = (text: string) => new TextEncoder().encode(text);
const raw = open_folders();

/** The id under which git has a file as it looks on the disk. */
function id_of(index: GitIndex | null, top: string, path: string): string | null {
  const words = new Uint32Array(STAT_WORDS);
  if (index === null || !raw.stat(null, name_bytes(`${top}/${path}`), words)) return null;
  const slash = path.lastIndexOf("/") + 1;
  const folder = bytes(path.slice(0, slash));
  const at = { bytes: folder, hash: index.hash_of(folder) };
  const entry = index.find(at, name_bytes(path.slice(slash)), words);
  return entry === 0 ? null : index.id(entry);
}

/** Files that were written in the moment in which the index was are not trusted. */
const later = () => new Promise((resolve) => setTimeout(resolve, 30));

const index_of = (b: Pick<Bench, "workspace">, git: string | null = null) =>
  GitIndex.of(git_place({ workspace: b.workspace, git }));
const git_id = (text: string, cwd: string) =>
  sh(`printf '%s' '${text}' | git hash-object --stdin`, cwd).trim();

Deno.test("git's ids are found in every version of its index, for files that look as git saw them", async () => {
  const files = { "a.txt": "one", "src/deep/b.txt": "two", "src/deep/bc.txt": "three", "é x": "4" };
  for (const version of [2, 3, 4]) {
    await bench({ files }, async (b) => {
      await later();
      sh(`git init -q && git config index.version ${version}`, b.workspace);
      // Version 3 is what has a flag more: of an entry that is only meant to be added.
      sh(`git add . && ${COMMIT} && echo n > n && git add -N n`, b.workspace);
      await later();
      sh(`git update-index --index-version ${version}; git status`, b.workspace);
      const index = index_of(b);
      for (const [path, text] of Object.entries(files)) {
        const id = id_of(index, b.workspace, path);
        assert.equal(id, git_id(text, b.workspace), `${path} in version ${version}`);
      }
      assert.deepEqual([...index!.folders].sort(), ["", "src/", "src/deep/"]);
      assert.equal(id_of(index, b.workspace, "n"), null);
      assert.equal(id_of(index, b.workspace, "none"), null);
      b.put("a.txt", "eno");
      assert.equal(id_of(index, b.workspace, "a.txt"), null, "another content of the same size");
      assert.ok(index!.same_staged(index!));
      sh("git status", b.workspace);
      assert.ok(index!.same_staged(index_of(b)!), "git has only noted what it saw");
      sh("git add a.txt", b.workspace);
      assert.ok(!index!.same_staged(index_of(b)!));
    });
  }
});

Deno.test("of a subfolder and of a worktree the right index is read, of a conflict nothing", async () => {
  const beside = { "repo/sub/a.txt": "one", "repo/b.txt": "two" };
  await bench({ beside, workspace: "repo/sub" }, async (b) => {
    const repo = `${b.root}/repo`, tree = `${b.root}/tree`;
    await later();
    sh(`git init -q && git add . && ${COMMIT} && git worktree add -q ../tree`, repo);
    const git = `${repo}/.git`;
    await later();
    sh("git update-index --refresh", tree);
    assert.equal(id_of(index_of(b, git), b.workspace, "a.txt"), git_id("one", repo));
    assert.deepEqual([...index_of(b, git)!.folders], [""], "what is outside of it does not count");
    const of_tree = index_of({ workspace: tree }, git);
    assert.equal(id_of(of_tree, tree, "sub/a.txt"), git_id("one", repo));
    assert.equal(index_of({ workspace: tree }), null, "not believed");
    sh(
      `git checkout -qb other && echo o > b.txt && ${COMMIT} -a && git checkout -q - &&
        echo p > b.txt && ${COMMIT} -a && ! ${GIT} merge -q other`,
      repo,
    );
    const index = index_of({ workspace: repo });
    assert.equal(id_of(index, repo, "b.txt"), null);
    assert.equal(id_of(index, repo, "sub/a.txt"), git_id("one", repo));
  });
});

Deno.test("where git keeps files in another form than they have, nothing is taken from it", async () => {
  for (
    const [place, text] of [
      [".git/config", "[core]\n\tautocrlf = true\n"],
      [".git/info/attributes", "*.bin filter=lfs\n"],
    ] as const
  ) {
    await bench({ files: { "a.txt": "one" } }, (b) => {
      sh(`git init -q && git add . && ${COMMIT}`, b.workspace);
      assert.notEqual(index_of(b), null);
      Deno.writeTextFileSync(b.at(place), text, { append: true });
      assert.equal(index_of(b), null, place);
    });
  }
  assert.equal(GitIndex.converts("* text=auto\n*.sh eol=lf\n"), false);
  assert.equal(GitIndex.converts("*.psd filter=lfs diff=lfs -text\n"), true);
});

Deno.test("what is not an index, or a broken one, is none", async () => {
  await bench({ files: { "a.txt": "one" } }, async (b) => {
    await later();
    sh(`git init -q && git add . && ${COMMIT}`, b.workspace);
    const whole = Deno.readFileSync(b.at(".git/index"));
    const now = Math.ceil(Date.now() / 1000);
    const read = (bytes: Uint8Array<ArrayBuffer>) =>
      GitIndex.read(bytes, { below: "", written: [now, 0] });
    const id = git_id("one", b.workspace);
    assert.equal(id_of(read(whole), b.workspace, "a.txt"), id);
    for (let length = 0; length < whole.length - 20; length++) {
      const found = id_of(read(whole.slice(0, length)), b.workspace, "a.txt");
      assert.ok(found === null || found === id, `${length}`);
    }
    for (let at = 0; at < 100; at++) {
      // But for the id itself, which nobody can tell from another one.
      if (at >= 52 && at < 72) continue;
      for (const byte of [0, 127, 255]) {
        const other = whole.slice();
        other[at] = byte;
        const found = id_of(read(other), b.workspace, "a.txt");
        assert.ok(found === null || found === id, `${at}`);
      }
    }
    Deno.removeSync(b.at(".git/index"));
    sh("mkfifo .git/index", b.workspace);
    assert.equal(index_of(b), null, "nothing is waited for");
  });
});
