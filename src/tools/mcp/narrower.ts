/** The policy of an MCP server's program whose section allows less than the run does. Loaded if there is one. */
import type { McpPermissions } from "../../config/key.ts";
import { is_inside, real_or_null } from "../../config/paths.ts";
import { expanded, resolved } from "../../permission/paths.ts";
import { is_readable, real_of_missing } from "../../sandbox/scope/read_scope.ts";
import { may_write, own_writable, type Policy } from "../../sandbox/policy.ts";

/** From nothing to everything. */
const NETS = ["none", "own", "loopback", "all"] as const;

/** A policy that allows nothing that the run's does not. */
interface Narrower {
  readonly policy: Policy;
  /** What is left of what was asked for, with real paths. */
  readonly granted: McpPermissions;
  /** What the run may not do either, a line each. */
  readonly warnings: readonly string[];
}

/** Cuts what a server asks for to what the run may do. Its own temporary folder is `tmp`, which is to be there. */
export function narrower(run: Policy, asked: McpPermissions, { tmp }: { tmp: string }): Narrower {
  const { workspace, git, spill, cache } = run;
  const home = run.env["HOME"] ?? "";
  const place = (path: string) =>
    (path.startsWith("~") ? expanded(path, home) : null) ?? resolved(workspace, path);
  const warnings: string[] = [];
  const kept = (what: "read" | "write", may: (path: string) => boolean): string[] | undefined =>
    asked[what]?.flatMap((path) => {
      const real = real_or_null(place(path));
      if (real !== null && may(real)) return [real];
      // Of a run that writes nothing there, nobody expects it.
      if (what === "write" && run.read_only && is_inside(place(path), workspace)) return [];
      const why = real === null
        ? "there is no such file or folder"
        : `the run may not either (--allow-${what})`;
      warnings.push(`it may not ${what} ${path}: ${why}`);
      return [];
    });
  const read = kept("read", (path) => is_readable(run, path));
  const write = kept("write", (path) => may_write(run, path));
  const deny_read = (asked.deny_read ?? []).map((path) => real_of_missing(place(path)));
  const wanted = asked.net ?? run.net;
  const net = NETS.indexOf(wanted) <= NETS.indexOf(run.net) ? wanted : run.net;
  if (net !== wanted) {
    warnings.push(`its network is ${run.net}, not ${wanted}: the run may do no more (--allow-net)`);
  }
  const own = [tmp, spill, cache, run.tmp];
  const folders = own_writable(run).filter((path) => !own.includes(path));
  const of_run = [workspace, ...(git === null ? [] : [git])];
  const writes = write ?? (run.write === "all" ? "all" : [...folders, ...run.write]);
  const reads = read === undefined
    ? run.read === "all" ? "all" : [...of_run, ...run.read]
    : [...read, ...(write ?? [])];
  const { read_only: _, ...rest } = run;
  return {
    warnings,
    granted: {
      ...(read === undefined ? {} : { read }),
      ...(deny_read.length === 0 ? {} : { deny_read }),
      ...(write === undefined ? {} : { write }),
      ...(asked.net === undefined ? {} : { net }),
    },
    policy: {
      ...rest,
      // The kernel takes nothing out of a workspace: it is one of the folders that are named, or it is not.
      workspace: tmp,
      start_in: workspace,
      tmp,
      spill: tmp,
      git: null,
      read: reads,
      deny_read: [...run.deny_read, ...deny_read],
      write: writes,
      net,
      env: { ...run.env, TMPDIR: tmp },
    },
  };
}
