/** Lines that a change added and removed. */
export interface LineCount {
  readonly added: number;
  readonly removed: number;
}

/** A diff that needs more edits than this, or more time, is a rewrite; all lines then count on both sides. */
const MOST_EDITS = 5000;
const DIFF_MS = 1000;

/** How many lines differ between two texts; none where one of them is not known or not text (null). */
export async function count_lines(before: string | null, after: string | null): Promise<LineCount> {
  if (before === null || after === null) return { added: 0, removed: 0 };
  const [old, now] = differing(before, after);
  if (old === "" || now === "") return { added: lines_in(now), removed: lines_in(old) };
  const { diffLines } = await import("diff");
  const parts = diffLines(old, now, { maxEditLength: MOST_EDITS, timeout: DIFF_MS });
  if (parts === undefined) return { added: lines_in(now), removed: lines_in(old) };
  let added = 0;
  let removed = 0;
  for (const part of parts) {
    if (part.added) added += part.count;
    if (part.removed) removed += part.count;
  }
  return { added, removed };
}

/** Both texts without the whole lines that they begin and end with together: mostly that leaves little. */
function differing(before: string, after: string): [string, string] {
  const most = Math.min(before.length, after.length);
  let same = 0;
  while (same < most && before[same] === after[same]) same++;
  const start = same === 0 ? 0 : before.lastIndexOf("\n", same - 1) + 1;
  let tail = 0;
  while (tail < most - start && before.at(-1 - tail) === after.at(-1 - tail)) tail++;
  // From the end of the line that is the first of them to be wholly the same.
  const rest = before.slice(before.length - tail);
  const cut = rest.indexOf("\n");
  const kept = cut < 0 ? 0 : rest.length - cut - 1;
  return [before.slice(start, before.length - kept), after.slice(start, after.length - kept)];
}

function lines_in(text: string): number {
  if (text === "") return 0;
  let lines = text.endsWith("\n") ? 0 : 1;
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) lines++;
  return lines;
}
