/**
 * Stands in for hamr: a main thread with a secret, and a tools worker that applies a policy and then does what the job
 * says. Usage: host JOB.json; the outcome goes to stdout as JSON.
 */
import { buffer_of, c_string, type Libc, open_libc } from "../../../src/sandbox/kernel/libc.ts";
import { probe } from "../../../src/sandbox/kernel/probe.ts";
import { supervise, type Supervisor } from "../../../src/sandbox/supervisor/supervisor.ts";
import type { Job, Outcome } from "./job.ts";

/** How often the main thread shows that it is free. */
const BEAT_MS = 5;
/** What the worker answers by itself. */
type FromWorker = Omit<Outcome, "support" | "probe_ms" | "longest_pause_ms" | "refusals">;

const job = JSON.parse(Deno.readTextFileSync(Deno.args[0] ?? "")) as Job;
if (job.locked !== undefined) lock(job.locked);
const start = performance.now();
const support = probe();
const probe_ms = performance.now() - start;
const told = support.kind === "linux"
  ? {
    ...support,
    abi: job.abi ?? support.abi,
    ...(job.no_supervisor ? { no_supervisor: "test" } : {}),
    ...(job.makes_sockets ? { takes_sockets: false } : {}),
  }
  : support;
const worker = new Worker(new URL("./host_worker.ts", import.meta.url), {
  type: "module",
  // As narrow as hamr's own: not all permissions, so Deno's file calls can't read /proc.
  deno: { permissions: { read: true, write: true, run: true, ffi: true } },
});
let supervisor: Supervisor | null = null;
let longest_pause_ms = 0;
let [last_beat, last_queued] = [performance.now(), queued_ms()];
setInterval(() => {
  const [beat, queued] = [performance.now(), queued_ms()];
  longest_pause_ms = Math.max(longest_pause_ms, beat - last_beat - (queued - last_queued));
  [last_beat, last_queued] = [beat, queued];
}, BEAT_MS);
const outcome = await new Promise<FromWorker>(
  (resolve, reject) => {
    worker.onmessage = ({ data }) => {
      if (data.kind !== "applied") return resolve(data);
      const real = open_libc();
      const libc: Libc = job.untold ? { ...real, call: without_netlink(real) } : real;
      const { listener, policy } = data;
      supervisor = supervise({ listener, policy }, libc);
    };
    worker.onerror = (event) => reject(new Error(event.message));
    worker.postMessage({ job, support: told });
  },
);
const refusals = (supervisor as Supervisor | null)?.take_refusals() ?? [];
const answer: Outcome = { support, probe_ms, longest_pause_ms, refusals, ...outcome };
await Deno.stdout.write(
  new TextEncoder().encode(JSON.stringify(answer)),
);
Deno.exit(0);

function without_netlink({ call }: Libc): Libc["call"] {
  const AF_NETLINK = 16;
  return (name, args) => name === "socket" && args[0] === AF_NETLINK ? -1 : call(name, args);
}

/** For how long this thread could have run so far while others had the processors; 0 if the kernel does not count it. */
function queued_ms(): number {
  try {
    // `RAN QUEUED TIMES`, the first two in ns (linux/Documentation/scheduler/sched-stats.rst).
    const [, queued] = Deno.readTextFileSync("/proc/thread-self/schedstat").split(" ");
    return Number(queued) / 1e6;
  } catch {
    return 0;
  }
}

function lock(path: string): void {
  const libc = open_libc();
  const [AT_FDCWD, O_RDWR, F_SETLK, F_WRLCK] = [-100, 2, 6, 1];
  const file = libc.call("openat", [AT_FDCWD, c_string(path), O_RDWR]);
  const whole = buffer_of(32); // struct flock: i16 type, i16 whence, i64 start and length
  new DataView(whole.buffer).setInt16(0, F_WRLCK, true);
  if (libc.call("fcntl", [file, F_SETLK, whole]) !== 0) throw new Error("no lock");
}
