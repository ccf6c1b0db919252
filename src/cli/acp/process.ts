/** The process of one session, as the one that the editor has started sees it. */
import {
  type AnyMessage,
  client,
  type ClientConnection,
  type InitializeRequest,
  ndJsonStream,
  RequestError,
} from "@agentclientprotocol/sdk";
import { later } from "../../config/timer.ts";
import type { Parsed } from "../args/args.ts";
import { once_more } from "../base/restart.ts";

const SESSION = "__acp";
/** Said to it once the client knows of the session. */
export const OPENED = "_hamr/opened";
/** Said by it before a prompt does anything. */
export const BEGUN = "_hamr/begun";
/** Marks a session that goes on by itself: nobody has asked for it again. */
export const RENEW = "hamr/renew";
/** Where the first message holds what `hamr acp` was given. */
export const FLAGS_FIELD = "hamr/flags";
/** Marks an error that a process of its own would not have. */
const RESTART = "hamr/restart";

export type Handed = Pick<Parsed, "flags" | "overrides">;

/** A model's request is given up and its commands are ended in a second or two; what takes longer is stuck. */
const END_MS = 10_000;

export function only_in_another(): RequestError {
  return RequestError.internalError({ [RESTART]: true }, "that needs a new process");
}

export function needs_restart(error: unknown): boolean {
  const { data } = (error ?? {}) as { readonly data?: unknown };
  return typeof data === "object" && data !== null && RESTART in data;
}

interface Outwards {
  /** What wants no answer goes on as it is, and in its order. */
  write(message: AnyMessage): void;
  request(method: string, params: unknown, signal: AbortSignal): Promise<unknown>;
}

export class SessionProcess {
  readonly over: Promise<void>;
  /** Prompts that have begun to do something. */
  begun = 0;
  readonly #child: Deno.ChildProcess;
  readonly #connection: ClientConnection;

  /** Starts it. `places`: where commands of sessions write. */
  constructor(out: Outwards, places: readonly string[]) {
    this.#child = once_more([SESSION], {
      places,
      stdin: "piped",
      stdout: "piped",
      stderr: "inherit",
    }).spawn();
    this.over = this.#child.status.then(() => {});
    const raw = ndJsonStream(this.#child.stdin, this.#child.stdout);
    const answers = raw.readable.pipeThrough(
      new TransformStream<AnyMessage, AnyMessage>({
        transform: (message, controller) => {
          if (!("method" in message) || "id" in message) controller.enqueue(message);
          else if (message.method === BEGUN) this.begun++;
          else out.write(message);
        },
      }),
    );
    this.#connection = client({ name: "hamr acp" })
      .onRequest("*", ({ method, params, signal }) => out.request(method, params, signal))
      .connect({ readable: answers, writable: raw.writable });
  }

  get lost(): boolean {
    return this.#connection.signal.aborted;
  }

  async greet(hello: InitializeRequest, handed: Handed): Promise<void> {
    const _meta = { ...hello._meta, [FLAGS_FIELD]: handed };
    await this.request("initialize", { params: { ...hello, _meta } });
  }

  request<Answer>(
    method: string,
    { params, signal }: { params: unknown; signal?: AbortSignal },
  ): Promise<Answer> {
    const options = signal === undefined ? {} : { cancellationSignal: signal };
    return this.#connection.agent.request<Answer>(method, params, options);
  }

  async notify(method: string, params: unknown): Promise<void> {
    await this.#connection.agent.notify(method, params);
  }

  async end(): Promise<void> {
    this.#connection.close();
    await this.#child.stdin.close().catch(() => {});
    const ended = later(END_MS, () => this.#child.kill("SIGKILL"));
    await this.over;
    ended();
  }
}
