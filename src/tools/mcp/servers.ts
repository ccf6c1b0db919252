/** All MCP servers of a run, on the main thread. */
import { lazy } from "../../lazy.ts";
import type { Connection } from "./connection.ts";
import type { McpAnswer, McpLink, McpNews, McpOrder, McpServer, McpTool } from "../mcp_server.ts";

/** How a server is doing. */
export interface ServerState {
  readonly server: McpServer;
  readonly tools: readonly McpTool[];
  /** Why it can't be called; null where it can. */
  readonly down: string | null;
}

/** Starts them, lists their tools, makes calls. The programs among them are in the hands of the tools worker. */
export class McpServers implements McpLink {
  #connections: readonly Connection[] = [];
  readonly #settled = Promise.withResolvers<void>();
  readonly #calls = new Map<number, AbortController>();
  #order: (order: McpOrder) => void = () => {};
  #pipes = 0;
  /** Its tools are not as they were last listed. */
  #news = true;
  #over = false;

  constructor(
    private readonly servers: readonly McpServer[],
    private options: {
      readonly workspace: string;
      readonly warn: (words: string) => void;
      /** How far a call is, by its id. */
      readonly progress: (id: string, words: string) => void;
    },
  ) {}

  /** Another run goes on with them: it hears what they say, and is told of all their tools. */
  begin_run(options: ConstructorParameters<typeof McpServers>[1]): void {
    this.options = options;
    this.#news = true;
  }

  begin(order: (order: McpOrder) => void): void {
    this.#order = order;
    void this.#open().finally(() => this.#settled.resolve());
  }

  take(news: McpNews): void {
    switch (news.kind) {
      case "printed":
        return this.#of_pipe(news.pipe)?.pipe?.take(news.bytes);
      case "ended":
        return this.#of_pipe(news.pipe)?.pipe?.ended(news.why);
      case "call":
        return void this.#call(news);
      case "cancel":
        return this.#calls.get(news.call)?.abort();
    }
  }

  /** All servers, once each of them answers or is known not to. */
  async states(): Promise<readonly ServerState[]> {
    await this.#settled.promise;
    if (!this.#over) await Promise.all(this.#connections.map(({ ready }) => ready));
    return this.#connections.map(({ server, tools, down }) => ({ server, tools, down }));
  }

  /** The tools of all, where they are others than when this was last asked; else null. Waits for servers that are starting. */
  async tools(): Promise<readonly McpTool[] | null> {
    const states = await this.states();
    if (!this.#news) return null;
    this.#news = false;
    return states.flatMap(({ tools }) => tools);
  }

  async close(): Promise<void> {
    this.#over = true;
    this.#settled.resolve();
    await Promise.all(this.#connections.map((connection) => connection.close()));
  }

  async #open(): Promise<void> {
    const { Connection } = await lazy<typeof import("./connection.ts")>(
      "./connection.ts",
      import.meta.url,
    );
    if (this.#over) return;
    const around = {
      workspace: this.options.workspace,
      order: this.#order,
      next_pipe: () => ++this.#pipes,
      warn: (words: string) => {
        if (!this.#over) this.options.warn(words);
      },
      changed: () => this.#news = true,
    };
    this.#connections = this.servers.map((server) => new Connection(server, around));
    await Promise.all(this.#connections.map(({ ready }) => ready));
  }

  #of_pipe(pipe: number): Connection | undefined {
    return this.#connections.find((connection) => connection.pipe?.pipe === pipe);
  }

  async #call({ call, id, route, args }: Extract<McpNews, { kind: "call" }>): Promise<void> {
    const stop = new AbortController();
    this.#calls.set(call, stop);
    const connection = this.#connections.find(({ server }) => server.name === route.server);
    const gone: McpAnswer = { ok: false, text: "Error: there is no such server", summary: "gone" };
    const answer = await connection?.call({ tool: route.tool, args }, {
      signal: stop.signal,
      progress: (words) => this.options.progress(id, words),
    }) ?? gone;
    this.#calls.delete(call);
    this.#order({ kind: "answer", call, answer });
  }
}
