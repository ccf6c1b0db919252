import assert from "node:assert/strict";
import { intent_of, leads_to_act } from "./lead.ts";

Deno.test("leads_to_act() of the last line before a block", () => {
  const acts = [
    "",
    "\n\n",
    "I'll read the file first.\n\n",
    "The bug is in a.ts.\nLet me look at it:\n",
    "Now I run the tests.",
    "Reading the file.",
    "Here's the function call:",
    "我来读取这个文件。",
    "让我看看",
  ];
  const others = [
    "The server sends:",
    "I'll look.\nThe configuration has two parts.",
    "For example, I'll write:",
    "The format looks like this:",
    "It contains",
    "Here is an example of a tool call:",
  ];
  for (const lead of acts) assert.equal(leads_to_act(lead), true, lead);
  for (const lead of others) assert.equal(leads_to_act(lead), false, lead);
});

Deno.test("intent_of() a block, by the words before it", () => {
  const intents = {
    meant: [
      "",
      "I look.",
      "The test prints 5.",
      "Let me look at the format of it:",
      "So:",
      "First, the tests:",
      "Tests:",
      "Step 2: read the parser:",
      "The bug is found. Now fix it:",
      "The server returns 500. Check the log:",
      "To see what it returned, run it again:",
      "Next, look at what the client sends:",
      "I need to know what it returned:",
      "Now update the file that was wrong:",
      "Good, the build passes. Run the tests that were skipped:",
      "The test did not pass.",
      "Checking what it sent:",
      "Next step:",
      "Tool call:",
    ],
    shown: [
      "A call of this model looks like this:",
      "For example:",
      "Mistral's models print",
      "The format is as follows:",
      "Ein Beispiel:",
      "例如：",
      "Call it like this:",
    ],
    doubtful: [
      "README.md contains:",
      "This is what the model sent:",
      "I did not run this, as it removes your files:",
      "The agent had called:",
      "You would have to send:",
    ],
  };
  for (const [intent, leads] of Object.entries(intents)) {
    for (const lead of leads) {
      assert.equal(intent_of({ lead: `${lead}\n`, inline: false, rest: "" }), intent, lead);
    }
  }
});

Deno.test("intent_of() a block, by what is around it", () => {
  const cases: readonly (readonly [string, string, string])[] = [
    ["It runs:\n", "\nand then stops.", "shown"],
    ["It runs:\n", "\nThen it stops.", "doubtful"],
    ["It runs:\n", "\nOutput: a.txt", "meant"],
    ["It runs:\n", "\n<|im_end|>", "meant"],
    ["const a = `\n", "`;", "shown"],
    ["<target>\n", "\n</target>", "shown"],
    ["<answer>\n", "\n</answer>", "meant"],
    ["<think>a</think>\n", "\n</think>", "meant"],
    ["I look.\n", "\nI wait for the result.", "meant"],
  ];
  for (const [lead, rest, intent] of cases) {
    assert.equal(intent_of({ lead, inline: false, rest }), intent, lead + rest);
  }
  const inline: readonly (readonly [string, string])[] = [
    ["> ", "shown"],
    ["- GLM: ", "shown"],
    ["1. GLM: ", "shown"],
    ["- I'll read it: ", "meant"],
    ["1. Read it. ", "meant"],
    ["Assistant: ", "meant"],
    ["User: list them\nAssistant: ", "shown"],
    ["It holds what was, to see it: ", "doubtful"],
    ["First, to see what was, to be sure, run it: ", "meant"],
    ["To see what it had now run it: ", "meant"],
    // Words in which an order could begin anywhere.
    [`${"to a  ".repeat(20_000)}was: `, "doubtful"],
  ];
  for (const [lead, intent] of inline) {
    assert.equal(intent_of({ lead, inline: true, rest: "" }), intent, lead);
  }
});
