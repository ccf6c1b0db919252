/** An MCP server's program that may do less than the run, seen from the main thread. Loaded if there is one. */
import { message_of } from "../../config/text.ts";
import { within } from "../../config/within.ts";
import { linux_libc } from "../../sandbox/kernel/libc.ts";
import type { FilterListener } from "../../sandbox/kernel/seccomp.ts";
import type { Support } from "../../sandbox/kernel/probe.ts";
import { type Policy, thread_permissions } from "../../sandbox/policy.ts";
import { mark_run, type RunMark } from "../../sandbox/processes/run_mark.ts";
import { supervise, type Supervisor } from "../../sandbox/supervisor/supervisor.ts";
import type { McpNews, McpOrder } from "../mcp_server.ts";

/** The messages to its thread. The policy comes first. */
export type ToApart =
  | {
    readonly kind: "policy";
    readonly policy: Policy;
    /** Process id of hamr, which no child may signal. */
    readonly pid: number;
    /** What the kernel can enforce; null: it is asked. */
    readonly support: Support | null;
    /** What all that the run starts carries; null if nothing does. */
    readonly mark: RunMark | null;
  }
  | { readonly kind: "order"; readonly order: McpOrder }
  | { readonly kind: "still"; readonly on: boolean }
  | { readonly kind: "close" };

export type FromApart =
  | { readonly kind: "ready"; readonly listener: FilterListener | null; readonly policy: Policy }
  | { readonly kind: "refused"; readonly why: string }
  | { readonly kind: "news"; readonly news: McpNews }
  | { readonly kind: "still" | "closed" };

/** How long it has to end its programs; they get half a second for each of two ways. */
const CLOSE_MS = 3000;

/** One server's. Its policy is in force before anything is started. */
export class Apart {
  /** It is in force, or known not to be; until then this thread keeps its rights. */
  readonly ready: Promise<void>;
  readonly #worker: Worker;
  readonly #closed = Promise.withResolvers<void>();
  /** Why its program can't be started; null if it can. */
  #refused: string | null = null;
  #on_ready: () => void = () => {};
  #on_still: () => void = () => {};
  #supervisor: Supervisor | null = null;

  constructor(
    policy: Policy,
    private readonly options: {
      readonly support: Support | null;
      readonly marked: boolean;
      readonly hear: (news: McpNews) => void;
    },
  ) {
    this.ready = new Promise((resolve) => this.#on_ready = resolve);
    this.#worker = new Worker(new URL("./apart_worker.ts", import.meta.url), {
      type: "module",
      name: "mcp",
      deno: { permissions: thread_permissions(policy) },
    });
    this.#worker.onmessage = ({ data }: MessageEvent<FromApart>) => this.#take(data);
    this.#worker.onerror = (event) => {
      event.preventDefault();
      this.#refuse(`its thread stopped: ${event.message}`);
      this.#closed.resolve();
    };
    const libc = options.marked ? linux_libc() : null;
    const mark = libc === null ? null : mark_run(libc);
    this.#send({ kind: "policy", policy, pid: Deno.pid, support: options.support, mark });
  }

  order(order: McpOrder): void {
    if (this.#refused === null) return this.#send({ kind: "order", order });
    if (order.kind === "start") this.#deny(order.pipe, this.#refused);
  }

  /** Has its programs stand still, or go on. */
  async stand_still(on: boolean): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#on_still = resolve;
    this.#send({ kind: "still", on });
    await Promise.race([promise, this.#closed.promise]);
  }

  /** Ends its program; gives whether that is done. */
  async close(): Promise<boolean> {
    this.#send({ kind: "close" });
    const done = await within(CLOSE_MS, this.#closed.promise.then(() => true)) ?? false;
    this.#worker.terminate();
    this.#supervisor?.clear();
    return done;
  }

  #take(message: FromApart): void {
    switch (message.kind) {
      case "ready":
        this.#supervise(message);
        return this.#on_ready();
      case "refused":
        return this.#refuse(`its permissions can't be enforced: ${message.why}`);
      case "news":
        return this.options.hear(message.news);
      case "still":
        return this.#on_still();
      case "closed":
        return this.#closed.resolve();
    }
  }

  #supervise({ listener, policy }: Extract<FromApart, { kind: "ready" }>): void {
    try {
      if (listener !== null) this.#supervisor = supervise({ listener, policy });
    } catch (error) {
      this.#refuse(`its permissions can't be enforced: ${message_of(error)}`);
    }
  }

  #refuse(why: string): void {
    this.#refused ??= why;
    this.#on_ready();
  }

  #deny(pipe: number, why: string): void {
    this.options.hear({ kind: "ended", pipe, why });
  }

  #send(message: ToApart): void {
    this.#worker.postMessage(message);
  }
}
