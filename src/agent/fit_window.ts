/** Keeps requests within the model's window. */
import { budget_of } from "../context/budget.ts";
import type { Compacted } from "../context/compact.ts";
import type { Stop } from "../guards/rule.ts";
import type { Completion } from "../model/completion/complete.ts";
import { type ModelError, named_window } from "../model/errors.ts";
import type { Message } from "../model/message.ts";
import { is_ollama } from "../model/server/endpoint.ts";
import { NoModelError } from "../model/server/provider.ts";
import { aside, measure, next_reply, output_tokens, type Request, window_of } from "./ask.ts";
import { ask_rules } from "./ask_rules.ts";
import { internal, NO_REPLY, without_internal, without_tag } from "./history.ts";
import type { Session } from "./session.ts";

/** What must have come on top before another compaction is tried: else one that brings little would be tried at every step. */
const REGROWTH = 0.1;
/** A compaction that frees less of what was there than this has not worked. */
const LEAST_FREED = 0.05;
/** Where nothing is compacted unless the user says so: part of the budget that one has to come down to then. */
const WANTED = 0.75;
const COMPACTIONS = 8;
/** Requests that are made smaller, one after the other, because the server says that they are too long. */
const OVERFLOWS = 2;
/** Part of the budget that the user's words of before may take, next to a summary. */
const HEARD_SHARE = 0.1;
/** Tokens of a window that must be left for a reply to a prompt that fits. */
const ROOM = 2048;
export const REPLACED =
  "To make room, older messages of this session were replaced by what follows. Go on from here.";

/** Makes room where the history has grown too large; what ends the run where there is none to be made. */
export async function fit_window(session: Session, signal: AbortSignal): Promise<Stop | null> {
  const { history, state, limits: { context } } = session;
  history.seal();
  // What the server is, is being asked while the first request is in flight.
  if (state.steps === 0) return null;
  const budget = budget_for(session);
  const before = measure(session);
  const critical = (context.critical_at || Infinity) * budget;
  const start = context.compact_at > 0
    ? Math.min(
      critical,
      Math.max(context.compact_at * budget, state.context.compacted + REGROWTH * budget),
    )
    : critical;
  if (before < start) return null;
  const worked = context.compact_at > 0 && await compact(session, budget, signal);
  // A summary has its price, too.
  const spent = ask_rules(session, session.guards, { at: "aside" });
  if (spent.kind === "stop") return spent;
  const after = measure(session);
  if (after < critical || signal.aborted) return null;
  const full = `the conversation takes ${after} of the ${budget} tokens that fit`;
  const verdict: Stop = worked && after <= budget
    ? { kind: "stop", reason: "context_full", text: full }
    : {
      kind: "stop",
      reason: "budget_exhausted",
      text: context.compact_at > 0
        ? `${full}, and compaction can't make it smaller`
        : `${full}, and nothing is compacted: context.compact_at is 0`,
    };
  session.emit({ type: "guard", name: "context", message: verdict.text, action: "stopped" });
  return verdict;
}

/** Makes the history smaller now, because the user wants it: as if no more would fit than there is. Whether that worked. */
export async function compact_now(session: Session, signal: AbortSignal): Promise<boolean> {
  session.history.seal();
  const budget = Math.min(budget_for(session), measure(session));
  return await compact(session, budget, signal);
}

/** The next reply; a request that the server calls too long is made smaller and sent again. */
export async function ask_fitting(
  session: Session,
  options: Pick<Request, "signal" | "reminder" | "constrain">,
): Promise<Completion> {
  const { signal } = options;
  for (let overflows = 0;; overflows++) {
    const answer = await next_reply(session, { tool_choice: "auto", ...options });
    if (answer.kind === "failed" && answer.error.kind === "no_images" && !signal.aborted) {
      const { go_blind } = await import("./vision.ts");
      if (await go_blind(session, answer.error, signal)) continue;
    }
    if (
      answer.kind === "reply" || answer.error.kind !== "context_overflow" ||
      overflows >= OVERFLOWS || signal.aborted || session.limits.context.compact_at === 0
    ) return answer;
    const { history, endpoint } = session;
    const is_first = history.messages.length === history.opening.length;
    // 413 is not Ollama's, but a proxy's on the way.
    if (is_ollama(endpoint) && is_first && answer.error.status !== 413) {
      return await too_small(session, answer.error);
    }
    if (!is_ollama(endpoint) && shorter_reply_fits(session, answer.error)) continue;
    // The server knows better: what was sent is more than all that fits.
    session.state.window.refused_at = measure(session);
    if (!await compact(session, budget_for(session), signal)) return answer;
  }
}

/** Learns the window that the server names; whether it holds what was sent and a reply that is shorter than what was asked for. */
function shorter_reply_fits(session: Session, { message }: ModelError): boolean {
  const { endpoint: { base_url, model }, state: { window } } = session;
  const tokens = named_window(message);
  if (tokens === null) return false;
  const asked = output_tokens(session);
  const counted_by = `${base_url} ${model}`;
  Object.assign(window, { learned: { tokens, known: true }, counted_by });
  const room = output_tokens(session);
  if (room >= asked || measure(session) + room > tokens) return false;
  const reason = `the server has a window of ${tokens} tokens: replies are limited to ${room}`;
  session.emit({ type: "retry", reason, attempt: 1, wait_ms: 0 });
  return true;
}

/** Nothing can be left out of a first request, and Ollama gives less than was asked for without a word: a matter of settings. */
async function too_small(session: Session, error: ModelError): Promise<Completion> {
  const { larger_window } = await import("../model/server/larger_window.ts");
  await session.services();
  const { endpoint } = session;
  const needed = Math.max(measure(session) + ROOM, endpoint.context_window + 1);
  const message = `${error.message}; ${larger_window(endpoint, needed)}`;
  return { kind: "failed", error: { ...error, kind: "truncated", message } };
}

function budget_for(session: Session): number {
  const { limits, state } = session;
  const budget = budget_of({
    window: window_of(session),
    max_output_tokens: limits.max_output_tokens,
    most: limits.context.context_budget_tokens,
  });
  return state.window.refused_at > 0 ? Math.min(budget, state.window.refused_at) : budget;
}

/** One compaction; whether it made the history smaller. */
async function compact(session: Session, budget: number, signal: AbortSignal): Promise<boolean> {
  const { history, state, limits: { context }, tool_tokens, emit } = session;
  const { compact } = await import("../context/compact.ts");
  const { shortened_to } = await import("../context/clean.ts");
  const tokens_before = measure(session);
  if (extracts(session)) {
    const { extract_before } = await import("./extract.ts");
    await extract_before(session, signal);
  }
  const result: Compacted = await compact(history.messages, {
    ...context,
    fits: context.compact_at || WANTED,
    budget: budget / state.window.token_ratio - tool_tokens,
    tokens_of: history.tokens_of,
    before: state.context.summary,
    task: without_internal(history.opening[1]?.content ?? ""),
    summarize: (transcript) => summarize(session, { transcript, signal }),
    assemble: (summary, tail) => {
      const heard = shortened_to(heard_before(session, tail).join("\n\n"), HEARD_SHARE * budget);
      return assemble(session, { summary, heard, tail });
    },
  });
  if (signal.aborted) return false;
  const tokens_after = Math.ceil((result.tokens + tool_tokens) * state.window.token_ratio);
  if (tokens_after > tokens_before * (1 - LEAST_FREED)) {
    state.context.compacted = tokens_before;
    return false;
  }
  state.context.heard = heard_before(session, result.messages);
  history.replace(result.messages);
  history.seal();
  state.context.summary = result.summary;
  // The next request takes less than the last one did.
  state.context.last = null;
  state.window.counted = 0;
  state.context.compacted = tokens_after;
  state.context.compactions = [...state.context.compactions, state.steps].slice(-COMPACTIONS);
  emit({ type: "compaction", stage: result.stage, tokens_before, tokens_after });
  return true;
}

function extracts({ limits, subagent }: Session): boolean {
  return limits.extract && !limits.dry_run && subagent !== true;
}

async function summarize(
  session: Session,
  { transcript, signal }: { transcript: string; signal: AbortSignal },
): Promise<string | null> {
  const { SUMMARIZER, REMEMBER, facts_apart: remembered } = await import("../context/summary.ts");
  if (ask_rules(session, session.guards, { at: "aside" }).kind === "stop") return null;
  // Or it has been asked already.
  const memory = session.limits.dry_run || extracts(session)
    ? null
    : (await session.services()).memory;
  const system = memory === null ? SUMMARIZER : `${SUMMARIZER}\n${REMEMBER}`;
  const { with_auxiliary } = await import("./auxiliary.ts");
  const question = { system, user: transcript, signal };
  try {
    const answer = await with_auxiliary(session, "summary", (asked) => aside(asked, question));
    if (answer.kind !== "reply") return null;
    const { summary, facts } = remembered(answer.reply.content);
    if (memory !== null && !signal.aborted) {
      const { save_facts: keep } = await import("./extract.ts");
      keep(session, memory, facts);
    }
    return summary === "" ? null : without_tag(summary);
  } catch (error) {
    if (!(error instanceof NoModelError)) throw error;
    session.emit({
      type: "warning",
      message: `could not ask for a summary: ${error.message}`,
    });
    return null;
  }
}

/** The session with a summary in the place of its older messages. The task is first, word for word. */
function assemble(session: Session, { summary, heard, tail }: {
  summary: string;
  heard: string;
  tail: readonly Message[];
}): readonly Message[] {
  const [system, task] = session.history.opening;
  if (system === undefined || task === undefined) return tail;
  const kept = [
    REPLACED,
    // What the run must show to end well: the model has to know it to the end.
    ...(session.state.notes.told === "" ? [] : [session.state.notes.told]),
    ...(heard === "" ? [] : [`Meanwhile the user said:\n${heard}`]),
    ...open_todos(session),
    ...(summary === "" ? [] : [summary]),
  ].join("\n");
  const whole = summary === "" && heard === ""
    ? task
    : { ...task, content: `${task.content}\n\n${internal(kept)}` };
  const joint = tail[0]?.role === "assistant" || tail.length === 0
    ? []
    : [{ role: "assistant", content: NO_REPLY } as const];
  return [system, whole, ...joint, ...tail];
}

/** What the user has said since the task and is in none of these messages: a summary may lose it. */
function heard_before({ history, state }: Session, kept: readonly Message[]): readonly string[] {
  const lost = history.messages.slice(history.opening.length).filter((message) =>
    message.role === "user" && !message.internal && !kept.includes(message)
  );
  return [...state.context.heard, ...lost.map(({ content }) => without_internal(content))];
}

function open_todos({ state }: Session): string[] {
  const open = state.notes.todos.filter(({ status }) => status !== "completed");
  return open.length === 0 ? [] : [`Open on your list: ${open.map(({ text }) => text).join("; ")}`];
}
