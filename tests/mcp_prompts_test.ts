/** Prompts of MCP servers as commands: in a run, in the chat, in an editor. */
import assert from "node:assert/strict";
import { png } from "../src/tools/_images.ts";
import { fileURLToPath } from "node:url";
import { edit_with } from "./support/acp.ts";
import { PROGRAM, until } from "./support/hamr.ts";
import { ANSWER, say } from "./support/model_server.ts";
import { stage } from "./support/stage.ts";
import { Terminal } from "./support/terminal.ts";
import { BY_WORDS, HAS_TMUX } from "./support/tmux.ts";

const SERVER = fileURLToPath(new URL("./support/mcp_server.js", import.meta.url));
const ARGS = ["run", "-A", "--no-config", "--no-lock", SERVER, "honest"];
const SETTINGS = `[mcp.desk]\ncommand = ${JSON.stringify(Deno.execPath())}\nargs = ${
  JSON.stringify(ARGS)
}\n`;
const CONFIG = ".config/hamr/config.toml";

Deno.test("hamr run --command takes a prompt of a server, and says what is wrong with one", async () => {
  await stage({ script: [say(ANSWER)] }, async (s) => {
    s.home.write(CONFIG, SETTINGS);
    const command = ["run", "--json", "--command"];
    const run = await s.hamr([...command, "mcp__desk__greet", "Ann Lee", "very kind"]);
    assert.equal(run.code, 0, run.stderr);
    assert.deepEqual(run.result.warnings, []);
    const asked = JSON.stringify(s.server.requests[0]?.body.messages.at(-1)?.content);
    assert.match(asked, /Greet Ann Lee in a very kind tone\.\\n\\nThe assistant says:\\nGladly\./);
    assert.match(asked, /\[image, not shown\]/);
    const cases = [
      [["mcp__desk__greet"], /\/mcp__desk__greet: it needs who: \/mcp__desk__greet who=… tone=…/],
      [["mcp__desk__none"], /no such prompt; it has \/mcp__desk__greet \/mcp__desk__a_title/],
      [["mcp__desk__a_title"], /\/mcp__desk__a_title: .*not today/],
      [["mcp__nobody__greet"], /there is no MCP server nobody; known: desk/],
    ] as const;
    for (const [words, why] of cases) {
      const { code, stderr } = await s.hamr([...command, ...words]);
      assert.equal(code, 3, stderr);
      assert.match(stderr, why);
    }
    assert.equal(s.server.requests.length, 1);
    const test = await s.hamr(["mcp", "test", "desk"]);
    assert.match(test.stdout, /\n {2}\/mcp__desk__greet <who> \[tone\] {2}Greet.*\n/);
  });
});

Deno.test("an editor can type a prompt at once, and is told of all once servers run", async () => {
  const files = {
    ".claude/commands/pr.md":
      '---\ndescription: "Look: at a request"\nargument-hint: [number]\nallowed-tools: Read\n---\nLook.',
    ".hamr/commands/plain.md": "Just do it.",
  };
  await stage({ script: [say("Hello, Ann."), say("Hello, Bo.")], files }, async (s) => {
    s.home.write(CONFIG, SETTINGS);
    const editor = await edit_with(s);
    const id = await editor.open();
    assert.equal(await editor.prompt(id, "/mcp__desk__greet Ann"), "end_turn");
    assert.match(
      JSON.stringify(s.server.requests[0]?.body.messages.at(-1)),
      /Greet Ann in a plain/,
    );
    await until("the prompts are told", () => editor.of("available_commands_update").length > 1);
    const { availableCommands = [] } = editor.of("available_commands_update").at(-1) ?? {};
    assert.deepEqual(availableCommands.slice(0, 2), [
      { name: "plain", description: ".hamr/commands/plain.md", input: { hint: "arguments" } },
      { name: "pr", description: "Look: at a request", input: { hint: "[number]" } },
    ]);
    const prompts = availableCommands.slice(2);
    assert.deepEqual(prompts.map(({ name, input }) => [name, input]), [
      ["mcp__desk__greet", { hint: "who tone" }],
      ["mcp__desk__a_title", undefined],
    ]);
    assert.match(prompts[0]?.description ?? "", /^<who> \[tone\] {2}Greet/);
    assert.doesNotMatch(prompts[0]?.description ?? "", /\\u001b/);
    // This time the server that runs is asked.
    assert.equal(await editor.prompt(id, "/mcp__desk__greet who=Bo tone=kind"), "end_turn");
    assert.match(JSON.stringify(s.server.requests[1]?.body.messages.at(-1)), /Greet Bo in a kind/);
    const why = await editor.refused("session/prompt", {
      sessionId: id,
      prompt: [{ type: "text", text: "/mcp__desk__greet" }],
    });
    assert.match(why, /it needs who/);
    assert.equal(await editor.leave(), 0);
  });
});

Deno.test({
  name: "a chat takes prompts of a server, and lists them once it runs",
  ignore: !HAS_TMUX,
  fn: () =>
    stage({ script: BY_WORDS, violations: true }, async (s) => {
      s.home.write(CONFIG, SETTINGS);
      s.ws.write(".hamr/commands/look.md", `See ${s.outside.at("private.png")} too.`);
      for (const name of [s.ws.at("own.png"), s.outside.at("private.png")]) {
        Deno.writeFileSync(name, png(4, 4));
      }
      const terminal = new Terminal([...PROGRAM, "chat"], {
        ...{ cwd: s.ws.path, home: s.home.path, env: { ...s.env, TERM: "dumb" } },
      });
      let from = 0;
      const says = async (text: string) => {
        await terminal.until(text, from);
        from = terminal.shown.indexOf(text, from) + text.length;
      };
      await says("/help lists the commands, Ctrl-D quits.");
      await terminal.type("/mcp__desk__greet\n");
      await says("it needs who");
      await terminal.type("/mcp__desk__greet Ann\n");
      await says("You said: Greet Ann in a plain tone.");
      await terminal.type("/mcp__desk__greet Bo kind\n");
      await says("You said: Greet Bo in a kind tone.");
      // What a command of the repository names is not shown in the person's name: the model may not be allowed to read it.
      const image = () => s.server.requests.at(-1)!.raw.split('"image_url":{').length - 1;
      await terminal.type("/look\n");
      await says("You said: See ");
      assert.equal(image(), 0);
      await terminal.type("/look @own.png\n");
      await says("with 1 image");
      await says("You said: ");
      assert.equal(image(), 1);
      await terminal.type("/help\n");
      await says("/mcp__desk__greet");
      await terminal.type("/quit\n");
      assert.equal((await terminal.status).code, 0);
    }),
});
