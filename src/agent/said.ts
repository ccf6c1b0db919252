/** The words of a message, by which a session can be searched for. */
import { NO_REPLY, without_internal } from "./history.ts";

/** Without what `hamr` or a tool says; empty if nothing is left. The message may come out of a file that is someone else's. */
export function spoken_text(message: unknown): string {
  const { role, content, internal } = (message ?? {}) as Record<string, unknown>;
  if (typeof content !== "string" || internal === true) return "";
  if (role === "user") return without_internal(content);
  return role === "assistant" && content !== NO_REPLY ? content : "";
}
