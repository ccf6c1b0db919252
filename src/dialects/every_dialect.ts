import { apply_patch } from "./apply_patch.ts";
import { bare_json, fenced_json } from "./bare_json.ts";
import { deepseek_dsml, deepseek_v3, deepseek_v31, step3 } from "./deepseek.ts";
import type { Dialect } from "./dialect.ts";
import { end_tokens } from "./end_tokens.ts";
import { functionary_v31, functionary_v32, minicpm5, recipients } from "./functionary.ts";
import { functiongemma, gemma4 } from "./gemma.ts";
import { glm, longcat } from "./glm.ts";
import { granite, granite_20b } from "./granite.ts";
import { harmony_bare, harmony_call, harmony_text } from "./harmony.ts";
import { kimi_k2, kimi_k2_bare, kimi_k3 } from "./kimi.ts";
import { llama3 } from "./llama3.ts";
import { minimax_m2, minimax_m3, tool_calls_tag } from "./minimax.ts";
import { mistral_args, mistral_array } from "./mistral.ts";
import { lfm2, llama4, olmo3, pythonic, tool_code } from "./pythonic.ts";
import { qwen3_coder } from "./qwen3_coder.ts";
import { seed_oss } from "./seed_oss.ts";
import {
  apertus,
  command_r,
  functools,
  gigachat,
  hermes_leak,
  internlm2,
  nemotron,
  tools_tag,
} from "./tagged_json.ts";

/** Dialects with a mark of their own. Of those that share one, the first that can read a block has it. */
export const MARKED: readonly Dialect[] = [
  qwen3_coder,
  glm,
  longcat,
  hermes_leak,
  llama3,
  mistral_array,
  mistral_args,
  step3,
  deepseek_v3,
  deepseek_v31,
  deepseek_dsml,
  kimi_k2,
  kimi_k2_bare,
  kimi_k3,
  harmony_text,
  harmony_call,
  harmony_bare,
  granite,
  granite_20b,
  functools,
  minimax_m2,
  minimax_m3,
  tool_calls_tag,
  seed_oss,
  gemma4,
  functiongemma,
  llama4,
  lfm2,
  olmo3,
  command_r,
  tools_tag,
  nemotron,
  internlm2,
  apertus,
  gigachat,
  functionary_v31,
  functionary_v32,
  recipients,
  minicpm5,
  apply_patch,
  end_tokens,
];

/** All of them, those included that look like an answer and count only where nothing else is said. */
export const EVERY_DIALECT: readonly Dialect[] = [
  ...MARKED,
  fenced_json,
  tool_code,
  bare_json,
  pythonic,
];
