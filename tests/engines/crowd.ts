/** Many runs at once on a server that has few slots: docs/scale.md. */
import assert from "node:assert/strict";
import { FALLBACK, two } from "../support/bad_days.ts";
import { call, type Recorded, say, type Script, sleep } from "../support/model_server.ts";
import { stage } from "../support/stage.ts";
import { cases } from "../support/thorough.ts";

/** docs/scale.md says 50. */
const RUNS = cases(20, 50);
const SLOTS = 4;
const REPLY_MS = 100;

Deno.test("many runs at once on a server with 4 slots: all end well, and none presses", async () => {
  let busy = 0, refused = 0, most = 0;
  const at: number[] = [];
  // The first requests of all are answered together: the worst case.
  const { promise: all_there, resolve: open } = Promise.withResolvers<void>();
  const script: Script = async ({ body }) => {
    at.push(performance.now());
    if (at.length === RUNS) open();
    await all_there;
    if (busy === SLOTS) {
      refused++;
      return { status: 429, headers: { "retry-after": "1" }, text: "all slots are taken" };
    }
    most = Math.max(most, ++busy);
    await sleep(REPLY_MS, new AbortController().signal);
    busy--;
    if (body.messages.some(({ role }) => role === "tool")) return say("It is written.");
    return call("write", { path: "a.txt", content: "a\n" });
  };
  await stage({ script, one_conversation: false, violations: true }, async (s) => {
    const began = performance.now();
    // Three, the default, is for a server that is out for a moment.
    const env = { ...s.env, HAMR_RETRY_ATTEMPTS: "20" };
    const runs = Array.from({ length: RUNS }, async (_, n) => {
      s.ws.write(`w${n}/`, "");
      return await s.hamr(["run", "--json", "-C", `w${n}`, "Write it."], { env });
    });
    const ended = await Promise.all(runs);
    for (const { code, stderr } of ended) assert.equal(code, 0, stderr);
    for (let n = 0; n < RUNS; n++) assert.equal(s.ws.read(`w${n}/a.txt`), "a\n");
    assert.equal(most, SLOTS);
    const [seconds, wanted] = [Math.round((performance.now() - began) / 1000), 2 * RUNS];
    // The first wave is the starts', the second what the server itself asked for: each is to come back in a second.
    const later = waves(at.slice(2 * RUNS - SLOTS));
    // deno-lint-ignore no-console
    console.log(
      `${seconds} s, ${at.length} requests for ${wanted} replies, ${refused} refused; after two tries of each at most ` +
        `${later} in ${REPLY_MS} ms`,
    );
    assert.ok(later < RUNS, `${later} came together`);
    assert.ok(at.length < 4 * wanted, `${at.length} requests for ${wanted} replies`);
  });
});

Deno.test("many runs at once on a full server: the other one takes over whom it turns away", async () => {
  // With few runs nobody might be turned away three times: for these there is never a slot.
  const hopeless = cases(5, 0);
  let busy = 0, refused = 0, given = 0, came = 0;
  const { promise: all_there, resolve: open } = Promise.withResolvers<void>();
  const does = (body: Recorded["body"]) =>
    body.messages.some(({ role }) => role === "tool")
      ? say("It is written.")
      : call("write", { path: "a.txt", content: "a\n" });
  const is_hopeless = ({ messages }: Recorded["body"]) =>
    Number(/Write it: (\d+)/.exec(JSON.stringify(messages))?.[1]) < hopeless;
  const script: Script = async ({ body }) => {
    if (++came === RUNS) open();
    await all_there;
    if (busy === SLOTS || is_hopeless(body)) {
      refused++;
      return { status: 429, text: "all slots are taken" };
    }
    busy++, given++;
    await sleep(REPLY_MS, new AbortController().signal);
    busy--;
    return does(body);
  };
  const options = { one_conversation: false, violations: true };
  const other: Script = ({ body }) => does(body);
  await two({ script, b: other, b_options: options, ...options }, async ({ s, b }) => {
    const runs = Array.from({ length: RUNS }, async (_, n) => {
      s.ws.write(`w${n}/`, "");
      return await s.hamr(["run", "--json", "-C", `w${n}`, ...FALLBACK, `Write it: ${n}`]);
    });
    const ended = await Promise.all(runs);
    for (const { code, stderr } of ended) assert.equal(code, 0, stderr);
    for (let n = 0; n < RUNS; n++) assert.equal(s.ws.read(`w${n}/a.txt`), "a\n");
    const moved = ended.filter(({ result }) => result.provider === "b").length;
    assert.ok(moved >= hopeless, `${moved} moved`);
    // No reply was asked for twice.
    assert.equal(given + b.requests.length, 2 * RUNS);
    // deno-lint-ignore no-console
    console.log(`${moved} of ${RUNS} runs ended on the other server; ${refused} requests refused`);
  });
});

/** The most that came within the time of one reply. */
function waves(at: readonly number[]): number {
  return Math.max(...at.map((from) => at.filter((t) => t >= from && t < from + REPLY_MS).length));
}
