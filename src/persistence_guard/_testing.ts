/** What the tests of this folder share: a real workspace, a real git, and a guard on it. */
import assert from "node:assert/strict";
import { Changes } from "../changes/changes.ts";
import { open_folders } from "../changes/linux_folders.ts";
import { exists } from "../permission/paths.ts";
import { test_policy } from "../sandbox/_testing.ts";
import type { Policy } from "../sandbox/policy.ts";
import { IgnoreRules } from "../tools/work/machine/ignore_rules.ts";
import { FolderScan } from "./folder_scan.ts";
import { Guarded } from "./guarded.ts";
import type { Named } from "./named.ts";
import type { Baseline } from "./saved.ts";

/** A workspace, and those around it. */
export interface Place {
  readonly root: string;
  readonly workspace: string;
  readonly policy: Policy;
  /** Runs a command in the workspace and returns what it printed, without the last line end. */
  sh(command: string): string;
  read(path: string): string;
  exists(path: string): boolean;
  /** Begins to watch; with it, the walk that finds repositories. */
  watch(change?: Partial<Policy>, live?: Baseline | null): Promise<Watch>;
}

/** A guard with what it watches by. */
export interface Watch {
  readonly guarded: Guarded;
  readonly sights: FolderScan;
  /** Runs a command as a step: put back, then looked at. */
  step(command: string): Promise<readonly string[]>;
}

/** Exactly these are said to run later; null: nothing is said. */
export function assert_names(named: Named, names: string | null): void {
  const line = names === null ? null : `changed files that run later outside the sandbox: ${names}`;
  assert.equal(named.changed(), line);
}

/** Nobody's settings but the test's. */
const ENV = {
  PATH: Deno.env.get("PATH") ?? "/usr/bin:/bin",
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_AUTHOR_NAME: "t",
  GIT_AUTHOR_EMAIL: "t@t",
  GIT_COMMITTER_NAME: "t",
  GIT_COMMITTER_EMAIL: "t@t",
};

/** Where what many tests begin with was made, by what made it; beside it is a copy. */
const made = new Map<string, string>();
addEventListener("unload", () => {
  for (const root of made.values()) Deno.removeSync(`${root}.copy`, { recursive: true });
});

/** A fresh workspace; `setup` is run in it first. `often`: many tests begin with that, and it is run once: others get a copy. */
export async function with_place(
  setup: string,
  work: (place: Place) => void | Promise<void>,
  { often = false } = {},
): Promise<void> {
  // What is made has its own place in it: the copy is put where that was.
  const before = made.get(setup);
  const root = before ?? Deno.realPathSync(Deno.makeTempDirSync({ prefix: "planted-" }));
  const workspace = `${root}/work`;
  const all_changes: Changes[] = [];
  try {
    for (const name of before === undefined ? ["work", "tmp", "spill", "home"] : []) {
      Deno.mkdirSync(`${root}/${name}`);
    }
    const env = { ...ENV, HOME: `${root}/home` };
    const policy = test_policy({
      workspace,
      tmp: `${root}/tmp`,
      spill: `${root}/spill`,
      cache: `${root}/caches/own`,
      env,
      sandbox: "off",
    });
    const template = `${root}/new`;
    const sh = (command: string) =>
      run(command, { cwd: workspace, env: { ...env, GIT_TEMPLATE_DIR: template } });
    const at = (path: string) => path.startsWith("/") ? path : `${workspace}/${path}`;
    if (before === undefined) {
      light_template(template);
      sh(setup);
    } else run(`cp -a ${root}.copy ${root}`, { cwd: "/", env: ENV });
    if (often && before === undefined) {
      run(`cp -a ${root} ${root}.copy`, { cwd: "/", env: ENV });
      made.set(setup, root);
    }
    await work({
      root,
      workspace,
      policy,
      sh,
      read: (path) => Deno.readTextFileSync(at(path)),
      exists: (path) => exists(at(path)),
      async watch(change = {}, live = null) {
        const own = { ...policy, ...change };
        const ignore = new IgnoreRules(own.workspace);
        const sights = new FolderScan((path) => ignore.covers(path));
        const raw = open_folders();
        const changes = new Changes({
          policy: own,
          raw,
          ignoring: () => ignore,
          listener: sights,
          write_down: null,
        });
        all_changes.push(changes);
        const guarded = Guarded.start(own, { sights, raw });
        guarded.heed(live === null ? [] : [live]);
        await changes.begin("");
        let is_first = true;
        guarded.watch();
        return {
          guarded,
          sights,
          async step(command) {
            if (!is_first) await changes.begin("");
            is_first = false;
            guarded.watch();
            sh(command);
            const said = await guarded.check();
            await changes.end("");
            guarded.watch();
            return said;
          },
        };
      },
    });
  } finally {
    for (const changes of all_changes) changes[Symbol.dispose]();
    try {
      Deno.removeSync(root, { recursive: true });
    } catch {
      // Root is let into a closed folder; others open it first.
      run(`chmod -R u+rwx ${root}; rm -r ${root}`, { cwd: "/", env: ENV });
    }
  }
}

/** Without git's fourteen samples of hooks, a repository is made in a seventh of the time. */
function light_template(template: string): void {
  for (const folder of ["hooks", "info"]) {
    Deno.mkdirSync(`${template}/${folder}`, { recursive: true });
  }
  Deno.writeTextFileSync(`${template}/info/exclude`, "");
}

function run(
  command: string,
  { cwd, env }: { cwd: string; env: Readonly<Record<string, string>> },
): string {
  const { success, stdout, stderr } = new Deno.Command("/bin/bash", {
    args: ["-euc", command],
    cwd,
    env: { ...env },
    clearEnv: true,
  }).outputSync();
  const text = new TextDecoder();
  if (!success) throw new Error(`${command}: ${text.decode(stderr)}${text.decode(stdout)}`);
  return text.decode(stdout).replace(/\n$/, "");
}
