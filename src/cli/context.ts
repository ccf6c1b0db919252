/** `hamr context`: how large the model's window is, how that was found, and what becomes of it. Costs no tokens. */
import { budget_of } from "../context/budget.ts";
import type { Endpoint } from "../model/endpoint.ts";
import { assumed_window } from "../model/larger_window.ts";
import type { Parsed } from "./args.ts";
import { endpoint_of } from "./endpoint.ts";
import type { Io } from "./io.ts";
import { place } from "./settings.ts";

/** What `--output json` prints. Null: nobody says. */
interface Shown {
  readonly model: string;
  readonly provider: string;
  readonly api_mode: string;
  /** Tokens. */
  readonly context_window: number;
  /** False: it is only assumed. */
  readonly window_known: boolean;
  readonly window_source: string;
  /** Tokens that the model could hold. */
  readonly model_window: number | null;
  readonly capabilities: readonly string[] | null;
  /** Tokens for prompt, tools and history. */
  readonly budget: number;
  /** Tokens that a reply may take; 0 leaves it to the server. */
  readonly max_output_tokens: number;
}

/** Prints the window of the model that a run would use. Throws `StartError` where there is none. */
export async function context(parsed: Parsed, io: Io): Promise<number> {
  const settings = await place(parsed, io);
  const { agent } = settings.settings;
  const endpoint = await endpoint_of(settings);
  const { context_window: window } = endpoint;
  const { max_output_tokens, context_budget_tokens: most } = agent;
  const shown: Shown = {
    model: endpoint.model,
    provider: endpoint.provider,
    api_mode: endpoint.api_mode,
    context_window: window,
    window_known: endpoint.window_known,
    window_source: endpoint.window_source,
    model_window: endpoint.model_window ?? null,
    capabilities: endpoint.capabilities ?? null,
    budget: budget_of({ window, max_output_tokens, most }),
    max_output_tokens: Math.min(max_output_tokens, Math.floor(window / 4)),
  };
  const text = parsed.flags.output === "text";
  io.out(text ? lines(shown, endpoint) : `${JSON.stringify({ type: "context", ...shown })}\n`);
  return 0;
}

function lines(shown: Shown, endpoint: Endpoint): string {
  const { model_window, capabilities, budget, max_output_tokens } = shown;
  const rows: [string, string][] = [
    ["model", `${shown.model} (${shown.provider}, ${shown.api_mode})`],
    ["window", `${shown.context_window} tokens`],
    ["source", shown.window_source],
    ...model_window === null ? [] : [["could be", `${model_window} tokens`] as [string, string]],
    ...capabilities === null ? [] : [["can do", capabilities.join(", ")] as [string, string]],
    ["budget", `${budget} tokens for prompt, tools and history${reply_of(max_output_tokens)}`],
    ...shown.window_known ? [] : [["note", assumed_window(endpoint)] as [string, string]],
  ];
  return rows.map(([name, words]) => `${`${name}:`.padEnd(10)}${words}\n`).join("");
}

function reply_of(tokens: number): string {
  return tokens > 0 ? `, ${tokens} for a reply` : "";
}
