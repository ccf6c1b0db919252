import assert from "node:assert/strict";
import type { Message } from "../../model/message.ts";
import { unshown_figures } from "./figures.ts";

interface Measured {
  readonly task: string;
  /** What calls have shown. */
  readonly results: readonly string[];
  readonly says: string;
  readonly unshown?: readonly string[];
}

const FILE = new URL("../../../tests/endings/figures.jsonl", import.meta.url);

Deno.test("a measured figure is one that a result shows, rounded, in another unit or reckoned; others are named", () => {
  for (const line of Deno.readTextFileSync(FILE).trim().split("\n")) {
    const { task, results, says, unshown = [] } = JSON.parse(line) as Measured;
    const before: Message[] = [
      { role: "user", content: task },
      ...results.map((content): Message => ({ role: "tool", tool_call_id: "1", content })),
    ];
    assert.deepEqual(unshown_figures(says, task, before), unshown, says);
  }
});

Deno.test("what a picture shows, a call was given or the person has said is no figure of the answer's own", () => {
  const task = "Make the page faster.", says = "It loads in 120 ms now.";
  const user: Message = { role: "user", content: task };
  assert.deepEqual(unshown_figures(says, task, [user]), ["120 ms"]);
  const asked = {
    role: "user",
    content: "<hamr>\nCommands run: none. No result shows 120 ms.\n</hamr>",
  };
  assert.deepEqual(unshown_figures(says, task, [user, asked as Message]), ["120 ms"]);
  const image = { type: "image/png", data: "" } as never;
  for (
    const known of [
      { role: "tool", tool_call_id: "1", content: "", images: [image] },
      { role: "user", content: "I see 120 ms" },
      {
        role: "assistant",
        content: "",
        tool_calls: [{ id: "1", name: "bash", arguments: '{"command":"sleep 0.12"}' }],
      },
    ] satisfies Message[]
  ) assert.deepEqual(unshown_figures(says, task, [user, known]), []);
});

Deno.test("a session of very many numbers is looked through all the same", () => {
  const task = "Make it faster.", says = "It takes 120.5 ms on average now, and 3.1 times less.";
  const content = Array.from({ length: 200_000 }, (_, n) => 500_000_000 + n).join("\n");
  const before: Message[] = [{ role: "tool", tool_call_id: "1", content }];
  assert.deepEqual(unshown_figures(says, task, before), []);
  assert.deepEqual(unshown_figures("It takes 120.5 ms now.", task, before), ["120.5 ms"]);
});

Deno.test("the numbers of lines that a read shows measure nothing", () => {
  const task = "Profile the encoder and make it faster.", says = "It takes 152 ms now.";
  const before: Message[] = [
    {
      role: "assistant",
      content: "",
      tool_calls: [{ id: "1", name: "read", arguments: '{"path":"a.ex"}' }],
    },
    {
      role: "tool",
      tool_call_id: "1",
      content: "151:def a do\nlib/a.ex:152:end\n[lines 151-152 of 657; go on with offset=153]",
    },
  ];
  assert.deepEqual(unshown_figures(says, task, before), ["152 ms"]);
  const shown: Message = { role: "tool", tool_call_id: "1", content: "151:# takes 152 ms" };
  assert.deepEqual(unshown_figures(says, task, [...before, shown]), []);
});

Deno.test("the numbers of lines that a search prints measure nothing", () => {
  const task = "Make chunked faster and measure how much.";
  const before = (command: string): Message[] => [
    { role: "user", content: task },
    {
      role: "assistant",
      content: "",
      tool_calls: [{ id: "1", name: "bash", arguments: JSON.stringify({ command }) }],
    },
    { role: "tool", tool_call_id: "1", content: "184-  return chunk\na.py:97:def chunked(" },
  ];
  const says = "It went from 1.84 s to 0.97 s.";
  const searched = before("grep -n 'def chunked(' -A40 a.py");
  assert.deepEqual(unshown_figures(says, task, searched), ["1.84 s", "0.97 s"]);
  assert.deepEqual(unshown_figures(says, task, before("./bench a.py")), []);
});
