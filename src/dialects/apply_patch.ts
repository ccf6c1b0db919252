import { is_patch } from "../tools/understand/command.ts";
import type { Dialect } from "./dialect.ts";
import { held } from "./call_buffer.ts";

const BEGIN = "*** Begin Patch";

/** Patches that codex's models print instead of calling. Only if the reply is nothing else: others may be shown to the user. */
export const apply_patch: Dialect = {
  name: "apply_patch",
  openings: [BEGIN],
  begin: (_opening, place) =>
    held({
      head: (_body, { lead, inline, offered }) =>
        lead.trim() === "" && !inline && offered("apply_patch") !== undefined ? "yes" : "no",
      read(body, { cut }) {
        const input = BEGIN + body;
        if (is_patch(input)) {
          const call = { kind: "call", name: "apply_patch", repaired: false } as const;
          return {
            kind: "block",
            found: [{ ...call, arguments: JSON.stringify({ input }) }],
            rest: "",
          };
        }
        return cut ? { kind: "cut" } : { kind: "text", body };
      },
    }, place),
};
