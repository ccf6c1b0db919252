import { GO_ON, type Moment, type Rule, type Verdict } from "../guards/rule.ts";
import type { Session } from "./session.ts";
import { view } from "./state.ts";

/** Asks rules in their order; the first that does not say "go on" decides, and is reported. */
export function consult(session: Session, rules: readonly Rule[], moment: Moment): Verdict {
  const { state, clock, emit } = session;
  const now = view(state, clock);
  for (const rule of rules) {
    const ruling = rule.check(moment, now, state.memory[rule.name] ?? rule.start);
    state.memory[rule.name] = ruling.memory;
    const { verdict } = ruling;
    switch (verdict.kind) {
      case "go_on":
        continue;
      case "nudge":
        emit({ type: "nudge", name: rule.name, message: verdict.text });
        return verdict;
      case "answer":
        emit({ type: "guard", name: rule.name, message: verdict.text, action: "answered" });
        return verdict;
      case "stop":
        emit({ type: "guard", name: rule.name, message: verdict.text, action: "stopped" });
        return verdict;
    }
  }
  return GO_ON;
}
