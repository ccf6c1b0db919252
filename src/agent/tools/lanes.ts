/** Subagents in parallel. What one learns or spends reaches the parent afterwards, in the order of the calls, so that it can be replayed. */
import { at_end } from "../../config/attempt.ts";
import { is_ollama } from "../../model/server/endpoint.ts";
import { turn } from "../loop.ts";
import type { Session } from "../session.ts";
import { add_spending } from "../spending.ts";
import { NO_USAGE } from "../state.ts";
import { do_without, go_on_with } from "../switch_model.ts";
import type { Tape } from "../tape.ts";
import { enter_deeds, type Errand, subagent_session, type SubagentOutcome } from "./subagent.ts";

/** As many of the other calls that only look run at once. */
const AT_ONCE = 4;
/** Calls that a subagent seldom makes more of. With less room for each, a limit of the run could be missed. */
const CALLS_OF_ONE = 32;

export interface LaneOutcome extends SubagentOutcome {
  readonly ms: number;
}

/** How many subagents may run in parallel. One under a budget, and if the server works on one request at a time: its cache would suffer. */
export function most_at_once(
  { endpoint, limits, state }: Pick<Session, "endpoint" | "limits" | "state">,
  calls: number,
): number {
  const { parallel_tools, token_budget, max_cost_usd, max_tool_calls } = limits;
  const one_slot = endpoint.server === "llama.cpp" || is_ollama(endpoint);
  if (!parallel_tools || token_budget > 0 || max_cost_usd > 0 || one_slot) return 1;
  const left = max_tool_calls === 0 ? Infinity : max_tool_calls - state.spending.calls;
  return Math.min(AT_ONCE, calls, Math.floor(left / CALLS_OF_ONE));
}

/** Lets subagents do their errands. Rejects as the first of them does, when all have ended. */
export async function send_together(
  parent: Session,
  sent: readonly { readonly errand: Errand; readonly tape: Tape }[],
): Promise<readonly LaneOutcome[]> {
  const services = await parent.services();
  const voice = voices(parent.emit);
  const { endpoint } = parent;
  const { calls, refused, recoveries } = parent.state.spending;
  const before = { calls, refused, recoveries, usage: NO_USAGE, cost_usd: null };
  const children: Session[] = [];
  const ended = await Promise.allSettled(
    sent.map(({ errand, tape }, at) =>
      parent.clock.lend(async (clock) => {
        const began = performance.now();
        const { emit, end } = voice(at);
        const { described, blind } = parent.state.vision;
        const counts = { spending: { ...before }, vision: { blind, described: { ...described } } };
        const own = { clock, services: services.on_tape(tape), tape, emit, counts };
        const theirs = { endpoint, refused: new Set(parent.refused) };
        const child: Session = {
          ...subagent_session(parent, errand, own),
          ...(errand.model === null ? theirs : {}),
          fallbacks: () => parent.fallbacks(tape),
          lane: true,
        };
        children[at] = child;
        using _ = at_end(end);
        const ending = await turn(child);
        clock.stop();
        const { steps, ledger } = child.state;
        return { ending, steps, ledger, ms: performance.now() - began };
      }, tape)
    ),
  );
  parent.tape.join();
  for (const [at, child] of children.entries()) {
    add_spending(parent.state.spending, child.state.spending, before);
    const { errand } = sent[at] as typeof sent[number];
    enter_deeds(parent.state, child.state.ledger, errand.call);
    if (errand.model === null) await learn(parent, child, endpoint);
  }
  return ended.map((one) => {
    if (one.status === "rejected") throw one.reason;
    return one.value;
  });
}

/** What a subagent has found out of the model. The first that had to go on with another one decides. */
async function learn(
  parent: Session,
  { endpoint, refused, state: { vision } }: Session,
  before: Session["endpoint"],
): Promise<void> {
  const is_now = ({ base_url, model }: Session["endpoint"]) =>
    base_url === parent.endpoint.base_url && model === parent.endpoint.model;
  Object.assign(parent.state.vision.described, vision.described);
  if (parent.endpoint === before && endpoint !== before) {
    if (is_now(endpoint)) parent.endpoint = endpoint;
    else await go_on_with(parent, endpoint, parent.history);
  }
  if (!is_now(endpoint)) return;
  parent.state.vision.blind ||= vision.blind;
  for (const refusal of refused) {
    if (!parent.refused.has(refusal)) await do_without(parent, refusal, parent.history);
  }
}

/** Buffers events: what each says is passed on when those before it have ended. */
function voices(emit: Session["emit"]) {
  const held: Parameters<typeof emit>[][] = [];
  const ended = new Set<number>();
  let first = 0;
  const tell = (said: readonly Parameters<typeof emit>[]) => said.forEach((each) => emit(...each));
  return (at: number) => {
    const own = held[at] = [] as Parameters<typeof emit>[];
    return {
      emit: (...said: Parameters<typeof emit>) => {
        if (at === first) emit(...said);
        else own.push(said);
      },
      end() {
        ended.add(at);
        while (ended.has(first)) tell(held[++first]?.splice(0) ?? []);
      },
    };
  };
}
