/** What is begun while the first request is in flight: the tools worker, the gates and the store. Loaded then. */
import { begin_services } from "./services.ts";
import type { RunHooks, Services, Session } from "../agent/session.ts";
import type { Tools } from "../agent/taped_tools.ts";
import type { Endpoint } from "../model/server/endpoint.ts";
import { note_run } from "./persistence.ts";
import { confirm_of, own_folder } from "./settings.ts";
import { hooks_of } from "./start_tools.ts";
import type { Beginning } from "./start_options.ts";

/** The kernel lets one program at a time answer for a process; known only when the filter is put up. */
const NO_SUPERVISOR = "commands have no network at all, not even servers of their own: " +
  "another program already supervises this one; --allow-net allows all";

/** Begins it, and gives the run all its guards. Rejects with `ToolsError`; then the tools worker has been ended. */
export async function begin(session: Session, run: Beginning): Promise<Services> {
  try {
    return await begun(session, run);
  } catch (error) {
    // That of a replay is for all that it replays, and whoever made it ends it.
    const tools = run.world === undefined ? await run.tools.catch(() => null) : null;
    await tools?.close(true);
    throw error;
  }
}

async function begun(session: Session, run: Beginning): Promise<Services> {
  const { place: { settings }, policy, pending, resumed, emit } = run;
  const full = await run.full();
  // What comes of it ends the run by itself.
  await run.met?.().catch(() => {});
  const tools = await run.tools;
  const run_hooks = await hooks_about(run, tools);
  const begun = await begin_services(
    policy,
    service_options(session, { ...run, tools, endpoint: full, run_hooks }),
  );
  // Before any call: calls wait for it, the first request does not.
  const { model, provider } = full;
  void run_hooks?.("session_start", {
    task: run.task,
    mode: settings.agent.mode,
    model,
    provider,
  });
  void begun.tools_client.ready.then(({ policy: in_force }) => {
    if (in_force.net !== policy.net) emit({ type: "warning", message: NO_SUPERVISOR });
  }, () => {}); // Tools that do not start end the run.
  if (pending !== null) note_run(pending, { ...run, full, memory: begun.memory !== null }, session);
  for (const { name, lasting } of resumed === undefined ? [] : begun.guards) {
    // What was said of limits was said of those of the last run.
    if (lasting) delete session.state.turn.memory[name];
  }
  session.guards = begun.guards;
  if (settings.reminders.enabled) session.reminders = [...begun.reminders, ...run.recalls];
  return begun;
}

function service_options(
  session: Session,
  run: Omit<Beginning, "tools"> & Pick<Services, "run_hooks"> & {
    readonly endpoint: Endpoint;
    readonly tools: Tools | null;
  },
): Parameters<typeof begin_services>[1] {
  const { place, flags, policy, endpoint, limits, emit } = run;
  const { settings: { agent, budget, guards }, workspace } = place;
  const warn = (message: string) => emit({ type: "warning", message });
  return {
    endpoint,
    store: run.open(warn),
    memory: run.memory,
    pending: run.pending,
    tape: run.tape,
    tools: run.tools,
    mcp: run.mcp_names.length === 0 ? null : {
      setting: run.place.settings.tools.deferred,
      tools: async () => {
        const all = await run.mcp?.tools() ?? null;
        const { only_tools } = flags;
        return all && only_tools ? all.filter(({ name }) => only_tools.includes(name)) : all;
      },
    },
    skills: skills_in(run),
    roles: roles_in(run),
    run_hooks: run.run_hooks,
    saved: {
      ...run.resumed?.saved ?? { messages: 0, ledger: 0 },
      // What was replaced since a session was taken over is not saved.
      rewritten: run.resumed === undefined ? session.history.rewritten : 0,
    },
    hooks: hooks_of(run),
    person: session.clarify !== null,
    gates: { ...guards, talks: run.talks ?? false },
    guards: { ...limits, ...guards, ...budget },
    mode: agent.mode,
    only_tools: flags.only_tools ?? null,
    delegate_max_steps: agent.delegate_max_steps,
    approval: {
      confirm: confirm_of(place),
      dry_run: flags.dry_run,
      ask: (question, signal) =>
        run.tape.ask("approval", () => {
          const { tool, summary, why } = question;
          void run.run_hooks?.("notification", { kind: "approval", tool, summary, why });
          return run.ask(question, signal);
        }),
      workspace,
      home: policy.env["HOME"] ?? "",
    },
  };
}

/** Hooks about the run; a replay has none, whatever its tools do. */
async function hooks_about(
  { place: { settings: { hooks }, workspace }, world, flags, session_id, emit }: Beginning,
  tools: Tools | null,
): Promise<RunHooks | null> {
  const none = hooks.session_start.length + hooks.turn_end.length + hooks.notification.length === 0;
  if (none || tools === null || world !== undefined || flags.dry_run) return null;
  const { run_hooks_of } = await import("./run_hooks.ts");
  return run_hooks_of(hooks, { tools, session_id, workspace, emit });
}

/** Agents with a name, as they are when one is sent. */
function roles_in({ place }: Pick<Beginning, "place">) {
  return async () => {
    const { named_agents } = await import("./agents.ts");
    // Which model is paid for is the user's to say.
    return named_agents(place).map((one) => one.is_users ? one : { ...one, model: "" });
  };
}

/** The skills that were found before the first request; what they say is read when it is asked for. */
function skills_in({ sources, place, flags }: Pick<Beginning, "sources" | "place" | "flags">) {
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
