/** Files that a task wants created, or a call was to change, and that nothing in the run can have made. */
import type { View } from "../../guards/rule.ts";
import { changed_paths, type LedgerRow } from "../../tools/ledger.ts";
import { asks, type FinalAnswer } from "../answer/answer.ts";
import { asked_for, JUDGED_TASK_CHARS } from "../answer/task.ts";
import { plain } from "../answer/text.ts";
import { works_elsewhere } from "../facts/commands.ts";
import { has_only_looked, made } from "../facts/facts.ts";
import { only_looked } from "../facts/outcomes.ts";
import { missed, unfilled, unmade } from "../facts/failed_changes.ts";
import { already, falls_short, names_symptom, tells_of_all } from "../phrases/triggers.ts";
import { file_name, files_in, is_end_of, names_file } from "../answer/files.ts";
import { leaves_alone } from "../phrases/reports.ts";
/** "Create a file hello.txt", "write a Python script run.py": not what is written about, as in "write tests for a.py". */
const CREATES =
  /(?:^|[.!;:\n]\s*(?:[-*]\s+)?)(?:please |now |then |bitte )*(?:create|write|generate|erstelle)\s+(?:(?:an?|the|new|empty|small|simple|short|text|markdown|json|yaml|python|bash|shell|eine?|die|neue|(?!(?:for|of|in|to|from|about|with|that|which|on|using|like|and)\b)[\w-]+)\s+){0,5}?(?:(?:file|script|module|document|program|datei)\s+)?(?:(?:called|named)\s+)?["'`]?((?:[\w.-]+\/)*[\w-][\w.-]*\.\w+)(?![\w/])|^(?:please )?(?:write|save|export|dump|put|store|convert|document|record|note|collect|plot|draw|render|chart|graph|turn|transform|pack|bundle|zip|compress|archive|combine|aggregate|concatenate)\b.{1,100}?\b(?:to|into|in|as)\s+["'`]?((?:[\w.-]+\/)*[\w-][\w.-]*\.\w+)(?![\w/])/gi;

/** "Find out why it is slow. Write that to why.md.": what comes of a question, in a sentence of its own. */
const DELIVERS =
  /(?:^|[.!?]\s+|\n\s*)(?:please |now |then |and |also )*(?:(?:write|save|export|dump|put|store|record|collect|plot)\b[^.!?\n]{1,100}?\b(?:in|on)?to|(?:write|save|put|store)\b[^.!?\n]{1,100}?\b(?:in|as)|(?:summari[sz]e|list|describe|explain)\b[^.!?\n]{1,100}?\binto)\s+["'`]?((?:[\w.-]+\/)*[\w-][\w.-]*\.\w+)(?![\w/])/gi;

/** Files that a task wants created, and that nothing in the run can have made, or a call that worked has as much as named. */
function never_made(view: View): readonly string[] {
  const actions = view.actions.filter(({ ok }) => ok);
  const paths = [...view.asked.matchAll(CREATES)].map(([, a, b = ""]) => a ?? b);
  return unnamed(paths, { ...view, actions });
}

/** "Delete the file old.txt", "remove a.py and b.py": not a part of it, nor something from it. */
const DELETES =
  /(?:^|[.!;:\n]\s*(?:[-*]\s+)?)(?:please |now |then )*(?:delete|remove)\s+(?:the\s+)?(?:(?:file|script|module)\s+)?["'`]?((?:[\w.-]+\/)*[\w-][\w.-]*\.\w+)["'`]?(?=[.!]?\s*$|[.!]\s|,|;|\s+(?:and|then)\b)/gi;

/** Files that a task wants made or deleted, and that nothing in the run can have: a call that reads one shows that it is there. */
export function left_undone(view: View): readonly string[] {
  const there = [...view.asked.matchAll(DELETES)].map(([, path = ""]) => path)
    .filter((path) => !view.run.some((row) => may_make(row, file_name(path))));
  return [...never_made(view), ...there];
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
  const delivered = [...view.asked.matchAll(DELIVERS)].map(([, path = ""]) => path);
  const wanted = question ? [] : [...never_made(view), ...unseen(view)];
  return !words && !plan && !optional && !conditional &&
    [...wanted, ...unnamed(delivered, view)].some((path) => names_file(text, path)) &&
    made(view.run).length === 0 &&
    !said.some((one) => asks(one) || falls_short(one.replace(WITHOUT, "")) || already(one));
}

/** What a thing does not have, or had before, is no failure to make it. */
const WITHOUT =
  /\b(?:without|ohne|sans|sin|senza|sem) (?:any )?\S+|\b(?:had|held|contained|was|were) only\b/g;

function may_make(row: LedgerRow, name: string): boolean {
  switch (row.kind) {
    case "attempt":
    case "verification":
      return false;
    case "served":
      return row.ok;
    case "file":
    case "path":
      return file_name(row.path) === name || row.path.endsWith("/");
    case "command":
      return row.looked !== "everywhere" && !only_looked([row]) || works_elsewhere(row.command);
    default:
      return true;
  }
}

/** Whether the answer names a file that was to be changed and was not, by a call or by the task, and no word of it says so. */
export function names_unmade({ said }: FinalAnswer, view: View): boolean {
  const { question, words, plan } = asked_for(view.asked);
  if (question || words || plan) return false;
  const explains = (one: string) => leaves_alone(one) || names_symptom(one);
  const is_claimed = [...unmade(view.turn), ...unfilled(view.turn)].some((path) => {
    const told = said.filter((one) => names_file(one, path) && !asks(one));
    return told.length > 0 &&
      !told.some((one) => explains(one) || falls_short(one) || already(one));
  });
  if (is_claimed || passes_over_beside(said, view)) return true;
  return [...unmade(view.turn, { seen: true }), ...missed(view.turn)].some((path) => {
    const told = said.filter((one) => names_file(one, path, { stem: true }) && !asks(one));
    return told.length > 0 && names_file(view.asked, path, { stem: true }) &&
      !told.some(explains);
  });
}

/** Whether a file whose change failed is known by its folder alone, the others called so were changed, and that folder is told of as if it was, too. */
function passes_over_beside(said: readonly string[], { turn }: View): boolean {
  const changed = changed_paths(turn);
  return turn.some((row) => {
    if (row.kind !== "attempt" || row.ok || row.path === undefined) return false;
    const path = row.path.replace(/^\.\//, "");
    const beside = changed.filter((one) => file_name(one) === file_name(path));
    if (beside.length < 2 || beside.some((one) => is_end_of(one, path))) return false;
    const known = new Set(beside.flatMap((one) => one.toLowerCase().split("/")));
    const own = path.toLowerCase().split("/").filter((step) => !known.has(step));
    const told = said.filter((one) => !asks(one) && own.some((step) => has_word(one, step)));
    return told.some(tells_of_all) &&
      !told.some((one) => leaves_alone(one) || falls_short(one) || already(one));
  });
}

function has_word(sentence: string, word: string): boolean {
  return new RegExp(`(?<![\\w-])${RegExp.escape(word)}(?![\\w-])`).test(sentence);
}
