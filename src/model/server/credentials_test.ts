import { deepStrictEqual, match, ok, rejects, strictEqual } from "node:assert/strict";
import type { ApiMode } from "../message.ts";
import { key_variables } from "./credentials.ts";
import { KeyCommand } from "./key_command.ts";
import { NoModelError, type Preset, resolve_endpoint, type Wish } from "./provider.ts";

const PRESET: Preset = {
  base_url: "http://127.0.0.1:9999",
  api_mode: "",
  api_key_env: "",
  api_key_file: "",
  api_key_cmd: "",
  model: "m",
  headers: {},
  context_window: 4096,
  price_in: undefined,
  price_out: undefined,
};

const WISH: Wish = {
  provider: "mine",
  model: "",
  base_url: "",
  api_mode: "",
  context_window: 4096,
  ollama: { task: "", max_output_tokens: 0, max_num_ctx: 0, keep_alive: "" },
  providers: {},
  base_url_untrusted: false,
};

function resolve(
  own: Partial<Preset>,
  more: Partial<Wish> = {},
  vars: Record<string, string> = {},
) {
  const wish = { ...WISH, providers: { mine: { ...PRESET, ...own } }, ...more };
  const key_command = (command: string) => Promise.resolve(`from ${command}`);
  return resolve_endpoint(wish, { env: (name) => vars[name], key_command });
}

Deno.test("a key comes from a variable, else a file, else a command", async () => {
  const file = Deno.makeTempFileSync();
  Deno.writeTextFileSync(file, "  file-key \nsecond line\n");
  const all = { api_key_env: "MY_KEY", api_key_file: file, api_key_cmd: "cmd" };
  try {
    const key = async (own: Partial<Preset>, vars = {}) => (await resolve(own, {}, vars)).key;
    strictEqual(await key(all, { HAMR_API_KEY: "general", MY_KEY: "mine" }), "general");
    strictEqual(await key(all, { MY_KEY: "mine" }), "mine");
    strictEqual(await key(all), "file-key");
    strictEqual(await key({ ...all, api_key_file: "" }), "from cmd");
    strictEqual(await key({}), "");
    const own = await resolve(all, { general_key_elsewhere: true }, { HAMR_API_KEY: "general" });
    strictEqual(own.key, "file-key");
    const [home, name] = [file.slice(0, file.lastIndexOf("/")), file.split("/").at(-1)];
    const at_home = await resolve({ api_key_file: `~/${name}` }, {}, { HOME: home });
    strictEqual(at_home.key, "file-key");
    const hostile = { base_url: "http://127.0.0.1:1", base_url_untrusted: true };
    strictEqual((await resolve(all, hostile)).key, "", "no key to an address of a stranger's");
    Deno.writeTextFileSync(file, "\n");
    await rejects(resolve(all), (error: unknown) => {
      ok(error instanceof NoModelError);
      match(error.message, /^api_key_file of \[providers\.mine\]: the first line of .* is empty$/);
      return true;
    });
  } finally {
    Deno.removeSync(file);
  }
});

Deno.test("each protocol gets its key in its own way, and its address as it wants it", async () => {
  const key = { api_key_env: "MY_KEY" };
  const vars = { MY_KEY: "k-0123456789" };
  const bearer = { authorization: "Bearer k-0123456789" };
  const anthropic = { "anthropic-version": "2023-06-01", "x-api-key": "k-0123456789" };
  const cases: readonly (readonly [string, ApiMode, string, Record<string, string>])[] = [
    ["http://127.0.0.1:9999", "chat_completions", "http://127.0.0.1:9999/v1", bearer],
    ["http://127.0.0.1:9999/v1/responses", "codex_responses", "http://127.0.0.1:9999/v1", bearer],
    ["http://127.0.0.1:9999/v1/messages", "anthropic_messages", "http://127.0.0.1:9999", anthropic],
    ["http://127.0.0.1:9999/api/chat", "ollama_chat", "http://127.0.0.1:9999", bearer],
  ];
  for (const [given, mode, base_url, headers] of cases) {
    const found = await resolve({ ...key, base_url: given }, {}, vars);
    deepStrictEqual([found.api_mode, found.base_url, found.headers], [mode, base_url, headers]);
    const told = await resolve({ ...key, base_url: "http://h", api_mode: mode }, {}, vars);
    strictEqual(told.api_mode, mode);
  }
  const documented = await resolve({ base_url: "http://h/api", api_mode: "ollama_chat" }, {}, {});
  strictEqual(documented.base_url, "http://h");
  const own = { "X-Api-Key": "theirs-012345" };
  const found = await resolve({ api_mode: "anthropic_messages", headers: own, ...key }, {}, vars);
  deepStrictEqual([found.key, found.headers["x-api-key"]], ["theirs-012345", "theirs-012345"]);
});

Deno.test("Anthropic is known by its name, its key and its variable for another address", async () => {
  const at = async (more: Partial<Wish>, vars: Record<string, string>) => {
    const wish = { ...WISH, provider: "auto", model: "claude", ...more };
    const { provider, base_url, api_mode, headers } = await resolve_endpoint(wish, {
      env: (name) => vars[name],
    });
    return [provider, base_url, api_mode, headers["x-api-key"] ?? headers["authorization"] ?? ""];
  };
  const keys = { ANTHROPIC_API_KEY: "ant-0123", OPENROUTER_API_KEY: "or-0123" };
  const theirs = ["anthropic", "https://api.anthropic.com", "anthropic_messages", "ant-0123"];
  deepStrictEqual(await at({ provider: "anthropic" }, keys), theirs);
  deepStrictEqual((await at({ base_url: "https://api.anthropic.com/v1" }, keys)).slice(1), [
    ...theirs.slice(1),
  ]);
  const proxy = { ...keys, ANTHROPIC_BASE_URL: "http://127.0.0.1:9999/" };
  const through = ["anthropic", "http://127.0.0.1:9999", "anthropic_messages", "ant-0123"];
  deepStrictEqual(await at({}, proxy), through);
  deepStrictEqual(await at({}, { ...proxy, OPENAI_BASE_URL: "http://127.0.0.1:9998" }), [
    ...["openai", "http://127.0.0.1:9998/v1", "chat_completions", ""],
  ]);
});

const PLACE = { folder: "/", env: { PATH: Deno.env.get("PATH") ?? "" } };

Deno.test("a command that gives a key runs when it is asked for, again where a new one is", async () => {
  const counter = Deno.makeTempFileSync();
  const command = new KeyCommand(
    `echo x >> ${counter}; echo key-$(wc -l < ${counter} | tr -d ' ')`,
    PLACE,
  );
  strictEqual(Deno.readTextFileSync(counter), "", "not before");
  deepStrictEqual(await Promise.all([command.key(), command.key()]), ["key-1", "key-1"]);
  strictEqual(await command.renewed(), "key-2");
  strictEqual(await command.key(), "key-2");
  Deno.removeSync(counter);
  const bad = [["exit 7", /exit code 7/], ["true", /printed nothing/], ["no-such-one", /127/]];
  for (const [text, words] of bad as [string, RegExp][]) {
    await rejects(new KeyCommand(text, PLACE).key(), words);
  }
  strictEqual(
    await new KeyCommand("cat; printf 'a b\\nc'", PLACE).key(),
    "a b",
    "no input, first line",
  );
});

Deno.test("a key goes through no program but the command that gives it, whatever PATH begins with", async () => {
  const bin = Deno.makeTempDirSync();
  for (const name of ["sh", "head", "printf"]) {
    Deno.writeTextFileSync(`${bin}/${name}`, `#!/bin/sh\necho planted\n`, { mode: 0o755 });
  }
  const before = Deno.env.get("PATH") ?? "";
  Deno.env.set("PATH", `${bin}:${before}`);
  try {
    strictEqual(
      await new KeyCommand("echo key", { folder: "/", env: { PATH: `${bin}:${before}` } }).key(),
      "key",
    );
  } finally {
    Deno.env.set("PATH", before);
    Deno.removeSync(bin, { recursive: true });
  }
});

Deno.test("key_variables() has every variable that a built-in provider takes its key from", () => {
  deepStrictEqual(key_variables(), [
    ...["HAMR_API_KEY", "OPENAI_API_KEY", "ANTHROPIC_API_KEY", "OPENROUTER_API_KEY"],
  ]);
});
