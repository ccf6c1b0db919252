/** Adds what the supervisor refused during a call to its result. */
import { offered_flags } from "../../permission/offered_flags.ts";
import type { ToolResult } from "../tool.ts";

/** A program says "permission denied"; the supervisor knows where it was not let. */
export function with_refusals(
  results: readonly ToolResult[],
  { at, refusals }: { at: number; refusals: readonly string[] },
): readonly ToolResult[] {
  if (refusals.length === 0) return results;
  const notes = refusal_notes(refusals);
  const offered = offered_flags(refusals);
  return results.map((result, i) =>
    i !== at ? result : {
      ...result,
      text: result.text + notes,
      ...(offered.length === 0 ? {} : { flags: [...result.flags ?? [], ...offered] }),
    }
  );
}

/** What programs say of a name that they could not look up; pip only that there are no versions. */
const NO_NAME =
  /(?:not|to) resolve\b|(?:name|failure) resol|EAI_AGAIN|ENOTFOUND|UnknownHost|not known|versions: none/i;

/** Whether a name that was not looked up is worth a word: few words of a failure, or any that may be about it. */
export function may_lack_a_name({ ok, text }: { ok: boolean; text: string }): boolean {
  return !text.includes("--allow-net") && (!ok && !/\n.*\n/.test(text) || NO_NAME.test(text));
}

export function refusal_notes(lines: readonly string[]): string {
  return lines.map((line) => `\n[${line}]`).join("");
}
