import { CHARS_PER_TOKEN, quarters_in } from "../context/estimate.ts";
import { key_hint } from "../model/server/credentials.ts";
import { complete, type Completion } from "../model/completion/complete.ts";
import type { ModelError } from "../model/errors.ts";
import type { Image, Reply } from "../model/message.ts";
import { type Heard, safe_url, type Target } from "../model/http/http.ts";
import type { Delta, RequestOptions } from "../model/wire.ts";
import { later } from "../config/timer.ts";
import type { ToolSchema } from "../tools/tool.ts";
import { EchoFilter, without_echo } from "./echo.ts";
import { History } from "./history.ts";
import type { Session } from "./session.ts";

/** The rest of the program is begun once the request is on its way; that blocks this thread for some milliseconds. */
const LATE_AFTER_MS = 3;

/** A reply in one piece, and the second try of a server that can't be asked, may take as many times the limit between two pieces: 10 minutes, as a hosted model has by default. */
const WHOLE_REPLY = 5;

export interface Request {
  readonly history: History;
  readonly tools: readonly ToolSchema[];
  readonly tool_choice: "auto" | "none";
  readonly signal: AbortSignal;
  /** What is said in this request only; null for nothing. */
  readonly reminder: string | null;
  /** Whether those who watch the run see the reply come. */
  readonly shown: boolean;
  /** Tokens it may take at most, if that is less than the settings say; 0: what they say. */
  readonly most_tokens: number;
  /** Whether the reply is held to the form of a call, where the server can do that. */
  readonly constrain: boolean;
}

export function next_reply(
  session: Session,
  options:
    & Pick<Request, "tool_choice" | "signal">
    & Partial<Pick<Request, "reminder" | "most_tokens" | "constrain">>,
): Promise<Completion> {
  const { history, tools } = session;
  const usual = { reminder: null, most_tokens: 0, shown: true, constrain: false };
  return request(session, { ...usual, ...options, history, tools });
}

/** A question beside the conversation, as for a summary or a grade: no tools, no stream, not in the history. Its tokens count. */
export function aside(
  session: Session,
  options: {
    readonly system: string;
    readonly user: string;
    readonly images?: readonly Image[];
    readonly signal: AbortSignal;
  },
): Promise<Completion> {
  const { wire, endpoint } = session;
  const { system, user, images, signal } = options;
  const history = new History(wire, endpoint.model);
  history.append({ role: "system", content: system });
  history.append({ role: "user", content: user, ...(images === undefined ? {} : { images }) });
  const quiet = { shown: false, reminder: null, most_tokens: 0, constrain: false };
  return request(session, { ...quiet, history, tools: [], tool_choice: "none", signal });
}

/** One reply of the model. Where none comes, or none that says anything, it is asked again, or another model is. */
async function request(session: Session, what: Request): Promise<Completion> {
  const first = await once(session, { ...what, stream: session.limits.stream });
  const lacks = (reply: Reply) =>
    lost_tools(session, what) ? "tools" : is_empty(reply) ? "words" : null;
  const good = first.kind === "reply" && lacks(first.reply) === null;
  if (good || what.signal.aborted) return first;
  const { ask_again } = await import("./ask_again.ts");
  const last = await ask_again(session, first, {
    history: what.history,
    signal: what.signal,
    again: ({ stream, silent }) => once(session, { ...what, stream, patient: silent }),
    lacks,
    tokens: () => measure(session),
  });
  // The others brought no more than the first.
  if (last.kind === "reply" || first.kind === "reply") return last;
  return { ...last, shown: last.shown || first.shown };
}

/** Whether the model never saw its tools: the server, asked in the meantime, says that it leaves them out. */
function lost_tools({ endpoint, wire }: Session, { tools }: Request): boolean {
  return endpoint.no_tools !== undefined && wire.tools_in_text !== true && tools.length > 0;
}

function is_empty(reply: Reply): boolean {
  return reply.content.trim() === "" && reply.tool_calls.length === 0 &&
    reply.unread === undefined && reply.finish !== "length";
}

async function once(
  session: Session,
  options: Request & { readonly stream: boolean; readonly patient?: boolean },
): Promise<Completion> {
  let looks = 0;
  const { endpoint, wire, limits, emit } = session;
  if (endpoint.sees === false && options.history.shows_images) return sees_nothing(endpoint);
  const response_format = options.constrain
    ? (await import("./constrain.ts")).held_to_a_call(session)
    : undefined;
  // A reply in one piece ends with its first byte.
  const first_byte_ms = options.stream
    ? limits.http.first_byte_ms
    : WHOLE_REPLY * limits.http.idle_ms;
  const not_yet = later(LATE_AFTER_MS, session.services);
  const incoming = new IncomingReply(emit, options.shown);
  const after = rest_of_body(session, options, response_format);
  const body = options.history.request(after, options.reminder);
  const [url, asked_at] = [endpoint.base_url + wire.path, performance.now()];
  const answer = await complete(wire, body, {
    target: request_target(session),
    limits: { ...limits.http, first_byte_ms },
    signal: options.signal,
    works: (heard) => works(session, heard, options.patient === true && ++looks < WHOLE_REPLY),
    transport: session.tape.exchange,
    // What the first call waits for takes longest, so it begins before the answer is read.
    on_answer: session.start_tools,
    on_delta: incoming.take,
    ...(options.tools.length > 0
      ? { leaks: { tools: options.tools, made: () => calls_read(options.history) } }
      : {}),
    on_writing: (writing) => void (options.shown && emit({ type: "writing", ...writing })),
    on_prefill: (prefill) => void (options.shown && emit({ type: "prefill", ...prefill })),
  });
  not_yet();
  emit({
    type: "request",
    url: safe_url(url),
    bytes: body.length,
    ms: Math.round(performance.now() - asked_at),
    error: answer.kind === "failed" ? answer.error.message : null,
  });
  incoming.end();
  // Not every schema can be made a grammar of.
  if (
    response_format !== undefined && answer.kind === "failed" && answer.error.kind === "bad_request"
  ) {
    return await once(session, { ...options, constrain: false });
  }
  const completion = tidied(answer, response_format !== undefined);
  incoming.finish(completion.kind === "reply");
  const reply = completion.kind === "reply" ? completion.reply : null;
  const error = await account(session, options, { reply, quarters: incoming.quarters });
  if (error !== null) return { kind: "failed", error };
  return completion.kind === "failed" ? { ...completion, shown: incoming.text } : completion;
}

export function request_target({ endpoint, wire }: Pick<Session, "endpoint" | "wire">): Target {
  const { base_url, headers, key, client, proxied } = endpoint;
  const url = base_url + wire.path;
  return { url, headers, key, client, proxied, key_hint: key_hint(endpoint) };
}

/** The part of a request after the messages, as the wire writes it. */
export function rest_of_body(
  session: Session,
  options: Request & { readonly stream: boolean },
  response_format?: RequestOptions["response_format"],
): string {
  const { endpoint, wire, limits, refused } = session;
  return wire.after({
    tools: options.tools,
    tool_choice: options.tool_choice,
    stream: options.stream,
    progress: endpoint.server === "llama.cpp",
    max_output_tokens: output_tokens(session, options.most_tokens),
    ...sampling_of(session),
    reasoning_effort: refused.has("reasoning_effort") ? undefined : limits.reasoning_effort,
    without: refused,
    ...(response_format === undefined ? {} : { response_format }),
    ...(endpoint.ollama === undefined ? {} : { ollama: endpoint.ollama }),
  });
}

/** Counts what an exchange took, and learns from it. `quarters`: of tokens received. Returns the error if the server left out a part. */
async function account(
  session: Session,
  options: Request,
  { reply, quarters }: { reply: Reply | null; quarters: number },
): Promise<ModelError | null> {
  // What a question aside took says nothing about the conversation.
  if (reply !== null && options.shown) correct(session, reply.usage?.input_tokens ?? 0);
  if (reply === null && quarters === 0) return null;
  const { charge, check_usage } = await session.services();
  const of_calls = (reply?.tool_calls ?? []).map((call) => quarters_in(call.name + call.arguments))
    .reduce((sum, one) => sum + one, 0);
  charge(session, {
    sent: options.history.tokens + (options.tools.length > 0 ? session.tool_tokens : 0),
    heard: Math.ceil((quarters + of_calls) / CHARS_PER_TOKEN),
    usage: reply?.usage ?? null,
    conversation: options.shown,
  });
  // Without tools, or with others, the prompt differs: its length says nothing.
  if (reply === null || !options.shown || options.tool_choice !== "auto") return null;
  const news = await check_usage(session, reply);
  if (news !== null && "kind" in news) return news;
  if (news !== null) session.endpoint = { ...session.endpoint, ...news };
  return null;
}

/** The user's own temperature, or all that the makers of the model say: their values belong together. */
function sampling_of(
  { endpoint, limits, refused }: Session,
): Pick<RequestOptions, "temperature" | "sampling"> {
  const { sampling } = endpoint;
  if (refused.has("temperature")) return { temperature: undefined };
  if (limits.temperature !== undefined || !limits.model_defaults || sampling === undefined) {
    return { temperature: limits.temperature };
  }
  const { temperature, ...more } = sampling;
  return { temperature, sampling: more };
}

/** Without an echo; a call that was to be written as text is like any other. */
function tidied(completion: Completion, constrained: boolean): Completion {
  if (completion.kind === "failed") return completion;
  const { reply } = completion;
  const tool_calls = constrained
    ? reply.tool_calls.map(({ dialect: _, ...call }) => call)
    : reply.tool_calls;
  return { kind: "reply", reply: { ...reply, content: without_echo(reply.content), tool_calls } };
}

/**
 * Asks the server in the way that fits what is known of it. That is found out while the first request is on its way: until then it may
 * load its model, and whoever finds it out has limits.
 */
async function works(
  { endpoint, is_asking }: Session,
  heard: Heard,
  patient: boolean,
): Promise<boolean> {
  if (is_asking) return true;
  const { is_working } = await import("../model/server/working.ts");
  return await is_working(endpoint, { heard, patient });
}

/** Some servers take images for a model that can't see, and leave them out. */
function sees_nothing({ model }: Session["endpoint"]): Completion {
  const message = `the server says that ${model} can't see images`;
  return { kind: "failed", error: { kind: "no_images", message, status: null } };
}

/** How many calls were read out of text so far: the last of their ids. */
function calls_read({ messages }: History): number {
  const ids = messages.flatMap((message) =>
    message.role === "tool" ? /^t(\d{8})$/.exec(message.tool_call_id)?.[1] ?? [] : []
  );
  return Math.max(0, ...ids.map(Number));
}

/** A reply may take a quarter of the window, to leave room for the prompt (issue on guards). Before the first reply it may be unknown. */
export function output_tokens(session: Session, most = 0): number {
  const { limits, endpoint, state } = session;
  const limited = [limits.max_output_tokens, most].filter((tokens) => tokens > 0);
  if (limited.length === 0) return 0;
  const unasked = state.steps === 0 && !endpoint.window_known && state.window.learned === null;
  return Math.min(...limited, unasked ? Infinity : most_output(session));
}

/** Tokens that a reply may take at most. */
export function most_output(session: Pick<Session, "endpoint" | "state">): number {
  return Math.floor(window_of(session) / 4);
}

/** Tokens that the model can hold, as far as is known by now. */
export function window_of({ endpoint, state }: Pick<Session, "endpoint" | "state">): number {
  return state.window.learned?.tokens ?? endpoint.context_window;
}

/** What a server may count for a token of the estimate. Beyond that it counts something else, or has cut the prompt. */
const LEAST_RATIO = 0.5;
const MOST_RATIO = 4;

/** Tokens of the next request: an estimate, corrected by what the server counted last. */
export function measure({ history, tool_tokens, state }: Session): number {
  return Math.ceil((history.tokens + tool_tokens) * state.window.token_ratio);
}

function correct({ history, tool_tokens, state }: Session, counted: number): void {
  const ratio = counted / (history.tokens + tool_tokens);
  if (ratio >= LEAST_RATIO && ratio <= MOST_RATIO) state.window.token_ratio = ratio;
}

/** One reply. Where it is not `shown`, it is only counted. */
class IncomingReply {
  /** Quarters of tokens that have come, by estimate. */
  quarters = 0;
  text = "";
  #last: "text_delta" | "reasoning_delta" = "text_delta";
  #began = false;
  readonly #whole = whole_characters();
  readonly #echo = new EchoFilter();

  constructor(private readonly emit: Session["emit"], private readonly shown: boolean) {}

  readonly take = ({ kind, text }: Delta): void => {
    this.quarters += quarters_in(text);
    if (!this.shown) return;
    this.#began = true;
    this.#last = kind === "text" ? "text_delta" : "reasoning_delta";
    const shown = this.#whole(kind === "text" ? this.#echo.push(text) : text);
    if (kind === "text") this.text += shown;
    if (shown !== "") this.emit({ type: this.#last, text: shown });
  };

  end(): void {
    const rest = this.shown ? this.#whole(this.#echo.end()) : "";
    this.text += rest;
    if (rest !== "") this.emit({ type: "text_delta", text: rest });
  }

  /** The reply, or the attempt at one, is over; `came`: whether it is a reply. */
  finish(came: boolean): void {
    if (!this.#began && !(this.shown && came)) return;
    this.emit({ type: this.#last, text: "", finished: true });
  }
}

/** Passes text on in whole characters: half of one waits for its other half, and is replaced where that never comes. */
function whole_characters(): (text: string) => string {
  let half = "";
  return (text) => {
    const all = half + text;
    const last = all.charCodeAt(all.length - 1);
    half = last >= 0xd800 && last <= 0xdbff ? all.slice(-1) : "";
    return all.slice(0, all.length - half.length).toWellFormed();
  };
}
