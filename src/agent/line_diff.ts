/** Compares two texts line by line, the way people read an edit. */
import { shared_ends } from "../changes/unified_diff.ts";
import { plural } from "../config/text.ts";

const CONTEXT = 2;
/** More pairs of lines are not compared, but shown as all out and all in: this many take 3 ms. */
const MOST_PAIRS = 250_000;

/** Each line after `- `, `+ ` or, unchanged, two blanks; far from a change only how many there are. `first`: lines before the first one shown. */
export function line_diff(old: string, fresh: string): { lines: readonly string[]; first: number } {
  const [before, after] = [old.split("\n"), fresh.split("\n")];
  // The end of the last line, not a line of its own.
  if (before.at(-1) === "" && after.at(-1) === "") [before, after].forEach((one) => one.pop());
  const { start, tail } = shared_ends(before, after);
  const all = [
    ...before.slice(0, start).map((line) => `  ${line}`),
    ...between(before.slice(start, before.length - tail), after.slice(start, after.length - tail)),
    ...before.slice(before.length - tail).map((line) => `  ${line}`),
  ];
  const near = all.map((_, at) =>
    all.slice(Math.max(0, at - CONTEXT), at + CONTEXT + 1).some((line) => !line.startsWith("  "))
  );
  const [first, last] = [near.indexOf(true), near.lastIndexOf(true)];
  const lines: string[] = [];
  for (let at = first, far = 0; at >= 0 && at <= last; at++) {
    far = near[at] ? 0 : far + 1;
    if (near[at]) lines.push(all[at]!);
    else if (near[at + 1]) lines.push(`… ${plural(far, "unchanged line")}`);
  }
  return { lines, first: Math.max(0, first) };
}

/** The lines of both in the order of the files, those alike once: as many as possible. */
function between(old: readonly string[], fresh: readonly string[]): readonly string[] {
  const [out, into] = [old.map((line) => `- ${line}`), fresh.map((line) => `+ ${line}`)];
  if (old.length * fresh.length > MOST_PAIRS) return [...out, ...into];
  const width = fresh.length + 1;
  /** How many are alike from there on. */
  const alike = new Uint16Array((old.length + 1) * width);
  for (let i = old.length - 1; i >= 0; i--) {
    for (let j = fresh.length - 1; j >= 0; j--) {
      alike[i * width + j] = old[i] === fresh[j]
        ? alike[(i + 1) * width + j + 1]! + 1
        : Math.max(alike[(i + 1) * width + j]!, alike[i * width + j + 1]!);
    }
  }
  const lines: string[] = [];
  let [i, j] = [0, 0];
  while (i < old.length && j < fresh.length) {
    if (old[i] === fresh[j]) {
      lines.push(`  ${old[i++]}`);
      j++;
    } else if (alike[(i + 1) * width + j]! >= alike[i * width + j + 1]!) lines.push(out[i++]!);
    else lines.push(into[j++]!);
  }
  return [...lines, ...out.slice(i), ...into.slice(j)];
}
