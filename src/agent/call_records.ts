/** What a call leaves behind: events, a result in the history, rows of the ledger, and what guards remember. */
import { hash } from "../config/hash.ts";
import type { AskedCall } from "../guards/rule.ts";
import type { ToolCall } from "../model/message.ts";
import { find_tool } from "../tools/declared/every_tool.ts";
import type { HookRun } from "../tools/hook.ts";
import { alters, type LedgerFact } from "../tools/ledger.ts";
import type { CheckedCall } from "../tools/protocol.ts";
import type { ToolResult } from "../tools/tool.ts";
import { type Prepared, shown_arguments } from "./arguments.ts";
import { type Detail, named_file } from "./call_detail.ts";
import { without_tag } from "./history.ts";
import type { Screened } from "./hooks.ts";
import type { Session } from "./session.ts";

export type CallAnswer = Omit<ToolResult, "facts"> & {
  readonly facts?: readonly LedgerFact[];
  /** No tool takes such a call. */
  readonly invalid?: true;
};

/** Calls of a turn that are remembered for the guards; no loop is longer. */
const MOST_ACTIONS = 512;

export const BY_GUARD = "guard";

export interface PlacedCall {
  readonly call: ToolCall;
  readonly asked: AskedCall;
  readonly nth: number;
  readonly of: number;
}

export interface Placed extends PlacedCall {
  readonly prepared: Prepared;
  readonly notes: readonly string[];
}

/** Calls that the model printed as text unasked: reported once, because the server could be set up to parse them. */
export function tell_dialects({ state, wire, emit }: Session, calls: readonly ToolCall[]): void {
  for (const { dialect } of calls) {
    const asked_for = dialect === undefined || (wire.tools_in_text && dialect === "hermes");
    if (asked_for || state.notes.leaked.includes(dialect)) continue;
    state.notes.leaked.push(dialect);
    const message =
      `the model prints its tool calls as text (${dialect}); hamr reads them from there`;
    emit({ type: "warning", message });
  }
}

/** Reports a call before anything is done about it. */
export function tell_call(
  session: Session,
  { call, nth, of, prepared }: PlacedCall & Partial<Placed>,
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

/** A mutating tool has run, whether it worked or not; a call that was answered before it ran is not an attempt. */
export function note_attempt(
  session: Session,
  { id, tool, args, mcp }: CheckedCall,
  { ok, astray }: Pick<ToolResult, "ok" | "astray">,
): void {
  const served = mcp !== undefined && !mcp.read_only;
  if (!served && find_tool(tool)?.changes === undefined) return;
  const { ledger, steps: step } = session.state;
  ledger.push(
    served ? { kind: "served", step, call: id, tool, ok } : {
      kind: "attempt",
      step,
      call: id,
      tool,
      ok,
      ...(astray ? {} : named_file({ tool, args })),
    },
  );
}

/** Puts a result into history, ledger and events. */
export function note_result(
  session: Session,
  { call, asked }: Pick<Placed, "call" | "asked">,
  { answer, ran, detail = null }: { answer: CallAnswer; ran: boolean; detail?: Detail | null },
): void {
  const { state, history, emit } = session;
  add_facts(session, call.id, answer.facts ?? []);
  const { steps: step, workspace: { changes } } = state;
  // For calls that only look, even a new timestamp is news: a log has grown.
  const result = asked.looks ? hash(answer.text).toString(36) : fingerprint(answer.text);
  const { ok, ms, invalid } = answer;
  const refused = answer.refused !== undefined && answer.refused !== BY_GUARD;
  state.turn.actions.push({
    ...asked,
    ...{ step, ran, valid: !invalid, ok, result, ms, changes },
    ...(refused ? { refused } : {}),
    ...(answer.found ? { found: true } : {}),
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
export function add_facts(session: Session, call: string, facts: readonly LedgerFact[]): void {
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

const ESCAPE = String.fromCharCode(27);

/** What differs between two results of the same call that say the same: times, durations, ids, places of temporary files. */
const MASKS: readonly (readonly [pattern: RegExp, mask: string])[] = [
  // Colors.
  [new RegExp(`${ESCAPE}\\[[0-9;]*m`, "g"), ""],
  // Dates and times of day.
  [/\b\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d)?(?:[.,]\d+)?(?:Z|[+-]\d\d:?\d\d)?)?/g, "<time>"],
  [/\b\d{1,2}:\d\d(?::\d\d)?(?:[.,]\d+)?\b/g, "<time>"],
  // Durations, as test runners and compilers print them.
  [/\b\d+(?:[.,]\d+)?\s?(?:ns|µs|us|ms|s|secs?|seconds?|m|mins?|minutes?)\b/g, "<duration>"],
  [/\bduration_ms \d+(?:\.\d+)?/g, "<duration>"],
  [/\b0x[0-9a-f]+\b/gi, "<address>"],
  [/\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/gi, "<uuid>"],
  [/\b(pid|process|PID)([ =:#]+)\d+/g, "$1$2<pid>"],
  [/\[\d+\](?= |:)/g, "[<pid>]"],
  [/\/tmp\/[^\s'":]+/g, "<tmp>"],
  [/\b(?:127\.0\.0\.1|localhost|\[::1\]):\d{4,5}\b/g, "<port>"],
];

/** Both ends of a long result are compared, and its length: masking 50 kB would take two milliseconds. */
const END_CHARS = 4096;

/** Two results with the same fingerprint say the same. 53 bits; no secret. */
export function fingerprint(text: string): string {
  let masked = text.length <= 2 * END_CHARS
    ? text
    : `${text.slice(0, END_CHARS)}${text.length}${text.slice(-END_CHARS)}`;
  for (const [pattern, mask] of MASKS) masked = masked.replace(pattern, mask);
  return hash(masked).toString(36);
}
