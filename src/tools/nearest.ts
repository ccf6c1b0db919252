/** Lines shown around the place. */
const AROUND = 2;
/** A file with more lines than this is not compared: the model reads it again instead. */
const MOST_LINES = 20_000;
const SHOWN_CHARS = 200;

/** Where a text that was not found most nearly stands, with its lines as they really are. */
export function nearest(content: string, old: string): string {
  const have = content.split(/\r?\n/);
  const want = old.split(/\r?\n/).filter((line) => line.trim() !== "");
  if (have.length > MOST_LINES || want.length === 0) {
    return "Read the file and copy the text exactly.";
  }
  let best = { at: 0, score: 0 };
  for (let at = 0; at < have.length; at++) {
    const score = window_score(have, at, want);
    if (score > best.score) best = { at, score };
  }
  // Less than half of one line in common is chance.
  if (best.score < 0.5) return "Nothing like it stands there; read the file again.";
  const from = Math.max(0, best.at - AROUND);
  const shown = have.slice(from, best.at + want.length + AROUND).slice(0, 20)
    .map((line, n) => `${from + n + 1}:${line.slice(0, SHOWN_CHARS)}`).join("\n");
  const why = best.score === want.length ? "It differs in white space only. " : "";
  return `${why}Nearest lines:\n${shown}`;
}

/** One for each wanted line that stands at its place but for white space, and the likeness of the first line. */
function window_score(have: readonly string[], at: number, want: readonly string[]): number {
  let score = 0;
  for (const [n, line] of want.entries()) {
    if (at + n >= have.length) break;
    if (squeeze(have[at + n] ?? "") === squeeze(line)) score += 1;
    else if (n === 0) score += likeness(squeeze(have[at] ?? ""), squeeze(line)) * 0.9;
  }
  return score;
}

function squeeze(line: string): string {
  return line.replace(/\s+/g, "");
}

/** Share of common letter pairs (Dice), 0 to 1. */
function likeness(a: string, b: string): number {
  if (a.length < 2 || b.length < 2) return 0;
  const pairs = new Set<string>();
  for (let at = 0; at < Math.min(a.length, SHOWN_CHARS) - 1; at++) pairs.add(a.slice(at, at + 2));
  let common = 0;
  const seen = new Set<string>();
  for (let at = 0; at < Math.min(b.length, SHOWN_CHARS) - 1; at++) {
    const pair = b.slice(at, at + 2);
    if (seen.has(pair)) continue;
    seen.add(pair);
    if (pairs.has(pair)) common++;
  }
  return (2 * common) / (pairs.size + seen.size);
}
