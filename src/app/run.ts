/** A run put together, and what it opens once, when first needed: the store, MCP servers, the tools worker, other models. */
import type { Reminder } from "../agent/reminders.ts";
import type { Fallbacks, Services, Session } from "../agent/session.ts";
import type { Tape } from "../agent/tape.ts";
import type { Tools } from "../agent/taped_tools.ts";
import type { RunBounds } from "../guards/rule.ts";
import type { Endpoint } from "../model/server/provider.ts";
import type { AskPerson } from "../permission/approval.ts";
import type { Store } from "../store/store.ts";
import type { McpServers } from "../tools/mcp/servers.ts";
import type { ToolsClient } from "../tools/worker/client.ts";
import type { Provided } from "../tools/tool.ts";
import type { LeftByRun, RunOptions, World } from "./run_options.ts";

/** Who drives a run: hears what it says, and answers what it asks. */
export interface Driver {
  /** When the run began, as `performance.now()` has it: its time limit counts from then. */
  readonly began: number;
  readonly emit: Session["emit"];
  readonly ask: AskPerson;
  /** Settles once the session knows what the server has said of itself; absent: it knows at once. */
  readonly met?: () => Promise<unknown>;
  /** Absent: the machine. */
  readonly world?: World;
}

/** What was asked of a run, and what became of that before its first request. */
export interface RunParts
  extends RunOptions, Driver, Pick<LeftByRun, "enforced" | "sources" | "pending" | "mcp"> {
  /** The model's server as far as it was known at first; `endpoint` waits for the rest. */
  readonly first: Endpoint;
  readonly limits: RunBounds;
  readonly has: Provided;
  /** Where the store is; null: nothing is kept. */
  readonly data_dir: string | null;
  readonly tape: Tape;
  /** Of MCP servers, those of a recording among them. */
  readonly mcp_names: readonly string[];
  /** The folders that the task is about: the workspace first. */
  readonly folders: readonly string[];
  /** How many steps it has taken. */
  readonly step: () => number;
}

/** Everything a run needs, and what has to be ended after it. */
export interface Run extends RunParts {
  readonly session: Session;
  readonly system: string;
  readonly resources: RunResources;
  /** What to tell the user before it begins, a line each. */
  readonly warnings: readonly string[];
}

type Warn = (message: string) => void;

/** The resources of one run; its process may hand them on to the next. */
export class RunResources {
  /** The tools worker, once it is being started; null before, and in a replay. */
  tools: Promise<ToolsClient> | null = null;
  #store: Promise<Store | null> | null = null;
  #servers: McpServers | null = null;
  #other_models: Fallbacks | null;
  #fallbacks: Promise<Fallbacks> | null = null;
  #services: Promise<Services> | null = null;
  readonly #tools_starting = Promise.withResolvers<void>();

  constructor(private readonly run: RunParts) {
    this.#other_models = run.earlier?.fallbacks ?? null;
  }

  /** The tools worker and the gates, if they were ever started. */
  get started(): Promise<Services> | null {
    return this.#services;
  }

  /** MCP servers that run; null where there are none, or where they are on the tape. */
  get servers(): McpServers | null {
    return this.#servers;
  }

  /** Settles once the tools worker is being started, which comes before all else that is loaded then. */
  get tools_starting(): Promise<void> {
    return this.#tools_starting.promise;
  }

  /** What the first request does not need. The first call has it started. */
  services(start: () => Promise<Services>): Promise<Services> {
    if (this.#services === null) {
      this.#services = start().finally(this.#tools_starting.resolve);
      this.#services.catch(() => {}); // Heard by whoever needs them.
    }
    return this.#services;
  }

  /** Null: a replay needs no worker. */
  start_tools(make: () => Promise<ToolsClient>): Promise<Tools | null> {
    const tools = Promise.resolve(this.run.world === undefined ? this.tools = make() : null);
    this.#tools_starting.resolve();
    tools.catch(() => {}); // Heard once it is known that the run goes on.
    return tools;
  }

  /** Other models than the run's own; `own`: the tape of a subagent. */
  async fallbacks(own?: Tape): Promise<Fallbacks> {
    const { place, world, tape } = this.run;
    if (world === undefined) {
      this.#other_models ??= (await import("./fallbacks.ts")).fallbacks_of(place);
    }
    if (own !== undefined) return await through_tape(own, this.#other_models);
    return await (this.#fallbacks ??= through_tape(tape, this.#other_models));
  }

  async recalls(warn: Warn): Promise<readonly Reminder[]> {
    const { recall_from } = await import("./persistence.ts");
    return recall_from(await this.open(warn), this.run.tape);
  }

  async left(): Promise<Omit<LeftByRun, "session" | "resumed">> {
    const { earlier, enforced, sources, pending, mcp } = this.run;
    const tools = await this.tools?.catch(() => null) ?? earlier?.tools ?? null;
    // Nobody else would end a worker that is lost, or could not start.
    if (tools?.is_over) await tools.close();
    return {
      ...{ enforced, sources, pending, mcp },
      fallbacks: this.#other_models,
      tools: tools === null || tools.is_over ? null : tools,
      store: await this.#store ?? earlier?.store ?? null,
      servers: this.#servers ?? earlier?.servers ?? null,
    };
  }

  async start_mcp(): Promise<void> {
    const { mcp, folders, earlier, emit, clarify, interrupt: signal } = this.run;
    if (mcp.servers.length === 0) return;
    const { begin_mcp, heard_by } = await import("./mcp_servers.ts");
    const heard = { folders, emit, clarify, signal };
    if (earlier?.tools) earlier.servers?.begin_run(heard_by(heard));
    this.#servers = earlier?.tools ? earlier.servers : begin_mcp(mcp.servers, heard);
  }

  /** SQLite is loaded, and the file opened, while this thread would wait for the model or for the tools worker. */
  open(warn: Warn): Promise<Store | null> | null {
    const { world, data_dir } = this.run;
    if (world !== undefined) return Promise.resolve(world.store);
    return data_dir === null ? null : this.#store ??= this.#open_in(data_dir, warn);
  }

  async #open_in(data_dir: string, warn: Warn): Promise<Store | null> {
    const { earlier, place, session_id: uuid, task, resumed } = this.run;
    const { step, has: { memory }, pending, enforced: { policy: { tmp } } } = this.run;
    if (earlier?.store) {
      return (await import("../store/store.ts")).reopened(earlier.store, { step, warn });
    }
    const { open_run_store } = await import("./persistence.ts");
    const { workspace, settings: { sessions } } = place;
    const session = pending === null ? null : resumed?.reopened ?? { uuid, workspace, task };
    return await open_run_store(
      { ...sessions, data_dir, workspace, memory, step, session, tmp },
      warn,
    );
  }
}

async function through_tape(tape: Tape, fallbacks: Fallbacks | null): Promise<Fallbacks> {
  const { taped_fallbacks } = await import("../agent/tape/taped_fallbacks.ts");
  return taped_fallbacks(tape, fallbacks);
}
