import { ok } from "node:assert/strict";
import { Picker } from "./picker.ts";
import { theme_of } from "./theme.ts";

Deno.test("what is too long for a list keeps both ends of a name, and is whole where there is room", () => {
  const picker = new Picker(theme_of("none"), () => {}, () => false);
  const name = "Qwen3-Coder-30B-A3B-Instruct-1M-UD-Q4_K_XL.gguf";
  const task = "Make the tests of the parser pass, and then those of the printer";
  void picker.pick("Which?", [
    { value: "1", label: name, description: "llama.cpp" },
    { value: "2", label: task, description: "1 h ago" },
  ]);
  const rows = (width: number) => picker.render(width).join("\n");
  ok(rows(200).includes(`${name} `) && rows(200).includes(`${task} `), rows(200));
  ok(/ Qwen3-Coder-30B-A3\S*…\S*UD-Q4_K_XL\.gguf +llama/.test(rows(60)), rows(60));
  ok(/ Make the tests of the parser pass, an… +1 h ago/.test(rows(60)), rows(60));
});
