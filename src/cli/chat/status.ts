/** `/status`: what a conversation is, costs and may do. */
import { tokens_in } from "../../context/estimate.ts";
import type { Message } from "../../model/message.ts";
import { dollars } from "../../model/pricing.ts";
import { origin_of } from "../../model/server/address.ts";
import { line, percent, short, tokens } from "../../ui/text.ts";
import { who_answers } from "./models.ts";
import type { ChatState } from "./state.ts";

const NAME_CHARS = 60;
const KINDS = { system: "rules", user: "messages", assistant: "replies", tool: "results" } as const;

export async function status_lines(chat: ChatState): Promise<readonly string[]> {
  const { agent, allowed, begun, chosen: { mode, verify }, settings: { workspace }, screen } = chat;
  const found = await who_answers(chat.settings, { picking: true });
  const name = screen.status.model || (typeof found === "string" ? "" : found.model);
  const model = typeof found === "string"
    ? "none can be reached: hamr doctor says why"
    : `${line(name, NAME_CHARS)}, by ${found.provider} at ${origin_of(found.base_url)}`;
  const id = begun ? agent.sessionId.slice(0, 8) : "none yet";
  return [
    `session        ${id}, in ${workspace}`,
    `model          ${model}`,
    `mode           ${mode === "verify" ? `verify: ${verify}` : mode}`,
    `window         ${window_words(chat)}`,
    `cost           ${cost_words(chat)}`,
    ...allowed,
  ];
}

export function window_words({ agent, begun, screen, spent: { used } }: ChatState): string {
  const { size, assumed } = screen.status.window;
  if (size === 0 || (used === 0 && begun)) return "that is known once the next task begins";
  const share = `${short(used)} of ${tokens(size)}${assumed ? " assumed" : ""}`;
  return `${share} (${percent(used, size)})${shares(agent.messages)}`;
}

export function cost_words({ spent: { cost, beside, part, ...spent } }: ChatState): string {
  const price = cost === null ? "no price known" : dollars(cost + beside);
  const since = part ? " (tokens since it was continued)" : "";
  return `${tokens(spent.tokens)}, ${price}${since}`;
}

/** What text fills the window, by estimate; images and the tools that are offered come on top. Empty before the first task. */
function shares(messages: readonly Message[]): string {
  const parts = Object.entries(KINDS).flatMap(([role, name]) => {
    const texts = messages.filter((one) => one.role === role).flatMap((one) => [
      one.content,
      ...(one.role === "assistant" ? one.tool_calls ?? [] : []).map((call) => call.arguments),
    ]);
    return texts.length === 0 ? [] : [`${name} ~${short(tokens_in(texts.join("")))}`];
  });
  return parts.length === 0 ? "" : `: ${parts.join(", ")}, and the tools`;
}
