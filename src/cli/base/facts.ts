/** Facts in memory, formatted for people. */
import { one_line } from "../../config/text.ts";
import type { Fact } from "../../store/memory.ts";

export const NO_FACTS = "no facts are kept for this workspace";

export function fact_lines(facts: readonly Fact[]): readonly string[] {
  const width = Math.max(0, ...facts.map(({ id }) => id.length));
  return facts.map(({ id, saved, text }) =>
    `${id.padStart(width)}  ${saved.slice(0, 10)}  ${one_line(text)}`
  );
}
