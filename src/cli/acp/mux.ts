/** `hamr acp`: the Agent Client Protocol on stdin and stdout. Each session is a process with its own sandbox (`session.ts`); this relays. */
import { at_end } from "../../config/attempt.ts";
import { escaped_lines } from "../../config/json.ts";
import { within } from "../../config/within.ts";
import {
  agent,
  type AgentContext,
  methods,
  ndJsonStream,
  RequestError,
} from "@agentclientprotocol/sdk";
import type * as acp_types from "@agentclientprotocol/sdk";
import { load_settings, places_written } from "../../app/settings.ts";
import { workspace_dir } from "../../config/paths.ts";
import { exit_code } from "../../app/exit_codes.ts";
import { VERSION } from "../args/commands.ts";
import type { Parsed } from "../args/args.ts";
import type { Io } from "../base/io.ts";
import { bounded_lines, id_in, MOST_LINE_BYTES } from "./bounded_lines.ts";
import { Footing } from "../base/restart.ts";
import { needs_restart, OPENED, RENEW, SessionProcess } from "./process.ts";
import { listed_sessions, removed_session } from "./saved.ts";

/** A client that has said its last word does not wait for longer; a session is opened in one second. */
const ANSWERS_MS = 5000;

interface OpenSession {
  /** Where its commands write. */
  readonly places: readonly string[];
  /** Replaced where it goes on in another process. */
  process: Promise<SessionProcess>;
  /** What was chosen since, to be chosen again in another process. */
  readonly chosen: Map<string, { readonly method: string; readonly params: unknown }>;
  readonly asked: Pick<
    acp_types.LoadSessionRequest,
    "cwd" | "mcpServers" | "additionalDirectories"
  >;
}

interface OfSession {
  readonly params: { readonly sessionId: string };
  readonly signal: AbortSignal;
}

/** What the editor has started, for all of its sessions. */
export class AcpServer {
  readonly #sessions = new Map<string, OpenSession>();
  readonly #processes = new Set<SessionProcess>();
  /** By the ids of their requests. */
  readonly #prompts = new Map<
    acp_types.JsonRpcId,
    { readonly session: string; readonly over: AbortController }
  >();
  /** Requests that the client waits for; prompts end with it. */
  readonly #unanswered = new Set<acp_types.JsonRpcId>();
  #on_answered: () => void = () => {};
  #hello: acp_types.InitializeRequest = { protocolVersion: 1 };
  #client!: AgentContext;
  #write!: (message: acp_types.AnyMessage) => void;
  readonly #footing = new Footing();

  constructor(private readonly handed: Parsed, private readonly io: Io) {}

  /** Serves until the client has gone; returns the exit code. */
  async serve(): Promise<number> {
    const input = Deno.stdin.readable.pipeThrough(bounded_lines((beginning) =>
      this.#write({
        ...{ jsonrpc: "2.0", id: id_in(beginning) },
        error: RequestError.invalidRequest(undefined, TOO_LARGE).toErrorResponse(),
      })
    ));
    const raw = ndJsonStream(in_lines(Deno.stdout.writable), input);
    const writer = raw.writable.getWriter();
    const { promise: told, resolve: tell } = Promise.withResolvers<number>();
    // Nobody hears what a session does.
    this.#write = (message) => void writer.write(message).catch(() => tell(0));
    const writable = new WritableStream<acp_types.AnyMessage>({
      write: async (message) => {
        await writer.write(message);
        if ("method" in message || !("id" in message)) return;
        this.#unanswered.delete(message.id);
        if (this.#unanswered.size === 0) this.#on_answered();
      },
    });
    const connection = this.#answers().connect({
      readable: raw.readable.pipeThrough(this.#cancels()),
      writable,
    });
    this.#client = connection.client;
    for (const name of ["SIGTERM", "SIGHUP", "SIGINT"] as const) {
      Deno.addSignalListener(name, () => tell(exit_code("user_interrupt")));
    }
    const code = await Promise.race([connection.closed.then(() => 0), told]);
    await Promise.all([...this.#processes].map((one) => one.end()));
    return code;
  }

  #answers() {
    const { handed, io } = this;
    const { session } = methods.agent;
    return agent({ name: "hamr" })
      .onRequest("initialize", ({ params }) => this.#initialize(params))
      .onRequest("authenticate", () => {
        throw RequestError.invalidRequest(
          undefined,
          "hamr has no accounts: set the model's key in its environment",
        );
      })
      .onRequest(
        session.new,
        (params) => (params ?? {}) as Partial<WithSession>,
        ({ params }) => this.#open<acp_types.NewSessionResponse>(session.new, params),
      )
      .onRequest(session.load, with_session, ({ params }) => this.#reopen(session.load, params))
      .onRequest(session.resume, with_session, ({ params }) => this.#reopen(session.resume, params))
      .onRequest("session/fork", with_session, ({ params }) => this.#open("session/fork", params))
      .onRequest(session.list, ({ params }) => listed_sessions(handed, { io, params }))
      .onRequest(session.delete, async ({ params }) => {
        await this.#close(params.sessionId);
        return await removed_session(handed, { io, id: params.sessionId });
      })
      .onRequest(session.close, async ({ params }) => {
        if (!await this.#close(params.sessionId)) {
          throw RequestError.sessionNotFound(params.sessionId);
        }
        return {};
      })
      .onRequest(
        session.prompt,
        ({ params, requestId, signal }) => this.#prompt(params, { requestId, signal }),
      )
      // Heard where it was read.
      .onNotification(session.cancel, () => {})
      .onRequest(
        session.setConfigOption,
        ({ params, signal }) =>
          this.#choose(params.configId, session.setConfigOption, { params, signal }),
      )
      .onRequest(
        session.setMode,
        ({ params, signal }) => this.#choose("mode", session.setMode, { params, signal }),
      )
      // What clients send that were made before models became an option.
      .onRequest(
        "session/set_model",
        with_session,
        ({ params, signal }) => this.#choose("model", "session/set_model", { params, signal }),
      );
  }

  #initialize(params: acp_types.InitializeRequest): acp_types.InitializeResponse {
    this.#hello = params;
    return {
      protocolVersion: 1,
      agentInfo: { name: "hamr", title: "hamr", version: VERSION },
      authMethods: [],
      agentCapabilities: {
        loadSession: true,
        promptCapabilities: { image: true, audio: false, embeddedContext: true },
        mcpCapabilities: { http: true, sse: false },
        sessionCapabilities: {
          list: {},
          delete: {},
          resume: {},
          close: {},
          additionalDirectories: {},
          // Not in the stable part of the protocol yet.
          ...{ fork: {} },
        },
      },
    };
  }

  /** Opens a session in a process of its own; `sessionId` is a saved one that it goes on with, or begins with a copy of. */
  async #open<Answer extends { readonly sessionId?: string }>(
    method: string,
    { sessionId, cwd, mcpServers, additionalDirectories }: Partial<WithSession>,
  ): Promise<Answer> {
    const asked = {
      cwd: String(cwd),
      mcpServers: Array.isArray(mcpServers) ? mcpServers : [],
      additionalDirectories: Array.isArray(additionalDirectories) ? additionalDirectories : [],
    };
    const { process, places } = await this.#started(asked);
    try {
      const answer = await process.request<Answer>(method, {
        params: sessionId === undefined ? asked : { sessionId, ...asked },
      });
      const id = answer.sessionId ?? sessionId ?? "";
      this.#sessions.set(id, {
        ...{ process: Promise.resolve(process), places, asked },
        chosen: new Map(),
      });
      // What a client gets without asking comes once it knows of the session.
      setTimeout(() => void process.notify(OPENED, {}).catch(() => {}), 0);
      return answer;
    } catch (error) {
      await process.end();
      throw error;
    }
  }

  async #reopen(method: string, params: WithSession): Promise<acp_types.LoadSessionResponse> {
    // Only one process can have it.
    await this.#close(params.sessionId);
    return await this.#open<Partial<acp_types.NewSessionResponse>>(method, params);
  }

  /** As `#pass`, and remembered for the session's next process. */
  async #choose<Answer>(key: string, method: string, asked: OfSession): Promise<Answer> {
    const { params } = asked;
    const chosen = this.#sessions.get(params.sessionId)?.chosen;
    const before = chosen?.get(key);
    chosen?.delete(key);
    let now = before;
    using _ = at_end(() => {
      if (now !== undefined) chosen?.set(key, now);
    });
    const answer = await this.#pass<Answer>(method, asked);
    now = { method, params };
    return answer;
  }

  /** A `session/cancel` is for the prompts that were read before it: handlers of different methods don't begin in order. */
  #cancels(): TransformStream<acp_types.AnyMessage, acp_types.AnyMessage> {
    const { session } = methods.agent;
    return new TransformStream({
      transform: (message, controller) => {
        if ("method" in message) {
          const { sessionId = "" } = (message.params ?? {}) as { readonly sessionId?: string };
          if (message.method === session.cancel) {
            for (const one of this.#prompts.values()) {
              if (one.session === sessionId) one.over.abort();
            }
          } else if (message.method === session.prompt && "id" in message) {
            this.#prompts.set(message.id, { session: sessionId, over: new AbortController() });
          } else if ("id" in message) this.#unanswered.add(message.id);
        }
        controller.enqueue(message);
      },
      // With the end of what is read, all ends: after the answers to what was read before.
      flush: async () => {
        if (this.#unanswered.size === 0) return;
        const { promise, resolve } = Promise.withResolvers<void>();
        this.#on_answered = resolve;
        await within(ANSWERS_MS, promise);
      },
    });
  }

  async #prompt(params: acp_types.PromptRequest, { requestId = null, signal }: {
    requestId: acp_types.JsonRpcId | undefined;
    signal: AbortSignal;
  }): Promise<acp_types.PromptResponse> {
    const over = this.#prompts.get(requestId)?.over.signal ?? signal;
    using _ = at_end(() => this.#prompts.delete(requestId));
    return await this.#pass<acp_types.PromptResponse>(methods.agent.session.prompt, {
      params,
      signal: AbortSignal.any([over, signal]),
    });
  }

  /** Passes a request on to the session's process; to a new one where the old one has ended, or can't do it. */
  async #pass<Answer>(method: string, { params, signal }: OfSession): Promise<Answer> {
    const open = this.#sessions.get(params.sessionId);
    if (open === undefined) throw RequestError.sessionNotFound(params.sessionId);
    const before = open.process;
    const process = await before;
    const { begun } = process;
    try {
      if (!process.lost) return await process.request<Answer>(method, { params, signal });
    } catch (error) {
      if (process.lost && process.begun > begun) {
        throw new RequestError(
          INTERNAL,
          "the session's process was lost; prompt again to continue",
        );
      }
      if (!process.lost && !needs_restart(error)) throw error;
    }
    if (open.process === before) open.process = this.#again(params.sessionId, open);
    return await (await open.process).request<Answer>(method, { params, signal });
  }

  /** Goes on with a session in another process: the kernel gives back nothing that a plan gave up. */
  async #again(sessionId: string, open: OpenSession): Promise<SessionProcess> {
    await (await open.process).end();
    const { process } = await this.#started(open.asked);
    try {
      await process.request("session/resume", {
        params: { sessionId, ...open.asked, _meta: { [RENEW]: true } },
      });
      for (const { method, params } of open.chosen.values()) {
        await process.request(method, { params });
      }
      return process;
    } catch (error) {
      this.#sessions.delete(sessionId);
      await process.end();
      throw error;
    }
  }

  async #started({ cwd, additionalDirectories = [] }: OpenSession["asked"]) {
    if (![cwd, ...additionalDirectories].every((path) => /^\//.test(path))) {
      throw RequestError.invalidParams({ cwd }, "cwd and additionalDirectories must be absolute");
    }
    const { flags, overrides } = this.handed;
    const add_dir = [...flags.add_dir, ...additionalDirectories];
    const asked = { flags: { ...flags, directory: cwd, add_dir }, overrides };
    let places: readonly string[];
    try {
      workspace_dir(cwd);
      this.#footing.regain();
      places = places_written(await load_settings(asked, this.io));
    } catch (error) {
      throw RequestError.invalidParams(
        { cwd },
        error instanceof Error ? error.message : "no such folder",
      );
    }
    const open = [...this.#sessions.values()].flatMap((one) => one.places);
    const process = new SessionProcess({
      write: this.#write,
      request: (method, params, signal) =>
        this.#client.request(method, params, { cancellationSignal: signal }),
    }, [...places, ...open]);
    this.#processes.add(process);
    void process.over.then(() => this.#processes.delete(process));
    await process.greet(this.#hello, { flags, overrides });
    return { process, places };
  }

  async #close(id: string): Promise<boolean> {
    const open = this.#sessions.get(id);
    if (open === undefined) return false;
    this.#sessions.delete(id);
    await (await open.process.catch(() => null))?.end();
    return true;
  }
}

/** Parameters of a request that the SDK does not check: clients leave out what is empty, and one MCP server it can't read would cost the session. */
type WithSession = { readonly sessionId: string } & Partial<OpenSession["asked"]>;

const INTERNAL = -32603;
const TOO_LARGE = `a message has at most ${MOST_LINE_BYTES >> 20} MiB`;

/** Where messages go: each is one line for every reader. */
function in_lines(output: WritableStream<Uint8Array>): WritableStream<Uint8Array> {
  const writer = output.getWriter();
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  const encoder = new TextEncoder();
  return new WritableStream({
    write: (bytes) =>
      writer.write(encoder.encode(escaped_lines(decoder.decode(bytes, { stream: true })))),
    close: () => writer.close(),
    abort: (why) => writer.abort(why),
  });
}

function with_session(params: unknown): WithSession {
  const { sessionId } = (params ?? {}) as { readonly sessionId?: unknown };
  if (typeof sessionId !== "string") throw RequestError.invalidParams(undefined, "no sessionId");
  return params as WithSession;
}
