/** A session as a bug report: what another machine needs to replay it, without secrets. */
import { json, json_line } from "../config/json.ts";
import { Hidden } from "./hidden.ts";
import { bytes_of_packed } from "./packed_reply.ts";
import { type Packed, Requests } from "./requests.ts";
import { secrets_in } from "./secret_patterns.ts";

/** What a replay reads. */
const NEEDED: ReadonlySet<unknown> = new Set(["runs", "tape"]);
const NOBODY = "home";

export interface KnownSecrets {
  /** Keys and passwords of this machine. */
  readonly secrets: readonly string[];
  /** The home folder of the user; null if none is known. */
  readonly home: string | null;
}

type BundleLine = Record<string, unknown>;

/** What is looked into of a row of the tape that holds an exchange. */
interface TapedExchange extends BundleLine {
  readonly reply?: { readonly text?: string; readonly gzip?: string; readonly base64?: string };
}

/** A line that is kept. Of an exchange the reply is text, and the request whole: what is packed may begin in the middle of a secret. */
interface KeptLine {
  readonly line: BundleLine;
  readonly exchange?: { readonly request: string; readonly body: TapedExchange };
}

/** The lines of an exported session as those of a bundle. */
export async function* bundled(
  lines: AsyncIterable<string>,
  known: KnownSecrets,
): AsyncGenerator<string> {
  const kept: KeptLine[] = [];
  const unpackers = new Conversations();
  for await (const text of lines) {
    const line = JSON.parse(text) as BundleLine;
    if (is_kept(line)) kept.push(opened(line, unpackers.of(line)));
  }
  const hidden = new Hidden(
    [...known.secrets, ...secrets_of(kept)],
    known.home === null ? [] : [{ from: known.home, to: another_home(known.home), whole: true }],
  );
  const packers = new Conversations();
  let rows = 0;
  for (const one of kept) {
    if ("table" in one.line) rows++;
    const shown = without_secrets(one, { hidden, packer: packers.of(one.line), rows });
    yield json_line(shown);
  }
}

function is_kept(line: BundleLine): boolean {
  return "content" in line ? false : "table" in line ? NEEDED.has(line["table"]) : true;
}

function opened(line: BundleLine, unpacker: Requests): KeptLine {
  const { kind, request, ...body } = (line["body"] ?? {}) as TapedExchange & { request?: Packed };
  if (line["table"] !== "tape" || kind !== "exchange" || request === undefined) return { line };
  const text = (bytes: Uint8Array) => new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);
  const { gzip, base64, ...rest } = body.reply ?? {};
  const unpacked = gzip === undefined
    ? body
    : { ...body, reply: { ...rest, text: text(bytes_of_packed({ gzip, base64 })) } };
  return {
    line,
    exchange: { request: text(unpacker.unpack(request)), body: { kind, ...unpacked } },
  };
}

function without_secrets(
  { line, exchange }: KeptLine,
  { hidden, packer, rows }: { hidden: Hidden; packer: Requests; rows: number },
): unknown {
  if (line["type"] === "end") return { ...line, rows, contents: 0 };
  // Without messages there is nothing to go on from.
  if (line["type"] === "state") return { type: "state", text: "" };
  if (line["type"] === "session") return hidden.in_value({ ...line, part: 1, part_from: 1 });
  if (exchange === undefined) return hidden.in_value(line);
  const { request, body: { reply, ...body } } = exchange;
  const clean = reply?.text === undefined
    ? reply
    : { ...reply, text: hidden_in_pieces(reply.text, hidden) };
  return {
    ...line,
    body: {
      ...hidden.in_value({ ...body, reply: clean }) as BundleLine,
      request: packer.pack(new TextEncoder().encode(hidden.in_json(request))),
    },
  };
}

/** What packs the requests of a run, and of each of those that ran at the same time in it. */
class Conversations {
  #by_lane = new Map<unknown, Requests>();

  /** The one for a line, which may begin another run. */
  of({ table, body }: BundleLine): Requests {
    const { kind, lane } = (body ?? {}) as BundleLine;
    if (table === "tape" && kind === "begin") this.#by_lane.clear();
    const known = this.#by_lane.get(lane) ?? new Requests();
    this.#by_lane.set(lane, known);
    return known;
  }
}

function secrets_of(kept: readonly KeptLine[]): Set<string> {
  const found = new Set<string>();
  const seen = new Set<string>();
  const look = (text: string) => {
    if (seen.has(text)) return;
    seen.add(text);
    secrets_in(text).forEach((secret) => found.add(secret));
    // The arguments of a call are JSON in JSON.
    if (text.startsWith("{")) walk(json(text), look);
  };
  for (const { line, exchange } of kept) {
    walk(exchange === undefined ? line : exchange.body, look);
    if (exchange === undefined) continue;
    walk(json(exchange.request), look);
    for (const { texts } of taken_apart(exchange.body.reply?.text ?? "").pieces) {
      look(is_label(texts) ? texts[0] ?? "" : texts.join(""));
    }
  }
  return found;
}

function walk(value: unknown, look: (text: string) => void): void {
  if (typeof value === "string") look(value);
  else if (typeof value === "object" && value !== null) {
    for (const inner of Object.values(value)) walk(inner, look);
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

/** A reply, line by line: events of a stream, or one JSON value. */
function taken_apart(reply: string) {
  const by_place = new Map<string, Pieces>();
  const events = reply.split("\n").map((line) => {
    const [, before = "", text = "", after = ""] = /^(data: ?)?(\{.*\})(\r?)$/.exec(line) ?? [];
    const value = text === "" ? null : json(text);
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

function another_home(home: string): string {
  const cut = home.lastIndexOf("/") + 1;
  return home.slice(0, cut) + NOBODY.padEnd(home.length - cut, "x").slice(0, home.length - cut);
}
