import { is_patch } from "../tools/understand/command.ts";
import { held_dialect } from "./call_buffer.ts";

const BEGIN = "*** Begin Patch";

/** Patches that codex's models print instead of calling. Only if the reply is nothing else: others may be shown to the user. */
export const apply_patch = held_dialect({ name: "apply_patch", openings: [BEGIN] }, () => ({
  head: (_body, { lead, inline, offered }) =>
    lead.trim() === "" && !inline && offered("apply_patch") !== undefined ? "yes" : "no",
  read(body, { cut }) {
    const input = BEGIN + body;
    if (!is_patch(input)) return cut ? { kind: "cut" } : { kind: "text", body };
    const call = { kind: "call", name: "apply_patch", repaired: false } as const;
    return { kind: "block", found: [{ ...call, arguments: JSON.stringify({ input }) }], rest: "" };
  },
}));
