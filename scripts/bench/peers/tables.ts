/** What was measured, as tables in Markdown. */
import { median } from "../figures.ts";
import type { Driven } from "./drive.ts";

/** What an agent's runs came to. */
export interface Times {
  readonly name: string;
  readonly version: string;
  readonly runs: Driven[];
}

/** A row an agent: medians, and the least and the most in parentheses. */
export function time_table(all: readonly Times[]): string {
  const head = [
    ...["agent", "first request, ms", "its size, bytes", "first command, ms", "a later step, ms"],
    ...["10 steps, s", "peak memory, MB"],
  ];
  const rows = all.map(({ name, version, runs }) => [
    `${name} ${version}`,
    spread(runs.map(({ first_ms }) => first_ms)),
    spread(runs.map(({ first_bytes }) => first_bytes)),
    spread(runs.map(({ steps_ms: [first = NaN] }) => first)),
    spread(runs.flatMap(({ steps_ms: [, ...later] }) => later)),
    spread(runs.map(({ total_ms }) => total_ms / 1000), 1),
    spread(runs.map(({ peak_mb }) => peak_mb)),
  ]);
  return markdown(head, rows);
}

/** How a run on a faulty server went. */
export function fault_words({ code, total_ms, requests }: Driven): string {
  const end = code === null ? "stopped by us" : `exit ${code}`;
  return `${end}, ${(total_ms / 1000).toFixed(1)} s, ${requests} request${
    requests === 1 ? "" : "s"
  }`;
}

/** A row an agent, a column a fault. */
export function fault_table(
  head: readonly string[],
  rows: readonly (readonly string[])[],
): string {
  return markdown(head, rows);
}

/** `42 (40–57)`; a dash where nothing was measured. */
export function spread(values: readonly number[], digits = 0): string {
  const known = values.filter(Number.isFinite);
  if (known.length === 0) return "-";
  const show = (value: number) => value.toFixed(digits);
  const [least, most] = [show(Math.min(...known)), show(Math.max(...known))];
  return least === most ? least : `${show(median(known))} (${least}–${most})`;
}

function markdown(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
  return [line(head), line(head.map(() => "---")), ...rows.map(line)].join("\n");
}
