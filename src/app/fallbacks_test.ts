import { deepEqual } from "node:assert/strict";
import { parse } from "../cli/args/args.ts";
import { check_fallbacks } from "./fallbacks.ts";
import { load_settings } from "./settings.ts";

Deno.test("check_fallbacks() warns of a model that wants a key and has none, and of no other", async () => {
  const root = Deno.realPathSync(Deno.makeTempDirSync());
  try {
    const file = `${root}/own.toml`;
    Deno.writeTextFileSync(
      file,
      `[providers.company]
base_url = "https://api.openai.com/v1"
api_key_env = "COMPANY_KEY"
[providers.vault]
base_url = "https://api.openai.com/v1"
api_key_cmd = "echo key"
[providers.local]
base_url = "http://127.0.0.1:9/v1"
`,
    );
    const told = async (spec: string, environ: Record<string, string> = {}) => {
      const argv = ["run", "-C", root, "--config", file, "--fallback", spec, "--fallback", spec];
      const all = { HOME: root, PATH: Deno.env.get("PATH") ?? "", ...environ };
      return await check_fallbacks(await load_settings(parse(argv), { environ: () => all }));
    };
    const none = (named: string, variable: string) => [
      `${named} can't be used: it needs a key, and none is set: set it in ${variable}`,
    ];
    deepEqual(await told("openai/m"), none("openai/m", "OPENAI_API_KEY"));
    deepEqual(await told("anthropic/a/b"), none("anthropic/a/b", "ANTHROPIC_API_KEY"));
    deepEqual(await told("openai/m", { OPENAI_API_KEY: "k" }), []);
    deepEqual(await told("company/m", { COMPANY_KEY: "k" }), []);
    for (const spec of ["vault/m", "local/m", "ollama/m"]) deepEqual(await told(spec), [], spec);
    // Who is in between may add the key.
    deepEqual(await told("openai/m", { HTTPS_PROXY: "http://127.0.0.1:9" }), []);
    deepEqual(await told("openai/m", { OPENAI_BASE_URL: "http://127.0.0.1:9/v1" }), []);
  } finally {
    Deno.removeSync(root, { recursive: true });
  }
});
