/** What is begun while the first request is in flight: the tools worker, the gates and the store. Loaded then. */
import { begin_late } from "../agent/late.ts";
import type { PromptSources } from "../agent/prompt.ts";
import type { Reminder } from "../agent/reminders.ts";
import type { Late, Session } from "../agent/session.ts";
import type { Tape } from "../agent/tape.ts";
import type { Unsaved } from "../agent/unsaved.ts";
import type { WatchdogLimits } from "../guards/watchdog.ts";
import { result_limits } from "../context/result_limits.ts";
import type { Endpoint } from "../model/endpoint.ts";
import type { Policy } from "../sandbox/policy.ts";
import type { Store } from "../store/store.ts";
import { note_run } from "./keep.ts";
import { confirm_of } from "./settings.ts";
import type { StartOptions } from "./start_options.ts";

/** The kernel lets one program at a time answer for a process; known only when the filter is put up. */
const NO_SUPERVISOR = "commands have no network at all, not even servers of their own: " +
  "another program supervises this one already; --allow-net allows all";

/** What a run was started with, and what became of that so far. */
export interface Beginning extends Omit<StartOptions, "endpoint"> {
  /** As far as it was known. */
  readonly first: Endpoint;
  readonly full: () => Promise<Endpoint>;
  readonly sources: PromptSources;
  readonly recalls: readonly Reminder[];
  readonly limits: WatchdogLimits;
  readonly policy: Policy;
  /** Whether there is to be a memory. */
  readonly memory: boolean;
  readonly open: (warn: (message: string) => void) => Promise<Store | null> | null;
  readonly unsaved: Unsaved | null;
  readonly tape: Tape;
}

/** Begins it, and gives the run all its guards. Rejects with `HatchError`. */
export async function begin(session: Session, run: Beginning): Promise<Late> {
  const { place: { settings }, policy, unsaved, resumed, emit } = run;
  const full = await run.full();
  // What comes of it ends the run by itself.
  await run.met?.().catch(() => {});
  const begun = await begin_late(policy, late_options(session, { ...run, endpoint: full }));
  void begun.hatch.ready.then(({ policy: in_force }) => {
    if (in_force.net !== policy.net) emit({ type: "warning", message: NO_SUPERVISOR });
  }, () => {}); // A hatch that does not open ends the run.
  if (unsaved !== null) note_run(unsaved, { ...run, full, memory: begun.memory !== null }, session);
  for (const { name, lasting } of resumed === undefined ? [] : begun.guards) {
    // What was said of limits was said of those of the last run.
    if (lasting) delete session.state.memory[name];
  }
  session.guards = begun.guards;
  if (settings.reminders.enabled) session.reminders = [...begun.reminders, ...run.recalls];
  return begun;
}

function late_options(
  session: Session,
  run: Beginning & { readonly endpoint: Endpoint },
): Parameters<typeof begin_late>[1] {
  const { place, flags, policy, endpoint, limits, emit, world } = run;
  const { settings: { agent, budget, guards, hooks, tools, context }, workspace } = place;
  const { data_dir } = place.paths;
  const warn = (message: string) => emit({ type: "warning", message });
  return {
    endpoint,
    store: run.open(warn),
    memory: run.memory,
    unsaved: run.unsaved,
    tape: run.tape,
    ...(world === undefined ? {} : { tools: world.tools }),
    saved: {
      ...run.resumed?.saved ?? { messages: 0, ledger: 0 },
      // What was replaced since a session was taken over is not saved.
      rewritten: run.resumed === undefined ? session.history.rewritten : 0,
    },
    data_dir: world === undefined ? data_dir : null,
    spill_days: tools.spill_days,
    hatch: {
      limits: result_limits(
        { lines: context.tool_result_lines, bytes: context.tool_result_bytes },
        endpoint.context_window,
      ),
      bash_timeout_s: tools.bash_timeout_s,
      watch: {
        data_dir: world === undefined ? data_dir : null,
        warn,
        cut_off: world === undefined && run.resumed?.reopened.info.stop_reason === null,
      },
      on_turn_diff: (diff) => emit({ type: "turn_diff", ...diff }),
    },
    hooks,
    gates: guards,
    guards: { ...limits, ...guards, ...budget },
    mode: agent.mode,
    delegate_max_steps: agent.delegate_max_steps,
    approval: {
      confirm: confirm_of(place),
      dry_run: flags.dry_run,
      ask: (question, signal) => run.tape.ask("approval", () => run.ask(question, signal)),
      workspace,
      home: policy.env["HOME"] ?? "",
    },
  };
}
