import { is_object, json_object } from "./repair.ts";
import type { BlockReader, Found, Offered, Place, Progress } from "./dialect.ts";
import { END_TOKENS } from "./end_tokens.ts";
import { type Head, held } from "./held.ts";
import { leads_to_act } from "./lead.ts";

/** How calls without any mark of their own begin, and what they are. */
export interface UnmarkedForm {
  head(body: string, offered: Offered): Head;
  /** The calls, and what stands behind them; null where these are none. */
  read(body: string): { readonly found: readonly Found[]; readonly rest: string } | null;
}

/** What may follow calls that are all there is: tokens that leaked, and results that the model made up. */
const NOTHING = new RegExp(`^\\s*(?:(?:${END_TOKENS.source})\\s*)*(?:$|<tool_response>)`);

/**
 * Reads calls that could as well be an answer, such as bare JSON. They count where they end the reply, after nothing or after
 * words that announce an act, and where each has a tool's name and just the arguments that the tool takes.
 */
export function unmarked(form: UnmarkedForm, asked: Place): BlockReader {
  const place: Place = { ...asked, offered: (name) => asked.offered(name, true) };
  const acts = leads_to_act(place.lead);
  return held({
    head: (body, { offered }) => acts ? form.head(body, offered) : "no",
    read(body, { cut, offered }): Progress {
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

function fits(found: Found, offered: Offered): boolean {
  if (found.kind !== "call") return false;
  const schema = offered(found.name);
  const args = json_object(found.arguments);
  return schema !== undefined && is_object(args) &&
    schema.required.every((name) => Object.hasOwn(args, name)) &&
    Object.keys(args).every((name) => Object.hasOwn(schema.properties, name));
}
