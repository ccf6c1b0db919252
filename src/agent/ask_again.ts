/** Handles failed requests: leaves out what the server refuses, waits for busy servers, reads the key again, tries the next provider. Loaded on the first failure. */
import { message_of, plural } from "../config/text.ts";
import type { Completion } from "../model/completion/complete.ts";
import type { Endpoint } from "../model/server/endpoint.ts";
import { type ModelError, short_line, UNFOUND_HINT, unread_call } from "../model/errors.ts";
import { is_loopback } from "../model/http/http.ts";
import {
  type Decision,
  is_for_another,
  type MadeTries,
  next_try,
} from "../model/completion/retry.ts";
import { refusal_of } from "../model/refusals.ts";
import { later } from "../config/timer.ts";
import type { Reply } from "../model/message.ts";
import type { History } from "./history.ts";
import type { Session, Spare } from "./session.ts";
import { do_without, go_on_with, model_name } from "./switch_model.ts";

interface Again {
  readonly history: History;
  readonly signal: AbortSignal;
  readonly again: (how: Pick<Tries, "stream" | "silent">) => Promise<Completion>;
  /** What makes a reply unusable: it says nothing, or the model never saw its tools. */
  readonly lacks: (reply: Reply) => "words" | "tools" | null;
  /** Tokens of the conversation, as it would be sent now. */
  readonly tokens: () => number;
}

/** What was done about a request with the provider that it now goes to. */
interface Tries extends MadeTries {
  stream: boolean;
  renewed: boolean;
  /** It was asked again because it sent nothing. */
  silent: boolean;
  /** Something of a reply that failed was seen. */
  seen: boolean;
}

interface Trouble {
  readonly error: ModelError;
  readonly tries: Tries;
  readonly what: Again;
}

interface Failure {
  readonly name: string;
  readonly error: ModelError;
}

const IN_ONE_PIECE = "asking for it in one piece, so nothing shows until it is complete";

/** Length of each error, where several providers have failed. */
const QUOTED_CHARS = 200;

/** The reply in the end, or the error that nothing helped against. What failed tries have brought is gone. */
export async function ask_again(
  session: Session,
  first: Completion,
  what: Again,
): Promise<Completion> {
  const failures: Failure[] = [];
  session.state.window.held = null;
  let tries = fresh(session, session.state.steps > 0);
  for (let answer = first;; answer = await what.again(tries)) {
    if (what.signal.aborted) return answer.kind === "reply" ? answer : CANCELLED;
    if (answer.kind === "reply") {
      if (await wants_more(session, { reply: answer.reply, tries, what })) continue;
      const came = !tries.stream && !tries.seen && what.lacks(answer.reply) === null;
      if (came) await doubt_streams(session, what.history);
      return answer;
    }
    const { error } = answer;
    if (error.kind === "cancelled") return answer;
    tries.answered ||= was_there(error);
    tries.seen ||= (answer.shown ?? "") !== "";
    const remedy = await remedy_for(session, { error, tries, what });
    if (what.signal.aborted) return CANCELLED;
    if (remedy.kind === "ask") continue;
    const failure: Failure = {
      name: model_name(session.endpoint),
      error: { ...error, message: remedy.message },
    };
    // In the conversation words can take the place of an image; a question about one needs another model.
    const about_image = error.kind === "no_images" && what.history !== session.history;
    const goes_on = (about_image || is_for_another(error)) &&
      await fall_back(session, failure, what);
    failures.push(failure);
    // The same request may lead to the same call, over and over: only other words lead out of that.
    const unread = what.history === session.history ? unread_call(error) : undefined;
    if (!goes_on && unread !== undefined) return { kind: "reply", reply: { ...NOTHING, unread } };
    if (!goes_on) return gave_up(failures);
    tries = fresh(session, false);
    const narrow = too_long(session, what);
    if (narrow !== null) return narrow;
  }
}

/** Whether somebody was there to fail: a connection that broke, or an answer. */
function was_there({ kind, lasting, status }: ModelError): boolean {
  return kind === "cut" || kind === "stalled" || status !== null ||
    (kind === "connection" && lasting !== true);
}

const CANCELLED: Completion = {
  kind: "failed",
  error: { kind: "cancelled", message: "the request was canceled", status: null },
};

const NOTHING = {
  content: "",
  reasoning: "",
  tool_calls: [],
  finish: "stop",
  usage: null,
} as const;

function fresh({ limits, endpoint }: Session, answered: boolean): Tries {
  const local = is_loopback(endpoint.base_url);
  const { stream } = limits;
  const none = { looks: 0, loading_ms: 0, away_ms: 0, renewed: false, silent: false, seen: false };
  // Nobody else says that, and it may have crashed over the first request.
  const was_asked = local && endpoint.model_window !== undefined;
  return { made: 1, ...none, stream, local, answered: answered || was_asked };
}

/** Whether there is still no usable reply, and what was done about it. */
async function wants_more(
  session: Session,
  { reply, tries, what }: { reply: Reply; tries: Tries; what: Again },
): Promise<boolean> {
  tries.answered = true;
  const lack = what.lacks(reply);
  if (lack === "tools") {
    await do_without(session, "tools", what.history);
    const why = session.endpoint.no_tools ?? "";
    tell_of_text_calls(session, why);
    tell(session, { tries, reason: why });
    return true;
  }
  if (lack === null || !tries.stream) return false;
  tries.stream = false;
  tell(session, { tries, reason: "the reply was empty" });
  return true;
}

/** llama-cpp-python with a chat format that calls tools, Portkey on Node 20: no stream of theirs ever comes. */
async function doubt_streams(session: Session, asked: History): Promise<void> {
  if (!session.limits.stream) return;
  const again = session.refused.has("one_stream");
  await do_without(session, again ? "stream" : "one_stream", asked);
  if (again) warn(session, "streaming does not work here: replies come in one piece from now on");
}

type Remedy =
  | { readonly kind: "ask" }
  /** There is none; the error in words, with what was tried. */
  | { readonly kind: "none"; readonly message: string };

const ASK: Remedy = { kind: "ask" };

async function remedy_for(session: Session, { error, tries, what }: Trouble): Promise<Remedy> {
  const { limits: { retry: settings } } = session;
  const none: Remedy = { kind: "none", message: error.message };
  if (await leave_out(session, { error, tries, what })) return ASK;
  if (error.silent && !tries.silent) {
    tries.silent = true;
    tell(session, { tries, reason: error.message });
    return ASK;
  }
  if (tries.stream && (error.kind === "cut" || (error.kind === "stalled" && !error.silent))) {
    tries.stream = false;
    tell(session, { tries, reason: `${error.message}; ${IN_ONE_PIECE}` });
    // A crash cuts a reply, too: whoever is there by now is asked what it is.
    if (error.kind === "cut") await meet_again(session, what.history);
    return ASK;
  }
  if (error.kind === "auth") return await renew(session, { error, tries });
  for (;;) {
    const decision = next_try(error, tries, { settings });
    // Where a stream fails over and over, or breaks off behind a gateway, one piece may come.
    if (error.kind === "server" && (error.status ?? 500) === 500 && tries.made > 1) {
      tries.stream = false;
    }
    if (decision.kind === "stop") {
      if (error.message.endsWith(UNFOUND_HINT)) return await unfound(session, error.message);
      return decision.because === ""
        ? none
        : { kind: "none", message: `${error.message}; ${decision.because}` };
    }
    if (await wait(session, { decision, error, tries, what })) return ASK;
  }
}

/** What was asked for is not there: the model, as far as the server lists those that it has. */
async function unfound({ endpoint, tape }: Session, message: string): Promise<Remedy> {
  const names = await tape.ask("models_there", async () => {
    const { reach } = await import("../model/server/reach.ts");
    return (await reach(endpoint)).others ?? "";
  });
  const words = `; the models there: ${names}`;
  return { kind: "none", message: names === "" ? message : message.replace(UNFOUND_HINT, words) };
}

/** Waits as was decided; whether the request can be sent again. */
async function wait(
  session: Session,
  { decision: { ms: wait_ms, until }, error, tries, what }: Trouble & {
    decision: Extract<Decision, { kind: "wait" }>;
  },
): Promise<boolean> {
  const reason = until === undefined
    ? error.message
    : `${error.message} (waiting until it is ${until})`;
  tell(session, { tries, reason, wait_ms, look: until !== undefined });
  if (until === "loaded") tries.loading_ms += wait_ms;
  if (until === "back") tries.away_ms += wait_ms;
  await session.tape.ask("wait", () => pause(wait_ms, what.signal));
  if (until === undefined || what.signal.aborted) return true;
  // The server has said what it is by now, and the request is sized by that.
  await session.services();
  return await meet_again(session, what.history);
}

/** The server that is there now may have another model, or another window. False: none is there, or it is not ready. */
async function meet_again(session: Session, asked: History): Promise<boolean> {
  const { endpoint: before } = session;
  // One that has never said what it is won't now.
  if (before.server === undefined && before.api_mode !== "ollama_chat") return true;
  const endpoint = await (await session.fallbacks()).asked_again(before);
  if (endpoint === null || told_of(endpoint) === told_of(before)) return endpoint !== null;
  const { model, context_window } = endpoint;
  if (before.window_known && (model !== before.model || context_window !== before.context_window)) {
    warn(session, `the server is back with ${model}, window ${plural(context_window, "token")}`);
  }
  await go_on_with(session, endpoint, asked);
  return true;
}

function told_of(endpoint: Endpoint): string {
  const { model, context_window, server, no_tools, sees } = endpoint;
  const { hides_calls, takes_reasoning, nudges_as_results } = endpoint;
  const habits = [hides_calls, takes_reasoning, nudges_as_results];
  return JSON.stringify([model, context_window, server, no_tools, sees, ...habits]);
}

/** Leaves out of requests what the server has refused, once and for the rest of the run. */
async function leave_out(session: Session, { error, tries, what }: Trouble): Promise<boolean> {
  const refusal = refusal_of(error, session.refused);
  if (refusal === null) return false;
  await do_without(session, refusal, what.history);
  switch (refusal) {
    case "temperature":
    case "reasoning_effort":
      warn(session, `the model does not accept ${refusal}: left out (${error.message})`);
      break;
    case "cache_control":
      warn(
        session,
        `the server takes no cache_control for the conversation, and may read all of it again at each step (${error.message})`,
      );
      break;
    case "tools":
      tell_of_text_calls(session, error.message);
      break;
    case "stream":
    case "one_piece":
      tries.stream = refusal === "one_piece";
      break;
    case "chat_completions":
      warn(
        session,
        "the model is asked over the Responses API from now on, as with --api-mode codex_responses",
      );
      break;
    default: // Nobody would miss the others.
  }
  tell(session, { tries, reason: error.message });
  return true;
}

function tell_of_text_calls(session: Session, why: string): void {
  warn(session, `tools are called in text from now on, as with --tool-call-format prompt: ${why}`);
}

/** Reads the key again, or takes the next one, once; asking again makes sense only with another one. */
async function renew(session: Session, { error, tries }: Omit<Trouble, "what">): Promise<Remedy> {
  if (tries.renewed) return { kind: "none", message: error.message };
  tries.renewed = true;
  try {
    const fallbacks = await session.fallbacks();
    const endpoint = await fallbacks.renewed(session.endpoint);
    if (endpoint === null) return { kind: "none", message: error.message };
    const { key_env } = session.endpoint;
    const which = endpoint.key_env === key_env
      ? "the key was read again"
      : `trying the one in ${endpoint.key_env}`;
    session.endpoint = endpoint;
    tell(session, { tries, reason: `${error.message}; ${which}` });
    return ASK;
  } catch (problem) {
    return { kind: "none", message: `${error.message}; ${message_of(problem)}` };
  }
}

/** Goes on with the next provider that can be used; false if there is none. */
async function fall_back(session: Session, failure: Failure, what: Again): Promise<boolean> {
  const fallbacks = await session.fallbacks();
  for (;;) {
    const spare = fallbacks.next();
    if (spare === null) return false;
    const endpoint = await usable(session, spare);
    if (what.signal.aborted) return true;
    if (endpoint === null) continue;
    const [from, to] = [failure.name, model_name(endpoint)];
    session.emit({ type: "fallback", from, to });
    warn(session, `${from} failed, ${to} took over: ${failure.error.message}`);
    await go_on_with(session, endpoint, what.history);
    return true;
  }
}

async function usable(session: Session, spare: Spare) {
  try {
    return await spare.endpoint();
  } catch (error) {
    warn(session, `${spare.name} cannot be used: ${message_of(error)}`);
    return null;
  }
}

/** A smaller window than that of the one before: what does not fit is not even sent. */
function too_long(session: Session, { history, tokens: count }: Again): Completion | null {
  const { endpoint } = session;
  if (history !== session.history || !endpoint.window_known) return null;
  history.seal();
  const tokens = count();
  if (tokens <= endpoint.context_window) return null;
  const message = `the conversation takes ${tokens} tokens, and the window of ` +
    `${model_name(endpoint)} is ${endpoint.context_window}`;
  return { kind: "failed", error: { kind: "context_overflow", message, status: null } };
}

/** The last error, with those before it. It is one of keys only where each provider has refused one. */
function gave_up(failures: readonly Failure[]): Completion {
  // The last one, unless others failed over more than a key.
  const why = failures.findLast(({ error }) => error.kind !== "auth") ?? failures.at(-1) as Failure;
  const at = failures.indexOf(why);
  const told = (some: readonly Failure[], when: string) => {
    const list = some.map((one) => `${one.name}: ${short_line(one.error.message, QUOTED_CHARS)}`);
    return list.length === 0 ? "" : `; failed ${when} that: ${list.join("; ")}`;
  };
  const message = why.error.message + told(failures.slice(0, at), "before") +
    told(failures.slice(at + 1), "after");
  return { kind: "failed", error: { ...why.error, message } };
}

function tell(session: Session, { tries, reason, wait_ms = 0, look = false }: {
  tries: Tries;
  reason: string;
  wait_ms?: number;
  /** It is only looked whether the server can be asked again. */
  look?: boolean;
}): void {
  const attempt = tries.made + tries.looks;
  if (look) tries.looks++;
  else tries.made++;
  session.emit({ type: "retry", reason, attempt, wait_ms });
}

function warn({ emit }: Session, message: string): void {
  emit({ type: "warning", message });
}

/** Milliseconds in which nothing happens, unless the signal ends them. */
function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const over = () => {
      stop();
      signal.removeEventListener("abort", over);
      resolve();
    };
    const stop = later(ms, over);
    signal.addEventListener("abort", over);
    if (signal.aborted) over();
  });
}
