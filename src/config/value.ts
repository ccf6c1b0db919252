/** Settings written as text, in an environment variable or after a flag. */
import { is_table } from "./json.ts";
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

/** How a setting of each kind is written as text; what can't be read comes out as a value that fits none. Tables are not. */
const READ: { readonly [K in Key["kind"]]?: (text: string, key: Reads) => unknown } = {
  integer: (text) => INTEGER.test(text) ? Number(text) : null,
  number: (text, { unit }) => {
    if (NUMBER.test(text)) return Number(text);
    return unit === "seconds" && DURATION.test(text) ? seconds_in(text) : null;
  },
  boolean: (text) => /^(?:true|false|[01])$/.test(text) ? text === "true" || text === "1" : null,
  enum: (text) => text,
  string: (text) => text,
  integers: (text) => parts_of(text).map((part) => INTEGER.test(part) ? Number(part) : null),
  list: parts_of,
  list_or_all: (text) => text === "all" ? text : parts_of(text),
  list_or_word: (text, { values }) => values?.includes(text) ? text : parts_of(text),
};

/** Reads a text strictly: no blanks around a number, nothing but true, false, 1 and 0 for a boolean. */
export function from_text(key: Reads, text: string): ReadValue {
  const read = READ[key.kind];
  if (read === undefined) return { ok: false, problem: "can only be set in a file" };
  const value = read(text, key);
  const bad = misfit(key, value);
  if (bad === null) return { ok: true, value };
  const expects = key.unit === "seconds" ? `${key.expects}, as 90, 90s, 10m or 1h` : key.expects;
  const shown = typeof bad.value === "string" && bad.value !== "" ? bad.value : text;
  return { ok: false, problem: problem({ ...key, expects }, shown) };
}

/** The value if it is not what its setting wants, or the first item of it that is not; null if all of it is. */
export function misfit(key: Reads, value: unknown): { readonly value: unknown } | null {
  const { kind, values = [], min = -Infinity, max = Infinity, fits = () => true } = key;
  const is_number = (one: unknown) => typeof one === "number" && one >= min && one <= max;
  const is_integer = (one: unknown) => Number.isSafeInteger(one) && is_number(one);
  const is_text = (one: unknown) => typeof one === "string" && fits(one);
  const all = (list: unknown, is_one: (item: unknown) => boolean) => {
    const at = Array.isArray(list) ? list.findIndex((one) => !is_one(one)) : null;
    return at === null ? { value } : at < 0 ? null : { value: (list as unknown[])[at] };
  };
  switch (kind) {
    case "integer":
      return all([value], is_integer);
    case "number":
      return all([value], is_number);
    case "boolean":
      return all([value], (one) => typeof one === "boolean");
    case "enum":
      return all([value], (one) => values.some((word) => word === one));
    case "string":
      return all([value], is_text);
    case "integers":
      return all(value, is_integer);
    case "list":
      return all(value, is_text);
    case "list_or_all":
      return value === "all" ? null : all(value, is_text);
    case "list_or_word":
      return values.some((word) => word === value) ? null : all(value, is_text);
    case "map":
      return is_table(value) ? all(Object.values(value), is_text) : { value };
    case "table":
    case "tables":
      return { value };
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
