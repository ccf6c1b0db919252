/// <reference lib="deno.worker" />
// The restricted thread of `sandbox.ts`: sets the sandbox up, then runs `true` as often as it is asked to.
import { apply } from "../../src/sandbox/enforce/apply.ts";
import { open_libc } from "../../src/sandbox/kernel/libc.ts";
import { mark_run } from "../../src/sandbox/processes/run_mark.ts";
import type { Policy } from "../../src/sandbox/policy.ts";
import { Shell } from "../../src/tools/work/shell/shell.ts";

self.onmessage = async (event: MessageEvent<{ policy: Policy; runs: number }>) => {
  const { policy, runs } = event.data;
  // The main thread of hamr has opened it long before.
  open_libc();
  const began = performance.now();
  const applied = apply(policy, { pid: Deno.pid });
  const apply_ms = performance.now() - began;
  self.postMessage({ applied });
  const unlimited = { lines: 100, bytes: 10_000 };
  const shell = new Shell(policy, unlimited, mark_run(open_libc()));
  const signal = new AbortController().signal;
  const times: number[] = [];
  for (let n = 0; n < runs; n++) {
    const start = performance.now();
    await shell.run("true", { timeout_s: 60, signal });
    times.push(performance.now() - start);
  }
  self.postMessage({ apply_ms, times });
};
