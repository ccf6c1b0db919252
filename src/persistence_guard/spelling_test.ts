/** Names in another spelling than what is asked for: some file systems take both for one, and others don't. */
import assert from "node:assert/strict";
import { test_policy } from "../sandbox/_testing.ts";
import { assert_names, with_place } from "./_testing.ts";
import { FolderScan } from "./folder_scan.ts";
import { links_of } from "./index_links.ts";
import { Named } from "./named.ts";
import { guarded_place, WorkspaceScan } from "./places.ts";
import { Lens } from "./thing.ts";

/** A folder as a file system lists it that keeps the spelling, and finds a name by every other one. */
class OtherSpelling extends Lens {
  override entries(path: string): ReturnType<Lens["entries"]> {
    const entries = super.entries(path);
    const { names, links, folders } = entries;
    return {
      ...entries,
      ...{ names: names.map(other), links: links.map(other), folders: folders.map(other) },
    };
  }
}

function other(name: string): string {
  return name.toUpperCase().replace("K", "\u212a").replace("S", "\u200bS");
}

Deno.test("what git finds by its own names is watched, however the file system lists it", () => {
  const setup = "git init -q .; echo x > .git/hooks/pre-commit; touch .git/commondir; " +
    "touch .git/config.worktree; mkdir -p .git/modules/a .git/worktrees/b; " +
    "touch .git/modules/a/config .git/worktrees/b/config.worktree; ln -s /etc/x .git/logs";
  return with_place(setup, ({ workspace, policy }) => {
    const dotgit = `${workspace}/.git`;
    const scope = { dotgits: [dotgit], git_dirs: [], own: `${workspace}/.hamr`, skipped: [] };
    const found = (lens: Lens) =>
      [...new WorkspaceScan(scope, { lens, known: null, policy }).found.keys()]
        .map((path) => path.slice(dotgit.length + 1));
    for (
      const name of ["hooks", "commondir", "config", "config.worktree", "modules", "worktrees"]
    ) {
      assert.ok(found(new Lens()).includes(name), name);
      assert.ok(found(new OtherSpelling()).includes(name), name);
    }
  });
});

Deno.test("a repository, and what tools start, is found in any spelling", () => {
  const scan = new FolderScan(() => false);
  scan.enter("", [".Git", "src", ".ENVRC", ".VSCode", ".\u200bhusky", "SESSION.vim", "Makefile"]);
  scan.enter("up/", ["Head", "OBJECTS", "refs", "config"]);
  scan.enter("two/", [".git", ".GIT", ".envrc"]);
  assert.deepEqual([...scan.dotgits], [".git", "two/.git"]);
  assert.deepEqual([...scan.bares], ["up"]);
  const named = scan.named.filter((path) => !path.startsWith(".vscode/"));
  assert.deepEqual(named, [".envrc", ".husky", "Session.vim", "makefile", "two/.envrc"]);
  assert.ok(scan.named.includes(".vscode/tasks.json"));
});

Deno.test("where two spellings are two files, only the one that is asked for counts", () =>
  with_place("git init -q .", async ({ watch, exists, policy, sh }) => {
    const { step, guarded, sights } = await watch();
    const { open_folders } = await import("../changes/linux_folders.ts");
    const named = new Named(policy, { raw: open_folders(), sights, saved: guarded.saved });
    named.expect(".ENVRC");
    named.see();
    const honest = "mkdir -p src/hooks src/objects src/refs src/head .GIT/hooks .git/Hooks; " +
      "echo x | tee src/hooks/use.ts src/config .GIT/hooks/pre-commit .git/Hooks/pre-commit " +
      ".ENVRC Config > out";
    assert.deepEqual(await step(honest), []);
    assert.ok(["src/hooks/use.ts", "src/config", ".git/Hooks/pre-commit"].every(exists));
    assert.deepEqual(await step("echo y > src/config; rm -r src/hooks"), []);
    assert_names(named, null);
    sh("echo x > .envrc");
    await step("true");
    assert_names(named, ".envrc");
  }));

Deno.test("no tool writes into git's settings by another spelling", () => {
  const policy = test_policy({ workspace: "/w" });
  for (const path of ["/w/.GIT/Hooks/x", "/w/.g\u200bit/hoo\u212as/x", "/w/a/.git/CONFIG"]) {
    assert.notEqual(guarded_place(path, policy), null, path);
  }
  for (const path of ["/w/.gitignore", "/w/.git/description", "/w/.github/hooks/x"]) {
    assert.equal(guarded_place(path, policy), null, path);
  }
});

Deno.test("an index that would write into what a file system takes for .git is set aside", () =>
  with_place("git init -q .", ({ workspace, sh }) => {
    const astray = (path: string) => {
      sh(
        `rm -f .git/index; git -c core.protectNTFS=false update-index --add --cacheinfo 100644,${ID},x`,
      );
      const bytes = Deno.readFileSync(`${workspace}/.git/index`);
      return links_of(renamed(bytes, path))?.astray;
    };
    for (const path of [".g\u200cit/hooks/x", "a/GIT~1/config", "\u200c.git/x", ".GIT/config"]) {
      assert.equal(astray(path), path);
    }
    for (const path of ["\u00e9t\u00e9/git", "git~2/x", "a/.gitignore", "gi~1/x"]) {
      assert.equal(astray(path), null, path);
    }
  }));

const ID = "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391";

/** An index of one entry, with another path. */
function renamed(bytes: Uint8Array<ArrayBuffer>, path: string): Uint8Array<ArrayBuffer> {
  const name = new TextEncoder().encode(path);
  const length = 62 + name.length;
  const padded = length + 8 - length % 8;
  const index = new Uint8Array(12 + padded + 20);
  index.set(bytes.subarray(0, 12 + 60));
  new DataView(index.buffer).setUint16(12 + 60, name.length);
  index.set(name, 12 + 62);
  return index;
}
