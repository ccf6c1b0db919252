/** What the supervisor refused in the course of a call, in its result. */
import type { ToolResult } from "../tool.ts";

/** A program says "permission denied"; the supervisor knows where it was not let. */
export function with_refusals(
  results: readonly ToolResult[],
  { at, refusals }: { readonly at: number; readonly refusals: readonly string[] },
): readonly ToolResult[] {
  const notes = noted(refusals);
  return results.map((result, i) => i === at ? { ...result, text: result.text + notes } : result);
}

/** Lines as they follow a result. */
export function noted(lines: readonly string[]): string {
  return lines.map((line) => `\n[${line}]`).join("");
}
