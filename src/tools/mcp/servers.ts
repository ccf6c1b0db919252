/** All MCP servers of a run, on the main thread. */
import { one_line } from "../../config/text.ts";
import type { McpPermissions } from "../../config/key.ts";
import type { Support } from "../../sandbox/kernel/probe.ts";
import type { Policy } from "../../sandbox/policy.ts";
import type { Apart } from "./apart.ts";
import type { McpPrompt } from "./prompts.ts";
import type { AskAside, Connection, Surroundings } from "./connection.ts";
import type { McpAnswer, McpLink, McpNews, McpOrder, McpServer, McpTool } from "../mcp_server.ts";

export interface ServerState {
  readonly server: McpServer;
  readonly tools: readonly McpTool[];
  readonly prompts: readonly McpPrompt[];
  /** Why it can't be called; null where it can. */
  readonly down: string | null;
  /** What its program may do, where that is less than the run may. */
  readonly granted?: McpPermissions;
}

/** Starts them, lists their tools, makes calls. The programs among them are in the hands of the tools worker. */
export class McpServers implements McpLink {
  #connections: readonly Connection[] = [];
  readonly #settled = Promise.withResolvers<void>();
  readonly #calls = new Map<number, AbortController>();
  #order: (order: McpOrder) => void = () => {};
  /** Programs that may do less than the run, by the names of their servers. */
  readonly #apart = new Map<string, { readonly apart: Apart; readonly granted: McpPermissions }>();
  #confined: Promise<void> = Promise.resolve();
  #pipes = 0;
  /** Its tools are not as they were last listed. */
  #news = true;
  #over = false;
  #awaited = false;

  constructor(
    private readonly servers: readonly McpServer[],
    private options: Pick<Surroundings, "folders" | "warn" | "ask"> & {
      /** How far a call is, by its id, or what is waited for. */
      readonly progress: (id: string, words: string) => void;
    },
  ) {}

  /** Another run goes on with them: it hears what they say, and learns of all their tools. */
  begin_run(options: ConstructorParameters<typeof McpServers>[1]): void {
    this.options = options;
    this.#news = true;
  }

  /** Gives each program that may do less than the run a thread with its own policy; until then this thread keeps its rights. Never rejects. */
  confine(
    run: Policy,
    options: { readonly support: Support | null; readonly marked: boolean },
  ): Promise<void> {
    return this.#confined = this.#confine(run, options);
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
    return this.#connections.map(({ server, tools, prompts, down }) => {
      const granted = this.#apart.get(server.name)?.granted;
      return { server, tools, prompts, down, ...(granted === undefined ? {} : { granted }) };
    });
  }

  /** What servers have written down, as far as they have started. */
  get prompts(): readonly McpPrompt[] {
    return this.#connections.flatMap(({ prompts }) => prompts);
  }

  /** The task that a prompt of a server stands for. Rejects with why there is none. */
  async prompt(server: string, name: string, text: string): Promise<string> {
    return await (await this.#named(server)).prompt(name, text);
  }

  /** What a resource of a server holds. Rejects with why it can't be read. */
  async resource(server: string, uri: string): Promise<string> {
    return await (await this.#named(server)).resource(uri);
  }

  async #named(server: string): Promise<Connection> {
    await this.#settled.promise;
    const connection = this.#connections.find((one) => one.server.name === server);
    if (connection === undefined) throw new Error(`there is no MCP server ${server}`);
    return connection;
  }

  /** The tools of all, where they are others than when this was last asked; else null. Waits for servers that are starting. */
  async tools(): Promise<readonly McpTool[] | null> {
    this.#awaited = true;
    this.#tell_awaited();
    const states = await this.states();
    this.#awaited = false;
    if (!this.#news) return null;
    this.#news = false;
    return states.flatMap(({ tools }) => tools);
  }

  async close(): Promise<void> {
    this.#over = true;
    this.#settled.resolve();
    await Promise.all(this.#connections.map((connection) => connection.close()));
  }

  /** Of those with fewer rights than the run: the others' belong to it. */
  async stand_still(on: boolean): Promise<void> {
    await this.#confined;
    await Promise.all([...this.#apart.values()].map(({ apart }) => apart.stand_still(on)));
  }

  async end_apart(): Promise<boolean> {
    await this.#confined;
    const all = await Promise.all([...this.#apart.values()].map(({ apart }) => apart.close()));
    return all.every((done) => done);
  }

  async #confine(
    run: Policy,
    options: { readonly support: Support | null; readonly marked: boolean },
  ): Promise<void> {
    const wanted = this.servers.flatMap(({ name, by }) =>
      by.kind === "stdio" && by.permissions !== undefined ? [[name, by.permissions] as const] : []
    );
    if (wanted.length === 0) return;
    const warn = (name: string, words: string) =>
      this.options.warn(`MCP server ${name}: ${one_line(words)}`);
    if (run.sandbox === "off") {
      for (const [name] of wanted) {
        warn(name, "its permissions are not enforced: the sandbox is off");
      }
      return;
    }
    const [{ Apart }, { narrower }] = await Promise.all([
      import("./apart.ts"),
      import("./narrower.ts"),
    ]);
    await Promise.all(wanted.map(([name, asked]) => {
      const tmp = `${run.tmp}/mcp-${name}`;
      Deno.mkdirSync(tmp, { recursive: true, mode: 0o700 });
      const { policy, granted, warnings } = narrower(run, asked, { tmp });
      for (const words of warnings) warn(name, words);
      const apart = new Apart(policy, { ...options, hear: (news) => this.take(news) });
      this.#apart.set(name, { apart, granted });
      return apart.ready;
    }));
  }

  async #open(): Promise<void> {
    await this.#confined;
    const { Connection } = await import("./connection.ts");
    if (this.#over) return;
    const around = {
      folders: this.options.folders,
      next_pipe: () => ++this.#pipes,
      warn: (words: string) => {
        if (!this.#over) this.options.warn(words);
      },
      changed: () => this.#news = true,
      // The next run may have someone else to ask.
      ask: this.options.ask === null
        ? null
        : (asked: Parameters<AskAside>[0]) => this.options.ask?.(asked) ?? Promise.resolve(null),
    };
    this.#connections = this.servers.map((server) => {
      const apart = this.#apart.get(server.name)?.apart;
      const order = apart === undefined ? this.#order : (order: McpOrder) => apart.order(order);
      return new Connection(server, { ...around, order });
    });
    this.#tell_awaited();
    await Promise.all(this.#connections.map(({ ready }) => ready.then(() => this.#tell_awaited())));
  }

  #tell_awaited(): void {
    const starting = this.#connections.filter(({ is_starting }) => is_starting);
    if (!this.#awaited || starting.length === 0) return;
    const names = starting.map(({ server }) => server.name).join(", ");
    this.options.progress("mcp", `waiting for MCP server ${names}`);
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
      id,
      signal: stop.signal,
      progress: (words) => this.options.progress(id, words),
    }) ?? gone;
    this.#calls.delete(call);
    this.#order({ kind: "answer", call, answer });
  }
}
