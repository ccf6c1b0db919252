/** One MCP server, through the official client. Loaded if a server is configured, while the first request is in flight. */
import { at_end } from "../../config/attempt.ts";
import { after_waiting } from "../../config/timer.ts";
import { within } from "../../config/within.ts";
import {
  Client,
  SdkError,
  SdkErrorCode,
  StreamableHTTPClientTransport,
  type Transport,
} from "@modelcontextprotocol/client";
import { fields } from "../../config/json.ts";
import { call_limit, NO_LIMIT_MS } from "./call_limit.ts";
import { failed_call, mcp_answer_of } from "./content.ts";
import { described, harmless_text } from "./described.ts";
import { fill_in_form } from "./form.ts";
import {
  ANYTHING,
  fault_words,
  is_lost_session,
  NEWER,
  NO_CHECK,
  pages,
  root_of,
  wants_newer,
  watch_answers,
  web_transport,
  why_not_open,
  without_keys,
} from "./parts.ts";
import { type McpPrompt, prompt_arguments, prompt_text, prompts_of } from "./prompts.ts";
import { READ_RESOURCE, resource_answer, resource_reader } from "./resources.ts";
import { PipeTransport } from "./pipe_transport.ts";
import type { McpAnswer, McpOrder, McpServer, McpTool } from "../mcp_server.ts";

/** Asks the person something beside a call; null: no answer. */
export type AskAside = (
  asked: { readonly id: string; readonly question: string; readonly choices: readonly string[] },
) => Promise<string | null>;

export interface Surroundings {
  /** Where the run works: the workspace, and what was added to it. */
  readonly folders: readonly string[];
  readonly order: (order: McpOrder) => void;
  readonly next_pipe: () => number;
  readonly warn: (words: string) => void;
  readonly changed: () => void;
  /** Asks the person, for the call with that id; null where nobody could answer. */
  readonly ask: AskAside | null;
}

/** How long a server has to say what it has: one that is downloaded by its own command takes its time. */
const START_MS = 30_000;
/** Changes of its list that are looked at; a server that has more of them never stops. */
const MOST_LISTS = 100;
/** Calls in a row without an answer, after which it is taken for stuck. */
const STUCK_AFTER = 2;
/** How long a server over HTTP has to hear that a session is over. */
const GOODBYE_MS = 500;

/** A server, started at once, and once more where it ends by itself. */
export class Connection {
  tools: readonly McpTool[] = [];
  prompts: readonly McpPrompt[] = [];
  /** Settles once it answers, or is known not to. */
  ready: Promise<void>;
  /** Why it can't be called; null where it can. */
  down: string | null = null;
  #client: Client | null = null;
  #transport: PipeTransport | StreamableHTTPClientTransport | null = null;
  #restarted = false;
  #over = false;
  #unanswered = 0;
  /** Calls that were given up: their answers may still come. */
  #given_up = 0;
  #lied = false;
  /** It has refused the revision of the protocol that most speak. */
  #is_newer = false;
  #relisted = 0;
  /** The call under way; the person is asked for it. */
  #call = "";
  /** Forms that the person is filling in: a call takes as long as they do. */
  #forms = 0;

  constructor(readonly server: McpServer, private readonly around: Surroundings) {
    this.ready = this.#open();
  }

  /** Whether it has neither answered nor failed yet. */
  get is_starting(): boolean {
    return this.#client === null && this.down === null;
  }

  get pipe(): PipeTransport | null {
    return this.#transport instanceof PipeTransport ? this.#transport : null;
  }

  /** Makes a call. Never rejects: what goes wrong is its result. */
  async call({ tool, args }: { tool: string; args: unknown }, { id, signal, progress }: {
    id: string;
    signal: AbortSignal;
    progress: (words: string) => void;
  }): Promise<McpAnswer> {
    let client = await this.#opened();
    this.#call = id;
    if (client === null) return failed_call(`it is not running: ${this.down}`);
    const limit = call_limit(this.server.timeout_s, { signal, is_held: () => this.#forms > 0 });
    const request = tool === READ_RESOURCE
      ? { method: READ_RESOURCE, params: { ...fields(args) } }
      : { method: "tools/call", params: { name: tool, arguments: { ...fields(args) } } };
    try {
      const result = await this.#in_session(client, (now) => {
        client = now;
        return now.request(request, ANYTHING, {
          signal: limit.signal,
          timeout: NO_LIMIT_MS,
          onprogress: ({ progress: done, total, message }) => {
            limit.renew();
            const share = total === undefined ? `${done}` : `${done} of ${total}`;
            const words = message === undefined ? "" : `, ${harmless_text(message).slice(0, 100)}`;
            progress(share + words);
          },
        });
      });
      this.#unanswered = 0;
      return this.#hushed(tool === READ_RESOURCE ? resource_answer(result) : mcp_answer_of(result));
    } catch (error) {
      const why = await this.#fault(error, { client, signal, late: limit.passed() });
      return this.#hushed(failed_call(why));
    } finally {
      limit.end();
    }
  }

  /** Who is asked; null where it is down. One over HTTP may be up again. */
  async #opened(): Promise<Client | null> {
    if (this.down !== null && this.server.by.kind === "http") this.#open_again();
    await this.ready;
    return this.#client;
  }

  /** Asks, and once more in a new session where the server does not know the old one: then it did nothing. */
  async #in_session<T>(client: Client, ask: (client: Client) => Promise<T>): Promise<T> {
    try {
      return await ask(client);
    } catch (error) {
      if (!is_lost_session(error)) throw error;
      await this.#lost(client, fault_words(error));
      const other = await this.#opened();
      if (other === null) throw error;
      return await ask(other);
    }
  }

  /** Ends it. A process ends with the run; a session over HTTP is closed. */
  async close(): Promise<void> {
    this.#over = true;
    const transport = this.#transport;
    if (transport instanceof StreamableHTTPClientTransport) {
      await within(GOODBYE_MS, transport.terminateSession().catch(() => {}));
    }
    await within(GOODBYE_MS, this.#client?.close().catch(() => {}));
  }

  async #open(): Promise<void> {
    this.down = null;
    const client = this.#answering();
    let transport: PipeTransport | StreamableHTTPClientTransport | null = null;
    let late = false;
    try {
      transport = this.#transport = this.#transport_of();
      const stop = after_waiting(START_MS, () => {
        late = true;
        void transport?.close();
      });
      try {
        // One limit decides, and gives the reason: ours.
        await client.connect(transport as Transport, { timeout: NO_LIMIT_MS });
        if (transport instanceof StreamableHTTPClientTransport) watch_answers(transport);
        this.tools = await this.#list(client);
        this.prompts = await this.#prompts(client);
      } finally {
        stop();
      }
      this.#client = client;
      client.onclose = () => void this.#lost(client, this.pipe?.why ?? "the connection was closed");
    } catch (error) {
      if (!this.#is_newer && wants_newer(error)) {
        this.#is_newer = true;
        await within(GOODBYE_MS, client.close().catch(() => {}));
        return await this.#open();
      }
      const ended = transport instanceof PipeTransport ? transport.why : null;
      // How its program ended says more than that the connection did; that the client closed it, less.
      const why = late
        ? `it was not ready within ${START_MS / 1000} s`
        : ended === null || ended === "closed"
        ? why_not_open(error)
        : ended;
      this.#give_up(why);
      this.around.warn(`${this.#name} did not start: ${this.down}`);
      await within(GOODBYE_MS, client.close().catch(() => {}));
    }
  }

  /** A client that answers what the server asks, and hears what becomes of its tools and prompts. */
  #answering(): Client {
    const client = new Client({ name: "hamr", version: "1" }, {
      capabilities: { roots: {}, ...(this.around.ask === null ? {} : { elicitation: {} }) },
      jsonSchemaValidator: NO_CHECK,
      ...(this.#is_newer ? NEWER : {}),
    });
    client.setRequestHandler("roots/list", () => ({ roots: this.around.folders.map(root_of) }));
    const { ask } = this.around;
    if (ask !== null) {
      client.setRequestHandler("elicitation/create", async ({ params }) => {
        const id = this.#call;
        this.#forms++;
        using _ = at_end(() => this.#forms--);
        const put = (question: string, choices: readonly string[]) =>
          ask({ id, question, choices });
        return await fill_in_form(this.server.name, params, put);
      });
    }
    client.setNotificationHandler("notifications/tools/list_changed", () => {
      // Who asks for its tools from here on waits for the new ones.
      if (++this.#relisted <= MOST_LISTS) this.ready = this.ready.then(() => this.#relist(client));
    });
    client.setNotificationHandler("notifications/prompts/list_changed", async () => {
      if (++this.#relisted <= MOST_LISTS) this.prompts = await this.#prompts(client);
    });
    client.onerror = (error) => this.#hear(error);
    return client;
  }

  #transport_of(): PipeTransport | StreamableHTTPClientTransport {
    const { by } = this.server;
    const { order, next_pipe, warn } = this.around;
    if (by.kind === "stdio") {
      const program = { argv: [by.command, ...by.args], cwd: by.cwd, env: by.env };
      const told = (words: string) => warn(`${this.#name}: ${harmless_text(words)}`);
      return new PipeTransport(next_pipe(), program, order, told);
    }
    return web_transport(by);
  }

  /** An answer in which a server over HTTP repeats no key that it was sent. */
  #hushed(answer: McpAnswer): McpAnswer {
    return { ...answer, text: this.#hush(answer.text), summary: this.#hush(answer.summary) };
  }

  #hush(text: string): string {
    return without_keys(text, this.server);
  }

  get #name(): string {
    return `MCP server ${this.server.name}`;
  }

  async #list(client: Client): Promise<readonly McpTool[]> {
    const capabilities = client.getServerCapabilities() ?? {};
    const listed = capabilities.tools === undefined
      ? []
      : await pages(client, { method: "tools/list", of: "tools", timeout: START_MS });
    const { tools, warnings } = described(this.server, listed);
    for (const words of warnings) this.around.warn(`${this.#name}: ${harmless_text(words)}`);
    const { name: server, tools: wanted } = this.server;
    if (capabilities.resources === undefined || wanted.length > 0) return tools;
    const reader = await resource_reader(client, { server, timeout: START_MS });
    const is_free = reader !== null && tools.every(({ name }) => name !== reader.name);
    return is_free ? [...tools, reader] : tools;
  }

  /** A server that fails to list its prompts has its tools all the same. */
  async #prompts(client: Client): Promise<readonly McpPrompt[]> {
    if (client.getServerCapabilities()?.prompts === undefined) return [];
    const asked = { method: "prompts/list", of: "prompts", timeout: START_MS };
    return prompts_of(this.server.name, await pages(client, asked).catch(() => []));
  }

  /** The task that one of its prompts stands for. Rejects with why there is none. */
  async prompt(name: string, text: string): Promise<string> {
    if (await this.#opened() === null) throw this.#not_running();
    const prompt = this.prompts.find((one) => one.name === name);
    if (prompt === undefined) {
      const known = this.prompts.map((one) => `/${one.name}`).join(" ") || "none";
      throw new Error(`the server has no such prompt; it has ${known}`);
    }
    const params = { name: prompt.prompt, arguments: prompt_arguments(prompt, text) };
    return this.#hush(prompt_text(await this.#asked("prompts/get", params)));
  }

  /** What a resource holds, in words. Rejects with why it can't be read. */
  async resource(uri: string): Promise<string> {
    return this.#hush(resource_answer(await this.#asked(READ_RESOURCE, { uri })).text);
  }

  async #asked(method: string, params: Record<string, unknown>): Promise<unknown> {
    const client = await this.#opened();
    if (client === null) throw this.#not_running();
    const timeout = (this.server.timeout_s || NO_LIMIT_MS / 1000) * 1000;
    const request = { method, params };
    return await this.#in_session(client, (now) => now.request(request, ANYTHING, { timeout }));
  }

  #not_running(): Error {
    return new Error(`the server is not running: ${this.down}`);
  }

  async #relist(client: Client): Promise<void> {
    try {
      this.tools = await this.#list(client);
      this.around.changed();
    } catch (error) {
      if (!this.#over) {
        this.around.warn(`${this.#name}: its new list of tools: ${this.#hush(fault_words(error))}`);
      }
    }
  }

  #hear(error: Error): void {
    if (this.#lied || !/unknown (?:message )?id/i.test(error.message)) return;
    if (this.#given_up-- > 0) return;
    this.#lied = true;
    this.around.warn(
      `${this.#name} answers requests that were not sent; those answers are dropped`,
    );
  }

  /** What a call that failed is answered with; and whether the server is started again for it. */
  async #fault(
    error: unknown,
    { client, signal, late }: { client: Client; signal: AbortSignal; late: boolean },
  ): Promise<string> {
    if (signal.aborted) {
      this.#given_up++;
      return "the call was stopped";
    }
    if (late) {
      this.#given_up++;
      if (++this.#unanswered >= STUCK_AFTER) {
        this.#unanswered = 0;
        await this.#lost(client, `${STUCK_AFTER} calls in a row got no answer`);
      }
      return `no answer within ${this.server.timeout_s} s`;
    }
    const gone = this.down ?? this.pipe?.why ?? null;
    if (
      gone !== null || (error instanceof SdkError && error.code === SdkErrorCode.ConnectionClosed)
    ) {
      return `the server ended during the call; whether it took effect is not known`;
    }
    if (this.server.by.kind === "http" && error instanceof TypeError) {
      await this.#lost(client, fault_words(error));
    }
    return fault_words(error);
  }

  /** Starts it again, the first time. */
  async #lost(client: Client, why: string): Promise<void> {
    if (this.#client !== client || this.#over) return;
    this.#client = null;
    const words = this.#hush(harmless_text(why));
    if (this.#restarted) {
      this.#give_up(words);
      const then = this.server.by.kind === "http"
        ? "it is asked again at the next call"
        : "its tools fail from now on";
      this.around.warn(`${this.#name} ended again: ${words}; ${then}`);
    } else {
      this.#restarted = true;
      this.around.warn(`${this.#name} ended: ${words}; it is started again`);
      this.#open_again();
    }
    await within(GOODBYE_MS, client.close().catch(() => {}));
  }

  #open_again(): void {
    this.ready = this.#open().then(() => this.around.changed());
  }

  #give_up(why: string): void {
    this.#client = null;
    this.down = this.#hush(harmless_text(why));
  }
}
