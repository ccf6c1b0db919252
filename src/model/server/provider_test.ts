import { deepStrictEqual, match, ok, rejects, strictEqual } from "node:assert/strict";
import { PRESET, type RawServer, serve_raw, sleep, whole } from "../_testing.ts";
import { endpoint_unasked, NoModelError, resolve_endpoint, type Wish } from "./provider.ts";

type Vars = Readonly<Record<string, string>>;

/** A key for each owner: one that went astray would be known by its name. */
const KEYS: Vars = {
  HAMR_API_KEY: "hamr-key-0123456789",
  OPENAI_API_KEY: "openai-key-0123456789",
  OPENROUTER_API_KEY: "openrouter-key-0123456789",
  MY_KEY: "my-key-0123456789",
};

const WISH: Wish = {
  provider: "auto",
  model: "m",
  base_url: "",
  api_mode: "",
  context_window: 4096,
  ollama: { task: "", max_output_tokens: 4096, max_num_ctx: 32_768, keep_alive: "" },
  providers: {},
  base_url_untrusted: false,
};

async function resolve(wish: Partial<Wish>, vars: Vars = {}) {
  return await resolve_endpoint({ ...WISH, ...wish }, { env: (name) => vars[name] });
}

/** What goes to the server as authorization, and where. */
async function sent(wish: Partial<Wish>, vars: Vars = KEYS): Promise<string> {
  const { base_url, headers, key, key_env } = await resolve(wish, vars);
  if (key !== "") ok(headers["authorization"]?.includes(key), "the key is the one that is sent");
  return `${base_url} ${headers["authorization"] ?? "nothing"} (${key_env})`;
}

async function refusal(wish: Partial<Wish>, vars: Vars = {}): Promise<string> {
  let message = "";
  await rejects(resolve(wish, vars), (error: unknown) => {
    ok(error instanceof NoModelError, String(error));
    message = error.message;
    return true;
  });
  return message;
}

/** A server that says what it is by its lists. */
function serve(answers: Readonly<Record<string, unknown>>): RawServer {
  return serve_raw(({ path, write }) => {
    const body = answers[path];
    const text = JSON.stringify(body ?? { error: "no" });
    return write(whole(text, { status: body === undefined ? 404 : 200, type: "application/json" }));
  });
}

Deno.test("keys go to whom they belong", async () => {
  const openai = "https://api.openai.com/v1";
  const router = "https://openrouter.ai/api/v1";
  const { HAMR_API_KEY: _, ...no_hamr } = KEYS;
  const cases: [Partial<Wish>, Vars, string][] = [
    [{ provider: "openai" }, no_hamr, `${openai} Bearer openai-key-0123456789 (OPENAI_API_KEY)`],
    [
      { provider: "openrouter" },
      no_hamr,
      `${router} Bearer openrouter-key-0123456789 (OPENROUTER_API_KEY)`,
    ],
    [{ provider: "openai" }, KEYS, `${openai} Bearer hamr-key-0123456789 (HAMR_API_KEY)`],
    [{ provider: "openai" }, {}, `${openai} nothing (HAMR_API_KEY)`],
    [{ provider: "ollama" }, no_hamr, "http://127.0.0.1:11434 nothing (HAMR_API_KEY)"],
    [{ provider: "llama.cpp" }, no_hamr, "http://127.0.0.1:8080/v1 nothing (HAMR_API_KEY)"],
    [{ base_url: "http://h/v1" }, no_hamr, "http://h/v1 nothing (HAMR_API_KEY)"],
    [{ base_url: "http://h/v1" }, KEYS, "http://h/v1 Bearer hamr-key-0123456789 (HAMR_API_KEY)"],
    [{ base_url: openai }, no_hamr, `${openai} Bearer openai-key-0123456789 (OPENAI_API_KEY)`],
    [
      { base_url: "https://openrouter.ai/api" },
      no_hamr,
      `${router} Bearer openrouter-key-0123456789 (OPENROUTER_API_KEY)`,
    ],
    [
      { base_url: "https://api.openai.com.evil.example" },
      no_hamr,
      "https://api.openai.com.evil.example/v1 nothing (HAMR_API_KEY)",
    ],
    [
      { base_url: "http://api.openai.com" },
      no_hamr,
      "http://api.openai.com/v1 nothing (HAMR_API_KEY)",
    ],
    [
      { provider: "openai", base_url: "http://h/v1" },
      no_hamr,
      "http://h/v1 Bearer openai-key-0123456789 (OPENAI_API_KEY)",
    ],
    [
      {},
      { ...no_hamr, OPENAI_BASE_URL: "https://gate.example/" },
      "https://gate.example/v1 Bearer openai-key-0123456789 (OPENAI_API_KEY)",
    ],
    [
      {
        provider: "mine",
        providers: { mine: { ...PRESET, base_url: "http://h", api_key_env: "MY_KEY" } },
      },
      no_hamr,
      "http://h/v1 Bearer my-key-0123456789 (MY_KEY)",
    ],
    [
      { provider: "mine", providers: { mine: { ...PRESET, base_url: "http://h" } } },
      no_hamr,
      "http://h/v1 nothing (HAMR_API_KEY)",
    ],
    // A section for a built-in name: what it does not say is as built in, but not the key for another address.
    [
      { provider: "openai", providers: { openai: { ...PRESET, model: "x" } } },
      no_hamr,
      `${openai} Bearer openai-key-0123456789 (OPENAI_API_KEY)`,
    ],
    [
      { provider: "openai", providers: { openai: { ...PRESET, base_url: "http://h" } } },
      no_hamr,
      "http://h/v1 nothing (HAMR_API_KEY)",
    ],
    [
      { provider: "openai" },
      { ...no_hamr, OPENAI_API_KEY: "  padded-key-012345\n" },
      `${openai} Bearer padded-key-012345 (OPENAI_API_KEY)`,
    ],
  ];
  for (const [wish, vars, expected] of cases) strictEqual(await sent(wish, vars), expected);
});

Deno.test("the protocol is what the setting says, else the section that was asked for", async () => {
  const mine = { ...PRESET, base_url: "http://h", api_mode: "codex_responses" } as const;
  const cases: [Partial<Wish>, string][] = [
    [{ base_url: "http://h" }, "chat_completions"],
    [{ base_url: "http://h", api_mode: "codex_responses" }, "codex_responses"],
    [{ provider: "mine", providers: { mine } }, "codex_responses"],
    [{ provider: "mine", providers: { mine }, api_mode: "chat_completions" }, "chat_completions"],
    [{ provider: "openai", providers: { mine } }, "chat_completions"],
  ];
  for (const [wish, expected] of cases) strictEqual((await resolve(wish)).api_mode, expected);
});

Deno.test("an address from someone else's file gets no key, nor the headers of a section", async () => {
  const base_url = "http://h/v1";
  const base_url_untrusted = true;
  for (const provider of ["auto", "openai", "openrouter", "mine"]) {
    const headers = { "X-Api-Key": "hush", Authorization: "Bearer hush" };
    const mine = { ...PRESET, base_url: "http://own", api_key_env: "MY_KEY", headers };
    const wish = { provider, base_url, base_url_untrusted, providers: { mine } };
    const endpoint = await resolve(wish, KEYS);
    deepStrictEqual([endpoint.base_url, endpoint.headers, endpoint.key], [base_url, {}, ""]);
  }
  // Nor is one asked with a key what it is.
  await using server = serve({ "/v1/models": { data: [{ id: "a" }] } });
  const wish = {
    base_url: server.origin,
    base_url_untrusted,
    model: "",
    context_window: undefined,
  };
  await resolve(wish, KEYS);
  ok(server.requests.length >= 3);
  for (const { headers } of server.requests) strictEqual(headers.get("authorization"), null);
});

Deno.test("a server that is found on this machine gets no key", async () => {
  await using server = serve({
    "/api/ps": { models: [{ name: "a:latest", context_length: 12_000 }] },
  });
  const vars = { ...KEYS, OLLAMA_HOST: `127.0.0.1:${server.port}` };
  const endpoint = await resolve({ model: "", context_window: undefined }, vars);
  deepStrictEqual([endpoint.provider, endpoint.model, endpoint.key], ["ollama", "a:latest", ""]);
  deepStrictEqual(endpoint.headers, {});
  deepStrictEqual(
    [endpoint.context_window, endpoint.window_known, endpoint.window_source],
    [12_000, true, "GET /api/ps"],
  );
  for (const { headers } of server.requests) strictEqual(headers.get("authorization"), null);
});

Deno.test("user and password of an address are sent as basic authorization, and shown nowhere", async () => {
  await using server = serve({ "/v1/models": { data: [{ id: "a" }] } });
  const basic = `Basic ${btoa("someone:hunter2hunter2")}`;
  const address = `someone:hunter2hunter2@127.0.0.1:${server.port}`;
  const ways: [Partial<Wish>, Vars][] = [
    [{ base_url: `http://${address}/v1` }, KEYS],
    [{ provider: "openai", base_url: address }, KEYS],
    [{ provider: "mine", providers: { mine: { ...PRESET, base_url: `http://${address}` } } }, KEYS],
    [{}, { ...KEYS, OPENAI_BASE_URL: `http://${address}` }],
    [{ provider: "ollama" }, { ...KEYS, OLLAMA_HOST: address }],
    [{}, { ...KEYS, OLLAMA_HOST: address }],
  ];
  for (const [wish, vars] of ways) {
    const endpoint = await resolve({ model: "", context_window: undefined, ...wish }, vars);
    const version = wish.provider === "ollama" ? "" : "/v1";
    strictEqual(endpoint.base_url, `http://127.0.0.1:${server.port}${version}`);
    deepStrictEqual(endpoint.headers, { authorization: basic });
    deepStrictEqual([endpoint.key, endpoint.key_env], ["hunter2hunter2", "the base URL"]);
  }
  for (const { headers } of server.requests) strictEqual(headers.get("authorization"), basic);
  for (const base_url of ["ftp://someone:hunter2@h", "http://someone:hunter2@h x"]) {
    const message = await refusal({ base_url });
    match(message, /^base URL "h.*" is not /);
  }
});

Deno.test("authorization in the headers of a section is sent alone, whatever its case", async () => {
  const headers = { "AUTHORIZATION": "Token my-own-token-012", "X-Team": "tools" };
  const wish = {
    provider: "mine",
    providers: { mine: { ...PRESET, base_url: "http://h", headers } },
  };
  const endpoint = await resolve(wish, KEYS);
  deepStrictEqual(endpoint.headers, {
    "authorization": "Token my-own-token-012",
    "x-team": "tools",
  });
  deepStrictEqual(
    [endpoint.key, endpoint.key_env],
    ["my-own-token-012", "the headers of [providers.mine]"],
  );
});

Deno.test("a key or a header that HTTP cannot carry is named, and not shown", async () => {
  for (const key of ["sk-abc…def", "sk-abc\ndef", "sk-\u0000abc"]) {
    const message = await refusal({ provider: "openai" }, { OPENAI_API_KEY: key });
    match(message, /^the key in OPENAI_API_KEY has a character that no HTTP header can carry/);
    ok(!/abc|def/.test(message));
  }
  for (const [name, value] of [["x-a", "a\nb"], ["x a", "b"], ["", "b"]] as const) {
    const headers = { [name]: value };
    const wish = {
      provider: "mine",
      providers: { mine: { ...PRESET, base_url: "http://h", headers } },
    };
    match(await refusal(wish), /^the header ".*" has a character/);
  }
});

Deno.test("an unknown provider is told which are known", async () => {
  const providers = { mine: { ...PRESET, base_url: "http://h" }, openai: PRESET };
  strictEqual(
    await refusal({ provider: "opnai", providers, where: "HAMR_PROVIDER" }),
    'HAMR_PROVIDER: unknown provider "opnai"; did you mean openai?',
  );
  strictEqual(
    await refusal({ provider: "nobody", providers }),
    'unknown provider "nobody"; known: ollama, llama.cpp, lmstudio, vllm, sglang, koboldcpp, jan, openai, anthropic, openrouter, mine',
  );
  for (const provider of ["constructor", "__proto__", "toString"]) {
    match(await refusal({ provider }), /^unknown provider /);
  }
  const unasked = endpoint_unasked({ ...WISH, provider: "nobody", model: "" }, { env: () => "" });
  await rejects(unasked, NoModelError);
  match(
    await refusal({ provider: "mine", providers: { mine: PRESET } }),
    /"mine" has no base_url: give/,
  );
});

Deno.test("settings of a section count where nothing else is said", async () => {
  const mine = { ...PRESET, base_url: "http://own/", model: "theirs", context_window: 1000 };
  const wish = { provider: "mine", model: "", context_window: undefined, providers: { mine } };
  const own = await resolve(wish);
  deepStrictEqual(
    [own.provider, own.base_url, own.model, own.context_window, own.window_source],
    ["mine", "http://own/v1", "theirs", 1000, "setting"],
  );
  const said = await resolve({
    ...wish,
    model: "other",
    context_window: 2000,
    base_url: "http://x",
  });
  deepStrictEqual([said.base_url, said.model, said.context_window], ["http://x/v1", "other", 2000]);
});

Deno.test("the window is the loaded one, the set one, or 8192 and assumed", async () => {
  await using server = serve({
    "/api/ps": { models: [{ name: "qwen:latest", context_length: 2048 }] },
    "/v1/models": { data: [{ id: "qwen:latest" }, { id: "other:7b" }] },
  });
  const window = async (wish: Partial<Wish>) => {
    const base_url = server.origin;
    const api_mode = "chat_completions" as const;
    const found = await resolve({ base_url, api_mode, context_window: undefined, ...wish });
    return [found.context_window, found.window_known, found.window_source];
  };
  const assumed = [8192, false, "assumed: the server does not say"];
  deepStrictEqual(await window({ model: "" }), [2048, true, "GET /api/ps"]);
  deepStrictEqual(await window({ model: "qwen" }), [2048, true, "GET /api/ps"]);
  deepStrictEqual(await window({ model: "qwen:latest" }), [2048, true, "GET /api/ps"]);
  deepStrictEqual(await window({ model: "other:7b" }), assumed);
  deepStrictEqual(await window({ model: "constructor" }), assumed);
  deepStrictEqual(await window({ model: "", context_window: 512 }), [512, true, "setting"]);
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const { port } = listener.addr as Deno.NetAddr;
  listener.close();
  const base_url = `http://127.0.0.1:${port}`;
  const closed = await resolve({ base_url, context_window: undefined });
  deepStrictEqual([closed.context_window, closed.window_known], [8192, false]);
  strictEqual(closed.window_source, "assumed: not known");
  deepStrictEqual([closed.provider, closed.model], ["openai-compatible", "m"]);
  strictEqual((await resolve({ base_url, api_mode: "ollama_chat" })).provider, "ollama");
});

Deno.test("a server is asked only for what is not known, and a hosted one for nothing", async () => {
  await using server = serve({ "/v1/models": { data: [] } });
  await resolve({ base_url: server.origin });
  strictEqual(server.requests.length, 0);
  const named = await resolve({ base_url: server.origin, model: "" });
  deepStrictEqual([named.model, server.requests.length], ["default", 3]);
  strictEqual(
    (await resolve({ provider: "openai", context_window: undefined })).context_window,
    8192,
  );
  const hosted = await resolve({ provider: "openai", model: "gpt-4o", context_window: undefined });
  deepStrictEqual([hosted.context_window, hosted.window_known], [128_000, true]);
  match(hosted.window_source, /table of 20\d\d/);
});

Deno.test("a server that is slow to say what it is is waited for: nothing depends on how fast it is", async () => {
  await using server = serve_raw(async ({ path, write }) => {
    await sleep(700);
    const props = { default_generation_settings: { n_ctx: 5120 } };
    await write(
      whole(JSON.stringify(path === "/props" ? props : {}), { type: "application/json" }),
    );
  });
  const { context_window } = await resolve({ base_url: server.origin, context_window: undefined });
  strictEqual(context_window, 5120);
});

Deno.test("where no model is named and none can be told, that is said", async () => {
  match(
    await refusal({ provider: "openai", model: "" }),
    /^which model at openai\? choose one with --model/,
  );
  match(
    await refusal({ base_url: "https://openrouter.ai/api", model: "" }),
    /^which model at https:\/\/openrouter\.ai\/api\/v1\?/,
  );
  await using server = serve({ "/api/ps": { models: [] } });
  match(
    await refusal({ base_url: server.origin, model: "" }),
    /^Ollama at http:.* has no model yet: ollama pull /,
  );
});

Deno.test("a key alone is enough to know the provider, where nothing runs here", async () => {
  // What runs on the usual ports of this machine is not for a test to say.
  const taken = [11434, 8080, 9931, 1234, 8000].some((port) => {
    try {
      Deno.listen({ hostname: "127.0.0.1", port }).close();
      return false;
    } catch {
      return true;
    }
  });
  if (taken) return;
  const { HAMR_API_KEY: hamr = "", OPENAI_API_KEY: openai = "", OPENROUTER_API_KEY: router = "" } =
    KEYS;
  strictEqual((await resolve({}, { OPENAI_API_KEY: openai })).provider, "openai");
  const both = { HAMR_API_KEY: hamr, OPENROUTER_API_KEY: router };
  strictEqual(
    await sent({}, both),
    `https://openrouter.ai/api/v1 Bearer ${router} (OPENROUTER_API_KEY)`,
  );
  match(
    await refusal({}, { HAMR_API_KEY: hamr, OPENAI_API_KEY: " " }),
    /^no model found: .*\n.*\n.*\n/,
  );
});

Deno.test("a proxy of the environment is not asked for a server on this machine", async () => {
  await using proxy = serve_raw(({ write }) => write(whole("{}", { status: 502 })));
  await using server = serve({ "/v1/models": { data: [{ id: "a" }] } });
  const program = `
    const { resolve_endpoint } = await import(${
    JSON.stringify(import.meta.resolve("./provider.ts"))
  });
    const { reach } = await import(${JSON.stringify(import.meta.resolve("./reach.ts"))});
    const wish = { provider: "auto", model: "", base_url: Deno.args[0], providers: {} };
    const endpoint = await resolve_endpoint(wish, { env: (name) => Deno.env.get(name) });
    console.log(endpoint.model, endpoint.proxied, (await reach(endpoint)).ok);`;
  const env = { HTTP_PROXY: proxy.origin, http_proxy: proxy.origin, NO_PROXY: "example.com" };
  const config = new URL("../../../deno.json", import.meta.url).pathname;
  for (const host of ["127.0.0.1", "localhost"]) {
    const child = new Deno.Command(Deno.execPath(), {
      args: ["run", "-A", "--no-check", "--config", config, "-", `http://${host}:${server.port}`],
      env,
      ...{ stdin: "piped", stdout: "piped", stderr: "piped" } as const,
    }).spawn();
    await new Blob([program]).stream().pipeTo(child.stdin);
    const [said, wrong] = await Promise.all([child.stdout.text(), child.stderr.text()]);
    strictEqual(said, "a false true\n", wrong);
  }
  strictEqual(proxy.requests.length, 0);
});
