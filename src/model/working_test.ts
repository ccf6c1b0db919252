import { deepStrictEqual } from "node:assert/strict";
import { is_working } from "./working.ts";

/** What a server answers by path. */
type Answers = Readonly<Record<string, unknown>>;

const SLOT = { id: 0, n_ctx: 8192, is_processing: false };
const SLOTS = "/slots?model=m%2Fx&autoload=false";
/** What the server answers (null: it is gone), what `hamr` knows of it, and whether it works: strictly, and at all. */
const CASES:
  readonly (readonly [string, Answers | null, Record<string, unknown>, [boolean, boolean]])[] = [
    [
      "Ollama writes",
      { "/api/ps": { models: [{ name: "m/x:latest" }] } },
      { api_mode: "ollama_chat" },
      [true, true],
    ],
    ["Ollama loads, or its runner has died", { "/api/ps": { models: [] } }, {
      api_mode: "ollama_chat",
    }, [false, true]],
    ["Ollama behind /v1", { "/api/ps": { models: [{ name: "m/x" }] } }, { server: "ollama" }, [
      true,
      true,
    ]],
    ["no Ollama at all", null, { api_mode: "ollama_chat" }, [false, false]],
    [
      "llama.cpp writes",
      {
        "/health": { status: "ok" },
        [SLOTS]: [SLOT, { ...SLOT, is_processing: true }],
      },
      { server: "llama.cpp" },
      [true, true],
    ],
    ["llama.cpp has nothing to do", { "/health": { status: "ok" }, [SLOTS]: [SLOT] }, {
      server: "llama.cpp",
    }, [false, true]],
    [
      "llama.cpp with --no-slots",
      {
        "/health": { status: "ok" },
        [SLOTS]: { error: { code: 501, message: "This server does not support slots endpoint." } },
      },
      { server: "llama.cpp" },
      [true, true],
    ],
    ["llama.cpp that says nothing of itself", {}, { server: "llama.cpp" }, [true, true]],
    ["no llama.cpp at all", null, { server: "llama.cpp" }, [false, false]],
    // Nobody knows how to ask it: it may take its time before it begins, and then the limit is what there is.
    ["any other", { "/v1/models": { data: [] } }, { server: "vllm" }, [false, true]],
  ];

for (const [name, answers, known, expected] of CASES) {
  Deno.test(`is_working(): ${name}`, async () => {
    const server = Deno.serve(
      { hostname: "127.0.0.1", port: 0, onListen: () => {} },
      ({ url }) => {
        const { pathname, search } = new URL(url);
        const answer = answers?.[pathname + search];
        return answer === undefined ? new Response("no", { status: 404 }) : Response.json(answer);
      },
    );
    const endpoint = {
      api_mode: "chat_completions" as const,
      base_url: `http://127.0.0.1:${server.addr.port}/v1`,
      headers: {},
      model: "m/x",
      ...known,
    };
    if (answers === null) await server.shutdown();
    const found = [
      await is_working(endpoint, { strict: true }),
      await is_working(endpoint, { strict: false }),
    ];
    if (answers !== null) await server.shutdown();
    deepStrictEqual(found, expected);
  });
}
