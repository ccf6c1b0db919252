/** What the location of caches depends on. */
import { is_inside, real_or } from "../config/paths.ts";
import type { Policy } from "../sandbox/policy.ts";
import { is_readable } from "../sandbox/scope/read_scope.ts";
import { exists } from "./paths.ts";

/** Reads a variable of `hamr`'s own environment. */
export type ReadVariable = (name: string) => string | undefined;

/** Where the user's caches lie, and what commands may do there. */
export interface CachePlace {
  readonly policy: Policy;
  readonly environ: ReadVariable;
  /** Null if no home folder is known. */
  readonly home: string | null;
  /** The user's cache folder, by the XDG specification or the system's habit. */
  readonly cache: string | null;
  /** Whether the network is closed, so that a cache is only read. */
  readonly closed: boolean;
  /** Whether the user passes a variable themselves. */
  readonly is_passed: (name: string) => boolean;
  /** Whether something is there and may be read under the policy. */
  readonly is_lendable: (path: string) => boolean;
  /** Whether commands may write there. */
  readonly is_writable: (path: string) => boolean;
}

/** The place for a policy that does not allow everything to be written. */
export function cache_place(policy: Policy, environ: ReadVariable): CachePlace {
  const home = policy.env["HOME"] || null;
  const habit = Deno.build.os === "darwin" ? "Library/Caches" : ".cache";
  // npm takes its variables in capitals, too.
  const passed = new Set(Object.keys(policy.env).map((name) => name.toUpperCase()));
  const written = policy.write === "all" ? ["/"] : policy.write;
  return {
    policy,
    environ,
    home,
    cache: environ("XDG_CACHE_HOME") || (home === null ? null : `${home}/${habit}`),
    closed: policy.net !== "all",
    is_passed: (name) => passed.has(name.toUpperCase()),
    is_lendable: (path) => exists(path) && may_read(real_or(path), policy),
    is_writable: (path) =>
      written.length > 0 && written.some((root) => is_inside(real_or(path), root)),
  };
}

/** By names alone where nearly all may be read: looking where each denied path leads takes longer than all else here. */
function may_read(path: string, policy: Policy): boolean {
  return policy.read === "all"
    ? !policy.deny_read.some((other) => is_inside(path, other))
    : is_readable(policy, path);
}
