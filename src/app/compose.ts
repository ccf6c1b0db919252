/** Puts a run together: settings and flags → model, policy, rules, session. */
import { Clock } from "../agent/clock.ts";
import { History, IMAGE_TOKENS, tool_tokens } from "../agent/history.ts";
import { prompt_sources, system_prompt } from "../agent/prompt.ts";
import type { Fallbacks, Services, Session } from "../agent/session.ts";
import { fresh } from "../agent/state.ts";
import type { Tape } from "../agent/tape.ts";
import { NO_TAPE, PendingWrites, TapeRecorder } from "../agent/pending_writes.ts";
import { watchdog, type WatchdogLimits } from "../guards/watchdog.ts";
import type { Image } from "../model/message.ts";
import type { Wire } from "../model/wire.ts";
import { wire_of } from "../model/protocols/protocols.ts";
import type { Endpoint } from "../model/server/provider.ts";
import { is_inside } from "../config/paths.ts";
import { look } from "../permission/paths.ts";
import { reaches_web } from "../permission/web.ts";
import type { Policy } from "../sandbox/policy.ts";
import type { Support } from "../sandbox/kernel/probe.ts";
import { find_store, read_index } from "../store/place.ts";
import type { Store } from "../store/store.ts";
import type { ToolSchema } from "../tools/tool.ts";
import { deferred_warnings, first_tools } from "./first_tools.ts";
import type { McpServers } from "../tools/mcp/servers.ts";
import type { McpServer } from "../tools/mcp_server.ts";
import { configured_mcp, NO_MCP } from "./mcp_configured.ts";
import { run_limits } from "./run_limits.ts";
import { no_folder, StartError } from "./start_error.ts";
import { added_folders, enforceable_policy, refuse_missing_verify } from "./policy.ts";
import { own_folder, type RunSettings, verify_warning } from "./settings.ts";
import type { Earlier, StartOptions } from "./start_options.ts";
import type { ToolsClient } from "../tools/worker/client.ts";

/** Everything a run needs, and what has to be ended after it. */
export interface Started {
  readonly session: Session;
  readonly policy: Policy;
  /** What the kernel can enforce of it. */
  readonly support: Support;
  readonly system: string;
  readonly mcp: readonly McpServer[];
  /** What the user should know of before anything happens. */
  readonly warnings: readonly string[];
  /** The tools worker and the gates, if they were ever begun. */
  services(): Promise<Services> | null;
  /** Settles once the tools worker is being started, which comes before all else that is loaded then. */
  readonly tools_begun: Promise<void>;
  /** What the next run of this process can go on with. */
  left(): Promise<Earlier>;
}

/** The least room that the window must leave for a reply. */
const LEAST_ROOM = 2048;

/** Finds the model and the policy and wires them up. Throws `StartError`. */
export async function start(options: StartOptions): Promise<Started> {
  const { place, flags, interrupt, resumed, earlier, world } = options;
  const { settings, workspace } = place;
  const enforced = world?.enforced ?? earlier?.enforced ?? await enforceable_policy(place, options);
  const { policy, support, warnings: missing } = enforced;
  const { agent, budget } = settings;
  const first_run = world === undefined && earlier === undefined;
  if (resumed !== undefined && first_run) {
    (await import("./persistence.ts")).clear_leftovers(options.session_id, policy);
  }
  if (first_run) {
    refuse_devices(policy);
    try_machine(policy.tmp);
    await refuse_missing_verify(place, { policy, dry_run: flags.dry_run });
  }
  const describes = names_model(settings.auxiliary.vision);
  // A long history is made to fit before it is sent, so the window has to be known; and who can have images described wants to
  // know whether that has to be.
  const wait = resumed !== undefined || (describes && options.images !== undefined);
  const endpoint = await (wait ? options.endpoint.full() : options.endpoint.first);
  refuse_images(endpoint, { images: options.images, describes });
  const wanted = { memory: settings.memory.enabled, save: settings.sessions.save };
  const { data_dir } = place.paths;
  const kept = first_run || earlier?.store === null
    ? find_store(data_dir, wanted)
    : { data_dir, warnings: [] };
  const memory = wanted.memory && kept.data_dir !== null;
  const mcp = world === undefined ? earlier?.mcp ?? await configured_mcp(place, flags) : NO_MCP;
  const mcp_names = world?.mcp ?? mcp.servers.map(({ name }) => name);
  const warnings = [
    // What was said of the first run holds for those that follow.
    ...(earlier !== undefined ? [] : [
      ...place.warnings,
      ...mcp.warnings,
      ...resumed?.warnings ?? [],
      ...missing,
      ...verify_warning(place, flags.dry_run),
      ...deferred_warnings(settings.tools.deferred),
      ...kept.warnings,
    ]),
    ...(endpoint.no_tools !== undefined && agent.tool_call_format === "native"
      ? [`tools are called in text, as with --tool-call-format prompt: ${endpoint.no_tools}`]
      : []),
  ];
  const added = added_folders(flags.add_dir, policy);
  const sources = world?.sources ?? earlier?.sources ?? prompt_sources(workspace, {
    own_folder: own_folder(place),
    rules: flags.system ?? "",
    index: memory ? read_index({ data_dir: kept.data_dir, workspace }) : [],
    folders: added,
  });
  const tools = first_tools(settings.tools.deferred, {
    mode: agent.mode,
    endpoint,
    memory,
    describes,
    sessions: kept.data_dir !== null,
    person: options.clarify !== undefined,
    web: reaches_web(policy),
    only: flags.only_tools ?? null,
    mcp: mcp_names,
    skills: sources.skills ?? [],
  });
  const { wire, system } = await speech(endpoint.no_tools ? "prompt" : agent.tool_call_format, {
    wire: await wire_of(endpoint.api_mode, () => session.endpoint),
    system: system_prompt(sources),
    tools,
  });
  if (budget.max_cost_usd > 0 && world === undefined) {
    const { refuse_unknown_price } = await import("./price.ts");
    refuse_unknown_price(endpoint, place);
  }
  let fallbacks: Promise<Fallbacks> | null = null;
  let others = earlier?.fallbacks ?? null;
  if (first_run && names_other_models(place)) {
    warnings.push(...await (await import("./fallbacks.ts")).check_fallbacks(place));
  }
  const limits: WatchdogLimits = {
    max_steps: agent.max_model_steps,
    max_tool_calls: agent.max_tool_calls,
    timeout_s: agent.timeout_s,
    step_timeout_s: agent.step_timeout_s,
  };
  const pending = wanted.save && kept.data_dir !== null
    ? earlier?.pending ?? new PendingWrites()
    : null;
  const tape = world?.tape ??
    (pending === null ? NO_TAPE : new TapeRecorder(pending, () => session.state.steps));
  let opened: Promise<Store | null> | null = null;
  // SQLite is loaded, and the file opened, while this thread would wait for the model or for the tools worker.
  const open_kept = async (data_dir: string, warn: (message: string) => void) => {
    const step = () => session.state.steps;
    if (earlier?.store) {
      return (await import("../store/store.ts")).reopened(earlier.store, { step, warn });
    }
    const { open_store } = await import("./persistence.ts");
    const { session_id: uuid, task } = options;
    const saved = pending === null ? null : resumed?.reopened ?? { uuid, workspace, task };
    const opening = { data_dir, workspace, memory, step, session: saved, tmp: policy.tmp };
    return await open_store({ ...settings.sessions, ...opening }, warn);
  };
  const open = (warn: (message: string) => void) =>
    world !== undefined
      ? Promise.resolve(world.store)
      : kept.data_dir === null
      ? null
      : opened ??= open_kept(kept.data_dir, warn);
  const { auto_recall } = settings.memory;
  const recalls = auto_recall && settings.reminders.enabled
    ? (await import("./persistence.ts")).recall_from(
      await open((message) => warnings.push(message)),
      tape,
    )
    : [];
  let services: Promise<Services> | null = null;
  let running: Promise<ToolsClient> | null = null;
  let servers: McpServers | null = null;
  const { promise: tools_begun, resolve: on_tools_begun } = Promise.withResolvers<void>();
  const begin = async () => {
    const { full } = options.endpoint;
    const so_far = { first: endpoint, full, sources, recalls, limits };
    const { emit, clarify } = options;
    const heard = { folders: [workspace, ...added], emit, clarify, signal: interrupt };
    if (mcp.servers.length > 0) {
      if (earlier?.tools) {
        earlier.servers?.begin_run((await import("./mcp_servers.ts")).heard_by(heard));
      }
      servers = earlier?.tools
        ? earlier.servers
        : (await import("./mcp_servers.ts")).begin_mcp(mcp.servers, heard);
    }
    const run = {
      ...{ ...options, ...so_far, policy, support, memory, open, pending, tape, mcp_names },
      mcp: servers,
    };
    const { start_tools } = await import("./start_tools.ts");
    const make = () => start_tools(run);
    const tools = Promise.resolve(world === undefined ? running = make() : world.tools(make));
    on_tools_begun();
    tools.catch(() => {}); // Heard once it is known that the run goes on.
    const { begin } = await import("./begin.ts");
    return await begin(session, { ...run, tools });
  };
  const session: Session = {
    endpoint,
    wire,
    refused: new Set(),
    describes,
    fallbacks: async (own) => {
      if (world === undefined) others ??= (await import("./fallbacks.ts")).fallbacks_of(place);
      if (own !== undefined) return await through_tape(own, others);
      return await (fallbacks ??= through_tape(tape, others));
    },
    tools,
    tool_tokens: wire.tools_in_text ? 0 : tool_tokens(tools),
    limits: {
      ...run_limits(place, endpoint),
      rubric: flags.rubric ?? "",
      output_schema: flags.output_schema ?? "",
      only_tools: flags.only_tools ?? null,
      web: policy,
      read_only: flags.read_only === true || agent.mode === "plan",
      dry_run: flags.dry_run,
    },
    // Before the first request only limits can have something to say; the rest of the guards comes with it.
    guards: [watchdog(limits)],
    reminders: recalls,
    clarify: options.clarify ?? null,
    steering: options.steering ?? null,
    history: new History(wire, endpoint.model),
    state: fresh(agent.mode),
    clock: new Clock(
      // What was cut short when a session was recorded is cut short where it was, and nothing else.
      world === undefined
        ? { run_ms: agent.timeout_s * 1000, step_ms: agent.step_timeout_s * 1000 }
        : { run_ms: 0, step_ms: 0 },
      interrupt,
      tape,
    ),
    services: () => services ??= begin().finally(on_tools_begun),
    begin_tools() {
      session.services().catch(() => {}); // Heard by whoever needs them.
      return tools_begun;
    },
    emit: options.emit,
    pending,
    tape,
  };
  // What is known by now need not be found out by a request.
  await refuse_small_window(endpoint, { system, tools, task: options.task });
  const left = async (): Promise<Earlier> => ({
    enforced,
    sources,
    fallbacks: others,
    tools: usable(await running?.catch(() => null) ?? earlier?.tools ?? null),
    store: await opened ?? earlier?.store ?? null,
    pending,
    mcp,
    servers: servers ?? earlier?.servers ?? null,
  });
  return {
    ...{ session, policy, support, system, warnings },
    ...{ services: () => services, tools_begun, left },
    mcp: mcp.servers,
  };
}

/** Deno opens nothing there for who has not all rights, whatever the kernel says. Throws `StartError`. */
function refuse_devices({ workspace, sandbox }: Policy): void {
  const top = ["/dev", "/proc", "/sys"].find((folder) => is_inside(workspace, folder));
  if (top === undefined || sandbox === "off") return;
  throw new StartError(
    `the workspace ${workspace} is in ${top}, where no file can be edited; choose another folder with -C`,
  );
}

/** Of whoever makes a folder, to it. */
const OWN_RIGHTS = 0o700;

/** What would end the run once its first request was made. Throws `StartError` if there is no `/proc`, or no temporary folder can be made. */
function try_machine(folder: string): void {
  if (Deno.build.os === "linux" && look("/proc/self/exe") === null) {
    throw new StartError("there is no /proc, and nothing runs without it: is it mounted?");
  }
  let mode: number | null;
  try {
    Deno.mkdirSync(folder, { mode: OWN_RIGHTS });
    ({ mode } = Deno.lstatSync(folder));
    Deno.removeSync(folder);
  } catch (error) {
    throw no_folder(error);
  }
  // Root needs none.
  if (mode === null || (mode & OWN_RIGHTS) === OWN_RIGHTS || Deno.uid() === 0) return;
  throw new StartError(
    "the umask takes away your own rights to new files: set another one, such as `umask 022`",
  );
}

function usable(tools: ToolsClient | null): ToolsClient | null {
  return tools === null || tools.is_over ? null : tools;
}

/** Whether settings name other models than the run's own: those have to be sound, and ready, before anything starts. */
function names_other_models({ settings: { fallback, auxiliary } }: RunSettings): boolean {
  return fallback.chain.length > 0 || Object.values(auxiliary).some(names_model);
}

function names_model(
  { provider, model, chain }: RunSettings["settings"]["auxiliary"]["vision"],
): boolean {
  return provider !== "" || model !== "" || chain.length > 0;
}

async function through_tape(tape: Tape, fallbacks: Fallbacks | null): Promise<Fallbacks> {
  const { taped_fallbacks } = await import("../agent/tape/taped_fallbacks.ts");
  return taped_fallbacks(tape, fallbacks);
}

/** How the model is told about its tools and calls them: beside the messages, or in their text. */
async function speech(
  format: "native" | "prompt",
  { wire, system, tools }: {
    readonly wire: Wire;
    readonly system: string;
    readonly tools: readonly ToolSchema[];
  },
): Promise<{ readonly wire: Wire; readonly system: string }> {
  switch (format) {
    case "native":
      return { wire, system };
    case "prompt": {
      const { text_calls, with_catalog } = await import("../model/protocols/text_calls.ts");
      return { wire: text_calls(wire), system: with_catalog(system, tools) };
    }
  }
}

/** Throws `StartError` if a model is to be shown images, is known not to see, and no other is there to describe them. */
export function refuse_images(
  { model, sees }: Pick<Endpoint, "model" | "sees">,
  { images = [], describes }: {
    readonly images: readonly Image[] | undefined;
    readonly describes: boolean;
  },
): void {
  if (images.length === 0 || describes || sees !== false) return;
  throw new StartError(
    `--image: the server says that ${model} can't see images: give --model a model that can, ` +
      `or let another one describe them (auxiliary.vision)`,
  );
}

/** Throws `StartError` if a known window has no room for the task. One that is assumed may be larger: it is said that it is. */
export async function refuse_small_window(
  endpoint: Endpoint,
  sent: {
    readonly system: string;
    readonly tools: unknown;
    readonly task: string;
    readonly images?: readonly Image[];
  },
): Promise<void> {
  if (!endpoint.window_known) return;
  const { system, tools, task, images = [] } = sent;
  const chars = system.length + JSON.stringify(tools).length + task.length;
  const needed = Math.ceil(chars / 4) + IMAGE_TOKENS * images.length + LEAST_ROOM;
  if (needed <= endpoint.context_window) return;
  const { larger_window } = await import("../model/server/larger_window.ts");
  throw new StartError(
    `the window of ${endpoint.model} is ${endpoint.context_window} tokens (${endpoint.window_source}), ` +
      `but this task needs about ${needed}; ${larger_window(endpoint, needed)}`,
  );
}
