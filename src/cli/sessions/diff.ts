/** `hamr diff [ID]`: shows what a session changed. */
import { one_line } from "../../config/text.ts";
import { json_line } from "../../config/json.ts";
import { git_place, object_format } from "../../changes/git_index.ts";
import { is_known, part_of_patch } from "../../changes/patch.ts";
import type { Left } from "../../changes/remaining_changes.ts";
import { type FileChange, status_of } from "../../changes/turn_diff.ts";
import type { PathState } from "../../changes/undo_protocol.ts";
import { unified_diff, type Version } from "../../changes/unified_diff.ts";
import { git_folder } from "../../permission/git_folder.ts";
import { same_state } from "../../store/file_state.ts";
import { harmless, plural } from "../../ui/text.ts";
import type { Parsed } from "../args/args.ts";
import { terminal_of } from "../base/colors.ts";
import type { Io } from "../base/io.ts";
import {
  beyond_reach,
  contents_of,
  print_files,
  type SessionFiles,
  SINCE,
  why_missing,
  with_session,
} from "./session_files.ts";

interface DiffedFile extends FileChange {
  /** What else is to be known of it; null for nothing. */
  readonly note: string | null;
  readonly diff: string;
}

/** Compared at once: their contents are in memory together. */
const GROUP = 50;
/** Of one file; what takes longer is shown as rewritten. */
const DIFF_MS = 1000;

export async function diff(parsed: Parsed, io: Io): Promise<number> {
  const { colorless } = terminal_of(parsed.flags.no_color, io);
  const paint = Deno.stdout.isTerminal() ? !colorless : null;
  return await with_session(parsed, io, {
    lock: false,
    work: async (files) => {
      await diff_files(files, { parsed, io, paint });
      return 0;
    },
  });
}

export async function diff_files(files: SessionFiles, { parsed, io, paint }: {
  readonly parsed: Parsed;
  readonly io: Io;
  /** Null: it is printed as it is. */
  paint: boolean | null;
}): Promise<void> {
  const { output, stat, binary } = parsed.flags;
  const all: DiffedFile[] = [];
  const { workspace } = files.info;
  const ids = binary ? object_format(git_place({ workspace, git: git_folder(workspace) })) : null;
  for (let at = 0; at < files.left.length; at += GROUP) {
    for (const one of await compared(files, files.left.slice(at, at + GROUP), ids)) {
      if (output === "text" && !stat) io.out(printable(one.diff, paint));
      if (output === "jsonl") io.out(json_line(stat ? { ...one, diff: "" } : one));
      all.push(output === "json" && !stat ? one : { ...one, diff: "" });
    }
  }
  if (output === "text" && stat && all.length > 0) io.out(stat_of(all, paint ?? false));
  if (output === "text" && all.length === 0) io.err("hamr: no changes\n");
  for (const { path, note } of output === "text" ? all : []) {
    if (note !== null) io.err(`hamr: ${one_line(path)}: ${note}\n`);
  }
  print_files(files, { parsed, io, files: output === "json" ? all : [] });
}

/** On a terminal nothing that a command wrote may steer it; anywhere else it is a patch, to the byte. */
function printable(diff: string, paint: boolean | null): string {
  if (paint === null) return diff;
  const shown = harmless(diff);
  return paint ? shown.split("\n").map(painted).join("\n") : shown;
}

const COLORS: readonly (readonly [RegExp, number])[] = [
  [/^(?:diff |index |--- |\+\+\+ |new file|deleted file|old mode|new mode)/, 1],
  ...[[/^@@/, 36], [/^\+/, 32], [/^-/, 31]] as const,
];

function painted(line: string): string {
  const [, code] = COLORS.find(([begins]) => begins.test(line)) ?? [];
  return code === undefined ? line : `\x1b[${code}m${line}\x1b[0m`;
}

function stat_of(files: readonly DiffedFile[], paint: boolean): string {
  const width = files.reduce((most, { path }) => Math.max(most, one_line(path).length), 0);
  const color = (code: number, text: string) => paint ? `\x1b[${code}m${text}\x1b[0m` : text;
  const counts = ({ added, removed }: { added: number; removed: number }) =>
    `${color(32, `+${added}`)} ${color(31, `-${removed}`)}`;
  const sum = (name: "added" | "removed") => files.reduce((all, file) => all + file[name], 0);
  const total = counts({ added: sum("added"), removed: sum("removed") });
  return files.map((file) =>
    `${one_line(file.path).padEnd(width)}  ${file.status.padEnd(8)}  ${counts(file)}\n`
  ).join("") + `${plural(files.length, "file")}: ${total}\n`;
}

async function compared(
  files: SessionFiles,
  group: readonly Left[],
  /** How git names contents there; null: of files that are not text only the fact is shown. */
  ids: "sha1" | "sha256" | null,
): Promise<readonly DiffedFile[]> {
  const far = group.map((left) => beyond_reach(left, files));
  const paths = group.map(({ path }, at) => far[at] === null ? path : ".");
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
    const { text, added, removed } = ids !== null && is_known(sides.before) && is_known(sides.after)
      ? await part_of_patch(path, sides, ids)
      : await unified_diff(path, { ...sides, ms: DIFF_MS });
    const missing = sides.before?.bytes === null
      ? why_missing(files, before)
      : sides.after?.bytes === null
      ? why_missing(files, after)
      : null;
    const lost = far[at] ?? missing;
    const note = lost !== null
      ? `not covered: ${lost}`
      : left.doubt ?? sight.obstacle ?? (is_there ? null : SINCE);
    out.push({ path, status: status_of(sides), added, removed, note, diff: text });
  }
  return out;
}

function version(mode: number, bytes: Uint8Array | null | undefined): Version {
  return { mode, bytes: bytes ?? null };
}
