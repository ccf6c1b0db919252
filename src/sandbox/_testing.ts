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
