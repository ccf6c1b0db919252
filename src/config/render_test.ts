import { deepStrictEqual, match, strictEqual } from "node:assert/strict";
import { parse } from "smol-toml";
import { setting_entries } from "./file.ts";
import { AGENT_KEYS, MCP_KEYS, PROVIDER_KEYS } from "./key.ts";
import { KEYS } from "./keys.ts";
import { load } from "./load.ts";
import { positions } from "./positions.ts";
import { hide_address, render_entries, render_settings, render_template } from "./render.ts";

Deno.test("render_template() is valid, sets nothing, and each line works when it is uncommented", async () => {
  const template = render_template();
  deepStrictEqual(
    Object.entries(parse(template)).flatMap(([name, table]) =>
      Object.keys(table as object).map((key) => `${name}.${key}`)
    ),
    ["auxiliary.summary", "auxiliary.grader", "auxiliary.vision", "auxiliary.web"],
  );
  const text = template.replaceAll(/^#(?! )/gm, "");
  const file = { file: "x", tables: parse(text), line_of: positions(text) };
  const names = (await setting_entries(file)).map(({ path }) => path.join("."));
  const own = Object.keys(PROVIDER_KEYS).map((name) => `providers.my-server.${name}`);
  const servers = Object.keys(MCP_KEYS).map((name) => `mcp.my-tools.${name}`);
  const agents = Object.keys(AGENT_KEYS).map((name) => `agents.my-agent.${name}`);
  deepStrictEqual(names.toSorted(), [...KEYS.keys(), ...own, ...servers, ...agents].toSorted());
  for (const line of template.split("\n")) strictEqual(line.length <= 120, true, line);
});

Deno.test("render_settings() is TOML with a source on each line and no secret", async () => {
  const root = Deno.makeTempDirSync();
  try {
    Deno.writeTextFileSync(
      `${root}/config.toml`,
      `[verify]
command = "echo \\"a\\\\b\\u007f\\u0085\\n漢\\""
[[hooks.post_edit]]
name = "lint"
command = "ruff check {file} # \\"x\\""
[providers."my.box"]
base_url = "https://me:hunter2@host/v1?api_key=hunter2&x=1"
headers = { Authorization = "Bearer hunter2", "x-api-key" = "hunter2", "X Team" = "tools" }`,
    );
    const loaded = await load({
      workspace: root,
      environ: { HAMR_HOME: root },
      overrides: [{ key: "permissions.write", value: ["a b", "c"], where: "--allow-write" }],
    });
    const text = render_settings(loaded);
    const back = JSON.parse(JSON.stringify(parse(text)));
    strictEqual(back.verify.command, 'echo "a\\b\x7f\x85\n漢"');
    deepStrictEqual(back.hooks.post_edit, [{
      name: "lint",
      command: 'ruff check {file} # "x"',
      timeout: 30,
      enabled: true,
      file_patterns: [],
    }]);
    deepStrictEqual(back.permissions.write, ["a b", "c"]);
    deepStrictEqual(back.providers["my.box"].headers, {
      Authorization: "***",
      "x-api-key": "***",
      "X Team": "tools",
    });
    const brief = render_settings(loaded, true);
    match(
      brief,
      /^deny_read = \["~\/\.ssh", "[^"]+", …\] {2}# default, \d+ more: hamr config show \| less$/m,
    );
    strictEqual(brief.replace(/^deny_read.*$/m, ""), text.replace(/^deny_read.*$/m, ""));
    strictEqual(text.includes("hunter2"), false);
    strictEqual(/\p{Cc}/u.test(text.replaceAll("\n", "")), false);
    for (const line of text.split("\n").filter((line) => line !== "" && !line.startsWith("["))) {
      match(line, / {2}# (default|user \S+:\d+|flag --allow-write)$/);
    }
  } finally {
    Deno.removeSync(root, { recursive: true });
  }
});

Deno.test("hide_address() hides passwords and keys only", () => {
  const cases: [string, string][] = [
    ["http://127.0.0.1:8080/v1", "http://127.0.0.1:8080/v1"],
    ["https://a:b@c/d", "https://***@c/d"],
    ["https://tok@c/d@e", "https://***@c/d@e"],
    ["https://c/d?KEY=1&page=2&access_token=3#f", "https://c/d?KEY=***&page=2&access_token=***#f"],
    ["https://c/d?key=${A}&token=x${B:-y}", "https://c/d?key=${A}&token=***${B}"],
    ["", ""],
  ];
  for (const [address, expected] of cases) strictEqual(hide_address(address), expected);
});

Deno.test("whoever is to trust settings sees which of their variables go where, and no key that stands there", () => {
  const headers = {
    Authorization: "Bearer ${GITHUB_TOKEN}",
    "x-key": "hunter2",
    "x-token": "${A:-hunter2}${env:B}",
    Accept: "${OPENAI_API_KEY}",
  };
  const env = { LANG: "C${AWS_SECRET_ACCESS_KEY}hunter2", EMPTY: "" };
  const at = { where: "x:1" };
  const shown = render_entries([
    { path: ["mcp", "x", "headers"], value: headers, ...at },
    { path: ["mcp", "x", "env"], value: env, ...at },
  ]);
  strictEqual(
    shown,
    'mcp.x.headers = { Authorization = "***${GITHUB_TOKEN}", x-key = "***", ' +
      'x-token = "${A}${env:B}", Accept = "${OPENAI_API_KEY}" }\n' +
      'mcp.x.env = { LANG = "***${AWS_SECRET_ACCESS_KEY}***", EMPTY = "" }\n',
  );
});
