/** A second run of a session, with a worker that is played. */
import assert from "node:assert/strict";
import { test_policy } from "../../sandbox/_testing.ts";
import { NO_RESULTS } from "../limits.ts";
import type { FromWorker, ToWorker } from "../protocol.ts";
import { ToolsClient } from "./client.ts";

const policy = test_policy({ workspace: "/w" });
const GUARDED: FromWorker = {
  kind: "guarded",
  saved: { scope: { dotgits: [], git_dirs: [], own: "/w/.hamr", skipped: [] }, things: new Map() },
  notes: { warnings: [], violation: null, rows: [] },
};
const RESTS: FromWorker = { ...GUARDED, saved: null };
/** All that waits for nothing else has gone on. */
const settled = () => new Promise((resolve) => setTimeout(resolve));

Deno.test("no call of the next run starts before it is written down what must stay as it is now", async () => {
  const asked: string[] = [];
  let say: (message: FromWorker) => void = () => {};
  const worker = {
    postMessage: ({ kind }: ToWorker) => void asked.push(kind),
    terminate() {},
  } as unknown as Worker;
  const thread = {
    worker,
    stopped: new Promise<string>(() => {}),
    hear: (take: typeof say) => void (say = take),
  };
  const run = { limits: NO_RESULTS, warn() {}, on_turn_diff() {}, on_live() {}, task_id: "" };
  const client = new ToolsClient(policy, { ...run, bash_timeout_s: 1, embedded: true, thread });
  const call = () => void client.run([], new AbortController().signal).catch(() => {});
  say({ kind: "ready", layers: [], net: policy.net, listener: null });
  say(GUARDED);
  call();
  await settled();
  assert.equal(asked.filter((kind) => kind === "ask").length, 1);
  client.begin_run(run);
  call();
  // The last word of the run before may come late.
  say(RESTS);
  await settled();
  assert.equal(asked.filter((kind) => kind === "ask").length, 1);
  say(GUARDED);
  await settled();
  assert.equal(asked.filter((kind) => kind === "ask").length, 2);
});
