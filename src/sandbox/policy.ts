import { is_inside } from "../config/paths.ts";

/** What the tools, and everything the shell starts, may do. Plain data: it crosses threads. */
export interface Policy {
  /** The workspace, its real path. Always readable; writable unless the run is `read_only`. */
  readonly workspace: string;
  /** The folder where programs start; absent for the workspace. */
  readonly start_in?: string;
  /** The run's private temporary folder, its real path. Always writable; `TMPDIR` of every child. */
  readonly tmp: string;
  /** Where output too long for the model is kept in full. Writable; kept after the run. */
  readonly spill: string;
  /** Where tools keep their caches for this workspace. Writable; kept after the run. */
  readonly cache: string;
  /** Which of the user's own caches are made readable in `cache`. */
  readonly lent?: readonly Lent[];
  /** What hamr itself writes during the run (files and folders, real paths): it does not count as changed by a call. */
  readonly outputs?: readonly string[];
  /** Files in what may be written that hamr was told to go by (`--config`, `--mcp-config`), by both names: put back as `.hamr` is. */
  readonly given?: readonly string[];
  /** Git's common folder, if it is outside the workspace (a worktree, a subfolder). As writable as the workspace. */
  readonly git: string | null;
  /** What may be read besides the workspace and what programs need to start (real paths), or `"all"`. */
  readonly read: readonly string[] | "all";
  /** What may not be read, whatever `read` says; absolute, need not exist. */
  readonly deny_read: readonly string[];
  /** What of it `--deny-read` names: no flag allows that. Absent: nothing. */
  readonly denied_by_flag?: readonly string[];
  /** Further files and folders that may be written (real paths), or `"all"`; never the workspace of a `read_only` run. */
  readonly write: readonly string[] | "all";
  /** Other paths of what may be written, because it is mounted twice (real paths). */
  readonly also_written?: readonly string[];
  /** Set if nothing can write the workspace. */
  readonly read_only?: true;
  /** What may be executed: programs with their interpreters, and folders (real paths); or `"all"`. */
  readonly run: readonly string[] | "all";
  /** TCP. `"own"`: loopback ports that this run has opened; `"loopback"`: all loopback ports; `"none"`; `"all"`: every network. */
  readonly net: "own" | "none" | "loopback" | "all";
  /** Ports of this machine where hamr itself asks servers. Who takes one over is sent keys: where somebody listens as the run begins, commands don't. Absent: none. */
  readonly asked_ports?: readonly number[];
  /** More hosts for `web_fetch`, on the main thread; commands cannot reach them. */
  readonly web?: readonly string[];
  /** The shell (a real path, or a link to one); absent for `/bin/bash`. */
  readonly shell?: string;
  /** The whole environment of every child. */
  readonly env: Readonly<Record<string, string>>;
  /** `"off"` only if the user asked for it: the kernel enforces nothing. */
  readonly sandbox: "auto" | "off";
}

/** One of the user's caches, made readable in the workspace's cache folder. */
export interface Lent {
  /** Its path in the cache folder. */
  readonly at: string;
  /** Its path among the user's own caches. */
  readonly from: string;
  /** `nothing`: removes a link of an earlier run. */
  readonly as: "link" | "copy" | "nothing";
}

/** What every run has: the workspace and the run's own folders. All of it is readable. */
export function own_folders(policy: Policy): string[] {
  const { workspace, tmp, spill, cache, git } = policy;
  return [workspace, tmp, spill, cache, ...(git === null ? [] : [git])];
}

export function own_writable(policy: Policy): string[] {
  const { tmp, spill, cache, read_only } = policy;
  return read_only ? [tmp, spill, cache] : own_folders(policy);
}

/** Whether a real path may be written. */
export function may_write(policy: Policy, path: string): boolean {
  return policy.write === "all" ||
    [...own_writable(policy), ...policy.write].some((root) => is_inside(path, root));
}

/** What Deno lets a thread do that works under a policy: what that says, and nothing of the network. */
export function thread_permissions(policy: Policy): Deno.PermissionOptionsObject {
  return {
    ...{ read: true, run: true, ffi: true, env: false, net: false, sys: false },
    write: policy.write === "all" || [...own_writable(policy), ...policy.write, "/dev/null"],
  };
}

/** Whether commands can have changed what has this real path: it may be written, or is in `also_written`. */
export function is_in_reach(policy: Policy, path: string): boolean {
  return may_write(policy, path) ||
    policy.also_written?.some((root) => is_inside(path, root)) === true;
}

/** Whether only the run's own folders can be written: then there are no changes to look for. */
export function is_unwritable({ read_only, write }: Policy): boolean {
  return read_only === true && write.length === 0;
}

/** Whether commands may change something outside the folders they may write, or write everywhere. */
export function reaches_further({ sandbox, net, write }: Policy): boolean {
  // On macOS `own` is every port on loopback.
  const is_own = net === "none" || (net === "own" && Deno.build.os === "linux");
  return sandbox === "off" || write === "all" || !is_own;
}
