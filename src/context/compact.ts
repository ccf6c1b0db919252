/** Makes a history smaller, in stages: the first that fits is taken. */
import type { Settings } from "../config/keys.ts";
import type { Message } from "../model/message.ts";
import { clean_exchange, shortened_to, squeeze, stub_exchange, without_middle } from "./clean.ts";
import { CHARS_PER_TOKEN } from "./estimate.ts";
import { exchanges_of, type MessageGroup, sum, tail_length } from "./exchange.ts";
import { mechanical, text_to_summarize } from "./summary.ts";

/** How far a compaction had to go (seed 000); `window` is the sliding window of seed 003. */
export type Stage = "0" | "1" | "2" | "2b" | "3" | "window";

/** Settings of `[context]`, and the part of a window that is used. */
export type ContextLimits =
  & Settings["context"]
  & Pick<Settings["agent"], "context_budget_tokens">;

/** What a compaction works with. Tokens are by estimate, as `tokens_of` counts. */
export interface CompactOptions
  extends Pick<Settings["context"], "strategy" | "protect_last" | "summarize_after_steps"> {
  /** What the messages may take. */
  readonly budget: number;
  /** Part of the budget that a compaction has to come down to. */
  readonly fits: number;
  readonly tokens_of: (message: Message) => number;
  /** The summary that stands for messages of before; empty if there was none. */
  readonly before: string;
  readonly task: string;
  /** Asks the model for a summary of a transcript; null if none is available. */
  readonly summarize: (transcript: string) => Promise<string | null>;
  /** The messages of a session with this summary (empty: none) and these last messages. */
  readonly assemble: (summary: string, tail: readonly Message[]) => readonly Message[];
}

export interface Compacted {
  readonly stage: Stage;
  readonly messages: readonly Message[];
  readonly tokens: number;
  readonly summary: string;
}

/** Part of the budget that the tail may take (issue on guards: 40 %), and after stages 2 and 2b (60 % and 40 % of it). */
const TAIL_SHARE = 0.4;
const STAGES: readonly { readonly stage: Stage; readonly tail: number; readonly hard: boolean }[] =
  [
    { stage: "1", tail: TAIL_SHARE, hard: false },
    { stage: "2", tail: TAIL_SHARE * 0.6, hard: false },
    { stage: "2b", tail: TAIL_SHARE * 0.4, hard: false },
    { stage: "3", tail: TAIL_SHARE * 0.4, hard: true },
  ];
/** The window slides by half of its budget, so that it does not have to slide again at once. */
const WINDOW_SHARE = 0.5;
/** Stage 0 is enough where it leaves half of the budget free: else the next step would need the next one. */
const ROOMY = 0.5;
/** Part of the budget that a summary may take, in stages 1 to 2b; and its characters in stage 3 (seed 000). */
const SUMMARY_SHARE = 0.1;
const HARD_SUMMARY_CHARS = 1200;
/** Part of the budget that the transcript for the summarizer may take. */
const TRANSCRIPT_SHARE = 0.7;

/** Compacts what follows the first two messages, the prompt and the task. Never throws. */
export async function compact(
  messages: readonly Message[],
  options: CompactOptions,
): Promise<Compacted> {
  const exchanges = exchanges_of(messages.slice(2));
  if (options.strategy === "sliding_window") return slide(exchanges, options);
  const light = without_noise(exchanges, options);
  if (light !== null) return light;
  const { stage, hard, old, tail } = chosen(exchanges, options);
  const told = old.flatMap(clean_exchange);
  const tokens = TRANSCRIPT_SHARE * options.budget;
  const summary = told.length === 0
    ? options.before
    : (old.length > options.summarize_after_steps
      ? await options.summarize(text_to_summarize(told, { ...options, tokens }))
      : null) ?? mechanical(told, options.before);
  const short = shortened_to(summary, summary_tokens(hard, options));
  return finished(
    hard ? without_middle(short, HARD_SUMMARY_CHARS) : short,
    { stage, tail },
    options,
  );
}

/** Stage 0: old results are cleaned, then named instead of told, the oldest first. Null if that is not enough. */
function without_noise(
  exchanges: readonly MessageGroup[],
  options: CompactOptions,
): Compacted | null {
  const { budget, before, tokens_of } = options;
  const cut = exchanges.length - tail_of(exchanges, TAIL_SHARE, options);
  const lighter = exchanges.map((exchange, at) => at < cut ? clean_exchange(exchange) : exchange);
  let tokens = sum(options.assemble(before, lighter.flat()), tokens_of);
  for (let at = 0; at < cut && tokens > ROOMY * budget; at++) {
    const whole = lighter[at] as MessageGroup;
    const stubbed = lighter[at] = stub_exchange(whole);
    tokens -= sum(whole, tokens_of) - sum(stubbed, tokens_of);
  }
  return tokens <= ROOMY * budget
    ? finished(before, { stage: "0", tail: lighter.flat() }, options)
    : null;
}

/** The first stage whose tail leaves room for its summary; the last one where none does. */
function chosen(exchanges: readonly MessageGroup[], options: CompactOptions) {
  const { budget, fits, tokens_of } = options;
  const tried = STAGES.map(({ stage, tail: share, hard }) => {
    const length = tail_of(exchanges, share, options);
    const old = exchanges.slice(0, exchanges.length - length);
    const tail = squeezed(exchanges.slice(exchanges.length - length), share, options);
    const tokens = sum(options.assemble("", tail), tokens_of) +
      summary_tokens(hard, options);
    return { stage, hard, old, tail, tokens };
  });
  return tried.find(({ tokens }) => tokens <= fits * budget) ?? tried.at(-1) as typeof tried[0];
}

/** Drops the oldest exchanges; their number is all that is said of them. */
function slide(exchanges: readonly MessageGroup[], options: CompactOptions): Compacted {
  const length = tail_of(exchanges, WINDOW_SHARE, { ...options, protect_last: Infinity });
  const dropped = exchanges.slice(0, exchanges.length - length).flat().length;
  const tail = squeezed(exchanges.slice(exchanges.length - length), WINDOW_SHARE, options);
  const already = Number(/^(\d+) earlier messages/.exec(options.before)?.[1] ?? 0);
  return finished(
    `${already + dropped} earlier messages were left out.`,
    { stage: "window", tail },
    options,
  );
}

function tail_of(
  exchanges: readonly MessageGroup[],
  share: number,
  options: CompactOptions,
): number {
  const { protect_last: messages, budget, tokens_of } = options;
  return tail_length(exchanges, { messages, tokens: share * budget, tokens_of });
}

/** The last exchange stays in any case: where it alone is too large, its results are shortened. */
function squeezed(
  tail: readonly MessageGroup[],
  share: number,
  { budget, tokens_of }: CompactOptions,
): Message[] {
  return tail.flatMap((exchange) => squeeze(exchange, { tokens: share * budget, tokens_of }));
}

function summary_tokens(hard: boolean, { budget }: CompactOptions): number {
  const least = HARD_SUMMARY_CHARS / CHARS_PER_TOKEN;
  return hard ? least : Math.max(least, SUMMARY_SHARE * budget);
}

function finished(
  summary: string,
  { stage, tail }: { stage: Stage; tail: readonly Message[] },
  { assemble, tokens_of }: CompactOptions,
): Compacted {
  const messages = assemble(summary, tail);
  return { stage, messages, tokens: sum(messages, tokens_of), summary };
}
