/**
 * The commands of README.md and docs/, as a reader would paste them, page after page and in their order. What ci.md and scale.md have
 * for others to run, between fences, has tests of its own, with those others.
 */
import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { bash, say, type Script } from "./support/model_server.ts";
import { environment, PROGRAM } from "./support/hamr.ts";
import { code_lines } from "./support/pages.ts";
import { type Stage, stage } from "./support/stage.ts";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const SERVER = fileURLToPath(new URL("./support/mcp_server.js", import.meta.url));
const FEWEST = {
  "README.md": 10,
  "docs/air-gap.md": 2,
  "docs/ci.md": 6,
  "docs/mcp.md": 3,
  "docs/permissions.md": 1,
  "docs/providers.md": 1,
  "docs/scale.md": 4,
  "docs/sessions.md": 10,
  "docs/switching.md": 1,
};

const OTHERS = ["docs/ci.md", "docs/scale.md"];

/** Each task is carried out: a file gets a line more, and that is said. Who wants JSON gets it. */
const carries_out: Script = ({ body: { messages } }) =>
  /JSON that matches this schema/.test(JSON.stringify(messages))
    ? say('{"flaky": []}')
    : messages.at(-1)?.role === "tool"
    ? say("Done: notes.md has it.")
    : bash("echo note >> notes.md");

/** The lines of code that begin with hamr, or with variables for it. */
function commands_of(page: string): string[] {
  const text = Deno.readTextFileSync(`${ROOT}${page}`);
  return code_lines(OTHERS.includes(page) ? text.replaceAll(/^```[^]*?^```$/gm, "") : text)
    .map((line) => line.trim()).filter((line) =>
      /^(?:[A-Z_]+=\S+ )*hamr [a-z]/.test(line) && !line.includes("…")
    );
}

/** What stands for something of the reader's own is that of the stage. */
function meant(command: string, s: Stage, id: string): string {
  return command.replace("HAMR_API_KEY=...", "HAMR_API_KEY=key").replace(
    "https://HOST/v1",
    s.server.url,
  )
    .replace("--model NAME", "--model scripted").replace(/\bID\b/, id)
    .replace("--model qwen2.5-coder:7b", "--model scripted");
}

async function newest(s: Stage): Promise<string> {
  const sessions = await s.hamr(["sessions", "--json"]);
  return /"(?:session_)?id":\s*"([^"]+)"/.exec(sessions.stdout)?.[1] ?? "none";
}

async function run_page(page: string, s: Stage): Promise<number> {
  const words = PROGRAM.map((word) => `'${word}'`);
  const shell = (command: string) =>
    new Deno.Command("bash", {
      args: ["-c", `hamr() { ${words.join(" ")} "$@"; }\n${command}`],
      cwd: s.ws.path,
      env: { ...environment(s.home.path, s.env) },
      clearEnv: true,
      stdin: "null",
    }).output();
  let ran = 0;
  for (const command of commands_of(page)) {
    const id = /\bID\b/.test(command) ? await newest(s) : "";
    const { code, stderr } = await shell(meant(command, s, id));
    assert.equal(code, 0, `${page}: ${command}: ${new TextDecoder().decode(stderr)}`);
    ran++;
  }
  return ran;
}

for (const [page, fewest] of Object.entries(FEWEST)) {
  Deno.test({
    name: `${page}: each command does what it is there for`,
    ignore: Deno.build.os !== "linux",
    fn: async () => {
      const files = { "package.json": '{"scripts":{"test":"true"}}' };
      await stage({ script: carries_out, files, one_conversation: false }, async (s) => {
        s.home.write(
          ".config/hamr/config.toml",
          `[mcp.git]\ncommand = ${JSON.stringify(Deno.execPath())}\n` +
            `args = ${
              JSON.stringify(["run", "-A", "--no-config", "--no-lock", SERVER, "honest"])
            }\n`,
        );
        s.home.write(".codex/config.toml", 'model = "gpt-5"\n');
        s.ws.write("findings.schema.json", '{"type": "object", "required": ["flaky"]}');
        s.ws.write("tasks.jsonl", '{"id": "utf8", "task": "Note it.", "dir": "."}');
        await s.hamr(["run", "--artifacts", "out/first", "Begin."]);
        assert.ok(await run_page(page, s) >= fewest, page);
      });
    },
  });
}
