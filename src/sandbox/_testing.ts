import assert from "node:assert/strict";
import type { Policy } from "./policy.ts";

/** A policy for tests: nothing is there, nothing beyond the workspace is allowed, and `change` says what the test is about. */
export function test_policy(change: Partial<Policy> = {}): Policy {
  return {
    workspace: "/w",
    tmp: "/t",
    spill: "/s",
    cache: "/c",
    git: null,
    read: "all",
    deny_read: [],
    write: [],
    run: "all",
    net: "none",
    env: {},
    sandbox: "auto",
    ...change,
  };
}

/** A policy whose own folders are made, below `root`. */
export function staged_policy(
  root: string,
  { home, change = {} }: { home: string; change?: Partial<Policy> },
): Policy {
  const folder = (name: string) => {
    Deno.mkdirSync(`${root}/${name}`, { recursive: true });
    return `${root}/${name}`;
  };
  return test_policy({
    workspace: folder("work"),
    tmp: folder("tmp"),
    spill: folder("spill"),
    cache: folder("cache"),
    env: {
      PATH: Deno.env.get("PATH") ?? "/usr/bin:/bin",
      HOME: home,
      TMPDIR: `${root}/tmp`,
    },
    ...change,
  });
}

/** Ends the process whose id a program has written down. For `Deno.kill`, 0 and NaN are the whole group of whoever runs the tests. */
export function end_written(id: string | undefined): void {
  assert.match(id ?? "", /^[1-9]\d*\s*$/);
  Deno.kill(Number(id), "SIGKILL");
}
