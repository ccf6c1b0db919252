import assert from "node:assert/strict";
import type { Event, From, Result } from "../agent/events.ts";
import { WAYS } from "../gates/doubts.ts";
import { RESULT, stamped } from "./_testing.ts";
import { human_log } from "./human_log.ts";
import { new_screen } from "./human_log_options.ts";
import { log_file } from "./log_file.ts";
import { stdout_writer } from "./output.ts";
import { harmless, line, plural, short } from "./text.ts";

function log(
  events: readonly Event[],
  options: { quiet?: boolean; live?: boolean; verbose?: boolean } = {},
): string {
  let text = "";
  const hear = human_log({
    write: (more) => void (text += more),
    quiet: options.quiet ?? false,
    verbose: options.verbose ?? false,
    requests: false,
    color: false,
    width: 100,
    live: options.live ?? false,
    screen: new_screen(),
    heartbeat_ms: 0,
  });
  for (const event of events) hear(stamped(event));
  return text;
}

Deno.test("harmless() leaves nothing that steers a terminal", () => {
  assert.equal(harmless("a\x1b[31mb\x07\u202ec\r\nd\te"), "a[31mbc\nd\te");
  assert.equal(line("a\n  b\x1b]0;title\x07", 40), "a b]0;title");
  assert.equal(line("x".repeat(50), 10), "xxxxxxxxx…");
});

Deno.test("human_log() ends with what the run cost, where that is known", () => {
  assert.doesNotMatch(log([RESULT]), /\$/);
  assert.match(log([{ ...RESULT, cost_usd: 0.01234 }]), /, 4\.1k tokens, \$0\.0123, 1 file/);
});

Deno.test("human_log() ends with the part of the prompt that was cached, and has it for each step with -v", () => {
  const usage = { input_tokens: 4000, output_tokens: 100, reasoning_tokens: 0 };
  assert.doesNotMatch(log([RESULT]), /cached/);
  const shown = log([{ ...RESULT, cost_usd: 0.5, usage: { ...usage, cached_tokens: 3519 } }]);
  assert.match(shown, /, 4\.1k tokens, 87% cached, \$0\.5000, 1 file/);
  const untold = { ...usage, input_tokens: 0, output_tokens: 0, cached_tokens: 0 };
  assert.match(log([{ ...RESULT, usage: untold }]), /\(3 steps, 1 tool call, 1 file/);
  const event = (cached_tokens: number): Event => ({
    ...{ type: "usage", input_tokens: 4000, output_tokens: 100, cached_tokens, cost_usd: null },
  });
  const verbose = log([event(0), event(3519)], { verbose: true });
  assert.equal(
    verbose,
    "   4000 tokens in (0 cached), 100 out\n   4000 tokens in (3519 cached, 87%), 100 out\n",
  );
});

Deno.test("short() and plural() round as people do", () => {
  assert.deepEqual([0, 999, 1234, 4100, 2_500_000].map(short), [
    "0",
    "999",
    "1.2k",
    "4.1k",
    "2.5M",
  ]);
  assert.deepEqual([0, 1, 2].map((n) => plural(n, "file")), ["0 files", "1 file", "2 files"]);
});

Deno.test("human_log() shows each hook below its call", () => {
  const call: Event = {
    type: "tool_call",
    id: "c1",
    name: "edit",
    arguments: { path: "a.py", old: "a", new: "b" },
    nth: 1,
    of: 1,
  };
  const hook: Extract<Event, { type: "hook" }> = {
    type: "hook",
    call: "c1",
    tool: "edit",
    event: "post_edit",
    name: "lint",
    exit_code: 0,
    ms: 1,
    ok: true,
    message: "All checks passed!",
  };
  const wrong = { ...hook, name: "x\x1b[1m", ok: false, exit_code: 1, message: "a.py:1: E302\x07" };
  const silent = { ...wrong, name: "silent", message: "" };
  const result: Event = {
    type: "tool_result",
    id: "c1",
    name: "edit",
    ok: true,
    summary: "",
    bytes: 1,
    ms: 1,
    refused: null,
  };
  assert.equal(
    log([call, { ...hook, event: "pre_tool", name: "policy" }, result, hook, wrong, silent]),
    [
      "   ✓ 1 tool call",
      "   🔧 edit → a.py (1→1 lines)",
      "      🔍 Hook policy: ✓",
      "      ✓ OK",
      "      🔍 Hook lint: ✓",
      "      🔍 Hook x[1m: ⚠️ a.py:1: E302",
      "      🔍 Hook silent: ⚠️",
      "",
    ].join("\n"),
  );
  assert.equal(log([call, result, wrong], { quiet: true }), "");
  // Calls that run side by side are shown with their results, and their hooks with them.
  const other = { ...call, id: "c2", nth: 2, of: 2 };
  const early: Event = { ...hook, call: "c2", event: "pre_tool" };
  const lines = log([{ ...call, of: 2 }, other, early, result, { ...result, id: "c2" }]).split(
    "\n",
  );
  assert.deepEqual(lines.slice(2, 5).map((text) => text.trim()), [
    "✓ OK",
    "🔧 edit → a.py (1→1 lines)",
    "🔍 Hook lint: ✓",
  ]);
});

Deno.test("human_log() prints the form of the contract", () => {
  const call = (id: string, path: string, nth: number): Event => ({
    type: "tool_call",
    id,
    name: "read",
    arguments: { path },
    nth,
    of: 2,
  });
  const done = (id: string, ok: boolean): Event => ({
    type: "tool_result",
    id,
    name: "read",
    ok,
    summary: ok ? "3 lines" : "gone\x1b[2J",
    bytes: 3,
    ms: 1,
    refused: null,
  });
  assert.equal(
    log([
      { type: "step_start", messages: 3, tokens: 1234 },
      { type: "text_delta", text: "I look.\nThen" },
      { type: "text_delta", text: "", finished: true },
      call("1", "a.ts", 1),
      call("2", "b.ts", 2),
      done("1", true),
      done("2", false),
      RESULT,
    ]),
    `🔄 Step 2 → model call (3 messages, 1.2k tokens)
   💬 I look.
      Then
   ✓ 2 tool calls
   🔧 read → a.ts
      ✓ OK
   🔧 read → b.ts
      ✗ gone[2J
✅ Done (3 steps, 1 tool call, 4.1k tokens, 1 file +5 -3; not verified (no --verify))
`,
  );
});

Deno.test("human_log() shows what the user says, and reminders where more is asked for", () => {
  const events: Event[] = [
    { type: "steer", text: "also the\nREADME" },
    { type: "steer", text: "stop that", interrupt: true },
    { type: "reminder", name: "changed_files", message: "Reminder: a" },
  ];
  assert.equal(
    log(events),
    "   👤 you: also the README\n   👤 you (interrupting): stop that\n",
  );
  assert.ok(log(events, { verbose: true }).endsWith("\n   🔔 changed_files: Reminder: a\n"));
});

Deno.test("human_log() tells what a step changed between other lines, never within one", () => {
  const changed: Event = {
    type: "turn_diff",
    step: 2,
    files: [
      { path: "src/a.ts", status: "modified", added: 44, removed: 12 },
      { path: "b.ts", status: "added", added: 1, removed: 0 },
    ],
    diff: "",
  };
  const told = "   📝 Step 2 changed 2 files +45 -12: src/a.ts, b.ts\n";
  assert.equal(log([changed]), told);
  const within: [Event[], Event, string][] = [
    [
      [{ type: "text_delta", text: "I " }, changed, { type: "text_delta", text: "see." }],
      { type: "text_delta", text: "", finished: true },
      `   💬 I see.\n${told}`,
    ],
    [
      [
        { type: "tool_call", id: "1", name: "bash", arguments: { command: "ls" }, nth: 1, of: 1 },
        changed,
      ],
      {
        type: "tool_result",
        id: "1",
        name: "bash",
        ok: true,
        summary: "",
        bytes: 1,
        ms: 1,
        refused: null,
      },
      `   ✓ 1 tool call\n   🔧 bash → ls\n      ✓ OK\n${told}`,
    ],
  ];
  for (const [events, end, text] of within) assert.equal(log([...events, end]), text);
  const [last, ...before] = log([{ type: "text_delta", text: "I" }, changed, RESULT]).trim().split(
    "\n",
  ).reverse();
  assert.match(last ?? "", /^✅ Done/);
  assert.equal(before.length, 2, "the run ends before it could be told: it is told first");
});

Deno.test("human_log() shows the model's own list, and what subagents do below their calls", () => {
  const task = { id: "d", name: "delegate_task", arguments: { task: "Look." }, nth: 1, of: 1 };
  const items = [
    { text: "look\x1b[2J", status: "completed" },
    { text: "mend", status: "in_progress" },
    { text: "test", status: "pending" },
  ] as const;
  const events: (Event & Partial<From>)[] = [
    { type: "todo", items },
    { type: "todo", items: [] },
    { type: "tool_call", ...task },
    ...([
      { type: "step_start", messages: 2, tokens: 500 },
      { type: "text_delta", text: "It is\n" },
      { type: "text_delta", text: "4" },
      { type: "text_delta", text: "2.", finished: true },
      { type: "text_delta", text: "More" },
    ] as const).map((event) => ({ ...event, agent: "d", agent_step: 7 })),
    { type: "warning", message: "w" },
    {
      ...{ type: "tool_result", id: "d", name: "delegate_task", ok: true, summary: "finished" },
      ...{ bytes: 3, ms: 1, refused: null },
    },
  ];
  assert.equal(
    log(events),
    `      ☑ look[2J
      ▸ mend
      ☐ test
   ✓ 1 tool call
   🔧 delegate_task → Look.
      │ 🔄 Step 7 → model call (2 messages, 500 tokens)
      │    💬 It is
      │       42.
      │    💬 More
⚠️  w
      ✓ OK
`,
  );
});

Deno.test("human_log() with quiet prints errors and nothing else", () => {
  const failed: Result = {
    ...RESULT,
    status: "failed",
    stop_reason: "llm_error",
    error: { kind: "connection", message: "refused\nat once" },
  };
  const events: Event[] = [{ type: "warning", message: "w" }, { type: "text_delta", text: "t" }];
  assert.equal(log([...events, RESULT], { quiet: true }), "");
  assert.equal(log([...events, failed], { quiet: true }), "hamr: llm_error: refused at once\n");
});

Deno.test("human_log() survives arguments that fit no tool", () => {
  for (const args of [{}, { path: 3 }, null, { command: ["ls"] }]) {
    const event: Event = {
      type: "tool_call",
      id: "1",
      name: "edit",
      arguments: args,
      nth: 1,
      of: 1,
    };
    assert.match(log([event]), /edit → /);
    assert.match(log([{ ...event, name: "bash" }]), /bash → /);
  }
});

function written(format: "text" | "json" | "jsonl", events: readonly Event[], streamed = false) {
  let text = "";
  const write = (more: string) => void (text += more);
  const hear = stdout_writer(format, { write, terminal: streamed, streamed, formed: false });
  for (const event of events) hear(stamped(event));
  return text;
}

Deno.test("output() writes the result and nothing else", () => {
  const events: Event[] = [{ type: "text_delta", text: "the answer" }, RESULT];
  assert.equal(written("text", events), "the answer\n");
  assert.deepEqual(JSON.parse(written("json", events)), RESULT);
  const lines = written("jsonl", events).trimEnd().split("\n").map((text) => JSON.parse(text));
  assert.deepEqual(lines.map((event) => event.type), ["text_delta", "result"]);
  assert.deepEqual(lines[1], { ...RESULT, t: 1, step: 2 });
});

Deno.test("output() has nothing of how far a prompt is read", () => {
  for (const format of ["text", "json", "jsonl"] as const) {
    assert.equal(written(format, [{ type: "prefill", read: 1, total: 2 }]), "", format);
  }
});

Deno.test("output() does not repeat an answer that was streamed to the same terminal", () => {
  const events: Event[] = [
    { type: "text_delta", text: "thinking" },
    { type: "text_delta", text: "", finished: true },
    { type: "text_delta", text: "the answer" },
    { type: "text_delta", text: "", finished: true },
    RESULT,
  ];
  assert.equal(written("text", events, true), "");
  assert.equal(written("text", events.slice(0, 2).concat(RESULT), true), "the answer\n");
});

Deno.test("output() takes no word of a subagent for the answer", () => {
  const events = [
    { type: "text_delta", text: "thinking", finished: true },
    { type: "text_delta", text: "the answer", finished: true, agent: "d", agent_step: 1 },
    RESULT,
  ] as const;
  assert.equal(written("text", events, true), "the answer\n");
});

Deno.test("log_file() writes JSON lines and gives up on a disk that is full", () => {
  const path = Deno.makeTempFileSync();
  const file = Deno.openSync(path, { append: true });
  const hear_fine = log_file(file, { broke: (why) => assert.fail(why) });
  hear_fine(stamped({ type: "prefill", read: 1, total: 2 }));
  hear_fine(stamped({ type: "warning", message: "w" }));
  file.close();
  const { time, ...event } = JSON.parse(Deno.readTextFileSync(path));
  assert.ok(!Number.isNaN(Date.parse(time)));
  assert.deepEqual(event, { type: "warning", message: "w", t: 1, step: 2 });
  Deno.removeSync(path);
  const full = Deno.openSync("/dev/full", { write: true });
  const told: string[] = [];
  const hear = log_file(full, { broke: (why) => told.push(why) });
  for (const message of ["one", "two"]) hear(stamped({ type: "warning", message }));
  assert.deepEqual(told, ["no space left on device"]);
  full.close();
});

Deno.test("human_log() shows a diff under an edit, and under a command what it printed where it failed", () => {
  const diff: Event = {
    ...{ type: "detail", id: "c1", ok: true, kind: "diff", lines: ["- a", "+ b\x1b[2J"], more: 3 },
  };
  const lines = ["FAIL x", "[hint]"];
  const output: Event = { type: "detail", id: "c1", ok: false, kind: "output", lines, more: 1 };
  assert.equal(log([diff]), "      - a\n      + b[2J\n      … 3 more lines\n");
  assert.equal(log([output]), "      … 1 more line\n      | FAIL x\n      | [hint]\n");
  assert.equal(log([{ ...output, ok: true }]), "");
  assert.match(log([{ ...output, ok: true }], { verbose: true }), /\| FAIL x/);
});

Deno.test("human_log() names what hamr says to the model, shows it whole with -v, and says why an answer in another form is asked for", () => {
  const nudge: Event = { type: "nudge", name: "empty", message: `${"word ".repeat(60)}end` };
  assert.equal(log([nudge]), "   ↩ the model is asked again: empty (-v)\n");
  const message = `Files seen to change: none. Commands run: none. ${WAYS}`;
  assert.equal(
    log([{ ...nudge, name: "doubtful", message }]).replace(/\s+/g, " "),
    " ↩ the model is asked again, as its answer is doubtful. " +
      "Files seen to change: none. Commands run: none. (-v) ",
  );
  const schema: Event = { ...nudge, name: "schema", message: "It is not JSON.\nAnswer again." };
  const stopped: Event = { type: "guard", name: "watchdog", action: "stopped", message: "Late." };
  assert.equal(log([stopped]), "", "the last line says how a run ends");
  assert.equal(log([stopped], { verbose: true }), "   ⛔ watchdog: Late.\n");
  assert.equal(log([schema]), "   ↻ asking again: It is not JSON.\n");
  const whole = log([nudge], { verbose: true });
  assert.equal(whole.replace(/\s+/g, " "), ` ↩ empty: ${"word ".repeat(60)}end `);
  for (const line of whole.split("\n")) assert.ok(line.length <= 100, line);
});

Deno.test("human_log() ends with what the verdict rests on", () => {
  const verification = { command: "npm test", exit_code: 0, attempts: 1 };
  assert.match(log([{ ...RESULT, verification }]), /; verified: npm test\)\n$/);
  assert.match(log([{ ...RESULT, verification: null }]), /; not verified \(no --verify\)\)\n$/);
  assert.doesNotMatch(log([{ ...RESULT, verification: null, files_changed: [] }]), /verified/);
  const message = "The verify command `t` failed with exit code 1. The end of its output:\na\nb";
  const error = { kind: "verification_failed", message } as const;
  const failed = { ...RESULT, status: "partial", stop_reason: error.kind, error } as const;
  assert.match(log([failed]), /⚠️ {2}verification_failed: The .* failed with exit code 1\. \(/);
});
