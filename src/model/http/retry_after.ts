import { MAX_SECONDS } from "../../config/key.ts";
import type { ModelError } from "../errors.ts";

/** How long the server asks to be left alone, where it does: by its headers, or in the words of a 429; at most `MAX_SECONDS`. */
export function asked_wait(
  { headers, status }: Pick<Response, "headers" | "status">,
  text: string,
): Pick<ModelError, "retry_after_ms"> {
  const ms = retry_after(headers, Date.now()) ?? (status === 429 ? wait_in(text) : null);
  return ms === null ? {} : { retry_after_ms: Math.min(ms, MAX_SECONDS * 1000) };
}

/**
 * Milliseconds to wait: `retry-after-ms`, or `retry-after` in seconds or as an HTTP date, by the server's own clock where it shows that
 * (`date`). Null if unreadable; 0 if in the past.
 */
export function retry_after(headers: Headers, now_ms: number): number | null {
  const ms = number_in(headers.get("retry-after-ms"));
  if (ms !== null) return ms;
  const text = headers.get("retry-after")?.trim() ?? "";
  const seconds = number_in(text);
  if (seconds !== null) return seconds * 1000;
  const date = /^[a-z]{3}/i.test(text) ? Date.parse(text) : NaN;
  const shown = Date.parse(headers.get("date") ?? "");
  return Number.isNaN(date) ? null : Math.max(0, date - (Number.isNaN(shown) ? now_ms : shown));
}

function number_in(text: string | null): number | null {
  return text !== null && /^\d+(\.\d+)?$/.test(text.trim()) ? Number(text) : null;
}

/** "Please try again in 1m26.4s" (OpenAI, Groq), "retryDelay": "20s" (Gemini), "retry after 20 seconds" (Azure). */
const IN_WORDS =
  /(?:try again in|retry[ _-]?(?:after|delay|in)"?:?|wait(?: for)?)\s*"?((?:\d+(?:\.\d+)?\s*(?:ms|milliseconds?|s|sec(?:onds?)?|m|min(?:utes?)?|h(?:ours?)?)(?![a-z])\s*)+)/i;
const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 };

/** Milliseconds that the text of a 429 asks to wait; null if it says nothing of it. */
export function wait_in(text: string): number | null {
  const said = IN_WORDS.exec(text)?.[1];
  if (said === undefined) return null;
  let ms = 0;
  for (const [, count, unit = ""] of said.matchAll(/(\d+(?:\.\d+)?)\s*([a-z]+)/gi)) {
    const word = unit.toLowerCase();
    const key = word.startsWith("ms") || word.startsWith("mill") ? "ms" : word[0] ?? "s";
    ms += Number(count) * (UNITS[key] ?? 0);
  }
  return ms;
}
