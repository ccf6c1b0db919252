/** The settings of config/samples: each loads, leads to its model with its key, and is in docs/providers.md. */
import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { each } from "./support/hamr.ts";
import { ANSWER } from "./support/model_server.ts";
import { stage } from "./support/stage.ts";
import { CA_FILE } from "./support/tls.ts";

const FOLDER = new URL("../config/samples/", import.meta.url);
const PAGE = Deno.readTextFileSync(new URL("../docs/providers.md", import.meta.url));

/** What comes to the server: the model, and the key as authorization. */
interface Asked {
  readonly model: string;
  /** The variable that the page says to set; null for none. */
  readonly key: string | null;
}

const SAMPLES: Readonly<Record<string, Asked>> = {
  ollama: { model: "qwen2.5-coder:7b", key: null },
  llama_cpp: { model: "scripted", key: null },
  lm_studio: { model: "qwen/qwen3-coder-30b", key: null },
  vllm: { model: "Qwen/Qwen3-Coder-30B-A3B-Instruct", key: null },
  openai: { model: "gpt-5-mini", key: "OPENAI_API_KEY" },
  anthropic: { model: "claude-haiku-4-5", key: "ANTHROPIC_API_KEY" },
  openrouter: { model: "qwen/qwen3-coder", key: "OPENROUTER_API_KEY" },
  compatible: { model: "NAME", key: "MY_SERVER_KEY" },
  vision: { model: "qwen2.5-coder:7b", key: null },
  company: { model: "NAME", key: null },
};

/** Each variable of a key, and what is in it. */
const KEYS = Object.fromEntries(
  Object.values(SAMPLES).flatMap(({ key }) => key === null ? [] : [[key, `key-of-${key}`]]),
);

Deno.test("every sample of settings loads, is in the page, and is used as the page says", async () => {
  const names = [...Deno.readDirSync(FOLDER)].map(({ name }) => name.replace(/\.toml$/, ""));
  assert.deepEqual(names.toSorted(), Object.keys(SAMPLES).toSorted());
  await each(
    Object.entries(SAMPLES),
    ([name, { model, key }]) =>
      stage({ llama_ctx: 16384 }, async (s) => {
        const file = fileURLToPath(new URL(`${name}.toml`, FOLDER));
        const text = Deno.readTextFileSync(file);
        assert.ok(PAGE.includes(`\`\`\`toml\n${text}\`\`\`\n`), `${name} is not in the page`);
        if (key !== null) assert.ok(PAGE.includes(`    export ${key}=...`), key);
        s.home.write("company-ca.pem", Deno.readTextFileSync(CA_FILE));
        // The scripted server speaks one protocol; which one a provider speaks is tested elsewhere.
        const there = ["--base-url", s.server.url, "--api-mode", "chat_completions"];
        const args = ["run", "--json", "--config", file, ...there, "What is it?"];
        const { result } = await s.inside(args, { env: KEYS });
        assert.deepEqual([result.exit_code, result.final_output], [0, ANSWER], name);
        assert.deepEqual(result.warnings, [], name);
        const [request] = s.server.requests;
        assert.equal(request?.body.model, model);
        const sent = request?.headers.get("authorization") ?? null;
        assert.equal(sent, key === null ? null : `Bearer ${KEYS[key]}`);
        assert.equal(request?.headers.get("x-team"), name === "company" ? "tools" : null);
      }),
  );
});
