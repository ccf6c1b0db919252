import type { Message } from "../model/message.ts";

/** What belongs together in a history and is never divided: a message of the user, or a reply with the results of its calls. */
export type MessageGroup = readonly Message[];

/** The messages in their exchanges. A result never stands without its call, nor a call without its results. */
export function exchanges_of(messages: readonly Message[]): MessageGroup[] {
  const exchanges: Message[][] = [];
  for (const message of messages) {
    if (message.role === "tool") exchanges.at(-1)?.push(message);
    else exchanges.push([message]);
  }
  return exchanges;
}

interface TailLimits {
  readonly messages: number;
  readonly tokens: number;
  readonly tokens_of: (message: Message) => number;
}

/** How many of the last exchanges are kept as they are: what fits, and the very last in any case. */
export function tail_length(exchanges: readonly MessageGroup[], limits: TailLimits): number {
  let { messages, tokens } = limits;
  let length = 0;
  for (const exchange of exchanges.toReversed()) {
    messages -= exchange.length;
    tokens -= sum(exchange, limits.tokens_of);
    if (length > 0 && (messages < 0 || tokens < 0)) break;
    length++;
  }
  return length;
}

export function sum(messages: readonly Message[], tokens_of: (message: Message) => number): number {
  return messages.reduce((total, message) => total + tokens_of(message), 0);
}
