import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { from_error, from_status, type ModelError, NO_MONEY } from "../errors.ts";
import { is_for_another, type MadeTries, next_try } from "./retry.ts";
import { asked_wait, retry_after, wait_in } from "../http/retry_after.ts";
import { loading_ms } from "../server/loading.ts";

const AT = { url: "http://h", key_hint: "" };
const SETTINGS = { attempts: 3, max_wait_s: 60 };
const FIRST: MadeTries = {
  made: 1,
  looks: 0,
  loading_ms: 0,
  answered: false,
  local: false,
  away_ms: 0,
};
const failed = (status: number, message = "so") =>
  from_status(status, JSON.stringify({ error: { message } }), AT);
const decide = (error: ModelError, tries: Partial<MadeTries> = {}, settings = SETTINGS) =>
  next_try(error, { ...FIRST, ...tries }, { settings, random: () => 1 });

Deno.test("next_try() waits for what passes, and for nothing else", () => {
  const passing = [408, 409, 425, 429, 500, 502, 503, 504, 520, 524, 529];
  for (const status of passing) strictEqual(decide(failed(status)).kind, "wait", `${status}`);
  const lasting = [400, 401, 402, 403, 404, 405, 413, 422, 501, 505, 599];
  for (const status of lasting) {
    deepStrictEqual(decide(failed(status)), { kind: "stop", because: "" }, `${status}`);
  }
  strictEqual(decide(from_error({ error: { message: "Overloaded" } }, "u")).kind, "wait");
  const no_money = '{"error":{"message":"no quota","code":"insufficient_quota"}}';
  strictEqual(decide(from_status(429, no_money, AT)).kind, "stop");
  const used_up = '{"error":"you (x) have reached your weekly usage limit"}';
  strictEqual(decide(from_status(429, used_up, AT)).kind, "stop");
  const lost: ModelError = { kind: "connection", message: "reset", status: null };
  strictEqual(decide(lost).kind, "wait");
  const refused: ModelError = { ...lost, lasting: true };
  strictEqual(decide(refused).kind, "stop", "nobody listens, and never did");
  strictEqual(decide(refused, { answered: true }).kind, "wait", "it was there a moment ago");
});

Deno.test("next_try() waits longer each time, anything up to that, and not forever", () => {
  const ms = (made: number, random: number, attempts = 99) => {
    const settings = { ...SETTINGS, attempts };
    const decision = next_try(failed(503), { ...FIRST, made }, { settings, random: () => random });
    return decision.kind === "wait" ? decision.ms : null;
  };
  deepStrictEqual([1, 2, 3, 4].map((made) => ms(made, 1)), [1000, 2000, 4000, 8000]);
  deepStrictEqual([ms(3, 0), ms(3, 0.5), ms(20, 1)], [0, 2000, 30_000]);
  deepStrictEqual([ms(2, 1, 3), ms(3, 1, 3), ms(1, 1, 1), ms(1, 1, 0)], [2000, null, null, null]);
  match(JSON.stringify(decide(failed(503), { made: 3 })), /asked 3 times \(retry\.attempts\)/);
});

Deno.test("next_try() does as it is asked, within limits", () => {
  const busy = { ...failed(429), retry_after_ms: 1234.5 };
  deepStrictEqual(decide(busy), { kind: "wait", ms: 1235 });
  // Turned away again, with all the others: those do not come back together once more.
  deepStrictEqual(decide(busy, { made: 2 }), { kind: "wait", ms: 3235 });
  const most = { ...busy, retry_after_ms: 59_000 };
  deepStrictEqual(decide(most, { made: 2 }), { kind: "wait", ms: 60_000 });
  const long = { ...busy, retry_after_ms: 60_001 };
  match(JSON.stringify(decide(long)), /a wait of 61 s, and 60 s are allowed/);
  strictEqual(decide(long, {}, { ...SETTINGS, max_wait_s: 0 }).kind, "wait", "0 is no limit");
  strictEqual(decide({ ...failed(400), retry_after_ms: 10 }).kind, "stop");
});

Deno.test("a wait that no timer can count is asked for in words that are true, and is no reason to ask at once", () => {
  for (const value of ["9".repeat(5000), "3000000", "Fri, 01 Mar 2999 12:00:00 GMT"]) {
    const headers = new Headers({ "retry-after": value });
    const asked = { ...failed(429), ...asked_wait({ headers, status: 429 }, "") };
    match(JSON.stringify(decide(asked)), /a wait of 2147483 s or more, and 60 s are allowed/);
    const any = decide(asked, { made: 2 }, { ...SETTINGS, max_wait_s: 0 });
    deepStrictEqual(any, { kind: "wait", ms: 2_147_483_000 });
  }
});

Deno.test("next_try() looks again and again whether a model is loaded, and not forever", () => {
  const loading = failed(503, "Loading model");
  let tries = FIRST;
  for (let looks = 0;; looks++) {
    const decision = next_try(loading, { ...tries, looks }, { settings: SETTINGS });
    if (decision.kind === "stop") {
      match(decision.because, /not loaded after \d+ s/);
      break;
    }
    strictEqual(decision.until, "loaded");
    tries = { ...tries, loading_ms: tries.loading_ms + decision.ms };
  }
  const most = loading_ms(SETTINGS);
  strictEqual(tries.loading_ms > most - 6000 && tries.loading_ms <= most, true);
  strictEqual(decide(loading, {}, { ...SETTINGS, attempts: 1 }).kind, "stop");
});

Deno.test("another provider is asked where the fault is not in the request", () => {
  const statuses = [401, 402, 403, 408, 429, 500, 501, 503, 529];
  for (const status of statuses) strictEqual(is_for_another(failed(status)), true, `${status}`);
  for (const status of [400, 404, 413, 422, 302]) {
    strictEqual(is_for_another(failed(status)), false, `${status}`);
  }
  for (const kind of ["connection", "cut", "stalled", "bad_response"] as const) {
    strictEqual(is_for_another({ kind, message: "", status: null }), true);
  }
  // Anthropic says that by 400.
  const no_money = '{"error":{"message":"Your credit balance is too low to access the API."}}';
  strictEqual(is_for_another(from_status(400, no_money, AT)), true);
  strictEqual(is_for_another({ kind: "cancelled", message: "", status: null }), false);
});

Deno.test("an account without money is no matter of keys, nor of the prompt", () => {
  const words: [number, string, string][] = [
    [400, "Your credit balance is too low to access the Anthropic API.", "bad_request"],
    [402, "This request requires more credits, or fewer max_tokens.", "bad_request"],
    [402, "Insufficient Balance", "bad_request"],
    [403, "Your team has either used all available credits or reached its limit.", "auth"],
    [429, "you (x) have reached your weekly usage limit, upgrade for higher limits", "server"],
    // As LiteLLM passes it on, without its code.
    [
      429,
      "litellm.RateLimitError: RateLimitError: OpenAIException - You exceeded your current quota, please check your plan and billing details.",
      "server",
    ],
  ];
  for (const [status, message, kind] of words) {
    const error = from_status(status, JSON.stringify({ error: { message } }), AT);
    strictEqual(error.kind, kind, message);
    ok(error.message.endsWith(`: ${message}`), error.message);
    ok(NO_MONEY.test(error.signs ?? ""), message);
  }
  for (
    const other of [
      "Rate limit reached for tokens per minute",
      "You exceeded your quota. Please retry in 33.5s.",
      "You exceeded your current quota, please check your plan and billing details.\n* Quota exceeded for metric: x, limit: 10\nPlease retry in 33.5s.",
    ]
  ) {
    ok(!NO_MONEY.test(other), other);
  }
});

Deno.test("retry_after() reads seconds, milliseconds and dates, and believes no rubbish", () => {
  const now = Date.parse("2026-03-01T12:00:00Z");
  const cases: readonly (readonly [Record<string, string>, number | null])[] = [
    [{ "retry-after": "7" }, 7000],
    [{ "retry-after": " 1.5 " }, 1500],
    [{ "retry-after": "0" }, 0],
    [{ "retry-after-ms": "250" }, 250],
    [{ "retry-after-ms": "250", "retry-after": "7" }, 250],
    [{ "retry-after-ms": "soon", "retry-after": "7" }, 7000],
    [{ "retry-after": "Sun, 01 Mar 2026 12:00:30 GMT" }, 30_000],
    [{ "retry-after": "Sun, 01 Mar 2026 11:00:00 GMT" }, 0],
    // Its clock is an hour fast, or shows nothing.
    [
      { "retry-after": "Sun, 01 Mar 2026 13:00:07 GMT", date: "Sun, 01 Mar 2026 13:00:00 GMT" },
      7000,
    ],
    [{ "retry-after": "Sun, 01 Mar 2026 12:00:07 GMT", date: "noon" }, 7000],
    [{ "retry-after": "-5" }, null],
    [{ "retry-after": "soon" }, null],
    [{ "retry-after": "" }, null],
    [{}, null],
  ];
  for (const [headers, ms] of cases) {
    strictEqual(retry_after(new Headers(headers), now), ms, JSON.stringify(headers));
  }
});

Deno.test("a server of this machine that was there and is gone is waited for, 60 s by default", () => {
  const gone = { kind: "connection", message: "no answer", status: null, lasting: true } as const;
  const tries = { made: 1, looks: 0, loading_ms: 0, answered: true, local: true };
  let away_ms = 0;
  let looks = 0;
  for (;; looks++) {
    const decision = next_try(gone, { ...tries, away_ms, looks }, { settings: SETTINGS });
    if (decision.kind === "stop") {
      match(decision.because, /^it was not back after \d+ s \(retry\.max_wait_s\)$/);
      break;
    }
    strictEqual(decision.until, "back");
    away_ms += decision.ms;
  }
  const most = SETTINGS.max_wait_s * 1000;
  ok(looks > 3 && away_ms <= most && away_ms > most - 5000, `${away_ms} ms`);
  // One that never was there, or is somewhere else, is none that is about to come back.
  for (const other of [{ ...tries, answered: false }, { ...tries, local: false }]) {
    const decision = next_try(gone, { away_ms: 0, ...other, looks: 0 }, { settings: SETTINGS });
    ok(decision.kind === "stop" || decision.until === undefined);
  }
});

Deno.test("wait_in() reads what the text of a 429 asks for, and nothing else", () => {
  const cases: [string, number | null][] = [
    ["Rate limit reached. Please try again in 20s. Visit our page", 20_000],
    ["Please try again in 1m26.4s.", 86_400],
    ["Please try again in 6ms", 6],
    ['{"retryDelay": "18s"}', 18_000],
    ["Please retry after 30 seconds.", 30_000],
    ["try again in 2 minutes", 120_000],
    ["try again in a moment", null],
    ["Too many requests: 20 s", null],
    ["wait 3 months", null],
  ];
  for (const [text, ms] of cases) strictEqual(wait_in(text), ms, text);
});
