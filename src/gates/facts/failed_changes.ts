/** Changes that failed, in a turn that has changed no file. */
import { file_name } from "../answer/files.ts";
import type { LedgerRow } from "../../tools/ledger.ts";
import { is_blank, is_in_place, is_trace } from "./effects.ts";
import { effects_of, parts_of, works_elsewhere } from "./commands.ts";
import { made } from "./facts.ts";
import { commands, failed_parts, worked_parts } from "./outcomes.ts";

/** Files whose change failed and was not made otherwise. A command that leaves nothing to see is no other way, unless `acts` and it may act. */
export function given_up(
  turn: readonly LedgerRow[],
  { acts }: { acts: boolean },
): readonly string[] {
  const missing = unmade(turn, { seen: true });
  const last = turn.findLastIndex((row) =>
    row.kind === "attempt" && !row.ok && row.path !== undefined && missing.includes(row.path)
  );
  const other = made(turn).length > 0 ||
    turn.slice(last + 1).some((row) => is_other_way(row, acts));
  return other ? [] : missing;
}

function is_other_way(row: LedgerRow, acts: boolean): boolean {
  switch (row.kind) {
    case "attempt":
    case "verification":
      return false;
    case "command":
      return works_elsewhere(row.command) ||
        acts && row.exit_code === 0 && effects_of(row.command).has("act");
    case "path":
      return !is_trace(row.path);
    case "file":
      return false; // What differs is known by then.
    default:
      return true;
  }
}

/** Files that were to be changed and never were, under any path. With `seen` a command must have left the file itself, where all was looked at. */
export function unmade(
  ledger: readonly LedgerRow[],
  { seen = false }: { seen?: boolean } = {},
): readonly string[] {
  const left_calls = new Set(
    ledger.flatMap((row) =>
      (row.kind === "file" || row.kind === "path") && !is_trace(row.path) ? [row.call] : []
    ),
  );
  const counts = (row: LedgerRow) =>
    !seen || row.kind !== "command" || works_elsewhere(row.command) ||
    left_calls.has(row.call) && row.looked !== "everywhere";
  const failed = ledger.flatMap((row, at) =>
    row.kind === "attempt" && !row.ok && row.path !== undefined &&
      !ledger.some((other, n) =>
        counts(other) && changes_named(other, row.path ?? "", { later: n > at })
      )
      ? [row.path]
      : []
  );
  return [...new Set([...failed, ...in_conflict(ledger)])];
}

/** Git's word for two texts in one file; what it says of one that is gone on a side may be settled by `git add` alone. */
const CONFLICT = /^CONFLICT \((?:content|add\/add)\): Merge conflict in (.+)$/gm;

/** Files that git left with both sides in them, and that nothing has changed since. */
export function in_conflict(ledger: readonly LedgerRow[]): readonly string[] {
  return commands(ledger).flatMap((row) => {
    const since = ledger.slice(ledger.indexOf(row) + 1);
    return [...(row.said ?? "").matchAll(CONFLICT)].map(([, path = ""]) => path)
      .filter((path) =>
        !row.said?.includes(`Resolved '${path}'`) &&
        !since.some((one) => changes_named(one, path, { later: true }))
      );
  });
}

/** Files that a command was to write, the last of its words, and that nothing in the ledger has written. */
export function missed(ledger: readonly LedgerRow[]): readonly string[] {
  const paths = ledger.flatMap((row) =>
    row.kind === "file" || row.kind === "path" ? [row.path] : []
  );
  return commands(ledger).flatMap((row) => {
    const parts = is_blank(row, ledger, "edits")
      ? parts_of(row.command).filter(is_in_place)
      : failed_parts(row).filter((part) => COPIES.test(part));
    return parts.flatMap((part) => TARGET.exec(part)?.[1] ?? []);
  }).filter((target) => !paths.some((path) => path === target || path.endsWith(`/${target}`)));
}

/** Files for the output of a command that told an error and failed, and that nothing has written since. */
export function unfilled(ledger: readonly LedgerRow[]): readonly string[] {
  return commands(ledger).flatMap((row) => {
    const path = INTO.exec(row.command)?.[1] ?? "";
    const since = ledger.slice(ledger.indexOf(row) + 1);
    return row.exit_code && path !== "" && ERROR.test(row.said ?? "") &&
        !since.some((one) => changes_named(one, path, { later: true }))
      ? [path]
      : [];
  });
}

/** `pg_dump shop > shop.sql`, and no more. */
const INTO = /^[^;|&>]*[^;|&>\d] ?> ?((?:[\w.-]+\/)*[\w.-]+\.\w+)$/;
const ERROR = /\b(?:error|fatal|refused|denied|cannot|can't|unable|no such)\b/i;
const COPIES = /^(?:cp|mv|ln) /;
/** The last word of a command, where it is a file by its look. */
const TARGET = / ((?:[\w.-]+\/)*[\w.-]+\.\w+)$/;

/** Whether a fact is, or could be, a change of a file of this name; what is done by others, only where it came later. */
function changes_named(row: LedgerRow, path: string, { later }: { later: boolean }): boolean {
  const name = file_name(path);
  switch (row.kind) {
    case "file":
    case "path":
      return (row.kind === "file" && row.before === null
        ? is_same_path(path, row.path)
        : file_name(row.path) === name) ||
        row.path.endsWith("/") && `/${path}`.includes(`/${row.path}`);
    case "planned":
      return later;
    case "served":
    case "noted":
      return later && row.ok && (row.kind === "served" || row.what === "subagent");
    case "command":
      return later && worked_parts(row).length > 0 && row.command.toLowerCase().includes(name) &&
        effects_of(row.command).has("act");
    default:
      return false;
  }
}

/** Whether a path as the model wrote it is this new file, and not one that was only called so: it may be absolute, or have another system's slashes. */
function is_same_path(written: string, path: string): boolean {
  const [a, b] = [written, path].map((one) =>
    one.trim().toLowerCase().replaceAll("\\", "/").replace(/^\.\//, "")
  ) as [string, string];
  return a === b || /^(?:\/|[a-z]:)/.test(a) && a.endsWith(`/${b}`);
}
