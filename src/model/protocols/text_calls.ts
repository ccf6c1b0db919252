import type { Dialect } from "../../dialects/dialect.ts";
import { hermes, hermes_block } from "../../dialects/hermes.ts";
import { split, Splitter } from "../../dialects/splitter.ts";
import type { ToolSchema } from "../../tools/tool.ts";
import type { ModelError } from "../errors.ts";
import { tool_call_of, with_shown } from "./heard_call.ts";
import type { Image, Message, Reply } from "../message.ts";
import type { Collector, Delta, Prefill, Wire } from "../wire.ts";
import { defused } from "../../config/text.ts";

const DIALECTS: readonly Dialect[] = [hermes];

/** The system message for a wire that calls tools in text. */
export function with_catalog(system: string, tools: readonly ToolSchema[]): string {
  return `${system}\n\n${catalog(tools)}`;
}

/** A wire for models without tools: calls are read out of the text of replies, and calls and results go back as text. */
export function text_calls(wire: Wire): Wire {
  // Grows with each call that is encoded, so that no two ids are the same. Counts on where a session is loaded again.
  let made = 0;
  return {
    ...wire,
    tools_in_text: true,
    encode(messages) {
      for (const message of messages) {
        if (message.role === "assistant") made += message.tool_calls?.length ?? 0;
      }
      return wire.encode(plain(messages));
    },
    after: (ask) => wire.after({ ...ask, tools: [] }),
    collector: (url) => new TextCollector(wire.collector(url), made),
  };
}

/** Calls and results as text: results are a user's words, and those of one step are one message, so that roles alternate. */
function plain(messages: readonly Message[]): Message[] {
  const out: Message[] = [];
  let results: string[] = [];
  let images: Image[] = [];
  const flush = () => {
    if (results.length > 0) {
      const seen = images.length > 0 ? { images } : {};
      out.push({ role: "user", content: results.join("\n"), ...seen });
    }
    [results, images] = [[], []];
  };
  for (const message of messages) {
    if (message.role === "tool") {
      // Only `hamr` may speak in this tag.
      const content = defused(message.content, "tool_response");
      results.push(`<tool_response>\n${content}\n</tool_response>`);
      images.push(...message.images ?? []);
      continue;
    }
    flush();
    out.push(message.role === "assistant" ? as_text(message) : without_call(message));
  }
  flush();
  return out;
}

/** Calls are text, so nothing can be the result of one. */
function without_call(message: Message): Message {
  if (message.role !== "user" || message.after === undefined) return message;
  const { after: _, ...plain } = message;
  return plain;
}

function as_text({ content, tool_calls = [] }: Extract<Message, { role: "assistant" }>): Message {
  const blocks = tool_calls.map((call) => hermes_block(call.name, call.arguments));
  return {
    role: "assistant",
    content: [content, ...blocks].filter((part) => part !== "").join("\n"),
  };
}

/** Takes the calls out of the text that another collector gathers. */
class TextCollector implements Collector {
  readonly #shown = new Splitter(DIALECTS);

  constructor(private readonly inner: Collector, private readonly made: number) {}

  get finished(): boolean {
    return this.inner.finished;
  }

  get prefill(): Prefill | null {
    return this.inner.prefill ?? null;
  }

  take(value: unknown): Delta[] | ModelError {
    const news = this.inner.take(value);
    if ("kind" in news) return news;
    const shown = news.map(({ kind, text }): Delta => ({
      kind,
      text: kind === "text" ? this.#shown.push(text) : text,
    }));
    if (this.inner.finished) shown.push({ kind: "text", text: this.#shown.end(false) });
    return shown.filter(({ text }) => text !== "");
  }

  reply(): Reply {
    const reply = this.inner.reply();
    const cut = reply.finish === "length";
    const read = split(reply.content, { dialects: DIALECTS, cut });
    const { content, found, dropped } = read;
    if (found.length === 0 && !dropped) return with_shown(reply, read);
    return {
      ...reply,
      content: content.trim(),
      tool_calls: [
        ...reply.tool_calls,
        ...found.map((heard, at) => tool_call_of(heard, `text_${this.made + at + 1}`)),
      ],
      finish: cut ? "length" : "tool_calls",
      ...(dropped ? { dropped } : {}),
    };
  }
}

/** The tools and how they are called, for the system message, in the words that Qwen and Hermes models were trained on. The same bytes for the same tools. */
function catalog(tools: readonly ToolSchema[]): string {
  return `# Tools
These are your tools, with a JSON schema of their arguments:
<tools>
${tools.map((tool) => JSON.stringify(tool)).join("\n")}
</tools>
To call one, write a block like this, on lines of its own and outside of code fences:
${hermes_block("read", '{"path":"README.md"}')}
Inside it is one JSON object: in strings, line breaks are \\n and quotes are \\". Several blocks may follow one another. ` +
    `After your calls, stop: the results come back in <tool_response> tags, in the same order. To end, answer without a block.`;
}
