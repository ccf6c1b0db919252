/**
 * A row of docs/guards.md: what no code can say of itself, and scenes in which the rule itself is asked. Messages, endings and
 * tokens on the page come from the answers, defaults from the table of settings, so that none of them can go stale.
 */
import { internal } from "../../src/agent/history.ts";
import { defaults, KEYS } from "../../src/config/keys.ts";
import { tokens_in } from "../../src/context/estimate.ts";
import { gates } from "../../src/gates/mod.ts";
import { VIEW } from "../../src/guards/_testing.ts";
import { guards } from "../../src/guards/mod.ts";
import {
  type Moment,
  only_answers,
  type Rule,
  type StopReason,
  type Verdict,
  type View,
} from "../../src/guards/rule.ts";

/** Values of settings, by their dotted names; what is not named has its default. */
export type Set = Readonly<Record<string, unknown>>;

/** A moment of a run at which a rule has something to say. */
export interface Scene {
  /** What has happened, to follow "where". */
  readonly where: string;
  /** Settings that are off by default need a value. */
  readonly set?: Set;
  /** The rule is asked about each in turn and keeps its memory; what it says to the last is shown. */
  readonly moments: readonly Moment[];
  /** The run as it is seen then; a function: at each moment, from 0. */
  readonly view?: Partial<View> | ((at: number) => Partial<View>);
}

/** One guard or gate. */
export interface Row {
  /** The rule's own name. */
  readonly name: string;
  /** One line: what it is for. */
  readonly about: string;
  /** The settings it keeps to, by their dotted names. Each must make a difference to a scene. */
  readonly settings: readonly string[];
  readonly scenes: readonly Scene[];
  /** What it may cost beside its messages: requests, calls; empty for nothing. `{agent.timeout_s}` stands for a default. */
  readonly costs: string;
}

/** The lists of rules, as `app/services.ts` makes them from settings. */
export function rules(set: Set = {}): {
  readonly guards: readonly Rule[];
  readonly ending: readonly Rule[];
  readonly contract: readonly Rule[];
} {
  const settings = defaults();
  const value = <T>(name: string, fallback: T) => (name in set ? set[name] : fallback) as T;
  const section = <S extends "guards" | "budget">(name: S) => ({
    ...settings[name],
    ...Object.fromEntries(
      Object.entries(set).filter(([key]) => key.startsWith(`${name}.`))
        .map(([key, value]) => [key.slice(name.length + 1), value]),
    ),
  });
  const { agent } = settings;
  return {
    guards: guards({
      max_steps: value("agent.max_model_steps", agent.max_model_steps),
      max_tool_calls: value("agent.max_tool_calls", agent.max_tool_calls),
      timeout_s: value("agent.timeout_s", agent.timeout_s),
      step_timeout_s: value("agent.step_timeout_s", agent.step_timeout_s),
      ...section("guards"),
      ...section("budget"),
    }),
    ...gates(section("guards")),
  };
}

/** What a rule says in a scene, with `over` in place of some of its settings. Throws if there is no such rule. */
export function said(name: string, { moments, view, set }: Scene, over: Set = {}): Verdict {
  const { guards, ending, contract } = rules({ ...set, ...over });
  const rule = [...guards, ...ending, ...contract].find((rule) => rule.name === name);
  if (rule === undefined) throw new Error(`there is no rule ${name}`);
  let verdict: Verdict = { kind: "go_on" };
  let memory = rule.start;
  for (const [at, moment] of moments.entries()) {
    const seen = typeof view === "function" ? view(at) : view;
    ({ verdict, memory } = rule.check(moment, { ...VIEW, ...seen }, memory));
  }
  return verdict;
}

/** The reasons for which a verdict may end the run: at once, or where the recoveries are used up. */
export function ends_in(verdict: Verdict): StopReason[] {
  switch (verdict.kind) {
    case "go_on":
      return [];
    case "nudge":
    case "answer": {
      return verdict.recovers === undefined ? [] : [verdict.recovers.otherwise];
    }
    case "stop":
      return [verdict.reason];
  }
}

/**
 * Tokens that the model is given to read, by estimate. A nudge is in `hamr`'s own tag, an answer is a tool's result, and
 * what the contract lacks is the task of a repair turn.
 */
export function tokens_told(verdict: Verdict, scene: Scene): number {
  switch (verdict.kind) {
    case "go_on":
      return 0;
    case "nudge":
      return tokens_in(internal(verdict.text));
    case "answer":
      return tokens_in(verdict.text);
    case "stop":
      return asks_for_repair(scene)
        ? tokens_in(internal(verdict.text + (verdict.instruction ?? "")))
        : 0;
  }
}

/** Whether a stop in this scene is first the task of a repair turn: where only an answer is asked for, there is none. */
export function asks_for_repair({ moments, view = {} }: Scene): boolean {
  const { mode = "auto" } = typeof view === "function" ? view(moments.length - 1) : view;
  return moments.at(-1)?.at === "contract" && !only_answers(mode);
}

/** The default of a setting as a person would write it. Throws if there is no such setting. */
export function default_of(name: string): string {
  const key = KEYS.get(name);
  if (key === undefined) throw new Error(`there is no setting ${name}`);
  return JSON.stringify(key.fallback) ?? "not set";
}

/** A text with the defaults of settings put in for `{section.name}`. */
export function filled(text: string): string {
  return text.replaceAll(/\{([a-z_]+\.[a-z_]+)\}/g, (_, name: string) => default_of(name));
}
