/** What a task lists: if one of its things was done, and the answer says so of all, the others should have been. */
import { file_name, files_in, without_ending } from "../answer/files.ts";
import type { Claim } from "../answer/claim.ts";
import type { View } from "../../guards/rule.ts";
import { asks, type FinalAnswer } from "../answer/answer.ts";
import { asked_for, JUDGED_TASK_CHARS } from "../answer/task.ts";
import { changed, is_another, is_same } from "../facts/facts.ts";
import { unmade } from "../facts/failed_changes.ts";
import { leaves_alone } from "../phrases/reports.ts";
import { documented } from "./documented.ts";
import { is_source, listed_files } from "../answer/changed_files.ts";
import { type Block, plain } from "../answer/text.ts";
import * as says from "../phrases/triggers.ts";

/** Files that the task lists, "in a.yml and b.md", or the answer, if it names each, or says of all that it is done: if one changed, the others should have, unless more is said of them. */
export function unfinished(answer: FinalAnswer, view: View): readonly Claim[] {
  const { asked, run, ledger } = view;
  const { said } = answer;
  // "All use the new style now: no `TestCase`."
  const told = said.filter((one) =>
    !asks(one) && !says.denies(one.split(": ")[0] ?? "") && !says.claims_pass(one)
  );
  const their_own = told.filter((one) => !TAKEN_FROM.test(one));
  const paths = changed(run).map(plain);
  const is_made = (name: string) =>
    paths.some((path) => is_same(path, name)) && !is_another(name, paths, view);
  const is_excused = (name: string) =>
    said.some((one) => one.includes(file_name(name)) && leaves_alone(one));
  // What all of them needed may have changed elsewhere.
  const is_shared = (names: readonly string[]) =>
    paths.some((path) =>
      !names.some((name) => is_same(path, name)) &&
      said.some((one) => one.includes(file_name(path)))
    );
  const seen = { is_made, is_shared, is_excused };
  const is_told = (names: readonly string[]) =>
    told.some((one) =>
      says.tells_of_all(one) ||
      names.every((name) => one.includes(file_name(name)))
    );
  return [
    plain(asked.slice(0, JUDGED_TASK_CHARS)).replace(/ ?\([^()]*\)/g, "").replace(QUESTIONS, ""),
    ...their_own.filter(says.tells_of_all),
  ].flatMap(listed_files)
    .concat(their_own.filter((one) => / now\b/.test(one)).flatMap(listed_files).filter(is_many))
    .filter((names) =>
      is_told(names) && names.some(is_made) && !is_shared(names) &&
      !names.some((name) => !is_made(name) && is_excused(name))
    )
    .map((names): Claim => ({ what: "any", names }))
    .concat(listed_undone(lines_on_files(answer.blocks), told, view, seen))
    .concat(skipped(said, their_own, view, seen))
    .concat(named_beside(said, view))
    .concat(documented(told, asked, [...paths, ...changed(ledger).map(plain)]));
}

/** "Are a.json and b.json in sync?" lists nothing to be changed. */
const QUESTIONS = /(?<=^|[.!?] |\n)(?:are|is|do|does|did|was|were|why|what|which|how) [^?\n]*\?/g;

/** What is known of files that an answer names. */
interface Seen {
  /** Whether one has changed. */
  readonly is_made: (name: string) => boolean;
  /** Whether what all of these needed has changed elsewhere. */
  readonly is_shared: (names: readonly string[]) => boolean;
  /** Whether the answer says that one was left alone. */
  readonly is_excused: (name: string) => boolean;
}

/** The files that lines of lists and tables begin with. */
export function lines_on_files(
  blocks: readonly Block[],
): readonly { readonly name: string; readonly line: string }[] {
  return blocks.flatMap(({ lines }) => lines).flatMap((marked) => {
    const line = marked.replace(/[`|*]|\[[ x]\]|[✓✔✅]/g, " ").trim();
    const name = files_in(line.split(/[\s:]/)[0] ?? "")[0];
    return name === undefined ? [] : [{ name, line }];
  });
}

/** Files of such lines that the task names, whose change failed, or that stand behind "All three are done:", beside others that changed. */
function listed_undone(
  lines: ReturnType<typeof lines_on_files>,
  told: readonly string[],
  { asked, turn }: View,
  { is_made, is_shared, is_excused }: Seen,
): readonly Claim[] {
  const names = lines.map(({ name }) => name);
  if (!asked_for(asked).work || !names.some(is_made) || is_shared(names)) return [];
  const task = plain(asked.slice(0, JUDGED_TASK_CHARS));
  const failed = unmade(turn, { seen: true }).map(plain);
  const is_wanted = (name: string) =>
    failed.some((path) => is_same(path, name)) ||
    !says.names_symptom(task) && task.includes(name) &&
      !is_source(task.slice(0, task.indexOf(name)));
  const are_all = told.some((one) => one.endsWith(":") && says.tells_of_all(one));
  return lines.filter(({ name, line }) =>
    !is_made(name) && (is_wanted(name) || are_all) && !leaves_alone(line) &&
    !is_excused(name)
  ).map(({ name }) => ({ what: "any", names: [name] }));
}

/** Of three things that the task lists and the answer says are all done, those whose files were only looked at. */
function skipped(
  said: readonly string[],
  told: readonly string[],
  view: View,
  { is_made, is_shared }: Seen,
): readonly Claim[] {
  const asked = plain(view.asked.slice(0, JUDGED_TASK_CHARS));
  if (says.names_symptom(asked) || ALIKE.test(asked) || !asked_for(view.asked).work) return [];
  return listed_items(asked, view).flatMap((items) => {
    const left = items.filter(({ path }) => !is_made(path));
    const names_all = (one: string) => items.every(({ word }) => one.includes(word));
    // "mypy a.py b.py c.py: no issues found" says of none that it was fine before.
    const is_excused = said.some((one) =>
      /\b(?:only|inherits?|heredan?|heritent?|erben?)\b/.test(one) ||
      left.some(({ word }) => one.includes(word)) &&
        leaves_alone(names_all(one) ? one.replace(FOUND_NONE, "") : one)
    );
    return left.length === 0 || left.length === items.length || is_excused ||
        is_shared(items.map(({ path }) => path)) ||
        !told.some((one) => says.tells_of_all(one) || names_all(one))
      ? []
      : [{ what: "any", names: left.map(({ path }) => path) }];
  });
}

const NAME = "(?!(?:the|an?|its|two|three)\\b)[\\p{L}\\w./-]*[\\p{L}\\w]";
const LAST = ",? (?:and|und|et|y|e|en|i|и) ";
const NAMES = `${NAME}(?:, ${NAME})+${LAST}${NAME}`;
const MANY = `${NAME}(?:, ${NAME}){2,}|${NAMES}`;
const BETWEEN = new RegExp(`${LAST}|, `);
/** "All four (a, b, c, d)", "a, b and c now have", "removed from a, b and c". */
const LISTED = new RegExp(
  `\\((${MANY})\\)|^(${NAMES})(?= (?:are|have|now|use|sind|sont|son)\\b)|(?<= (?:from|for|in|to|aus|von|dans|en) )(${NAMES})(?=\\.?$)`,
  "u",
);
/** "In a, b and c", "the four clients: a, b, c, d". */
const IN_TASK = new RegExp(
  `(?<=: |\\b(?:for|in|to|from|of|fur|von|pour|para|en) )(${MANY})(?=[.;:]?$|[.;] | (?:to|with|from) )`,
  "gu",
);
const COUNTED = /\b(?:three|four|five|six|drei|vier|funf|trois|quatre|tres|cuatro|tre|quattro)\b/;
/** They name no file, and many. */
const KINDS =
  /^(?:tests?|docs?|documentation|config\w*|code|readme|changelog|types?|comments?|scripts?|styles?|examples?)$/;

/** Things that the task or the answer lists and the answer says are all done, of which two are files that changed, or their folders, and others are not. */
function named_beside(said: readonly string[], { asked, run }: View): readonly Claim[] {
  const task = plain(asked.slice(0, JUDGED_TASK_CHARS));
  if (!asked_for(asked).work || says.names_symptom(task) || ALIKE.test(task)) return [];
  const files = changed(run).map(plain);
  const told = said.filter((one) => !asks(one)).flatMap((one) => one.split("; "));
  const names_all = (list: string) => {
    const items = list.split(BETWEEN);
    return told.some((one) =>
      !says.denies(one) && !says.claims_pass(one) &&
      (says.tells_of_all(one) || items.every((item) => one.includes(item)))
    );
  };
  const lists = [
    ...told.flatMap((sentence) => answered_list(sentence) ?? []),
    ...[...task.matchAll(IN_TASK)].map(([, list = ""]) => list).filter(names_all),
  ];
  return lists.flatMap((list): Claim[] => {
    const items = list.split(BETWEEN).flatMap((item) => steps_of(item).at(-1) ?? []);
    const path_of = (item: string) => files.find((path) => steps_of(path).includes(item));
    const left = items.filter((item) => path_of(item) === undefined);
    const places = items.flatMap((item) => path_of(item) ?? []);
    const others = run.some((row) =>
      row.kind === "file" && row.before !== null && !places.includes(plain(row.path))
    );
    const is_excused = told.some((one) => {
      const rest = one.replace(list, "");
      return /\bonly\b/.test(one) ||
        left.some((item) => rest.includes(item)) &&
          (leaves_alone(rest) || files.some((path) => rest.includes(file_name(path))));
    });
    return left.length === 0 || new Set(places).size < 2 || others || is_excused ||
        items.some((item) => KINDS.test(item))
      ? []
      : [{ what: "any", names: left }];
  });
}

/** A list of which a sentence says that all are done; what follows it is another matter. */
function answered_list(sentence: string): string | null {
  const found = LISTED.exec(sentence);
  if (found === null) return null;
  const [whole, inside, first, last] = found;
  const end = found.index + whole.length;
  const one = sentence.slice(0, end) + (/^[^,;]*/.exec(sentence.slice(end))?.[0] ?? "");
  if (says.denies(one) || says.claims_pass(one)) return null;
  const is_done = says.claims_change(one) || says.tells_result(one);
  return (says.tells_of_all(one) || COUNTED.test(one) ? inside : null) ??
    (is_done ? first ?? last ?? null : null);
}

/** The names of a file and of its folders, without endings. */
function steps_of(path: string): readonly string[] {
  return path.split("/").map(without_ending);
}

/** What is to be as the others are, or goes into one of them, need not change in all. */
const ALIKE =
  /\b(?:same|match\w*|agree|alike|consistent\w*|merge|combine|join|where (?:needed|necessary)|if (?:needed|necessary)|check|compare)\b/;
const FOUND_NONE =
  /\b(?:no|0) (?:\w+ )?(?:issues?|errors?|problems?|warnings?|failures?)(?: found)?\b/g;

/** Behind these words, or with them, files are what something was made of, or what comes of it. */
const TAKEN_FROM = /, so \b|\b(?:merged|combined|joined|concatenated)\b/;

/** Of two, one is often only what the other is to be like. */
const FEWEST = 3;
const is_many = (paths: readonly string[]) => new Set(paths).size >= FEWEST;
/** Shorter names are words of any text. */
const STEM_CHARS = 3;
const WORD = /(?:[\w-]+\/)*[\w-]+(?:\.[\w-]+)*/g;
/** What is between two things of a list. */
const AND = /^(?:[\s,&"'`]|(?:and|und|et|y|e)(?!\w))+$/;
/** "1) the plural in the cart 2) …", and a list in lines. */
const POINT = /(?:^|\s)(?:\d{1,2}[.)]|[-*])\s/;

/** A thing of a list, as the task calls it, and its file. */
interface Item {
  readonly word: string;
  readonly path: string;
}

/** The lists of a task in `plain` text, of whose things each is a file, or stands for one that a call of the run names. */
function listed_items(task: string, { actions }: View): readonly (readonly Item[])[] {
  const paths = new Set(actions.flatMap(({ args }) => files_in(plain(args))));
  const stems = Map.groupBy(paths, (path) => without_ending(file_name(path)));
  const names = Map.groupBy(paths, file_name);
  const path_of = (word: string): string | null => {
    if (files_in(word).length > 0) return names.get(file_name(word))?.at(-1) ?? word;
    const found = word.length < STEM_CHARS ? [] : stems.get(word) ?? [];
    return found.length === 1 ? found[0] ?? null : null;
  };
  const items = (text: string) =>
    [...text.matchAll(WORD)].flatMap(({ 0: word, index }) => {
      const path = path_of(word);
      return path === null ? [] : [{ word, path, start: index, end: index + word.length }];
    });
  const rows: { word: string; path: string; end: number }[][] = [];
  for (const item of items(task)) {
    const last = rows.at(-1);
    if (last !== undefined && AND.test(task.slice(last.at(-1)?.end, item.start))) last.push(item);
    else if (!is_source(task.slice(0, item.start))) rows.push([item]);
  }
  const points = task.split(POINT).slice(1).map(items);
  const single = points.every((found) => new Set(found.map(({ path }) => path)).size === 1);
  return [...rows, single ? points.flatMap((found) => found.slice(0, 1)) : []]
    .filter((found) => is_many(found.map(({ path }) => path)));
}
