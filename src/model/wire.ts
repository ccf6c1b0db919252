import type { Message, Reply } from "./message.ts";
import type { ToolSchema } from "../tools/tool.ts";
import type { ModelError } from "./errors.ts";
import type { RefusedPart } from "./refusals.ts";

/** What a request asks for besides its messages; the same in every request of a run except for `tool_choice`. */
export interface RequestOptions {
  readonly tools: readonly ToolSchema[];
  readonly tool_choice: "auto" | "none";
  readonly stream: boolean;
  /** Asks the server to report how far it has read the prompt. Only for servers that can: others refuse unknown fields. */
  readonly progress?: boolean;
  /** Tokens; 0 leaves it to the server. */
  readonly max_output_tokens: number;
  readonly temperature: number | undefined;
  /** Other sampling parameters, by their names in the request. */
  readonly sampling?: Readonly<Record<string, number>>;
  readonly reasoning_effort: string | undefined;
  /** A schema that constrains the text of the reply. */
  readonly response_format?: unknown;
  /** Fields that every request to Ollama has; absent for any other server. */
  readonly ollama?: OllamaAsk;
  /** What the server has refused: it is left out, or sent under another name. */
  readonly without?: ReadonlySet<RefusedPart>;
}

/** Fields that only Ollama knows. A window other than the loaded one makes it reload the model. */
export interface OllamaAsk {
  /** The window to load the model with, in tokens. */
  readonly num_ctx: number;
  /** How long the model stays loaded after a reply, such as `30m`; empty for the server's default. */
  readonly keep_alive: string;
}

/** How the model's template treats messages, as far as its server tells. May become known after the first request. */
export interface Habits {
  /** It omits the model's calls: the text has to mention them. */
  readonly hides_calls?: true;
  /** It renders the model's reasoning of this turn. */
  readonly takes_reasoning?: true;
  /** Its server refuses replies without it. */
  readonly wants_reasoning?: boolean;
  /** Its server refuses calls without a signature. */
  readonly signs_calls?: boolean;
  /** Its server refuses a text that is empty beside calls. */
  readonly refuses_empty_text?: boolean;
  /** Its server refuses marks for its cache inside of messages. */
  readonly refuses_marks?: boolean;
  /** It renders earlier messages differently after a user's message, but not after a result: so words of `hamr` are sent as a result. */
  readonly nudges_as_results?: true;
}

/** Calls in one reply. Models make some dozens at once; each is answered and stays in the conversation. */
export const MOST_CALLS = 1000;

/** A piece of a reply, for live display. */
export interface Delta {
  readonly kind: "text" | "reasoning";
  readonly text: string;
}

/** For reading calls out of a reply's text if the server did not parse them. */
export interface Leaks {
  readonly tools: readonly ToolSchema[];
  /** How many calls have ids of this kind already. */
  made(): number;
}

/** How far a server has read a prompt, in tokens. */
export interface Prefill {
  /** Tokens read so far. */
  readonly read: number;
  /** Tokens of the prompt. */
  readonly total: number;
}

/** The call that the model is writing, as far as the server shows it. */
export interface Writing {
  /** Name of the tool. */
  readonly name: string;
  /** Characters of its arguments so far. */
  readonly chars: number;
}

/** Collects a reply from the decoded JSON values that a server sends, in a stream or in one piece. */
export interface Collector {
  /** Takes one value; returns what is new in it, or the error it carries. */
  take(value: unknown): Delta[] | ModelError;
  /** Whether the server has said how the reply ended. */
  readonly finished: boolean;
  /** How far the server has read the prompt, if it says so; null or absent once the reply has begun. */
  readonly prefill?: Prefill | null;
  /** The call being written; null or absent if there is none, or it can't be told. */
  readonly writing?: Writing | null;
  reply(): Reply;
}

/** One wire format: its path, its request, its reply. Each has its own file. */
export interface Wire {
  /** Tools are described and called in the text of messages: requests have no tools. */
  readonly tools_in_text?: true;
  readonly path: string;
  /** The new messages of a request, joined by commas, each serialized once. Results of one reply come together; the system message comes with the task. */
  encode(messages: readonly Message[]): string;
  /** Text of a request before its messages, which are joined by commas. */
  before(model: string): string;
  after(options: RequestOptions): string;
  collector(url: string): Collector;
}
