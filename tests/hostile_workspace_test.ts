/** What a stranger puts into a workspace, or an MCP server says, to hang hamr, to fill its memory, or to keep it from starting. */
import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { ANSWER, call, say } from "./support/model_server.ts";
import { type Folder, inside_stage as stage, type Stage, steps } from "./support/stage.ts";

const SERVER = fileURLToPath(new URL("./support/mcp_server.js", import.meta.url));

function fifo(folder: Folder, name: string): void {
  folder.write(name.replace(/[^/]*$/, "") || "./", "");
  assert.equal(new Deno.Command("mkfifo", { args: [folder.at(name)] }).outputSync().success, true);
}

Deno.test("a .mcp.json that can't be read costs a warning, and is not trusted", async () => {
  const cases: readonly (readonly [(folder: Folder) => void, RegExp])[] = [
    [(ws) => fifo(ws, ".mcp.json"), /not a file that can be read/],
    [(ws) => ws.write(".mcp.json/", ""), /not a file that can be read/],
    [(ws) => Deno.symlinkSync("/dev/zero", ws.at(".mcp.json")), /not a file that can be read/],
    [(ws) => ws.write(".mcp.json", " ".repeat(2_000_000)), /larger than 1 MiB/],
    [(ws) => ws.write(".mcp.json", "[]"), /it has no "mcpServers"/],
    [(ws) => ws.write(".mcp.json", "{"), /not JSON/],
  ];
  for (const [make, why] of cases) {
    await stage({ script: [say(ANSWER)] }, async (s) => {
      make(s.ws);
      const trust = await s.hamr(["config", "trust"]);
      assert.deepEqual([trust.code, trust.stdout], [3, ""]);
      assert.match(trust.stderr, why);
      const run = await s.run("Look.", "--mode", "ask");
      assert.equal(run.code, 0, run.stderr);
    });
  }
});

Deno.test("files of commands, agents, skills and instructions that never end, or stand for gigabytes, hold nobody up", async () => {
  const names = [..."abcdefghijklmnopqrstuvwxyz"];
  const bomb = names.map((name, at) => {
    const before = at === 0 ? "x" : `*${names[at - 1]}`;
    return `${name}: &${name} [${Array(9).fill(before).join()}]\n`;
  }).join("");
  const head = `---\n${bomb}tools: *z\ndescription: *z\nmodel: *z\n---\nDo it.`;
  const deep = `---\ndescription: ${"[".repeat(100_000)}\n---\nDo it.`;
  const script = [
    call("tool_search", { query: "*" }),
    call("skill", { name: "pipe" }),
    call("skill", { name: "bomb" }),
    call("delegate_task", { task: "Look.", agent: "nobody" }),
    say(ANSWER),
    say(ANSWER),
  ];
  await stage({ script, violations: true }, async (s) => {
    for (const name of ["CLAUDE.md", "AGENTS.md"]) fifo(s.ws, name);
    for (const [name, text] of [["bomb", head], ["deep", deep]] as const) {
      s.ws.write(`.claude/commands/${name}.md`, text);
      s.ws.write(`.claude/agents/${name}.md`, text);
      s.ws.write(`.claude/skills/${name}/SKILL.md`, text);
    }
    for (const name of ["commands/pipe.md", "agents/pipe.md", "skills/pipe/SKILL.md"]) {
      fifo(s.ws, `.claude/${name}`);
    }
    const run = await s.run("Look.", "--mode", "ask");
    assert.equal(run.code, 0, run.stderr);
    const [, pipe, loaded, nobody] = s.server.results();
    assert.match(pipe!, /no skill "pipe"/);
    assert.match(loaded!, /<skill>\nDo it\./);
    assert.match(nobody!, /no agent "nobody"; known: bomb, build/);
    assert.equal((await s.run("x", "--command", "bomb")).code, 0);
    for (const flag of ["--command", "--agent"]) {
      const { code, stderr } = await s.hamr(["run", flag, "pipe", "x"]);
      assert.equal(code, 3);
      assert.match(stderr, /not a text file|can't be read|it points outside/);
      assert.equal((await s.hamr(["__complete", ":", "run", flag])).code, 0);
    }
  });
});

Deno.test("no model is offered to a shell whose name is a command, or steers a terminal", async () => {
  const offered = async (s: Stage, model: string) => {
    s.ws.write(".hamr/config.toml", `[provider]\nmodel = ${JSON.stringify(model)}\n`);
    const env = { HAMR_MODEL: "" };
    const { stdout } = await s.hamr(["__complete", ":", "run", "--model"], { env });
    return stdout.split("\n");
  };
  await stage({ script: [] }, async (s) => {
    const evil = [
      "$(touch pwn)",
      "`id`",
      "a;id",
      "a|id",
      "a\nb",
      "a&b",
      "<x",
      "--yolo",
      "'x",
      "a\\b",
    ];
    for (
      const name of [...evil, "a\x1b]52;c;SEFDSw==\x07", "a\u202eb", "~x", "{a,b}", "*", ":file"]
    ) {
      const names = await offered(s, name);
      assert.ok(!names.includes(name.split("\n")[0]!), name);
      assert.ok(!names.some((one) => /[^\x20-\x7e]|[$`;|&<>'\\]/.test(one)), name);
    }
    const good = [
      "qwen3:8b",
      "hf.co/unsloth/Qwen3-GGUF:Q4_K_M",
      "claude-sonnet-4[1m]",
      "a@1.0+b",
      "größer",
    ];
    for (const name of [...good, "my model.gguf", "o3"]) {
      assert.ok((await offered(s, name)).includes(name), name);
    }
  });
});

Deno.test("thousands of skills and agents do not fill a prompt", async () => {
  const files: Record<string, string> = {};
  for (let n = 0; n < 1000; n++) {
    files[`.claude/skills/skill-${n}/SKILL.md`] = `---\ndescription: ${"d".repeat(500)}\n---\nx`;
    files[`.claude/agents/agent-${n}.md`] = `---\ndescription: ${"d".repeat(500)}\n---\nx`;
  }
  const script = [
    call("tool_search", { query: "*" }),
    call("skill", { name: "none" }),
    call("delegate_task", { task: "Look.", agent: "none" }),
    say(ANSWER),
  ];
  await stage({ script, files }, async (s) => {
    const run = await s.run("Look.", "--mode", "ask", "--context-window", "16384");
    assert.equal(run.code, 0, run.stderr);
    const { tools, messages } = s.server.requests[0]!.body;
    assert.equal(JSON.stringify(tools).length + JSON.stringify(messages[0]).length <= 5200, true);
    for (const text of s.server.results()) {
      assert.equal(text.length < 12_000, true, `${text.length}`);
    }
    assert.match(s.server.results()[0]!, /- and 800 more$/);
    const { stderr } = await s.hamr(["run", "--agent", "zzz", "x"]);
    assert.match(stderr, /known: .* and 964 more\n$/);
  });
});

Deno.test("a server's schema takes no time to check, and answers to nothing are a flood", async () => {
  const script = [
    call("x__slow", { text: `${"a".repeat(60)}!`, node: {}, odd: 1 }),
    call("x__lies", {}),
    call("x__add", { a: 2, b: 3 }),
    say("NOT DONE: it failed."),
  ];
  await stage({ script }, async (s) => {
    const args = JSON.stringify(["run", "-A", "--no-config", "--no-lock", SERVER, "honest"]);
    const settings = `[mcp.x]\ncommand = ${JSON.stringify(Deno.execPath())}\nargs = ${args}\n`;
    s.home.write(".config/hamr/config.toml", settings);
    const run = await s.run("Call it.");
    assert.equal(run.code, 2, run.stderr);
    const [slow, lies, sum] = s.server.results();
    assert.equal(slow, "checked");
    assert.match(lies!, /^Error: the server ended/);
    assert.equal(sum, "5");
    assert.match(run.result.warnings.join("\n"), /10000 unsolicited messages/);
  });
});

Deno.test({
  name: "pipes in the place of settings, which password managers make, do not hold up a run",
  ignore: Deno.build.os !== "linux",
  async fn() {
    await stage({ script: steps(["bash", { command: "echo ran" }]) }, async (s) => {
      const places = [".config/pip/pip.conf", ".bundle/config", ".m2/settings.xml"];
      // Deno itself waits for this one.
      if (Deno.env.has("HAMR_BIN")) places.push(".npmrc");
      const pipes = [...places.map((at) => s.home.at(at)), s.ws.at(".env")];
      for (const pipe of pipes) {
        Deno.mkdirSync(pipe.slice(0, pipe.lastIndexOf("/")), { recursive: true });
        const { success } = await new Deno.Command("mkfifo", { args: [pipe] }).output();
        assert.ok(success);
      }
      const { result } = await s.run("Do it.");
      assert.equal(result.stop_reason, "llm_done");
      assert.match(s.server.results()[0] ?? "", /^ran$/m);
    });
  },
});
