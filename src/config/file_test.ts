import { match, strictEqual } from "node:assert/strict";
import { refusal, with_files } from "./_testing.ts";
import { load } from "./load.ts";

const HOOK = "[[hooks.post_edit]]\nname = 'x'\ncommand = 'x'";

const WRONG: [name: string, toml: string, expected: RegExp][] = [
  [
    "key",
    "[agent]\n\nmax_model_step = 1",
    /:3: agent\.max_model_step: unknown key; did you mean max_model_steps\?$/,
  ],
  [
    "far key",
    "[verify]\nzzzzzzzz = 1",
    /:2: verify\.zzzzzzzz: unknown key; allowed are command, timeout_s, self_eval, self_eval_retries, rubric_rounds$/,
  ],
  [
    "key of another section",
    "[agent]\nbase_url = 'http://x'",
    /:2: .*did you mean provider\.base_url or providers\.NAME\.base_url\?$/,
  ],
  ["section", "[agnt]\nmode = 'ask'", /:1: agnt: unknown section; did you mean agent\?$/],
  ["far section", "[zzzzzz]", /unknown section; known: agent, tools, /],
  ["key without a section", "model = 'x'", /:1: model: unknown section; did you mean /],
  ["future section", "[later]\nkey = 1", /:1: later: unknown section/],
  ["hook", "[hooks]\npost_edits = []", /:2: .*unknown key; did you mean post_edit\?$/],
  [
    "list of hooks",
    "[hooks]\npost_edit = 'x'",
    /:2: hooks\.post_edit: must be a list of tables, not "x"$/,
  ],
  ["hook that is no table", "[hooks]\npost_edit = [1]", /post_edit\.0: must be a table$/],
  ["list of [hooks]", "[[hooks]]\nname = 'x'", /:1: hooks: must be a table$/],
  [
    "hook without a name",
    "[[hooks.post_edit]]\ncommand = 'x'",
    /:1: hooks\.post_edit\.0\.name: missing$/,
  ],
  [
    "hook without a command",
    `${HOOK}\n[[hooks.post_edit]]\n\nname = 'x'`,
    /:4: hooks\.post_edit\.1\.command: missing$/,
  ],
  ["hook with a blank name", "hooks.pre_tool = [{ name = ' ', command = 'x' }]", /must be a name /],
  ["hook with a blank command", "hooks.pre_tool = [{ name = 'x', command = ' ' }]", /a shell comm/],
  [
    "key of a hook",
    `${HOOK}\n${HOOK}\nfile_pattern = []`,
    /:7: hooks\.post_edit\.1\.file_pattern: unknown key; did you mean file_patterns\?$/,
  ],
  [
    "far key of a hook",
    "hooks.post_tool = [{ name = 'x', command = 'x', zzzz = 1 }]",
    /:1: hooks\.post_tool\.0\.zzzz: unknown key; allowed are name, command, timeout, enabled, tools$/,
  ],
  [
    "timeout of a hook",
    `${HOOK}\ntimeout = -1`,
    /:4: hooks\.post_edit\.0\.timeout: must be a number of seconds from 0 to 2147483, not -1$/,
  ],
  ["pattern of a hook", `${HOOK}\nfile_patterns = [1]`, /:4: .*file_patterns: must be a list of p/],
  [
    "tool of a hook",
    "hooks.pre_tool = [{ name = 'x', command = 'x', tools = ['a b'] }]",
    /:1: hooks\.pre_tool\.0\.tools: must be a list of names of tools, not "a b"$/,
  ],
  [
    "type",
    "[agent]\nmax_model_steps = 'ten'",
    /:2: agent\.max_model_steps: must be a whole number, 0 or more, not "ten"$/,
  ],
  ["fraction", "[agent]\nmax_model_steps = 1.5", /whole number/],
  ["blank", '[verify]\ncommand = " "', /verify\.command: must be a shell command, not " "$/],
  ["negative", "[agent]\ntimeout_s = -1", /from 0 to 2147483, not -1$/],
  ["infinite", "[agent]\ntimeout_s = inf", /not Infinity$/],
  ["not a number", "[agent]\ntemperature = nan", /not NaN$/],
  ["range", "[agent]\ntemperature = 3", /from 0 to 2, not 3$/],
  [
    "enum",
    "[agent]\nmode = 'pathc'",
    /auto, ask, plan, patch or verify, not "pathc"; did you mean patch\?$/,
  ],
  ["boolean", "[agent]\nstream = 'true'", /true or false, not "true"$/],
  ["date", "[agent]\nmode = 2024-01-01", /not a date$/],
  ["table for a value", "[agent.mode]\nx = 1", /:1: agent\.mode: must be .* not a table$/],
  ["value for a section", "agent = 5", /:1: agent: must be a table$/],
  ["list for a section", "[[agent]]\nmode = 'ask'", /:1: agent: must be a table$/],
  [
    "list item",
    "[permissions]\nenv = ['A', 5]",
    /:2: permissions\.env: must be a list of names.*, not 5$/,
  ],
  ["write", "[permissions]\nwrite = 'some'", /must be a list of paths, or "all", not "some"$/],
  ["write item", "[permissions]\nwrite = [1]", /must be a list of paths, or "all", not 1$/],
  ["empty path", "[permissions]\nwrite = ['']", /must be a list of paths, or "all", not ""$/],
  [
    "deferred tool",
    "[tools]\ndeferred = ['todo', 'read']",
    /:2: tools\.deferred: must be auto, all, none or a list of tools, but never read, /,
  ],
  ["deferred word", "[tools]\ndeferred = 'some'", /none or a list of tools, .*, not "some"/],
  [
    "net",
    "[permissions]\nnet = 'tcp/ip'",
    /own, none, loopback or all, or a list of hosts, not "tcp\/ip"$/,
  ],
  [
    "address",
    "[provider]\nbase_url = 'localhost:1'",
    /:2: provider\.base_url: must be a valid address/,
  ],
  ["provider key", "[providers.x]\nquota = 1", /:2: providers\.x\.quota: unknown key; /],
  [
    "price",
    "[providers.x]\nprice_in = -1",
    /:2: providers\.x\.price_in: must be a number of dollars per/,
  ],
  [
    "key in the open",
    "[providers.x]\napi_key = 'sk-1'",
    /api_key: unknown key; allowed are .*api_key_env, api_key_file, api_key_cmd/,
  ],
  ["key for its name", "[providers.x]\napi_key_env = 'sk-1'", /never the key itself$/],
  ["provider name", "[providers.auto]\nmodel = 'x'", /:1: providers\.auto: unusable name/],
  ["provider name with a slash", "[providers.'a/b']\nmodel = 'x'", /unusable name/],
  ["prototype", "[providers.__proto__]\nmodel = 'x'", /:1: not valid TOML: .*unsafe/],
  ["constructor", "[agent]\nconstructor = 1", /:2: not valid TOML: .*unsafe/],
  ["provider value", "[providers]\nx = 1", /:2: providers\.x: must be a table$/],
  ["providers list", "providers = []", /:1: providers: must be a table$/],
  [
    "header",
    "[providers.x.headers]\nA = 1",
    /:1: providers\.x\.headers: must be a table of strings$/,
  ],
  ["header list", "[providers.x]\nheaders = ['secret']", /:2: .*must be a table of strings$/],
  ["key with a newline", '[agent]\n"a\\nb\\u001b" = 1', /:2: agent\.a\\nb\\u001b: unknown key/],
  ["syntax", "[agent]\nmode = \n", /:2: not valid TOML: .*\(column \d+\)$/],
  ["twice", "[agent]\nmode = 'ask'\nmode = 'ask'", /:3: not valid TOML: trying to redefine/],
  ["large number", "[agent]\ntimeout_s = 99999999999999999999", /:2: not valid TOML/],
  ["deep nesting", `a = ${"[".repeat(100_000)}`, /:1: not valid TOML/],
  ["NUL", "\0", /:1: not valid TOML/],
  ["verify without a command", "[agent]\n\nmode = 'verify'", /:3: mode verify needs a command/],
];

for (const [name, toml, expected] of WRONG) {
  Deno.test(`load() meets a wrong ${name} with one line`, async () => {
    await with_files({ user: toml }, async ({ home, options }) => {
      const message = await refusal(load(options));
      match(message, expected);
      strictEqual(message.startsWith(`${home}/config.toml:`), true, message);
      strictEqual(message.includes("sk-1") || message.includes("secret"), false, message);
    });
  });
}

Deno.test("load() meets files that can't be read with one line", async () => {
  await with_files({ user: new Uint8Array([0x5b, 0xff, 0xfe]) }, async ({ options }) => {
    match(await refusal(load(options)), /config\.toml: not UTF-8 text$/);
  });
  await with_files({ user: "# " + "x".repeat(2 ** 20) }, async ({ options }) => {
    match(await refusal(load(options)), /config\.toml: larger than 1 MiB/);
  });
  await with_files({}, async ({ home, workspace, options }) => {
    Deno.mkdirSync(`${home}/config.toml`);
    match(await refusal(load(options)), /config\.toml: a folder, not a file$/);
    Deno.removeSync(`${home}/config.toml`);
    Deno.symlinkSync("config.toml", `${home}/config.toml`);
    match(await refusal(load(options)), /config\.toml: can't be read: /);
    Deno.removeSync(`${home}/config.toml`);
    Deno.symlinkSync("nowhere", `${home}/config.toml`);
    match(await refusal(load(options)), /config\.toml: a link that leads nowhere$/);
    Deno.removeSync(`${home}/config.toml`);
    // A pipe in someone's workspace must not hang the start.
    const made = new Deno.Command("mkfifo", { args: [`${workspace}/.hamr/config.toml`] })
      .outputSync();
    strictEqual(made.code, 0);
    match(await refusal(load(options)), /config\.toml: not a regular file$/);
  });
});

Deno.test({
  name: "load() meets a file without permission with one line",
  ignore: Deno.build.os === "windows" || Deno.uid() === 0,
  fn: () =>
    with_files({ user: "" }, async ({ home, options }) => {
      Deno.chmodSync(`${home}/config.toml`, 0);
      match(await refusal(load(options)), /config\.toml: can't be read: permission denied$/);
    }),
});

Deno.test("load() takes a workspace whose .hamr is a file as one without settings", async () => {
  await with_files({}, async ({ workspace, options }) => {
    Deno.removeSync(`${workspace}/.hamr`, { recursive: true });
    Deno.writeTextFileSync(`${workspace}/.hamr`, "");
    strictEqual((await load(options)).files[1]?.exists, false);
  });
});
