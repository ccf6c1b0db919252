/** What the results of a run's own searches and counts say is left, where the answer says that all is done. */
import { json_object } from "../../dialects/repair.ts";
import type { Message, ToolCall } from "../../model/message.ts";
import { asks, parsed } from "../answer/answer.ts";
import { is_end_of, names_file } from "../answer/files.ts";
import { asked_for, JUDGED_TASK_CHARS } from "../answer/task.ts";
import { plain } from "../answer/text.ts";
import { parts_of } from "../facts/commands.ts";
import { already, was_needless } from "../phrases/triggers.ts";
import { table } from "../phrases/words.ts";
import { says_what_is_left, SEARCH, tells_that_all_is_done } from "./nothing_left.ts";

/** "src/a.ts:3:  text" */
const HIT = /^(?:\.\/)?([\w@+-][\w@+./-]*\.\w+):\d+[:-](.*)$/;
/** Made by programs, kept as they were, or of others: nobody renames in them. */
const KEPT =
  /(?:^|\/)(?:node_modules|vendor|third_party|dist|build|target|migrations|__snapshots__|fixtures)\/|(?:^|\/)(?:CHANGE\w*|HISTORY|RELEASE\w*|NEWS)\b[^/]*$|\.(?:lock|min\.\w+|map|log|sum)$|-lock\.\w+$/i;
const STILL_WELL = /\bstill (?:work|pass|compile|build|run|return)\w*/g;
/** Words of a pattern that any task may have. */
const COMMON = /^(?:import|from|require|export|class|const|function|def|the|new|return)$/;
/** Fewer letters stand in any word. */
const WORD_CHARS = 3;

interface Search {
  readonly word: string;
  readonly files: readonly string[];
}

/** What a search or a count of the run tells against an answer by which all is done; empty if nothing. */
export function left_over(...given: Parameters<typeof left_by_search>): string {
  const [answer, task, before] = given;
  const files = left_by_search(...given);
  if (files.length > 0) {
    const named = files.slice(0, MOST_NAMED).join(", ");
    return ` Found by a search and not changed: ${named}. If they are to stay so, say it.`;
  }
  const count = counted_otherwise(answer, task, before);
  return count === null ? "" : ` The last count was ${count}.`;
}

const MOST_NAMED = 5;

/** Files that the last search for a word of the task or the answer found beside others that were changed, which have not been, where all of it is said to be done; none that the answer names. */
function left_by_search(
  answer: string,
  asked: string,
  before: readonly Message[],
  changed: readonly string[],
): readonly string[] {
  const task = plain(asked.slice(0, JUDGED_TASK_CHARS));
  const { work, question, optional } = asked_for(asked);
  if (!work || question || optional) return [];
  const said = parsed(answer).said.filter((one) => !asks(one)).map((one) =>
    one.replace(/'[^']*'/g, "")
  );
  const excuses = (one: string) =>
    says_what_is_left(one.replace(STILL_WELL, "")) || already(one) || was_needless(one);
  if (![task, ...said].some(tells_that_all_is_done) || said.some(excuses)) return [];
  const is_changed = (path: string) => changed.some((one) => is_end_of(one, path));
  const told = new Set(`${task} ${said.filter(tells_that_all_is_done).join(" ")}`.split(/[^\w]+/));
  const is_told = (word: string) => word.length > 2 && !COMMON.test(word) && told.has(word);
  const last = new Map(
    searches_in(before).filter(({ word }) => word.split(/\W+/).some(is_told))
      .map(({ word, files }) => [word, files]),
  );
  // "In src": what is elsewhere was not meant.
  const folders = (files: readonly string[]) =>
    files.map((path) => path.split("/")[0] ?? "").filter((one) =>
      new RegExp(`\\b(?:in|under|inside|within|of|from) (?:the )?${RegExp.escape(plain(one))}\\b`)
        .test(task)
    );
  return [...last.values()].flatMap((files) => {
    const own = folders(files);
    const left = files.filter((path) =>
      !is_changed(path) && !KEPT.test(path) && !names_file(answer, path, { stem: true }) &&
      (own.length === 0 || own.includes(path.split("/")[0] ?? ""))
    );
    return left.length < files.length && files.some(is_changed) ? left : [];
  });
}

/** Each search of a call that did nothing else, and the files in which it found the word itself. */
function searches_in(before: readonly Message[]): readonly Search[] {
  const calls = new Map<string, ToolCall>();
  return before.flatMap((message): readonly Search[] => {
    if (message.role === "assistant") {
      for (const call of message.tool_calls ?? []) calls.set(call.id, call);
    }
    const call = message.role === "tool" ? calls.get(message.tool_call_id) : undefined;
    const pattern = call === undefined ? null : pattern_of(call);
    const word = plain(pattern ?? "").replace(/\\[b<>.]|\W+$/g, "").replace(/^\W+/, "");
    if (word.length < WORD_CHARS || /[^\w ./-]/.test(word)) return [];
    const whole = new RegExp(`(?<![\\w-])${RegExp.escape(word)}(?![\\w-])`);
    const files = message.content.split("\n").flatMap((line) => {
      const [, path = "", text = ""] = HIT.exec(line) ?? [];
      return whole.test(plain(text)) ? [path] : [];
    });
    return [{ word, files: [...new Set(files)] }];
  });
}

function pattern_of({ name, arguments: args }: ToolCall): string | null {
  const { command, search } = json_object(args) ?? {};
  if (name === "read") return typeof search === "string" ? search : null;
  const [part = "", ...more] = typeof command === "string" ? parts_of(command) : [];
  if (more.length > 0 || !SEARCH.test(part)) return null;
  return part.replace(SEARCH, "").trim().split(/\s+/).find((word) => !word.startsWith("-")) ?? null;
}

const NUMBERS = ["two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"];
const ALL_OF = table(
  `\\b(?:all|alle|tous les|toutes les|todos los|todas las|todos os|todas as) (?:of the )?(?:\\d+|${
    NUMBERS.join("|")
  })\\b`,
);
const COUNTS = /^(?:wc -l|[ef]?grep (?:-\w+ )*-\w*c\w* |grep -\w*c)/;

const HOW_MANY =
  /\b(?:how many|wie viele|combien|cuant[oa]s|quant[oaie]s?)\b|多少|几个|いくつ|何[件個]|сколько|몇/;
/** In any language what is fewer may be written as a word. */
const WRITTEN_AS_WORD = 12;
/** A line may be a header, and 1,234 "about 1,200" or 1.2k. */
const OFF = 2, ROUNDED = 0.05;

/** Whether the answer to "how many" gives numbers, and not the one that was counted. */
function is_miscounted(answer: string, asked: string, n: number): boolean {
  if (!HOW_MANY.test(plain(asked))) return false;
  const text = answer.replace(/(?<=\d)[.,'\u202f\u00a0 ](?=\d{3}(?!\d))/g, "");
  const numbers = (text.match(/\d+(?:\.\d+)?/g) ?? []).map(Number);
  const [, first] = /\b(?:there (?:are|is)|i (?:found|counted)) \W*(\d+)/i.exec(text) ?? [];
  if (n <= WRITTEN_AS_WORD) {
    return first !== undefined && !numbers.includes(n) &&
      !text.toLowerCase().includes(NUMBERS[n - 2] ?? " ");
  }
  const is_near = (one: number) => Math.abs(one - n) <= Math.max(OFF, n * ROUNDED);
  return numbers.length > 0 && !numbers.some((one) => is_near(one) || is_near(one * 1000));
}

/** "All 22", where the last thing that a run did was to count, and there were fewer: that count, if no sentence has it; or another than it is asked for. */
function counted_otherwise(
  answer: string,
  task: string,
  before: readonly Message[],
): number | null {
  const result = before.at(-1);
  const call = before.at(-2);
  if (result?.role !== "tool" || call?.role !== "assistant") return null;
  const asked = call.tool_calls?.find(({ id }) => id === result.tool_call_id);
  const { command } = json_object(asked?.arguments ?? "") ?? {};
  if (typeof command !== "string" || !COUNTS.test(parts_of(command).at(-1) ?? "")) return null;
  const count = /^\s*(\d+)\s*$/.exec(result.content)?.[1];
  if (count === undefined) return null;
  const { said } = parsed(answer);
  const told = said.filter(ALL_OF).flatMap((one) => one.match(/\d+|\b[a-z]+\b/g) ?? [])
    .map((one) => /\d/.test(one) ? Number(one) : NUMBERS.indexOf(one) + 2).filter((n) => n > 1);
  const n = Number(count);
  if (is_miscounted(answer, task, n)) return n;
  const is_fewer = told.some((one) => n < one && n * 2 >= one) &&
    !new RegExp(`\\b${n}\\b`).test(answer);
  return is_fewer ? n : null;
}
