/** The guards' rows of docs/guards.md. */
import type { Action, Moment, View } from "../../src/guards/rule.ts";
import { STEPS as COMPACTED_AGAIN } from "../../src/guards/context_exhaustion.ts";
import { CALM_STEPS } from "../../src/guards/escalation.ts";
import { STEPS_LEFT, TIME_SHARE } from "../../src/guards/notices.ts";
import type { Reply } from "../../src/model/message.ts";
import { defaults } from "../../src/config/keys.ts";
import type { Row } from "./row.ts";

const { agent, guards } = defaults();

const REQUEST: Moment = { at: "request" };

function reply(parts: Partial<Reply>): Moment {
  const empty = { content: "", reasoning: "", tool_calls: [], usage: null };
  return { at: "reply", reply: { ...empty, finish: "stop", ...parts } };
}

/** So many calls, a step each. */
function actions(count: number, more: Partial<Action> = {}): Action[] {
  const usual = { name: "bash", args: '{"command":"make"}', result: "r", ms: 5, changes: 0 };
  return Array.from({ length: count }, (_, at) => ({
    ...usual,
    ...{ step: at + 1, ran: true, valid: true, ok: true },
    ...more,
  }));
}

/** A run that has taken so many tokens and dollars. */
function taken(input_tokens: number, cost_usd: number | null = null): Partial<View> {
  const usage = { input_tokens, output_tokens: 0, cached_tokens: 0, reasoning_tokens: 0 };
  return { usage, cost_usd, last: { ...usage, input_tokens: 9000, cost_usd: 0.01 } };
}

const REPEATED = guards.identical_bash;
const CALL = { id: "c", name: "bash", arguments: '{"command":"make"}' };
const CALLED: Moment = { at: "call", call: CALL, asked: { name: "bash", args: CALL.arguments } };
const READ: Moment = {
  at: "call",
  call: { ...CALL, name: "read" },
  asked: { name: "read", args: CALL.arguments, looks: true },
};
const MAKE: Moment = { at: "calls", calls: [{ name: "bash", args: '{"command":"make"}' }] };
const CUT_ANSWER = reply({ content: "The reason is", finish: "length" });
const CUT_CALL = reply({ tool_calls: [{ ...CALL, name: "write" }], finish: "length" });
const BUDGET = { "budget.token_budget": 100_000 };
const DOLLARS = { "budget.max_cost_usd": 0.5 };
/** Another step after those of `actions()`. */
const LAST = actions(1, { step: 99, args: "x" });
const COMES_BACK = "A step in which nothing is run.";
const LAST_WORDS = "one more request for the closing answer";

/** In the order of `guards()`. */
export const GUARDS: readonly Row[] = [
  {
    name: "watchdog",
    about: "The limits of the run, and Ctrl-C.",
    settings: [
      "agent.max_model_steps",
      "agent.max_tool_calls",
      "agent.timeout_s",
      "agent.step_timeout_s",
    ],
    scenes: [
      {
        where: "the user has interrupted the run",
        moments: [REQUEST],
        view: { interrupted: true },
      },
      {
        where: "the run's time is over",
        set: { "agent.timeout_s": 600 },
        moments: [REQUEST],
        view: { elapsed_ms: 600_000 },
      },
      {
        where: "a reply and its calls took too long",
        set: { "agent.step_timeout_s": 120 },
        moments: [REQUEST],
        view: { step_ms: 120_000 },
      },
      {
        where: "the steps are used up",
        moments: [REQUEST],
        view: { run_steps: agent.max_model_steps },
      },
      {
        where: "a reply has asked for more tool calls than are left",
        moments: [CALLED, REQUEST],
        view: { calls: agent.max_tool_calls },
      },
      {
        where: "a call is one more than the run may make",
        moments: [CALLED],
        view: { calls: agent.max_tool_calls },
      },
    ],
    costs: `At a limit ${LAST_WORDS}; an interrupt ends at once.`,
  },
  {
    name: "budget",
    about: "Tokens and dollars that the whole run may use.",
    settings: ["budget.token_budget", "budget.max_cost_usd"],
    scenes: [
      {
        where: "the tokens are used up",
        set: BUDGET,
        moments: [MAKE],
        view: taken(100_000),
      },
      {
        where: "another request like the last would take more than is left",
        set: BUDGET,
        moments: [REQUEST],
        view: taken(95_000),
      },
      { where: "the money is used up", set: DOLLARS, moments: [REQUEST], view: taken(1, 0.5) },
    ],
    costs: `At the end ${LAST_WORDS}, of at most {budget.reserve_tokens} tokens ` +
      "(`budget.reserve_tokens`): a budget may be overrun by that much.",
  },
  {
    name: "truncation",
    about:
      "A reply that the output limit cut off (`agent.max_output_tokens`, or the server's own).",
    settings: ["guards.max_truncations", "guards.auto_continues"],
    scenes: [
      { where: "an answer was cut: it is continued, and joined", moments: [CUT_ANSWER] },
      { where: "thoughts took it all", moments: [reply({ reasoning: "Wait,", finish: "length" })] },
      { where: "a native call was cut: it is dropped", moments: [CUT_CALL] },
      {
        where: "calls were written as text: the whole ones are run",
        moments: [reply({ tool_calls: [{ ...CALL, dialect: "hermes" }], finish: "length" })],
      },
      {
        where: "calls were cut again and again",
        moments: Array.from({ length: guards.max_truncations }, () => CUT_CALL),
      },
    ],
    costs:
      "A request for each. After a cut the next reply may be twice as long, up to a quarter of the window. " +
      "A cut answer that may not be continued ends the turn, with a warning.",
  },
  {
    name: "empty",
    about: "A reply without text or calls; reasoning alone is not an answer.",
    settings: [],
    scenes: [
      { where: "a reply is empty", moments: [reply({})] },
      { where: "the next one is empty, too", moments: [reply({}), reply({})] },
    ],
    costs: "A request; and before that, one without streaming if the empty reply " +
      "was streamed.",
  },
  {
    name: "doom_loop",
    about: "The same calls in a row with the same results; all calls of a reply count as one.",
    settings: ["guards.doom_loop_threshold"],
    scenes: [
      {
        where: "they are made again",
        moments: [MAKE],
        view: { actions: actions(guards.doom_loop_threshold) },
      },
      {
        where: "the model makes them anyway",
        moments: [MAKE, MAKE],
        view: { actions: actions(guards.doom_loop_threshold) },
      },
    ],
    costs: COMES_BACK,
  },
  {
    name: "repetition",
    about:
      "The same calls with the same results, however far apart in the turn; two steps in turn.",
    settings: ["guards.identical_reads", "guards.identical_bash"],
    scenes: [
      {
        where: "a range of a file was read that often",
        moments: [READ],
        view: { actions: actions(guards.identical_reads, { name: "read" }) },
      },
      {
        where: "a command was run that often",
        moments: [CALLED],
        view: { actions: actions(REPEATED) },
      },
      {
        where: "two steps alternated",
        moments: [MAKE],
        view: {
          actions: actions(6).map((action, at) => at % 2 ? action : { ...action, args: "x" })
            .reverse().map((action, at) => ({ ...action, step: at + 1 })),
        },
      },
      {
        where: "the command is run anyway",
        moments: [CALLED, MAKE],
        view: { actions: actions(REPEATED) },
      },
      {
        where: "the read is made anyway, after something else",
        moments: [READ, {
          at: "calls",
          calls: [{ name: "read", args: CALL.arguments, looks: true }],
        }],
        view: { actions: [...actions(guards.identical_reads, { name: "read" }), ...LAST] },
      },
    ],
    costs: COMES_BACK,
  },
  {
    name: "reads",
    about: "Reads that return what was read before, unchanged. New text can always be read.",
    settings: ["guards.read_warning", "guards.read_limit"],
    scenes: [
      {
        where: "there were that many",
        moments: [REQUEST],
        view: { actions: actions(guards.read_warning + 1, { name: "read" }) },
      },
      {
        where: "another one comes after twice as many",
        moments: [READ],
        view: { actions: actions(guards.read_limit + 1, { name: "read" }) },
      },
    ],
    costs: "",
  },
  {
    name: "malformed_call",
    about:
      "Calls that no tool can run, step after step. Each alone is answered with what is wrong with it.",
    settings: [],
    scenes: [
      {
        where: "no call of the last two steps could be run",
        moments: [REQUEST],
        view: { steps: 2, actions: actions(2, { ran: false, valid: false, ok: false }) },
      },
      {
        where: "words before a call in the text of a reply report it",
        moments: [reply({ shown_call: "bash" })],
      },
    ],
    costs: "",
  },
  {
    name: "bash_failure",
    about: "Commands that fail in a row, with no file changed between; not those that only look.",
    settings: [],
    scenes: [
      {
        where: "the last ones have failed, and again after as many more",
        moments: [REQUEST],
        view: { calls: 3, actions: actions(3, { ok: false }) },
      },
    ],
    costs: "",
  },
  {
    name: "context_exhaustion",
    about: "A context that fills up again as soon as it has been compacted.",
    settings: [],
    scenes: [
      {
        where: `two compactions came within ${COMPACTED_AGAIN} steps`,
        moments: [REQUEST],
        view: { compactions: [5, 5 + COMPACTED_AGAIN], steps: 6 + COMPACTED_AGAIN },
      },
    ],
    costs: "",
  },
  {
    name: "escalation",
    about:
      "If a change is asked for (`patch`, `verify`): steps that showed nothing new (no file, range, command or " +
      "output that was not seen before); and, once, many steps without a change.",
    settings: ["guards.escalation_steps"],
    scenes: [
      ...guards.escalation_steps.map((steps) => ({
        where: `${steps} steps showed nothing new`,
        moments: Array.from({ length: steps + 1 }, () => REQUEST),
        view: (at: number) => ({ mode: "patch" as const, steps: at + 1, actions: actions(at + 1) }),
      })),
      {
        where: "each of the last steps showed something new, and none made a change",
        moments: [REQUEST],
        view: {
          mode: "patch",
          steps: CALM_STEPS,
          actions: actions(CALM_STEPS).map((action, at) => ({ ...action, args: `${at}` })),
        },
      },
    ],
    costs: "",
  },
  {
    name: "notices",
    about: "Says once each in a run that a limit is near.",
    settings: [
      "agent.timeout_s",
      "agent.max_model_steps",
      "budget.token_budget",
      "budget.reserve_tokens",
      "budget.max_cost_usd",
      "budget.reserve_cost_fraction",
    ],
    scenes: [
      {
        where: `${100 * TIME_SHARE} % of the time is over`,
        set: { "agent.timeout_s": 600 },
        moments: [REQUEST],
        view: { elapsed_ms: 600_000 * TIME_SHARE },
      },
      {
        where: "the steps run out",
        moments: [REQUEST],
        view: { run_steps: agent.max_model_steps - STEPS_LEFT },
      },
      {
        where: "the tokens run out: the reserve is reached, or the next reply would be the last",
        set: BUDGET,
        moments: [REQUEST],
        view: taken(99_500),
      },
      { where: "the money runs out", set: DOLLARS, moments: [REQUEST], view: taken(1, 0.45) },
    ],
    costs: "",
  },
];
