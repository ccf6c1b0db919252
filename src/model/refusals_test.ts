import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { from_status } from "./errors.ts";
import { PHRASES, refusal_of, type RefusedPart } from "./refusals.ts";

/** What servers have really said, and by whom or where it is told. */
const SAID:
  readonly (readonly [RefusedPart, readonly (readonly [words: string, source: string])[]])[] = [
    ["chat_completions", [
      [
        "Function tools with reasoning_effort are not supported for gpt-5.4 in /v1/chat/completions. Please use /v1/responses instead.",
        "OpenAI (pipecat-ai/pipecat#4043, charmbracelet/crush#2913)",
      ],
      [
        "Function tools with reasoning_effort are not supported for gpt-5.6-terra in /v1/chat/completions. To use function tools, use /v1/responses or set reasoning_effort to 'none'.",
        "OpenAI, without any effort in the request, too (BerriAI/litellm#34569)",
      ],
      [
        "This model is only supported in v1/responses and not in v1/chat/completions.",
        "OpenAI, 404 (openai/codex#1306)",
      ],
      [
        "This is not a chat model and thus not supported in the v1/chat/completions endpoint. Did you mean to use v1/completions?",
        "OpenAI, 404, of gpt-5.3-codex (egoist/chatwise-releases#1256)",
      ],
      [
        "model gpt-5.3-codex is not accessible via the /chat/completions endpoint",
        "Copilot (caozhiyuan/copilot-api#102)",
      ],
    ]],
    ["max_tokens", [[
      "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
      "OpenAI (teilomillet/gollm#33, anomalyco/opencode#37964)",
    ]]],
    ["temperature", [
      [
        "Unsupported value: 'temperature' does not support 0.2 with this model. Only the default (1) value is supported.",
        "OpenAI (holoviz/lumen#1087)",
      ],
      [
        "`temperature` may only be set to 1 when thinking is enabled. Please consult our documentation",
        "Anthropic (MartialBE/one-hub#529)",
      ],
      ["temperature is not supported when thinking is enabled", "danny-avila/LibreChat#11949"],
    ]],
    ["reasoning_effort", [
      [
        "Unrecognized request argument supplied: reasoning_effort",
        "OpenAI (davidmigloz/langchain_dart#712)",
      ],
      [
        "Argument not supported on this model: reasoningEffort",
        "xAI (charmbracelet/crush#386)",
      ],
      [
        "does not support parameter reasoningEffort",
        "xAI (NousResearch/hermes-agent#23088)",
      ],
      [
        "litellm.UnsupportedParamsError: together_ai does not support parameters: ['reasoning_effort'], for model=Qwen/Qwen3.5-9B.",
        "LiteLLM (BerriAI/litellm#38263)",
      ],
      [
        "Unsupported parameter: 'reasoning.effort' is not supported with this model.",
        "OpenAI's Responses API, gpt-4.1 (BoundaryML/baml#2708)",
      ],
      ['"llama3.1:8b" does not support thinking', "Ollama (Gitlawb/openclaude#1371)"],
      ['think value "medium" is not supported for this model', "Ollama (ollama/ollama#12561)"],
    ]],
    ["stream_options", [
      ["Unknown parameter: 'stream_options'.", "gateways (QuantumNous/new-api#418)"],
      [
        "body.stream_options.include_usage: Extra inputs are not permitted",
        "Mistral (openai/openai-agents-python#442)",
      ],
      [
        "The 'stream_options' parameter is only allowed when 'stream' is enabled.",
        "OpenAI behind LiteLLM (BerriAI/litellm#5803)",
      ],
    ]],
    ["tools", [
      [
        "registry.ollama.ai/library/smol:latest does not support tools",
        "Ollama 0.17.4, recorded",
      ],
      ["`tool calling` is not supported with this model", "Groq (vercel/ai#11516)"],
      [
        "tools is not supported in this model. For a list of supported models, refer to https://platform.openai.com/docs/guides/function-calling",
        "OpenAI, gpt-5-chat-latest (sbintuitions/flexeval#242)",
      ],
      [
        "Function calling is not enabled for models/gemma-3-12b-it",
        "Gemini (agno-agi/agno#3505, BerriAI/litellm#10313)",
      ],
      [
        "Invalid request content: The model does not support tool use or function calling but tools or tool_choice have been specified on the request.",
        "xAI (google/adk-python#952)",
      ],
      [
        'No endpoints found that support tool use. Try disabling "question".',
        "OpenRouter, 404 (Kilo-Org/kilocode#9006)",
      ],
      [
        '"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set',
        "vLLM (vllm-project/vllm#9986)",
      ],
      ["tools param requires --jinja flag", "llama.cpp, 500 (containers/ramalama#988)"],
      ["Unsupported param: tools", "llama.cpp, 500 (ggml-org/llama.cpp#10920)"],
      [
        "Unable to generate parser for this template. Automatic parser generation failed: JSON schema error at #/properties/a: unrecognized type strnig",
        "llama.cpp 0c1e570, recorded: its grammar can't express a tool, such as one of an MCP server",
      ],
      [
        "Invalid schema for function 'spacelift_local_preview': In context=('properties', 'targets'), array schema missing items.",
        "OpenAI, of an MCP server's tool (spacelift-io/spacectl#402)",
      ],
      [
        "tools.78.custom.input_schema: input_schema does not support oneOf, allOf, or anyOf at the top level",
        "Anthropic, of one (cloudflare/mcp-server-cloudflare#224)",
      ],
      [
        "* GenerateContentRequest.tools[0].function_declarations[80].parameters.properties[data].properties: only allowed for OBJECT type",
        "Gemini, of one (anomalyco/opencode#11889)",
      ],
    ]],
    ["tool_choice", [
      [
        "deepseek-reasoner does not support this tool_choice",
        "DeepSeek (vectorize-io/hindsight#1286)",
      ],
      [
        "Thinking mode does not support this tool_choice",
        "DeepSeek (can1357/oh-my-pi#7315)",
      ],
    ]],
    ["no_reasoning", [
      [
        "Missing `reasoning_content` field in the assistant message at message index 2. For more information, please refer to https://api-docs.deepseek.com/guides/thinking_mode#tool-calls",
        "DeepSeek's V3.2 (openai/openai-agents-python#2155)",
      ],
      [
        "thinking is enabled but reasoning_content is missing in assistant tool call message at index 2",
        "Kimi (anomalyco/opencode#16318, continuedev/continue#11711)",
      ],
      [
        "The `reasoning_content` in the thinking mode must be passed back to the API.",
        "DeepSeek (earendil-works/pi#3636)",
      ],
      [
        "The `content[].thinking` in the thinking mode must be passed back to the API.",
        "DeepSeek, as Anthropic's protocol (NousResearch/hermes-agent#22313)",
      ],
      [
        "litellm.BadRequestError: OpenAIException - messages[51]: assistant message with tool_calls must include reasoning_content. Received Model Group=deepseek-v4-pro",
        "LiteLLM (esengine/DeepSeek-Reasonix#6173)",
      ],
    ]],
    ["empty_text", [
      [
        "The text field in the ContentBlock object at messages.3.content.0 is blank. Add text to the text field, and try again.",
        "Bedrock behind a gateway (OpenHands/OpenHands#5722, agentjido/jido_ai#215)",
      ],
      ["messages: text content blocks must be non-empty", "Anthropic behind one"],
    ]],
    ["returned", [
      ["The encrypted content gAAA...c90= could not be verified.", "OpenAI (openai/codex#8119)"],
      [
        "messages.1.content.0: Invalid `signature` in `thinking` block",
        "Anthropic, after another provider (can1357/oh-my-pi#6379)",
      ],
      [
        "messages.49.content.13: `thinking` or `redacted_thinking` blocks in the latest assistant message cannot be modified. These blocks must remain as they were in the original response.",
        "Anthropic (anomalyco/opencode#41738)",
      ],
      ["Corrupted thought signature.", "Gemini (google-gemini/gemini-cli#13467)"],
      ["Unable to submit request because Thought signature is not valid", "decolua/9router#301"],
      [
        "Item 'rs_1' of type 'reasoning' was provided without its required following item.",
        "OpenAI (continuedev/continue#8933)",
      ],
      [
        "messages.2.assistant.reasoning_details: property 'messages.2.assistant.reasoning_details' is unsupported",
        "Cerebras, of another field (Kilo-Org/kilocode#10375)",
      ],
    ]],
    ["unsigned_calls", [
      [
        "Function call is missing a thought_signature in functionCall parts. This is required for tools to work correctly, and missing thought_signature may lead to degraded model performance.",
        "Gemini (openai/openai-python#2758)",
      ],
      [
        "Unable to submit request because function call `default_api:x` in the 2. content block is missing a `thought_signature`.",
        "Vertex AI (UKGovernmentBEIS/inspect_ai#2838)",
      ],
    ]],
    ["call_ids", [
      [
        "Unable to generate parser for this template. Automatic parser generation failed: Error: Jinja Exception: Tool call IDs should be alphanumeric strings with length 9!",
        "llama.cpp 0c1e570 with the templates of Mistral Nemo and Small 3.2, recorded",
      ],
      [
        "Tool call id was call_0fypS1hVX but must be a-z, A-Z, 0-9, with a length of 9.",
        "Mistral's own service (karthink/gptel#1203, anomalyco/opencode#1680)",
      ],
      [
        "messages.1.content.1.tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'",
        "Anthropic, of Kimi's functions.bash:0 (maximhq/bifrost#5097, tailcallhq/forgecode#1142)",
      ],
      [
        "Invalid 'messages[2].tool_calls[0].id': string too long. Expected a string with maximum length 40, but got a string with length 64 instead.",
        "OpenAI, after another provider (vercel/ai#5171, anomalyco/opencode#12653)",
      ],
      ["Invalid 'input[3].call_id': string too long. Expected …", "its Responses API"],
    ]],
    ["several_calls", [[
      "Unable to generate parser for this template. Automatic parser generation failed: Error: Jinja Exception: This model only supports single tool-calls at once!",
      "llama.cpp 0c1e570 with the templates of Llama 3.1, 3.2 and 3.3, recorded",
    ]]],
    ["stream", [
      [
        "Cannot use tools with stream",
        "llama.cpp before its #12379, by 500 (simonw/llm-llama-server#3, containers/ramalama#1431, danny-avila/LibreChat#7408)",
      ],
      [
        "Automatic streaming tool choice is not supported",
        "llama-cpp-python 0.3.36 with --chat_format chatml-function-calling, in its log",
      ],
      [
        "This model doesn't support tool use in streaming mode.",
        "Bedrock, which takes them in one piece (langchain-ai/langchain-aws#447, earendil-works/pi#3739)",
      ],
      [
        "Your organization must be verified to stream this model. Please go to: https://platform.openai.com/settings/organization/general and click on Verify Organization.",
        "OpenAI (charmbracelet/crush#422, lobehub/lobehub#9385)",
      ],
      [
        "Unsupported value: 'stream' does not support true with this model. Only the default (false) value is supported.",
        "OpenAI (ChatGPTNextWeb/NextChat#5410)",
      ],
    ]],
    ["one_piece", [
      [
        "parameter.enable_thinking must be set to false for non-streaming calls",
        "DashScope (langchain4j/langchain4j#3974, vybestack/llxprt-code#229)",
      ],
      [
        "enable thinking can not be support when `stream=False`.",
        "ModelScope (musistudio/claude-code-router#948)",
      ],
    ]],
    ["text_with_calls", [[
      "Assistant message must have either content or tool_calls, but not both.",
      "Mistral (langchain-ai/langchain#21196), mistral_common (mistralai/mistral-common#186)",
    ]]],
    ["system_name", [
      [
        "Unsupported value: 'messages[0].role' does not support 'system' with this model.",
        "OpenAI, o1, which takes 'developer' (agno-agi/agno#1621), and o1-mini, which does not",
      ],
    ]],
    ["system", [
      ["System role not supported", "Gemma 2's template: vLLM (vllm-project/vllm#2964), SGLang"],
      [
        "Only user and assistant roles are supported!",
        "Mistral 7B's template: LM Studio (Mintplex-Labs/anything-llm#2914), MLC",
      ],
      [
        "Unsupported value: 'messages[0].role' does not support 'developer' with this model.",
        "OpenAI, o1-mini (QuantumNous/new-api#847)",
      ],
      [
        "developer is not one of ['system', 'assistant', 'user', 'tool', 'function'] - 'messages.['0].role'",
        "DashScope (haru/redmine_ai_helper#242)",
      ],
      [
        "Developer instruction is not enabled for models/gemini-2.0-flash-exp",
        "Google (QuantumNous/new-api#989)",
      ],
    ]],
  ];

const AT = { url: "http://h/v1/chat/completions", key_hint: "" };

function refused(status: number, body: unknown): string | null {
  return refusal_of(from_status(status, JSON.stringify(body), AT));
}

Deno.test("each server's own words are known for what they refuse, and for nothing else", () => {
  deepStrictEqual(
    new Set(SAID.map(([refusal]) => refusal)),
    new Set(PHRASES.map((one) => one.refusal)),
  );
  for (const [refusal, said] of SAID) {
    for (const [words, source] of said) {
      strictEqual(refused(400, { error: { message: words } }), refusal, source);
      const fitting = PHRASES.filter((phrase) => phrase.words.test(words));
      deepStrictEqual(fitting.map((phrase) => phrase.refusal), [refusal], source);
    }
  }
});

function recorded(name: string, folder = "templates"): unknown {
  const url = new URL(`../../tests/wire/${folder}/${name}.body`, import.meta.url);
  return JSON.parse(Deno.readTextFileSync(url));
}

Deno.test("what templates refuse, in llama.cpp's words", () => {
  const cases: readonly (readonly [string, number, string])[] = [
    ["nemo-ids", 400, "call_ids"],
    ["llama31-two-calls", 400, "several_calls"],
    ["small32-user-after-result", 400, "tools"],
    ["ministral3-user-after-result", 500, "tools"],
  ];
  for (const [name, status, refusal] of cases) {
    const error = from_status(status, JSON.stringify(recorded(name)), AT);
    strictEqual(refusal_of(error), refusal, name);
    // Calls in text take turns; what still refuses them has no place for a system message.
    const next = refusal_of(error, new Set([refusal_of(error)!]));
    strictEqual(next, refusal === "tools" ? "system" : null, name);
  }
});

Deno.test("tools that llama.cpp's grammar can't express are called in text", () => {
  for (const name of ["tiny-badschema", "tiny-badschema-stream", "tiny-ref"]) {
    strictEqual(refused(400, recorded(name, "llama.cpp")), "tools", name);
  }
});

Deno.test("bodies as they came", () => {
  const bodies: readonly (readonly [number, unknown, string | null])[] = [
    [400, { error: "registry.ollama.ai/library/smol:latest does not support tools" }, "tools"],
    [500, {
      error: { code: 500, message: "tools param requires --jinja flag", type: "server_error" },
    }, "tools"],
    [422, {
      object: "error",
      message: {
        detail: [{
          type: "extra_forbidden",
          loc: ["body", "stream_options", "include_usage"],
          msg: "Extra inputs are not permitted",
          input: true,
        }],
      },
      type: "invalid_request_error",
    }, "stream_options"],
    [400, {
      object: "error",
      message: "System role not supported",
      type: "BadRequestError",
      code: 400,
    }, "system"],
    [404, { error: { message: "No endpoints found that support tool use." } }, "tools"],
    // What a person has to put right, and what is no refusal at all.
    [400, {
      error: {
        message:
          "Unsupported value: 'reasoning_effort' does not support 'minimal' with this model. Supported values are: 'low', 'medium', and 'high'.",
      },
    }, null],
    [400, { error: { message: "Field 'temperature': type must be number, but is string" } }, null],
    [400, { error: { message: "max_tokens is too large: 99999" } }, null],
    [500, { error: { message: "the temperature of GPU 0 is too high" } }, null],
    [429, { error: { message: "this tier does not support tools" } }, null],
    [401, { error: { message: "this key does not support tools" } }, null],
  ];
  for (const [status, body, refusal] of bodies) {
    strictEqual(refused(status, body), refusal, JSON.stringify(body));
  }
});
