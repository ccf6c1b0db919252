/** `hamr acp`: rubbish, what can't be served, and what outlives it. */
import assert from "node:assert/strict";
import { alive, children, edit_with, type Editor, PNG, start_acp } from "./support/acp.ts";
import { until } from "./support/hamr.ts";
import { bash, type Recorded, say } from "./support/model_server.ts";
import { asleep, gone, mark, stage } from "./support/stage.ts";

const text = (words: string) => [{ type: "text" as const, text: words }];

Deno.test("acp: after a prompt that is larger than the window, or odd, the session goes on", async () => {
  // The first request is on its way before the window is known.
  await stage({ script: () => say("Hello."), llama_ctx: 8192, violations: true }, async (s) => {
    const editor = await edit_with(s);
    const id = await editor.open();
    const large = text("word ".repeat(20_000));
    assert.match(
      await editor.refused("session/prompt", { sessionId: id, prompt: large }),
      /window/,
    );
    assert.equal(await editor.prompt(id, "Hi."), "end_turn");
    assert.match(
      await editor.refused("session/prompt", { sessionId: id, prompt: large }),
      /window/,
    );
    const link = { type: "resource_link" as const, uri: "file:///a%ffb", name: "x" };
    assert.equal(await editor.prompt(id, [...text("And "), link]), "end_turn");
    assert.match(JSON.stringify(s.server.requests.at(-1)!.body.messages.at(-1)), /And \/a%ffb/);
    // Nobody waits for images that are still made smaller.
    const image = { type: "image", mimeType: "image/png", data: PNG };
    const prompt = Array.from({ length: 300 }, () => image);
    const many = editor.ask<{ stopReason: string }>("session/prompt", { sessionId: id, prompt });
    await editor.notify("session/cancel", { sessionId: id });
    assert.equal((await many).stopReason, "cancelled");
    await editor.leave();
  });
});

Deno.test("acp: a first prompt that is cancelled while its tools start, before the server has said what it is, ends no session", async () => {
  const script = ({ body }: Recorded) =>
    body.messages.at(-1)?.role === "tool" ? say("I ran it.") : bash("echo a > a");
  const options = { script, one_conversation: false, slow_ms: 2000, violations: true };
  await stage(options, async (s) => {
    const editor = await edit_with(s, { args: ["--model", "scripted"] });
    const id = await editor.open();
    const first = editor.prompt(id, "Run it.");
    const journals = s.home.at(".local/share/hamr/journal");
    const begins = () =>
      s.server.requests.length > 0 && s.home.exists(".local/share/hamr/journal") &&
      [...Deno.readDirSync(journals)].length > 0;
    await until("its tools start", begins);
    await editor.notify("session/cancel", { sessionId: id });
    assert.equal(await first, "cancelled");
    assert.equal(await editor.prompt(id, "Run it now."), "end_turn");
    assert.match(editor.said(id), /I ran it\./);
    await editor.leave();
  });
});

Deno.test("acp: nothing outlives the editor, however it ends", async () => {
  const ends: ((editor: Editor) => void)[] = [
    (editor) => void editor.leave(),
    (editor) => editor.kill("SIGTERM"),
    (editor) => editor.kill("SIGKILL"),
  ];
  for (const end of ends) {
    const seconds = mark();
    await stage({ script: [bash(`setsid sleep ${seconds} & sleep ${seconds}`)] }, async (s) => {
      const editor = await edit_with(s);
      const id = await editor.open();
      editor.prompt(id, "Wait.").catch(() => {});
      await until("it sleeps", () => asleep(seconds));
      const [session = 0] = children(editor.pid);
      end(editor);
      await editor.status;
      await gone(seconds);
      await until("its session is gone", () => !alive(session));
    });
  }
});

Deno.test("acp: what can't be served is an error of the protocol, and no model is one in words", async () => {
  await stage({ script: [] }, async (s) => {
    const editor = await edit_with(s, { args: ["--base-url", "http://127.0.0.1:9"] });
    const cases: [string, unknown, RegExp][] = [
      ["session/new", { cwd: "here", mcpServers: [] }, /absolute/],
      ["session/new", { cwd: s.ws.path, mcpServers: [], additionalDirectories: [5] }, /absolute/],
      ["session/new", { cwd: s.ws.at("missing"), mcpServers: [] }, /missing/],
      ["session/prompt", { sessionId: "x", prompt: text("Hi.") }, /not found/i],
      ["session/load", { sessionId: "x", cwd: s.ws.path, mcpServers: [] }, /not found/i],
      ["session/nope", {}, /not found/i],
      ["session/new", {}, /invalid/i],
    ];
    for (const [method, params, words] of cases) {
      assert.match(await editor.refused(method, params), words, method);
    }
    const id = await editor.open();
    const prompt = (blocks: unknown) =>
      editor.refused("session/prompt", { sessionId: id, prompt: blocks });
    assert.match(await prompt([{ type: "image", data: "%", mimeType: "image/png" }]), /base64/);
    assert.match(await prompt([]), /empty/);
    assert.match(await prompt(text("Hi.")), /Model error: .*127\.0\.0\.1:9/);
    // It was never saved; it goes on all the same.
    await editor.ask("session/set_mode", { sessionId: id, modeId: "plan" });
    await editor.leave();
  });
});

Deno.test("acp: standard output is protocol and nothing else, whatever comes in", async () => {
  await stage({}, async (s) => {
    const child = start_acp(s, { stderr: "piped" });
    const writer = child.stdin.getWriter();
    const hello = { jsonrpc: "2.0", id: 1, method: "initialize", params: { protocolVersion: 1 } };
    const lines = ["rubbish", "[]", "7", JSON.stringify(hello), ""];
    await writer.write(new TextEncoder().encode(lines.join("\n")));
    await writer.close();
    const { code, stdout, stderr } = await child.output();
    assert.equal(code, 0);
    const answers = new TextDecoder().decode(stdout).trim().split("\n")
      .map((line) => JSON.parse(line) as { id: unknown; error?: { code: number } });
    assert.deepEqual(answers.filter(({ id }) => id === 1).length, 1);
    assert.equal(answers[0]?.error?.code, -32700);
    assert.equal(new TextDecoder().decode(stderr), "");
    const bad = await s.hamr(["acp", "--mode", "nope"]);
    assert.deepEqual([bad.code, bad.stdout], [3, ""]);
  });
});

Deno.test("acp: a message that is too large is refused by its id, and the next one is served", async () => {
  await stage({}, async (s) => {
    const child = start_acp(s);
    const writer = child.stdin.getWriter();
    const say = (text: string) => writer.write(new TextEncoder().encode(text));
    const piece = "x".repeat(1 << 20);
    await say('{"jsonrpc":"2.0","id":"large","method":"session/prompt","params":{"sessionId":"');
    for (let nth = 0; nth < 100; nth++) await say(piece);
    await say(
      '"}}\n{"jsonrpc":"2.0","id":2,"method":"initialize","params":{"protocolVersion":1}}\n',
    );
    await writer.close();
    const { code, stdout } = await child.output();
    assert.equal(code, 0);
    const answers = new TextDecoder().decode(stdout).trim().split("\n")
      .map((line) => JSON.parse(line) as { id: unknown; error?: { message: string } });
    assert.deepEqual(answers.map(({ id }) => id), ["large", 2]);
    assert.match(answers[0]?.error?.message ?? "", /at most 32 MiB/);
    assert.equal(answers[1]?.error, undefined);
  });
});

Deno.test("acp: with its output closed it ends at the next word, also in the middle of a task", async () => {
  let steps = 0;
  const script = () => steps++ < 300 ? bash(`echo ${steps} >> a.txt`) : say("Done.");
  const env = { HAMR_AGENT_MAX_MODEL_STEPS: "400", HAMR_AGENT_MAX_TOOL_CALLS: "400" };
  await stage({ script, env }, async (s) => {
    const child = start_acp(s);
    const writer = child.stdin.getWriter();
    const ask = (id: number, method: string, params: unknown) =>
      writer.write(
        new TextEncoder().encode(JSON.stringify({ jsonrpc: "2.0", id, method, params }) + "\n"),
      );
    const reader = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
    let heard = "";
    const hears = async (words: RegExp) => {
      while (!words.test(heard)) {
        const { value, done } = await reader.read();
        assert.ok(!done, heard);
        heard += value;
      }
      return words.exec(heard);
    };
    await ask(1, "initialize", { protocolVersion: 1 });
    await ask(2, "session/new", { cwd: s.ws.path, mcpServers: [] });
    const sessionId = (await hears(/"sessionId":"([^"]+)"/))?.[1];
    await ask(3, "session/prompt", { sessionId, prompt: text("Talk.") });
    await hears(/tool_call/);
    await reader.cancel();
    await child.status;
    await writer.abort().catch(() => {});
    assert.ok(steps < 300, `${steps} steps`);
  });
});
