import type { Settings } from "../../config/keys.ts";
import type { Server } from "./inquiry.ts";
import type { ApiMode } from "../message.ts";
import type { Price } from "../pricing.ts";
import type { Habits, OllamaAsk } from "../wire.ts";

/** How the next token is chosen, in the names of llama.cpp's requests. */
export interface Sampling {
  readonly temperature: number;
  readonly top_p?: number;
  readonly top_k?: number;
  readonly min_p?: number;
  readonly repeat_penalty?: number;
}

export interface Endpoint extends Habits {
  /** `ollama`, `llama.cpp`, `openai`, a name of `[providers]`, … */
  readonly provider: string;
  readonly api_mode: ApiMode;
  /** Ends in `/v1` or another version, except for `ollama_chat`; no slash at the end. */
  readonly base_url: string;
  readonly model: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Empty if there is none. */
  readonly key: string;
  /** The variable the key is, or would be, read from; or where else it stands, in words for a person. */
  readonly key_env: string;
  readonly context_window: number;
  /** Whether someone said so; else it is assumed. */
  readonly window_known: boolean;
  /** Where `context_window` comes from, in words for a person. */
  readonly window_source: string;
  /** What the server says it is; absent if it was not asked, or did not answer. */
  readonly server?: Server["name"];
  /** Tokens that the model could hold, where the server says; what is loaded may be less. */
  readonly model_window?: number;
  /** What the model can do, in Ollama's words; absent if nobody says. */
  readonly capabilities?: readonly string[];
  /** For `ollama_chat`: what is asked for with every request. */
  readonly ollama?: OllamaAsk;
  /** How the model's makers want it run, where the server has nothing to say about that. */
  readonly sampling?: Sampling;
  /** The server has other values than its program's own: of the user who started it, or of the model's file. */
  readonly samples_itself?: true;
  /** Whether the model can see images; absent if nobody says. */
  readonly sees?: boolean;
  /** Why tools can't be sent beside the messages, in words for a person. Absent: they can, or nobody has said. */
  readonly no_tools?: string;
  /** Believes certificates of the user's own; absent if no file of them is given. */
  readonly client?: Deno.HttpClient | undefined;
  /** Its requests go through a proxy of the environment: whether the server itself is up can't be watched. */
  readonly proxied: boolean;
  /** What settings say it costs; null if they say nothing. `price_of` also knows some models itself. */
  readonly price: Price | null;
}

/** What the window that Ollama is asked for depends on. */
export interface OllamaWish
  extends
    Pick<Settings["provider"], "max_num_ctx" | "keep_alive">,
    Pick<Settings["agent"], "max_output_tokens"> {
  readonly task: string;
}

/** Assumed where nobody says how large the window is: the smallest in common use (seed 004). */
const UNKNOWN_WINDOW = 8192;
/** What is said of the window where nobody else does. */
export const ASSUMED = {
  context_window: UNKNOWN_WINDOW,
  window_known: false,
  window_source: "assumed: the server does not say",
} as const;
/** What is said of the window where no server was asked, or none answered. */
export const ASSUMED_UNASKED = { ...ASSUMED, window_source: "assumed: not known" } as const;

/** Whether nobody has said how large the window is, by what is said of it. */
export function is_assumed(window_source: string): boolean {
  return window_source.startsWith("assumed");
}

/** Whether an endpoint is Ollama's, whichever protocol it is spoken to in. */
export function is_ollama({ api_mode, server }: Pick<Endpoint, "api_mode" | "server">): boolean {
  return api_mode === "ollama_chat" || server === "ollama";
}
