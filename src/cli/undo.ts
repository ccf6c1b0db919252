/** `hamr undo [ID]`: puts back what a session changed, file by file. */
import type { Left } from "../changes/left.ts";
import type { Put, PutBack } from "../changes/undo_protocol.ts";
import { has_content } from "../store/contents.ts";
import { SessionWriter } from "../store/session_writer.ts";
import type { ChangeRow, FileStep } from "../store/file_state.ts";
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
  /** Where a copy is of what was there; null where nobody needs one. */
  readonly copy: string | null;
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
      const { path, before } = left;
      const was = put.kind === "done" ? put.was : before;
      steps.push({ path, before: was, after: before });
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
    copy: null,
  });
  const far = beyond_reach(left);
  if (far !== null) return no("not covered", far);
  if (before !== null && bytes === null) return no("not covered", missing());
  if (doubt !== null && !force) return no("refused", doubt, true);
  if (after !== null && !is_kept && !force) return no("not covered", NOT_KEPT, true);
  const to = before === null || bytes === null ? null : { state: before, bytes };
  return { path, expected: force ? "whatever" : after, known: is_kept ? after : null, to };
}

function told({ path, before }: Left, put: Put): Undone {
  const plain = { path, reason: null, forceable: false, copy: null };
  switch (put.kind) {
    case "done":
      return { ...plain, result: before === null ? "removed" : "put back", copy: put.copy };
    case "so_already":
      return { ...plain, result: "as it was" };
    case "changed":
      return { ...plain, result: "refused", reason: SINCE, forceable: true };
    case "failed":
      return { ...plain, result: "refused", reason: put.why };
  }
}

/** What was put back is part of the session: what it has left is less from then on. */
async function note(
  { db, info }: SessionFiles,
  { steps, step }: { readonly steps: readonly FileStep[]; readonly step: number | undefined },
): Promise<void> {
  if (steps.length === 0) return;
  const row: ChangeRow = { kind: "undo", of: step ?? "all", files: steps };
  await SessionWriter.resume(db, info)
    .add({ table: "changes", step: info.steps, body: JSON.stringify(row) });
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

function tell(
  { info, not_covered }: SessionFiles,
  { parsed, done, io }: {
    readonly parsed: Parsed;
    readonly done: readonly Undone[];
    readonly io: Io;
  },
): void {
  const { output, step = null } = parsed.flags;
  const plain = done.map(({ path, result, reason, copy }) => ({
    path,
    result,
    reason,
    ...(copy === null ? {} : { copy }),
  }));
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
        done.map(({ path, result, reason, copy }) => {
          const more = reason ?? (copy === null ? null : `what was there is in ${shown(copy)}`);
          return `${result} ${shown(path)}${more === null ? "" : `: ${more}`}\n`;
        }).join(""),
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
