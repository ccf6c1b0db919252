/** Names and words that want to steer the terminal: of files, commands, branches, models. */
import assert from "node:assert/strict";
import { CURSOR_MARKER } from "@earendil-works/pi-tui";
import { completion_provider } from "./complete.ts";
import { FittedLines } from "./fitted.ts";
import { StatusLine } from "./status.ts";
import { theme_of } from "./theme.ts";

const CLIPBOARD = "\x1b]52;c;SEFDSw==\x07", TITLE = "\x1b]0;x\x07";

Deno.test("no line of a chat steers the terminal; its own colors, links and cursor stay", () => {
  const shown = (line: string) =>
    new FittedLines({ render: () => [line], invalidate() {} }).render(200)[0];
  const own =
    `\x1b[2m\x1b[38;5;1ma\x1b[22m\x1b[0m \x1b]8;;http://x\x1b\\b\x1b]8;;\x07 ${CURSOR_MARKER}👩‍🚀`;
  assert.equal(shown(own), own);
  for (
    const evil of [
      ...[
        CLIPBOARD,
        TITLE,
        "\x1b[2J",
        "\x1b[5n",
        "\x1b]9;x\x07",
        "\x1bP+q\x1b\\",
        "\x1bc",
        "\x9b2J",
      ],
      ...[
        "\x9d0;x\x9c",
        "\r",
        "\b",
        "\x07",
        "\u202e",
        "\u2066",
        "\x1b]8;x",
        "\x1b_Ga=d\x1b\\",
        "\x1b",
      ],
    ]
  ) {
    assert.doesNotMatch(shown(`a${evil}b`) ?? "", /[\x00-\x1f\x7f-\x9f\u202e\u2066]/, evil);
    assert.ok(shown(`${own}${evil}${own}`)?.startsWith(own), evil);
  }
});

Deno.test("files and commands whose names steer a terminal are not offered", async () => {
  const commands = [
    { name: "good", help: `a${TITLE}` },
    { name: `go${TITLE}`, help: "" },
  ];
  const names = ["a.txt", `a${CLIPBOARD}.txt`, "a\nb.txt", "ä ö.txt", "a\u202etxt.exe"];
  const complete = completion_provider(
    () => commands,
    () => ({ files: names, whole: true }),
    () => 80,
  );
  const offered = async (text: string) =>
    (await complete.getSuggestions([text], 0, text.length, {} as never))?.items ?? [];
  assert.deepEqual((await offered("@")).map(({ label }) => label), ["a.txt", "ä ö.txt"]);
  assert.deepEqual((await offered("@a")).map(({ label }) => label), ["a.txt"]);
  assert.deepEqual(await offered("/go"), [
    { value: "/good", label: "/good", description: "a]0;x" },
  ]);
});

Deno.test("the status of a chat has names as they can be shown", () => {
  const facts = { mode: "auto", permissions: "workspace", branch: `x${TITLE}\n`, background: [] };
  const status = new StatusLine(theme_of("none"), () => facts);
  status.names(`m${CLIPBOARD}`);
  const [shown = ""] = status.render(200);
  assert.ok(shown.includes("m]52;c;SEFDSw== · x]0;x · auto · workspace"), shown);
});
