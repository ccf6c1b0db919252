/** What a scripted model says, and how an OpenAI-compatible server puts it on the wire. */

/** One call of a tool by the scripted model. */
export interface Call {
  readonly name: string;
  /** An object is serialized; a string goes out as it is, whether or not it is JSON. */
  readonly args: Readonly<Record<string, unknown>> | string;
  /** Default: `call_<request>_<index>`. */
  readonly id?: string;
}

/** Token counts, in the wire's names. */
export interface WireUsage {
  readonly prompt_tokens: number;
  readonly completion_tokens: number;
  readonly cached_tokens?: number;
  readonly reasoning_tokens?: number;
}

/** One reply of the scripted model. Everything is optional: `{}` is an empty reply that ends in `stop`. */
export interface Reply {
  readonly text?: string;
  readonly reasoning?: string;
  readonly calls?: readonly Call[];
  /** Default `tool_calls` where there are calls, else `stop`; null: no finish reason is ever sent. */
  readonly finish?: string | null;
  /** Default 10 prompt and 5 completion tokens; null: not reported. */
  readonly usage?: WireUsage | null;

  /** HTTP status. Default 200. */
  readonly status?: number;
  /** The response body, byte for byte, instead of one made of the fields above. */
  readonly body?: string | Uint8Array;
  /** Content type. Default: what an OpenAI-compatible server would say. */
  readonly type?: string;
  readonly headers?: Readonly<Record<string, string>>;

  /** Milliseconds before the response headers. */
  readonly delay_ms?: number;
  /** It waits until this has been asked for: `METHOD /path`. */
  readonly after?: string;
  /** Write the body in pieces of this many bytes, each an HTTP chunk of its own. */
  readonly every?: number;
  /** Stop after this many bytes of the body. */
  readonly cut_after?: number;
  /**
   * How the cut looks: the socket is closed in the middle (default), or the body ends as if it were whole.
   * A cut before the first byte is always of the second kind: Deno's server holds the headers until then.
   */
  readonly cut?: "abrupt" | "clean";
  /** Send this many bytes of the body, then nothing, and keep the socket open. */
  readonly stall_after?: number;
  /** Send no header at all, and keep the socket open. */
  readonly silent?: boolean;
  /** Characters of text and of arguments a delta. Default: the whole in one. */
  readonly fragment?: number;
  /** A comment line between the events, as llama.cpp sends while it works. */
  readonly keep_alive?: boolean;
  /** Line ending of the stream. Default `\n`. */
  readonly eol?: "\n" | "\r\n" | "\r";
  /** Fragments of several calls take turns instead of one call after the other. */
  readonly interleave?: boolean;
}

const MODEL = "scripted";

function arguments_of(call: Call): string {
  return typeof call.args === "string" ? call.args : JSON.stringify(call.args);
}

function usage_of(reply: Reply): Record<string, unknown> | null {
  if (reply.usage === null) return null;
  const usage = reply.usage ?? { prompt_tokens: 10, completion_tokens: 5 };
  return {
    prompt_tokens: usage.prompt_tokens,
    completion_tokens: usage.completion_tokens,
    total_tokens: usage.prompt_tokens + usage.completion_tokens,
    prompt_tokens_details: { cached_tokens: usage.cached_tokens ?? 0 },
    completion_tokens_details: { reasoning_tokens: usage.reasoning_tokens ?? 0 },
  };
}

function finish_of(reply: Reply): string | null {
  if (reply.finish !== undefined) return reply.finish;
  return reply.calls?.length ? "tool_calls" : "stop";
}

/** Cuts text by characters (not bytes: a delta is a JSON string), never to nothing. */
function pieces(text: string, size: number | undefined): string[] {
  if (size === undefined) return [text];
  const characters = [...text];
  const out: string[] = [];
  for (let i = 0; i < characters.length; i += size) {
    out.push(characters.slice(i, i + size).join(""));
  }
  return out.length > 0 ? out : [""];
}

/** The id the scripted model gives to call `index` of its reply to request `n`. */
export function call_id(call: Call, n: number, index: number): string {
  return call.id ?? `call_${n}_${index}`;
}

/** The deltas of the calls: the first carries id, name and the first fragment, later ones the index and the rest. */
function call_deltas(reply: Reply, n: number): Record<string, unknown>[] {
  const lanes = (reply.calls ?? []).map((call, index) =>
    pieces(arguments_of(call), reply.fragment).map((fragment, i) => ({
      tool_calls: [
        i === 0
          ? {
            index,
            id: call_id(call, n, index),
            type: "function",
            function: { name: call.name, arguments: fragment },
          }
          : { index, function: { arguments: fragment } },
      ],
    }))
  );
  if (!reply.interleave) return lanes.flat();
  const out: Record<string, unknown>[] = [];
  for (let i = 0; lanes.some((lane) => i < lane.length); i++) {
    for (const lane of lanes) {
      const delta = lane[i];
      if (delta !== undefined) out.push(delta);
    }
  }
  return out;
}

/** The body of a streamed reply to request `n`. */
export function stream_body(reply: Reply, n: number, include_usage: boolean): string {
  const eol = reply.eol ?? "\n";
  const chunk = (choices: unknown[], usage?: unknown) =>
    JSON.stringify({
      id: `chatcmpl-${n}`,
      object: "chat.completion.chunk",
      created: 1_700_000_000,
      model: MODEL,
      choices,
      ...(usage === undefined ? {} : { usage }),
    });
  const delta = (value: unknown, finish: string | null = null) =>
    chunk([{ index: 0, delta: value, finish_reason: finish }]);
  const events = [delta({ role: "assistant", content: null })];
  if (reply.reasoning !== undefined) {
    for (const piece of pieces(reply.reasoning, reply.fragment)) {
      events.push(delta({ reasoning_content: piece }));
    }
  }
  if (reply.text !== undefined) {
    for (const piece of pieces(reply.text, reply.fragment)) events.push(delta({ content: piece }));
  }
  for (const call of call_deltas(reply, n)) events.push(delta(call));
  const finish = finish_of(reply);
  if (finish !== null) events.push(delta({}, finish));
  const usage = usage_of(reply);
  if (include_usage && usage !== null) events.push(chunk([], usage));
  if (finish !== null) events.push("[DONE]");
  const comment = reply.keep_alive ? `:${eol}${eol}` : "";
  return events.map((event) => `${comment}data: ${event}${eol}${eol}`).join("");
}

/** The body of a reply that was not asked for as a stream. */
export function whole_body(reply: Reply, n: number): string {
  const usage = usage_of(reply);
  return JSON.stringify({
    id: `chatcmpl-${n}`,
    object: "chat.completion",
    created: 1_700_000_000,
    model: MODEL,
    choices: [{
      index: 0,
      finish_reason: finish_of(reply),
      message: {
        role: "assistant",
        content: reply.text ?? null,
        ...(reply.reasoning === undefined ? {} : { reasoning_content: reply.reasoning }),
        ...(reply.calls === undefined ? {} : {
          tool_calls: reply.calls.map((call, index) => ({
            id: call_id(call, n, index),
            type: "function",
            function: { name: call.name, arguments: arguments_of(call) },
          })),
        }),
      },
    }],
    ...(usage === null ? {} : { usage }),
  });
}

/** A reply that calls one tool. */
export function call(name: string, args: Call["args"]): Reply {
  return { calls: [{ name, args }] };
}

/** A reply that runs one shell command. */
export function bash(command: string, timeout?: number): Reply {
  return call("bash", timeout === undefined ? { command } : { command, timeout });
}

/** A reply that ends a turn. */
export function say(text: string): Reply {
  return { text };
}

/** Sentence that no gate of any mode but `patch` and `verify` has a reason to reject. */
export const ANSWER = "The function returns the sum of both of its arguments.";
