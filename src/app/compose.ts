/** Puts a run together: settings and flags → model, policy, rules, session. */
import { Clock } from "../agent/clock.ts";
import { History, tool_tokens } from "../agent/history.ts";
import { prompt_sources, system_prompt } from "../agent/prompt.ts";
import type { RunLimits, Session } from "../agent/session.ts";
import { fresh } from "../agent/state.ts";
import { NO_TAPE, PendingWrites, TapeRecorder } from "../agent/pending_writes.ts";
import { watchdog } from "../guards/watchdog.ts";
import type { RunBounds } from "../guards/rule.ts";
import { is_proxied } from "../model/http/proxy.ts";
import { type Endpoint, limits_of } from "../model/server/provider.ts";
import type { Wire } from "../model/wire.ts";
import { wire_of } from "../model/protocols/protocols.ts";
import { reaches_web } from "../permission/web.ts";
import type { Policy } from "../sandbox/policy.ts";
import { find_store, read_index } from "../store/memory_index.ts";
import type { ToolSchema } from "../tools/tool.ts";
import { deferred_warnings, first_tools } from "./first_tools.ts";
import type { McpServer } from "../tools/mcp_server.ts";
import { configured_mcp, type McpConfigured, NO_MCP } from "./mcp_configured.ts";
import {
  refuse_devices,
  refuse_images,
  refuse_small_window,
  try_machine,
} from "./preconditions.ts";
import { RunResources } from "./run_resources.ts";
import {
  added_folders,
  enforceable_policy,
  type Enforced,
  refuse_missing_verify,
} from "./policy.ts";
import { own_folder, type RunSettings, verify_judged, verify_warning } from "./settings.ts";
import type { StartOptions } from "./start_options.ts";

/** Everything a run needs, and what has to be ended after it. */
export interface Started extends Enforced {
  readonly session: Session;
  readonly system: string;
  readonly mcp: readonly McpServer[];
  readonly resources: RunResources;
}

/** Finds the model and the policy and wires them up. Throws `StartError`. */
export async function start(options: StartOptions): Promise<Started> {
  const { place, flags, resumed, earlier, world } = options;
  const { settings, workspace } = place;
  const { agent } = settings;
  const enforced = world?.enforced ?? earlier?.enforced ?? await enforceable_policy(place, options);
  const { policy, support } = enforced;
  if (world === undefined && earlier === undefined) await check_machine(options, policy);
  const describes = names_model(settings.auxiliary.vision);
  // The window has to be known where a long history must be made to fit, and vision where images could be described instead.
  const wait = resumed !== undefined || (describes && options.images !== undefined);
  const endpoint = await (wait ? options.endpoint.full() : options.endpoint.first);
  refuse_images(endpoint, { images: options.images, describes });
  const store = store_of(options);
  const memory = settings.memory.enabled && store.data_dir !== null;
  const mcp = world === undefined ? earlier?.mcp ?? await configured_mcp(place, flags) : NO_MCP;
  const mcp_names = world?.mcp ?? mcp.servers.map(({ name }) => name);
  const folders = added_folders(flags.add_dir, policy);
  const sources = world?.sources ?? earlier?.sources ?? prompt_sources(workspace, {
    own_folder: own_folder(place),
    rules: flags.system ?? "",
    index: memory ? read_index({ data_dir: store.data_dir, workspace }) : [],
    folders,
  });
  const tools = first_tools(settings.tools.deferred, {
    mode: agent.mode,
    endpoint,
    memory,
    describes,
    sessions: store.data_dir !== null,
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
  if (settings.budget.max_cost_usd > 0 && world === undefined) {
    const { refuse_unknown_price } = await import("./price.ts");
    refuse_unknown_price(endpoint, place);
  }
  const warnings = await warnings_of(options, { enforced, endpoint, mcp, store });
  const step = () => session.state.steps;
  const pending = settings.sessions.save && store.data_dir !== null
    ? earlier?.pending ?? new PendingWrites()
    : null;
  const tape = world?.tape ?? (pending === null ? NO_TAPE : new TapeRecorder(pending, step));
  const limits: RunBounds = { ...agent, max_steps: agent.max_model_steps };
  const resources = new RunResources(options, {
    ...{ enforced, endpoint, sources, limits, memory, pending, tape, mcp, mcp_names, step },
    data_dir: store.data_dir,
    folders: [workspace, ...folders],
  });
  const recalls = settings.memory.auto_recall && settings.reminders.enabled
    ? await resources.recalls((message) => warnings.push(message))
    : [];
  const session = session_of(options, {
    ...{ policy, endpoint, wire, tools, describes, limits, recalls, pending, tape, resources },
  });
  // Refuse now what needs no request to be found out.
  await refuse_small_window(endpoint, { system, tools, task: options.task });
  return { session, policy, support, system, warnings, resources, mcp: mcp.servers };
}

function session_of(
  { place, flags, interrupt, began, emit, world, ...options }: StartOptions,
  run:
    & Pick<Session, "endpoint" | "wire" | "tools" | "describes" | "pending" | "tape">
    & Pick<Started, "policy" | "resources">
    & { readonly limits: RunBounds; readonly recalls: Session["reminders"] },
): Session {
  const { endpoint, wire, tools, describes, pending, tape, policy, resources, recalls } = run;
  const { agent } = place.settings;
  const session: Session = {
    ...{ endpoint, wire, tools, describes, pending, tape, emit },
    refused: new Set(),
    fallbacks: (own) => resources.fallbacks(own),
    tool_tokens: wire.tools_in_text ? 0 : tool_tokens(tools),
    limits: {
      ...run_limits(place, endpoint),
      rubric: flags.rubric ?? "",
      output_schema: flags.output_schema ?? "",
      only_tools: flags.only_tools ?? null,
      web: {
        ...{ net: policy.net, web: policy.web ?? [] },
        is_proxied: (url) => is_proxied(url, (name) => place.environ[name]),
      },
      read_only: flags.read_only === true || agent.mode === "plan",
      dry_run: flags.dry_run,
    },
    // Before the first request only limits matter; the other guards are loaded beside it.
    guards: [watchdog(run.limits)],
    reminders: recalls,
    clarify: options.clarify ?? null,
    steering: options.steering ?? null,
    history: new History(wire, endpoint.model),
    state: fresh(agent.mode),
    clock: new Clock(
      // A replay is cut short where the recorded run was, and nowhere else.
      world === undefined
        ? { run_ms: agent.timeout_s * 1000, step_ms: agent.step_timeout_s * 1000 }
        : { run_ms: 0, step_ms: 0 },
      interrupt,
      tape,
      began,
    ),
    services: () => resources.services(session, recalls),
    begin_tools() {
      void session.services();
      return resources.tools_begun;
    },
  };
  return session;
}

async function warnings_of(
  { place, flags, resumed, earlier, world }: StartOptions,
  { enforced, endpoint, mcp, store }: {
    enforced: Enforced;
    endpoint: Endpoint;
    mcp: McpConfigured;
    store: ReturnType<typeof find_store>;
  },
): Promise<string[]> {
  const { agent, tools, fallback, auxiliary } = place.settings;
  return [
    // Warnings of the first run are not repeated in those that follow.
    ...(earlier !== undefined ? [] : [
      ...place.warnings,
      ...mcp.warnings,
      ...resumed?.warnings ?? [],
      ...enforced.warnings,
      ...verify_warning(place, flags.dry_run),
      ...deferred_warnings(tools.deferred),
      ...store.warnings,
    ]),
    ...(endpoint.no_tools !== undefined && agent.tool_call_format === "native"
      ? [`tools are called in text, as with --tool-call-format prompt: ${endpoint.no_tools}`]
      : []),
    // Other models than the run's own are checked before anything starts.
    ...(world === undefined && earlier === undefined &&
        (fallback.chain.length > 0 || Object.values(auxiliary).some(names_model))
      ? await (await import("./fallbacks.ts")).check_fallbacks(place)
      : []),
  ];
}

/** Checks what would otherwise end the first run of a process in the middle. Throws `StartError`. */
async function check_machine(
  { place, flags, resumed, session_id }: StartOptions,
  policy: Policy,
): Promise<void> {
  if (resumed !== undefined) (await import("./persistence.ts")).clear_leftovers(session_id, policy);
  refuse_devices(policy);
  try_machine(policy.tmp);
  await refuse_missing_verify(place, { policy, dry_run: flags.dry_run });
}

/** Where the store is; the folder is null if nothing is to be saved, or it can't be opened. */
function store_of({ place, earlier, world }: StartOptions): ReturnType<typeof find_store> {
  const { settings: { memory, sessions }, paths: { data_dir } } = place;
  return world !== undefined || earlier?.store
    ? { data_dir, warnings: [] }
    : find_store(data_dir, { memory: memory.enabled, save: sessions.save });
}

function names_model(
  { provider, model, chain }: RunSettings["settings"]["auxiliary"]["vision"],
): boolean {
  return provider !== "" || model !== "" || chain.length > 0;
}

/** How the model is told about tools and calls them: beside the messages, or in their text. */
async function speech(
  format: "native" | "prompt",
  { wire, system, tools }: { wire: Wire; system: string; tools: readonly ToolSchema[] },
): Promise<{ readonly wire: Wire; readonly system: string }> {
  if (format === "native") return { wire, system };
  const { text_calls, with_catalog } = await import("../model/protocols/text_calls.ts");
  return { wire: text_calls(wire), system: with_catalog(system, tools) };
}

function run_limits(
  place: RunSettings,
  endpoint: Endpoint,
): Omit<RunLimits, "rubric" | "output_schema" | "only_tools" | "web" | "read_only" | "dry_run"> {
  const { agent, verify, context, budget, memory, guards: { recoveries } } = place.settings;
  return {
    ...agent,
    ...budget,
    verify_command: verify.command,
    verify_judged: verify_judged(place),
    verify_timeout_s: verify.timeout_s,
    recoveries,
    self_eval: verify.self_eval,
    self_eval_retries: verify.self_eval_retries,
    rubric_rounds: verify.rubric_rounds,
    extract: memory.extract,
    context: { ...context, context_budget_tokens: agent.context_budget_tokens },
    http: limits_of(endpoint, agent.idle_timeout_s * 1000),
    retry: place.settings.retry,
  };
}
