/** Changes that failed, in a turn that has changed no file. */
import type { View } from "../guards/rule.ts";
import type { LedgerRow } from "../tools/ledger.ts";
import { asks, type FinalAnswer } from "./answer.ts";
import { asked_for, JUDGED_TASK_CHARS } from "./asked.ts";
import { is_blank, is_in_place, is_trace } from "./blank.ts";
import { effects_of, parts_of, works_elsewhere } from "./commands.ts";
import { files_in, has_only_looked, made } from "./facts.ts";
import { plain } from "./text.ts";
import { already, falls_short } from "./triggers.ts";
import { commands, failed_parts, may_have_worked, only_looked } from "./worked.ts";

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
  return [...new Set(failed)];
}

/** "Create a file hello.txt", "write a Python script run.py": not what is written about, as in "write tests for a.py". */
const CREATES =
  /(?:^|[.!;:\n]\s*(?:[-*]\s+)?)(?:please |now |then |bitte )*(?:create|write|generate|erstelle)\s+(?:(?:an?|the|new|empty|small|simple|short|text|markdown|json|yaml|python|bash|shell|eine?|die|neue|(?!(?:for|of|in|to|from|about|with|that|which|on|using|like|and)\b)[\w-]+)\s+){0,5}?(?:(?:file|script|module|document|program|datei)\s+)?(?:(?:called|named)\s+)?["'`]?((?:[\w.-]+\/)*[\w-][\w.-]*\.\w+)(?![\w/])|^(?:please )?(?:write|save|export|dump|put|store|convert|document|record|note|collect)\b.{1,100}?\b(?:to|into|in|as)\s+["'`]?((?:[\w.-]+\/)*[\w-][\w.-]*\.\w+)(?![\w/])/gi;

/** Files that a task wants created, and that nothing in the run can have made, or a call has as much as named. */
export function never_made(view: View): readonly string[] {
  return unnamed([...view.asked.matchAll(CREATES)].map(([, a, b = ""]) => a ?? b), view);
}

/** Which of `paths` nothing in the run can have made, and no call has named. */
export function unnamed(paths: readonly string[], { run, actions }: View): readonly string[] {
  return paths.filter((path) => {
    const name = file_name(path);
    const steps = path.toLowerCase().split("/");
    return !run.some((row) => may_make(row, name)) &&
      !actions.some(({ ok, name: tool, args }) =>
        tool === "bash" && SEARCHES.test(args)
          ? args.toLowerCase().includes(name)
          : (ok || tool === "bash") && steps.every((step) => args.toLowerCase().includes(step))
      );
  });
}

/** Finds a file, or the uses of it, by its name alone. */
const SEARCHES = /\b(?:grep|rg|find|fd|ls-files)\b/;

/** Files of a task for work, in which there was nothing but looks, and at others. */
function unseen(view: View): readonly string[] {
  return has_only_looked(view) && asked_for(view.asked).work && view.steps === view.run_steps
    ? unnamed(files_in(plain(view.asked.slice(0, JUDGED_TASK_CHARS))), view)
    : [];
}

/** Whether the answer names a file that was to be created as if it was there, and nothing was made. */
export function names_never_made({ text, said }: FinalAnswer, view: View): boolean {
  const { question, words, plan, optional, conditional } = asked_for(view.asked);
  return !question && !words && !plan && !optional && !conditional &&
    [...never_made(view), ...unseen(view)].some((path) => names_file(text, path)) &&
    made(view.run).length === 0 &&
    !said.some((one) => asks(one) || falls_short(one.replace(WITHOUT, "")) || already(one));
}

/** What a thing does not have is no failure to make it. */
const WITHOUT = /\b(?:without|ohne|sans|sin|senza|sem) (?:any )?\S+/g;

function may_make(row: LedgerRow, name: string): boolean {
  switch (row.kind) {
    case "attempt":
    case "verification":
      return false;
    case "file":
    case "path":
      return file_name(row.path) === name || row.path.endsWith("/");
    case "command":
      return row.looked !== "everywhere" && !only_looked([row]) || works_elsewhere(row.command);
    default:
      return true;
  }
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
      return later && may_have_worked(row) && row.command.toLowerCase().includes(name) &&
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

/** Whether a text has the name of a file in it; with `stem`, "the README" is README.md, and `Button` is Button.tsx. */
export function names_file(text: string, path: string, { stem = false } = {}): boolean {
  const name = file_name(path);
  const [known = name] = stem ? STEM.exec(name) ?? [] : [];
  return known === name
    ? text.toLowerCase().includes(name)
    : new RegExp(`(?<![\\w-])${known}(?![\\w-])`, "i").test(text);
}

/** Called so without their endings; shorter names are words of any text. */
const STEM = /^\w{6,}(?=\.|$)/;

/** In small letters: README.md and readme.md are one file to a model, and to many a disk. */
export function file_name(path: string): string {
  return (path.trim().replace(/[/\\]+$/, "").split(/[/\\]/).at(-1) ?? "").toLowerCase();
}
