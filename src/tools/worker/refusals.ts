/** Adds what the supervisor refused during a call to its result. */
import { offered_flags } from "../../permission/offered.ts";
import type { ToolResult } from "../tool.ts";

/** A program says "permission denied"; the supervisor knows where it was not let. */
export function with_refusals(
  results: readonly ToolResult[],
  { at, refusals }: { at: number; refusals: readonly string[] },
): readonly ToolResult[] {
  if (refusals.length === 0) return results;
  const notes = noted(refusals);
  const offered = offered_flags(refusals);
  return results.map((result, i) =>
    i !== at ? result : {
      ...result,
      text: result.text + notes,
      ...(offered.length === 0 ? {} : { flags: [...result.flags ?? [], ...offered] }),
    }
  );
}

/** Whether a command failed with so few words that a name which it could not look up may be why. */
export function failed_tersely({ ok, text }: { ok: boolean; text: string }): boolean {
  return !ok && !/\n.*\n|--allow-net/.test(text);
}

/** Lines as they follow a result. */
export function noted(lines: readonly string[]): string {
  return lines.map((line) => `\n[${line}]`).join("");
}
