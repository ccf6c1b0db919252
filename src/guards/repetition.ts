import { latest, same_again, waited } from "./actions.ts";
import { type Action, GO_ON, reached, type Rule, rule, type Verdict, type View } from "./rule.ts";

/** How often the same may be done in a turn while no file changes; from `[guards]`, 0 is no limit. */
export interface RepetitionLimits {
  /** Reads of the same range of the same file (seed 000: 5). */
  readonly identical_reads: number;
  /** Runs of the same command with the same result (seed 000: 3). */
  readonly identical_bash: number;
}

/** Rounds of two steps that alternate (crush looks at ten steps). */
const ROUNDS = 3;

/** Ends a run that goes round in circles, however far apart the repeats are. */
export function repetition(limits: RepetitionLimits): Rule {
  return rule<null>({
    name: "repetition",
    start: null,
    check(moment, view) {
      const verdict = moment.at === "request" && !view.background ? judge(limits, view) : GO_ON;
      return { verdict, memory: null };
    },
  });
}

function judge({ identical_reads, identical_bash }: RepetitionLimits, view: View): Verdict {
  const last = view.actions.at(-1);
  const fresh = view.actions.filter((action) => action.step === last?.step);
  const reads = most_often(fresh.filter(({ name }) => name === "read"), view);
  if (reached(reads, identical_reads)) {
    return stop("tool_error", `the same range of the same file was read ${reads} times`);
  }
  const commands = most_often(fresh.filter(({ name }) => name === "bash"), view);
  if (reached(commands, identical_bash)) {
    return stop("loop_detected", `the same command was run ${commands} times with the same result`);
  }
  return alternates(view)
    ? stop(
      "loop_detected",
      `the same two steps were taken in turn, ${ROUNDS} times, with the same results`,
    )
    : GO_ON;
}

/** How often one of these was done since a file changed, with the same result each time. */
function most_often(fresh: readonly Action[], view: View): number {
  const counts = fresh.filter((action) => action.ran && !waited(action)).map((action) =>
    view.actions.filter((other) => other.ran && !waited(other) && is_same(action, other)).length
  );
  return Math.max(0, ...counts);
}

function is_same(a: Action, b: Action): boolean {
  return a.name === b.name && a.args === b.args && a.result === b.result && a.changes === b.changes;
}

function alternates(view: View): boolean {
  const last = latest(view.actions).take(2 * ROUNDS).toArray();
  if (last.length < 2 * ROUNDS || last[0]?.signature === last[1]?.signature) return false;
  return last.slice(2).every((batch, at) => same_again(last[at], batch));
}

function stop(reason: "tool_error" | "loop_detected", what: string): Verdict {
  return { kind: "stop", reason, text: `${what}, and no file changed meanwhile` };
}
