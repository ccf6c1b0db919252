/** One MCP server, spoken to by the official client. Loaded where a server is configured, beside the first request. */
import {
  Client,
  type JsonSchemaValidatorResult,
  SdkError,
  SdkErrorCode,
  StreamableHTTPClientTransport,
  type Transport,
} from "@modelcontextprotocol/client";
import { fields } from "../../config/json.ts";
import { message_of, one_line } from "../../config/text.ts";
import { bounded_fetch } from "./bounded_fetch.ts";
import { answer_of, text_of_resource } from "./content.ts";
import { described, harmless_text } from "./described.ts";
import { PipeTransport } from "./pipe_transport.ts";
import {
  BETWEEN,
  type McpAnswer,
  type McpOrder,
  type McpServer,
  type McpTool,
} from "../mcp_server.ts";

/** What a connection has around it. */
export interface Surroundings {
  readonly workspace: string;
  /** Asks the tools worker. */
  readonly order: (order: McpOrder) => void;
  /** A number that no other process has. */
  readonly next_pipe: () => number;
  readonly warn: (words: string) => void;
  /** Its tools are others now. */
  readonly changed: () => void;
}

/** How long a server has to say what it has: one that is downloaded by its own command takes its time. */
const START_MS = 30_000;
/** Pages of a list; a server that gives more goes round in circles. */
const MOST_PAGES = 64;
/** Changes of its list that are looked at; a server that has more of them never stops. */
const MOST_LISTS = 100;
/** Calls in a row without an answer, after which it is taken for stuck. */
const STUCK_AFTER = 2;
/** Resources that are named in a description. */
const NAMED_RESOURCES = 20;
/** How long a server over HTTP has to hear that a session is over. */
const GOODBYE_MS = 500;
/** Stands for the protocol's own way to read a resource, among the names of tools. */
const READ_RESOURCE = "resources/read";
/** Whatever it is: it is looked at piece by piece. */
const ANYTHING = {
  "~standard": { version: 1 as const, vendor: "hamr", validate: (value: unknown) => ({ value }) },
};
/** Results are not believed for their form, so nobody has to check it. */
const NO_CHECK = {
  getValidator: <T>() => (input: unknown): JsonSchemaValidatorResult<T> => ({
    valid: true,
    data: input as T,
    errorMessage: undefined,
  }),
};

/** A server, started at once, and once more where it ends by itself. */
export class Connection {
  tools: readonly McpTool[] = [];
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
  #relisted = 0;

  constructor(readonly server: McpServer, private readonly around: Surroundings) {
    this.ready = this.#open();
  }

  /** Of its process; null if it has none. */
  get pipe(): PipeTransport | null {
    return this.#transport instanceof PipeTransport ? this.#transport : null;
  }

  /** Makes a call. Never rejects: what goes wrong is its result. */
  async call(
    { tool, args }: { readonly tool: string; readonly args: unknown },
    { signal, progress }: {
      readonly signal: AbortSignal;
      readonly progress: (words: string) => void;
    },
  ): Promise<McpAnswer> {
    await this.ready;
    const client = this.#client;
    if (client === null || this.down !== null) return failed(`it is not running: ${this.down}`);
    const { timeout_s } = this.server;
    const timeout = timeout_s === 0 ? 2 ** 31 - 1 : timeout_s * 1000;
    const request = tool === READ_RESOURCE
      ? { method: "resources/read", params: { ...fields(args) } }
      : { method: "tools/call", params: { name: tool, arguments: { ...fields(args) } } };
    try {
      const result = await client.request(request, ANYTHING, {
        signal,
        timeout,
        resetTimeoutOnProgress: true,
        onprogress: ({ progress: done, total, message }) =>
          progress(progress_words({ done, total, message })),
      });
      this.#unanswered = 0;
      return tool === READ_RESOURCE ? resource_answer(result) : answer_of(result);
    } catch (error) {
      return failed(await this.#fault(error, { client, signal }));
    }
  }

  /** Ends it. A process is ended with the run; a session over HTTP is told. */
  async close(): Promise<void> {
    this.#over = true;
    const transport = this.#transport;
    if (transport instanceof StreamableHTTPClientTransport) {
      await within(GOODBYE_MS, transport.terminateSession());
    }
    await within(GOODBYE_MS, this.#client?.close());
  }

  async #open(): Promise<void> {
    this.down = null;
    const client = new Client({ name: "hamr", version: "1" }, {
      capabilities: { roots: {} },
      jsonSchemaValidator: NO_CHECK,
    });
    client.setRequestHandler("roots/list", () => {
      const { workspace } = this.around;
      const uri = new URL(`file://${encodeURI(workspace)}`).href;
      return { roots: [{ uri, name: workspace.slice(workspace.lastIndexOf("/") + 1) || "/" }] };
    });
    client.setNotificationHandler(
      "notifications/tools/list_changed",
      () => {
        // Who asks for its tools from here on waits for the new ones.
        const before = this.ready;
        if (++this.#relisted > MOST_LISTS) return;
        this.ready = before.then(() => this.#relist(client));
      },
    );
    client.onerror = (error) => this.#hear(error);
    let transport: PipeTransport | StreamableHTTPClientTransport | null = null;
    let late = false;
    try {
      transport = this.#transport = this.#transport_of();
      const timer = setTimeout(() => {
        late = true;
        void transport?.close();
      }, START_MS);
      try {
        await client.connect(transport as Transport, { timeout: START_MS });
        this.tools = await this.#list(client);
      } finally {
        clearTimeout(timer);
      }
      this.#client = client;
      client.onclose = () => this.#closed(client);
    } catch (error) {
      const ended = transport instanceof PipeTransport ? transport.why : null;
      // How its program ended says more than that the connection did; that the client closed it, less.
      const why = late
        ? `it was not ready within ${START_MS / 1000} s`
        : ended === null || ended === "closed"
        ? message_of(error)
        : ended;
      this.#give_up(why);
      this.around.warn(`${this.#name} did not start: ${this.down}`);
      await within(GOODBYE_MS, client.close());
    }
  }

  #transport_of(): PipeTransport | StreamableHTTPClientTransport {
    const { by } = this.server;
    const { order, next_pipe, warn } = this.around;
    if (by.kind === "stdio") {
      const program = { argv: [by.command, ...by.args], env: by.env };
      const told = (words: string) => warn(`${this.#name}: ${harmless_text(words)}`);
      return new PipeTransport(next_pipe(), program, order, told);
    }
    return new StreamableHTTPClientTransport(new URL(by.url), {
      requestInit: { headers: by.headers },
      redirectPolicy: "same-origin",
      fetch: bounded_fetch,
    });
  }

  get #name(): string {
    return `MCP server ${this.server.name}`;
  }

  async #list(client: Client): Promise<readonly McpTool[]> {
    const capabilities = client.getServerCapabilities() ?? {};
    const listed = capabilities.tools === undefined
      ? []
      : await pages(client, { method: "tools/list", of: "tools" });
    const { tools, warnings } = described(this.server, listed);
    for (const words of warnings) this.around.warn(`${this.#name}: ${harmless_text(words)}`);
    const reader = capabilities.resources === undefined ? [] : await this.#reader(client);
    const { name: server, tools: wanted } = this.server;
    return [
      ...tools,
      ...reader.filter(({ name }) =>
        wanted.length === 0 && tools.every((tool) => tool.name !== name)
      )
        .map((tool) => ({ ...tool, server })),
    ];
  }

  /** What reads its resources, if it has any: the protocol's own way, offered like a tool. */
  async #reader(client: Client): Promise<readonly McpTool[]> {
    const { name: server } = this.server;
    const list = (method: string, of: string) => pages(client, { method, of }).catch(() => []);
    const listed = [
      ...await list("resources/list", "resources"),
      ...await list("resources/templates/list", "resourceTemplates"),
    ];
    if (listed.length === 0) return [];
    const named = listed.slice(0, NAMED_RESOURCES).map(fields)
      .map(({ uri, uriTemplate = uri }) => uriTemplate).filter((uri) => typeof uri === "string")
      .map((uri) => harmless_text(uri).slice(0, 200));
    const such = named.length === 0 ? "" : `, such as ${named.join(", ")}`;
    return [{
      server,
      tool: READ_RESOURCE,
      name: `${server}${BETWEEN}read_resource`,
      description: `Read a resource of the MCP server ${server} (@${server}:URI)${such}.`,
      parameters: {
        type: "object",
        properties: { uri: { type: "string" } },
        required: ["uri"],
      },
      read_only: true,
    }];
  }

  async #relist(client: Client): Promise<void> {
    try {
      this.tools = await this.#list(client);
      this.around.changed();
    } catch (error) {
      if (!this.#over) this.around.warn(`${this.#name}: its new list of tools: ${words_of(error)}`);
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
    { client, signal }: { readonly client: Client; readonly signal: AbortSignal },
  ): Promise<string> {
    if (signal.aborted) {
      this.#given_up++;
      return "the call was stopped";
    }
    if (error instanceof SdkError && error.code === SdkErrorCode.RequestTimeout) {
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
    if (this.server.by.kind === "http" && (error instanceof TypeError || is_lost_session(error))) {
      await this.#lost(client, words_of(error));
    }
    return words_of(error);
  }

  #closed(client: Client): void {
    if (this.#over || this.#client !== client) return;
    void this.#lost(client, this.pipe?.why ?? "the connection was closed");
  }

  /** Starts it again, the first time. */
  async #lost(client: Client, why: string): Promise<void> {
    if (this.#client !== client || this.#over) return;
    this.#client = null;
    const words = harmless_text(why);
    if (this.#restarted) {
      this.#give_up(words);
      this.around.warn(`${this.#name} ended again: ${words}; its tools fail from now on`);
    } else {
      this.#restarted = true;
      this.around.warn(`${this.#name} ended: ${words}; it is started again`);
      this.ready = this.#open().then(() => this.around.changed());
    }
    await within(GOODBYE_MS, client.close());
  }

  #give_up(why: string): void {
    this.#client = null;
    this.down = harmless_text(why);
  }
}

/** All that a list has. Throws where the server says no, or never comes to its end. */
async function pages(
  client: Client,
  { method, of }: { readonly method: string; readonly of: string },
): Promise<readonly unknown[]> {
  const all: unknown[] = [];
  let cursor: unknown;
  for (let page = 0; page < MOST_PAGES; page++) {
    const params = cursor === undefined ? {} : { cursor };
    const answer = fields(
      await client.request({ method, params }, ANYTHING, { timeout: START_MS }),
    );
    const items = answer[of];
    if (!Array.isArray(items)) throw new Error(`the answer to ${method} has no list`);
    all.push(...items);
    cursor = answer["nextCursor"];
    if (typeof cursor !== "string") return all;
  }
  throw new Error(`${method} has more than ${MOST_PAGES} pages`);
}

function resource_answer(result: unknown): McpAnswer {
  const { contents } = fields(result);
  const parts = (Array.isArray(contents) ? contents : []).map(text_of_resource);
  const uri = fields(Array.isArray(contents) ? contents[0] : undefined)["uri"];
  return { ok: true, text: parts.join("\n"), summary: typeof uri === "string" ? uri : "nothing" };
}

function progress_words(
  { done, total, message }: {
    readonly done: number;
    readonly total: number | undefined;
    readonly message: string | undefined;
  },
): string {
  const share = total === undefined ? `${done}` : `${done} of ${total}`;
  return message === undefined ? share : `${share}, ${harmless_text(message).slice(0, 100)}`;
}

/** The specification has 404 for a session that the server does not know anymore. */
function is_lost_session(error: unknown): boolean {
  return error instanceof SdkError && /\b404\b/.test(error.message);
}

function failed(why: string): McpAnswer {
  return { ok: false, text: `Error: ${why}`, summary: one_line(why).slice(0, 200) };
}

function words_of(error: unknown): string {
  return harmless_text(message_of(error)).slice(0, 2000) || "it failed";
}

async function within(ms: number, work: Promise<unknown> | undefined): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<void>((resolve) => timer = setTimeout(resolve, ms));
  await Promise.race([work?.catch(() => {}), late]);
  clearTimeout(timer);
}
