/** Measured figures that an answer gives, and that nothing in the session shows. */
import type { Message } from "../../model/message.ts";
import { asks, parsed } from "../answer/answer.ts";
import { NO_RESULT } from "../phrases/reports.ts";
import { asked_for } from "../answer/task.ts";
import { plain } from "../answer/text.ts";
import { table } from "../phrases/words.ts";

/** A task whose outcome is a measure: "raise coverage to 80 %", "make it faster". */
const OF_MEASURE = table(
  "\\b(?:cover(?:age)?|faster|speed|slow\\w*|perf\\w*|optimi\\w+|slim|volume|startup|bench\\w*|latenc\\w*|throughput|memory|ram|sizes?|smaller|shrink|lighter|heap|accura\\w*|scores?|complexity|f1|auc|precision|recall|loss|rmse|mae|fps|p\\d\\d|measure\\w*|profil\\w*|tune|tuning|how (?:much|long|big|fast))\\b|\\d ?(?:%|ms\\b|seconds?\\b|secs?\\b|s\\b|[kmg]i?b\\b)",
  "\\b(?:schneller|langsam\\w*|meten|gemeten|sneller|dekking|\\w+tijd|misura\\w*|veloc\\w*|prestazion\\w*|szybci\\w*|wydajn\\w*|pokryci\\w*|performans\\w*|abdeckung|speicher\\w*|grosse|rapide\\w*|lent\\w*|couverture|vitesse|taille|rapido|velocidad\\w*|cobertura|memoria|tamano|precis\\w*|genauigkeit|messe|temps|tempo|tiempo|\\w*zeit)\\b|[快慢速]|性能|覆盖|优化|速度|быстр|покрыти",
);
/** What is asked beside it may be reckoned. */
const QUESTION = /[^.;!?\n]+\?/g;
/** It tells an outcome. */
const OF_OUTCOME = table(
  "\\b(?:is|are|was|were|at|now|from|takes?|took|runs?|ran|drops?|dropped|fell|falls|down|up|cut|cuts|went|goes|rose|comes? out|reduc\\w+|improv\\w+|increas\\w+|decreas\\w+|gain\\w*|saves?|saved|saving|faster|slower|smaller|reach\\w*|achiev\\w+|hits?|measured|shows?|reports?|scores?|coverage|accuracy|latency|throughput)\\b|→|->|:|=",
  "\\b(?:ist|sind|liegt|jetzt|von|auf|sank|stieg|est|passe|maintenant|de|es|ahora|bajo|subio|esta|agora|caiu)\\b|[是为从到]|は|сейчас|теперь",
);
/** A guess, a wish or a setting. */
const NOT_MEASURED = table(
  "\\b(?:should|would|could|can|may|might|must|will|expect\\w*|estimat\\w*|theor\\w*|likely|probably|typical\\w*|usually|up to|goals?|thresholds?|budgets?|required?|requires|minimum|maximum|timeouts?|ttl|intervals?|every|defaults?|configur\\w+|set|sets|if|when|e\\.g|for example|say|assum\\w+|not|never|buffers?|cpu)\\b|n't\\b|'ll\\b",
  "\\b(?:soll\\w*|ziel|objectif|objetivo)\\b|目标|目標",
);
/** "12.5 %", "120ms", "3x", "an accuracy of 0.93"; not the limits that it keeps. */
const FIGURE =
  /(?<![\w.,:/-]|\d ?m(?:in)? ?)(?<!(?:\b(?:under|below|over|above|than|least|most|within|target|limit|unter|uber|moins de|menos de|plus de|mas de|of the|the|your|(?:limit|goal|target|budget|threshold) of)|[<>≤≥±]|以[上下]) ?)(?<about>\b(?:about|around|roughly|nearly|almost|circa|etwa|rund|environ|unos|cerca de) |[~≈约約] ?)?(?:(?<n>\d[\d,]*(?:\.\d+)?) ?(?<unit>(?:%|percent\b)(?! of\b)|ms\b|milliseconds?\b|s\b|secs?\b|seconds?\b|min(?:utes)?\b(?! \d)|[kmg]i?b\b|x\b|×|fps\b|rps\b|qps\b|(?:ops|req|requests)\/s\b|times (?=faster|slower|smaller))|\b(?:accuracy|f1|precision|recall|auc|loss|rmse|mae|score|performance|complexity)(?:[ -]\w+){0,3}?[ :=]+(?:from [\d.]+ (?:down |up )?to )?(?<m>\d+(?:\.\d+)?)(?![\w%]| ?%))/g;
/** A cell that is a decimal: its unit may stand above it. */
const IN_TABLE = /(?<=\| *[*`~]*)(?<n>\d[\d,]*\.\d+)(?! ?[-–\w./]*\d)(?=[^|]*\|)/g;
/** "From 1.84 s to 0.97 s": both were measured, and come of no two numbers. */
const OF_TIME = /^(?:ms|milli\w*|s|secs?|seconds?)$/;
const END = /\b(?:from|to|von|auf|de|a) (?:\S+ ?m?s to )?$/i;
const NUMBER = /\d+(?:[.,]\d+)*/g;
/** No part of a version, a name or a date. */
const AMOUNT = /(?<![\w.:/-])\d[\d,]*(?:\.\d+)?(?![.:/-]?\d)/g;
const MINUTES = /(\d+) ?m(?:in)?(?: ?|:)(\d+(?:\.\d+)?) ?s/g;
/** What one unit is of another: parts of a whole, of times, and of sizes. */
const SCALES = [1, 60, 3600, 100, 1e3, 1e6, 1e9, 1024, 1024 ** 2, 1024 ** 3];
/** It compares, or adds up: what comes of two numbers may be meant. */
const RECKONS = table(
  "\\b(?:by|out of|faster|slower|smaller|larger|less|fewer|more|sav\\w+|freed|reduc\\w+|improv\\w+|speed-?up|drop|total|together|combined|sum|difference|gain\\w*|ratio|share|half|times|per|each)\\b|\\d ?[x×](?!\\w)|\\b(?:um|insgesamt|total|schneller|mejora|ahorr\\w+|reduction)\\b|[倍省减]",
);
const AVERAGES = /\b(?:average|mean|median|avg|averaged|typical)\b/;
/** Of so many numbers something comes that is any other. */
const MOST_NUMBERS = 60;
/** "Below 200 ms": where a task wants to get to. */
const WANTED =
  /(?:\b(?:to|under|below|over|above|than|least|most|reach|hit|within|want|be|of|auf|unter|uber|a|sous|menos de)|[<>≤≥]=?) (\d[\d,.]*)/g;
/** What is only about is within a quarter. */
const ABOUT = 0.25;

/** Those of an answer to a task for a better measure, as they are written. */
export function unshown_figures(
  answer: string,
  asked: string,
  before: readonly Message[],
): readonly string[] {
  const task = plain(asked);
  if (!/\d/.test(answer) || asked_for(asked).question || !OF_MEASURE(task.replace(QUESTION, ""))) {
    return [];
  }
  const { said, blocks } = parsed(answer);
  const rows = blocks.flatMap(({ lines }) => lines).filter((line) => /^\|.*\|/.test(line));
  const figures_in = (one: string, figure: RegExp) =>
    NOT_MEASURED(plain(one)) ? [] : [...one.matchAll(figure)].map((figure) => ({ one, figure }));
  const told = [
    ...said.filter((one) => OF_OUTCOME(one) && !asks(one)).flatMap((one) =>
      figures_in(one, FIGURE)
    ),
    ...rows.flatMap((one) => figures_in(one, IN_TABLE)),
  ];
  if (told.length === 0) return [];
  const known = known_numbers(before, new Set([...task.matchAll(WANTED)].map(([, n = ""]) => n)));
  if (known === null) return [];
  return told.filter(({ one, figure: { index, groups: { n, m, unit, about } = {} } }) =>
    !is_shown(n ?? m ?? "", known, {
      about: about !== undefined,
      sentence: one,
      timed: OF_TIME.test(unit ?? "") && END.test(one.slice(0, index)),
    })
  ).map(({ figure }) => figure[0].trim());
}

/** What `read` adds to a text: that it counts lines measures nothing. */
const OF_LINES = /^(?:[^\s:]+[:-])?\d+[:-]|^\[lines .*\]$/gm;
/** So does a search. */
const NUMBERS_LINES = /\b(?:grep|rg) (?:-\S+ )*-\w*n|\bcat -n|\bnl /;

interface Known {
  /** All that is written anywhere. */
  readonly all: readonly number[];
  /** What programs have printed. */
  readonly printed: readonly number[];
}

/** Null where something may have been seen that is no text. */
function known_numbers(before: readonly Message[], wanted: ReadonlySet<string>): Known | null {
  const texts: string[] = [], results: string[] = [];
  const reads = new Set<string>();
  for (const message of before) {
    if ("images" in message && (message.images?.length ?? 0) > 0) return null;
    if (message.role === "tool") {
      const is_read = reads.has(message.tool_call_id);
      results.push(is_read ? message.content.replace(OF_LINES, "") : message.content);
    } else if (message.role === "user") texts.push(message.content.split(NO_RESULT)[0] ?? "");
    else if (message.role === "assistant") {
      for (const call of message.tool_calls ?? []) {
        texts.push(call.arguments);
        if (/^(?:read|view)/i.test(call.name) || NUMBERS_LINES.test(call.arguments)) {
          reads.add(call.id);
        }
      }
    }
  }
  const printed = results.join("\n");
  const others = (texts.join("\n").match(NUMBER) ?? []).filter((one) => !wanted.has(one));
  const times = [...printed.matchAll(MINUTES)].map(([, m, s]) => Number(m) * 60 + Number(s));
  return {
    all: [...values(others), ...values(printed.match(NUMBER) ?? []), ...times],
    printed: [...values(printed.match(AMOUNT) ?? []), ...times],
  };
}

/** "1,234" is a thousand and more, or one and a little. */
function values(written: readonly string[]): readonly number[] {
  const read = written.flatMap((one) => [
    one.replaceAll(",", ""),
    one.replace(/\.(?=.*,)/g, "").replace(",", "."),
  ]);
  return [...new Set(read.map(Number))].filter((value) => !Number.isNaN(value));
}

function is_shown(
  written: string,
  { all, printed }: Known,
  { about, sentence, timed }: { about: boolean; sentence: string; timed: boolean },
): boolean {
  const step = 10 ** -(/\.(\d+)$/.exec(written)?.[1]?.length ?? 0);
  return values([written]).some((value) => {
    const off = about ? Math.max(step, value * ABOUT) : step;
    const is_it = (other: number) => Math.abs(other - value) < off;
    const in_units = (other: number) =>
      SCALES.some((scale) => is_it(other * scale) || is_it(other / scale));
    if (all.some(in_units)) return true;
    if (
      AVERAGES.test(sentence) && printed.some((one) => one < value) &&
      printed.some((one) => one > value)
    ) return true;
    // Another column may be reckoned from two.
    if (!RECKONS(sentence) && !sentence.startsWith("|")) return false;
    if (printed.length > MOST_NUMBERS) return !timed;
    const known = [...new Set([...printed, ...all.slice(0, MOST_NUMBERS)])];
    return known.some((a) =>
      in_units(1 / a) ||
      known.some((b) =>
        in_units(a - b) || in_units(a + b) || in_units(a * b) || is_it(a / b) ||
        is_it(100 * a / b) || is_it(100 - 100 * a / b) || is_it(100 * a / b - 100)
      )
    );
  });
}
