/** `hamr undo [ID]`: puts back what a session changed, file by file. */
import type { Left } from "../../changes/remaining_changes.ts";
import type { Put, PutBack } from "../../changes/undo_protocol.ts";
import { KEEP_FILE_BYTES } from "../../changes/content_keeper.ts";
import { sha256 } from "../../permission/content_hash.ts";
import { new_content } from "../../store/content.ts";
import { has_content, SessionContents } from "../../store/contents.ts";
import { SessionWriter } from "../../store/session_writer.ts";
import type { ChangeRow, FileStep } from "../../store/file_state.ts";
import type { Parsed } from "../args/args.ts";
import { why } from "../../config/paths.ts";
import { one_line } from "../../config/text.ts";
import { StartError } from "../../config/error.ts";
import { exit_code } from "../../app/exit_codes.ts";
import type { Io } from "../base/io.ts";
import {
  beyond_reach,
  contents_of,
  NOT_KEPT,
  print_files,
  type SessionFiles,
  SINCE,
  why_missing,
  with_session,
} from "./session_files.ts";

interface Undone {
  readonly path: string;
  readonly result: "put back" | "removed" | "as it was" | "refused" | "not covered";
  readonly reason: string | null;
  readonly forceable: boolean;
  /** Where a copy is of what was there; null if nobody needs one. */
  readonly copy: string | null;
}

const WORDS: Readonly<Record<Undone["result"], string>> = {
  "put back": "restored",
  "removed": "removed",
  "as it was": "already restored",
  "refused": "left alone",
  "not covered": "not covered",
};

/** Put back at once: their contents are in memory together. */
const GROUP = 50;

export async function undo(parsed: Parsed, io: Io): Promise<number> {
  return await with_session(parsed, io, {
    lock: true,
    work: (files) => undo_files(files, parsed, io),
  });
}

/** Puts them back, and says so: 0 if all is as it was, 2 where something is not. */
export async function undo_files(files: SessionFiles, parsed: Parsed, io: Io): Promise<number> {
  const { flags } = parsed, { step, since, redo } = flags;
  const done: Undone[] = [];
  const steps: FileStep[] = [];
  const { db, info, left, unfinished, writer = SessionWriter.resume(db, info) } = files;
  if (unfinished === (redo ? "undo" : "redo")) {
    const rest = redo ? "hamr undo" : "hamr undo --redo";
    throw new StartError(`the last ${unfinished} was cut off; ${rest} does what is left of it`);
  }
  const of = step ?? (since === undefined ? "all" : { since });
  const from = Date.now();
  const note = (more: { readonly begun?: true } = {}) => {
    const files = { files: steps, ...more, from_to: [from, Date.now()] as const };
    const row: ChangeRow = redo ? { kind: "redo", ...files } : { kind: "undo", of, ...files };
    return writer.add({ table: "changes", step: info.steps, body: JSON.stringify(row) });
  };
  if (left.length > 0) await note({ begun: true }).catch(() => {});
  try {
    // What is new goes first: it may be in the place of what was there, or be a folder around it.
    for (const is_new of [true, false]) {
      const part = left.filter(({ before }) => (before === null) === is_new);
      for (let at = 0; at < part.length; at += GROUP) {
        done.push(...await put_back(files, { group: part.slice(at, at + GROUP), flags, steps }));
      }
      await files.ask("remove_empty", emptied(files, steps));
    }
  } finally {
    // What was put back is part of the session: what it has left is less from then on.
    const noted = left.length === 0 ? null : note();
    await noted?.catch((error) =>
      io.err(`hamr: could not record in the session what was put back: ${one_line(why(error))}\n`)
    );
  }
  done.sort((a, b) => a.path < b.path ? -1 : 1);
  report(files, { parsed, done, io });
  const is_all = !files.is_partial && done.every(({ reason }) => reason === null);
  return exit_code(is_all ? "llm_done" : "contract_unsatisfied");
}

async function put_back(
  files: SessionFiles,
  { group, flags, steps }: { group: readonly Left[]; flags: Parsed["flags"]; steps: FileStep[] },
): Promise<readonly Undone[]> {
  const { force, redo } = flags;
  const befores = await contents_of(files, group.map(({ before }) => before));
  const plans = group.map((left, at): PutBack | Undone => {
    const { path, before, after, doubt } = left;
    const far = beyond_reach(left, files), bytes = befores[at] ?? null;
    if (far !== null) return undone(path, "not covered", { reason: far });
    if (before !== null && bytes === null) {
      // It can never come back: what was undone before that can.
      if (redo) steps.push({ path, before: after, after });
      return undone(path, "not covered", { reason: why_missing(files, before) });
    }
    const to = before === null || bytes === null ? null : { state: before, bytes };
    // It is only looked whether somebody has put it back.
    if (doubt !== null && !force) return { path, expected: before, known: null, to };
    // Where what the session left is kept, too, taking it away loses nothing.
    const is_kept = has_content(files.db, after?.hash ?? "");
    if (after !== null && !is_kept && !force) {
      return undone(path, "not covered", { reason: NOT_KEPT, forceable: true });
    }
    const known = is_kept && doubt === null ? after : null;
    return { path, expected: force ? "whatever" : after, known, to };
  });
  const wanted = plans.flatMap((one) => "result" in one ? [] : [one]);
  await keep_for_redo(files, { wanted, force }).catch(() => {});
  const answers = [...await files.ask("put", wanted)];
  return plans.map((one, at) => {
    if ("result" in one) return one;
    const left = group[at] as Left;
    const put = answers.shift() as Put;
    if (put.kind === "done" || put.kind === "so_already") {
      const { path, before, after, made } = left;
      const was = put.kind === "done" ? put.was : redo || files.unfinished ? after : before;
      steps.push({ path, before: was, after: before, ...(made === null ? {} : { made }) });
    }
    return told(left, put);
  });
}

/** Keeps what a redo needs and the store does not have: what comes from git, and what `--force` overwrites. Where that fails, the redo says so. */
async function keep_for_redo(
  { db, info, ask }: SessionFiles,
  { wanted, force }: { wanted: readonly PutBack[]; force: boolean },
): Promise<void> {
  const there = force ? await ask("contents", wanted.map(({ path }) => path)) : [];
  const contents = new Map<string, Uint8Array>();
  for (const bytes of [...there, ...wanted.map(({ to }) => to?.bytes ?? null)]) {
    if (bytes !== null && bytes.length <= KEEP_FILE_BYTES) contents.set(sha256(bytes), bytes);
  }
  const unknown = [...contents].filter(([hash]) => !has_content(db, hash));
  new SessionContents(db, info.id).add(
    await Promise.all(unknown.map(([hash, bytes]) => new_content(hash, new Uint8Array(bytes)))),
  );
}

function told(left: Left, put: Put): Undone {
  const { path, before } = left;
  switch (put.kind) {
    case "done":
      return undone(path, before === null ? "removed" : "put back", { copy: put.copy });
    case "so_already":
      return undone(path, "as it was");
    case "changed":
      return undone(path, "refused", { reason: left.doubt ?? SINCE, forceable: true });
    case "failed":
      return undone(path, "refused", { reason: put.why });
  }
}

function undone(path: string, result: Undone["result"], more: Partial<Undone> = {}): Undone {
  return { path, result, reason: null, forceable: false, copy: null, ...more };
}

/** Folders that came with files that are taken away; the deepest first. */
function emptied({ left }: SessionFiles, steps: readonly FileStep[]): readonly string[] {
  const gone = new Set(steps.filter(({ after }) => after === null).map(({ path }) => path));
  const found = new Set<string>();
  for (const { path, made } of left) {
    if (made === null || !gone.has(path)) continue;
    for (let at = made.length - 1; at >= 0; at = path.indexOf("/", at + 1)) {
      found.add(path.slice(0, at));
    }
  }
  return [...found].sort((a, b) => b.split("/").length - a.split("/").length);
}

function report(
  files: SessionFiles,
  { parsed, done, io }: { parsed: Parsed; done: readonly Undone[]; io: Io },
): void {
  if (parsed.flags.output !== "text") {
    const plain = done.map(({ path, result, reason, copy }) => ({
      ...{ path, result, reason },
      ...(copy === null ? {} : { copy }),
    }));
    return print_files(files, { parsed, io, files: plain });
  }
  for (const { path, result, reason, copy } of done) {
    const more = reason ?? (copy === null ? null : `a copy is in ${one_line(copy)}`);
    io.out(`${one_line(path)}: ${WORDS[result]}${more === null ? "" : `: ${more}`}\n`);
  }
  const { redo } = parsed.flags;
  if (done.length === 0) io.err(`hamr: nothing to ${redo ? "redo" : "undo"}\n`);
  print_files(files, { parsed, io, files: [] });
  const forceable = done.filter((one) => one.forceable).length;
  if (forceable === 0) return;
  const words = forceable === 1
    ? "1 file was left alone; --force restores it, too"
    : `${forceable} files were left alone; --force restores them, too`;
  io.err(`hamr: ${words}\n`);
}
