import assert from "node:assert/strict";
import { prompt_arguments, prompt_help, prompt_text, prompts_of } from "./prompts.ts";

const named = (...args: [string, boolean][]) => ({
  name: "mcp__a__b",
  args: args.map(([name, required]) => ({ name, required })),
});

Deno.test("arguments of a prompt come by name, or in their order; the last takes what remains", () => {
  const two = named(["who", true], ["tone", false]);
  const cases = [
    ["Ann", { who: "Ann" }],
    ["Ann kind", { who: "Ann", tone: "kind" }],
    ["Ann very kind indeed", { who: "Ann", tone: "very kind indeed" }],
    ['"Ann B" kind', { who: "Ann B", tone: "kind" }],
    ["tone=kind Ann B", { who: "Ann B", tone: "kind" }],
    ['tone="very kind" who=Ann', { who: "Ann", tone: "very kind" }],
    ["a=b", { who: "a=b" }],
    ["don't", { who: "don't" }],
  ] as const;
  for (const [text, given] of cases) assert.deepEqual(prompt_arguments(two, text), given, text);
  assert.deepEqual(prompt_arguments(named(), " "), {});
});

Deno.test("an argument that is missing, or has no place, is said", () => {
  const two = named(["who", true], ["tone", false]);
  assert.throws(() => prompt_arguments(two, "tone=x"), /needs who: \/mcp__a__b who=… tone=…/);
  assert.throws(() => prompt_arguments(named(), "more"), /no place for "more": \/mcp__a__b$/);
  assert.throws(() => prompt_arguments(two, "who=a tone=b c"), /no place for "c"/);
});

Deno.test("what a server lists and answers is taken for no more than it is", () => {
  const listed = [{ name: "a b", arguments: "none" }, { name: "a b" }, { name: 5 }, null, {}];
  assert.deepEqual(prompts_of("s", listed).map(({ name, prompt, args }) => [name, prompt, args]), [
    ["mcp__s__a_b", "a b", []],
  ]);
  for (const answer of [null, {}, { messages: "x" }, { messages: [{ content: "x" }] }]) {
    assert.throws(() => prompt_text(answer), /it holds no text/);
  }
});

Deno.test("what a prompt is for is one line, so that no server speaks as hamr or as a CI service's command", () => {
  const prompt = {
    ...named(["who\n::error::x", true], ["tone", false]),
    ...{ server: "a", prompt: "b", description: "Writes.\nhamr: allowed\r\n\u2028::add-mask::y" },
  };
  assert.equal(
    prompt_help(prompt),
    "<who ::error::x> [tone]  Writes. hamr: allowed ::add-mask::y",
  );
  assert.equal(prompt_help({ ...prompt, args: [], description: "" }), "");
});
