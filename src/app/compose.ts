/** Puts a run together: settings and flags → model, policy, rules, session. */
import { Clock } from "../agent/clock.ts";
import { History, tool_tokens } from "../agent/history.ts";
import { prompt_sources, system_prompt } from "../agent/prompt.ts";
import type { RunLimits, Services, Session } from "../agent/session.ts";
import { fresh_state } from "../agent/state.ts";
import { NO_TAPE, PendingWrites, TapeRecorder } from "../agent/pending_writes.ts";
import { watchdog } from "../guards/watchdog.ts";
import { is_proxied } from "../model/http/proxy.ts";
import { limits_of } from "../model/server/provider.ts";
import type { Wire } from "../model/wire.ts";
import { wire_of } from "../model/protocols/protocols.ts";
import { reaches_web } from "../permission/web.ts";
import type { Policy } from "../sandbox/policy.ts";
import { is_readable } from "../sandbox/scope/read_scope.ts";
import { find_store, read_index } from "../store/memory_index.ts";
import { is_usable, type Provided, type ToolSchema } from "../tools/tool.ts";
import { configured_mcp, NO_MCP } from "./mcp_configured.ts";
import {
  refuse_devices,
  refuse_images,
  refuse_small_window,
  try_machine,
} from "./preconditions.ts";
import { type Driver, type Run, type RunParts, RunResources } from "./run.ts";
import { added_folders, enforceable_policy, refuse_missing_verify } from "./policy.ts";
import {
  has_other_models,
  names_model,
  own_folder,
  type RunSettings,
  verify_judged,
  verify_warning,
} from "./settings.ts";
import type { RunOptions, World } from "./run_options.ts";
import { tools_of } from "../agent/mode.ts";
import type { Mode } from "../guards/rule.ts";
import { type Deferral, is_deferrable, is_deferred } from "../tools/declared/deferral.ts";
import { tool_search_with } from "../tools/declared/agent_level_tools.ts";
import { EVERY_TOOL, schema_of } from "../tools/declared/every_tool.ts";

/** Finds the model and the policy and wires them up. Throws `StartError`. */
export async function compose(options: RunOptions, driver: Driver): Promise<Run> {
  const { parts, warnings } = await parts_of(options, driver, () => run.session.state.steps);
  const { place: { settings }, flags, first, sources, has, mcp_names, task } = parts;
  const { agent, memory, reminders: { enabled: reminds } } = settings;
  const { context_window } = first;
  const tools = first_tools({ setting: settings.tools.deferred, context_window }, {
    ...{ mode: agent.mode, has, mcp: mcp_names, skills: sources.skills ?? [] },
    only: flags.only_tools ?? null,
  });
  const { wire, system } = await speech(first.no_tools ? "prompt" : agent.tool_call_format, {
    wire: await wire_of(first.api_mode, () => run.session.endpoint),
    system: system_prompt(sources),
    tools,
  });
  const resources = new RunResources(parts);
  const reminders = memory.auto_recall && reminds
    ? await resources.recalls((message) => warnings.push(message))
    : [];
  const session = session_of(parts, {
    ...{ wire, tools, reminders },
    describes: names_model(settings.auxiliary.vision),
    fallbacks: (own) => resources.fallbacks(own),
    services: () => resources.services(() => start(run)),
    start_tools() {
      void session.services();
      return resources.tools_starting;
    },
  });
  const run: Run = { ...parts, session, system, resources, warnings };
  // Refuse now what needs no request to be found out.
  await refuse_small_window(first, { system, tools, task });
  return run;
}

/** What is known of a run before its session is made; `step`: the number of its steps so far. Throws `StartError`. */
async function parts_of(
  options: RunOptions,
  driver: Driver,
  step: () => number,
): Promise<{ readonly parts: RunParts; readonly warnings: string[] }> {
  const { place, flags, resumed, earlier, images } = options;
  const { world } = driver;
  const { settings, workspace } = place;
  const { agent, budget, memory, sessions } = settings;
  const enforced = world?.enforced ?? earlier?.enforced ?? await enforceable_policy(place, options);
  const { policy } = enforced;
  if (world === undefined && earlier === undefined) await check_machine(options, policy);
  const describes = names_model(settings.auxiliary.vision);
  // The window has to be known where a long history must be made to fit, and vision where images could be described instead.
  const wait = resumed !== undefined || (describes && images !== undefined);
  const first = await (wait ? options.endpoint.full() : options.endpoint.first);
  refuse_images(first, { images, describes });
  const { data_dir, warnings } = store_of(options, world);
  const remembers = memory.enabled && data_dir !== null;
  const has: Provided = {
    memory: remembers,
    store: data_dir !== null,
    sight: describes || first.sees !== false,
    person: options.clarify !== undefined,
    net: reaches_web(policy),
  };
  const mcp = world === undefined ? earlier?.mcp ?? await configured_mcp(place, flags) : NO_MCP;
  const added = added_folders(flags.add_dir, policy);
  const sources = world?.sources ?? earlier?.sources ?? prompt_sources(workspace, {
    own_folder: own_folder(place),
    is_judged: options.is_judged,
    may_read: (real) => is_readable(policy, real),
    rules: flags.system ?? "",
    index: remembers ? read_index({ data_dir, workspace }) : [],
    folders: added,
  });
  if (budget.max_cost_usd > 0 && world === undefined) {
    const { refuse_unknown_price } = await import("./price.ts");
    refuse_unknown_price(first, place);
  }
  const pending = sessions.save && data_dir !== null
    ? earlier?.pending ?? new PendingWrites()
    : null;
  const parts: RunParts = {
    ...{ ...options, ...driver, enforced, first, sources, has, data_dir, pending, mcp, step },
    mcp_names: world?.mcp ?? mcp.servers.map(({ name }) => name),
    folders: [workspace, ...added],
    limits: { ...agent, max_steps: agent.max_model_steps },
    tape: world?.tape ?? (pending === null ? NO_TAPE : new TapeRecorder(pending, step)),
  };
  return { parts, warnings: await warnings_of(parts, warnings) };
}

async function start(run: Run): Promise<Services> {
  const { resources } = run;
  await resources.start_mcp();
  const { start_tools } = await import("./start_tools.ts");
  const tools = resources.start_tools(() => start_tools(run));
  const { start_services } = await import("./services.ts");
  return await start_services(run, tools);
}

function session_of(
  run: RunParts,
  made: Pick<
    Session,
    "wire" | "tools" | "describes" | "reminders" | "fallbacks" | "services" | "start_tools"
  >,
): Session {
  const { place: { settings: { agent } }, first: endpoint, world, pending, tape, emit } = run;
  const { wire, tools } = made;
  return {
    ...{ ...made, endpoint, pending, tape, emit },
    refused: new Set(),
    tool_tokens: wire.tools_in_text ? 0 : tool_tokens(tools),
    limits: run_limits(run),
    // Before the first request only limits matter; the other guards are loaded beside it.
    guards: [watchdog(run.limits)],
    clarify: run.clarify ?? null,
    steering: run.steering ?? null,
    history: new History(wire, endpoint.model),
    state: fresh_state(agent.mode),
    clock: new Clock(
      // A replay is cut short where the recorded run was, and nowhere else.
      world === undefined
        ? { run_ms: agent.timeout_s * 1000, step_ms: agent.step_timeout_s * 1000 }
        : { run_ms: 0, step_ms: 0 },
      run.interrupt,
      tape,
      run.began,
    ),
  };
}

async function warnings_of(
  { place, flags, resumed, earlier, world, enforced, first, mcp }: RunParts,
  of_store: readonly string[],
): Promise<string[]> {
  const { agent, tools } = place.settings;
  return [
    // Warnings of the first run are not repeated in those that follow.
    ...(earlier !== undefined ? [] : [
      ...place.warnings,
      ...mcp.warnings,
      ...resumed?.warnings ?? [],
      ...enforced.warnings,
      ...verify_warning(place, flags.dry_run),
      ...deferred_warnings(tools.deferred),
      ...of_store,
    ]),
    ...(first.no_tools !== undefined && agent.tool_call_format === "native"
      ? [`tools are called in text, as with --tool-call-format prompt: ${first.no_tools}`]
      : []),
    // Other models than the run's own are checked before anything starts.
    ...(world === undefined && earlier === undefined && has_other_models(place)
      ? await (await import("./fallbacks.ts")).check_fallbacks(place)
      : []),
  ];
}

/** Checks what would otherwise end the first run of a process in the middle. Throws `StartError`. */
async function check_machine(
  { place, flags, resumed, session_id }: RunOptions,
  policy: Policy,
): Promise<void> {
  if (resumed !== undefined) (await import("./persistence.ts")).clear_leftovers(session_id, policy);
  refuse_devices(policy);
  try_machine(policy.tmp);
  await refuse_missing_verify(place, { policy, dry_run: flags.dry_run });
}

/** Where the store is; the folder is null if nothing is to be saved, or it can't be opened. */
function store_of(
  { place, earlier }: RunOptions,
  world: World | undefined,
): ReturnType<typeof find_store> {
  const { settings: { memory, sessions }, paths: { data_dir } } = place;
  return world !== undefined || earlier?.store
    ? { data_dir, warnings: [] }
    : find_store(data_dir, { memory: memory.enabled, save: sessions.save });
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

function run_limits({ place, flags, first, enforced: { policy } }: RunParts): RunLimits {
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
    http: limits_of(first, agent.idle_timeout_s * 1000),
    retry: place.settings.retry,
    rubric: flags.rubric ?? "",
    output_schema: flags.output_schema ?? "",
    only_tools: flags.only_tools ?? null,
    web: {
      ...{ net: policy.net, web: policy.web ?? [] },
      is_proxied: (url) => is_proxied(url, (name) => place.environ[name]),
    },
    read_only: flags.read_only === true || agent.mode === "plan",
    dry_run: flags.dry_run,
  };
}

/** What the first request offers, without waiting for the window: if it is unknown, `auto` defers. The offer never shrinks. */
function first_tools(
  deferral: Deferral,
  { mode, has, mcp, skills, only }: {
    readonly mode: Mode;
    readonly has: Provided;
    readonly mcp: readonly string[];
    readonly skills: readonly string[];
    /** The tools that the user has named; null: all. */
    readonly only: readonly string[] | null;
  },
): readonly ToolSchema[] {
  const usable = EVERY_TOOL.filter((tool) => is_usable(tool, has));
  const finder = tool_search_with({ servers: mcp, skills });
  // A user who names tools wants them offered at once; those of servers are not known yet.
  if (only !== null) {
    const named = tools_of(mode, usable.filter(({ name }) => only.includes(name)));
    const remote = only.some((name) => name.includes("__"));
    return [...named, ...(remote ? [finder] : [])].map(schema_of);
  }
  const basic = tools_of(mode, usable.filter(({ offered }) => offered === "always"));
  const all = usable.filter(is_deferrable);
  const first = all.filter((tool) => !is_deferred(tool, deferral));
  const hidden = first.length < all.length || mcp.length > 0 || skills.length > 0;
  return [...basic, ...first, ...(hidden ? [finder] : [])].map(schema_of);
}

/** Skills and tools of MCP servers are always found by a search, whether the setting names them or not. */
function deferred_warnings(
  setting: RunSettings["settings"]["tools"]["deferred"],
): readonly string[] {
  if (typeof setting === "string") return [];
  const names = EVERY_TOOL.filter(is_deferrable).map(({ name }) => name);
  return setting.filter((name) => ![...names, "skill"].includes(name) && !name.includes("__"))
    .map((name) =>
      `tools.deferred: ${name} is not a tool that can be deferred; known: ${names.join(", ")}`
    );
}
