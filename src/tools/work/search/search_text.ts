import { plural } from "../../../config/text.ts";
import { ToolFailure } from "../../failure.ts";
import type { OutputLimits } from "../../limits.ts";
import type { Machine } from "../machine/machine.ts";
import { bounded, plain_name } from "./read_tree.ts";
import { SEARCH_FILE_BYTES, search_files, type Searcher } from "./search_files.ts";
import {
  literal_pattern,
  type MatchingLine,
  type Pattern,
  regular_expression,
} from "./search_pattern.ts";
import type { Done } from "../../tool.ts";

/** 100,000 files take less than a second where they were read before; a model that waits longer had better ask for less. */
const SEARCH_MS = 30_000;
/** A matching line is shown up to here (500 characters, as other agents cut grep), from a little before the match. */
const MATCH_CHARS = 500;
const BEFORE_MATCH = 100;

/** Lines below a path that contain a text, else those that it matches as a regular expression, as `path:N:line`. */
export async function search_text(
  want: {
    readonly full: string;
    readonly search: string;
    readonly most: OutputLimits;
    readonly text?: string | undefined;
  },
  machine: Machine,
): Promise<Done> {
  if (want.search.includes("\n")) {
    throw new ToolFailure("search is for text within one line; look for one of the lines");
  }
  const expression = regular_expression(want.search, SEARCH_MS);
  const unusable = expression !== null && "unusable" in expression ? expression.unusable : null;
  const as_text = new Matches(literal_pattern(want.search), want.most.lines, machine);
  const as_expression = expression === null || "unusable" in expression
    ? null
    : new Matches(expression, want.most.lines, machine);
  const wanted = () =>
    as_text.count > 0 || as_expression === null ? [as_text] : [as_text, as_expression];
  const deadline = performance.now() + SEARCH_MS;
  let stopped: string | null = null;
  let large = 0;
  const searcher: Searcher = {
    goes_on: () => {
      if (machine.signal.aborted) stopped = "with the run";
      else if (performance.now() > deadline) stopped = `after ${SEARCH_MS / 1000} s`;
      return stopped === null;
    },
    wants: (text) => wanted().some(({ pattern }) => pattern.may_match(text)),
    take: (path, text) => wanted().forEach((matches) => matches.add(path, text)),
    large: () => void large++,
  };
  if (want.text === undefined) await search_files(want.full, machine, searcher);
  else searcher.take(want.full, want.text);
  searcher.goes_on();
  const found = as_text.count > 0 || as_expression === null ? as_text : as_expression;
  const { kept } = bounded(found.lines, want.most);
  const notes = [
    ...(found === as_expression && found.count > 0 ? ["matched as a regular expression"] : []),
    ...of_count(kept.length, found.count, stopped),
    ...left_out(large, found.pattern),
  ].map((note) => `[${note}]`);
  if (found.count === 0) {
    const text = [`no line contains it${why_none(want.search, as_expression, unusable)}`, ...notes];
    return { ok: true, text: text.join("\n"), summary: "no match" };
  }
  const summary = stopped === null
    ? plural(found.count, "match", "matches")
    : `${found.count} or more matches`;
  const words = found.words ? { found: true } as const : {};
  return { ok: true, text: [...kept, ...notes].join("\n"), summary, ...words };
}

function of_count(kept: number, count: number, stopped: string | null): string[] {
  if (stopped !== null) {
    const so_far = count === 0 ? "" : `; ${lines(count)} matched until then, ${kept} shown`;
    return [
      `the search was stopped ${stopped}${so_far}: search a subfolder, or use bash with grep`,
    ];
  }
  return kept === count
    ? []
    : [`${kept} of ${lines(count)} shown: search a subfolder, or use bash with grep`];
}

function left_out(large: number, { skipped, line_chars }: Pattern): string[] {
  const not = "not searched: use bash with grep";
  return [
    ...(large === 0 ? [] : [`${large} larger than ${SEARCH_FILE_BYTES} bytes ${not}`]),
    ...(skipped === 0 ? [] : [`${lines(skipped)} longer than ${line_chars} characters ${not}`]),
  ];
}

function why_none(search: string, as_expression: Matches | null, unusable: string | null): string {
  if (unusable !== null) return `; ${unusable}`;
  if (as_expression === null) return "";
  const alternative = search.includes("\\|")
    ? "; `\\|` means the character | (write a|b for either)"
    : "";
  return `, nor matches it as a regular expression${alternative}`;
}

function lines(count: number): string {
  return plural(count, "line");
}

/** Lines that were found: all are counted, the first are kept. */
class Matches {
  readonly lines: string[] = [];
  count = 0;
  /** Whether one is no part of a longer word. */
  words = false;

  constructor(
    readonly pattern: Pattern,
    private readonly limit: number,
    private readonly machine: Machine,
  ) {}

  add(path: string, text: string): void {
    let name = "";
    let line = 1;
    let from = 0;
    for (const match of this.pattern.lines(text)) {
      this.count++;
      this.words ||= this.pattern.is_word(text, match.at);
      if (this.lines.length >= this.limit) continue;
      name ||= plain_name(this.machine.files.shown(path));
      for (let at = from; (at = text.indexOf("\n", at)) >= 0 && at < match.start; at++) line++;
      from = match.start;
      this.lines.push(`${name}:${line}:${around(text, match)}`);
    }
  }
}

function around(text: string, { start, end, at }: MatchingLine): string {
  const line = text.slice(start, end).replace(/\r$/, "");
  const shown = (part: string) => part.replaceAll("\0", "␀");
  if (line.length <= MATCH_CHARS) return shown(line);
  const from = Math.max(0, at - start - BEFORE_MATCH);
  const more = from + MATCH_CHARS < line.length ? "…" : "";
  return `${from > 0 ? "…" : ""}${shown(line.slice(from, from + MATCH_CHARS))}${more}`;
}
