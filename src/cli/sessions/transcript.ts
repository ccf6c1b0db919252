/** The transcript of a session, from its rows: for people, and for programs. */
import { fields } from "../../config/json.ts";
import { NO_REPLY, without_internal } from "../../agent/history.ts";
import type { DatabaseSync } from "../../store/database.ts";
import { session_rows, type StoredRow } from "../../store/sessions.ts";

export type TranscriptEntry =
  | {
    readonly kind: "user";
    readonly step: number;
    readonly text: string;
    readonly images: number;
  }
  | { readonly kind: "assistant"; readonly step: number; readonly text: string }
  | {
    readonly kind: "call";
    readonly step: number;
    readonly name: string;
    readonly arguments: string;
    /** Null: it was cut off before it had a result. */
    readonly ok: boolean | null;
    readonly summary: string;
  }
  /** From here on the model had other messages before it. */
  | {
    readonly kind: "part";
    readonly step: number;
    readonly part: number;
    /** The compaction that made it, where one did. */
    readonly compaction:
      | { readonly stage: string; readonly tokens_before: number; readonly tokens_after: number }
      | null;
  };

interface Rows {
  readonly messages: readonly StoredRow[];
  readonly events: readonly StoredRow[];
  readonly parts: readonly StoredRow[];
}

/** A row may come out of a file that is someone else's: nothing is taken for granted. */
type Loose = Readonly<Record<string, unknown>>;

type CallEntry = Extract<TranscriptEntry, { kind: "call" }>;
type CallOutcome = Pick<CallEntry, "ok" | "summary"> & Partial<CallEntry>;

/** The transcript of a saved session, by its row. Rejects if the file is damaged. */
export async function transcript_of(
  db: DatabaseSync,
  session: number,
): Promise<readonly TranscriptEntry[]> {
  const rows = (table: keyof Rows) => session_rows(db, { session, table });
  const [messages, events] = [await rows("messages"), await rows("events")];
  return transcript({ messages, events, parts: await rows("parts") });
}

/** The transcript, through all parts. What a part takes over from the one before is in it once. */
function transcript(rows: Rows): readonly TranscriptEntry[] {
  const messages = rows.messages.map(({ step, body }) => ({
    step,
    message: fields(JSON.parse(body)),
  }));
  const events = rows.events.map(({ body }) => fields(JSON.parse(body))).filter((event) =>
    !("agent" in event)
  );
  const outcome_of = outcomes(messages.map(({ message }) => message), events);
  const entries: TranscriptEntry[] = [];
  const before = new Set<string>();
  let now: string[] = [];
  let part = 1;
  for (const [at, { step, message }] of messages.entries()) {
    // Each part begins with the system message, and nothing else has that role.
    if (text_of(message, "role") === "system") {
      if (at > 0) entries.push(beginning(++part, { rows, events, step }));
      for (const key of now) before.add(key);
      now = [];
      continue;
    }
    const key = key_of(message);
    now.push(key);
    const taken_over = part > 1 && step === rows.parts[part - 2]?.step && before.has(key);
    if (!taken_over) entries.push(...entries_of(message, step, outcome_of));
  }
  return entries;
}

function beginning(
  part: number,
  { rows, events, step }: { rows: Rows; events: readonly Loose[]; step: number },
): TranscriptEntry {
  const at = rows.parts[part - 2]?.step ?? step;
  // It is shown as part of the step that it makes room for.
  const event = events.findLast((event) =>
    event["type"] === "compaction" && (event["step"] === at || event["step"] === at + 1)
  );
  const number = (name: string) => Number(event?.[name] ?? 0);
  const compaction = event === undefined ? null : {
    stage: text_of(event, "stage"),
    tokens_before: number("tokens_before"),
    tokens_after: number("tokens_after"),
  };
  return { kind: "part", step: at, part, compaction };
}

/** A key that a message has in common with what a compaction has left of it. */
function key_of(message: Loose): string {
  const role = text_of(message, "role");
  if (role === "tool") return JSON.stringify([role, message["tool_call_id"]]);
  const calls = calls_of(message);
  if (calls.length > 0) {
    return JSON.stringify([role, calls.map((call) => [call["id"], call["name"]])]);
  }
  return JSON.stringify([role, without_internal(text_of(message, "content"))]);
}

function entries_of(
  message: Loose,
  step: number,
  outcome_of: (call: Loose) => CallOutcome,
): readonly TranscriptEntry[] {
  const content = text_of(message, "content");
  switch (message["role"]) {
    case "user": {
      const text = message["internal"] === true ? "" : without_internal(content);
      const images = Array.isArray(message["images"]) ? message["images"].length : 0;
      return text === "" && images === 0 ? [] : [{ kind: "user", step, text, images }];
    }
    case "assistant": {
      const said = content.trim() === "" || content === NO_REPLY
        ? []
        : [{ kind: "assistant", step, text: content } as const];
      return [
        ...said,
        ...calls_of(message).map((call): TranscriptEntry => ({
          kind: "call",
          step,
          name: text_of(call, "name"),
          arguments: text_of(call, "arguments"),
          ...outcome_of(call),
        })),
      ];
    }
    default:
      return [];
  }
}

/** What became of each call, or the beginning of its result. Some servers repeat ids: outcomes of one id are taken in order. */
function outcomes(
  messages: readonly Loose[],
  events: readonly Loose[],
): (call: Loose) => CallOutcome {
  const told = new Map<string, CallOutcome[]>();
  // As hamr understood them: what a model calls by another agent's name is read better so.
  const understood = new Map<string, Partial<CallOutcome>>();
  for (const event of events) {
    const id = text_of(event, "id");
    const call = { name: text_of(event, "name"), arguments: JSON.stringify(event["arguments"]) };
    if (event["type"] === "tool_call") understood.set(id, call);
    if (event["type"] !== "tool_result") continue;
    const outcome = { ok: event["ok"] === true, summary: text_of(event, "summary") };
    told.set(id, [...told.get(id) ?? [], { ...understood.get(id), ...outcome }]);
  }
  const results = new Map<string, string>();
  for (const message of messages) {
    if (message["role"] !== "tool") continue;
    results.set(text_of(message, "tool_call_id"), without_internal(text_of(message, "content")));
  }
  return (call) => {
    const id = text_of(call, "id");
    const outcome = told.get(id)?.shift();
    if (outcome !== undefined) return outcome;
    const [summary] = results.get(id)?.split("\n", 1) ?? [];
    return summary === undefined
      ? { ok: null, summary: "no result" }
      : { ok: !summary.startsWith("Error: "), summary };
  };
}

function calls_of(message: Loose): readonly Loose[] {
  const calls = message["tool_calls"];
  return Array.isArray(calls) ? calls.filter((call) => typeof call === "object" && call) : [];
}

function text_of(from: Loose, name: string): string {
  const value = from[name];
  return typeof value === "string" ? value : "";
}
