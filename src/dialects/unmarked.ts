import { is_record } from "../config/json.ts";
import { json_object } from "./repair.ts";
import type { BlockPlace, BlockProgress, BlockReader, Offered, ParsedCall } from "./dialect.ts";
import { END_TOKENS } from "./end_tokens.ts";
import { type Head, held } from "./call_buffer.ts";
import { leads_to_act } from "./lead.ts";

/** How calls without any mark of their own begin, and what they are. */
interface UnmarkedForm {
  head(body: string, offered: Offered): Head;
  /** The calls, and what comes after them; null if these are none. */
  read(body: string): { readonly found: readonly ParsedCall[]; readonly rest: string } | null;
}

/** What may follow calls that are all there is: tokens that leaked, and results that the model made up. */
const NOTHING = new RegExp(`^\\s*(?:(?:${END_TOKENS.source})\\s*)*(?:$|<tool_response>)`);

/** Calls that could be an answer, such as bare JSON. They count at the end of a reply, after nothing or an announcement, and if all fits. */
export function unmarked(form: UnmarkedForm, asked: BlockPlace): BlockReader {
  const place: BlockPlace = { ...asked, offered: (name) => asked.offered(name, true) };
  const acts = leads_to_act(place.lead);
  return held({
    head: (body, { offered }) => acts ? form.head(body, offered) : "no",
    read(body, { cut, offered }): BlockProgress {
      const text = { kind: "text", body } as const;
      const read = acts ? form.read(body) : null;
      if (read === null || !NOTHING.test(read.rest)) {
        const begun = acts && form.head(body, offered) === "yes";
        return cut && begun ? { kind: "cut" } : text;
      }
      const good = read.found.length > 0 && read.found.every((found) => found.kind === "call") &&
        read.found.some((found) => fits(found, offered));
      return good ? { kind: "block", ...read } : text;
    },
  }, place);
}

function fits(found: ParsedCall, offered: Offered): boolean {
  // An object with nothing but a name is someone's name.
  if (found.kind !== "call" || (found.repaired && found.arguments === "{}")) return false;
  const schema = offered(found.name);
  const args = json_object(found.arguments);
  return schema !== undefined && is_record(args) &&
    schema.required.every((name) => Object.hasOwn(args, name)) &&
    Object.entries(args).every(([name, value]) =>
      Object.hasOwn(schema.properties, name) &&
      // The type of an argument, in an account of a tool.
      !(is_record(value) && schema.properties[name]?.["type"] === "string")
    );
}
