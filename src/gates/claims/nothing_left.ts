/** An answer that says nothing is left of what the last search still finds. */
import { json_object } from "../../dialects/repair.ts";
import type { Action, View } from "../../guards/rule.ts";
import { parts_of } from "../facts/commands.ts";
import type { FinalAnswer } from "../answer/answer.ts";
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

/** What a call looked for, if it only did that, and whether it is there. */
function searched({ name, args, ok, found }: Action): Searched | null {
  const { command, search } = json_object(args) ?? {};
  const pattern = name === "read"
    ? search
    : typeof command === "string"
    ? pattern_of(command)
    : null;
  return typeof pattern === "string"
    ? { pattern, found: name === "read" ? found === true : ok }
    : null;
}

interface Searched {
  readonly pattern: string;
  readonly found: boolean;
}

/** What the last search since the last change found. `known`: that was searched for before, or something was changed and the task or the answer names it. */
function found_last(
  said: readonly string[],
  { actions, changes, asked, turn }: View,
): { pattern: string; known: boolean } | null {
  const searches = actions.flatMap((action) => {
    const one = searched(action);
    return one === null ? [] : [{ ...one, action }];
  });
  const last = searches.at(-1);
  if (last === undefined || !last.found || last.action.changes < changes) return null;
  const pattern = plain(last.pattern).replace(/\\.|^\W+(?=\w)|\W+$/g, "");
  const named = [asked, ...said].some((text) => plain(text).includes(pattern));
  const known = named && turn.some(({ kind }) => kind === "file") ||
    searches.some((one) => one !== last && one.pattern === last.pattern);
  return { pattern, known };
}

const REMOVED =
  "(?:removed|replaced|renamed|resolved|deleted|eliminated|gone|migrated|entfernt|ersetzt|umbenannt|supprimee?s?|remplacee?s?|eliminad[oa]s?|reemplazad[oa]s?)";
/** "All uses are replaced", "no reference remains", "came back empty". */
const NONE_LEFT = table(
  `\\b(?:all|every|each|everywhere|entirely|completely|fully|alle|uberall|vollstandig|tous|toutes|partout|todos|todas)\\b.*\\b${REMOVED}\\b|\\b${REMOVED} (?:\\S+ ){0,3}?(?:all|every|each|everywhere|entirely|completely|alle|uberall)\\b`,
  "\\b(?:no|none|zero|keine?|aucune?|ningun\\w*)\\b.*\\b(?:left|remains?|remaining|anymore|any more|mehr|restante?s?|queda\\w*)\\b|\\bno longer (?:used|referenced|mentioned|appears?|occurs?)\\b",
  `\\b(?:no|zero) (?:\\w+ )?remaining\\b|(?:全部|所有|都已?|すべて|全て|모두|모든)[^。]*(?:替换|删除|移除|改为|改成|置換|削除|変更|교체|삭제|변경)`,
  "n't (?:\\w+ )?(?:used|imported|referenced|mentioned|called|present|found|there)\\b.*\\b(?:any ?more|anywhere)\\b|\\bzero\\b|\\bplus aucune?\\b|\\b(?:ya no|nicht mehr)\\b",
);
/** "A final grep comes back empty." */
const FOUND_NOTHING = table(
  "\\b(?:grep|rg|search)\\b.*\\b(?:(?:came|comes) back|is|was|stays?|returns?|returned|finds?|found|shows?|prints?) (?:now )?(?:empty|clean|nothing|none|no (?:\\w+ )?(?:matches|results|hits|uses|more))\\b",
);
/** What is left is told of. */
const REST = table(
  "\\b(?:only|except|apart from|other than|still|kept|keeps|left (?:it|them|those|that|as)|unrelated|comments?|changelog|history|another|others?|nur|noch|sauf|seulement|reste|salvo|solo)\\b|(?<!\\b(?:no|none|nothing|zero|0)\\b.*)\\b(?:remaining|remains?|rest|hits?|match(?:es)?)\\b",
);

/** Whether the last search denies what is said. A longer name that has the pattern in it is found as well. */
export function denied_by_search({ text, said }: FinalAnswer, view: View): boolean {
  const found = found_last(said, view);
  if (found === null || said.some(REST)) return false;
  if (!said.some(FOUND_NOTHING) && !(found.known && said.some(NONE_LEFT))) return false;
  const name = RegExp.escape(found.pattern);
  const longer = new RegExp(`\\w${name}|${name}(?!s\\b)\\w`);
  return ![view.asked, text].some((one) => longer.test(plain(one)));
}
