/** A grammar of model replies, good, bad, cut, repeated and absurd, for tests that hold for any sequence of them. */
import fc from "fast-check";
import type { Call, Reply } from "./wire.ts";

/** The workspace that the calls of the grammar are about. */
export const FILES: Readonly<Record<string, string>> = {
  "a.txt": "one\n",
  "src/b.py": "x = 1\ny = 2\n",
  "long.txt": Array.from({ length: 400 }, (_, n) => `line ${n} of a file`).join("\n"),
};

const path = fc.constantFrom(
  "a.txt",
  "src/b.py",
  "long.txt",
  "src",
  ".",
  "missing",
  "../up",
  "/etc/passwd",
);

const good_call: fc.Arbitrary<Call> = fc.oneof(
  fc.record({
    name: fc.constant("read"),
    args: fc.record({ path, offset: fc.integer({ min: 1, max: 9 }) }, { requiredKeys: ["path"] }),
  }),
  fc.record({
    name: fc.constant("edit"),
    args: fc.record({
      path: fc.constantFrom("a.txt", "src/b.py", "missing"),
      old: fc.constantFrom("one", "x = 1", "two", "no such text"),
      new: fc.constantFrom("two", "x = 2", "one"),
    }),
  }),
  fc.record({
    name: fc.constant("write"),
    args: fc.record({
      path: fc.constantFrom("c.txt", "deep/er/d.txt", "a.txt", "../out.txt"),
      content: fc.constantFrom("", "new\n", "two\n"),
    }),
  }),
  fc.record({
    name: fc.constant("todo"),
    args: fc.record({
      items: fc.array(
        fc.record({
          text: fc.constantFrom("look", "mend"),
          status: fc.constantFrom("pending", "in_progress", "completed"),
        }),
        { maxLength: 3 },
      ),
    }),
  }),
  fc.constant({ name: "tool_search", args: { query: "*" } }),
  fc.record({
    name: fc.constant("bash"),
    args: fc.record({
      command: fc.constantFrom(
        ...["true", "false", "echo hi", "cat a.txt", "echo more >> a.txt", "printf x > e.txt"],
        ...[
          "rm -f a.txt",
          "echo two > a.txt",
          "exit 3",
          "no-such-program",
          "seq 1 3000",
          "kill -9 $$",
        ],
      ),
    }),
  }),
);

const bad_call: fc.Arbitrary<Call> = fc.oneof(
  fc.record({ name: fc.constantFrom("read", "bash", "edit"), args: fc.string({ maxLength: 30 }) }),
  fc.record({
    name: fc.constantFrom("read", "bash"),
    args: fc.constantFrom("", "{", "[]", "null", '"{}"'),
  }),
  fc.record({
    name: fc.constantFrom("", "cat", "read ", "Ünicode", "a".repeat(80), "read\n"),
    args: fc.record({ path }),
  }),
  fc.record({
    name: fc.constant("read"),
    args: fc.dictionary(fc.string(), fc.constantFrom(1, true, null, "x", [], {})),
  }),
  fc.record({ name: fc.constant("bash"), args: fc.constant({ command: "\0" }) }),
);

const call: fc.Arbitrary<Call> = fc.oneof({ weight: 5, arbitrary: good_call }, bad_call).chain((
  one,
) =>
  fc.oneof(
    { weight: 9, arbitrary: fc.constant(one) },
    fc.constantFrom("", "same", "weird id!").map((id) => ({ ...one, id })),
  )
);

/** Ends a turn, or pretends to. */
const text = fc.oneof(
  fc.constantFrom(
    ...["The function returns the sum of both arguments.", "Done.", "Status: completed"],
    ...["I fixed the bug in a.txt.", "I have changed nothing.", "Let me look at the code first."],
    ...[
      "I'll run the tests:",
      "让我先看看代码",
      "<think>hm</think>",
      "<think>never closed",
      "...",
      "(no reply)",
    ],
    '<tool_call>\n{"name": "bash", "arguments": {"command": "echo two > a.txt"}}\n</tool_call>',
    ...["<hamr>You may stop.</hamr>", "<tool_call>{", "```bash\nls\n```", "\ud800"],
  ),
  fc.string({ maxLength: 40, unit: "grapheme" }),
);

const reply: fc.Arbitrary<Reply> = fc.oneof(
  { weight: 10, arbitrary: fc.record({ calls: fc.array(call, { minLength: 1, maxLength: 3 }) }) },
  { weight: 4, arbitrary: fc.record({ text }) },
  {
    weight: 2,
    arbitrary: fc.record({ text, calls: fc.array(call, { minLength: 1, maxLength: 2 }) }),
  },
  fc.record({ reasoning: text }),
  fc.constant({}),
  fc.record({
    text,
    finish: fc.constantFrom("length", "content_filter", "tool_calls", null, "odd"),
  }),
  fc.record({
    calls: fc.array(call, { minLength: 1, maxLength: 2 }),
    finish: fc.constant("length"),
  }),
  fc.record({
    text,
    calls: fc.array(call, { maxLength: 1 }),
    cut_after: fc.nat(700),
    cut: fc.constantFrom("abrupt", "clean"),
  }),
  fc.record({
    body: fc.constantFrom(
      "",
      "<html>",
      "{}",
      "null",
      "data: {\n\n",
      '{"choices":[]}',
      "data: [DONE]\n\n",
    ),
  }),
  fc.record({
    status: fc.constantFrom(400, 418, 500),
    body: fc.constantFrom("", "no", '{"error":{"message":"bad"}}'),
  }),
);

/** How a reply travels, which must make no difference. */
const traveled = fc.record({
  reply,
  fragment: fc.option(fc.integer({ min: 1, max: 9 }), { nil: undefined }),
  every: fc.option(fc.integer({ min: 1, max: 60 }), { nil: undefined, freq: 6 }),
  usage: fc.option(
    fc.record({ prompt_tokens: fc.nat(9000), completion_tokens: fc.nat(500) }),
    { nil: undefined },
  ),
}).map(({ reply, fragment, every, usage }): Reply => ({
  ...reply,
  ...(fragment === undefined ? {} : { fragment }),
  ...(every === undefined ? {} : { every }),
  ...(usage === undefined ? {} : { usage }),
}));

/** What a model says in a run, before it comes to an end; a reply may stand many times in a row. */
export const conversation: fc.Arbitrary<Reply[]> = fc.array(
  fc.record({
    reply: traveled,
    times: fc.oneof({ weight: 6, arbitrary: fc.constant(1) }, fc.integer({ min: 2, max: 7 })),
  }),
  { minLength: 1, maxLength: 8 },
).map((parts) => parts.flatMap(({ reply, times }) => Array<Reply>(times).fill(reply)));

/** How a run is asked for. */
export interface Asked {
  readonly mode: "auto" | "ask" | "patch" | "verify";
  readonly max_steps: number;
  readonly max_tool_calls: number;
  readonly window: number;
  readonly stream: boolean;
}

/** Any mode, with limits low enough to be met. */
export const asked: fc.Arbitrary<Asked> = fc.record({
  mode: fc.constantFrom("auto", "ask", "patch", "verify"),
  max_steps: fc.constantFrom(3, 9, 14),
  max_tool_calls: fc.constantFrom(4, 20),
  window: fc.constantFrom(8192, 4000, 65_536),
  stream: fc.constantFrom(true, true, false),
});

/** Passes where `a.txt` holds the word that edits of the grammar put there. */
export const VERIFY = "grep -q two a.txt";
