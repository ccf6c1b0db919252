import assert from "node:assert/strict";
import type { Message } from "../../model/message.ts";
import { unshown_output } from "./shown_output.ts";

const MADE_UP =
  "Loading examples/demo...\n3 steps found\n[1/3] fetch ... ok\n[2/3] write ... ok\nDone in 0.42s";
const REAL = "Parsed 12 rows in 0.31s\nWARN  row 7: no date\nwrote out/report.csv";

/** An answer, what it shows that no result has, and a result. */
const CASES: readonly (readonly [says: string, unshown: readonly string[], result: string])[] = [
  [
    `I ran the CLI on \`examples/demo\`. Output:\n\n\`\`\`\n${MADE_UP}\n\`\`\``,
    ['"Loading examples/demo..."'],
    "bash: ./cli: Permission denied",
  ],
  [
    `I started the server and ran the spec against it:\n\`\`\`text\n${MADE_UP}\n\`\`\`\nAll good.`,
    ['"Loading examples/demo..."'],
    "",
  ],
  [`Ich habe es ausgeführt:\n\`\`\`\n${MADE_UP}\n\`\`\``, ['"Loading examples/demo..."'], REAL],
  [`I ran it:\n\`\`\`\n${REAL}\n\`\`\``, [], REAL],
  // Another run's times, other blanks, and a line of one's own.
  ["I ran it:\n```\nParsed 12 rows in 0.29s\nno warnings else\n```", [], REAL],
  ["I ran it twice:\n```\n  WARN row 7:   no date\n```", [], REAL],
  ["I ran it:\n```console\n$ ./report\n…\nwrote out/report.csv\n```", [], REAL],
  // What is to be typed, what is expected, a tree, code, and one word.
  [
    "I ran the migration. To undo it:\n```\n$ alembic downgrade -1\n$ alembic history\n```",
    [],
    REAL,
  ],
  [
    "Rename it yourself, or it will start without it:\n```\nkubectl edit secret\n# rename it\n```",
    [],
    REAL,
  ],
  [`The output will look like this:\n\`\`\`\n${MADE_UP}\n\`\`\``, [], REAL],
  ["I ran the generator and got this:\n```\n├── index.ts\n└── util.ts\n```", [], REAL],
  ['I ran it with this config:\n```json\n{\n  "level": "debug",\n  "out": "log"\n}\n```', [], REAL],
  ["I ran it:\n```\nHello\n```", [], REAL],
  ["I ran it; it says what you want. Use it so:\n\n1. Open it.", [], REAL],
];

Deno.test("output that an answer shows of its run is known by one line, but for numbers and blanks", () => {
  for (const [says, unshown, content] of CASES) {
    const before: Message[] = [{ role: "tool", tool_call_id: "1", content }];
    assert.deepEqual(unshown_output(says, before), unshown, says);
  }
});

Deno.test("what the person has shown, or a call was given, is no output of the answer's own", () => {
  const says = `I ran it, and it is as you say:\n\`\`\`\n${REAL}\n\`\`\``;
  const written = {
    role: "assistant",
    content: "",
    tool_calls: [{ id: "1", name: "write", arguments: JSON.stringify({ content: REAL }) }],
  };
  for (const known of [{ role: "user", content: REAL }, written]) {
    assert.deepEqual(unshown_output(says, [known as Message]), []);
  }
  assert.equal(unshown_output(says, []).length, 1);
});
