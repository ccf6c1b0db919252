/** An answer that says nothing is left of what the last search still finds. */
import type { View } from "../../guards/rule.ts";
import { parts_of } from "../facts/commands.ts";
import { plain } from "../answer/text.ts";
import { table } from "../phrases/words.ts";

/** Prints what it finds, and ends in 0 only if that is something. */
const SEARCH = /^(?:git grep|[ef]?grep|rg|ag)(?= )/;
/** Looks for what is without, or at what the pattern is not. */
const OTHER = /^-[a-zA-Z]*[vLf]|^--(?:invert-match|files-without-match|file)\b/;

/** What a command looks for, if it does nothing else. */
function pattern_of(command: string): string | null {
  const [part = "", ...more] = parts_of(command);
  const words = part.replace(SEARCH, "").trim().split(/\s+/);
  if (!SEARCH.test(part) || more.length > 0 || words.some((word) => OTHER.test(word))) return null;
  return words.find((word) => !word.startsWith("-")) ?? null;
}

/** The last search since the last change, as what it found. `known`: that was searched for before, or the task names it and something was changed. */
function found_last({ turn, asked }: View): { pattern: string; known: boolean } | null {
  const changed = turn.findLastIndex(({ kind }) => kind === "file");
  const searches = turn.flatMap((row, at) => {
    const pattern = row.kind === "command" ? pattern_of(row.command) : null;
    return row.kind === "command" && pattern !== null ? [{ row, at, pattern }] : [];
  });
  const last = searches.at(-1);
  if (last === undefined || last.at < changed || last.row.exit_code !== 0) return null;
  const { pattern } = last;
  const known = changed >= 0 && asked.includes(pattern) ||
    searches.some((one) => one !== last && one.pattern === pattern);
  return { pattern, known };
}

const REMOVED =
  "(?:removed|replaced|renamed|resolved|deleted|eliminated|gone|migrated|entfernt|ersetzt|umbenannt|supprimee?s?|remplacee?s?|eliminad[oa]s?|reemplazad[oa]s?)";
/** "All uses are replaced", "no reference remains", "came back empty". */
const NONE_LEFT = table(
  `\\b(?:all|every|each|everywhere|entirely|completely|fully|alle|uberall|vollstandig|tous|toutes|partout|todos|todas)\\b.*\\b${REMOVED}\\b|\\b${REMOVED} (?:\\w+ )?(?:all|every|each|everywhere|entirely|completely|alle|uberall)\\b`,
  "\\b(?:no|none|zero|keine?|aucune?|ningun\\w*)\\b.*\\b(?:left|remains?|remaining|anymore|any more|mehr|restante?s?|queda\\w*)\\b|\\bno longer (?:used|referenced|mentioned|appears?|occurs?)\\b",
  "n't (?:\\w+ )?(?:used|imported|referenced|mentioned|called|present|found|there)\\b.*\\b(?:any ?more|anywhere)\\b|\\bzero\\b|\\bplus aucune?\\b|\\b(?:ya no|nicht mehr)\\b",
);
/** "A final grep comes back empty." */
const FOUND_NOTHING = table(
  "\\b(?:grep|rg|search)\\b.*\\b(?:(?:came|comes) back|is|was|stays?|returns?|returned|finds?|found|shows?|prints?) (?:now )?(?:empty|clean|nothing|none|no (?:\\w+ )?(?:matches|results|hits|uses|more))\\b",
);
/** What is left is told of. */
const REST = table(
  "\\b(?:only|except|apart from|other than|still|kept|keeps|left (?:it|them|those|that|as)|unrelated|comments?|changelog|history|another|others?|nur|noch|sauf|seulement|reste|salvo|solo)\\b|(?<!(?:no|none|nothing|zero)\\b.*)\\b(?:remaining|remains?|rest|hits?|match(?:es)?)\\b",
);

/** Whether the last search denies what is said. A longer name that has the pattern in it is found as well. */
export function denied_by_search(said: readonly string[], view: View): boolean {
  const found = found_last(view);
  if (found === null || said.some(REST)) return false;
  if (!said.some(FOUND_NOTHING) && !(found.known && said.some(NONE_LEFT))) return false;
  const name = plain(found.pattern).replace(/\\./g, "");
  const longer = new RegExp(`\\w${RegExp.escape(name)}|${RegExp.escape(name)}\\w`);
  return ![plain(view.asked), ...said].some((one) => longer.test(one));
}
