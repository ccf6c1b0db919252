import type { AskedCall, Stop } from "../guards/rule.ts";
import type { ToolCall } from "../model/message.ts";
import type { DelegateArgs } from "../tools/declared/agent_level_tools.ts";
import type { HookRun } from "../tools/hook.ts";
import { alters, type Fact } from "../tools/ledger.ts";
import type { CheckedCall } from "../tools/protocol.ts";
import type { ToolResult } from "../tools/tool.ts";
import {
  asked,
  meant,
  prepare,
  type Prepared,
  type Runnable,
  shown_arguments,
} from "./arguments.ts";
import { ask_rules } from "./ask_rules.ts";
import { type Detail, detail_of } from "./detail.ts";
import { fingerprint, hash } from "./fingerprint.ts";
import { without_tag } from "./history.ts";
import type { Screened } from "./hooks.ts";
import { as_seen } from "./vision.ts";
import { as_interrupted, interrupted, interruptible, not_begun } from "./interrupt.ts";
import { learn_tools } from "./learn_tools.ts";
import { offer } from "./offer.ts";
import { find_tool } from "../tools/declared/every_tool.ts";
import type { RunLimits, Session } from "./session.ts";
import { enter } from "./state.ts";

/** What a call is answered with, however that came about. */
type CallAnswer = Omit<ToolResult, "facts"> & {
  readonly facts?: readonly Fact[];
  /** No tool takes such a call. */
  readonly invalid?: true;
};

/** Calls of a turn that are remembered for the guards; no loop is longer. */
const MOST_ACTIONS = 512;

/** Who refused a call, as events tell it. */
const BY_GUARD = "guard";

/** A call with its place in the reply. */
interface Placed {
  readonly call: ToolCall;
  readonly asked: AskedCall;
  readonly prepared: Prepared;
  /** What the model has to know of how it was understood. */
  readonly notes: readonly string[];
  readonly nth: number;
  readonly of: number;
}

/**
 * Runs the calls of one reply and puts their results into the history, in the order of the calls. Those in a row that can't change
 * anything run together; else one after the other, so that two changes never race. Gives the verdict of a guard that ends the
 * run instead; the calls are answered all the same.
 */
export async function execute(
  session: Session,
  written: readonly ToolCall[],
  signal: AbortSignal,
): Promise<Stop | null> {
  const services = await session.services();
  tell_dialects(session, written);
  if (!session.subagent) await learn_tools(session, written, signal);
  const understood = written.map(meant);
  const calls = understood.map(({ call }) => call);
  const wanted = calls.map(asked);
  await look_closer(session, wanted);
  const course = ask_rules(session, session.guards, { at: "calls", calls: wanted });
  if (course.kind === "answer" || course.kind === "stop") {
    for (const [at, call] of calls.entries()) {
      session.state.spending.calls++;
      tell_call(session, { call, nth: at + 1, of: calls.length });
      const text = course.kind === "stop" ? `Not run: ${course.text}` : course.text;
      note(session, { call, asked: wanted[at] as AskedCall }, {
        answer: not_run_for(text),
        ran: false,
      });
    }
    return course.kind === "stop" ? course : null;
  }
  // A tool that is called before it was looked for is found, too.
  offer(session, services.tools.filter(({ name }) => calls.some((call) => call.name === name)));
  // A subagent that only reads has the mode of a question; what it lacks it lacks for its errand.
  const { mode } = (session.parent ?? session).state;
  const prepared = understood.map((one) => prepare(one, { ...services, mode }));
  const pairs = understood.map(({ call, notes }, at) => ({
    call,
    notes,
    asked: wanted[at] as AskedCall,
    prepared: prepared[at] as Prepared,
    nth: at + 1,
    of: calls.length,
  }));
  for (const group of grouped(pairs, session.limits)) await execute_group(session, group, signal);
  await look_closer(session, wanted);
  // What a subagent changes is told with the step that sent it.
  if (!session.subagent && pairs.some(changes_something)) {
    (await session.services()).tools_client.end_step(session.state.steps);
  }
  return null;
}

/** Calls in a row that can't change anything, and each other call by itself. */
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

/** Whether a call can't change anything: neither does one that is not run. */
function only_looks({ prepared }: Placed, { read_only }: Pick<RunLimits, "read_only">): boolean {
  if (prepared.kind !== "run" || prepared.tool.read_only) return true;
  const { tool: { name }, call: { args } } = prepared;
  switch (name) {
    case "bash":
      return read_only;
    case "search_memory":
    case "session_search":
      return true;
    case "delegate_task":
      return (args as DelegateArgs).tools === "read";
    default:
      return false;
  }
}

/**
 * Where a call was made before in this turn, what it left running is looked at before anybody calls it a repeat; else that would
 * only cost time.
 */
async function look_closer(session: Session, wanted: readonly AskedCall[]): Promise<void> {
  const { state } = session;
  const known = wanted.some(({ name, args }) =>
    state.turn.actions.filter((action) => action.name === name && action.args === args).length > 1
  );
  if (!known) return;
  state.workspace.background = await (await session.services()).tools_client.is_busy();
}

/** Calls that nobody has asked to be printed: said once, because the server could be set up to read them. */
function tell_dialects({ state, wire, emit }: Session, calls: readonly ToolCall[]): void {
  for (const { dialect } of calls) {
    const asked_for = dialect === undefined || (wire.tools_in_text && dialect === "hermes");
    if (asked_for || state.notes.leaked.includes(dialect)) continue;
    state.notes.leaked.push(dialect);
    const message =
      `the model prints its tool calls as text (${dialect}); hamr reads them from there`;
    emit({ type: "warning", message });
  }
}

function not_run_for(text: string): CallAnswer {
  return { ok: false, text, summary: "not run", ms: 0, refused: BY_GUARD };
}

function tell_call(
  session: Session,
  { call, nth, of, prepared }: Pick<Placed, "call" | "nth" | "of"> & Partial<Placed>,
  screened: Screened | null = null,
): void {
  const { id, name, dialect, repaired } = call;
  const said = screened?.rewritten === undefined
    ? { arguments: shown_arguments(call) }
    : { arguments: screened.call.args, rewritten: true as const };
  session.emit({
    type: "tool_call",
    id,
    name,
    ...said,
    ...(dialect === undefined ? {} : { dialect }),
    ...(repaired === undefined ? {} : { repaired }),
    ...(prepared?.kind === "run" && prepared.tool.mcp ? { mcp: prepared.tool.mcp.server } : {}),
    nth,
    of,
  });
  tell_hooks(session, call, screened?.runs);
}

function tell_hooks(
  { emit }: Session,
  { id, name }: ToolCall,
  runs: readonly HookRun[] = [],
): void {
  for (const run of runs) emit({ type: "hook", call: id, tool: name, ...run });
}

async function execute_group(
  session: Session,
  group: readonly Placed[],
  signal: AbortSignal,
): Promise<void> {
  const answers = new Map<string, CallAnswer>();
  const to_run: Cleared[] = [];
  for (const placed of group) {
    const course = await clear(session, placed, signal);
    if (course.kind === "answer") answers.set(placed.call.id, course.answer);
    else to_run.push(course);
    session.state.spending.calls++;
  }
  if (to_run.length > 0) {
    // Should this be cut off, whoever resumes the session has to know that it was begun.
    if (group.some(changes_something)) await (await session.services()).save(session, null);
    enter(session.state, "waiting_for_tool");
    const results = await run(session, to_run, signal);
    enter(session.state, "running");
    for (const [at, { call: { id, tool, mcp }, note }] of to_run.entries()) {
      const result = await as_seen(session, results[at] as ToolResult, signal);
      answers.set(id, { ...result, text: result.text + note });
      note_attempt(session, { id, tool, ...(mcp ? { mcp } : {}), ok: result.ok });
    }
  }
  for (const placed of group) {
    const { call, notes } = placed;
    const ran = to_run.some((one) => one.call.id === call.id);
    const answer = answers.get(call.id) as CallAnswer;
    const text = [answer.text, ...notes.map((line) => `[${line}]`)].join("\n");
    const { prepared } = placed;
    const detail = ran && prepared.kind === "run" ? detail_of(prepared.call, answer) : null;
    note(session, placed, { answer: { ...answer, text }, ran, detail });
  }
  if (to_run.length > 0) (await session.services()).tools_client.hold();
}

function changes_something({ prepared }: Placed): boolean {
  return prepared.kind === "run" && !prepared.tool.read_only;
}

/** A call that may be run. */
interface Cleared extends Runnable {
  /** Follows its result. */
  readonly note: string;
}

/** What becomes of a call: it is run, or answered without. */
type Course = Cleared | { readonly kind: "answer"; readonly answer: CallAnswer };

/** Clears a call for the tools worker: guards first, then hooks, then the user. */
async function clear(session: Session, placed: Placed, signal: AbortSignal): Promise<Course> {
  const { state, emit } = session;
  const ruled = rule_on(session, placed, signal);
  const { approve, screen } = await session.services();
  const screened = ruled.kind === "run" ? await screen?.(ruled.call, signal) ?? null : null;
  tell_call(session, placed, screened);
  add_facts(session, placed.call.id, screened?.facts ?? []);
  if (ruled.kind === "answer") return ruled;
  const { tool } = ruled;
  const { call, answer, rewritten: note = "" } = screened ?? { call: ruled.call, answer: null };
  // A change was tried, as where the user refuses one.
  if (answer?.refused !== undefined) note_attempt(session, { ...call, ok: false });
  // An agent-level tool changes nothing but the run, if it does not ask the web; what a subagent calls is asked about then.
  const judged = () => approve(call, { state, emit, signal });
  const is_own = tool.agent_level && tool.needs !== "net";
  const done = answer ?? (is_own ? null : await interruptible(session, judged));
  if (done === null) return { kind: "run", call, tool, note };
  if ("call" in done) return { kind: "run", call: done.call, tool, note: note + done.note };
  const told = signal.aborted && interrupted(session) ? as_interrupted(done) : done;
  return { kind: "answer", answer: { ...told, text: told.text + note, ms: 0 } };
}

/** Lets calls do what they are there for. Those of the machine are sent to the tools worker together, and before the others. */
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

/** What checks and guards say to a call. */
function rule_on(session: Session, { call, asked, prepared }: Placed, signal: AbortSignal): Course {
  const here = (text: string, summary: string, more: Partial<CallAnswer> = {}): Course => ({
    kind: "answer",
    answer: { ok: false, text, summary, ms: 0, ...more },
  });
  if (signal.aborted) {
    const { text, summary } = not_begun(session);
    return here(text, summary);
  }
  if (prepared.kind === "barred") return here(prepared.text, "not run", { refused: "mode" });
  if (prepared.kind === "invalid") return here(prepared.text, "invalid call", { invalid: true });
  const verdict = ask_rules(session, session.guards, { at: "call", call, asked });
  if (verdict.kind === "answer") return here(verdict.text, "not run", { refused: BY_GUARD });
  return { ...prepared, note: "" };
}

/** A mutating tool has run, whether it worked or not; a call that was answered before it ran is not an attempt. */
function note_attempt(
  session: Session,
  { id, tool, mcp, ok }: Omit<CheckedCall, "args"> & { readonly ok: boolean },
): void {
  const served = mcp !== undefined && !mcp.read_only;
  if (!served && find_tool(tool)?.changes === undefined) return;
  const { ledger, steps: step } = session.state;
  ledger.push({ kind: served ? "served" : "attempt", step, call: id, tool, ok });
}

/** Puts a result into history, ledger and events. */
function note(
  session: Session,
  { call, asked }: Pick<Placed, "call" | "asked">,
  { answer, ran, detail = null }: {
    readonly answer: CallAnswer;
    readonly ran: boolean;
    readonly detail?: Detail | null;
  },
): void {
  const { state, history, emit } = session;
  add_facts(session, call.id, answer.facts ?? []);
  const { steps: step, workspace: { changes } } = state;
  // What a look says is news even where only a time in it is another one: a log has grown.
  const result = asked.looks ? hash(answer.text).toString(36) : fingerprint(answer.text);
  const { ok, ms, invalid } = answer;
  const refused = answer.refused !== undefined && answer.refused !== BY_GUARD;
  state.turn.actions.push({
    ...asked,
    ...{ step, ran, valid: !invalid, ok, result, ms, changes },
    ...(refused ? { refused } : {}),
  });
  if (state.turn.actions.length > MOST_ACTIONS) state.turn.actions.shift();
  if (answer.refused !== undefined) state.spending.refused++;
  const content = without_tag(answer.text);
  const images = answer.images === undefined ? {} : { images: answer.images };
  history.append({ role: "tool", tool_call_id: call.id, content, ...images });
  emit({
    type: "tool_result",
    id: call.id,
    name: call.name,
    ok: answer.ok,
    summary: answer.summary,
    bytes: new TextEncoder().encode(content).length,
    ms: answer.ms,
    refused: answer.refused ?? null,
  });
  if (answer.flags !== undefined) emit({ type: "refusal", id: call.id, flags: answer.flags });
  if (detail !== null) emit({ type: "detail", id: call.id, ok: answer.ok, ...detail });
  tell_hooks(session, call, answer.hooks);
}

/** Facts that the tools found, as rows of the ledger. */
function add_facts(session: Session, call: string, facts: readonly Fact[]): void {
  const { state } = session;
  for (const fact of facts) {
    // Something went well: what went wrong before no longer counts.
    if (fact.kind === "file" || (fact.kind === "command" && fact.exit_code === 0)) {
      state.spending.recoveries = 0;
    }
    if (alters(fact)) state.workspace.changes++;
    state.ledger.push({ ...fact, step: state.steps, call });
  }
}
