/** What the first request does not need: the tools worker, the gates, the store. Loaded and started while it is in flight. */
import { guards } from "../guards/mod.ts";
import type { RunBounds } from "../guards/rule.ts";
import { Approval, type ApprovalOptions } from "../permission/approval.ts";
import { later } from "../config/timer.ts";
import { fault_of } from "../tools/check.ts";
import { EVERY_TOOL } from "../tools/declared/every_tool.ts";
import { is_among, is_usable } from "../tools/tool.ts";
import { assistant, repair_calls } from "../agent/arguments.ts";
import { approver } from "../agent/approve.ts";
import { execute } from "../agent/execute.ts";
import { look_for_left } from "../agent/look_for_left.ts";
import { check_usage } from "../agent/check_usage.ts";
import { tools_of } from "../agent/mode.ts";
import { REMINDERS } from "../agent/reminders.ts";
import type { Endpoint } from "../model/server/endpoint.ts";
import { branch_of } from "./branch.ts";
import type { Gates, Services } from "../agent/session.ts";
import { Saver } from "../agent/saving/save.ts";
import { charge } from "../agent/spending.ts";
import { type PendingWrites, TapeRecorder } from "../agent/pending_writes.ts";
import type { Tape } from "../agent/tape.ts";
import { TapedFacts, TapedTools, type Tools } from "../agent/taped_tools.ts";
import type { SessionWriter } from "../store/session_writer.ts";
import { confirm_of, own_folder } from "./settings.ts";
import { hooks_of } from "./start_tools.ts";
import type { Run } from "./run.ts";
import { inputs_of } from "./run_inputs.ts";
import { saved_run } from "./saved_flags.ts";

/** The kernel lets one program at a time answer for a process; known only when the filter is put up. */
const NO_SUPERVISOR = "commands have no network at all, not even servers of their own: " +
  "another program already supervises this one; --allow-net allows all";

/** Starts them, and gives the run all its guards. Rejects with `ToolsError`; then the tools worker has been ended. */
export async function start_services(run: Run, tools: Promise<Tools | null>): Promise<Services> {
  try {
    return await started(run, tools);
  } catch (error) {
    await (await tools.catch(() => null))?.close(true);
    throw error;
  }
}

async function started(run: Run, starting: Promise<Tools | null>): Promise<Services> {
  const { session, place: { settings }, enforced: { policy }, pending, resumed, emit } = run;
  const full = await run.endpoint.full();
  // What comes of it ends the run by itself.
  await run.met?.().catch(() => {});
  const tools = await starting;
  const { hooks } = settings;
  const { session_start, turn_end, notification } = hooks;
  const none = [...session_start, ...turn_end, ...notification].length === 0;
  const run_hooks = none || tools === null || run.flags.dry_run
    ? null
    : (await import("./run_hooks.ts")).run_hooks_of(hooks, {
      tools,
      session_id: run.session_id,
      workspace: run.place.workspace,
      emit,
    });
  const services = await services_of(run, { full, tools, run_hooks });
  // Before any call: calls wait for it, the first request does not.
  const { model, provider } = full;
  const { agent: { mode } } = settings;
  void run_hooks?.("session_start", { task: run.task, mode, model, provider });
  void services.tools_client.ready.then(({ policy: in_force }) => {
    if (in_force.net !== policy.net) emit({ type: "warning", message: NO_SUPERVISOR });
  }, () => {}); // Tools that do not start end the run.
  if (pending !== null) note_run(run, pending, { full, memory: services.memory !== null });
  for (const { name, lasting } of resumed === undefined ? [] : services.guards) {
    // What was said of limits was said of those of the last run.
    if (lasting) delete session.state.turn.memory[name];
  }
  session.guards = services.guards;
  // The person waits for the end; but first a call that came at once is asked for.
  services.tools_client.ready.then(() => later(0, services.gates), () => {});
  if (settings.reminders.enabled) session.reminders = [...services.reminders, ...session.reminders];
  return services;
}

/** Notes how the run begins, for a replay. */
function note_run(run: Run, pending: PendingWrites, known: Parameters<typeof inputs_of>[1]): void {
  const { session: { state: { steps }, tape } } = run;
  if (tape instanceof TapeRecorder) tape.begin();
  const branch = branch_of(run.place.workspace);
  const row = { ...saved_run(run), ...(branch === null ? {} : { branch }) };
  pending.add("runs", steps, { ...row, inputs: inputs_of(run, known) });
}

async function services_of(run: Run, { full, tools, run_hooks }: {
  full: Endpoint;
  /** Null: there is no worker, and all it would say is on the tape. */
  tools: Tools | null;
  run_hooks: Services["run_hooks"];
}): Promise<Services> {
  const { place, flags, tape, emit } = run;
  const { agent, budget, guards: guard_settings } = place.settings;
  const store = await run.resources.open((message) => emit({ type: "warning", message }));
  const memory = store?.memory ?? null;
  const saver = saver_of(run, store?.session ?? null);
  const limits = { ...run.limits, ...guard_settings, ...budget };
  let judges: Promise<Gates> | null = null;
  /** Writes the changes that could not be written so far. At the end the tools worker has given back the room on the disk that it took. */
  const write_changes = async () => {
    await store?.recorder?.take({ kind: "changes", rows: [] });
  };
  const services: Services = {
    ...heard_on(tape, run, tools),
    store,
    memory: memory === null ? null : new TapedFacts(tape, memory, run.is_review),
    // A subagent's steps are part of the call that sent it.
    save: async (session, reason) => {
      if (session.subagent) return;
      // The store is closed after that.
      if (reason !== null) {
        await services.tools_client.recorded;
        await write_changes();
      }
      await saver?.save(session, reason);
    },
    settle: async (session) => {
      await saver?.settle(session);
      await write_changes();
    },
    saved: () => saver?.extent ?? null,
    fault_of,
    run_agent_tools: async (...asked) => {
      const { run_agent_tools } = await import("../agent/tools/agent_tools.ts");
      return await run_agent_tools(...asked);
    },
    on_tape: (tape) => ({ ...services, ...heard_on(tape, run, tools) }),
    charge,
    check_usage: (session, reply) =>
      check_usage({ ...session, endpoint: fuller(session.endpoint, full) }, reply),
    repair_calls,
    assistant,
    execute,
    look_for_left,
    approve: approver(new Approval(approval_options(run, run_hooks))),
    tools: offered(run),
    guards: guards(limits),
    mcp: mcp_in(run),
    skills: skills_in(run),
    roles: roles_in(run),
    run_hooks,
    reminders: REMINDERS,
    subagent_guards: (role) => guards({ ...limits, ...steps_of(role, agent.delegate_max_steps) }),
    gates: () =>
      judges ??= import("../gates/mod.ts").then(({ gates }) =>
        gates({
          ...guard_settings,
          talks: run.talks ?? false,
          formed: flags.output_schema !== undefined,
        })
      ),
  };
  return services;
}

function heard_on(
  tape: Tape,
  run: Run,
  tools: Tools | null,
): Pick<Services, "tools_client" | "screen"> {
  const tools_client = new TapedTools(tape, tools, { policy: run.enforced.policy });
  const { pre_tool: hooks = [] } = hooks_of(run) ?? {};
  return {
    tools_client,
    screen: hooks.length === 0 ? null : async (call, signal) => {
      const { screen } = await import("../agent/hooks.ts");
      return await screen(call, { hooks, tools_client, fault_of, signal });
    },
  };
}

/** An agent's own limit. That of the workspace's can't raise what the user allows. */
function steps_of(
  role: Parameters<Services["subagent_guards"]>[0],
  most: number,
): Pick<RunBounds, "max_steps" | "steps_setting"> {
  const own = role?.max_steps ?? 0;
  return role !== null && own > 0 && (most === 0 || own < most)
    ? { max_steps: own, steps_setting: `max_steps of ${role.name}` }
    : { max_steps: most, steps_setting: "agent.delegate_max_steps" };
}

/** What saves the session; null if it should not or can't be saved. */
function saver_of({ pending, resumed, session: { history } }: Run, writer: SessionWriter | null) {
  if (writer === null || pending === null) return null;
  return new Saver(writer, pending, {
    ...resumed?.saved ?? { messages: 0, ledger: 0 },
    // What was replaced since a session was taken over is not saved.
    rewritten: resumed === undefined ? history.rewritten : 0,
  });
}

/** Whether the model can see turns out later. */
function offered({ place, flags: { only_tools }, has }: Run): Services["tools"] {
  return tools_of(place.settings.agent.mode, EVERY_TOOL).filter((tool) =>
    is_usable(tool, { ...has, sight: true }) &&
    (only_tools === undefined || is_among(tool, only_tools))
  );
}

/** What the server has said of itself may not have reached the session yet. */
function fuller(endpoint: Endpoint, full: Endpoint): Endpoint {
  const { base_url, model } = full;
  return endpoint.base_url === base_url && endpoint.model === model ? full : endpoint;
}

function approval_options(
  { place, flags, enforced: { policy }, tape, ...run }: Run,
  run_hooks: Services["run_hooks"],
): ApprovalOptions {
  return {
    confirm: confirm_of(place),
    dry_run: flags.dry_run,
    granted: run.granted ?? new Set(),
    ask: (question, signal, known) =>
      tape.ask("approval", () => {
        if (known) return Promise.resolve("yes");
        const { tool, summary, why } = question;
        void run_hooks?.("notification", { kind: "approval", tool, summary, why });
        return run.ask(question, signal);
      }),
    workspace: place.workspace,
    home: policy.env["HOME"] ?? "",
  };
}

function mcp_in(
  { resources: { servers }, mcp_names, place, flags: { only_tools } }: Run,
): Services["mcp"] {
  if (mcp_names.length === 0) return null;
  return {
    setting: place.settings.tools.deferred,
    tools: async () => {
      const all = await servers?.tools() ?? null;
      return all && only_tools ? all.filter(({ name }) => only_tools.includes(name)) : all;
    },
  };
}

function roles_in({ place, is_judged }: Run) {
  return async () => {
    const { named_agents } = await import("./agents.ts");
    // Which model is paid for is the user's to say.
    return named_agents(place, is_judged)
      .map((one) => one.is_users ? one : { ...one, model: "" });
  };
}

/** The skills that were found before the first request; what they say is read when it is asked for. */
function skills_in({ sources, place, flags }: Run) {
  const { skills: names = [] } = sources;
  const barred = flags.only_tools !== undefined && !flags.only_tools.includes("skill");
  if (names.length === 0 || barred) return null;
  const source = async () => {
    const { skills_of } = await import("../agent/skills.ts");
    return skills_of(place.workspace, own_folder(place));
  };
  return {
    setting: place.settings.tools.deferred,
    names,
    list: async () => await (await source()).list(),
    read: async (name: string) => await (await source()).read(name),
  };
}
