/** What is said in a message by the user or by the model: by that a session is found again. */
import { NO_REPLY, without_internal } from "./history.ts";

/** Without what `hamr` or a tool says; empty if nothing is left. The message may come out of a file that is someone else's. */
export function said_in(message: unknown): string {
  const { role, content, internal } = (message ?? {}) as Record<string, unknown>;
  if (typeof content !== "string" || internal === true) return "";
  if (role === "user") return without_internal(content);
  return role === "assistant" && content !== NO_REPLY ? content : "";
}
