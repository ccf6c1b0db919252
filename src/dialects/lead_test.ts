import assert from "node:assert/strict";
import { explains, leads_to_act } from "./lead.ts";

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

Deno.test("explains() where the words before a block call it an example", () => {
  const examples = [
    "A call of this model looks like this:",
    "For example:",
    "Mistral's models print",
    "The format is as follows:",
    "Ein Beispiel:",
    "例如：",
  ];
  const others = ["", "I look.", "The test prints 5.", "Let me look at the format of it:", "So:"];
  for (const lead of examples) assert.equal(explains(lead), true, lead);
  for (const lead of others) assert.equal(explains(lead), false, lead);
});
