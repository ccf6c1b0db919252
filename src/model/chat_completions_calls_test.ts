import { deepStrictEqual } from "node:assert/strict";
import { decode, delta } from "./_testing.ts";
import type { Reply } from "./message.ts";

/** The calls in a stream of fragments, each as `id name arguments`. */
function calls(...fragments: readonly unknown[]): string[] {
  const values = fragments.map((one) => delta({ tool_calls: Array.isArray(one) ? one : [one] }));
  return shown(decode(...values, delta({}, "tool_calls")));
}

function shown({ tool_calls }: Reply): string[] {
  return tool_calls.map((call) => `${call.id} ${call.name} ${call.arguments}`);
}

/** A piece of a call; null leaves a field out. */
function f(index: number | null, id: string | null, name: unknown, args: unknown) {
  return {
    ...(index === null ? {} : { index }),
    ...(id === null ? {} : { id }),
    type: "function",
    function: {
      ...(name === null ? {} : { name }),
      ...(args === null ? {} : { arguments: args }),
    },
  };
}

Deno.test("a call that is not in a list is one, too; what is no call is none", () => {
  const [begun, rest] = [f(0, "", "read", ""), f(0, "", null, "{}")];
  const values = [begun, rest, "no", 7, null].map((tool_calls) => delta({ tool_calls }));
  const { tool_calls } = decode(...values, delta({}, "eos_token"));
  deepStrictEqual(tool_calls.map(({ name, arguments: args }) => [name, args]), [["read", "{}"]]);
});

/** A stream of call fragments, and the calls in it. */
const STREAMS: Readonly<Record<string, readonly [readonly unknown[], readonly string[]]>> = {
  "id and name first, arguments in pieces": [
    [f(0, "a", "read", "{"), f(0, null, null, '"path":'), f(0, null, null, '"x"}')],
    ['a read {"path":"x"}'],
  ],
  "a name in two pieces": [
    [f(0, "a", "re", null), f(0, null, "ad", null), f(0, null, null, "{}")],
    ["a read {}"],
  ],
  "the whole name in every fragment": [
    [f(0, "a", "read", '{"a'), f(0, "a", "read", '":1'), f(0, "a", "read", "}")],
    ['a read {"a":1}'],
  ],
  "the name before the id": [
    [f(0, null, "read", null), f(0, "a", null, "{}")],
    ["a read {}"],
  ],
  "interleaved by index": [
    [
      f(0, "a", "read", '{"p'),
      f(1, "b", "bash", '{"c'),
      f(0, null, null, 'ath":"x"}'),
      f(2, "c", "ls", ""),
      f(1, null, null, 'ommand":"y"}'),
    ],
    ['a read {"path":"x"}', 'b bash {"command":"y"}', "c ls "],
  ],
  "several in one fragment": [
    [[f(0, "a", "read", "{"), f(1, "b", "bash", "{")], [
      f(1, null, null, "}"),
      f(0, null, null, "}"),
    ]],
    ["a read {}", "b bash {}"],
  ],
  "indices that begin at 1 and leave gaps": [
    [f(1, "a", "read", "{}"), f(5, "b", "bash", "{}")],
    ["a read {}", "b bash {}"],
  ],
  "no index, ids (ollama#7881)": [
    [f(null, "a", "read", '{"x":1}'), f(null, "b", "bash", '{"y":2}')],
    ['a read {"x":1}', 'b bash {"y":2}'],
  ],
  "no index, the id in every fragment": [
    [f(null, "a", "read", '{"x"'), f(null, "a", null, ":1}"), f(null, "b", "bash", "{}")],
    ['a read {"x":1}', "b bash {}"],
  ],
  "no index, interleaved by id": [
    [
      f(null, "a", "read", "{"),
      f(null, "b", "bash", "{"),
      f(null, "a", null, "}"),
      f(null, "b", null, "}"),
    ],
    ["a read {}", "b bash {}"],
  ],
  "no index, the id only at first": [
    [
      f(null, "a", "read", "{"),
      f(null, null, null, "}"),
      f(null, "b", "bash", "{"),
      f(null, "", null, "}"),
    ],
    ["a read {}", "b bash {}"],
  ],
  "neither index nor id": [
    [
      f(null, null, "read", '{"x":1}'),
      f(null, null, "read", '{"x":2}'),
      f(null, null, "bash", "{}"),
    ],
    ['call_0 read {"x":1}', 'call_1 read {"x":2}', "call_2 bash {}"],
  ],
  "every index 0, other ids (ollama#15457)": [
    [f(0, "a", "read", '{"x":1}'), f(0, "b", "read", '{"x":2}'), f(0, "c", "bash", "{}")],
    ['a read {"x":1}', 'b read {"x":2}', "c bash {}"],
  ],
  "every index 0, other ids, in pieces": [
    [
      f(0, "a", "read", '{"x"'),
      f(0, null, null, ":1}"),
      f(0, "b", "bash", '{"y"'),
      f(0, null, null, ":2}"),
    ],
    ['a read {"x":1}', 'b bash {"y":2}'],
  ],
  "every index 0, interleaved by id": [
    [f(0, "a", "read", "{"), f(0, "b", "bash", "{"), f(0, "a", null, "}"), f(0, "b", null, "}")],
    ["a read {}", "b bash {}"],
  ],
  "every index 0, no ids": [
    [f(0, null, "read", '{"x":1}'), f(0, null, "read", '{"x":2}')],
    ['call_0 read {"x":1}', 'call_1 read {"x":2}'],
  ],
  "an id that changes from fragment to fragment": [
    [f(0, "a", "read", "{"), f(0, "b", null, '"x":1'), f(0, "c", null, "}")],
    ['a read {"x":1}'],
  ],
  "one id for two calls": [
    [f(0, "a", "read", '{"x":1}'), f(1, "a", "read", '{"x":2}')],
    ['a read {"x":1}', 'a_1 read {"x":2}'],
  ],
  "one id and one index for two calls": [
    [f(0, "a", "read", '{"x":1}'), f(0, "a", "read", '{"x":2}')],
    ['a read {"x":1}', 'a_1 read {"x":2}'],
  ],
  "ids that a repeated one could be taken for": [
    [f(0, "a", "r", "{}"), f(1, "a_2", "r", "{}"), f(2, "a", "r", "{}")],
    ["a r {}", "a_2 r {}", "a_3 r {}"],
  ],
  "the whole call once more at the end": [
    [f(0, "a", "read", "{"), f(0, null, null, "}"), f(0, "a", "read", "{}")],
    ["a read {}"],
  ],
  "the name once more after the end": [
    [f(0, "a", "read", "{}"), f(0, "a", "read", "")],
    ["a read {}"],
  ],
  "arguments as an object": [
    [f(0, "a", "read", { path: "x" }), f(1, "b", "ls", {})],
    ['a read {"path":"x"}', "b ls {}"],
  ],
  "arguments that are neither text nor object stay wrong": [
    [f(0, "a", "read", 5), f(1, "b", "read", ["x"]), f(2, "c", "read", false)],
    ["a read 5", 'b read ["x"]', "c read false"],
  ],
  "no arguments": [[f(0, "a", "ls", null)], ["a ls "]],
  "ids that are no text": [[f(0, null, "read", "{}"), {
    index: 1,
    id: 7,
    function: { name: "ls" },
  }], [
    "call_0 read {}",
    "call_1 ls ",
  ]],
  "nothing but an id is no call": [[f(0, "a", null, null), null, 5, {}, { function: null }], []],
  "a name that is missing is not made up": [[f(0, "a", null, "{}")], ["a  {}"]],
};

for (const [name, [fragments, expected]] of Object.entries(STREAMS)) {
  Deno.test(`calls in a stream: ${name}`, () => deepStrictEqual(calls(...fragments), expected));
}

Deno.test("calls in one piece are one each, whatever they share", () => {
  const tool_calls = [
    f(null, "a", "read", '{"x":1}'),
    f(null, "a", "read", '{"x":1}'),
    f(0, null, "ls", null),
    f(0, null, "ls", ""),
    f(null, "", "read", { x: 2 }),
  ];
  const message = { role: "assistant", content: null, tool_calls };
  const reply = decode({ choices: [{ message, finish_reason: "tool_calls" }] });
  deepStrictEqual(shown(reply), [
    'a read {"x":1}',
    'a_1 read {"x":1}',
    "call_2 ls ",
    "call_3 ls ",
    'call_4 read {"x":2}',
  ]);
});
