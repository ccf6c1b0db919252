import { is_inside } from "../config/paths.ts";

/** What the tools, and everything the shell starts, may do. Plain data: it crosses a thread border. */
export interface Policy {
  /** The workspace, its real path. Always readable; writable unless the run is `read_only`. */
  readonly workspace: string;
  /** Where programs start; absent: in the workspace. */
  readonly start_in?: string;
  /** The run's private temporary folder, its real path. Always writable; `TMPDIR` of every child. */
  readonly tmp: string;
  /** Where tool output too long for the model is kept in full. Writable; kept after the run. */
  readonly spill: string;
  /** Where tools keep their caches for this workspace. Writable; kept after the run. */
  readonly cache: string;
  /** What of the user's own caches is put into `cache`, to be read there. */
  readonly lent?: readonly Lent[];
  /** What hamr itself writes while the run goes on (files and folders, real paths): no call has changed it. Absent: nothing. */
  readonly outputs?: readonly string[];
  /** Git's common folder, where it is outside the workspace (a worktree, a subfolder). As writable as the workspace. */
  readonly git: string | null;
  /** What may be read besides the workspace and what programs need to start (real paths), or `"all"`. */
  readonly read: readonly string[] | "all";
  /** What may not be read, whatever `read` says; absolute, need not exist. */
  readonly deny_read: readonly string[];
  /** Further files and folders that may be written (real paths), or `"all"`; never the workspace of a `read_only` run. */
  readonly write: readonly string[] | "all";
  /** Where what may be written is found besides, as it is mounted twice (real paths). Absent: nowhere. */
  readonly also_written?: readonly string[];
  /** The workspace can't be written by anything. Absent: it can. */
  readonly read_only?: true;
  /** What may be executed: programs with their interpreters, and folders (real paths); or `"all"`. */
  readonly run: readonly string[] | "all";
  /** TCP. `"own"`: loopback ports that this run has opened; `"loopback"`: all loopback ports; `"none"`; `"all"`: every network. */
  readonly net: "own" | "none" | "loopback" | "all";
  /** Hosts that `web_fetch` may ask besides, on the main thread; no command reaches them by that. Absent: none. */
  readonly web?: readonly string[];
  /** What runs commands (a real path, or one that leads there); absent: `/bin/bash`. */
  readonly shell?: string;
  /** The whole environment of every child. */
  readonly env: Readonly<Record<string, string>>;
  /** `"off"` only where the user asked for it: nothing is enforced by the kernel. */
  readonly sandbox: "auto" | "off";
}

/** Something in the workspace's cache folder that is the user's. */
export interface Lent {
  /** In the cache folder. */
  readonly at: string;
  /** Of the user's own. */
  readonly from: string;
  /** `nothing`: what was linked there by an earlier run is taken away. */
  readonly as: "link" | "copy" | "nothing";
}

/** What belongs to the run without being asked for: the workspace and the run's own folders. All of it may be read. */
export function own_folders(policy: Policy): string[] {
  const { workspace, tmp, spill, cache, git } = policy;
  return [workspace, tmp, spill, cache, ...(git === null ? [] : [git])];
}

export function own_writable(policy: Policy): string[] {
  const { tmp, spill, cache, read_only } = policy;
  return read_only ? [tmp, spill, cache] : own_folders(policy);
}

/** Whether a real path is where something may be written. */
export function may_write(policy: Policy, path: string): boolean {
  return policy.write === "all" ||
    [...own_writable(policy), ...policy.write].some((root) => is_inside(path, root));
}

/** The same, where it is also asked by other names: what commands can have changed. */
export function is_in_reach(policy: Policy, path: string): boolean {
  return may_write(policy, path) ||
    policy.also_written?.some((root) => is_inside(path, root)) === true;
}

/** Whether nothing can be written but the run's own folders: then nothing has to be looked at for changes. */
export function is_unwritable({ read_only, write }: Policy): boolean {
  return read_only === true && write.length === 0;
}

/** Whether commands may change something that is in no folder which they may write, or write everywhere. */
export function reaches_further({ sandbox, net, write }: Policy): boolean {
  // On macOS `own` is every port on loopback.
  const is_own = net === "none" || (net === "own" && Deno.build.os === "linux");
  return sandbox === "off" || write === "all" || !is_own;
}
