/** Runs an MCP server's program that may do less than the run, on its own thread, since the kernel restricts threads. Nothing else. */
import { message_of } from "../../config/text.ts";
import { apply } from "../../sandbox/enforce/apply.ts";
import { linux_libc } from "../../sandbox/kernel/libc.ts";
import { end_descendants } from "../../sandbox/processes/processes.ts";
import { sweep } from "../../sandbox/processes/sweep.ts";
import type { FromApart, ToApart } from "./apart.ts";
import { NO_RESULTS } from "../limits.ts";
import { Pipes } from "./pipes.ts";
import { Shell } from "../work/shell/shell.ts";

/** The part of a worker's global scope that is used; Deno's types know only the window's. */
const port = self as unknown as {
  onmessage: (event: MessageEvent<ToApart>) => void;
  postMessage(message: FromApart): void;
};

/** Has its programs stand still, or go on; nothing before the policy is in force. */
let stand_still: (on: boolean) => void = () => {};
/** What ends its programs; null before the policy is in force. */
let close: (() => Promise<void>) | null = null;
let pipes: Pipes | null = null;

port.onmessage = async ({ data }) => {
  switch (data.kind) {
    case "policy":
      return begin(data);
    case "order":
      return pipes?.take(data.order);
    case "still":
      stand_still(data.on);
      return port.postMessage({ kind: "still" });
    case "close":
      await close?.();
      return port.postMessage({ kind: "closed" });
  }
};

function begin({ policy: asked, pid, support, mark }: Extract<ToApart, { kind: "policy" }>): void {
  try {
    const applied = apply(asked, { pid, ...(support === null ? {} : { support }) });
    const { policy, listener, sweep_key } = applied;
    const shell = new Shell(policy, { lines: 0, bytes: 0 }, mark);
    // Nothing is given up before; a call is never run here.
    const { signal } = new AbortController();
    const opened = new Pipes(
      { shell, policy, limits: NO_RESULTS, signal },
      (news) => port.postMessage({ kind: "news", news }),
    );
    pipes = opened;
    const libc = linux_libc();
    if (libc !== null && sweep_key !== null) {
      stand_still = (on) => sweep(libc, sweep_key, on ? "stop" : "go on");
    }
    close = async () => {
      await opened.close();
      end_descendants({ sweep_key, sessions: shell.sessions });
    };
    port.postMessage({ kind: "ready", listener, policy });
  } catch (error) {
    port.postMessage({ kind: "refused", why: message_of(error) });
  }
  Deno.permissions.revokeSync({ name: "ffi" });
}
