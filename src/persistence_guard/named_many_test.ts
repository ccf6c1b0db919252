import { open_folders } from "../changes/linux_folders.ts";
import assert from "node:assert/strict";
import { with_place } from "./_testing.ts";
import { Named } from "./named.ts";

/** As a repository of many packages. */
const packages = (count: number) =>
  `mkdir -p p/{1..${count}}; for d in p/*; do echo '{}' > $d/package.json; done`;
const REPO =
  "git init -q .; mkdir hooks zz; git config core.hooksPath hooks; echo a > hooks/pre-push";
const PLANT =
  "mkdir -p zz/.husky; for f in zz/.husky/pre-commit zz/.envrc hooks/pre-push; do echo b > $f; done";
const CUT =
  "too many files here run later outside the sandbox to check them all: changes to the rest are not listed";

for (
  const [many, names] of [
    [packages(5001), "hooks/pre-push, zz/.envrc, zz/.husky/pre-commit"],
    ["mkdir -p zz/.husky; touch zz/.husky/a{1..500}", "hooks/pre-push, zz/.envrc"],
  ] as const
) {
  Deno.test(`beside many files that run later, others are named, and that some are not is said: ${many}`, () =>
    with_place(`${REPO}; ${many}`, async ({ watch, policy }) => {
      const { step, guarded, sights } = await watch();
      const named = new Named(policy, { raw: open_folders(), sights, saved: guarded.saved });
      assert.deepEqual(named.lines(), []);
      named.see();
      await step(PLANT);
      assert.deepEqual(named.lines(), [
        `changed files that run later outside the sandbox: ${names}`,
        CUT,
      ]);
    }));
}

Deno.test("nothing that runs later hides behind others whose names come first", () =>
  with_place(REPO, async ({ watch, policy }) => {
    const { step, guarded, sights } = await watch();
    const named = new Named(policy, { raw: open_folders(), sights, saved: guarded.saved });
    named.see();
    await step(
      `touch .a{a..c}rc; mkdir -p .github/workflows {a..h} a/{a..h}; touch {a..h}/.env.local
      for f in .github/workflows/{a..h}.yml a/{a..h}/.envrc {a..h}/.envrc; do echo a > $f; done; ${PLANT}`,
    );
    const first = "abcdef".split("");
    assert.deepEqual(named.lines(), [
      `changed files that run later outside the sandbox: .aarc, .abrc, .acrc, ${
        first.map((name) => `.github/workflows/${name}.yml`).join(", ")
      } and 2 more .github, ${
        first.map((name) => `${name}/.envrc`).join(", ")
      } and 11 more .envrc, ` +
      "hooks/pre-push, zz/.husky/pre-commit",
    ]);
  }));

Deno.test("a new link out of the workspace is named, ignored or not, and no other", () =>
  with_place(
    "git init -q .; printf 'node_modules\n/dist\n*.log\n' > .gitignore; mkdir -p ../docs a; ln -s ../docs b; ln -s b c.log; mkdir -p .svn .hg/wcache deep/_darcs/patches; ln -s ../../docs .svn/pristine",
    async ({ watch, policy, root }) => {
      const { step, guarded, sights } = await watch();
      const named = new Named(policy, { raw: open_folders(), sights, saved: guarded.saved });
      named.see();
      await step(
        "mkdir node_modules; ln -s node_modules dist; ln -s /nowhere n; ln -s /usr/bin u; ln -s ../tmp t.log; echo x > x.log; mkdir -p v/bin ../docs/bin; : > ../docs/bin/python3.11; ln -s ../../../docs/bin/python3.11 v/bin/python; echo x > .svn/tmp; ln -s checklink-target .hg/wcache/checklink",
      );
      assert.deepEqual(named.lines(), []);
      await step("rm x.log; : > ../docs/f; ln -s ../docs/f x.log; ln -sfn ../docs dist; rm c.log");
      await step("ln -s ../../docs a/node_modules");
      await step(
        "rm .svn/tmp; ln -s ../../docs .svn/tmp; cd deep/_darcs; rmdir patches; ln -s ../../../docs patches",
      );
      assert.deepEqual(named.lines(), [
        "links lead out of the workspace, and what empties or writes them does so there: " +
        `.svn/tmp (${root}/docs), a/node_modules (${root}/docs), deep/_darcs/patches (${root}/docs), ` +
        `dist (${root}/docs), x.log (${root}/docs/f)`,
      ]);
    },
  ));

Deno.test("of a long path its end is seen: which file it is, and where a link leads", () =>
  with_place(REPO, async ({ watch, policy, root }) => {
    const { step, guarded, sights } = await watch();
    const named = new Named(policy, { raw: open_folders(), sights, saved: guarded.saved });
    named.see();
    const long = "folder/".repeat(40);
    await step(`mkdir -p ${long} ../docs; echo b > ${long}.envrc; ln -s $PWD/../docs ${long}l`);
    const short = `${long.slice(0, 60)}…`;
    assert.deepEqual(named.lines(), [
      `changed files that run later outside the sandbox: ${short}${`${long}.envrc`.slice(-60)}`,
      "links lead out of the workspace, and what empties or writes them does so there: " +
      `${short}${`${long}l`.slice(-60)} (${root}/docs)`,
    ]);
  }));
