import { equal } from "node:assert/strict";
import { Editor, SelectList } from "@earendil-works/pi-tui";
import { completion_provider } from "./complete.ts";
import { theme_of } from "./theme.ts";

const COMMANDS = ["help", "model", "mode", "quit"].map((name) => ({ name, help: "" }));
const FILES = ["a.txt", "src/a.ts", "src/b.ts"];
/** Of many files not all are listed, but in their folder they are. */
const files_below = (below: string) => ({
  files: below === "big/" ? ["big/a1.ts", "big/b1.ts"] : FILES,
  whole: true,
});
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

Deno.test("what is not among the files so far is looked for further", async () => {
  let parts = 0;
  const files = () => ({ files: FILES.slice(0, ++parts), whole: parts >= FILES.length });
  const provider = completion_provider(() => COMMANDS, files, () => 80);
  const { signal } = new AbortController();
  const found = async (text: string) =>
    (await provider.getSuggestions([text], 0, text.length, { signal }))?.items[0]?.value;
  equal(await found("@a.t"), "@a.txt");
  equal(parts, 1);
  equal(await found("@b"), "@src/b.ts");
  equal(parts, 3);
  equal(await found("@zzz"), undefined);
});

Deno.test("of files that fit, those come first whose names are, begin with or hold what was typed", async () => {
  const files = [
    ...["tests/chat_test.ts", "lib/changes_at.ts", "lib/live_chat.ts", "chat/of.ts"],
    ...["chat/lib/chat.ts", "lib/Chat", "lib/chatty.ts", "c/h/a/t.ts"],
  ];
  const provider = completion_provider(() => [], () => ({ files, whole: true }), () => 80);
  const { signal } = new AbortController();
  const offered = async (text: string) =>
    (await provider.getSuggestions([text], 0, text.length, { signal }))?.items
      .map(({ label }) => label) ?? [];
  const chat = await offered("@chat");
  equal(chat.slice(0, 2).sort().join(), "chat/lib/chat.ts,lib/Chat");
  equal(chat.slice(2, 4).sort().join(), "lib/chatty.ts,tests/chat_test.ts");
  equal(chat.slice(4, 6).sort().join(), "chat/of.ts,lib/live_chat.ts");
  equal(chat.length, files.length);
  equal((await offered("@lib/chat"))[0], "chat/lib/chat.ts");
});

Deno.test("what is said of a command ends where the window does, with a mark", async () => {
  const help = "show how hard the model thinks, or change it: low, medium or high";
  for (const [columns, shown] of [[90, help], [50, "show how hard the model thinks,…"]] as const) {
    const commands = () => [{ name: "effort", help }, { name: "permissions", help: "allow more" }];
    const provider = completion_provider(commands, files_below, () => columns);
    const { signal } = new AbortController();
    const { items = [] } = await provider.getSuggestions(["/"], 0, 1, { signal }) ?? {};
    const list = new SelectList([...items], 8, theme_of("none").select, {
      ...{ minPrimaryColumnWidth: 12, maxPrimaryColumnWidth: 32 },
    });
    equal(list.render(columns)[0], `→ /effort       ${shown}`);
  }
});
