import { hash } from "../config/hash.ts";

const ESCAPE = String.fromCharCode(27);

/** What differs between two results of the same call that say the same: times, durations, ids, places of temporary files. */
const MASKS: readonly (readonly [pattern: RegExp, mask: string])[] = [
  // Colors.
  [new RegExp(`${ESCAPE}\\[[0-9;]*m`, "g"), ""],
  // Dates and times of day.
  [/\b\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d)?(?:[.,]\d+)?(?:Z|[+-]\d\d:?\d\d)?)?/g, "<time>"],
  [/\b\d{1,2}:\d\d(?::\d\d)?(?:[.,]\d+)?\b/g, "<time>"],
  // Durations, as test runners and compilers print them.
  [/\b\d+(?:[.,]\d+)?\s?(?:ns|µs|us|ms|s|secs?|seconds?|m|mins?|minutes?)\b/g, "<duration>"],
  [/\bduration_ms \d+(?:\.\d+)?/g, "<duration>"],
  [/\b0x[0-9a-f]+\b/gi, "<address>"],
  [/\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/gi, "<uuid>"],
  [/\b(pid|process|PID)([ =:#]+)\d+/g, "$1$2<pid>"],
  [/\[\d+\](?= |:)/g, "[<pid>]"],
  [/\/tmp\/[^\s'":]+/g, "<tmp>"],
  [/\b(?:127\.0\.0\.1|localhost|\[::1\]):\d{4,5}\b/g, "<port>"],
];

/** Both ends of a long result are compared, and its length: masking 50 kB would take two milliseconds. */
const END_CHARS = 4096;

/** Two results with the same fingerprint say the same. 53 bits; no secret. */
export function fingerprint(text: string): string {
  let masked = text.length <= 2 * END_CHARS
    ? text
    : `${text.slice(0, END_CHARS)}${text.length}${text.slice(-END_CHARS)}`;
  for (const [pattern, mask] of MASKS) masked = masked.replace(pattern, mask);
  return hash(masked).toString(36);
}
