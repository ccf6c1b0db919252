/** One way in which a model, its server or what it runs misbehaves, and how that has to end. */
import assert from "node:assert/strict";
import { event_faults, wire_faults } from "../property/faults.ts";
import type { Outcome } from "../support/hamr.ts";
import type { Recorded, Reply, Script, WireMessage } from "../support/model_server.ts";
import { type Stage, stage, type StageOptions } from "../support/stage.ts";

/** How a run must end. */
export interface Ends {
  readonly code: number;
  readonly reason: string;
  /** Model replies; where it is left out, any number within the run's limits. */
  readonly steps?: number;
  /** The final output. */
  readonly output?: string | RegExp;
  /** The message of the result's error. */
  readonly error?: RegExp;
}

/** A named misbehavior. */
export interface Specimen {
  readonly name: string;
  /** Where it was seen or is asked for: threads as `owner/repo#n`, a seed, the contract or the issue. */
  readonly from: string;
  /** A list is used up to its last reply. */
  readonly script: Script;
  readonly files?: StageOptions["files"];
  readonly env?: Readonly<Record<string, string>>;
  readonly task?: string;
  readonly args?: readonly string[];
  readonly ends: Ends;
  /** What the model is told on the way, each in some message after the task. */
  readonly hears?: readonly RegExp[];
  /** Files of the workspace afterwards; null: there is none. */
  readonly leaves?: Readonly<Record<string, string | null>>;
  readonly also?: (run: Outcome, s: Stage) => void | Promise<void>;
}

/** Steps that no specimen may take: the default is 64, and a wait for that many says no more. */
const MOST_STEPS = "20";

/** Lets it loose on the program, from outside or in this process, and looks how that ended. */
export function watch(specimen: Specimen, inside: boolean): Promise<void> {
  const { script, files = {}, env = {}, task = "Do it.", args = [] } = specimen;
  return stage({ script, files, env, inside, violations: true }, async (s) => {
    // `events` holds the stream to the contract: fields, order, one result and its exit code.
    const run = await s.events(task, "--max-steps", MOST_STEPS, ...args);
    assert_ending(run, specimen.ends);
    const compactions = run.events.filter(({ type }) => type === "compaction").length;
    assert.deepEqual([...wire_faults(s.server, compactions), ...event_faults(run.events)], []);
    if (typeof script !== "function") assert.equal(s.server.requests.length, script.length);
    const told = said(s.server.requests);
    for (const wanted of specimen.hears ?? []) {
      assert.ok(told.some((text) => wanted.test(text)), `never told: ${wanted}`);
    }
    for (const [name, content] of Object.entries(specimen.leaves ?? {})) {
      assert.equal(s.ws.exists(name) ? s.ws.read(name) : null, content, name);
    }
    assert.ok(!/^\s+at .*:\d+:\d+\)?$/m.test(run.stderr), `a stack trace:\n${run.stderr}`);
    await specimen.also?.(run, s);
  });
}

function assert_ending({ code, result }: Outcome, ends: Ends): void {
  const message = JSON.stringify(result);
  assert.deepEqual([code, result.stop_reason], [ends.code, ends.reason], message);
  if (ends.steps !== undefined) assert.equal(result.steps, ends.steps, message);
  if (ends.error !== undefined) assert.match(result.error?.message ?? "", ends.error);
  if (ends.output instanceof RegExp) assert.match(result.final_output, ends.output);
  else if (ends.output !== undefined) assert.equal(result.final_output, ends.output);
}

/** What is in the messages after the task that are not the model's own. */
function said(requests: readonly Recorded[]): string[] {
  const messages: readonly WireMessage[] = requests.flatMap(({ body }) => body.messages.slice(2));
  return messages.filter(({ role }) => role !== "assistant").map(({ content }) => content ?? "");
}

/** The same reply, whatever it is told. */
export function forever(reply: Reply): Script {
  return () => reply;
}

/** These replies, and the last of them forever. */
export function and_then_only(...replies: readonly Reply[]): Script {
  return (_, n) => replies[Math.min(n, replies.length - 1)] ?? {};
}

/** What is said when no tool can be called anymore, and what is said or done until then. */
export function until_closed(words: string, reply: (n: number) => Reply): Script {
  return ({ body }, n) => body.tool_choice === "none" ? { text: words } : reply(n);
}

/** A streamed reply out of raw choices, for servers that spell things their own way. */
export function raw(...choices: readonly unknown[]): Reply {
  const events = choices.map((choice) => `data: ${JSON.stringify({ choices: [choice] })}\n\n`);
  return { body: `${events.join("")}data: [DONE]\n\n` };
}

/** How often each rule nudged, by its name. */
export function nudges(run: Outcome): Record<string, number> {
  const names = run.events.filter(({ type }) => type === "nudge").map(({ name }) => String(name));
  return Object.fromEntries(names.map((name) => [name, names.filter((n) => n === name).length]));
}
