/** What starts while the first request is in flight: the tools worker, the gates and the store. Loaded then. */
import { begin_services } from "./services.ts";
import type { Services, Session } from "../agent/session.ts";
import { note_run } from "./persistence.ts";
import type { Beginning } from "./start_options.ts";

/** The kernel lets one program at a time answer for a process; known only when the filter is put up. */
const NO_SUPERVISOR = "commands have no network at all, not even servers of their own: " +
  "another program already supervises this one; --allow-net allows all";

/** Begins it, and gives the run all its guards. Rejects with `ToolsError`; then the tools worker has been ended. */
export async function begin(session: Session, run: Beginning): Promise<Services> {
  try {
    return await begun(session, run);
  } catch (error) {
    // A replay's worker serves all that it replays, and is ended by whoever made it.
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
  const { hooks } = settings;
  const { session_start, turn_end, notification } = hooks;
  const none = [...session_start, ...turn_end, ...notification].length === 0;
  // A replay has none, whatever its tools do.
  const run_hooks = none || tools === null || run.world !== undefined || run.flags.dry_run
    ? null
    : (await import("./run_hooks.ts")).run_hooks_of(hooks, {
      tools,
      session_id: run.session_id,
      workspace: run.place.workspace,
      emit,
    });
  const begun = await begin_services(session, { ...run, full, tools, run_hooks });
  // Before any call: calls wait for it, the first request does not.
  const { model, provider } = full;
  const { agent: { mode } } = settings;
  void run_hooks?.("session_start", { task: run.task, mode, model, provider });
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
