/** A session as a bug report: what another machine needs to replay it, and no secret. */
import { Hidden } from "./hidden.ts";
import { bytes_of_packed } from "./packed_reply.ts";
import { type Packed, Requests } from "./requests.ts";
import { secrets_in } from "./secret_patterns.ts";

/** What a replay reads. */
const NEEDED: ReadonlySet<unknown> = new Set(["runs", "tape"]);
/** Home folders that are nobody's. */
const NOBODY = "home";

/** What is known of secrets besides their looks. */
export interface KnownSecrets {
  /** Keys and passwords of this machine. */
  readonly secrets: readonly string[];
  /** The home folder of the user; null if none is known. */
  readonly home: string | null;
}

type BundleLine = Record<string, unknown>;

/** A row of the tape that holds a request and its reply, as far as it is looked into here. */
interface TapedExchange {
  readonly request: Packed;
  readonly reply?: { readonly text?: string; readonly gzip?: string; readonly base64?: string };
}

/** The lines of an exported session as those of a bundle. */
export async function* bundled(
  lines: AsyncIterable<string>,
  known: KnownSecrets,
): AsyncGenerator<string> {
  const kept: BundleLine[] = [];
  for await (const line of lines) {
    const value = JSON.parse(line) as BundleLine;
    if (is_kept(value)) kept.push(opened(value));
  }
  const unpacked = whole_requests(kept);
  const hidden = new Hidden(
    [...known.secrets, ...secrets_of(kept, unpacked)],
    known.home === null ? [] : [{ from: known.home, to: another_home(known.home), whole: true }],
  );
  const requests = new Map<BundleLine, Packed>();
  const packers = new Conversations();
  let rows = 0;
  for (const line of kept) {
    const packer = packers.of(line);
    const request = unpacked.get(line);
    if (request !== undefined) requests.set(line, packer.pack(bytes_of(hidden.in_json(request))));
    if ("table" in line) rows++;
    yield written(line, { hidden, request: requests.get(line), rows });
  }
}

/** A reply that was packed for its length, as text: what is hidden is looked for in all of it. */
function opened(line: BundleLine): BundleLine {
  const { reply, ...body } = exchange_of(line) ?? {};
  if (reply?.gzip === undefined) return line;
  const { gzip, base64 = "", ...rest } = reply;
  const bytes = bytes_of_packed({ gzip, base64 });
  const text = new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);
  return { ...line, body: { ...body, reply: { ...rest, text } } };
}

function is_kept(line: BundleLine): boolean {
  return "content" in line ? false : "table" in line ? NEEDED.has(line["table"]) : true;
}

function written(
  line: BundleLine,
  { hidden, request, rows }: {
    readonly hidden: Hidden;
    readonly request: Packed | undefined;
    readonly rows: number;
  },
): string {
  if (line["type"] === "end") return text_of({ ...line, rows, contents: 0 });
  // Without messages there is nothing to go on from.
  if (line["type"] === "state") return text_of({ type: "state", text: "" });
  if (line["type"] === "session") {
    return text_of(hidden.in_value({ ...line, part: 1, part_from: 1 }));
  }
  if (request === undefined) return text_of(hidden.in_value(line));
  const body = line["body"] as TapedExchange;
  const reply = body.reply?.text === undefined
    ? {}
    : { reply: { ...body.reply, text: hidden_in_pieces(body.reply.text, hidden) } };
  const rest = hidden.in_value({ ...body, ...reply, request: null });
  return text_of({ ...line, body: { ...rest as BundleLine, request } });
}

function text_of(value: unknown): string {
  return `${JSON.stringify(value)}\n`;
}

/** Requests whole, by their lines: what is kept of one may begin in the middle of a secret. */
function whole_requests(lines: readonly BundleLine[]): ReadonlyMap<BundleLine, string> {
  const found = new Map<BundleLine, string>();
  const unpackers = new Conversations();
  for (const line of lines) {
    const requests = unpackers.of(line);
    const exchange = exchange_of(line);
    if (exchange !== null) {
      const bytes = requests.unpack(exchange.request);
      found.set(line, new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes));
    }
  }
  return found;
}

/** What packs the requests of a run, and of each of those that ran at the same time in it. */
class Conversations {
  #by_lane = new Map<unknown, Requests>();

  /** The one for a line, which may begin another run. */
  of(line: BundleLine): Requests {
    if (begins_run(line)) this.#by_lane.clear();
    const lane = (line["body"] as BundleLine | undefined)?.["lane"];
    const known = this.#by_lane.get(lane) ?? new Requests();
    this.#by_lane.set(lane, known);
    return known;
  }
}

function begins_run({ table, body }: BundleLine): boolean {
  return table === "tape" && (body as BundleLine | undefined)?.["kind"] === "begin";
}

function exchange_of({ table, body }: BundleLine): TapedExchange | null {
  const row = body as (TapedExchange & BundleLine) | undefined;
  return table === "tape" && row?.["kind"] === "exchange" && row.request !== undefined ? row : null;
}

/** What looks like a secret in all that is kept. */
function secrets_of(
  lines: readonly BundleLine[],
  requests: ReadonlyMap<BundleLine, string>,
): Set<string> {
  const found = new Set<string>();
  const seen = new Set<string>();
  const look = (text: string) => {
    if (seen.has(text)) return;
    seen.add(text);
    secrets_in(text).forEach((secret) => found.add(secret));
    // The arguments of a call are JSON in JSON.
    if (text.startsWith("{")) walk(parsed(text), look);
  };
  for (const line of lines) {
    walk(line, look);
    walk(parsed(requests.get(line) ?? ""), look);
    for (const { texts } of pieces_of(exchange_of(line)?.reply?.text ?? "")) {
      look(is_label(texts) ? texts[0] ?? "" : texts.join(""));
    }
  }
  return found;
}

/** Every text in a value. */
function walk(value: unknown, look: (text: string) => void): void {
  if (typeof value === "string") look(value);
  else if (typeof value === "object" && value !== null) {
    for (const inner of Object.values(value)) walk(inner, look);
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** Texts of a streamed reply that have the same place in each of its events: what belongs together comes in pieces. */
interface Pieces {
  readonly texts: string[];
  readonly put: ((text: string) => void)[];
}

/** The streamed reply with nothing of what is hidden, though it may come in pieces. */
function hidden_in_pieces(reply: string, hidden: Hidden): string {
  const { events, pieces } = taken_apart(reply);
  for (const { texts, put } of pieces) {
    const label = is_label(texts) ? hidden.in(texts[0] ?? "") : null;
    if (label === texts[0]) continue;
    const whole = texts.join("");
    const clean = hidden.in(whole);
    if (clean === whole) continue;
    let at = 0;
    texts.forEach((text, nth) => {
      put[nth]?.(clean.slice(at, at + text.length));
      at += text.length;
    });
  }
  return events.map(({ before, value, line, after, changed }) =>
    changed ? before + JSON.stringify(value) + after : line
  ).join("\n");
}

/** Whether every event says the same there, such as the id of the reply: no piece of anything, and a million of them are one long word. */
function is_label(texts: readonly string[]): boolean {
  return texts.every((text) => text === texts[0]);
}

function pieces_of(reply: string): readonly Pieces[] {
  return reply === "" ? [] : taken_apart(reply).pieces;
}

/** A reply, line by line: events of a stream, or one JSON value. */
function taken_apart(reply: string) {
  const by_place = new Map<string, Pieces>();
  const events = reply.split("\n").map((line) => {
    const [, before = "", json = "", after = ""] = /^(data: ?)?(\{.*\})(\r?)$/.exec(line) ?? [];
    const value = json === "" ? null : parsed(json);
    const event = { before, value, after, line, changed: false };
    collect(value, "", (place, { text, put }) => {
      const pieces = by_place.get(place) ?? { texts: [], put: [] };
      pieces.texts.push(text);
      pieces.put.push((clean) => {
        event.changed = true;
        put(clean);
      });
      by_place.set(place, pieces);
    });
    return event;
  });
  return { events, pieces: [...by_place.values()] };
}

/** Tells every text in a value, its place, and how to put another there. */
function collect(
  value: unknown,
  place: string,
  tell: (place: string, found: { readonly text: string; put(text: string): void }) => void,
): void {
  if (typeof value !== "object" || value === null) return;
  const holder = value as Record<string, unknown>;
  // Of several calls, each has an index that says which a piece belongs to.
  const index = String(holder["index"] ?? holder["output_index"] ?? "");
  for (const [name, inner] of Object.entries(holder)) {
    const at = `${place}.${index}:${Array.isArray(value) ? "" : name}`;
    if (typeof inner !== "string") collect(inner, at, tell);
    else tell(at, { text: inner, put: (text) => holder[name] = text });
  }
}

/** A home folder of the same length that is nobody's. */
function another_home(home: string): string {
  const cut = home.lastIndexOf("/") + 1;
  return home.slice(0, cut) + NOBODY.padEnd(home.length - cut, "x").slice(0, home.length - cut);
}

function bytes_of(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}
