/** `hamr diff [ID]`: shows what a session changed. */
import type { Left } from "../../changes/remaining_changes.ts";
import { status_of } from "../../changes/turn_diff.ts";
import type { PathState } from "../../changes/undo_protocol.ts";
import { unified_diff, type Version } from "../../changes/unified_diff.ts";
import { same_state } from "../../store/file_state.ts";
import { harmless } from "../../ui/text.ts";
import type { Parsed } from "../args/args.ts";
import type { Io } from "../base/io.ts";
import {
  beyond_reach,
  contents_of,
  path_line,
  type SessionFiles,
  SINCE,
  tell,
  why_missing,
  with_session,
} from "./session_files.ts";

/** One file as it is told. */
interface DiffedFile {
  readonly path: string;
  readonly status: "added" | "modified" | "deleted";
  readonly added: number;
  readonly removed: number;
  /** What else is to be known of it; null for nothing. */
  readonly note: string | null;
  readonly diff: string;
}

/** Compared at once: their contents are in memory together. */
const GROUP = 50;
/** Of one file; what takes longer is shown as rewritten. */
const DIFF_MS = 1000;

/** Runs the command. Throws as `with_session` does. */
export async function diff(parsed: Parsed, io: Io): Promise<number> {
  return await with_session(parsed, io, {
    lock: false,
    work: async (files) => {
      const { output } = parsed.flags;
      const all: DiffedFile[] = [];
      for (let at = 0; at < files.left.length; at += GROUP) {
        for (const one of await compared(files, files.left.slice(at, at + GROUP))) {
          if (output === "text") io.out(printable(one.diff));
          if (output === "jsonl") io.out(`${JSON.stringify(one)}\n`);
          all.push(output === "json" ? one : { ...one, diff: "" });
        }
      }
      for (const { path, note } of output === "text" ? all : []) {
        if (note !== null) io.err(`hamr: ${path_line(path)}: ${note}\n`);
      }
      tell(files, { parsed, io, files: output === "json" ? all : [] });
      return 0;
    },
  });
}

/** On a terminal nothing that a command wrote may steer it; anywhere else it is a patch, to the byte. */
function printable(diff: string): string {
  return Deno.stdout.isTerminal() ? harmless(diff) : diff;
}

async function compared(
  files: SessionFiles,
  group: readonly Left[],
): Promise<readonly DiffedFile[]> {
  const near = group.map((left) => beyond_reach(left) === null);
  const paths = group.map(({ path }, at) => near[at] ? path : ".");
  const sights = await files.ask("look", paths);
  const befores = await contents_of(files, group.map(({ before }) => before));
  const afters = await contents_of(files, group.map(({ after }) => after));
  // What a run that was cut off has left is nowhere but there.
  const now = await files.ask("contents", paths);
  const out: DiffedFile[] = [];
  for (const [at, left] of group.entries()) {
    const { path, before, after } = left;
    const sight = sights[at] as PathState;
    const is_there = sight.obstacle === null && same_state(sight.state, after);
    const sides = {
      before: before && version(before.mode, befores[at]),
      after: after && version(after.mode, afters[at] ?? (is_there ? now[at] : null)),
    };
    const { text, added, removed } = await unified_diff(path, { ...sides, ms: DIFF_MS });
    const missing = sides.before?.bytes === null
      ? why_missing(files, before)
      : sides.after?.bytes === null
      ? why_missing(files, after)
      : null;
    const note = note_on(left, { missing, sight, is_there });
    out.push({ path, status: status_of(sides), added, removed, note, diff: text });
  }
  return out;
}

function version(mode: number, bytes: Uint8Array | null | undefined): Version {
  return { mode, bytes: bytes ?? null };
}

function note_on(
  left: Left,
  { missing, sight, is_there }: {
    /** Why there is nothing to compare. */
    readonly missing: string | null;
    readonly sight: PathState;
    readonly is_there: boolean;
  },
): string | null {
  const far = beyond_reach(left);
  if (far !== null) return `not covered: ${far}`;
  if (missing !== null) return `not covered: ${missing}`;
  return left.doubt ?? sight.obstacle ?? (is_there ? null : SINCE);
}
