/** What `hamr acp` tells an editor that may itself be in a terminal. */
import assert from "node:assert/strict";
import { edit_with } from "./support/acp.ts";
import { bash, call, say } from "./support/model_server.ts";
import { stage } from "./support/stage.ts";

/** What is in no word for a person: clipboard codes, a C1 control, a bidirectional mark. */
const EVIL = "a\x1b]52;c;eA==\x07b\x9bc\u202ed";

Deno.test("acp: no text of a model, a command or a saved session controls the terminal of an editor", async () => {
  const script = [
    call("todo", { items: [{ text: EVIL, status: "pending" }] }),
    bash(`printf '${EVIL.replaceAll("\x1b", "\\033")}'; exit 3`),
    call("write", { path: "a.txt", content: EVIL }),
    call("clarify", { question: EVIL, choices: [EVIL, "no"] }),
    say(EVIL),
  ];
  await stage({ script }, async (s) => {
    const asked: string[] = [];
    const person = {
      fill: (form: unknown) => {
        asked.push(JSON.stringify(form, (key, value) => key === "sessionId" ? undefined : value));
        return { action: "accept" as const, content: { choice: "no" } };
      },
    };
    const editor = await edit_with(s, { capable: { elicitation: { form: {} } }, person });
    const id = await editor.open();
    await editor.prompt(id, `Do ${EVIL}.`);
    await editor.ask("session/load", { sessionId: id, cwd: s.ws.path, mcpServers: [] });
    // What is written is shown to the byte, as is what a tool was given.
    const exact = ["rawInput", "oldText", "newText"];
    const told = editor.updates.map(({ update }) => update);
    const words = JSON.stringify(told, (key, value) => exact.includes(key) ? undefined : value);
    const controls = /[\x07\x1b\x9b\u202e]|\\u00(?:07|1b|9b)|\\u202e/i;
    for (const text of [words, ...asked]) assert.doesNotMatch(text, controls);
    assert.ok(asked[0]?.includes("[U+001B]"), asked[0]);
    for (const kind of ["plan", "user_message_chunk", "agent_message_chunk"] as const) {
      assert.match(JSON.stringify(editor.of(kind)), /a\]52;c;eA==bcd/, kind);
    }
    const diffs = editor.of("tool_call").flatMap(({ content }) => content ?? []);
    assert.ok(diffs.some((one) => one.type === "diff" && one.newText === EVIL));
    await editor.leave();
  });
});
