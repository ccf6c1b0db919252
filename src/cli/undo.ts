/** `hamr undo [ID]`: puts back what a session changed, file by file. */
import { has_content } from "../store/contents.ts";
import { SessionWriter } from "../store/session_writer.ts";
import type { ChangeRow, FileStep } from "../store/file_state.ts";
import type { Left } from "../store/left.ts";
import type { Put, PutBack } from "../tools/undo_protocol.ts";
import type { Parsed } from "./args.ts";
import { exit_code } from "./exit_codes.ts";
import type { Io } from "./io.ts";
import {
  beyond_reach,
  contents_of,
  NOT_KEPT,
  type SessionFiles,
  shown,
  why_missing,
  with_session,
} from "./session_files.ts";

/** What became of one file. */
interface Undone {
  readonly path: string;
  readonly result: "put back" | "removed" | "as it was" | "refused" | "not covered";
  /** Null where it is as it was. */
  readonly reason: string | null;
  /** Whether `--force` would do it. */
  readonly forceable: boolean;
}

/** Put back at once: their contents are in memory together. */
const GROUP = 50;

const SINCE = "somebody else changed it since";

/** Runs the command: 0 where all is as it was, 2 where something is not. Throws as `with_session` does. */
export async function undo(parsed: Parsed, io: Io): Promise<number> {
  return await with_session(parsed, io, {
    lock: true,
    work: async (files) => {
      const { force } = parsed.flags;
      const done: Undone[] = [];
      const steps: FileStep[] = [];
      try {
        // What is new goes first: it may stand in the place of what was there, or be a folder around it.
        for (const is_new of [true, false]) {
          const part = files.left.filter(({ before }) => (before === null) === is_new);
          for (let at = 0; at < part.length; at += GROUP) {
            const group = part.slice(at, at + GROUP);
            done.push(...await put_back(files, { group, force, steps }));
          }
          await files.ask({ kind: "remove_empty", folders: emptied(files, steps) });
        }
      } finally {
        await note(files, { steps, step: parsed.flags.step });
      }
      done.sort((a, b) => a.path < b.path ? -1 : 1);
      tell(files, { parsed, done, io });
      const is_all = done.every(({ reason }) => reason === null);
      return exit_code(is_all ? "llm_done" : "contract_unsatisfied");
    },
  });
}

async function put_back(
  files: SessionFiles,
  { group, force, steps }: {
    readonly group: readonly Left[];
    readonly force: boolean;
    /** Takes what was done. */
    readonly steps: FileStep[];
  },
): Promise<readonly Undone[]> {
  const befores = await contents_of(files, group.map(({ before }) => before));
  const plans = group.map((left, at) =>
    plan(left, {
      before: befores[at] ?? null,
      missing: () => why_missing(files, left.before),
      is_kept: has_content(files.db, left.after?.hash ?? ""),
      force,
    })
  );
  const wanted = plans.flatMap((one) => "result" in one ? [] : [one]);
  const answers = [...await files.ask({ kind: "put", files: wanted })];
  return plans.map((one, at) => {
    if ("result" in one) return one;
    const left = group[at] as Left;
    const put = answers.shift() as Put;
    if (put.kind === "done" || put.kind === "so_already") {
      const { path, before, unwatched } = left;
      const was = put.kind === "done" ? put.was : before;
      steps.push({ path, before: was, after: before, ...(unwatched ? { unwatched } : {}) });
    }
    return told(left, put);
  });
}

/** What is to be done about a file, or why nothing is. */
function plan(
  left: Left,
  { before: bytes, missing, is_kept, force }: {
    readonly before: Uint8Array | null;
    /** Why that is null. */
    readonly missing: () => string;
    /** What the session left is kept, too: taking it away loses nothing. */
    readonly is_kept: boolean;
    readonly force: boolean;
  },
): PutBack | Undone {
  const { path, before, after, doubt } = left;
  const no = (result: "refused" | "not covered", reason: string, forceable = false): Undone => ({
    path,
    result,
    reason,
    forceable,
  });
  const far = beyond_reach(left);
  if (far !== null) return no("not covered", far);
  if (before !== null && bytes === null) return no("not covered", missing());
  if (doubt !== null && !force) return no("refused", doubt, true);
  if (after !== null && !is_kept && !force) return no("not covered", NOT_KEPT, true);
  const to = before === null || bytes === null ? null : { state: before, bytes };
  return { path, expected: force ? "whatever" : after, to };
}

function told({ path, before }: Left, put: Put): Undone {
  switch (put.kind) {
    case "done":
      return {
        path,
        result: before === null ? "removed" : "put back",
        reason: null,
        forceable: false,
      };
    case "so_already":
      return { path, result: "as it was", reason: null, forceable: false };
    case "changed":
      return { path, result: "refused", reason: SINCE, forceable: true };
    case "failed":
      return { path, result: "refused", reason: put.why, forceable: false };
  }
}

/** What was put back is part of the session: what it has left is less from then on. */
async function note(
  { db, info, runs }: SessionFiles,
  { steps, step }: { readonly steps: readonly FileStep[]; readonly step: number | undefined },
): Promise<void> {
  const run = runs.at(-1)?.run;
  if (steps.length === 0 || run === undefined) return;
  const row: ChangeRow = { run, files: steps, undo: step ?? "all" };
  await SessionWriter.resume(db, info)
    .add({ table: "changes", step: info.steps, body: JSON.stringify(row) });
}

/** Folders that were not there before the session, and from which a file was taken; the deepest first. */
function emptied({ runs, left }: SessionFiles, steps: readonly FileStep[]): readonly string[] {
  const there = new Map(runs.map(({ run, listing }) => [run, folders_of(listing)]));
  const runs_of = new Map(left.map(({ path, run }) => [path, run]));
  const found = new Set<string>();
  for (const { path, after } of steps) {
    if (after !== null) continue;
    const known = there.get(runs_of.get(path) ?? 0);
    for (const folder of above(path)) if (!known?.has(folder)) found.add(folder);
  }
  return [...found].sort((a, b) => b.split("/").length - a.split("/").length);
}

function folders_of({ files, empty }: SessionFiles["runs"][number]["listing"]): Set<string> {
  const folders = new Set<string>();
  for (const path of [...files.map(([path]) => path), ...empty]) {
    for (const folder of above(path)) folders.add(folder);
  }
  return folders;
}

/** The folders that a path lies in; one that ends in `/` is itself among them. */
function above(path: string): string[] {
  const parts = path.split("/").slice(0, -1);
  return parts.map((_, at) => parts.slice(0, at + 1).join("/"));
}

function tell(
  { info, not_covered }: SessionFiles,
  { parsed, done, io }: {
    readonly parsed: Parsed;
    readonly done: readonly Undone[];
    readonly io: Io;
  },
): void {
  const { output, step = null } = parsed.flags;
  const plain = done.map(({ path, result, reason }) => ({ path, result, reason }));
  switch (output) {
    case "json":
      return io.out(
        `${JSON.stringify({ session_id: info.uuid, step, files: plain, not_covered })}\n`,
      );
    case "jsonl":
      return io.out(
        [...plain, ...not_covered.map((line) => ({ not_covered: line }))]
          .map((line) => `${JSON.stringify(line)}\n`).join(""),
      );
    case "text":
      io.out(
        plain.map(({ path, result, reason }) =>
          `${result} ${shown(path)}${reason === null ? "" : `: ${reason}`}\n`
        ).join(""),
      );
  }
  if (done.length === 0) io.err("hamr: there is nothing to undo\n");
  for (const line of not_covered) io.err(`hamr: not covered: ${line}\n`);
  const forceable = done.filter((one) => one.forceable).length;
  if (forceable > 0) {
    const words = forceable === 1
      ? "1 file is left as it was found; --force puts it back, too"
      : `${forceable} files are left as they were found; --force puts them back, too`;
    io.err(`hamr: ${words}\n`);
  }
}
