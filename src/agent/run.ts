import type { Mode } from "../guards/rule.ts";
import { consult } from "./consult.ts";
import { turn } from "./loop.ts";
import type { Session } from "./session.ts";
import { begin_turn, type Ending } from "./state.ts";

/** The end of a verify command's output that goes to the model: there the failures stand. */
const TAIL_CHARS = 6000;

/**
 * One run: the first turn, then what the mode asks for is looked at; while that fails and repairs are left,
 * another turn with the failure as its task.
 */
export async function run(
  session: Session,
  first: { system: string; task: string },
): Promise<Ending> {
  const { history } = session;
  history.append({ role: "system", content: first.system });
  history.append({ role: "user", content: first.task });
  try {
    return await turns(session);
  } finally {
    session.steering?.end();
  }
}

async function turns(session: Session): Promise<Ending> {
  const { history, limits, state } = session;
  let ending = await turn(session);
  if (limits.dry_run && ending.reason === "llm_done") return after_dry_run(ending, state.mode);
  let repairs = 0;
  while (ending.reason === "llm_done") {
    const cut = await inspect(session, ending);
    if (cut !== null) return cut;
    if (session.steering?.pending) {
      ending = await turn(session);
      continue;
    }
    const verdict = consult(session, (await session.late()).contract, { at: "contract" });
    if (verdict.kind !== "stop") return ending;
    const unmet = { kind: verdict.reason, message: verdict.text };
    if (repairs++ >= limits.repair_attempts) {
      return { reason: verdict.reason, output: ending.output, error: unmet };
    }
    // The verify command may have changed files: that belongs to the turn it looked at.
    (await session.late()).hatch.end_step(state.steps);
    begin_turn(state, session.guards);
    history.say(verdict.text);
    ending = await turn(session);
  }
  return ending;
}

/** What a dry run has planned is all it can show: an answer, but no changed file and no command that passed. */
function after_dry_run(ending: Ending, mode: Mode): Ending {
  switch (mode) {
    case "auto":
    case "ask":
      return ending;
    case "patch":
      return unmet(ending, "This was a dry run: no file was changed.");
    case "verify":
      return unmet(
        ending,
        "This was a dry run: nothing was changed, and the verify command was not run.",
      );
  }
}

function unmet(ending: Ending, message: string): Ending {
  const reason = "contract_unsatisfied";
  return { ...ending, reason, error: { kind: reason, message } };
}

/** Gathers what the contract gates read: the verify command's outcome, and what differs on the disk. */
async function inspect(session: Session, ending: Ending): Promise<Ending | null> {
  const { limits, state, clock } = session;
  if (limits.verify_command !== "" && state.mode === "verify") {
    const cut = await verify(session, { command: limits.verify_command, ending });
    if (cut !== null) return cut;
  }
  if (state.mode === "patch") {
    const { files } = await (await session.late()).hatch.changes();
    state.changed = files;
    await (await session.late()).absorb(session);
  }
  clock.stop();
  return null;
}

async function verify(
  session: Session,
  { command, ending }: { readonly command: string; readonly ending: Ending },
): Promise<Ending | null> {
  const { limits, state, clock, emit } = session;
  const { hatch, approve } = await session.late();
  if (limits.verify_judged) {
    // A question has the time of a step.
    const signal = clock.begin_step();
    const call = { id: "verify", tool: "bash", args: { command } };
    const refused = await approve(call, { state, emit, signal });
    if (signal.aborted) return cut_short(session);
    if (refused !== null) {
      clock.stop();
      state.refused++;
      return unmet(ending, `The workspace's verify command was not run: ${refused.summary}.`);
    }
  }
  const signal = clock.begin_check();
  const result = await hatch.verify(command, { timeout_s: limits.verify_timeout_s, signal });
  hatch.hold();
  state.outdated = hatch.outdated;
  if (signal.aborted) return cut_short(session);
  emit({ type: "verification", command, exit_code: result.exit_code, ms: result.ms });
  state.ledger.push({
    kind: "verification",
    step: state.steps,
    command,
    exit_code: result.exit_code,
    tail: [result.output.slice(-TAIL_CHARS), result.exit_code === 0 ? "" : `[${result.ending}]`]
      .filter((part) => part !== "").join("\n"),
  });
  return null;
}

function cut_short({ clock }: Session): Ending {
  const reason = clock.interrupted ? "user_interrupt" as const : "timeout" as const;
  const message = `${
    reason === "timeout" ? "the time limit was reached" : "interrupted"
  } while the verify command ran`;
  return { reason, output: message, error: { kind: reason, message } };
}
