/** Settings written as text, in an environment variable or after a flag. */
import type { Key } from "./key.ts";
import { did_you_mean, quote } from "./text.ts";

/** What reading a text needs of a `Key`. Flags that are not settings describe their values with it, too. */
export type Reads = Pick<
  Key,
  "kind" | "expects" | "values" | "min" | "max" | "fits" | "hush" | "unit"
>;

/** A value, or what is wrong with the text, to follow the name of where it stood. */
type ReadValue =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly problem: string };

const INTEGER = /^[+-]?\d+$/;
const NUMBER = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;

/** `90s`, `10m`, `1h`, `1h30m`. */
const DURATION = /^(?=\d)(?:\d+(?:\.\d+)?h)?(?:\d+(?:\.\d+)?m)?(?:\d+(?:\.\d+)?s)?$/;
const SECONDS = { h: 3600, m: 60, s: 1 };

/** Reads a text strictly: no blanks around a number, nothing but true, false, 1 and 0 for a boolean. */
export function from_text(key: Reads, text: string): ReadValue {
  const timed = key.unit === "seconds"
    ? { ...key, expects: `${key.expects}, as 90, 90s, 10m or 1h` }
    : key;
  const wrong: ReadValue = { ok: false, problem: problem(timed, text) };
  const within = (value: number): ReadValue =>
    value >= (key.min ?? -Infinity) && value <= (key.max ?? Infinity) ? { ok: true, value } : wrong;
  switch (key.kind) {
    case "integer":
      return INTEGER.test(text) ? within(Number(text)) : wrong;
    case "number":
      if (NUMBER.test(text)) return within(Number(text));
      return key.unit === "seconds" && DURATION.test(text) ? within(seconds_in(text)) : wrong;
    case "boolean":
      if (text === "true" || text === "1") return { ok: true, value: true };
      return text === "false" || text === "0" ? { ok: true, value: false } : wrong;
    case "enum":
      return key.values?.includes(text) ? { ok: true, value: text } : wrong;
    case "string":
      return key.fits?.(text) ?? true ? { ok: true, value: text } : wrong;
    case "list_or_all":
      return text === "all" ? { ok: true, value: "all" } : items(key, text);
    case "list_or_word":
      return key.values?.includes(text) ? { ok: true, value: text } : items(key, text);
    case "integers": {
      const parts = parts_of(text);
      const fit = parts.every((part) => from_text({ ...key, kind: "integer" }, part).ok);
      return fit ? { ok: true, value: parts.map(Number) } : wrong;
    }
    case "list":
      return items(key, text);
    case "map":
    case "table":
    case "tables":
      return { ok: false, problem: "can only be set in a file" };
  }
}

/** `must be …, not …`, with the nearest valid word where there is one. */
export function problem(key: Reads, value: unknown): string {
  // "must be a list of paths, not a list" would say nothing.
  const shown = key.hush || Array.isArray(value) ? "" : `, not ${quote(value)}`;
  const near = typeof value === "string" && key.values ? did_you_mean(value, key.values) : "";
  return `must be ${key.expects}${shown}${near}`;
}

function seconds_in(text: string): number {
  const parts = [...text.matchAll(/([\d.]+)([hms])/g)];
  return parts.reduce((sum, [, n, unit]) => sum + Number(n) * SECONDS[unit as "h" | "m" | "s"], 0);
}

/** `a, b`, or as a file has it: `["a", "b"]`. */
function parts_of(text: string): string[] {
  const listed = /^\[\s*(["'\d].*)\]$/s.exec(text)?.[1];
  const parts = (listed ?? text).split(",").map((part) => part.trim());
  return listed ? parts.map((part) => part.replace(/^(["'])(.*)\1$/s, "$2")) : parts;
}

function items(key: Reads, text: string): ReadValue {
  const parts = parts_of(text);
  const bad = parts.find((part) => !(key.fits?.(part) ?? true));
  if (bad === undefined) return { ok: true, value: parts };
  return { ok: false, problem: problem(key, bad === "" ? text : bad) };
}
