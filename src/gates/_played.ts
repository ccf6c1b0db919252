import { VIEW } from "../guards/_testing.ts";
import type { View } from "../guards/rule.ts";
import type { Answered, Did } from "./_did.ts";
import { gates } from "./mod.ts";

/** Plays an ending against the gates: how the run ends, and how many extra requests it took. */
export function played(
  {
    did,
    says,
    task = "",
    then,
    background = null,
    nowhere = [],
    unshown = [],
    left_over = "",
    talks = false,
    formed = false,
  }: Answered,
): { ends: string; asks: number } {
  const { ending } = gates({ action_nudges: 3, claim_nudges: 2, talks, formed });
  const memory = new Map(ending.map((gate) => [gate.name, gate.start]));
  const done: Did[] = [...did];
  let answer = says;
  for (let asks = 0; asks < 5; asks++) {
    const calls = done.map((one, at) => one(`c${at}`));
    const ledger = calls.flatMap(({ rows }) => rows);
    const changes = (until: number) =>
      calls.slice(0, until).flatMap(({ rows }) => rows)
        .filter(({ kind }) => kind === "file" || kind === "ref").length;
    const actions = calls.map(({ action }, at) => ({ ...action, changes: changes(at + 1) }));
    const steps = calls.length + asks + 1;
    const view: View = {
      ...VIEW,
      ...{
        steps,
        run_steps: steps,
        calls: calls.length,
        ledger,
        turn: ledger,
        run: ledger,
        actions,
        changes: changes(calls.length),
        asked: task,
        background,
        nowhere,
        unshown,
        left_over,
      },
    };
    let nudged = false;
    for (const gate of ending) {
      const { verdict, memory: kept } = gate.check(
        { at: "ending", text: answer },
        view,
        memory.get(gate.name),
      );
      memory.set(gate.name, kept);
      if (verdict.kind === "stop") return { ends: verdict.reason, asks };
      if (verdict.kind === "nudge") {
        nudged = true;
        break;
      }
    }
    if (!nudged) return { ends: "done", asks };
    if (then !== undefined) {
      done.push(...then.did);
      answer = then.says;
    }
  }
  return { ends: "asked for ever", asks: 5 };
}
