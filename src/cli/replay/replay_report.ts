/** Shows where a replay would send something other than the recorded run. */
import { json } from "../../config/json.ts";
import type { Stopped } from "../../agent/tape/replay_tape.ts";
import { cut } from "../../config/text.ts";
import { unified_diff } from "../../changes/unified_diff.ts";
import { first_of, harmless, plural } from "../../ui/text.ts";

/** Lines of the diff that are shown, and how much of each: a screen or two. */
const LINES = 60;
const LINE_CHARS = 200;
/** Of the bytes around the first that differs, where the values are the same. */
const AROUND = 60;
/** How long lines may be compared. */
const COMPARE_MS = 2000;
const FILE = 0o100644;

/** In words, with a diff where it is a request that differs. */
export async function difference_text(
  stopped: Exclude<Stopped, { kind: "cut" }>,
  { run, of, requests }: {
    run: number;
    of: number;
    requests: number;
  },
): Promise<string> {
  const which = of === 1 ? "" : ` of run ${run}`;
  const before = `${plural(requests, "request")} before it ${
    requests === 1 ? "is" : "are"
  } the same`;
  if (stopped.kind === "course") {
    return `request ${stopped.nth}${which}: ${harmless(stopped.text)}; ${before}\n`;
  }
  const { nth, offset, recorded, now } = stopped;
  const head = `request ${nth}${which} differs from byte ${offset} on${place_of(stopped)} ` +
    `(recorded: ${recorded.length} bytes, now: ${now.length}); ${before}\n`;
  return `${head}--- recorded\n+++ now\n${await difference(stopped)}`;
}

async function difference(
  { recorded, now, offset }: Extract<Stopped, { kind: "request" }>,
): Promise<string> {
  const version = (bytes: Uint8Array) => ({ mode: FILE, bytes: lines_of(bytes) });
  const { text } = await unified_diff("request", {
    before: version(recorded),
    after: version(now),
    ms: COMPARE_MS,
  });
  const from = text.indexOf("\n@@ ");
  if (from < 0) return `${around("-", recorded, offset)}${around("+", now, offset)}`;
  const lines = text.slice(from + 1).trimEnd().split("\n");
  const { shown, more } = first_of(lines, LINES);
  return shown.map((line) => `${cut(harmless(line), LINE_CHARS)}\n`).join("") +
    (more > 0 ? `[${plural(more, "more line")}]\n` : "");
}

function place_of({ recorded, now }: { recorded: Uint8Array; now: Uint8Array }) {
  const text = (bytes: Uint8Array) => new TextDecoder().decode(lines_of(bytes)).split("\n");
  const [before, after] = [text(recorded), text(now)];
  const at = after.findIndex((line, nth) => line !== before[nth]);
  const label = after.slice(0, at + 1).findLast((line) => /^\S+:/.test(line));
  return at < 0 || label === undefined ? "" : `, in ${label.slice(0, label.indexOf(":"))}`;
}

/** A request with a line for each value and for each line of a text, so that a diff can be read. */
function lines_of(bytes: Uint8Array): Uint8Array {
  const value = json(new TextDecoder().decode(bytes));
  return value === undefined
    ? bytes
    : new TextEncoder().encode(`${leaves(value, "").join("\n")}\n`);
}

function leaves(value: unknown, path: string): string[] {
  if (typeof value === "object" && value !== null) {
    const list = Array.isArray(value);
    const under = (name: string) =>
      list ? `${path}[${name}]` : path === "" ? name : `${path}.${name}`;
    const found = Object.entries(value).flatMap(([name, inner]) => leaves(inner, under(name)));
    return found.length > 0 ? found : [`${path}: ${list ? "[]" : "{}"}`];
  }
  if (typeof value !== "string" || !value.includes("\n")) return [`${path}: ${String(value)}`];
  return [`${path}:`, ...value.split("\n").map((line) => `  ${line}`)];
}

function around(sign: string, bytes: Uint8Array, offset: number): string {
  const piece = bytes.subarray(Math.max(0, offset - AROUND), offset + AROUND);
  return `${sign}${harmless(new TextDecoder().decode(piece)).replaceAll("\n", "\\n")}\n`;
}
