import type { Offered } from "../../dialects/dialect.ts";
import { EVERY_DIALECT, MARKED } from "../../dialects/every_dialect.ts";
import { type Split, split, Splitter } from "../../dialects/splitter.ts";
import { our_name } from "../../tools/understand/names.ts";
import { fields, is_record, is_text, loose_json } from "../../config/json.ts";
import { tool_call_of, with_shown } from "./heard_call.ts";
import type { Reply } from "../message.ts";
import type { Leaks } from "../wire.ts";

/** Mistral's templates take ids of nine letters and digits, and no others; every other server takes these, too. */
const ID_DIGITS = 8;

export class LeakedCalls {
  /** For those who watch: a reply is split again when it is whole. */
  readonly #shown: Splitter;
  readonly #offered: Offered;
  /** Characters that were shown before anything was suspicious, and that the splitter has still to give. */
  #ahead: number;

  constructor(private readonly leaks: Leaks, passed: string) {
    const schemas = new Map(leaks.tools.map(({ name, parameters }) => [name, parameters]));
    this.#offered = (name, exactly) =>
      schemas.get(name) ?? (exactly ? undefined : schemas.get(our_name(name)));
    this.#shown = new Splitter(EVERY_DIALECT, this.#offered);
    this.#ahead = passed.length;
    this.#show(this.#shown.push(passed));
  }

  /** The next piece of text; what of it is known to be no call. */
  push(text: string): string {
    return this.#show(this.#shown.push(text));
  }

  /** The whole reply with its calls, and what was held back of its text. */
  end(reply: Reply): { readonly reply: Reply; readonly shown: string } {
    const cut = reply.finish === "length";
    const shown = this.#show(this.#shown.end(cut));
    const read = split(reply.content, { dialects: EVERY_DIALECT, offered: this.#offered, cut });
    return { reply: this.#with_calls(reply, read), shown };
  }

  #show(text: string): string {
    const fresh = text.slice(this.#ahead);
    this.#ahead = Math.max(0, this.#ahead - text.length);
    return fresh;
  }

  #with_calls(reply: Reply, read: Split): Reply {
    const thought = this.#thought(reply);
    const { found, dropped } = thought ?? read;
    if (found.length === 0 && !dropped && read.content === reply.content) {
      return with_shown(reply, read);
    }
    const content = read.content.trim();
    // The server has read the calls: what is left of them in the text may be the same ones.
    if (reply.tool_calls.length > 0) return { ...reply, content };
    const calls = found.filter(({ kind }) => kind === "call").map((heard, at) =>
      tool_call_of(heard, id_of(this.leaks, at))
    );
    const unread = found.flatMap((one) => one.kind === "call" ? [] : [`${one.name}: ${one.fault}`]);
    return {
      ...reply,
      content,
      tool_calls: calls,
      finish: reply.finish === "length" || calls.length === 0 ? reply.finish : "tool_calls",
      ...(dropped ? { dropped } : {}),
      ...(unread.length > 0 ? { unread: unread.join("; ") } : {}),
    };
  }

  /** Calls at the very end of thinking that never ended: there the model has gone over to acting. A rejected draft has words behind it. */
  #thought({ content, reasoning, still_thinking, finish }: Reply): Split | null {
    if (!still_thinking || content.trim() !== "" || finish === "length") return null;
    const read = split(reasoning, { dialects: MARKED, offered: this.#offered, cut: false });
    return reasoning.startsWith(read.content.trimEnd()) ? read : null;
  }
}

function id_of(leaks: Leaks, at: number): string {
  return `t${String(leaks.made() + at + 1).padStart(ID_DIGITS, "0")}`;
}

/** What the model wrote and the server could not read, if there are calls in it; one that stands alone may be of any tool: that there is none such, the model is told. */
export function reply_in(content: string, leaks: Leaks): Reply | null {
  const blank = { content, reasoning: "", tool_calls: [], finish: "stop", usage: null } as const;
  const { name, arguments: args } = fields(loose_json(content));
  if (is_text(name) && is_record(args)) {
    const call = { id: id_of(leaks, 0), name, arguments: JSON.stringify(args) };
    return { ...blank, content: "", tool_calls: [call], finish: "tool_calls" };
  }
  const { reply } = new LeakedCalls(leaks, "").end(blank);
  return reply.tool_calls.length > 0 ? reply : null;
}
