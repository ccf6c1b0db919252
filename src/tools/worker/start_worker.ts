import { type Policy, thread_permissions } from "../../sandbox/policy.ts";
import type { FromWorker, ToolsPurpose, ToWorker } from "../protocol.ts";

/** The thread of a tools worker. It waits for the policy. */
export interface WorkerThread {
  readonly worker: Worker;
  /** Settles, with why, once it has stopped by itself. */
  readonly stopped: Promise<string>;
  /** Tells `take` all that the worker says, and what it has said so far. Called once. */
  hear(take: (message: FromWorker) => void): void;
}

/** Starts the thread, first of all since it takes longest; `client.ts` is loaded meanwhile. Only the policy's folders are used. */
export function start_worker(policy: Policy): WorkerThread {
  const worker = new Worker(new URL("./worker.ts", import.meta.url), {
    type: "module",
    name: "tools",
    deno: { permissions: thread_permissions(policy) },
  });
  const stopped = new Promise<string>((resolve) => {
    worker.onerror = (event) => {
      event.preventDefault();
      resolve(event.message);
    };
  });
  const so_far: FromWorker[] = [];
  worker.onmessage = ({ data }: MessageEvent<FromWorker>) => so_far.push(data);
  return {
    worker,
    stopped,
    hear(take) {
      worker.onmessage = ({ data }: MessageEvent<FromWorker>) => take(data);
      so_far.forEach(take);
    },
  };
}

/** The first message to a worker. It puts the policy in force while all else is made ready. */
export function send_policy({ worker }: WorkerThread, policy: Policy, purpose: ToolsPurpose): void {
  const message: ToWorker = { kind: "policy", policy, pid: Deno.pid, ...purpose };
  worker.postMessage(message);
}
