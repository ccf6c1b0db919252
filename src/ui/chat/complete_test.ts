import { equal } from "node:assert/strict";
import { Editor, SelectList } from "@earendil-works/pi-tui";
import { completion_provider } from "./complete.ts";
import { theme_of } from "./theme.ts";

const COMMANDS = ["help", "model", "mode", "quit"].map((name) => ({ name, help: "" }));
const FILES = ["a.txt", "src/a.ts", "src/b.ts"];
/** Of many files not all are listed, but in their folder they are. */
const files_below = (below: string) => below === "big/" ? ["big/a1.ts", "big/b1.ts"] : FILES;
/** Longer than the editor waits before it looks for files. */
const LISTED_MS = 200;

/** What is in the input, and what was sent, once these keys have come: together, where they stand together. */
async function typed(...together: string[]) {
  const tui = { requestRender() {}, terminal: { rows: 24 } };
  const editor = new Editor(tui as never, theme_of("none").editor);
  editor.setAutocompleteProvider(completion_provider(() => COMMANDS, files_below, () => 80));
  const sent: string[] = [];
  editor.onSubmit = (text) => void sent.push(text);
  for (const keys of together) {
    for (const key of keys) editor.handleInput(key);
    await new Promise((resolve) => setTimeout(resolve, LISTED_MS));
  }
  return { input: editor.getText(), sent: sent.join() };
}

for (
  const [keys, sent] of [
    [["/", "m", "\r"], "/model"],
    [["/", "model\r"], "/model"],
    [["/", "mo", "de\r"], "/mode"],
    [["/mod", "e\r"], "/mode"],
    [["/h", "el\r"], "/help"],
    [["/", "exit\r"], "/exit"],
    [["/", "mode plan\r"], "/mode plan"],
    [["/model\r"], "/model"],
  ] as const
) {
  Deno.test(`a command is what was typed, however its keys come: ${keys.map((one) => JSON.stringify(one)).join(" ")}`, async () => {
    equal((await typed(...keys)).sent, sent);
  });
}

for (
  const [keys, input] of [
    [["see @", "src/b\t"], "see @src/b.ts "],
    [["see @s", "rc/b\r"], "see @src/b.ts "],
    [["see @", "src/b", "\t"], "see @src/b.ts "],
    [['see @"', "src/b\t"], "see @src/b.ts "],
    [["see @", "zzz\t"], "see @zzz"],
    [["see @big/b", "\t"], "see @big/b1.ts "],
    [["see @src/zz", "\t"], "see @src/zz"],
  ] as const
) {
  Deno.test(`a file is the one that was typed, however its keys come: ${keys.map((one) => JSON.stringify(one)).join(" ")}`, async () => {
    equal((await typed(...keys)).input, input);
  });
}

Deno.test("what is said of a command ends where the window does, with a mark", async () => {
  const help = "show how hard the model thinks, or change it: low, medium or high";
  for (const [columns, shown] of [[90, help], [50, "show how hard the model thinks,…"]] as const) {
    const commands = () => [{ name: "effort", help }, { name: "permissions", help: "allow more" }];
    const provider = completion_provider(commands, () => [], () => columns);
    const { signal } = new AbortController();
    const { items = [] } = await provider.getSuggestions(["/"], 0, 1, { signal }) ?? {};
    const list = new SelectList([...items], 8, theme_of("none").select, {
      ...{ minPrimaryColumnWidth: 12, maxPrimaryColumnWidth: 32 },
    });
    equal(list.render(columns)[0], `→ /effort       ${shown}`);
  }
});
