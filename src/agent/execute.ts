import { type AskedCall, reached, type Stop, type Verdict } from "../guards/rule.ts";
import type { ToolCall } from "../model/message.ts";
import type { DelegateArgs } from "../tools/declared/agent_level_tools.ts";
import type { ToolResult } from "../tools/tool.ts";
import { asked, interpreted, prepare, type Runnable } from "./arguments.ts";
import { ask_rules } from "./ask_rules.ts";
import {
  add_facts,
  BY_GUARD,
  type CallAnswer,
  note_attempt,
  note_result,
  type Placed,
  type PlacedCall,
  tell_call,
  tell_dialects,
} from "./call_records.ts";
import { type Detail, detail_of } from "./call_detail.ts";
import { as_seen } from "./vision.ts";
import { as_interrupted, interrupted, interruptible, not_begun } from "./interrupt.ts";
import { learn_tools } from "./learn_tools.ts";
import { look_closer } from "./look_for_left.ts";
import { offer_tools } from "./offer_tools.ts";
import type { RunLimits, Session } from "./session.ts";
import { enter } from "./state.ts";

/**
 * Runs the calls of one reply and adds their results to the history, in the order of the calls. Neighbors that can't change
 * anything run together, all others one by one, so that two changes never race. Returns the verdict of a guard that ends the
 * run; the calls are answered even then.
 */
export async function execute(
  session: Session,
  written: readonly ToolCall[],
  signal: AbortSignal,
): Promise<Stop | null> {
  const services = await session.services();
  tell_dialects(session, written);
  if (!session.subagent) await learn_tools(session, written, signal);
  const understood = written.map(interpreted);
  const calls = understood.map(({ call }) => call);
  const wanted = calls.map(asked);
  await look_closer(session, wanted);
  const placed = calls.map((call, at) => ({
    call,
    asked: wanted[at] as AskedCall,
    nth: at + 1,
    of: calls.length,
  }));
  const ruled = ask_rules(session, session.guards, { at: "calls", calls: wanted });
  if (ruled.kind === "answer" || ruled.kind === "stop") {
    answer_all(session, placed, ruled);
    return ruled.kind === "stop" ? ruled : null;
  }
  // A deferred tool works even if it was not searched for first.
  offer_tools(
    session,
    services.tools.filter(({ name }) => calls.some((call) => call.name === name)),
  );
  // The mode of the user's run: a subagent that only reads is in mode `ask`, which nobody asked for.
  const { mode } = (session.parent ?? session).state;
  const pairs = understood.map((one, at) => ({
    ...placed[at] as PlacedCall,
    notes: one.notes,
    prepared: prepare(one, { ...services, mode }),
  }));
  let stop: Stop | null = null;
  for (const group of grouped(pairs, session.limits)) {
    if (stop === null) stop = await execute_group(session, group, signal);
    else answer_all(session, group, stop);
  }
  await look_closer(session, wanted);
  // Changes of a subagent are reported with the step that called it.
  if (!session.subagent && pairs.some(changes_something)) {
    (await session.services()).tools_client.end_step(session.state.steps);
  }
  return stop;
}

function answer_all(
  session: Session,
  calls: readonly PlacedCall[],
  ruled: Extract<Verdict, { kind: "answer" | "stop" }>,
): void {
  for (const placed of calls) {
    count_call(session);
    tell_call(session, placed);
    note_result(session, placed, { answer: not_run_for(ruled), ran: false });
  }
}

/** A call beyond the limit does not count: it is not run. */
function count_call({ state: { spending }, limits: { max_tool_calls } }: Session): void {
  if (!reached(spending.calls, max_tool_calls)) spending.calls++;
}

/** Groups calls: neighbors that can't change anything together, each other call by itself. */
function grouped(
  calls: readonly Placed[],
  limits: Pick<RunLimits, "parallel_tools" | "read_only">,
): readonly (readonly Placed[])[] {
  const groups: Placed[][] = [];
  let open: Placed[] | null = null;
  for (const call of calls) {
    const looks = limits.parallel_tools && only_looks(call, limits);
    if (looks && open !== null) {
      open.push(call);
      continue;
    }
    const group = [call];
    groups.push(group);
    open = looks ? group : null;
  }
  return groups;
}

/** Whether a call can't change anything, because it only reads or is not run. */
function only_looks({ prepared }: Placed, { read_only }: Pick<RunLimits, "read_only">): boolean {
  if (prepared.kind !== "run" || prepared.tool.read_only) return true;
  const { tool: { name, kind }, call: { args } } = prepared;
  if (name === "bash") return read_only;
  if (name === "delegate_task") return (args as DelegateArgs).tools === "read";
  return kind === "search";
}

function not_run_for(ruled: Extract<Verdict, { kind: "answer" | "stop" }>): CallAnswer {
  const text = ruled.kind === "stop" ? `Not run: ${ruled.text}` : ruled.text;
  const [, why = ""] = /^not run(: [^.]+)/i.exec(text) ?? [];
  return { ok: false, text, summary: `not run${why}`, ms: 0, refused: BY_GUARD };
}

/** Runs one group of calls. Returns the verdict of a guard that ends the run at one of them: it and those after it are not run. */
async function execute_group(
  session: Session,
  calls: readonly Placed[],
  signal: AbortSignal,
): Promise<Stop | null> {
  const answers = new Map<string, CallAnswer>();
  /** Calls as they ran: a hook or the user may have changed what the model asked for. */
  const details = new Map<string, Detail | null>();
  const to_run: Cleared[] = [];
  let stop: Stop | null = null;
  let group = calls;
  for (const [at, placed] of calls.entries()) {
    const course = await clear(session, placed, signal);
    if (course.kind === "run") to_run.push(course);
    else answers.set(placed.call.id, course.answer);
    count_call(session);
    if (course.kind !== "answer" || course.stop === undefined) continue;
    stop = course.stop;
    group = calls.slice(0, at + 1);
    break;
  }
  if (to_run.length > 0) {
    // If this is cut off, a resumed session has to know that the call had begun.
    if (group.some(changes_something)) await (await session.services()).save(session, null);
    enter(session.state, "waiting_for_tool");
    const results = await run(session, to_run, signal);
    enter(session.state, "running");
    for (const [at, { call, note }] of to_run.entries()) {
      const result = await as_seen(session, results[at] as ToolResult, signal);
      details.set(call.id, detail_of(call, result));
      answers.set(call.id, { ...result, text: result.text + note });
      note_attempt(session, call, result);
    }
  }
  for (const placed of group) {
    const { call, notes } = placed;
    const answer = answers.get(call.id) as CallAnswer;
    const text = [answer.text, ...notes.map((line) => `[${line}]`)].join("\n");
    const [ran, detail] = [details.has(call.id), details.get(call.id) ?? null];
    note_result(session, placed, { answer: { ...answer, text }, ran, detail });
  }
  if (to_run.length > 0) (await session.services()).tools_client.hold();
  if (stop !== null) answer_all(session, calls.slice(group.length), stop);
  return stop;
}

function changes_something({ prepared }: Placed): boolean {
  return prepared.kind === "run" && !prepared.tool.read_only;
}

interface Cleared extends Runnable {
  readonly note: string;
}

type CallDecision =
  | Cleared
  | { readonly kind: "answer"; readonly answer: CallAnswer; readonly stop?: Stop };

/** Clears a call for the tools worker: guards first, then hooks, then the user. */
async function clear(session: Session, placed: Placed, signal: AbortSignal): Promise<CallDecision> {
  const { state, emit } = session;
  const ruled = rule_on(session, placed, signal);
  const { approve, screen } = await session.services();
  const screened = ruled.kind === "run" ? await screen?.(ruled.call, signal) ?? null : null;
  tell_call(session, placed, screened);
  add_facts(session, placed.call.id, screened?.facts ?? []);
  if (ruled.kind === "answer") return ruled;
  const { tool } = ruled;
  const { call, answer, rewritten: note = "" } = screened ?? { call: ruled.call, answer: null };
  // A change was attempted, as when the user refuses one.
  if (answer?.refused !== undefined) note_attempt(session, call, { ok: false });
  // Agent-level tools change only the run, except for the web; calls of a subagent are approved one by one.
  const judged = () => approve(call, { state, emit, signal });
  const is_own = tool.agent_level && tool.needs !== "net";
  const done = answer ?? (is_own ? null : await interruptible(session, judged));
  if (done === null) return { kind: "run", call, tool, note };
  if ("call" in done) return { kind: "run", call: done.call, tool, note: note + done.note };
  const told = signal.aborted && interrupted(session) ? as_interrupted(done) : done;
  return { kind: "answer", answer: { ...told, text: told.text + note, ms: 0 } };
}

/** Runs the cleared calls: those of the tools worker first, all in one message, then the others. */
async function run(
  session: Session,
  group: readonly Runnable[],
  signal: AbortSignal,
): Promise<readonly ToolResult[]> {
  const results = new Map<Runnable, ToolResult>();
  const on_machine = group.filter(({ tool }) => !tool.agent_level);
  if (on_machine.length > 0) {
    const { tools_client } = await session.services();
    const calls = on_machine.map(({ call }) => call);
    const ran = await interruptible(session, () => tools_client.run(calls, signal));
    const done = interrupted(session) ? ran.map(as_interrupted) : ran;
    on_machine.forEach((one, at) => results.set(one, done[at] as ToolResult));
    session.state.workspace.outdated = tools_client.outdated;
  }
  const own = group.filter(({ tool }) => tool.agent_level);
  if (own.length > 0) {
    const { run_agent_tools } = await session.services();
    const ran = await run_agent_tools(session, own.map(({ call }) => call), signal);
    own.forEach((one, at) => results.set(one, ran[at] as ToolResult));
  }
  return group.map((one) => results.get(one) as ToolResult);
}

function rule_on(
  session: Session,
  { call, asked, prepared }: Placed,
  signal: AbortSignal,
): CallDecision {
  const here = (text: string, summary: string, more: Partial<CallAnswer> = {}): CallDecision => ({
    kind: "answer",
    answer: { ok: false, text, summary, ms: 0, ...more },
  });
  if (signal.aborted) {
    const { text, summary } = not_begun(session);
    return here(text, summary);
  }
  if (prepared.kind === "barred") {
    return here(prepared.text, `not run: mode ${session.state.mode}`, { refused: "mode" });
  }
  if (prepared.kind === "invalid") {
    return here(prepared.text, `invalid call: ${prepared.why}`, { invalid: true });
  }
  const verdict = ask_rules(session, session.guards, { at: "call", call, asked });
  if (verdict.kind === "answer") return { kind: "answer", answer: not_run_for(verdict) };
  if (verdict.kind === "stop") {
    return { kind: "answer", answer: not_run_for(verdict), stop: verdict };
  }
  return { ...prepared, note: "" };
}
