/**
 * Milliseconds that an answer asks to wait: `retry-after-ms`, or `retry-after` in seconds or as an HTTP date. Null if it
 * says nothing that can be read; what is in the past is 0.
 */
export function retry_after(headers: Headers, now_ms: number): number | null {
  const ms = number_in(headers.get("retry-after-ms"));
  if (ms !== null) return ms;
  const text = headers.get("retry-after")?.trim() ?? "";
  const seconds = number_in(text);
  if (seconds !== null) return seconds * 1000;
  const date = /^[a-z]{3}/i.test(text) ? Date.parse(text) : NaN;
  return Number.isNaN(date) ? null : Math.max(0, date - now_ms);
}

function number_in(text: string | null): number | null {
  return text !== null && /^\d+(\.\d+)?$/.test(text.trim()) ? Number(text) : null;
}
