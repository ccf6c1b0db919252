/** One line of the table: a figure, what it is compared with, and the limit it must keep. */
export interface Figure {
  readonly what: string;
  readonly measured: number;
  /** Null if the limit is on the figure itself. */
  readonly baseline: number | null;
  readonly unit: "ms" | "MB" | "kB";
  readonly limit: number;
}

/** The middle value; of an even number of values the upper one of the two. NaN of none. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? NaN;
}

/** What is held against the limit: the ratio to the baseline, or the figure itself. */
export function value_of(figure: Figure): number {
  return figure.baseline === null ? figure.measured : figure.measured / figure.baseline;
}

/** Whether a figure keeps its limit. What could not be measured does not. */
export function holds(figure: Figure): boolean {
  return value_of(figure) <= figure.limit;
}

/** The figures as a table of text. */
export function table(figures: readonly Figure[]): string {
  const head = ["", "measured", "baseline", "value", "limit", ""];
  const rows = figures.map((figure) => {
    const ratio = figure.baseline !== null;
    const show = (n: number) => `${n < 1 ? n.toFixed(3) : n.toFixed(1)} ${figure.unit}`;
    return [
      figure.what,
      show(figure.measured),
      figure.baseline === null ? "-" : show(figure.baseline),
      ratio ? `${value_of(figure).toFixed(2)}x` : show(figure.measured),
      ratio ? `${figure.limit}x` : `${figure.limit} ${figure.unit}`,
      holds(figure) ? "ok" : "MISSED",
    ];
  });
  const widths = head.map((_, i) => Math.max(...[head, ...rows].map((row) => row[i]!.length)));
  return [head, ...rows].map((row) =>
    row.map((cell, i) => i === 0 ? cell.padEnd(widths[i]!) : cell.padStart(widths[i]!)).join("  ")
      .trimEnd()
  ).join("\n");
}
