/** An answer that says nothing is left of what the last search still finds. */
import { json_object } from "../../dialects/repair.ts";
import type { Action, View } from "../../guards/rule.ts";
import { effect_of, parts_of } from "../facts/commands.ts";
import { is_row } from "../facts/outcomes.ts";
import type { FinalAnswer } from "../answer/answer.ts";
import { plain } from "../answer/text.ts";
import { tells_trouble } from "../phrases/reports.ts";
import { table } from "../phrases/words.ts";

/** Prints what it finds, and ends in 0 only if that is something. */
export const SEARCH = /^(?:git grep|[ef]?grep|rg|ag)(?= )/;
/** Looks for what is without, or at what the pattern is not. */
const OTHER = /^-[a-zA-Z]*[vLf]|^--(?:invert-match|files-without-match|file)\b/;

/** Hands on some of what was found, or how many that were. */
const FILTER = /^(?:head|tail|sort|uniq|cut|cat|tr|column|nl|wc -l|[ef]?grep -\w*v\w*)(?: |$)/;

/** Shows itself among what it lists, or what was done before. */
const LISTS_ITSELF = /^(?:ps|pgrep|history|git (?:-\S+ )*(?:log|reflog|diff|show))(?: |$)/;

/** What a line of simple commands looks for, after nothing but looks, if it changes nothing. */
function looked_for(
  parts: readonly string[],
  piped: boolean,
): Pick<Searched, "pattern" | "is_whole"> | null {
  const at = parts.findIndex((one) => SEARCH.test(one));
  const [part = "", ...more] = parts.slice(at);
  const words = part.replace(SEARCH, "").trim().split(/\s+/);
  const looks = (one: string) =>
    (effect_of(one) === "look" || piped && effect_of(one) === "check") && !LISTS_ITSELF.test(one);
  const goes_on = (one: string) =>
    piped ? FILTER.test(one) : !SEARCH.test(one) && /^(?:look|check)$/.test(effect_of(one));
  const only_searches = at >= 0 && parts.slice(0, at).every(looks) && more.every(goes_on) &&
    !words.some((word) => OTHER.test(word));
  const pattern = words.find((word) => !word.startsWith("-"));
  const is_whole = words.some((word) => /^-\w*w/.test(word)) || BOUNDED.test(pattern ?? "");
  return only_searches && pattern !== undefined ? { pattern, is_whole } : null;
}

/** A pattern that no longer name has in it. */
const BOUNDED = /^(?:\\[b<.]|[^\w\\]).*(?:\\[b>]|[^\w\s])$/;

/** What a call looked for, if it only did that and checks, and whether it is there. */
function searched({ name, args, ok, found }: Action): Searched | null {
  const { command, search } = json_object(args) ?? {};
  if (name === "read") {
    return typeof search === "string"
      ? { pattern: search, is_whole: BOUNDED.test(search), found: found === true }
      : null;
  }
  if (typeof command !== "string") return null;
  const parts = parts_of(command), row = is_row(command);
  const wanted = looked_for(parts, !row && command.includes("|"));
  const is_found = parts.length === 1 ? ok : found === true || ok && row;
  return wanted === null ? null : { ...wanted, found: is_found };
}

interface Searched {
  readonly pattern: string;
  /** It is not found in longer names. */
  readonly is_whole: boolean;
  readonly found: boolean;
}

/** What the last search since the last change found. `known`: that was searched for before, or something was changed and the task or the answer names it. `again`: it was found before that change. */
function found_last(
  said: readonly string[],
  { actions, changes, asked, turn }: View,
): { patterns: readonly string[]; is_whole: boolean; known: boolean; again: boolean } | null {
  const searches = actions.flatMap((action) => {
    const one = searched(action);
    return one === null ? [] : [{ ...one, action }];
  });
  const last = searches.at(-1);
  if (last === undefined || !last.found || last.action.changes < changes) return null;
  const patterns = plain(last.pattern).split(/\\?\|/)
    .map((one) => one.replace(/\\.|^\W+(?=\w)|\W+$/g, "")).filter((one) => one !== "");
  const named = [asked, ...said.filter(NONE_LEFT)].some((text) =>
    patterns.some((pattern) => plain(text).includes(pattern))
  );
  const before = searches.filter((one) =>
    one !== last && one.pattern === last.pattern &&
    (named || one.action.args === last.action.args)
  );
  const known = named && turn.some(({ kind }) => kind === "file") || before.length > 0;
  const again = before.some((one) => one.found && one.action.changes < changes);
  return { patterns, is_whole: last.is_whole, known, again };
}

const REMOVED =
  "(?:removed|replaced|renamed|resolved|deleted|eliminated|gone|migrated|entfernt|ersetzt|umbenannt|supprimee?s?|remplacee?s?|eliminad[oa]s?|reemplazad[oa]s?)";
/** "All uses are replaced", "no reference remains", "came back empty". */
const NONE_LEFT = table(
  `\\b(?:all|every|each|everywhere|entirely|completely|fully|alle|uberall|vollstandig|tous|toutes|partout|todos|todas)\\b.*\\b${REMOVED}\\b|\\b${REMOVED} (?:\\S+ ){0,3}?(?:all|every|each|everywhere|entirely|completely|alle|uberall)\\b`,
  "\\b(?:no|none|zero|0|keine?|aucune?|ningun\\w*)\\b.*\\b(?:left|remains?|remaining|anymore|any more|mehr|restante?s?|queda\\w*)\\b|\\bno longer (?:used|referenced|mentioned|appears?|occurs?|reports?|contains?)\\b",
  `\\b(?:no|zero) (?:\\w+ )?remaining\\b|(?:全部|所有|都已?|すべて|全て|모두|모든)[^。]*(?:替换|删除|移除|改为|改成|置換|削除|変更|교체|삭제|변경)`,
  "n't (?:\\w+ )?(?:used|imported|referenced|mentioned|called|present|found|there)\\b.*\\b(?:any ?more|anywhere)\\b|\\bzero\\b|\\bplus aucune?\\b|\\b(?:ya no|nicht mehr)\\b",
);
/** "A final grep comes back empty." */
const FOUND_NOTHING = table(
  "\\b(?:grep|rg|search)\\b.*\\b(?:(?:came|comes) back|is|was|stays?|returns?|returned|finds?|found|shows?|prints?) (?:now )?(?:empty|clean|nothing|none|no (?:\\w+ )?(?:matches|results|hits|uses|more))\\b",
);
/** "`grep` finds no `unwrap()`": all that was looked for has to be named in it. */
const FINDS_NO =
  /\b(?:grep|rg|search)\b.*\b(?:finds?|found|shows?|showed|returns?|returned|lists?) (?:now )?(?:no|neither|0|zero)\b/;
/** What is left is told of. */
const REST = table(
  "\\b(?:only|except|apart from|other than|still|kept|keeps|left (?:it|them|those|that|as)|not (?:replaced|removed|renamed|converted|changed|touched)|deliberate\\w*|intentional\\w*|on purpose|absichtlich|bewusst|expres|a proposito|unrelated|comments?|changelog|history|another|others?|nur|noch|sauf|seulement|reste|salvo|solo)\\b|(?<!\\b(?:no|none|nothing|zero|0)\\b.*)\\b(?:remaining|remains?|rest|hits?|match(?:es)?)\\b",
);

/** The same, in other languages. */
const REST_ELSEWHERE = table(
  "\\b(?:alleen|nog|ancora|soltanto|tranne|apenas|ainda|exceto|excepte|excepto|que(?:da|dan)|tylko|zosta\\w+|oprocz|sadece|kal\\w+|haric)\\b|тольк|кроме|остал|だけ|のみ|残|仅|只|除了|除外|剩|남(?:[은았]|아(?! ?있지 않))|만 |제외|केवल|बाकी|सिवाय",
);
/** What an order wants gone, or to be something else. */
const TO_REMOVE = table(
  "\\b(?:remov\\w+|delet\\w+|drop\\w*|replac\\w+|renam\\w+|convert\\w*|migrat\\w+|mov\\w+|clear\\w*|get rid|rid of|resolv\\w+|todos?|fixmes?|typos?|entfern\\w*|losch\\w*|ersetz\\w*|benenn\\w*|supprim\\w*|remplac\\w*|renomm\\w*|elimin\\w*|borr\\w*|quit\\w*|reemplaz\\w*|renombr\\w*|substitu\\w*|rimuov\\w*|sostitu\\w*|verwijder\\w*|vervang\\w*|hernoem\\w*|usun\\w*|zamien\\w*|zastap\\w*|kaldır\\w*|degistir\\w*)\\b|удал|замен|переимен|убер|убра|删除|移除|替换|改成|改为|换成|重命名|削除|置き換|変換|リネーム|移行|삭제|제거|교체|바꿔|변경|हटा|बदल|टाइपो",
);
/** What is done to one thing is done to each of its kind. */
const OF_ALL = table(
  "\\b(?:alle|alles|overal|tutt[ei]|ovunque|todas?|todos|wszystk\\w+|wszedzie|tum|butun|hepsi\\w*|her yerde)\\b|(?:^|[^\\p{L}])(?:все|всех|всем|везде)(?!\\p{L})|すべて|全て|全部|所有|모두|모든|전부|सभी|(?:तीनों|दोनों|चारों|पाँचों)|\\b(?:all|every|each|everywhere)\\b(?! (?:of )?(?:\\S+ ){0,2}?(?:tests?|checks|specs?))",
);

/** Whether all that was to be done is said to be done, or told to be. */
export const tells_that_all_is_done = (sentence: string): boolean =>
  OF_ALL(sentence) ||
  /\b(?:throughout|across (?:the|all|our|your)|(?:entire|whole) (?:project|repo\w*|code\w*))\b/
    .test(sentence);

export const says_what_is_left = (sentence: string): boolean =>
  REST(sentence) || REST_ELSEWHERE(sentence);

const SAME =
  /\b(?:identical|(?:exactly )?the same|same (?:output|result)s?|match(?:es)?(?: exactly)?|no differences?|byte[- ](?:for|by)[- ]byte|identisch\w*|gleich|identiques?|identic[oa]s?|iguales)\b|相同|一致|同じ/;
/** Of what a program prints; that of two files may show what was changed. */
const COMPARES = /(?:^|[|;&] ?)(?:diff\b[^|;&]*(?: -(?: |$)|<\()|cmp )[^|;&]*$/;

/** Whether two things are said to be the same that the last command of the turn, a comparison, found to differ. */
function denied_by_comparison(said: readonly string[], { turn }: View): boolean {
  const last = turn.at(-1);
  return last?.kind === "command" && last.exit_code === 1 &&
    COMPARES.test(last.command) && said.some((one) => SAME.test(one)) &&
    !said.some(tells_trouble);
}

/** Whether the last search denies what is said. A longer name that has the pattern in it is found as well. */
export function denied_by_search({ text, said }: FinalAnswer, view: View): boolean {
  if (view.left_over !== "" || denied_by_comparison(said, view)) return true;
  const found = found_last(said, view);
  if (found === null || said.some(REST)) return false;
  const none_left = found.known && said.some(NONE_LEFT);
  const all_done = found.again && TO_REMOVE(plain(view.asked)) && said.some(OF_ALL) &&
    !said.some(REST_ELSEWHERE);
  const none_found = said.some((one) =>
    FINDS_NO.test(one) && found.patterns.every((pattern) => one.includes(pattern))
  );
  if (!none_left && !all_done && !none_found && !said.some(FOUND_NOTHING)) return false;
  const names = found.patterns.map((pattern) => RegExp.escape(pattern)).join("|");
  const longer = new RegExp(`\\w(?:${names})|(?:${names})(?!s\\b)\\w`);
  return found.is_whole || ![view.asked, text].some((one) => longer.test(plain(one)));
}
