import {
  is_same_call,
  known_actions,
  latest,
  not_run_again,
  repeat_limit,
  same_again,
  signature_of,
  waited,
} from "./actions.ts";
import {
  type AskedCall,
  GO_ON,
  type GuardLimits,
  reached,
  type Rule,
  rule,
  type StopReason,
  type Verdict,
  type View,
} from "./rule.ts";

/** How often the same may be done in a turn while no file changes; a command that only looks, twice as often. */
type RepetitionLimits = Pick<GuardLimits, "identical_reads" | "identical_bash">;

/** Rounds of two steps that alternate (crush looks at ten steps); twice as many where they only look. */
const ROUNDS = 3;

/** What was answered instead of run, by its signature and in words for the user, and how things stood then. */
interface RepetitionState {
  readonly changes: number;
  readonly compactions: number;
  readonly answered: Readonly<Record<string, string>>;
}

/** Going in circles, however far apart: what brought the same too often is answered instead of run, and asked for again it ends the run. */
export function repetition(limits: RepetitionLimits): Rule {
  return rule<RepetitionState>({
    name: "repetition",
    start: { changes: 0, compactions: 0, answered: {} },
    check(moment, view, before) {
      if ((moment.at !== "calls" && moment.at !== "call") || view.background) {
        return { verdict: GO_ON, memory: before };
      }
      const memory = as_of(view, before);
      return moment.at === "calls"
        ? judge_reply(moment.calls, view, memory)
        : judge_call(moment.asked, { limits, view, memory });
    },
  });
}

/** Once a file has changed, or what the model knew is gone, nothing counts as answered. */
function as_of({ changes, compactions }: View, before: RepetitionState): RepetitionState {
  const compacted = compactions.at(-1) ?? 0;
  return before.changes === changes && before.compactions === compacted
    ? before
    : { changes, compactions: compacted, answered: {} };
}

/** A reply that asks for nothing but what was answered already, or that takes two steps in turn. */
function judge_reply(calls: readonly AskedCall[], view: View, memory: RepetitionState) {
  const { answered } = memory;
  const signature = signature_of(calls);
  const each = calls.map((call) => answered[signature_of([call])]);
  const what = answered[signature] ?? (each.includes(undefined) ? undefined : each[0]);
  if (what !== undefined) {
    const in_a_row = latest(view).next().value?.signature === signature;
    const reason = calls.every(({ name }) => name === "read") && !in_a_row
      ? "tool_error" as const
      : "loop_detected" as const;
    const text = `${what}, and again after the model was told`;
    return { verdict: { kind: "stop", reason, text } as const, memory };
  }
  const other = alternates(signature, repeat_limit(calls, ROUNDS), view);
  if (other === null) return { verdict: GO_ON, memory };
  const rounds = repeat_limit(calls, ROUNDS);
  const text = not_run_again("the same two steps in turn", rounds);
  const told = `the same two steps alternated ${rounds} times with the same results`;
  const next = { ...memory, answered: { ...answered, [signature]: told, [other]: told } };
  return { verdict: answer(text, "loop_detected"), memory: next };
}

function judge_call(
  asked: AskedCall,
  { limits, view, memory }: { limits: RepetitionLimits; view: View; memory: RepetitionState },
) {
  const limit = asked.name === "read"
    ? limits.identical_reads
    : asked.name === "bash"
    ? repeat_limit([asked], limits.identical_bash)
    : 0;
  const times = limit === 0 ? 0 : times_of(asked, view);
  if (!reached(times, limit)) return { verdict: GO_ON, memory };
  const [verdict, told] = asked.name === "read"
    ? [
      answer(not_run_again("same range of the same file", times), "tool_error"),
      `the same range of the same file was read ${times} times with the same result`,
    ]
    : [
      answer(not_run_again("same command", times), "loop_detected"),
      `the same command was run ${times} times with the same result`,
    ];
  const answered = { ...memory.answered, [signature_of([asked])]: told };
  return { verdict, memory: { ...memory, answered } };
}

/** How often in a row a call has brought the same, the last time included. */
function times_of(asked: AskedCall, view: View): number {
  const done = known_actions(view).filter((action) => action.ran && is_same_call(action, asked));
  const last = done.at(-1);
  const other = done.findLastIndex((action) => waited(action) || action.result !== last?.result);
  return done.length - 1 - other;
}

/** The other one of two steps that were taken in turn, so many rounds and with the same results, where this is the next; or null. */
function alternates(signature: string, rounds: number, view: View): string | null {
  const last = latest(view).take(2 * rounds).toArray();
  const [other, same] = last;
  if (last.length < 2 * rounds || other === undefined || other.changes !== view.changes) {
    return null;
  }
  if (same?.signature !== signature || other.signature === signature) return null;
  return last.slice(2).every((batch, at) => same_again(last[at], batch)) ? other.signature : null;
}

function answer(text: string, otherwise: StopReason): Verdict {
  return { kind: "answer", text, recovers: { scenario: "infinite_loop", otherwise } };
}
