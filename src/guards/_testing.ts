/** What the tests of guards and of gates share. */
import { only_looks, waits } from "./looks.ts";
import type { Action, AskedCall, Moment, Rule, Verdict, View } from "./rule.ts";

/** A view of a run in which nothing has happened yet. */
export const VIEW: View = {
  mode: "auto",
  steps: 0,
  run_steps: 0,
  calls: 0,
  elapsed_ms: 0,
  step_ms: 0,
  interrupted: false,
  usage: { input_tokens: 0, output_tokens: 0, cached_tokens: 0, reasoning_tokens: 0 },
  ledger: [],
  turn: [],
  run: [],
  changed: [],
  actions: [],
  changes: 0,
  cost_usd: null,
  last: null,
  compactions: [],
  background: null,
  nowhere: [],
  unshown: [],
  left_over: "",
  asked: "",
};

/** A step of the model: what it calls, and what comes of it. */
export interface Step {
  readonly calls: readonly AskedCall[];
  readonly result?: string;
  readonly ms?: number;
  /** Its calls fail. */
  readonly failed?: true;
  /** Files that it changes. */
  readonly changes?: number;
  readonly background?: boolean;
  /** Someone who is not a guard refuses its calls. */
  readonly refused?: true;
  /** The history is compacted before the next request. */
  readonly compacted?: true;
}

/** A step of one command. */
export function bash(command: string, more: Partial<Step> = {}): Step {
  const looks = only_looks(command) ? { looks: true } as const : {};
  const waiting = waits(command) ? { waits: true } as const : {};
  return { calls: [{ name: "bash", args: command, ...looks, ...waiting }], ...more };
}

/** A step of one read. */
export function read(args: string, more: Partial<Step> = {}): Step {
  return { calls: [{ name: "read", args, looks: true }], ...more };
}

/** A step that changes a file. */
export function edit(args: string): Step {
  return { calls: [{ name: "edit", args }], changes: 1, result: `edited ${args}` };
}

/**
 * Plays steps to rules as the loop would; what the first of them said that had something to say, at each step, before the calls
 * ran and after: its verdict, or the reason of a stop, after which nothing more is played.
 */
export function play(
  rules: readonly Rule[],
  steps: readonly Step[],
  view: Partial<View> = {},
): string[] {
  const memory = new Map<Rule, unknown>(rules.map((rule) => [rule, rule.start]));
  const actions: Action[] = [];
  const compactions: number[] = [];
  let changes = 0;
  const said: string[] = [];
  const ask = (moment: Moment, more: Partial<View>): Verdict => {
    const seen: View = { ...VIEW, ...view, actions, changes, compactions, ...more };
    for (const rule of rules) {
      const ruling = rule.check(moment, seen, memory.get(rule) ?? rule.start);
      memory.set(rule, JSON.parse(JSON.stringify(ruling.memory ?? null)));
      if (ruling.verdict.kind !== "go_on") return ruling.verdict;
    }
    return { kind: "go_on" };
  };
  for (const [at, { calls, result = "r", ms = 5, ...more }] of steps.entries()) {
    const step = at + 1;
    const now = {
      steps: step,
      run_steps: step,
      calls: actions.length,
      background: more.background ?? false,
    };
    const before = ask({ at: "calls", calls }, now);
    const each: Verdict[] = [];
    for (const asked of calls) {
      if (each.at(-1)?.kind === "stop") break;
      const { name, args } = asked;
      const verdict = before.kind === "go_on"
        ? ask({ at: "call", call: { id: "x", name, arguments: args }, asked }, now)
        : before;
      each.push(verdict);
      const ran = verdict.kind === "go_on" && !more.refused;
      actions.push({
        ...asked,
        ...{ step, ran, valid: true, ok: !more.failed, result, ms, changes },
        ...(more.refused ? { refused: true } : {}),
      });
    }
    changes += more.changes ?? 0;
    if (more.compacted) compactions.push(step);
    const heard = each.find(({ kind }) => kind !== "go_on") ??
      ask({ at: "request" }, { ...now, calls: actions.length });
    said.push(
      heard.kind === "stop" ? heard.reason : heard.kind === "go_on" ? "" : heard.kind,
    );
    if (heard.kind === "stop") break;
  }
  return said;
}
