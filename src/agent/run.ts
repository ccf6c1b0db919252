import { at_end } from "../config/attempt.ts";
import { only_answers, type StopReason } from "../guards/rule.ts";
import type { Image, Message } from "../model/message.ts";
import { ask_rules } from "./ask_rules.ts";
import { compact_now } from "./fit_window.ts";
import type { Grade } from "./grade.ts";
import { halted, interruptible } from "./interrupt.ts";
import { end_early, turn } from "./loop.ts";
import { tell_mode } from "./mode.ts";
import type { RunLimits, Session } from "./session.ts";
import { begin_turn, type Ending } from "./state.ts";

/** How much of the end of a verify command's output goes to the model: failures stand at the end. */
const TAIL_CHARS = 6000;
const NOT_JUDGED = "dry run: nothing was done, so there is nothing to judge";
const SCHEMA_TRIES = 2;
/** Follows what a judge says; contract gates have instructions of their own. */
export const FIX_NOW = "Fix that now, check it, then answer again.";

/** What is missing in a turn's result, who says so, and whether another turn could fix it. */
interface Lack {
  readonly by: "contract" | "schema" | Extract<Grade, { kind: "lacks" }>["by"];
  readonly reason: StopReason;
  readonly text: string;
  readonly instruction?: string;
  readonly fixable: boolean;
}

export interface Said {
  readonly task: string;
  readonly images?: readonly Image[];
  /** Follows the task, and is not taken for the user's words. */
  readonly context?: string;
  /** What was said elsewhere before a session that begins: a user's message first. */
  readonly before?: readonly Message[];
}

/**
 * One run: the first turn, then a check of its outcome: first what the mode requires, then what the judges say, if there are any.
 * While something is missing and repair turns are left, another turn is given the task to fix it.
 */
export async function run(
  session: Session,
  first: Said & { readonly system: string },
): Promise<Ending> {
  const { history, state } = session;
  state.turn.asked = first.task;
  history.append({ role: "system", content: first.system });
  first.before?.forEach((message) => history.append(message));
  using _ = at_end(() => session.steering?.end());
  history.append({ role: "user", ...await opening(session, first) });
  tell_mode(session);
  return await with_lessons(session, await turns(session, first.task));
}

/** Continues a saved session, with a new turn for a message of the user, who without one may have allowed more. */
export async function resume_run(session: Session, said: Said): Promise<Ending> {
  const { history, state } = session;
  const { task } = said;
  if (task !== "") {
    begin_turn(state, []);
    state.turn.asked = task;
    const seen = await opening(session, said);
    history.hear(seen.content, seen.images);
  } else if (history.messages.at(-1)?.role === "assistant") {
    // So says every refusal that a flag can lift.
    const refused = history.messages.some(({ role, content }) =>
      role === "tool" && content.includes("the user can allow")
    );
    const again = refused ? "try what was refused again (it may work now), " : "";
    history.say(`The session continues. Check what is done, ${again}then finish the task.`);
  }
  tell_mode(session);
  using _ = at_end(() => session.steering?.end());
  return await with_lessons(session, await turns(session, state.turn.asked));
}

export async function compact_only(session: Session): Promise<Ending> {
  const { clock, emit, steering } = session;
  try {
    // Needed to save the outcome.
    await session.services();
    const signal = clock.begin_step();
    const worked = await interruptible(session, () => compact_now(session, signal));
    const stop = halted(session);
    if (stop !== null) {
      return { reason: stop.reason, output: "", error: { kind: stop.reason, message: stop.text } };
    }
    if (!worked) {
      emit({ type: "warning", message: "nothing to compact: a summary would save little" });
    }
    return { reason: "llm_done", output: "", error: null };
  } finally {
    clock.stop();
    steering?.end();
  }
}

async function opening(
  session: Session,
  { task: words, images, context }: Said,
): Promise<{ readonly content: string; readonly images?: readonly Image[] }> {
  const task = context === undefined ? words : `${words}\n\n${context}`;
  if (images === undefined) return { content: task };
  const { task_seen } = await import("./vision.ts");
  return await task_seen(session, { task, images, signal: session.clock.begin_step() });
}

/** The ending, after what the run has taught was saved to memory, if that is switched on. */
async function with_lessons(session: Session, ending: Ending): Promise<Ending> {
  if (!session.limits.extract) return ending;
  const { extract } = await import("./extract.ts");
  await extract(session, ending);
  return ending;
}

async function turns(session: Session, task: string): Promise<Ending> {
  const { history, limits, state, emit } = session;
  let ending = await turn(session);
  if (limits.dry_run && ending.reason === "llm_done") {
    if (is_judged(limits)) emit({ type: "warning", message: NOT_JUDGED });
    // It can show an answer, but no changed file and no command that passed.
    const lacks = {
      patch: "no file was changed.",
      verify: "nothing was changed, and the verify command was not run.",
    }[state.mode as string];
    const after = lacks === undefined ? ending : unmet(ending, `This was a dry run: ${lacks}`);
    if (after.reason !== "llm_done") return after;
    const formed = await in_form(session, after);
    return "output" in formed ? formed : unfixed(formed, after);
  }
  const turns_left = {
    contract: limits.repair_attempts,
    schema: SCHEMA_TRIES,
    self_eval: limits.self_eval === "full" ? limits.self_eval_retries : 0,
    rubric: limits.rubric_rounds,
  };
  while (ending.reason === "llm_done") {
    const answered = ending;
    const found = await interruptible(session, () => look(session, answered, task));
    const stop = halted(session);
    if (stop !== null) return await end_early(session, stop, ending.output);
    if (session.steering?.pending) {
      ending = await turn(session);
      continue;
    }
    if (found === null || "output" in found) return found ?? ending;
    const { by, fixable, instruction = "" } = found;
    const text = found.text + instruction;
    if (!fixable || turns_left[by]-- <= 0) return unfixed(found, ending);
    // Files that the verify command changed belong to the turn that it checked.
    (await session.services()).tools_client.end_step(state.steps);
    begin_turn(state, session.guards);
    if (by === "schema") emit({ type: "nudge", name: "output_schema", message: text });
    history.say(by === "contract" || by === "schema" ? text : `${text}\n${FIX_NOW}`);
    ending = await turn(session);
  }
  return ending;
}

function is_judged({ self_eval, rubric }: RunLimits): boolean {
  return self_eval !== "off" || rubric !== "";
}

/** What is still missing, null if nothing is, or how the run was cut short during the check. */
async function look(session: Session, ending: Ending, task: string): Promise<Lack | Ending | null> {
  const cut = await inspect(session, ending);
  if (cut !== null) return cut;
  const { contract } = await (await session.services()).gates();
  const verdict = ask_rules(session, contract, { at: "contract" });
  if (verdict.kind === "stop") {
    // Only the user can put back what should not have been changed.
    const fixable = !only_answers(session.state.mode);
    const { reason, text, instruction = "" } = verdict;
    return { by: "contract", reason, text, instruction, fixable };
  }
  const formed = await in_form(session, ending);
  if (!("output" in formed)) return formed;
  if (!is_judged(session.limits)) return formed;
  const { grade } = await import("./grade.ts");
  const found = await grade(session, { task, answer: ending.output });
  switch (found.kind) {
    case "holds":
      return formed;
    case "lacks":
      return { ...found, reason: "evaluation_failed" };
    case "stop": {
      const { reason, text: message } = found;
      return { reason, output: ending.output, error: { kind: reason, message } };
    }
    case "cut":
      return cut_short(session, { ending, meanwhile: "the work was judged" });
  }
}

async function in_form(session: Session, ending: Ending): Promise<Ending | Lack> {
  const { limits: { output_schema }, clock } = session;
  if (output_schema === "") return ending;
  const { shape_in_time } = await import("../gates/answer_schema.ts");
  const signal = clock.begin_check();
  const shaped = await shape_in_time(ending.output, output_schema, signal);
  clock.stop();
  if (signal.aborted) return cut_short(session, { ending, meanwhile: "the answer was checked" });
  if (shaped.ok) return { ...ending, output: shaped.json };
  const text = `The answer does not match the schema: ${shaped.fault}`;
  const instruction = "\nAnswer again, with the JSON alone.";
  return { by: "schema", reason: "schema_unmet", text, instruction, fixable: true };
}

function unfixed({ reason, text }: Lack, { output }: Ending): Ending {
  return { reason, output, error: { kind: reason, message: text } };
}

function unmet(ending: Ending, message: string): Ending {
  const reason = "contract_unsatisfied";
  return { ...ending, reason, error: { kind: reason, message } };
}

/** Gathers what the contract gates read: the outcome of the verify command, and which files changed. */
async function inspect(session: Session, ending: Ending): Promise<Ending | null> {
  const { limits, state, clock } = session;
  if (limits.verify_command !== "" && state.mode === "verify") {
    const cut = await verify(session, limits.verify_command, ending);
    if (cut !== null) return cut;
  }
  if (state.mode === "patch") {
    const { files } = await (await session.services()).tools_client.changes();
    state.workspace.changed = files;
  }
  clock.stop();
  return null;
}

async function verify(session: Session, command: string, ending: Ending): Promise<Ending | null> {
  const { limits, state, clock, emit } = session;
  const { tools_client, approve } = await session.services();
  if (limits.verify_judged) {
    // The user has as long to answer as a step may take.
    const signal = clock.begin_step();
    const call = { id: "verify", tool: "bash", args: { command } };
    const refused = await approve(call, { state, emit, signal, fixed: true });
    if (signal.aborted) return cut_short(session, { ending, meanwhile: "the verify command ran" });
    if (refused !== null && "ok" in refused) {
      clock.stop();
      state.spending.refused++;
      return unmet(ending, `The workspace's verify command was not run: ${refused.summary}.`);
    }
  }
  const signal = clock.begin_check();
  emit({ type: "progress", id: "verify", words: `running ${command}` });
  const result = await tools_client.verify(command, { timeout_s: limits.verify_timeout_s, signal });
  tools_client.hold();
  state.workspace.outdated = tools_client.outdated;
  if (signal.aborted) return cut_short(session, { ending, meanwhile: "the verify command ran" });
  const ok = result.exit_code === 0;
  emit({ type: "verification", command, exit_code: result.exit_code, ms: result.ms });
  emit({ type: "output", command, ok, text: result.output });
  state.ledger.push({
    kind: "verification",
    step: state.steps,
    command,
    exit_code: result.exit_code,
    // The exit code is in its own field.
    tail: [result.output.slice(-TAIL_CHARS), result.exit_code === null ? `[${result.ending}]` : ""]
      .filter((part) => part !== "").join("\n"),
  });
  return null;
}

/** The run was cut short before its answer could be checked. */
function cut_short(
  { clock }: Session,
  { ending, meanwhile }: { ending: Ending; meanwhile: string },
): Ending {
  const reason = clock.interrupted ? "user_interrupt" as const : "timeout" as const;
  const what = reason === "timeout" ? "the time limit was reached" : "interrupted";
  const message = `${what} while ${meanwhile}`;
  const output = reason === "timeout" ? ending.output : message;
  return { reason, output, error: { kind: reason, message } };
}
