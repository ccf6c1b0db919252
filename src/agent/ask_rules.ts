/** Asks the rules of a run for a verdict, and its reminders for their text. */
import { GO_ON, type Moment, type Rule, type Verdict } from "../guards/rule.ts";
import type { Session } from "./session.ts";
import { view_for_rules } from "./state.ts";

/** Asks rules in their order; the first that does not say "go on" decides, and is reported. */
export function ask_rules(session: Session, rules: readonly Rule[], moment: Moment): Verdict {
  const { state, clock, tape, emit } = session;
  const now = view_for_rules(state, tape.read(clock));
  let course: Verdict = GO_ON;
  for (const rule of rules) {
    const ruling = rule.check(moment, now, state.turn.memory[rule.name] ?? rule.start);
    state.turn.memory[rule.name] = ruling.memory;
    const verdict = within_recoveries(session, ruling.verdict);
    if (verdict.kind !== "go_on") tape.mattered();
    switch (verdict.kind) {
      case "go_on":
        if (verdict.answer !== undefined) course = verdict;
        continue;
      case "nudge":
        emit({ type: "nudge", name: rule.name, message: verdict.text });
        return verdict;
      case "answer":
        emit({ type: "guard", name: rule.name, message: verdict.text, action: "answered" });
        return verdict;
      case "stop":
        // No guard has a say in what the person wants.
        if (verdict.reason === "user_interrupt") return verdict;
        emit({ type: "guard", name: rule.name, message: verdict.text, action: "stopped" });
        return verdict;
    }
  }
  return course;
}

/** A run has only so many messages before the stop; after those comes the stop, or nothing. */
function within_recoveries({ state, limits }: Session, verdict: Verdict): Verdict {
  if ((verdict.kind !== "nudge" && verdict.kind !== "answer") || verdict.recovers === undefined) {
    return verdict;
  }
  if (state.spending.recoveries < limits.recoveries) {
    state.spending.recoveries++;
    return verdict;
  }
  const { otherwise: reason, scenario } = verdict.recovers;
  if (reason === null) return GO_ON;
  const text =
    `${scenario}: the run has used its ${limits.recoveries} recoveries (guards.recoveries)`;
  return { kind: "stop", reason, text };
}

/** Asks the reminders what the next request has to say, and reports it; null if that is nothing. */
export function remind({ state, reminders, history, emit }: Session): string | null {
  if (history.ends_in_images) return null;
  const due: string[] = [];
  const { steps, turn: { asked }, workspace: { outdated }, notes: { todos, todos_step } } = state;
  const sight = { steps, asked, outdated, todos, todos_step };
  for (const { name, start, check } of reminders) {
    const { text, memory } = check(sight, state.notes.reminded[name] ?? start);
    state.notes.reminded[name] = memory;
    if (text === null) continue;
    emit({ type: "reminder", name, message: text });
    due.push(text);
  }
  return due.length === 0 ? null : due.join("\n\n");
}
