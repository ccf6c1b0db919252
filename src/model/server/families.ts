/** How the makers of open models say they should be run, each with its source. Loaded once a server has been asked. */
import type { Endpoint, Sampling } from "./endpoint.ts";
import { is_loopback } from "../http/http.ts";

interface Family {
  readonly name: string;
  readonly sampling: Sampling;
  /** Where that is said. */
  readonly source: string;
  /** What else a person should know: thinking, tools, traps of its template (rendered by llama.cpp 0c1e570). */
  readonly note?: string;
}

/** A row a family: how a name begins (the first that fits counts), whose it is, its sampling, who says so, and what else is to be known. */
const TABLE = String.raw`
  deepseek-?r1 | DeepSeek-R1 | temperature=0.6 top_p=0.95 | generation_config.json of deepseek-ai/DeepSeek-R1 | templates of its distilled models leave tools out: they are called in text
  qwen-?3-?coder | Qwen3-Coder | temperature=0.7 top_p=0.8 top_k=20 repeat_penalty=1.05 | model card of Qwen/Qwen3-Coder-30B-A3B-Instruct | does not think
  qwen-?3\.5 | Qwen3.5 | temperature=0.6 top_p=0.95 top_k=20 min_p=0 | model card of Qwen3.5, thinking, precise coding |
  qwen-?3[-:].*instruct | Qwen3 Instruct | temperature=0.7 top_p=0.8 top_k=20 min_p=0 | model card of Qwen3, without thinking |
  qwen-?3(?![.\d]) | Qwen3 | temperature=0.6 top_p=0.95 top_k=20 min_p=0 | model card of Qwen3, thinking; never greedy | thinks before it calls: /no_think in the task turns that off
  qwq | QwQ | temperature=0.6 top_p=0.95 | model card of Qwen/QwQ-32B | always thinks
  qwen-?2\.5 | Qwen2.5 | temperature=0.7 top_p=0.8 top_k=20 | generation_config.json of Qwen/Qwen2.5-Coder-32B-Instruct | small ones write calls as plain JSON: hamr reads them
  gpt-?oss | gpt-oss | temperature=1 top_p=1 | README of openai/gpt-oss | --reasoning-effort low makes it think less
  glm-?4\.[67] | GLM-4.6, 4.7 | temperature=1 | generation_config.json of zai-org/GLM-4.6 and GLM-4.7 |
  kimi-?k2-?thinking | Kimi-K2-Thinking | temperature=1 | model card of moonshotai/Kimi-K2-Thinking | a user message makes it reread its earlier thinking
  kimi-?k2(?![.\d]) | Kimi-K2 | temperature=0.6 | README of MoonshotAI/Kimi-K2 |
  minimax-?m2 | MiniMax-M2 | temperature=1 top_p=0.95 top_k=40 | generation_config.json of MiniMaxAI/MiniMax-M2 | a user message makes it reread its earlier thinking
  (mistral-?small[-:]?(3|24b)|devstral) | Mistral Small 3, Devstral | temperature=0.15 | model cards of mistralai/Mistral-Small-3.2-24B-Instruct-2506 and Devstral-Small-2505 | rejects a user message after a result, and ids from other servers: hamr avoids both
  gemma-?3(?!n) | Gemma 3 | temperature=1 top_p=0.95 top_k=64 min_p=0 | the Gemma team, as LM Studio quotes it | no template for tools: they are called in text
  (meta-?)?llama-?3\.[123] | Llama 3.1 to 3.3 | temperature=0.6 top_p=0.9 | generation_config.json of meta-llama/Llama-3.3-70B-Instruct | takes one call a message
  lfm-?2(?![.\d]) | LFM2 | temperature=0.3 min_p=0.15 repeat_penalty=1.05 | model card of LiquidAI/LFM2 | does not see its earlier calls: hamr shows it their text
  ling-(1t|flash|mini) | Ling 2 | temperature=0.7 top_p=0.95 | model card of inclusionAI/Ling-1T |
`;

export const FAMILIES: readonly (readonly [begins: string, Family])[] = TABLE.trim().split("\n")
  .map((row) => {
    const [begins = "", name = "", values = "", source = "", note] = row.split(" |").map((cell) =>
      cell.trim()
    );
    return [begins, { name, source, sampling: sampling_in(values), ...(note ? { note } : {}) }];
  });

function sampling_in(values: string): Sampling {
  const entries = values.split(" ").map((one) => one.split("=")).map((
    [name, value],
  ) => [name, Number(value)]);
  // Each row begins with the temperature.
  return Object.fromEntries(entries) as Sampling;
}

/** By the model's name as servers give it: `qwen3:8b`, `Qwen/Qwen3-8B`. `Hermes-3-Llama-3.1` only contains such a name and is another model. */
export function family_of(model: string): Family | undefined {
  const base = model.slice(model.lastIndexOf("/") + 1);
  return FAMILIES.find(([begins]) => new RegExp(`^([\\w.-]+_)?${begins}`, "i").test(base))?.[1];
}

type Asked = Pick<Endpoint, "model" | "base_url" | "server" | "samples_itself">;

/** Servers that take the maker's values from the model's own files; Ollama and LM Studio have them in their libraries. */
const KNOW_BY_THEMSELVES: readonly Endpoint["server"][] = ["ollama", "lmstudio", "vllm", "sglang"];
/** Servers that take more than OpenAI's API has. */
const TAKE_MORE: readonly Endpoint["server"][] = ["llama.cpp", "koboldcpp"];

/** What is sent to a server on this machine; or why nothing is, in words for a person. */
export function sampling_for(
  { model, base_url, server, samples_itself }: Asked,
): Sampling | string {
  const family = family_of(model);
  if (family === undefined) return "the model is not recognized";
  if (!is_loopback(base_url) || server === undefined) {
    return "this is not a known server on this machine";
  }
  if (KNOW_BY_THEMSELVES.includes(server)) return `${server} has values of its own`;
  if (samples_itself) return "the server was started with other values, or the model has them";
  const { temperature, top_p, ...more } = family.sampling;
  return {
    temperature,
    ...(top_p === undefined ? {} : { top_p }),
    ...(TAKE_MORE.includes(server) ? more : {}),
  };
}
