/** Which lines of a file a call wants, in all the ways to say it. */

interface LineRange {
  readonly offset?: unknown;
  readonly limit?: unknown;
}

/** Line numbers in words: "12-20", "12:20", "12,20", "L12-L20". */
const RANGE = /^(?:\[\s*)?L?(\d+)\s*[-:,]\s*L?(-?\d+)(?:\s*\])?$/i;

/** The lines that a call's words ask for; null if the words contradict each other. */
export function wanted_lines(
  { offset, limit, end, range }: Readonly<Record<string, unknown>>,
): LineRange | null {
  if (range !== undefined) return from_range(range, { offset });
  const start = number(offset);
  const last = number(end);
  // Line 0, of agents that count from there.
  const first = start === 0 ? 1 : start;
  if (last === undefined) return given({ offset: first ?? offset, limit });
  // To the end; 0, of models that fill what they may leave out.
  if (last === -1 || last === 0) return given({ offset: first, limit });
  const count = last - (first ?? 1) + 1;
  return count < 1 ? null : given({ offset: first, limit: number(limit) ?? count });
}

function from_range(range: unknown, { offset }: Pick<LineRange, "offset">): LineRange | null {
  const text = typeof range === "string" ? RANGE.exec(range.trim())?.slice(1) : undefined;
  const [first, last] = Array.isArray(range) ? range : text ?? [];
  // "lines": 50 is how many.
  if (first === undefined) return given({ offset, limit: number(range) ?? range });
  return wanted_lines({ offset: number(first), end: number(last) });
}

function given(lines: LineRange): LineRange {
  return Object.fromEntries(Object.entries(lines).filter(([, value]) => value !== undefined));
}

/** A number, also one in quotes. */
export function number(value: unknown): number | undefined {
  if (typeof value === "number") return value;
  return typeof value === "string" && /^\s*-?\d+(?:\.\d+)?\s*$/.test(value)
    ? Number(value)
    : undefined;
}
