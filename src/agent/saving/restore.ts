/** Restores a saved session into a fresh one. */
import { message_of } from "../../config/text.ts";
import type { Action } from "../../guards/rule.ts";
import type { Message, ToolCall } from "../../model/message.ts";
import { text_calls, with_catalog } from "../../model/protocols/text_calls.ts";
import type { DatabaseSync } from "../../store/database.ts";
import { part_from, saved_state_of, session_rows, type SessionInfo } from "../../store/sessions.ts";
import { BASIC_TOOLS, EVERY_TOOL, schema_of } from "../../tools/declared/every_tool.ts";
import type { LedgerRow } from "../../tools/ledger.ts";
import type { ToolSchema } from "../../tools/tool.ts";
import { tool_search } from "../../tools/declared/agent_level_tools.ts";
import { tool_tokens } from "../history.ts";
import { tools_of } from "../mode.ts";
import { type Savable, state_now } from "./save.ts";
import { type SavedState, unflatten } from "./saved_state.ts";
import { ACTION, LEDGER_ROW, MESSAGE, PART, STATE, value_like } from "./saved_shape.ts";
import type { Session } from "../session.ts";
import { do_without } from "../switch_model.ts";

export interface SavedSession {
  readonly state: SavedState;
  readonly messages: readonly Message[];
  readonly opening: readonly Message[];
  readonly ledger: readonly LedgerRow[];
  readonly actions: readonly Action[];
}

/** Calls that are read back: guards look at no more. */
const MOST_ACTIONS = 512;
/** Stands for the result of a call that nobody knows the end of. Never run again: what it did may not bear that. */
const CUT_OFF = "Error: the run was cut off during this call. Whether it took effect, " +
  "in part or at all, is not known, and it is not rerun automatically: check what is there first.";

/** Reads a session back; null if it never came to its first step. Throws if rows are damaged: half a conversation can't go on. */
export async function load_session(
  db: DatabaseSync,
  { id: session, part }: SessionInfo,
): Promise<SavedSession | null> {
  const text = saved_state_of(db, session);
  if (text === "") return null;
  const read = async <T>(
    table: Parameters<typeof session_rows>[1]["table"],
    { like, ...more }: { like: Parameters<typeof value_like>[0]; from?: number; last?: number },
  ) => {
    const rows = await session_rows(db, { session, table, ...more });
    let next = more.last === undefined ? more.from ?? 1 : rows[0]?.nth ?? 1;
    return told(() => `row ${next} of ${table}`, () =>
      rows.map(({ nth, body }) => {
        if (nth !== next) throw new TypeError("it is missing");
        const value = value_like(like, body) as T;
        next++;
        return value;
      }));
  };
  const state = told(() => "its state", () => value_like(STATE, text) as SavedState);
  const messages = await read<Message>("messages", { like: MESSAGE, from: part_from(db, session) });
  if (messages.length === 0) return null;
  if (messages[0]?.role !== "system" || messages[1]?.role !== "user") {
    throw new TypeError("its first messages are missing");
  }
  const [begun] = part > 1
    ? await read<{ opening: Message[] }>("parts", { like: PART, last: 1 })
    : [];
  const actions = await read<Action & { turn: number }>("actions", {
    like: ACTION,
    last: MOST_ACTIONS,
  });
  return {
    state,
    messages,
    opening: begun?.opening ?? messages.slice(0, 2),
    ledger: await read<LedgerRow>("ledger", { like: LEDGER_ROW }),
    actions: actions.filter(({ turn }) => turn === state.turn),
  };
}

/** A session as it stands, for the next run of the same process; null if the model was never asked. */
export function session_now(session: Savable): SavedSession | null {
  const { history, state } = session;
  const messages = history.messages.slice(0, history.settled);
  if (messages.length < 2) return null;
  return {
    state: structuredClone(state_now(session)),
    messages,
    opening: history.opening,
    ledger: state.ledger,
    actions: state.turn.actions,
  };
}

function told<T>(what: () => string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw new TypeError(`${what()}: ${message_of(error)}`);
  }
}

/** Counts, plans and findings come back; limits begin again. A call without a result gets one that says its effects are unknown. */
export async function restore(
  session: Session,
  saved: SavedSession,
  { cost_usd, calls }: Pick<SessionInfo, "cost_usd" | "calls">,
): Promise<void> {
  const { history, state } = session;
  const { tools, schemas = [], in_text, without, ...then } = saved.state;
  unflatten(state, then);
  state.ledger = [...saved.ledger];
  state.turn.actions = [...saved.actions];
  state.before = { steps: then.steps, calls, cost_usd, ledger: saved.ledger.length };
  const shown = new Map(schemas.map((schema) => [schema.name, schema]));
  const known = tools.flatMap((name): readonly ToolSchema[] => {
    const own = EVERY_TOOL.find((tool) => tool.name === name);
    const then = shown.get(name);
    return then !== undefined ? [then] : own === undefined ? [] : [schema_of(own)];
  });
  // What the last run was not offered, for its mode or because there was nothing to find, comes behind the rest.
  const missing = [
    ...BASIC_TOOLS.map(schema_of),
    ...session.tools.filter(({ name }) => name === tool_search.name),
  ].filter(({ name }) => !known.some((schema) => schema.name === name));
  const { only_tools: only } = session.limits;
  const barred = EVERY_TOOL.filter((tool) => !tools_of(state.mode, [tool]).includes(tool));
  session.tools = [...known, ...missing].filter(({ name }) =>
    !barred.some((tool) => tool.name === name) &&
    (only === null || only.includes(name) || name === tool_search.name)
  );
  if (session.wire.tools_in_text !== true) session.tool_tokens = tool_tokens(session.tools);
  // From now on in text, by a flag or for a server that leaves tools out.
  const begins_text = session.wire.tools_in_text === true && !in_text;
  for (const refusal of without) await do_without(session, refusal, history);
  // Its first message has their catalog already.
  if (in_text && session.wire.tools_in_text !== true) {
    session.wire = text_calls(session.wire);
    session.tool_tokens = 0;
    history.rewire(session.wire, session.endpoint);
  }
  history.restore([...saved.messages, ...cut_off(saved.messages)], saved.opening);
  // The first message tells of the tools, which were beside the messages so far.
  if (begins_text) {
    const system = with_catalog(history.messages[0]?.content ?? "", session.tools);
    history.rewire(session.wire, { model: session.endpoint.model, system });
  }
}

function cut_off(messages: readonly Message[]): readonly Message[] {
  const last = messages.findLastIndex(({ role }) => role === "assistant");
  const message = messages[last];
  const calls: readonly ToolCall[] = message?.role === "assistant" ? message.tool_calls ?? [] : [];
  const answered = messages.slice(last + 1).filter((one) => one.role === "tool")
    .map((one) => one.role === "tool" ? one.tool_call_id : "");
  return calls.filter(({ id }) => !answered.includes(id))
    .map(({ id }) => ({ role: "tool", tool_call_id: id, content: CUT_OFF }));
}
