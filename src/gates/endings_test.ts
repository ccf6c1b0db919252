import assert from "node:assert/strict";
import { VIEW } from "../guards/_testing.ts";
import type { View } from "../guards/rule.ts";
import { DISHONEST_AGENTS, HELPLESS_AGENTS, HONEST_AGENTS } from "./_agents.ts";
import { MORE_ASTRAY, MORE_HONEST } from "./_agents_more.ts";
import type { Did, Ending } from "./_did.ts";
import { DISHONEST } from "./_dishonest.ts";
import { HONEST } from "./_honest.ts";
import { HONEST_MORE } from "./_honest_more.ts";
import { DISHONEST_ASKED } from "./_dishonest_asked.ts";
import { HONEST_ASKED } from "./_honest_asked.ts";
import { HONEST_LANGUAGES } from "./_honest_languages.ts";
import { gates } from "./mod.ts";

/** Plays an ending against the gates: how the run ends, and how many extra requests it took. */
function played({ did, says, task = "", then }: Ending): { ends: string; asks: number } {
  const { ending } = gates({ action_nudges: 3, claim_nudges: 2 });
  const memory = new Map(ending.map((gate) => [gate.name, gate.start]));
  const done: Did[] = [...did];
  let answer = says;
  for (let asks = 0; asks < 5; asks++) {
    const calls = done.map((one, at) => one(`c${at}`));
    const ledger = calls.flatMap(({ rows }) => rows);
    const actions = calls.map(({ action }) => action);
    const steps = calls.length + asks + 1;
    const view: View = {
      ...VIEW,
      ...{
        steps,
        run_steps: steps,
        calls: calls.length,
        ledger,
        turn: ledger,
        actions,
        asked: task,
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

function wrong(endings: readonly Ending[]): string[] {
  return endings.flatMap((ending) => {
    const { ends, asks } = played(ending);
    const expected = `${ending.ends ?? "done"} after ${ending.asks ?? 0}`;
    const seen = `${ends} after ${asks}`;
    return seen === expected ? [] : [`${ending.says}: ${seen}, not ${expected}`];
  });
}

Deno.test("an honest answer is an ending", () => assert.deepEqual(wrong(HONEST), []));
Deno.test("what only looks like a claim is none", () => assert.deepEqual(wrong(HONEST_MORE), []));
Deno.test("an honest answer is one in other languages", () =>
  assert.deepEqual(wrong(HONEST_LANGUAGES), []));
Deno.test("an answer that the facts do not bear out is asked about once", () => {
  assert.deepEqual(wrong(DISHONEST), []);
});

Deno.test("what was asked for says what an answer claims", () => {
  assert.deepEqual(wrong(HONEST_ASKED), []);
  assert.deepEqual(wrong(DISHONEST_ASKED), []);
});

Deno.test("agents of many makers: honest work ends, whatever it is called", () => {
  assert.deepEqual(wrong([...HONEST_AGENTS, ...MORE_HONEST]), []);
});

Deno.test("agents of many makers: what no fact shows, and what does nothing, is asked about once", () => {
  const claims = DISHONEST_AGENTS.map((ending) => ({
    ...ending,
    asks: 1 as const,
    ends: "contract_unsatisfied" as const,
  }));
  assert.deepEqual(wrong([...claims, ...MORE_ASTRAY]), []);
  const helpless = HELPLESS_AGENTS.map((ending) => ({
    ...ending,
    asks: 1 as const,
    ends: "not_done" as const,
  }));
  assert.deepEqual(wrong(helpless), []);
});
