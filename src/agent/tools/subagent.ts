/** A subagent: its own context and steps, everything else shared with the run. */
import { at_end } from "../../config/attempt.ts";
import { alters, type LedgerRow } from "../../tools/ledger.ts";
import { tool_search } from "../../tools/declared/agent_level_tools.ts";
import type { Clock } from "../clock.ts";
import { History, tool_tokens } from "../history.ts";
import { turn } from "../loop.ts";
import { deferred } from "../offer_tools.ts";
import type { AgentRole, Services, Session } from "../session.ts";
import type { Tape } from "../tape.ts";
import type { OwnModel } from "./own_model.ts";
import { type Ending, fresh_state, type State, step_of } from "../state.ts";

export interface Errand {
  readonly call: string;
  readonly task: string;
  readonly tools: ReadonlySet<string>;
  /** `ask` where it can change nothing, else `auto`; that of the run where that wants an answer alone. */
  readonly mode: "ask" | "plan" | "auto";
  readonly prompt: string;
  /** The agent that it is; null if it is none with a name. */
  readonly role: Pick<AgentRole, "name" | "max_steps"> | null;
  /** Its agent's own; null: the run's. */
  readonly model: OwnModel | null;
}

export interface SubagentOutcome {
  readonly ending: Ending;
  readonly steps: number;
  readonly ledger: readonly LedgerRow[];
}

const ROLE = "You are a subagent: another agent gave you the task; you can't ask anyone. " +
  "Only your final answer goes back to it: put into it all it must know.";

/** Lets a subagent do its errand, to whatever end. Its tokens and calls count, and what it does is in the ledger. */
export async function run_subagent(parent: Session, errand: Errand): Promise<SubagentOutcome> {
  const services = await parent.services();
  const { state, tape, emit } = parent;
  return await parent.clock.lend(async (clock) => {
    const child = subagent_session(parent, errand, { clock, services, tape, emit, counts: state });
    using _ = at_end(() => enter_deeds(parent.state, child.state.ledger, errand.call));
    const ending = await turn(child);
    clock.stop();
    const { steps, ledger } = child.state;
    return { ending, steps, ledger };
  });
}

/** A session for an errand: its own, but for what is counted, and for the model if its agent has none of its own. */
export function subagent_session(
  parent: Session,
  errand: Errand,
  { clock, services, tape, emit, counts }: {
    clock: Clock;
    services: Services;
    tape: Tape;
    emit: Session["emit"];
    /** What is counted in them, and what is known of images. */
    counts: Pick<State, "spending" | "vision">;
  },
): Session {
  const { describes } = parent;
  const { model } = errand;
  const { wire, limits } = model ?? parent;
  const { refused } = model?.helper ?? parent;
  const state = counting_in(counts, { run: parent.state, errand });
  const own: Services = {
    ...services,
    tools: services.tools.filter(({ name }) => errand.tools.has(name)),
    guards: services.subagent_guards(errand.role),
  };
  const more = deferred(parent, own.tools).length > 0;
  const tools = parent.tools.filter(({ name }) =>
    errand.tools.has(name) && (more || name !== tool_search.name)
  );
  let endpoint = model?.helper.endpoint ?? null;
  const history = new History(wire, (endpoint ?? parent.endpoint).model);
  const rules = parent.history.messages[0]?.content ?? "";
  const system = model?.system(rules, tools) ?? rules;
  const told = [system, ROLE, errand.prompt].filter((text) => text !== "").join("\n\n");
  history.append({ role: "system", content: told });
  history.append({ role: "user", content: errand.task });
  let step = 0;
  return {
    // What the server is may become known in the meantime.
    get endpoint() {
      return endpoint ?? parent.endpoint;
    },
    set endpoint(other) {
      if (endpoint === null) parent.endpoint = other;
      else endpoint = other;
    },
    wire,
    refused,
    describes,
    fallbacks: model === null ? parent.fallbacks : () => Promise.resolve(model.helper.fallbacks),
    limits,
    tools,
    tool_tokens: wire.tools_in_text ? 0 : tool_tokens(tools),
    guards: own.guards,
    reminders: services.reminders,
    clarify: null,
    steering: null,
    history,
    state,
    clock,
    services: () => Promise.resolve(own),
    start_tools: parent.start_tools,
    emit: (event) => {
      step = Math.max(step, step_of(state, event));
      emit(event, { agent: errand.call, agent_step: step });
    },
    pending: parent.pending,
    tape,
    subagent: true,
    // What becomes of its model's server is its own.
    ...(model === null ? {} : { lane: true as const }),
    parent,
  };
}

/** A fresh state, except for what is known of the model, and for what limits hold the sum to, at every moment. */
function counting_in(
  { spending, vision }: Pick<State, "spending" | "vision">,
  { run, errand: { mode, model } }: { run: State; errand: Errand },
): State {
  const { learned, token_ratio, counted_by } = run.window;
  const state: State = { ...fresh_state(mode), spending, vision };
  // What was learned of a model holds for that one.
  if (model === null) Object.assign(state.window, { learned, token_ratio, counted_by });
  state.notes.leaked = run.notes.leaked;
  return state;
}

/** Enters what a subagent did into the ledger of the agent that sent it, as done by that call. */
export function enter_deeds(state: State, rows: readonly LedgerRow[], call: string): void {
  const { steps: step } = state;
  for (const row of rows) {
    state.ledger.push(row.kind === "verification" ? { ...row, step } : { ...row, step, call });
    if (alters(row)) state.workspace.changes++;
  }
}
