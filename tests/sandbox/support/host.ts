/**
 * Stands in for hamr: a main thread with a secret, and a tools worker that applies a policy and then does what the job
 * says. Usage: host JOB.json; the outcome goes to stdout as JSON.
 */
import { probe } from "../../../src/sandbox/probe.ts";
import type { Job, Outcome } from "./job.ts";

const job = JSON.parse(Deno.readTextFileSync(Deno.args[0] ?? "")) as Job;
const start = performance.now();
const support = probe();
const probe_ms = performance.now() - start;
const told = support.kind === "linux" && job.abi !== undefined
  ? { ...support, abi: job.abi }
  : support;
const worker = new Worker(new URL("./host_worker.ts", import.meta.url), {
  type: "module",
  // As narrow as hamr's own: not all permissions, so Deno's file calls can't read /proc.
  deno: { permissions: { read: true, write: true, run: true, ffi: true } },
});
const outcome = await new Promise<Omit<Outcome, "support" | "probe_ms">>((resolve, reject) => {
  worker.onmessage = (event) => resolve(event.data);
  worker.onerror = (event) => reject(new Error(event.message));
  worker.postMessage({ job, support: told });
});
await Deno.stdout.write(
  new TextEncoder().encode(JSON.stringify({ support, probe_ms, ...outcome })),
);
Deno.exit(0);
