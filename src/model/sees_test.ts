import { strictEqual } from "node:assert/strict";
import { serve_raw, whole } from "./_testing.ts";
import { resolve_endpoint, type Wish } from "./server/provider.ts";

const WISH: Wish = {
  provider: "auto",
  model: "m",
  base_url: "",
  api_mode: "chat_completions",
  context_window: undefined,
  ollama: { task: "", max_output_tokens: 0, max_num_ctx: 0, keep_alive: "" },
  providers: {},
  base_url_untrusted: false,
};

const props = (modalities: unknown) => ({
  "/props": { default_generation_settings: { n_ctx: 4096 }, modalities },
});
const ollama = (capabilities: unknown) => ({
  "/api/ps": { models: [] },
  "/v1/models": { data: [{ id: "m", owned_by: "library" }] },
  "/api/tags": { models: [{ name: "m" }] },
  "/api/show": { capabilities, model_info: {} },
});
const lm_studio = {
  "/v1/models": { data: [{ id: "m", owned_by: "organization_owner" }] },
  "/api/v0/models": { data: [{ id: "m", type: "llm" }, { id: "v", type: "vlm" }] },
};

const CASES: readonly (readonly [what: string, answers: object, model: string, sees?: boolean])[] =
  [
    ["llama.cpp that sees", props({ vision: true }), "m", true],
    ["llama.cpp that does not", props({ vision: false }), "m", false],
    ["llama.cpp that does not say", props(undefined), "m"],
    ["Ollama that sees", ollama(["completion", "vision"]), "m", true],
    ["Ollama that does not", ollama(["completion", "tools"]), "m", false],
    ["LM Studio, a model that does not", lm_studio, "m", false],
    ["LM Studio, one that sees", lm_studio, "v", true],
    ["LM Studio, one that it does not know", lm_studio, "none"],
  ];

for (const [what, answers, model, sees] of CASES) {
  Deno.test(`whether a model can see is known where its server says so: ${what}`, async () => {
    await using server = serve_raw(({ path, write }) => {
      const found = (answers as Readonly<Record<string, unknown>>)[path];
      const status = found === undefined ? 404 : 200;
      return write(whole(JSON.stringify(found ?? {}), { status, type: "application/json" }));
    });
    const wish = { ...WISH, model, base_url: `${server.origin}/v1` };
    strictEqual((await resolve_endpoint(wish, { env: () => undefined })).sees, sees);
  });
}
