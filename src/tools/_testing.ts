/** What the tests of tools share: a real workspace, and tools that run on this thread. */
import { Changes } from "../changes/changes.ts";
import { open_folders } from "../changes/linux_folders.ts";
import { fault_of } from "./check.ts";
import type { Policy } from "../sandbox/policy.ts";
import { test_policy } from "../sandbox/_testing.ts";
import { Refusal, ToolFailure } from "./failure.ts";
import { Files } from "./work/machine/files.ts";
import { IgnoreRules } from "./work/machine/ignore_rules.ts";
import type { OutputLimits, ResultLimits } from "./limits.ts";
import type { Machine } from "./work/machine/machine.ts";
import { ReadCache } from "./work/machine/read_cache.ts";
import { ShownFiles } from "./work/machine/shown_files.ts";
import { find_tool } from "./declared/every_tool.ts";
import { RUNNERS } from "./work/runners.ts";
import { Shell } from "./work/shell/shell.ts";
import type { Done } from "./tool.ts";

/** Content of a file; null makes a folder. */
export type Content = string | Uint8Array | null;

/** How a bench is set up. */
export interface BenchOptions {
  /** Files of the workspace, by relative path. */
  readonly files?: Readonly<Record<string, Content>>;
  /** Of results of all tools. */
  readonly limits?: OutputLimits;
  readonly write?: Policy["write"];
  /** Beside the workspace. */
  readonly deny_read?: readonly string[];
  readonly env?: Policy["env"];
  /** The workspace's place below a folder that can be a repository. Default: `work`. */
  readonly workspace?: string;
  /** Further files, beside the workspace. */
  readonly beside?: Readonly<Record<string, Content>>;
  /** Where all this is. Default: in the folder for temporary files. */
  readonly in?: string | undefined;
}

/** A workspace and the tools on it, without a sandbox and without a worker. */
export interface Bench {
  /** Holds the workspace and all else. */
  readonly root: string;
  readonly workspace: string;
  readonly policy: Policy;
  readonly machine: Machine;
  /** The absolute path of something in the workspace. */
  at(path: string): string;
  /** Text of a file of the workspace. */
  text(path: string): string;
  put(path: string, content: Content): void;
  /** Runs a tool as the worker would: a failure is a result. */
  call(tool: string, args: Readonly<Record<string, unknown>>): Promise<Done>;
}

/** The limits of the contract, with a window that has room for them. */
export const LIMITS: ResultLimits = {
  lines: 2000,
  bytes: 51_200,
  bash_bytes: 10_000,
  read_bytes: 16_000,
};

/** A fresh workspace for one test. */
export async function bench<T>(
  options: BenchOptions,
  work: (bench: Bench) => T | Promise<T>,
): Promise<T> {
  const root = Deno.realPathSync(Deno.makeTempDirSync({ prefix: "tools-", dir: options.in }));
  let machine: Machine | undefined;
  try {
    const workspace = `${root}/${options.workspace ?? "work"}`;
    for (const folder of [workspace, `${root}/tmp`, `${root}/spill`, `${root}/home`]) {
      Deno.mkdirSync(folder, { recursive: true });
    }
    fill(root, options.beside ?? {});
    fill(workspace, options.files ?? {});
    const policy = test_policy({
      workspace,
      tmp: `${root}/tmp`,
      spill: `${root}/spill`,
      cache: `${root}/cache`,
      write: options.write ?? [],
      deny_read: (options.deny_read ?? []).map((path) => `${root}/${path}`),
      env: options.env ?? { PATH: Deno.env.get("PATH") ?? "/usr/bin:/bin", HOME: `${root}/home` },
      sandbox: "off",
    });
    const { limits } = options;
    const bytes = limits?.bytes ?? 0;
    machine = machine_of(
      policy,
      limits === undefined ? LIMITS : { ...limits, bash_bytes: bytes, read_bytes: bytes },
    );
    return await work({
      root,
      workspace,
      policy,
      machine,
      at: (path) => `${workspace}/${path}`,
      text: (path) => Deno.readTextFileSync(`${workspace}/${path}`),
      put: (path, content) => put(`${workspace}/${path}`, content),
      call: (tool, args) => call(machine as Machine, tool, args),
    });
  } finally {
    machine?.changes[Symbol.dispose]();
    Deno.removeSync(root, { recursive: true });
  }
}

function machine_of(policy: Policy, limits: ResultLimits): Machine {
  const ignore = new IgnoreRules(policy.workspace);
  const folders = open_folders();
  const changes = new Changes({ policy, raw: folders, ignoring: () => ignore, write_down: null });
  return {
    policy,
    limits,
    bash_timeout_s: 60,
    files: new Files(policy),
    folders,
    shown: new ShownFiles(),
    read_cache: new ReadCache(),
    ignore,
    changes,
    shell: new Shell(policy, { lines: limits.lines, bytes: limits.bash_bytes }, null),
    editor: null,
    task_id: "",
    call: "call",
    signal: new AbortController().signal,
    tell() {},
  };
}

async function call(
  machine: Machine,
  name: string,
  args: Readonly<Record<string, unknown>>,
): Promise<Done> {
  const tool = find_tool(name);
  if (tool === undefined) throw new Error(`no tool ${name}`);
  try {
    const fault = fault_of(tool, args);
    if (fault !== null) throw new Error(fault);
    const run = RUNNERS.get(name);
    if (run === undefined) throw new Error(`nothing runs ${name}`);
    return await run(args, machine);
  } catch (error) {
    if (!(error instanceof ToolFailure || error instanceof Refusal)) throw error;
    const refused = error instanceof Refusal ? { refused: "policy" } : {};
    return { ok: false, text: error.message, summary: "", ...refused };
  }
}

function fill(folder: string, files: Readonly<Record<string, Content>>): void {
  for (const [path, content] of Object.entries(files)) put(`${folder}/${path}`, content);
}

function put(full: string, content: Content): void {
  const folder = content === null ? full : full.slice(0, full.lastIndexOf("/"));
  Deno.mkdirSync(folder, { recursive: true });
  if (typeof content === "string") Deno.writeTextFileSync(full, content);
  else if (content !== null) Deno.writeFileSync(full, content);
}

/** Whether this process may do what only root may; tests that need it say so where they are skipped. */
export function is_root(): boolean {
  return Deno.uid() === 0;
}

/** Runs a program to its end and returns what it printed. */
export function sh(command: string, cwd: string): string {
  const done = new Deno.Command("/bin/bash", { args: ["-c", command], cwd }).outputSync();
  const text = new TextDecoder();
  if (!done.success) throw new Error(`${command}: ${text.decode(done.stderr)}`);
  return text.decode(done.stdout);
}

/** Whether files can be made in the folder from now on, and not renamed; `-a`: they can be again. */
export function may_append(folder: string, how: "+a" | "-a"): boolean {
  try {
    return new Deno.Command("chattr", { args: [how, folder], stderr: "null" }).outputSync().success;
  } catch {
    return false;
  }
}

/** Whether that is known here: root may, on some file systems. */
export function can_append(): boolean {
  const folder = Deno.makeTempDirSync({ prefix: "hamr_test_" });
  const can = may_append(folder, "+a");
  if (can) may_append(folder, "-a");
  Deno.removeSync(folder);
  return can;
}
