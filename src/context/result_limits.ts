/** How long the results of tools may be: what a model can read at once without losing sight of its task. */
import { TOOL_RESULT_BYTES } from "../config/guard_keys.ts";
import type { OutputLimits, ResultLimits } from "../tools/limits.ts";
import { CHARS_PER_TOKEN } from "./estimate.ts";

/** Issue 12: 10 kB, 2 of them from its beginning. What is said beside it stays within 10,240. */
const BASH_BYTES = 10_000;
/** Issue 12: 16 kB; some 400 lines of code. */
const READ_BYTES = 16_000;
/** A window of fewer tokens has no room for them: a tenth of it has to do. */
const SMALL_WINDOW = 32_768;
const SHARE_OF_SMALL = 10;

/** By settings (0: no limit) and window: no result takes more than a quarter of the tokens. A raised setting holds for all tools. */
export function result_limits({ lines, bytes }: OutputLimits, window: number): ResultLimits {
  const most = Math.min(bytes || Number.MAX_SAFE_INTEGER, window);
  const raised = bytes === 0 || bytes > TOOL_RESULT_BYTES;
  const tenth = Math.floor(window / SHARE_OF_SMALL) * CHARS_PER_TOKEN;
  const room = window < SMALL_WINDOW ? tenth : Infinity;
  const usual = (bytes: number) => raised ? most : Math.min(bytes, room, most);
  return {
    lines: lines || Number.MAX_SAFE_INTEGER,
    bytes: most,
    bash_bytes: usual(BASH_BYTES),
    read_bytes: usual(READ_BYTES),
  };
}
