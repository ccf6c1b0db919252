/** Work on a thread of its own, for what may take forever, or break what it runs in. */
import { at_end } from "./attempt.ts";
import { within } from "./within.ts";

/**
 * What the module of a worker answers to one message; `lost` where its thread ends by an error, null where it takes longer than
 * `ms` milliseconds, or `signal` fires. It may read files, and nothing else.
 */
export async function on_thread<Answer>(
  module: URL,
  message: unknown,
  { ms, lost, signal }: { ms: number; lost: Answer; signal?: AbortSignal },
): Promise<Answer | null> {
  const worker = new Worker(module, {
    type: "module",
    deno: {
      permissions: { read: true, write: false, net: false, run: false, env: false, ffi: false },
    },
  });
  const { promise, resolve } = Promise.withResolvers<Answer | null>();
  worker.onmessage = ({ data }: MessageEvent<Answer>) => resolve(data);
  worker.onerror = (event) => {
    event.preventDefault();
    resolve(lost);
  };
  signal?.addEventListener("abort", () => resolve(null), { once: true });
  worker.postMessage(message);
  using _ = at_end(() => worker.terminate());
  return await within(ms, promise);
}
