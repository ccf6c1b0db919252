/** Files of which an answer tells, line by line, what was done to each: of those that changed, and of others. */
import type { View } from "../../guards/rule.ts";
import type { FinalAnswer } from "../answer/answer.ts";
import type { Claim } from "../answer/claim.ts";
import { files_in, is_end_of } from "../answer/files.ts";
import { plain } from "../answer/text.ts";
import { changed } from "../facts/facts.ts";
import { commands } from "../facts/outcomes.ts";
import { leaves_alone } from "../phrases/reports.ts";
import { already, denies, DONE_EN, falls_short } from "../phrases/triggers.ts";

const DEED =
  "(?:created|modified|changed|updated|added|edited|deleted|removed|renamed|rewritten|refactored|fixed)";
const DEEDS = `${DEED}(?:(?:/|,? and | & )${DEED})*`;
/** "Files changed", "New files created (2)", "Created/modified files", "Updated". */
const HEADING = new RegExp(
  `^(?:the |all |new |key |main )*(?:files? (?:(?:i )?(?:have )?)?${DEEDS}|${DEEDS}(?: files?)?|new files|changed files)(?: \\(\\d+(?: files?)?\\))?:?$`,
);
const COLUMNS =
  /^\|?\s*(?:files?|paths?|file paths?)\s*\|.*\b(?:changes?|changed|actions?|edits?|modifications?)\b/;
/** "All three calls updated", "now takes a path", "13 tests", "same fix"; not what is to be, or was there. */
const TELLS_DEED = new RegExp(
  `(?<!\\b(?:be|was|were|been|previously|not|is|are|if|when|that|which|what|where) )\\b(?:${DONE_EN})\\b(?! (?:by|in v?\\d)\\b)|^(?:now|new)\\b|\\bnow \\w+s\\b|\\b(?:is|are) now\\b|^(?:the )?same (?:fix|change|update)|^(?:\\d+|one|two|three) (?:[\\w-]+ )?(?:additions?|tests?|changes?|edits?|fixes|sites?|places)\\b`,
);
/** What is said of a file first. */
const SAID_FIRST = /^[^.,;(]{0,80}/;

/** What it shows may be somebody else's, or of another day. */
const LISTS_CHANGES =
  /\bgit (?:-\S+ )*(?:status|diff|log .*(?:-p\b|--patch|--stat|--name)|show|add|commit|stash|merge|pull)\b/;

interface Entry {
  readonly name: string;
  readonly is_told: boolean;
  readonly is_excused: boolean;
}

/** The files without a change among those of which a deed is told, where no more of the others lack one. */
export function listed_changes(answer: FinalAnswer, { ledger, turn }: View): readonly Claim[] {
  // What is listed after the first change may be all its own.
  const changes = turn.findIndex(({ kind }) => kind === "file");
  const before = ledger.slice(0, ledger.length - (changes < 0 ? 0 : turn.length - changes));
  if (commands(before).some(({ command }) => LISTS_CHANGES.test(command))) return [];
  const paths = changed(ledger).map(plain);
  const entries = entries_of(answer);
  const is_made = ({ name }: Entry) => paths.some((path) => is_end_of(path, name));
  const names = (some: readonly Entry[]) => new Set(some.map(({ name }) => name)).size;
  const left = entries.filter((entry) => !is_made(entry));
  return names(left) > names(entries.filter(is_made)) ? [] : left
    .filter(({ name, is_told }) =>
      is_told && !left.some((one) => one.name === name && one.is_excused)
    )
    .map(({ name }) => ({ what: "any", names: [name] }));
}

/** The lines that begin with a file, and what they, or the lines below one that names it alone, say of it. */
function entries_of({ blocks }: FinalAnswer): readonly Entry[] {
  const entries: Entry[] = [];
  let is_listed = false;
  let above: string | null = null;
  for (const { kind, lines } of blocks) {
    for (const line of lines) {
      const bare = line.replace(/[*#`|[\]]+|[✓✔✅]/g, " ").trim();
      if (HEADING.test(bare) || COLUMNS.test(line)) {
        [is_listed, above] = [true, null];
        continue;
      }
      const [name] = files_in(bare.split(/[\s:(]/)[0] ?? "");
      if (name === undefined && kind === "prose") is_listed = false;
      const rest = bare.slice(name === undefined ? 0 : bare.indexOf(name) + name.length)
        .replace(/^[\s:()\d,\u2013\u2014-]+(?=\D)/, "");
      const told: string | null = name ?? above;
      above = name !== undefined && rest.replace(/\W/g, "") === "" ? name : null;
      if (told === null) continue;
      const [first = ""] = SAID_FIRST.exec(rest) ?? [];
      entries.push({
        name: told,
        is_told: name !== undefined && is_listed || TELLS_DEED.test(first),
        is_excused: leaves_alone(first) || already(first) || denies(first) || falls_short(first),
      });
    }
  }
  return entries;
}
