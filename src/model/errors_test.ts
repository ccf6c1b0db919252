import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import {
  field,
  from_error,
  from_status,
  looks_like_html,
  named_window,
  server_words,
  short_line,
  unread_call,
} from "./errors.ts";

const AT = { url: "http://h/v1/chat/completions", key_hint: "set a key in X" };

Deno.test("every status has a kind and a message that says where", () => {
  const kinds: [number, string][] = [
    [300, "bad_request"],
    [301, "bad_request"],
    [308, "bad_request"],
    [400, "bad_request"],
    [401, "auth"],
    [402, "bad_request"],
    [403, "auth"],
    [404, "bad_request"],
    [405, "bad_request"],
    [408, "server"],
    [409, "server"],
    [413, "context_overflow"],
    [422, "bad_request"],
    [425, "server"],
    [429, "server"],
    [500, "server"],
    [502, "server"],
    [503, "server"],
    [504, "server"],
    [529, "server"],
    [599, "server"],
  ];
  for (const [status, kind] of kinds) {
    const error = from_status(status, '{"error":{"message":"so"}}', AT);
    deepStrictEqual([error.kind, error.status], [kind, status]);
    ok(error.message.startsWith(`${AT.url} answered ${status}`), error.message);
  }
});

Deno.test("a message says what to do", () => {
  const error = '{"error":{"message":"so"}}';
  match(from_status(401, error, AT).message, /answered 401: so; set a key in X$/);
  const sentence = '{"error":{"message":"No such key."}}';
  match(from_status(401, sentence, AT).message, /answered 401: No such key; set a key in X$/);
  const challenge = 'Basic realm="x"';
  match(from_status(401, "", { ...AT, challenge }).message, /--base-url http:.*PASSWORD@HOST$/);
  match(
    from_status(404, error, AT).message,
    /: so; is the base URL right, and the model's name \(hamr models\)\?$/,
  );
  const nobody = '{"error":{"message":"当前分组 default 下对于模型 x 无可用渠道"}}';
  match(from_status(503, nobody, AT).message, /渠道; is the base URL right, and the model's name/);
  match(from_status(302, "", AT).message, /a redirect, which is not followed; .*--base-url$/);
  const location = "https://h/v1/chat/completions";
  match(
    from_status(301, "", { ...AT, location }).message,
    /a redirect to https:\/\/h\/v1.*, which/,
  );
});

Deno.test("a wrong key is known where the status is that of a bad request", () => {
  const words: [number, string, string][] = [
    [400, "API key not valid. Please pass a valid API key.", "auth"],
    [400, "API key expired. Please renew the API key.", "auth"],
    [400, "Incorrect API key provided: na***ys. You can obtain an API key from …", "auth"],
    [400, "No connected db.", "auth"],
    [400, "the field api_key is not valid", "bad_request"],
    [400, "tool x: no connected db found", "bad_request"],
    [400, "messages[2]: the API key in your text was redacted", "bad_request"],
  ];
  for (const [status, message, kind] of words) {
    const error = from_status(status, JSON.stringify([{ error: { message } }]), AT);
    strictEqual(error.kind, kind, message);
    strictEqual(error.message.endsWith("; set a key in X"), kind === "auth", message);
  }
});

Deno.test("a server that takes no image is known by its own words", () => {
  const words: [number, string, string][] = [
    [
      500,
      "image input is not supported - hint: if this is unexpected, you may need to provide the mmproj",
      "no_images",
    ],
    [400, "this model does not support image input (ref: b8bd630e)", "no_images"],
    [500, "this model is missing data required for image input", "no_images"],
    [404, "No endpoints found that support image input", "no_images"],
    [400, "Model does not support images. Please use a model that does.", "no_images"],
    [400, "Qwen/Qwen3-8B is not a multimodal model", "no_images"],
    [400, "Invalid content type. image_url is only supported by certain models.", "no_images"],
    [422, "messages[1]: unknown variant `image_url`, expected `text` at line 1", "no_images"],
    [400, "Could not process image", "no_images"],
    [400, "Failed to load image or audio file", "no_images"],
    [401, "no image input for this key", "auth"],
    [429, "Too many requests with image input", "server"],
    [400, "the image field is required", "bad_request"],
    [500, "image_url_cache failed", "server"],
  ];
  for (const [status, message, kind] of words) {
    strictEqual(
      from_status(status, JSON.stringify({ error: { message } }), AT).kind,
      kind,
      message,
    );
  }
});

Deno.test("a prompt that does not fit is known by each server's own words", () => {
  const words = [
    '{"error":{"code":400,"message":"request (1042 tokens) exceeds the available context size (512 tokens), try increasing it","type":"exceed_context_size_error","n_prompt_tokens":1042,"n_ctx":512}}',
    // llama.cpp with several slots, which share its context.
    '{"error":{"code":500,"message":"Context size has been exceeded.","type":"server_error"}}',
    '{"error":{"message":"This model\'s maximum context length is 8192 tokens. However, your messages resulted in 9000 tokens.","type":"invalid_request_error","param":"messages","code":"context_length_exceeded"}}',
    '{"error":{"message":"Please reduce the length of the messages or completion.","code":"context_length_exceeded"}}',
    '{"object":"error","message":"The decoder prompt (length 9000) is longer than the maximum model length of 4096.","type":"BadRequestError","code":400}',
    '{"error":"Trying to keep the first 4573 tokens when context the overflows. However, the model is loaded with context length of only 4096 tokens"}',
    '{"error":"prompt too long; exceeded max context length by 15935 tokens"}',
    '{"error":{"message":"prompt is too long: 221782 tokens > 200000 maximum"}}',
    '{"error":{"message":"input length and `max_tokens` exceed context limit: 199000 + 4096 > 200000"}}',
    // Gemini's Chat Completions put each error into a list.
    '[{"error":{"code":400,"message":"The input token count (1196265) exceeds the maximum number of tokens allowed (1048575)","status":"INVALID_ARGUMENT"}}]',
    '{"error":{"message":"This model\'s maximum prompt length is 131072 but the request contains 140000 tokens."}}',
    '{"error":{"message":"Provider returned error","code":400,"metadata":{"raw":"{\\"error\\":{\\"message\\":\\"maximum context length is 8192\\"}}"}}}',
    "This endpoint's maximum context length is 8192 tokens.",
    "The input (516368 tokens) is longer than the model's context length (262144 tokens).",
    "Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4096. Given: 9000",
    "Input validation error: `inputs` must have less than 4095 tokens. Given: 9000",
    "Please reduce the length of the messages or completion. Current length is 9000 while limit is 8192",
    "Input is too long for requested model.",
    "prompt token count of 200000 exceeds the limit of 128000",
    "Invalid request: Your request exceeded model token limit: 262144 (requested: 291351)",
    "invalid params, context window exceeds limit (2013)",
    "Range of input length should be [1, 30000]",
    "Input length 131393 exceeds the maximum allowed input length of 131040 tokens.",
    '{"error":{"code":"1261","message":"Prompt exceeds max length"}}',
    "too many tokens: total number of tokens in the prompt cannot exceed 4081 - received 4292. Try using a shorter prompt, or enabling prompt truncating.",
    "too many tokens: total number of tokens (prompt and prediction) cannot exceed 2048 - received 6354.",
    "The prompt (total length 25938) is too long to fit into the model (context length 4096).",
    '{"object":"error","message":"max_tokens must be at least 1, got -186.","type":"BadRequestError","param":null,"code":400}',
    '{"error":{"code":400,"message":"Illegal param: prefill 744 tokens exceed n_ctx_per_seq, try increasing total context size"}}',
    // vLLM since 0.15 (also behind LiteLLM), and where it counts characters.
    "You passed 99073 input tokens and requested 32000 output tokens. However, the model's context length is only 131072 tokens, resulting in a maximum input length of 99072 tokens. Please reduce the length of the input prompt. (parameter=input_tokens, value=99073)",
    "You passed 400000 input characters and requested 4096 output tokens. However, the model's context length is only 8192 tokens, resulting in a maximum input length of 4096 tokens (at most 200000 characters).",
    // SGLang
    "Input length (9000 tokens) exceeds the maximum allowed length (8186 tokens). Use a shorter input or enable --allow-auto-truncate.",
    // llama.cpp of 2025 and ik_llama.cpp (ikawrakow/ik_llama.cpp#2051), in the middle of a reply.
    '{"error":{"code":500,"message":"context shift is disabled","type":"server_error"}}',
    // LM Studio
    '{"error":"Reached context length of 4096 tokens with model (arch: gpt-oss) that does not currently support mid-generation context overflow. Try reloading with a larger context length or shortening the prompt/chat."}',
    '{"error":"Cannot truncate prompt with n_keep (9187) >= n_ctx (4096)"}',
    // mistral.rs, TabbyAPI, MLC, LMDeploy, TensorRT-LLM
    "Prompt sequence length is greater than 4096, perhaps consider using `truncate_sequence`?",
    '{"detail":"Prompt length 5000 is greater than max_seq_len 4096"}',
    "Request prompt has 5000 tokens in total, larger than the model input length limit 4096.",
    "The prompt length exceeds the session_len limit",
    "The sum of prompt length (40960), query length (0) should not exceed max_num_tokens (8192)",
    // SiliconFlow, DeepInfra behind OpenRouter, Cloudflare, watsonx, Ark, Nova, Vertex
    '{"code":20015,"message":"length of prompt_tokens (40961) must be less than max_seq_len (32768).","data":null}',
    '{"error":{"message":"Provider returned error","code":400,"metadata":{"raw":"Requested input length 39818 exceeds maximum input length 32767 (via DeepInfra)"}}}',
    '{"errors":[{"message":"AiError: The estimated number of input and maximum output tokens (35000) exceeded this model context window limit (24000)","code":5021}],"success":false,"result":{},"messages":[]}',
    '{"errors":[{"code":"invalid_input_argument","message":"the number of input tokens 4098 cannot exceed the total tokens limit 4096 for this model"}],"status_code":400}',
    "Total tokens of image and text exceed max message tokens. Request id: 02",
    "Input length 131099 exceeds the maximum length 131072. Request id: 02",
    "Input Tokens Exceeded: Number of input tokens exceeds maximum length.",
    '{"Message":"Input is too long for requested model."}',
    "Unable to submit request because the input token count is 1048600 but model only supports up to 1048576.",
    "Too many input tokens. Max input tokens: 128000, request input token count: 140000",
  ];
  for (const body of words) strictEqual(from_status(400, body, AT).kind, "context_overflow", body);
  for (
    const body of [
      "max_tokens exceeds the limit of 8192",
      "Input validation error: `max_new_tokens` must be <= 4096",
      "Expected a string with maximum length 64, but got one with length 90 instead.",
      "image exceeds 5 MB maximum",
      "too many tokens: max tokens must be less than or equal to 4096",
      "max_tokens must be at least 1, got 0.",
      "max_tokens: 64000 > 8192, which is the maximum allowed number of output tokens",
      "The maximum tokens you requested exceeds the model limit of 4096.",
      "This request would exceed your organization's rate limit of 30,000 input tokens per minute.",
      "Number of input tokens has exceeded your per-minute rate limit",
      "Invalid 'input[3].call_id': string too long. Expected a string with maximum length 64, but got 70.",
      "body.max_tokens: Input should be greater than 0",
      "The input image exceeds the maximum length of 8000 pixels",
      "tools.0: input schema exceeds the maximum length",
      "prompt processing exceeded its time limit after 5 tokens",
    ]
  ) strictEqual(from_status(400, body, AT).kind, "bad_request", body);
  // Go's words for a time limit.
  const late = "rpc error: code = DeadlineExceeded desc = context deadline exceeded, length 5";
  strictEqual(from_status(500, late, AT).kind, "server");
  // Of a day's tokens there is nothing to be made shorter.
  strictEqual(
    from_status(402, "Prompt tokens limit exceeded: 26000 > 14000.", AT).kind,
    "bad_request",
  );
  // llama.cpp uses 500 for the client's faults too.
  strictEqual(from_status(500, words[0] ?? "", AT).kind, "context_overflow");
});

Deno.test("what a server or its model has done wrong is no fault of the request", () => {
  for (
    const error of [
      "The model has crashed without additional information. (Exit code: 18446744072635812000)",
      "Model is unloaded.",
      "Model reloaded.",
      'Failed to load model "qwen/qwen3-coder-30b". Error: Operation canceled.',
      {
        message: "tool call validation failed: parameters for tool x did not match schema",
        ...{ type: "invalid_request_error", code: "tool_use_failed" },
      },
      "Failed to generate tool_calls. Please adjust your prompt.",
    ]
  ) {
    strictEqual(
      from_status(400, JSON.stringify({ error }), AT).kind,
      "server",
      JSON.stringify(error),
    );
  }
  for (const error of ["Failed to load image", "The model does not exist"]) {
    strictEqual(from_status(400, JSON.stringify({ error }), AT).kind !== "server", true, error);
  }
});

Deno.test("a call that a server could not read is known by each server's own words", () => {
  const words: [number, string][] = [
    [400, "Failed to generate tool_calls. Please adjust your prompt."],
    // Ollama: of gpt-oss (ollama/ollama#12884), of Qwen (#14834), of GLM (continuedev/continue#10896).
    [500, "error parsing tool call: raw='{\"path\":', err=unexpected end of JSON input"],
    [500, "XML syntax error on line 110: unexpected EOF"],
    [
      500,
      "failed to parse XML: XML syntax error on line 1: element <tool_call> closed by </arg_value>",
    ],
    [500, "element <parameter> closed by </function>"],
    [500, "expected element type <function> but have <parameter>"],
    // llama.cpp, and LM Studio that has it inside (ggml-org/llama.cpp#27025, lmstudio-ai/lmstudio-bug-tracker#2182).
    [500, "The model produced output that does not match the expected peg-native format"],
    [500, "Failed to parse input at pos 12: <tool_call>"],
    // vLLM and gpt-oss (vllm-project/vllm#51977); some versions say 400 (tenstorrent/vllm#386).
    [500, 'unexpected tokens remaining in message header: Some("to=functions.read")'],
    [400, 'unexpected tokens remaining in message header: Some("to=functions.read")'],
  ];
  for (const [status, message] of words) {
    const error = from_status(status, JSON.stringify({ error: { message } }), AT);
    deepStrictEqual([error.kind, unread_call(error)], ["server", message]);
  }
  const in_stream = from_error({ error: words[2]?.[1] }, "http://h/api/chat");
  strictEqual(unread_call(in_stream), words[2]?.[1]);
  for (
    const [status, message, kind] of [
      [500, "Failed to parse tool call arguments as JSON", "bad_request"],
      [500, "out of memory", "server"],
      [400, "Unexpected token 12606 while expecting start token 200006", "server"],
      [400, "tools.0: does not match the expected schema", "bad_request"],
    ] as const
  ) {
    const error = from_status(status, JSON.stringify({ error: { message } }), AT);
    deepStrictEqual([error.kind, unread_call(error)], [kind, undefined], message);
  }
});

Deno.test("words of the request that a server quotes do not make it an overflow", () => {
  const input = { content: "Why is this model's maximum context length 8192?" };
  const body = JSON.stringify({
    detail: [{ type: "missing", loc: ["body", "model"], msg: "Field required", input }],
  });
  const error = from_status(422, body, AT);
  strictEqual(error.kind, "bad_request");
  match(error.message, /answered 422: body\.model: Field required$/);
  const limit =
    '{"error":{"message":"Rate limit: the prompt is too long for 1000 tokens a minute"}}';
  strictEqual(from_status(429, limit, AT).kind, "server");
});

Deno.test("the words of a server, whatever their wrapping", () => {
  const bodies: [string, string][] = [
    ["", "no details"],
    [" \n", "no details"],
    ['{"error":{"message":"a"}}', "a"],
    ['{"error":"b"}', "b"],
    ['{"message":"c"}', "c"],
    ['{"detail":"d"}', "d"],
    ['{"detail":[{"msg":"e"},{"loc":["body",0],"msg":"f"}]}', "e; body.0: f"],
    ['{"error":{"code":1}}', '{"error":{"code":1}}'],
    ['{"message":"400","error":{"message":"g"}}', "g"],
    ['{"errors":[{"code":1,"message":"h"},{"message":"i"}],"messages":[]}', "h; i"],
    ['{"detail":{"error":{"message":"j"}}}', "j"],
    ['{"message":{"detail":[{"loc":["a"],"msg":"k"}]}}', "a: k"],
    ['{"Message":"l"}', "l"],
    ['{"error_code":1,"error_msg":"m"}', "m"],
    ['{"fault":{"faultstring":"n","detail":{"errorcode":"x"}}}', "n"],
    [`${'{"error":'.repeat(5000)}"o"${"}".repeat(5000)}`, `${'{"error":'.repeat(33)}{"…`],
    ["plain\ttext\r\n", "plain text"],
    ["\u001b[31mred\u0007", "[31mred"],
    ["[1]", "[1]"],
    ["null", "null"],
    ["<!DOCTYPE html><html>", "a web page (HTML) instead of JSON"],
    ["\n <!-- x -->\n<HTML lang=en>", "a web page (HTML) instead of JSON"],
    [
      "<html>\n<head><title>413 Request\n Entity Too Large</title></head>",
      'a web page (HTML) instead of JSON, "413 Request Entity Too Large"',
    ],
    ['{"error":', '{"error":'],
    // claude-code-router 2.0.0, recorded, and in the middle of a stream.
    [
      '{"error":{"message":"Error from provider(up,m: 429): {\\"error\\":{\\"message\\":\\"Slow \\\\\\"down\\\\\\".\\",\\"type\\":\\"requests\\",\\"code\\":null}}Error: Error from provider(up,m: 429): {\\"error\\":…\\n    at a (b.js:1:2)","type":"api_error"}}',
      'Error from provider(up,m: 429): Slow "down".',
    ],
    ['{"error":{"message":"{\\"message\\":\\"It crashed\\",\\"code\\":500}"}}', "It crashed"],
    [
      '{"error":{"message":"Provider returned error","metadata":{"raw":"{\\"error\\":{\\"code\\":1,\\"message\\":\\"p\\"}}"}}}',
      "Provider returned error: p",
    ],
    [
      '{"error":"error parsing tool call: raw=\'{\\"message\\":\\"q\\"\', err=unexpected end"}',
      'error parsing tool call: raw=\'{"message":"q"\', err=unexpected end',
    ],
  ];
  for (const [body, words] of bodies) strictEqual(server_words(body), words);
});

Deno.test("an error without a status of its own", () => {
  strictEqual(from_error({ error: {} }, "u").message, 'u reported: {"error":{}}');
  strictEqual(from_error({ error: { code: 400, message: "no" } }, "u").kind, "bad_request");
  strictEqual(from_error({ error: { code: 200, message: "no" } }, "u").kind, "server");
  strictEqual(from_error({ error: { code: "x", message: "no" } }, "u").kind, "server");
  strictEqual(from_error({ error: { code: 403, message: "no" } }, "u").status, null);
});

Deno.test("one line is one line, of whole characters, and short", () => {
  strictEqual(short_line("a\n b\u0000\u009f c"), "a b c");
  strictEqual(short_line("x".repeat(300)).length, 300);
  strictEqual(short_line("x".repeat(301)), `${"x".repeat(299)}…`);
  for (const pad of ["", "x"]) {
    const cut = short_line(pad + "😀".repeat(400));
    ok(cut.isWellFormed() && cut.endsWith("😀…") && cut.length <= 300);
  }
  strictEqual(short_line("\ud800"), "\ufffd");
  const began = performance.now();
  short_line(" x".repeat(8_000_000));
  ok(performance.now() - began < 10_000);
});

Deno.test("a web page is known by its beginning", () => {
  const comments = "<!-- a -->\n<!---->".repeat(50_000);
  const pages = [
    "<html",
    "<!doctype html>",
    " \ufeff<HEAD>",
    "<body class=x>",
    "<!-- <a -->\n<Body>",
  ];
  for (const page of [...pages, `${comments}<html>`]) ok(looks_like_html(page), page);
  for (const other of ["", "{}", "<think>", "x <html>", "<?xml", `${comments}<p>`, "<!--<html>"]) {
    ok(!looks_like_html(other), other);
  }
});

Deno.test("a field of anything", () => {
  strictEqual(field({ a: 1 }, "a"), 1);
  for (const value of [null, undefined, 5, "a", {}]) strictEqual(field(value, "a"), undefined);
});

Deno.test("named_window() reads the window out of what servers say of a request that is too long", () => {
  const cases: readonly (readonly [string, number | null])[] = [
    [
      "This model's maximum context length is 4096 tokens. However, you requested 5140 tokens",
      4096,
    ],
    ["is longer than the maximum model length of 2048", 2048],
    [
      "input length and `max_tokens` exceed context limit: 199000 + 4096 > 200000, decrease",
      200000,
    ],
    ["`inputs` tokens + `max_new_tokens` must be <= 4096. Given: 1044 `inputs` tokens", 4096],
    [
      "request (1042 tokens) exceeds the available context size (512 tokens), try increasing it",
      512,
    ],
    ["the model's context length is only 131072 tokens, resulting in a maximum input", 131072],
    ["Reached context length of 4096 tokens with model (arch: gpt-oss)", 4096],
    ["longer than the model's context length (262144 tokens).", 262144],
    ["length of prompt_tokens (40961) must be less than max_seq_len (32768).", 32768],
    ["exceeded this model context window limit (24000)", 24000],
    ["prompt is too long: 221782 tokens > 200000 maximum", null],
    ["Input is too long for requested model.", null],
  ];
  for (const [message, tokens] of cases) strictEqual(named_window(message), tokens, message);
});
