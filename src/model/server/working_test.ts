import { deepStrictEqual } from "node:assert/strict";
import { is_working } from "./working.ts";

/** What a server answers by path. */
type Answers = Readonly<Record<string, unknown>>;

const SLOT = { id: 0, n_ctx: 8192, is_processing: false };
const SLOTS = "/slots?model=m%2Fx&autoload=false";
const SWAP = { server: "llama-swap" };
const running = (model: string, state: string) => ({ running: [{ model, state }] });
const ELSEWHERE = "http://gpu.invalid:8000/v1";

/** As vLLM writes them; what is named so has that value. */
const metrics = (name: string, value: string) =>
  `# HELP vllm:num_preemptions_total Cumulative number of preemptions.
vllm:num_preemptions_total{engine="0",model_name="m/x"} 3.0
vllm:num_requests_running{engine="0",model_name="m/x"} 0.0
# TYPE ${name} gauge
${name}{engine="0",model_name="m/x"} ${value}
tgi_queue_size 0
`;

/** What the server answers (null: it is gone), what `hamr` knows of it, and whether it works: in a reply, after signs, before any. */
const CASES: readonly (readonly [
  string,
  Answers | null,
  Record<string, unknown>,
  [boolean, boolean, boolean],
])[] = [
  [
    "Ollama writes",
    { "/api/ps": { models: [{ name: "m/x:latest" }] } },
    { api_mode: "ollama_chat" },
    [true, true, true],
  ],
  ["Ollama has loaded nothing, or its runner has died", { "/api/ps": { models: [] } }, {
    api_mode: "ollama_chat",
  }, [false, true, false]],
  ["Ollama serves another model first", { "/api/ps": { models: [{ name: "other" }] } }, {
    api_mode: "ollama_chat",
  }, [false, true, true]],
  ["Ollama behind /v1", { "/api/ps": { models: [{ name: "m/x" }] } }, { server: "ollama" }, [
    true,
    true,
    true,
  ]],
  ["no Ollama at all", null, { api_mode: "ollama_chat" }, [false, false, false]],
  [
    "llama.cpp writes",
    {
      "/health": { status: "ok" },
      [SLOTS]: [SLOT, { ...SLOT, is_processing: true }],
    },
    { server: "llama.cpp" },
    [true, true, true],
  ],
  ["llama.cpp has nothing to do", { "/health": { status: "ok" }, [SLOTS]: [SLOT] }, {
    server: "llama.cpp",
  }, [false, false, false]],
  [
    "llama.cpp with --no-slots",
    {
      "/health": { status: "ok" },
      [SLOTS]: { error: { code: 501, message: "This server does not support slots endpoint." } },
    },
    { server: "llama.cpp" },
    [true, true, true],
  ],
  ["llama.cpp that says nothing of itself", {}, { server: "llama.cpp" }, [false, true, true]],
  ["no llama.cpp at all", null, { server: "llama.cpp" }, [false, false, false]],
  ["KoboldCpp writes", { "/api/extra/perf": { idle: 0 } }, { server: "koboldcpp" }, [
    true,
    true,
    true,
  ]],
  ["KoboldCpp has nothing to do", { "/api/extra/perf": { idle: 1 } }, { server: "koboldcpp" }, [
    false,
    true,
    false,
  ]],
  ...[
    ["vllm", "vllm:num_requests_running", "vllm:num_requests_waiting"],
    ["sglang", "sglang:num_running_reqs", "sglang:num_queue_reqs"],
    ["tgi", "tgi_batch_current_size", "tgi_queue_size"],
  ].flatMap(([server, serves, queues]): (typeof CASES)[number][] => [
    [`${server} serves`, { "/metrics": metrics(serves!, "1.0") }, { server }, [true, true, true]],
    [`${server} has a queue`, { "/metrics": metrics(queues!, "10.0") }, { server }, [
      true,
      true,
      true,
    ]],
    [`${server} has nothing to do`, { "/metrics": metrics(serves!, "0.0") }, { server }, [
      false,
      true,
      false,
    ]],
  ]),
  ["llama-swap starts a model", { "/running": running("other", "starting") }, SWAP, [
    true,
    true,
    true,
  ]],
  ["llama-swap runs another", { "/running": running("other", "ready") }, SWAP, [
    false,
    true,
    false,
  ]],
  ...[true, false].map((is_processing): (typeof CASES)[number] => [
    `llama-swap before a llama.cpp that ${is_processing ? "works" : "does not"}`,
    {
      "/running": running("m/x", "ready"),
      "/upstream/m/x/slots": [SLOT, { ...SLOT, is_processing }],
    },
    SWAP,
    [is_processing, true, is_processing],
  ]),
  [
    "llama-swap before a vLLM that works",
    {
      "/running": running("m/x", "ready"),
      "/upstream/m/x/metrics": metrics("vllm:num_requests_running", "2.0"),
    },
    SWAP,
    [true, true, true],
  ],
  ...[true, false].map((loaded): (typeof CASES)[number] => [
    `LM Studio that has ${loaded ? "a model" : "none"} loaded`,
    {
      "/v1/models": { data: [{ id: "m/x", owned_by: "organization_owner" }] },
      "/api/v1/models": {
        models: [{
          key: "m/x",
          type: "llm",
          max_context_length: 32_768,
          loaded_instances: loaded ? [{ id: "m/x", config: { context_length: 8192 } }] : [],
        }],
      },
    },
    { server: "lmstudio" },
    [false, true, loaded],
  ]),
  ["no LM Studio at all", null, { server: "lmstudio" }, [false, true, false]],
  // Nobody knows how to ask it: it has to give a sign of itself.
  ["any other", { "/v1/models": { data: [] } }, { server: "localai" }, [false, true, false]],
  ["one elsewhere that has said what it is", null, { server: "vllm", base_url: ELSEWHERE }, [
    false,
    true,
    false,
  ]],
  ["a hosted one", null, { base_url: ELSEWHERE }, [false, false, false]],
  ["a gateway elsewhere", null, { server: "openai-compatible", base_url: ELSEWHERE }, [
    false,
    false,
    false,
  ]],
];

for (const [name, answers, known, expected] of CASES) {
  Deno.test(`is_working(): ${name}`, async () => {
    const server = Deno.serve(
      { hostname: "127.0.0.1", port: 0, onListen: () => {} },
      ({ url }) => {
        const { pathname, search } = new URL(url);
        const answer = answers?.[pathname + search];
        if (answer === undefined) return Response.json({ error: "no" }, { status: 404 });
        return typeof answer === "string" ? new Response(answer) : Response.json(answer);
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
    const found: boolean[] = [];
    for (const heard of ["reply", "signs", "nothing"] as const) {
      found.push(await is_working(endpoint, { heard, patient: false }));
    }
    // Who can't be asked is waited for the second time.
    const patient = await is_working(endpoint, { heard: "nothing", patient: true });
    deepStrictEqual(patient, name === "any other" || expected[2]);
    if (answers !== null) await server.shutdown();
    deepStrictEqual(found, expected);
  });
}
