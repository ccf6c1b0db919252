/** `hamr replay`: runs a saved session again against its recording; no server is contacted. */
import { stat_or_null } from "../../permission/paths.ts";
import type { Stopped, TapeRow } from "../../agent/tape/replay_tape.ts";
import { INSTRUCTION_FILES, instructions } from "../../agent/instructions.ts";
import type { DatabaseSync } from "../../store/database.ts";
import { session_rows, type SessionInfo } from "../../store/sessions.ts";
import type { LedgerRow } from "../../tools/ledger.ts";
import { first_of, harmless, plural } from "../../ui/text.ts";
import type { Parsed } from "../args/args.ts";
import { exit_code } from "../../app/exit_codes.ts";
import type { Io } from "../base/io.ts";
import { type RecordedRun, Replay } from "./replay_run.ts";
import { named_session, opened, runs_of } from "../../app/saved_sessions.ts";
import { StartError } from "../../config/error.ts";
import { json } from "../../config/json.ts";
import { cut } from "../../config/text.ts";
import { unified_diff } from "../../changes/unified_diff.ts";

/** Replays a session; 0 where every byte is the same, 2 where one is not. Throws `StartError` and `UsageError`. */
export async function replay(parsed: Parsed, io: Io): Promise<number> {
  using saved = await opened(parsed, io);
  const { db } = saved;
  const info = named_session(saved, parsed.operands[0]);
  const runs = await with_own_words(await recording(db, info), { db, info });
  using session = new Replay(io, info.uuid);
  let requests = 0;
  let cut = false;
  for (const [at, run] of runs.entries()) {
    const { requests: same, stopped } = await session.run(run);
    requests += same;
    cut = stopped?.kind === "cut";
    if (stopped === null || stopped.kind === "cut") continue;
    io.out(await difference_text(stopped, { run: at + 1, of: runs.length, requests }));
    return exit_code("verification_failed");
  }
  const where = cut ? "; the recording ends there: the run was cut off, or has not ended" : "";
  io.out(
    `replayed ${plural(requests, "request")} of ${plural(runs.length, "run")}: ` +
      `every byte the same${where}\n`,
  );
  return 0;
}

/** What is recorded of each invocation of a session. Throws `StartError` if that is nothing. */
async function recording(
  db: DatabaseSync,
  { id: session, uuid }: SessionInfo,
): Promise<readonly RecordedRun[]> {
  const runs = await runs_of(db, session);
  const tapes: TapeRow[][] = [];
  for (const { body } of await session_rows(db, { session, table: "tape" })) {
    const row = JSON.parse(body) as TapeRow;
    if (row.kind === "begin") tapes.push([]);
    tapes.at(-1)?.push(row);
  }
  const recorded = runs.flatMap((run, at): RecordedRun[] => {
    const { inputs } = run;
    const tape = tapes[at];
    return inputs === undefined || tape === undefined ? [] : [{ run, inputs, tape }];
  });
  if (recorded[0]?.inputs.resumed) {
    throw new StartError(
      `session ${uuid} began with another one's messages (--fork): only that one can be replayed`,
    );
  }
  if (recorded.length > 0 && recorded.length === runs.length) return recorded;
  throw new StartError(`session ${uuid} has no recording to replay`);
}

/** With the workspace's own words as they are now: changed words are a changed prompt. Not where the session changed them itself. */
async function with_own_words(
  runs: readonly RecordedRun[],
  { db, info: { id: session, imported } }: { db: DatabaseSync; info: SessionInfo },
): Promise<readonly RecordedRun[]> {
  const [first, ...others] = runs;
  if (first === undefined || imported || !stat_or_null(first.inputs.workspace)?.isDirectory) {
    return runs;
  }
  const ledger = (await session_rows(db, { session, table: "ledger" }))
    .map(({ body }) => JSON.parse(body) as LedgerRow);
  const { inputs } = first;
  if (
    inputs.sources.is_judged ||
    ledger.some((row) => row.kind === "file" && INSTRUCTION_FILES.includes(row.path))
  ) return runs;
  const { own } = inputs.sources;
  const sources = { ...inputs.sources, instructions: instructions(inputs.workspace, own ?? null) };
  return [{ ...first, inputs: { ...inputs, sources } }, ...others];
}

/** Lines of the diff that are shown, and how much of each: a screen or two. */
const LINES = 60;
const LINE_CHARS = 200;
/** Of the bytes around the first that differs, where the values are the same. */
const AROUND = 60;
const COMPARE_MS = 2000;
const FILE = 0o100644;

/** In words, with a diff where it is a request that differs. */
async function difference_text(stopped: Exclude<Stopped, { kind: "cut" }>, { run, of, requests }: {
  run: number;
  of: number;
  requests: number;
}): Promise<string> {
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
