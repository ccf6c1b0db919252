/** `hamr config import`: what other agents were told comes along, and nothing that is there is lost. */
import assert from "node:assert/strict";
import { PROGRAM } from "./support/hamr.ts";
import { stage } from "./support/stage.ts";
import { Terminal } from "./support/terminal.ts";

const CONFIG = ".config/hamr/config.toml";

const CODEX = `model = "qwen3"
model_provider = "box"
model_reasoning_effort = "high"
[model_providers.box]
base_url = "http://127.0.0.1:9/v1"
env_key = "BOX_KEY"
wire_api = "responses"
http_headers = { X-Team = "tools" }
env_http_headers = { X-Key = "BOX_KEY" }
[mcp_servers.docs]
command = "npx"
args = ["-y", "docs-server", "--api-key", "s3cret", "--token=s3cret"]
env = { TOKEN = "s3cret" }
env_vars = ["HOME_TOKEN"]
cwd = "/srv/docs"
tool_timeout_sec = 30
disabled_tools = ["drop"]
required = false
[mcp_servers."my web"]
url = "http://127.0.0.1:9/mcp"
bearer_token_env_var = "WEB_TOKEN"
env_http_headers = { X-User = "WEB_USER" }
oauth_resource = "web"
[mcp_servers.kept]
command = "theirs"
[mcp_servers.broken]
enabled = true
`;

Deno.test("config import codex shows a diff without secrets, and writes only when told to", async () => {
  await stage({}, async (s) => {
    s.home.write(".codex/config.toml", CODEX);
    s.home.write(".codex/AGENTS.md", "Be brief.\n");
    const before = '# mine\n[mcp.kept]\ncommand = "ours"\n\n[provider] # who\nstream = true\n'
      .replace("stream = true\n", "");
    s.home.write(CONFIG, before);
    const shown = await s.hamr(["config", "import", "codex"]);
    assert.equal(shown.code, 0, shown.stderr);
    assert.match(shown.stdout, /\+\[mcp\.docs\]\n\+command = "npx"\n/);
    assert.match(shown.stdout, /\+env = \{ TOKEN = "\*\*\*", HOME_TOKEN = "\$\{HOME_TOKEN\}" \}/);
    assert.equal(shown.stdout.includes("s3cret"), false);
    assert.match(shown.stdout, /\+Be brief\./);
    assert.match(shown.stderr, /\[mcp\.kept\] already exists/);
    assert.match(shown.stderr, /broken: left out, it has neither a command nor a url/);
    // What has no match here is named, not dropped.
    assert.match(shown.stderr, /docs: taken over without its disabled_tools\n/);
    assert.match(shown.stderr, /my web: taken over without its oauth_resource\n/);
    assert.match(shown.stderr, /box: taken over without its env_http_headers\n/);
    assert.match(shown.stderr, /model_reasoning_effort: left out; agent\.reasoning_effort /);
    assert.doesNotMatch(shown.stderr, /approval_policy|profiles/);
    assert.match(shown.stderr, /nothing was written; --yes writes it/);
    assert.equal(s.home.read(CONFIG), before);
    const written = await s.hamr(["config", "import", "codex", "--yes"]);
    assert.equal(written.code, 0, written.stderr);
    const text = s.home.read(CONFIG);
    assert.match(text, /^# mine\n\[mcp\.kept\]\ncommand = "ours"\n/);
    assert.match(text, /\[provider\] # who\ndefault = "box"\nmodel = "qwen3"\n/);
    assert.match(text, /TOKEN = "s3cret"/);
    assert.match(text, /cwd = "\/srv\/docs"\n/);
    assert.match(text, /api_mode = "codex_responses"\n.*\nheaders = \{ X-Team = "tools" \}\n/);
    assert.match(
      text,
      /headers = \{ X-User = "\$\{WEB_USER\}", Authorization = "Bearer \$\{WEB_TOKEN\}" \}/,
    );
    assert.equal(s.home.read(".config/hamr/AGENTS.md"), "Be brief.\n");
    // All of it is understood.
    const { stdout, code } = await s.hamr(["config", "show"]);
    assert.equal(code, 0);
    assert.match(stdout, /\[mcp\.my_web\]/);
    assert.match(stdout, /base_url = "http:\/\/127\.0\.0\.1:9\/v1"/);
    const again = await s.hamr(["config", "import", "codex", "--yes"]);
    assert.match(again.stderr, /nothing to import/);
    assert.equal(s.home.read(CONFIG), text);
  });
});

Deno.test("config import claude and opencode, and whom it does not know", async () => {
  await stage({}, async (s) => {
    s.home.write(
      ".claude.json",
      JSON.stringify({
        mcpServers: {
          git: {
            type: "stdio",
            command: "git-mcp",
            args: ["x", 5],
            env: { PORT: 80, DEBUG: true },
          },
        },
        projects: {
          [s.ws.path]: { mcpServers: { here: { type: "http", url: "http://127.0.0.1:9/mcp" } } },
          "/elsewhere": { mcpServers: { not_here: { command: "no" } } },
        },
      }),
    );
    s.home.write(".claude/settings.json", JSON.stringify({ model: "opus", permissions: {} }));
    const claude = await s.hamr(["config", "import", "claude", "--yes"]);
    assert.equal(claude.code, 0, claude.stderr);
    assert.match(claude.stderr, /model opus: left out; --provider anthropic --model NAME/);
    const text = s.home.read(CONFIG);
    assert.equal(
      text,
      '[mcp.git]\ncommand = "git-mcp"\nargs = ["x", "5"]\nenv = { PORT = "80", DEBUG = "true" }\n\n[mcp.here]\nurl = "http://127.0.0.1:9/mcp"\n',
    );
    s.home.write(
      ".config/opencode/opencode.jsonc",
      `{
        // mine
        "model": "local/qwen3-coder",
        "provider": {
          "local": { "options": { "baseURL": "http://127.0.0.1:9/v1", "apiKey": "{env:K}" } },
          "other": {
            "npm": "@ai-sdk/anthropic",
            "options": { "baseURL": "http://127.0.0.1:9", "apiKey": "s3cret", "headers": { "X-A": "1", "X-B": "{env:B}" } },
          },
        },
        "mcp": { "fs": { "type": "local", "command": ["fs-mcp", "//x"], "environment": { "A": "{env:A}" }, "enabled": false, }, },
      }`,
    );
    const opencode = await s.hamr(["config", "import", "opencode", "--yes"]);
    assert.equal(opencode.code, 0, opencode.stderr);
    const more = s.home.read(CONFIG);
    assert.equal(more.startsWith(text), true);
    assert.match(more, /\[provider\]\ndefault = "local"\nmodel = "qwen3-coder"\n/);
    assert.match(
      more,
      /\[mcp\.fs\]\ncommand = "fs-mcp"\nargs = \["\/\/x"\]\nenv = \{ A = "\$\{A\}" \}\nenabled = false\n/,
    );
    assert.match(more, /api_key_env = "K"/);
    assert.match(
      more,
      /\[providers\.other\]\nbase_url = .*\napi_mode = "anthropic_messages"\nheaders = \{ X-A = "1" \}\n/,
    );
    assert.equal(more.includes("s3cret"), false);
    assert.match(opencode.stderr, /other: taken over without its apiKey, headers\n/);
    const none = await s.hamr(["config", "import", "codex"]);
    assert.deepEqual([none.code, none.stdout], [3, ""]);
    assert.match(none.stderr, /codex has no settings here/);
    const who = await s.hamr(["config", "import", "emacs"]);
    assert.equal(who.code, 3);
    assert.match(who.stderr, /codex/);
    s.home.write(".codex/config.toml", "model = ");
    const bad = await s.hamr(["config", "import", "codex", "--yes"]);
    assert.equal(bad.code, 3);
    assert.equal(s.home.read(CONFIG), more);
  });
});

Deno.test("config import claude takes over the server that its settings name; folders are where variables say", async () => {
  await stage({}, async (s) => {
    const env = {
      ...{ ANTHROPIC_BASE_URL: "http://127.0.0.1:9/anthropic", ANTHROPIC_AUTH_TOKEN: "s3cret" },
      ANTHROPIC_MODEL: "glm-5",
    };
    s.home.write("elsewhere/settings.json", JSON.stringify({ env, model: "opus" }));
    s.home.write("elsewhere/.claude.json", '{ "mcpServers": { "a": { "command": "a-mcp" } } }');
    const claude = await s.hamr(["config", "import", "claude", "--yes"], {
      env: { CLAUDE_CONFIG_DIR: `${s.home.path}/elsewhere` },
    });
    assert.equal(claude.code, 0, claude.stderr);
    assert.match(claude.stderr, /its key is read from ANTHROPIC_AUTH_TOKEN/);
    assert.equal(
      s.home.read(CONFIG),
      '[provider]\ndefault = "claude"\nmodel = "glm-5"\n\n[providers.claude]\n' +
        'base_url = "http://127.0.0.1:9/anthropic"\napi_mode = "anthropic_messages"\n' +
        'api_key_env = "ANTHROPIC_AUTH_TOKEN"\n\n[mcp.a]\ncommand = "a-mcp"\n',
    );
    s.home.write("codex/config.toml", '[mcp_servers.b]\ncommand = "b-mcp"\n');
    const codex = await s.hamr(["config", "import", "codex", "--yes"], {
      env: { CODEX_HOME: `${s.home.path}/codex` },
    });
    assert.equal(codex.code, 0, codex.stderr);
    assert.match(s.home.read(CONFIG), /\[mcp\.b\]\ncommand = "b-mcp"\n$/);
  });
});

Deno.test("config import waits for no pipe, reads no device, and says what is no text", async () => {
  await stage({}, async (s) => {
    s.home.write(".codex/config.toml", '[mcp_servers.b]\ncommand = "b-mcp"\n');
    s.home.write(".codex/AGENTS.md", "");
    const pipe = async (file: string) => {
      Deno.removeSync(s.home.at(file));
      await new Deno.Command("mkfifo", { args: [s.home.at(file)] }).output();
    };
    const refused = async (why: RegExp) => {
      const { code, stderr } = await s.hamr(["config", "import", "codex", "--yes"]);
      assert.equal(code, 3, stderr);
      assert.match(stderr, why);
      assert.equal(s.home.exists(".config/hamr"), false);
    };
    await pipe(".codex/AGENTS.md");
    await refused(/AGENTS\.md: not a regular file/);
    Deno.removeSync(s.home.at(".codex/AGENTS.md"));
    Deno.symlinkSync("/dev/zero", s.home.at(".codex/AGENTS.md"));
    await refused(/AGENTS\.md: not a regular file/);
    Deno.removeSync(s.home.at(".codex/AGENTS.md"));
    Deno.writeFileSync(s.home.at(".codex/AGENTS.md"), new Uint8Array([0xff, 0x0a]));
    await refused(/AGENTS\.md: not UTF-8 text/);
    Deno.truncateSync(s.home.at(".codex/AGENTS.md"), 2 ** 30);
    await refused(/AGENTS\.md: larger than 64 MiB/);
    await pipe(".codex/config.toml");
    await refused(/config\.toml: not a regular file/);
    // What is to be written, likewise.
    s.home.write("own.toml", "");
    await pipe("own.toml");
    s.home.write(".config/opencode/opencode.json", "{}");
    const own = await s.hamr(["config", "import", "opencode", "--config", s.home.at("own.toml")]);
    assert.equal(own.code, 3);
    assert.match(own.stderr, /own\.toml: not a regular file/);
  });
});

Deno.test("config import reads comments of any kind, and settings that are links", async () => {
  await stage({}, async (s) => {
    s.home.write(
      "dotfiles/opencode.jsonc",
      `{ /* mine, */
  ${"/".repeat(80)}
  // ${"//".repeat(40)},
  "model": "box/a//b", ${"/".repeat(80)}
  "provider": { "box": { "options": { "baseURL": "http://127.0.0.1:9/v1", /* no key */ } }, // }
  },
}`,
    );
    Deno.mkdirSync(s.home.at(".config/opencode"), { recursive: true });
    Deno.symlinkSync(
      s.home.at("dotfiles/opencode.jsonc"),
      s.home.at(".config/opencode/opencode.jsonc"),
    );
    const { code, stderr } = await s.hamr(["config", "import", "opencode", "--yes"]);
    assert.equal(code, 0, stderr);
    assert.match(s.home.read(CONFIG), /model = "a\/\/b"\n\n\[providers\.box\]\nbase_url = /);
  });
});

Deno.test("config import: what was typed before its question is no answer; nor is what changed meanwhile lost", async () => {
  await stage({}, async (s) => {
    s.home.write(".codex/config.toml", '[mcp_servers.b]\ncommand = "b-mcp"\n');
    s.home.write(CONFIG, "# mine\n");
    const program = [...PROGRAM, "config", "import", "codex"];
    const place = { cwd: s.ws.path, home: s.home.path, env: s.env };
    const early = new Terminal(program, place);
    await early.type("y\n");
    await early.until("[n]o: ", 0);
    await early.type("\n");
    await early.until("nothing was written", 0);
    await early.status;
    assert.equal(s.home.read(CONFIG), "# mine\n");
    const slow = new Terminal(program, place);
    await slow.until("[n]o: ", 0);
    s.home.write(CONFIG, "# mine, and more\n");
    await slow.type("y\n");
    await slow.until("changed meanwhile", 0);
    await slow.status;
    assert.equal(s.home.read(CONFIG), "# mine, and more\n");
  });
});
