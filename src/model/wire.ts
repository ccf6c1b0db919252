import type { Message, Reply } from "./message.ts";
import type { ToolSchema } from "../tools/tool.ts";
import type { ModelError } from "./errors.ts";
import type { RefusedPart } from "./refusals.ts";

/** What a request asks for besides its messages; the same in every request of a run except for `tool_choice`. */
export interface RequestOptions {
  readonly tools: readonly ToolSchema[];
  readonly tool_choice: "auto" | "none";
  readonly stream: boolean;
  /** The server is one that can say how far it has read the prompt, and is asked to. Others refuse what they do not know. */
  readonly progress?: boolean;
  /** Tokens; 0 leaves it to the server. */
  readonly max_output_tokens: number;
  readonly temperature: number | undefined;
  /** How else tokens are chosen, in the names of the request. */
  readonly sampling?: Readonly<Record<string, number>>;
  readonly reasoning_effort: string | undefined;
  /** A schema that the server holds the text of the reply to. */
  readonly response_format?: unknown;
  /** What is asked of Ollama with every request; absent for any other server. */
  readonly ollama?: OllamaAsk;
  /** What the server has refused, and is not sent again, or under another name. */
  readonly without?: ReadonlySet<RefusedPart>;
}

/** What only Ollama can be asked for. Another window than the loaded one makes it load the model again. */
export interface OllamaAsk {
  /** Tokens of the window that the model is loaded with. */
  readonly num_ctx: number;
  /** How long the model stays loaded after a reply, such as `30m`; empty: as the server has it. */
  readonly keep_alive: string;
}

/** What the template of a model does with messages, as far as its server says so. It may become known after the first request. */
export interface Habits {
  /** It leaves out what the model has called: its text has to say it. */
  readonly hides_calls?: true;
  /** It has a place for what the model has thought in this turn. */
  readonly takes_reasoning?: true;
  /** After a user's message it renders what was before in another way, and after a result it does not: words of `hamr` are one. */
  readonly nudges_as_results?: true;
}

/** Of one reply. Models make some dozens at once; each is answered, and stays in the conversation. */
export const MOST_CALLS = 1000;

/** A piece of a reply, for those who watch. */
export interface Delta {
  readonly kind: "text" | "reasoning";
  readonly text: string;
}

/** For calls in the text of a reply, which the server should have parsed, and did not. */
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

/** A call that a model is writing, as far as its server shows it. */
export interface Writing {
  /** Of the tool. */
  readonly name: string;
  /** Characters of its arguments so far. */
  readonly chars: number;
}

/** Collects a reply from the decoded JSON values that a server sends, in a stream or in one piece. */
export interface Collector {
  /** Takes one value; gives what is new in it, or the error it carries. */
  take(value: unknown): Delta[] | ModelError;
  /** Whether the server has said how the reply ended. */
  readonly finished: boolean;
  /** How far the server has read the prompt, where it says so; null or absent once the reply itself has begun. */
  readonly prefill?: Prefill | null;
  /** The call that is being written; null or absent if none is, or nobody can tell. */
  readonly writing?: Writing | null;
  reply(): Reply;
}

/** One wire format: its path, its request, its reply. A file each. */
export interface Wire {
  /** Tools are described, and called, in the text of messages: requests carry none. */
  readonly tools_in_text?: true;
  readonly path: string;
  /** The new messages of a request, joined by commas, each serialized once. Results of one reply come together; the system message comes with the task. */
  encode(messages: readonly Message[]): string;
  /** Text of a request before its messages, which are joined by commas. */
  before(model: string): string;
  after(options: RequestOptions): string;
  collector(url: string): Collector;
}
