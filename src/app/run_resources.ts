/** What a run opens once, when first needed: the store, MCP servers, the tools worker, other models, the gates. */
import type { Reminder } from "../agent/reminders.ts";
import type { Fallbacks, Services, Session } from "../agent/session.ts";
import type { Tape } from "../agent/tape.ts";
import type { Endpoint } from "../model/server/provider.ts";
import type { Store } from "../store/store.ts";
import type { McpServers } from "../tools/mcp/servers.ts";
import type { ToolsClient } from "../tools/worker/client.ts";
import type { McpConfigured } from "./mcp_configured.ts";
import type { Enforced } from "./policy.ts";
import type { Beginning, Earlier, StartOptions } from "./start_options.ts";

interface Known
  extends Pick<Beginning, "sources" | "limits" | "memory" | "pending" | "tape" | "mcp_names"> {
  readonly enforced: Enforced;
  readonly endpoint: Endpoint;
  /** Where the store is; null: nothing is kept. */
  readonly data_dir: string | null;
  readonly mcp: McpConfigured;
  /** The folders that the task is about: the workspace first. */
  readonly folders: readonly string[];
  readonly step: () => number;
}

type Warn = (message: string) => void;

/** The resources of one run; its process may hand them on to the next. */
export class RunResources {
  #store: Promise<Store | null> | null = null;
  #tools: Promise<ToolsClient> | null = null;
  #servers: McpServers | null = null;
  #other_models: Fallbacks | null;
  #fallbacks: Promise<Fallbacks> | null = null;
  #services: Promise<Services> | null = null;
  readonly #tools_begun = Promise.withResolvers<void>();

  constructor(private readonly options: StartOptions, private readonly known: Known) {
    this.#other_models = options.earlier?.fallbacks ?? null;
  }

  /** The tools worker and the gates, if they were ever begun. */
  get begun(): Promise<Services> | null {
    return this.#services;
  }

  /** Settles once the tools worker is being started, which comes before all else that is loaded then. */
  get tools_begun(): Promise<void> {
    return this.#tools_begun.promise;
  }

  services(session: Session, recalls: readonly Reminder[]): Promise<Services> {
    if (this.#services === null) {
      this.#services = this.#begin(session, recalls).finally(this.#tools_begun.resolve);
      this.#services.catch(() => {}); // Heard by whoever needs them.
    }
    return this.#services;
  }

  /** Other models than the run's own; `own`: the tape of a subagent. */
  async fallbacks(own?: Tape): Promise<Fallbacks> {
    const { options: { place, world }, known: { tape } } = this;
    if (world === undefined) {
      this.#other_models ??= (await import("./fallbacks.ts")).fallbacks_of(place);
    }
    if (own !== undefined) return await through_tape(own, this.#other_models);
    return await (this.#fallbacks ??= through_tape(tape, this.#other_models));
  }

  async recalls(warn: Warn): Promise<readonly Reminder[]> {
    const { recall_from } = await import("./persistence.ts");
    return recall_from(await this.#open(warn), this.known.tape);
  }

  async left(): Promise<Earlier> {
    const { options: { earlier }, known: { enforced, sources, pending, mcp } } = this;
    const tools = await this.#tools?.catch(() => null) ?? earlier?.tools ?? null;
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

  async #begin(session: Session, recalls: readonly Reminder[]): Promise<Services> {
    const { options, known } = this;
    const { world } = options;
    const { sources, limits, memory, pending, tape, mcp_names } = known;
    const { policy, support } = known.enforced;
    this.#servers = await this.#begin_mcp();
    const run: Omit<Beginning, "tools"> = {
      ...{
        ...options,
        sources,
        limits,
        memory,
        pending,
        tape,
        mcp_names,
        policy,
        support,
        recalls,
      },
      first: known.endpoint,
      full: options.endpoint.full,
      open: this.#open,
      mcp: this.#servers,
    };
    const { start_tools } = await import("./start_tools.ts");
    const make = () => start_tools(run);
    const tools = Promise.resolve(world === undefined ? this.#tools = make() : world.tools(make));
    this.#tools_begun.resolve();
    tools.catch(() => {}); // Heard once it is known that the run goes on.
    const { begin } = await import("./begin.ts");
    return await begin(session, { ...run, tools });
  }

  async #begin_mcp(): Promise<McpServers | null> {
    const { known: { mcp, folders }, options: { earlier, emit, clarify, interrupt: signal } } =
      this;
    if (mcp.servers.length === 0) return null;
    const { begin_mcp, heard_by } = await import("./mcp_servers.ts");
    const heard = { folders, emit, clarify, signal };
    if (!earlier?.tools) return begin_mcp(mcp.servers, heard);
    earlier.servers?.begin_run(heard_by(heard));
    return earlier.servers;
  }

  /** SQLite is loaded, and the file opened, while this thread would wait for the model or for the tools worker. */
  readonly #open = (warn: Warn): Promise<Store | null> | null => {
    const { options: { world }, known: { data_dir } } = this;
    if (world !== undefined) return Promise.resolve(world.store);
    return data_dir === null ? null : this.#store ??= this.#open_in(data_dir, warn);
  };

  async #open_in(data_dir: string, warn: Warn): Promise<Store | null> {
    const { earlier, place, session_id: uuid, task, resumed } = this.options;
    const { step, memory, pending, enforced: { policy: { tmp } } } = this.known;
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
