import { deepStrictEqual, match } from "node:assert/strict";
import { reach_words, StatusLine } from "./status.ts";
import { theme_of } from "./theme.ts";
import { stamped } from "../_testing.ts";
import { WaitingLines } from "./waiting.ts";

Deno.test("of what the model thinks the last lines are shown while it thinks", () => {
  const waiting = new WaitingLines(theme_of("none"), () => false);
  const thinks = (text: string) => waiting.hear(stamped({ type: "reasoning_delta", text }));
  waiting.begin();
  for (let at = 0; at < 9000; at++) thinks(`thought${at} `);
  thinks("and\n\nthen");
  const [, ...lines] = waiting.render(30);
  deepStrictEqual([lines.length, lines.at(-1)], [3, "  | then"]);
  match(lines[0]!, /^ {2}\| thought\d{4} thought\d{4}$/);
  waiting.hear(stamped({ type: "text_delta", text: "Done." }));
  deepStrictEqual(waiting.render(80).length, 1);
});

Deno.test("the status says where commands may write", () => {
  const at = { net: "own", sandbox: "auto", read_only: false };
  const said = [[], ["/a", "/b"], "all"].map((write) => reach_words({ ...at, write }));
  deepStrictEqual(said, ["workspace", "workspace +2", "writes everywhere"]);
  deepStrictEqual(reach_words({ ...at, write: [], read_only: true }), "read-only");
});

Deno.test("in a narrow window the status says what commands may do, and leaves out the rest first", () => {
  const facts = { mode: "auto", permissions: "workspace", branch: "main", background: [] };
  const status = new StatusLine(theme_of("none"), () => facts);
  status.names("qwen", 128_000);
  status.resume({ used: 12_800, cost: 0.5 });
  deepStrictEqual([80, 50, 40, 25, 18].map((width) => status.render(width)[0]?.trimEnd()), [
    "qwen · 10% of 128k · $0.5000 · main · auto · workspace",
    "qwen · 10% of 128k · $0.5000 · auto · workspace",
    "qwen · 10% of 128k · auto · workspace",
    "qwen · auto · workspace",
    "auto · workspace",
  ]);
  status.names("qwen", 8192, "assumed: the server does not say");
  deepStrictEqual(status.render(40)[0]?.trimEnd(), "qwen · auto · workspace");
  deepStrictEqual(
    status.render(50)[0]?.trimEnd(),
    "qwen · 156% of 8.2k assumed · auto · workspace",
  );
  const running = new StatusLine(
    theme_of("none"),
    () => ({ ...facts, background: ["b1 (npm start)"] }),
  );
  deepStrictEqual(
    running.render(60)[0]?.trimEnd(),
    "no model yet · main · auto · workspace · runs b1 (npm start)",
  );
});

Deno.test("in a narrow window the time and the key to interrupt stay, and the command is cut", () => {
  const waiting = new WaitingLines(theme_of("none"), () => false);
  const seen = (width: number) => waiting.render(width)[0]?.slice(2).trimEnd();
  waiting.begin(`npm test -- ${"--with-flags ".repeat(9)}`);
  for (const width of [80, 48]) {
    match(seen(width) ?? "", /^running npm test -.*… \d+ s {2}esc to interrupt$/);
  }
  const prefill = (read: number) =>
    waiting.hear({ type: "prefill", read, total: 10_000, t: 0, step: 1 });
  // Of how fast a prompt is read the first word says nothing: that part may come out of the cache.
  prefill(50);
  match(seen(80) ?? "", /^reading the prompt <1%, \d+ s {2}esc/);
  prefill(100);
  match(seen(80) ?? "", /^reading the prompt 1%, \S+ tokens\/s, about \d+ s left/);
  match(seen(48) ?? "", /^reading the prompt 1%, about \d+ s left/);
});

Deno.test("where a reply broke off, and is asked for again, nothing is being written", () => {
  const waiting = new WaitingLines(theme_of("none"), () => false);
  const hear = (event: Parameters<typeof stamped>[0]) => waiting.hear(stamped(event));
  hear({ type: "step_start", messages: 2, tokens: 900 });
  hear({ type: "text_delta", text: "some words" });
  match(waiting.render(80)[0] ?? "", /writing \d+ tokens/);
  hear({ type: "retry", reason: "connection refused", attempt: 1, wait_ms: 60_000 });
  match(waiting.render(80)[0] ?? "", /asking again in \d+ s {2}esc/);
  hear({ type: "retry", reason: "connection refused", attempt: 2, wait_ms: 0 });
  match(waiting.render(80)[0] ?? "", /waiting for the server \d+ s/);
});
