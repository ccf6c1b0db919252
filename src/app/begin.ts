/** What starts while the first request is in flight: the tools worker, the gates and the store. Loaded then. */
import { type PendingWrites, TapeRecorder } from "../agent/pending_writes.ts";
import type { Services } from "../agent/session.ts";
import type { Tools } from "../agent/taped_tools.ts";
import { branch_of } from "./branch.ts";
import type { Run } from "./run.ts";
import { inputs_of } from "./run_inputs.ts";
import { saved_run } from "./saved_flags.ts";
import { services_of } from "./services.ts";

/** The kernel lets one program at a time answer for a process; known only when the filter is put up. */
const NO_SUPERVISOR = "commands have no network at all, not even servers of their own: " +
  "another program already supervises this one; --allow-net allows all";

/** Begins it, and gives the run all its guards. Rejects with `ToolsError`; then the tools worker has been ended. */
export async function begin_services(run: Run, tools: Promise<Tools | null>): Promise<Services> {
  try {
    return await begun(run, tools);
  } catch (error) {
    // A replay's worker serves all that it replays, and is ended by whoever made it.
    const started = run.world === undefined ? await tools.catch(() => null) : null;
    await started?.close(true);
    throw error;
  }
}

async function begun(run: Run, starting: Promise<Tools | null>): Promise<Services> {
  const { session, place: { settings }, enforced: { policy }, pending, resumed, emit } = run;
  const full = await run.endpoint.full();
  // What comes of it ends the run by itself.
  await run.met?.().catch(() => {});
  const tools = await starting;
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
  const begun = await services_of(run, { full, tools, run_hooks });
  // Before any call: calls wait for it, the first request does not.
  const { model, provider } = full;
  const { agent: { mode } } = settings;
  void run_hooks?.("session_start", { task: run.task, mode, model, provider });
  void begun.tools_client.ready.then(({ policy: in_force }) => {
    if (in_force.net !== policy.net) emit({ type: "warning", message: NO_SUPERVISOR });
  }, () => {}); // Tools that do not start end the run.
  if (pending !== null) note_run(run, pending, { full, memory: begun.memory !== null });
  for (const { name, lasting } of resumed === undefined ? [] : begun.guards) {
    // What was said of limits was said of those of the last run.
    if (lasting) delete session.state.turn.memory[name];
  }
  session.guards = begun.guards;
  if (settings.reminders.enabled) session.reminders = [...begun.reminders, ...session.reminders];
  return begun;
}

/** Notes how the run begins, for a replay. */
function note_run(
  run: Run,
  pending: PendingWrites,
  known: Parameters<typeof inputs_of>[1],
): void {
  const { session: { state: { steps }, tape } } = run;
  if (tape instanceof TapeRecorder) tape.begin();
  const branch = branch_of(run.place.workspace);
  const row = { ...saved_run(run), ...(branch === null ? {} : { branch }) };
  pending.add("runs", steps, { ...row, inputs: inputs_of(run, known) });
}
