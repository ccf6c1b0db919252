/** Recognizes what a server refuses in a request, by its own words. Loaded when one refuses something. */
import { any_of } from "../config/text.ts";
import type { ModelError } from "./errors.ts";

/** What a request can do without, or can say in another way. */
export type RefusedPart =
  | "temperature"
  | "reasoning_effort"
  /** Newer models of OpenAI take `max_completion_tokens` instead. */
  | "max_tokens"
  | "stream_options"
  | "tool_choice"
  /** The name of the first message's role: newer models of OpenAI call it `developer`. */
  | "system_name"
  /** A role of its own for that message, whatever its name. */
  | "system"
  | "tools"
  /** Ids of calls as other servers make them: Mistral's templates take nine letters and digits. */
  | "call_ids"
  /** Several calls in one message: templates of Llama 3 take one. */
  | "several_calls";

/** One way in which servers put a refusal. */
export interface Phrase {
  readonly refusal: RefusedPart;
  readonly words: RegExp;
  /** What was really said, and by whom or where. */
  readonly said: readonly (readonly [words: string, source: string])[];
}

/** To follow or to precede the name of a parameter. A wrong value is no refusal: that is the user's to put right. */
const UNKNOWN =
  "(unsupported parameter|unknown parameter|unrecognized request argument|unknown field|not supported|extra inputs)";

/** The first that fits counts. */
export const PHRASES: readonly Phrase[] = [
  {
    refusal: "max_tokens",
    words: /'?max_tokens'? is not supported[^]*max_completion_tokens/i,
    said: [[
      "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
      "OpenAI (teilomillet/gollm#33, anomalyco/opencode#37964)",
    ]],
  },
  {
    refusal: "temperature",
    words: any_of(
      "'temperature' does not support .*only the default",
      `${UNKNOWN}.{0,20}\\btemperature\\b`,
      "\\btemperature[`'\"]? (is|are) (not supported|deprecated)",
      "temperature[`'\"]? may only be set to 1",
    ),
    said: [
      [
        "Unsupported value: 'temperature' does not support 0.2 with this model. Only the default (1) value is supported.",
        "OpenAI (holoviz/lumen#1087)",
      ],
      [
        "`temperature` may only be set to 1 when thinking is enabled. Please consult our documentation",
        "Anthropic (MartialBE/one-hub#529)",
      ],
      ["temperature is not supported when thinking is enabled", "danny-avila/LibreChat#11949"],
    ],
  },
  {
    refusal: "reasoning_effort",
    words: any_of(
      `${UNKNOWN}.{0,20}\\breasoning_effort\\b`,
      "\\breasoning_effort[`'\"]? is not supported",
      "does not support parameter reasoning_?effort",
    ),
    said: [
      [
        "Unrecognized request argument supplied: reasoning_effort",
        "OpenAI (davidmigloz/langchain_dart#712)",
      ],
      [
        "does not support parameter reasoningEffort",
        "xAI (NousResearch/hermes-agent#23088)",
      ],
    ],
  },
  {
    refusal: "stream_options",
    words: any_of(
      `${UNKNOWN}.{0,20}\\bstream_options\\b`,
      "\\bstream_options\\b.{0,40}(not permitted|not supported|only allowed)",
    ),
    said: [
      ["Unknown parameter: 'stream_options'.", "gateways (QuantumNous/new-api#418)"],
      [
        "body.stream_options.include_usage: Extra inputs are not permitted",
        "Mistral (openai/openai-agents-python#442)",
      ],
      [
        "The 'stream_options' parameter is only allowed when 'stream' is enabled.",
        "OpenAI behind LiteLLM (BerriAI/litellm#5803)",
      ],
    ],
  },
  {
    refusal: "tools",
    words: any_of(
      "(does not|doesn't) support (tools|tool use|function calling)",
      "\\b(tools|tool calling`?|function calling) (is|are) not supported",
      "function calling is not enabled",
      "no endpoints found that support tool use",
      "requires --enable-auto-tool-choice",
      "tools param requires --jinja",
      "unsupported param: tools",
      "json schema error at #/",
    ),
    said: [
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
        "This model doesn't support tool use in streaming mode.",
        "Bedrock (obot-platform/obot#6740, langchain-ai/langchain-aws#447)",
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
    ],
  },
  {
    refusal: "tool_choice",
    words: /does not support this tool_choice|(unsupported|unknown) parameter:? '?tool_choice/i,
    said: [
      [
        "deepseek-reasoner does not support this tool_choice",
        "DeepSeek (vectorize-io/hindsight#1286)",
      ],
      [
        "Thinking mode does not support this tool_choice",
        "DeepSeek (can1357/oh-my-pi#7315)",
      ],
    ],
  },
  {
    refusal: "call_ids",
    words: /tool call ids should be alphanumeric/i,
    said: [[
      "Unable to generate parser for this template. Automatic parser generation failed: Error: Jinja Exception: Tool call IDs should be alphanumeric strings with length 9!",
      "llama.cpp 0c1e570 with the templates of Mistral Nemo and Small 3.2, recorded",
    ]],
  },
  {
    refusal: "several_calls",
    words: /only supports? single tool-calls?/i,
    said: [[
      "Unable to generate parser for this template. Automatic parser generation failed: Error: Jinja Exception: This model only supports single tool-calls at once!",
      "llama.cpp 0c1e570 with the templates of Llama 3.1, 3.2 and 3.3, recorded",
    ]],
  },
  {
    refusal: "system_name",
    words: /does not support 'system' with this model/i,
    said: [
      [
        "Unsupported value: 'messages[0].role' does not support 'system' with this model.",
        "OpenAI, o1, which takes 'developer' (agno-agi/agno#1621), and o1-mini, which does not",
      ],
    ],
  },
  {
    refusal: "system",
    words: any_of(
      "system role (is )?not supported",
      "only user and assistant roles are supported",
      "does not support 'developer' with this model",
      "developer'? is not one of \\[",
      "developer instruction is not enabled",
    ),
    said: [
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
    ],
  },
];

/** Templates that know no tools: a result follows a user's words like an answer. Calls in text take turns; then it is the system's. */
const TURNS = /conversation roles must alternate/i;

/** What an error refuses of the request, besides what was `refused` before; null if it is about something else. */
export function refusal_of(
  { kind, signs = "" }: ModelError,
  refused: ReadonlySet<RefusedPart> = new Set(),
): RefusedPart | null {
  if (kind !== "bad_request") return null;
  const found = PHRASES.find(({ words }) => words.test(signs))?.refusal;
  const all: readonly RefusedPart[] = found !== undefined
    ? [found]
    : TURNS.test(signs)
    ? ["tools", "system"]
    : [];
  return all.find((one) => !refused.has(one)) ?? null;
}
