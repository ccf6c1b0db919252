import { deepStrictEqual, match, rejects, strictEqual } from "node:assert/strict";
import { refusal, with_files } from "./_testing.ts";
import { defaults, KEYS } from "./keys.ts";
import { load, origin } from "./load.ts";

Deno.test("load() without anything is the defaults of the contract", async () => {
  const loaded = await load({ workspace: "/nowhere", environ: {} });
  const expected = {
    agent: {
      context_budget_tokens: 131072,
      max_model_steps: 64,
      max_tool_calls: 192,
      repair_attempts: 1,
      max_output_tokens: 4096,
      delegate_max_steps: 50,
      timeout_s: 0,
      step_timeout_s: 0,
      idle_timeout_s: 120,
      mode: "auto",
      confirm: "refuse",
      tool_call_format: "native",
      model_defaults: true,
      parallel_tools: true,
      temperature: undefined,
      reasoning_effort: undefined,
      stream: true,
    },
    tools: { bash_timeout_s: 120, spill_days: 7, deferred: "auto" },
    verify: {
      command: "",
      timeout_s: 600,
      self_eval: "off",
      self_eval_retries: 2,
      rubric_rounds: 2,
    },
    guards: {
      action_nudges: 3,
      claim_nudges: 2,
      identical_reads: 5,
      recoveries: 5,
      identical_bash: 3,
      doom_loop_threshold: 3,
      read_limit: 64,
      read_warning: 32,
      escalation_steps: [8, 9, 10],
      max_truncations: 3,
      auto_continues: 2,
    },
    context: {
      compact_at: 0.75,
      critical_at: 0.95,
      protect_last: 20,
      strategy: "compact",
      summarize_after_steps: 8,
      tool_result_lines: 2000,
      tool_result_bytes: 51200,
    },
    budget: {
      max_cost_usd: 0,
      token_budget: 0,
      reserve_tokens: 512,
      reserve_cost_fraction: 0.1,
    },
    provider: {
      default: "auto",
      model: "",
      ca_file: "",
      base_url: "",
      api_mode: "",
      context_window: undefined,
      max_num_ctx: 32_768,
      keep_alive: "",
    },
    memory: { enabled: true, auto_recall: false, extract: false },
    fallback: { chain: [] },
    retry: { attempts: 3, max_wait_s: 60 },
    auxiliary: {
      summary: { provider: "", model: "", chain: [] },
      grader: { provider: "", model: "", chain: [] },
      vision: { provider: "", model: "", chain: [] },
      web: { provider: "", model: "", chain: [] },
    },
    sessions: { save: true, keep_days: 90, keep_bytes: 1_073_741_824 },
    reminders: { enabled: true },
    chat: { theme: "auto", ascii: "auto", plain: "auto", notify: "bell", title: true },
    permissions: { read: [], write: [], run: [], net: "own", env: [] },
    hooks: {
      ...{ post_edit: [], pre_tool: [], post_tool: [] },
      ...{ session_start: [], turn_end: [], notification: [] },
    },
  };
  const { deny_read, ...permissions } = loaded.settings.permissions;
  for (const path of ["~/.ssh", "~/.aws", "~/.gnupg", "~/.netrc", "~/.config/gcloud", "~/.kube"]) {
    strictEqual(deny_read.includes(path), true, path);
  }
  deepStrictEqual({
    ...loaded.settings,
    permissions,
    providers: undefined,
    mcp: undefined,
    agents: undefined,
  }, {
    ...expected,
    providers: undefined,
    mcp: undefined,
    agents: undefined,
  });
  deepStrictEqual(Object.keys(loaded.settings.providers), []);
  strictEqual(loaded.settings.providers.constructor, undefined);
  deepStrictEqual(origin(loaded, "agent.mode"), { source: "default", where: "built in" });
  deepStrictEqual(loaded.warnings, []);
});

Deno.test("defaults() gives a copy that nobody else holds", () => {
  const first = defaults();
  (first.permissions.env as string[]).push("X");
  deepStrictEqual(defaults().permissions.env, []);
});

Deno.test("load() lays five layers over each other and knows where each value came from", async () => {
  const user = `[agent]
max_model_steps = 1
max_tool_calls = 1
repair_attempts = 1
timeout_s = 1
[permissions]
write = ["~/a"]`;
  const workspace = `# mine
[agent]
max_tool_calls = 2
repair_attempts = 2
timeout_s = 2`;
  await with_files({ user, workspace }, async ({ home, workspace, options }) => {
    const loaded = await load({
      ...options,
      environ: { ...options.environ, HAMR_AGENT_REPAIR_ATTEMPTS: "3", HAMR_AGENT_TIMEOUT_S: "3" },
      overrides: [{ key: "agent.timeout_s", value: 4, where: "--timeout" }],
    });
    const seen = ["max_output_tokens", "max_model_steps", "max_tool_calls", "repair_attempts"]
      .concat("timeout_s").map((name) => {
        const { source, where } = origin(loaded, `agent.${name}`);
        const values: Record<string, unknown> = loaded.settings.agent;
        return [name, values[name], source, where];
      });
    deepStrictEqual(seen, [
      ["max_output_tokens", 4096, "default", "built in"],
      ["max_model_steps", 1, "user", `${home}/config.toml:2`],
      ["max_tool_calls", 2, "workspace", `${workspace}/.hamr/config.toml:3`],
      ["repair_attempts", 3, "env", "HAMR_AGENT_REPAIR_ATTEMPTS"],
      ["timeout_s", 4, "flag", "--timeout"],
    ]);
    deepStrictEqual(loaded.settings.permissions.write, ["~/a"]);
    deepStrictEqual(loaded.files, [
      { source: "user", path: `${home}/config.toml`, exists: true, trusted: null },
      {
        source: "workspace",
        path: `${workspace}/.hamr/config.toml`,
        exists: true,
        trusted: null,
      },
    ]);
  });
});

Deno.test("load() lays the addresses users have set for other programs over a file's of the same protocol", async () => {
  const at = async (lines: string, environ: Record<string, string>, flag?: string) =>
    await with_files({ user: `[provider]\n${lines}` }, async ({ options }) => {
      const overrides = flag === undefined
        ? []
        : [{ key: "provider.base_url", value: flag, where: "--base-url" }];
      const environs = { ...options.environ, ...environ };
      const loaded = await load({ ...options, environ: environs, overrides });
      const { default: provider, base_url } = loaded.settings.provider;
      return [provider, base_url, loaded.warnings.length];
    });
  const [FILE, OURS, USUAL] = ["http://file", "http://ours", "http://usual"];
  const own = `base_url = "${FILE}"`;
  const openai = { OPENAI_BASE_URL: USUAL };
  deepStrictEqual(await at(own, openai), ["openai", USUAL, 1]);
  deepStrictEqual(await at(own, { ...openai, HAMR_BASE_URL: OURS }), ["auto", OURS, 0]);
  deepStrictEqual(await at(own, openai, OURS), ["auto", OURS, 0]);
  deepStrictEqual(await at(`${own}\ndefault = "ollama"`, openai), ["ollama", FILE, 0]);
  deepStrictEqual(await at(`${own}\napi_mode = "ollama_chat"`, openai), ["auto", FILE, 0]);
  deepStrictEqual(await at('model = "m"', openai), ["auto", "", 0]);
  // Set for Claude Code by many who run a local model here.
  const anthropic = { ANTHROPIC_BASE_URL: USUAL };
  deepStrictEqual(await at(own, anthropic), ["auto", FILE, 0]);
  deepStrictEqual(
    await at(`${own}\napi_mode = "anthropic_messages"`, anthropic),
    ["anthropic", USUAL, 1],
  );
});

Deno.test("load() takes back the server of files where a run names a provider with an address of its own", async () => {
  const at = async (lines: string, named: string, more: Record<string, string> = {}) =>
    await with_files({ user: lines }, async ({ options }) => {
      const environ = { ...options.environ, ...more };
      const overrides = [{ key: "provider.default", value: named, where: "--provider" }];
      const { provider } = (await load({ ...options, environ, overrides })).settings;
      return [provider.base_url, provider.model, provider.api_mode].join(" ");
    });
  const server = `[provider]\nbase_url = "http://file"\nmodel = "m"\napi_mode = "ollama_chat"\n`;
  const KEPT = "http://file m ollama_chat";
  for (const named of ["openai", "anthropic", "openrouter"]) {
    strictEqual(await at(server, named), "  ", named);
  }
  strictEqual(await at(`${server}[providers.x]\nbase_url = "http://x"`, "x"), "  ");
  strictEqual(await at(server, "openai", { HAMR_MODEL: "mine" }), " mine ");
  // A proxy that is named for the run, or for this provider, is meant; so is another machine's Ollama.
  const proxy = await at(server, "openai", { HAMR_BASE_URL: "http://proxy" });
  strictEqual(proxy, "http://proxy m ollama_chat");
  strictEqual(await at(`${server}default = "openai"`, "openai"), KEPT);
  strictEqual(await at(server, "ollama"), KEPT);
  strictEqual(await at(server, "auto"), KEPT);
  strictEqual(await at(`${server}[providers.x]\nmodel = "other"`, "x"), KEPT);
  strictEqual(await at('[provider]\nmodel = "m"', "openai"), " m ");
});

Deno.test("load() reads tables in variables as a file has them, or in JSON, and checks them likewise", async () => {
  await with_files({}, async ({ options }) => {
    const at = (more: Record<string, string>) =>
      load({ ...options, environ: { ...options.environ, ...more } });
    const { settings, origins } = await at({
      HAMR_HOOKS_POST_EDIT: '[{ name = "lint", command = "ruff check {file}" }]',
      HAMR_HOOKS_PRE_TOOL: '[{"name": "policy", "command": "policy"}]',
      HAMR_PROVIDERS_X_HEADERS: '{ X-Team = "a" }',
      HAMR_MCP_CALC_COMMAND: "calc",
      HAMR_MCP_CALC_ENV: '{"DEBUG": "1"}',
    });
    const [lint] = settings.hooks.post_edit;
    deepStrictEqual([lint?.name, lint?.enabled], ["lint", true]);
    strictEqual(settings.hooks.pre_tool[0]?.command, "policy");
    deepStrictEqual({ ...settings.providers["x"]?.headers }, { "X-Team": "a" });
    const { command, env } = settings.mcp["calc"] ?? {};
    deepStrictEqual([command, env], ["calc", { DEBUG: "1" }]);
    deepStrictEqual(origins.get("mcp.calc.env"), { source: "env", where: "HAMR_MCP_CALC_ENV" });
    const faults: readonly (readonly [string, RegExp])[] = [
      ['[{ nam = "x" }]', /^HAMR_HOOKS_POST_EDIT:1: hooks\.post_edit\.0\./],
      ["lint", /^HAMR_HOOKS_POST_EDIT:1: not valid TOML/],
      ["{}", /^HAMR_HOOKS_POST_EDIT:1: hooks\.post_edit: must be /],
    ];
    for (const [text, expected] of faults) {
      match(await refusal(at({ HAMR_HOOKS_POST_EDIT: text })), expected);
    }
  });
});

Deno.test("load() adds what may not be read to the keys; an empty list opens them", async () => {
  const denied = async (user: string, environ = {}) =>
    await with_files({ user: `[permissions]\ndeny_read = ${user}` }, async ({ options }) => {
      const loaded = await load({ ...options, environ: { ...options.environ, ...environ } });
      return loaded.settings.permissions.deny_read;
    });
  const usual = defaults().permissions.deny_read;
  const more = { HAMR_PERMISSIONS_DENY_READ: "~/b" };
  deepStrictEqual(await denied('["~/a", "~/.ssh"]', more), [
    ...["~/b", "~/a", "~/.ssh"],
    ...usual.filter((path) => path !== "~/.ssh"),
  ]);
  deepStrictEqual(await denied("[]", more), ["~/b"]);
});

Deno.test("load() reads --config in place of the user's file, and needs it to exist", async () => {
  await with_files({ user: "[agent]\nmode = 'ask'" }, async ({ home, options }) => {
    const file = `${home}/other.toml`;
    Deno.writeTextFileSync(file, "[agent]\ntimeout_s = 1");
    const loaded = await load({ ...options, config_file: file });
    strictEqual(loaded.settings.agent.mode, "auto");
    strictEqual(origin(loaded, "agent.timeout_s").where, `${file}:2`);
    await rejects(
      load({ ...options, config_file: `${home}/none` }),
      /none: can't be read: no such/,
    );
    strictEqual((await load({ ...options, config_file: "/dev/null" })).settings.agent.timeout_s, 0);
    await rejects(load({ ...options, config_file: "/dev/zero" }), /larger than 1 MiB/);
  });
});

Deno.test("load() reads providers, with everything left out filled in", async () => {
  const user = `[providers.my-box]
base_url = "http://10.0.0.5:8080/v1"
headers = { Authorization = "Bearer x", "X-Team" = "t" }`;
  await with_files({ user }, async ({ home, options }) => {
    const loaded = await load({
      ...options,
      environ: { ...options.environ, HAMR_PROVIDERS_MY_BOX_MODEL: "q" },
    });
    const box = loaded.settings.providers["my-box"];
    deepStrictEqual({ ...box, headers: { ...box?.headers } }, {
      base_url: "http://10.0.0.5:8080/v1",
      api_mode: "",
      api_key_env: "",
      api_key_file: "",
      api_key_cmd: "",
      model: "q",
      headers: { Authorization: "Bearer x", "X-Team": "t" },
      context_window: undefined,
      price_in: undefined,
      price_out: undefined,
    });
    strictEqual(origin(loaded, "providers.my-box.headers").where, `${home}/config.toml:3`);
  });
});

Deno.test("load() fills in what a hook leaves out", async () => {
  const user = `[[hooks.post_edit]]
name = "lint"
command = "ruff check {file}"
file_patterns = ["*.py"]
[[hooks.post_edit]]
name = "types"
command = "mypy {file}"
timeout = 0
enabled = false
[hooks]
pre_tool = [{ name = "policy", command = "p", tools = ["bash"], timeout = 1.5 }]`;
  await with_files({ user }, async ({ home, options }) => {
    const loaded = await load(options);
    const every = { timeout: 30, enabled: true };
    deepStrictEqual(loaded.settings.hooks, {
      post_edit: [
        { ...every, name: "lint", command: "ruff check {file}", file_patterns: ["*.py"] },
        { name: "types", command: "mypy {file}", file_patterns: [], timeout: 0, enabled: false },
      ],
      pre_tool: [{ ...every, name: "policy", command: "p", tools: ["bash"], timeout: 1.5 }],
      post_tool: [],
      session_start: [],
      turn_end: [],
      notification: [],
    });
    const where = `${home}/config.toml:1`;
    deepStrictEqual(origin(loaded, "hooks.post_edit"), { source: "user", where });
  });
});

Deno.test("load() takes one file that is both the user's and the workspace's as the user's", async () => {
  await with_files({ workspace: "[permissions]\nnet = 'all'" }, async ({ workspace, options }) => {
    const loaded = await load({ ...options, environ: { HAMR_HOME: `${workspace}/.hamr` } });
    strictEqual(loaded.settings.permissions.net, "all");
    deepStrictEqual(loaded.warnings, []);
    strictEqual(loaded.files.length, 1);
  });
});

Deno.test("KEYS has a line of help and an honest default for every setting", () => {
  for (const [name, key] of KEYS) {
    match(key.doc, /^\S.{8,}[^.]$/, name);
    strictEqual(key.doc.includes("\n"), false, name);
  }
});

Deno.test("a section with nothing in it is one that was named: whatever it lacks can be said", async () => {
  const text = "[mcp.x]\n[providers.y]\n[agents.z]\n[mcp.full]\nurl = 'http://h'\n[hooks]\n";
  await with_files({ user: text }, async ({ options }) => {
    const { settings: { mcp, providers, agents } } = await load(options);
    deepStrictEqual([mcp, providers, agents].flatMap((table) => Object.keys(table)), [
      ...["x", "full", "y", "z"],
    ]);
    deepStrictEqual({ ...mcp.x, url: "http://h" }, mcp.full);
  });
});
