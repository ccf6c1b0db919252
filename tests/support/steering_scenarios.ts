/**
 * Runs that are talked to while they work, each in a process of its own together with its model: so a scenario says exactly
 * when something is said. `hamr run --steer` hears its standard input; here the `Steering` is held.
 *
 *     deno run -A tests/support/steering_scenarios.ts NAME
 *
 * The last line of standard output is what happened, as JSON.
 */
import type { Stamped } from "../../src/agent/events.ts";
import type { Steering } from "../../src/agent/steering.ts";
import { program } from "./program.ts";
import {
  ANSWER,
  bash,
  call,
  say,
  type Script,
  serve_model,
  type WireMessage,
} from "./model_server.ts";

const { ask_endpoint, load_settings, parse, process_io, run_job } = program;

/** What a scenario came to. */
export interface Played {
  readonly code: number;
  readonly events: readonly Stamped[];
  /** The messages of each request. */
  readonly requests: readonly (readonly WireMessage[])[];
  readonly violations: readonly string[];
  /** Whether a word after the end was taken. */
  readonly too_late: boolean;
}

interface Scenario {
  readonly flags?: readonly string[];
  script(steering: Steering): Script;
  /** Hears every event of the run, as it happens. */
  hear?(event: Stamped, steering: Steering): void;
  /** What is said before the run begins. */
  readonly first?: string;
}

/** Says `text` when the `nth` event of a type happens. */
function at(type: Stamped["type"], text: string, nth = 1): Scenario["hear"] {
  let seen = 0;
  return (event, steering) => void (event.type === type && ++seen === nth && steering.steer(text));
}

const echo = (text: string) => bash(`echo ${text}`);

/** The scenarios, by name. */
export const SCENARIOS: Record<string, Scenario> = {
  while_a_tool_runs: {
    script: () => [echo("ran"), say(ANSWER)],
    hear: at("tool_call", "Look at the README, too."),
  },
  during_the_last_answer: {
    script: (steering) => (_, n) => {
      if (n > 0) return say("It is 43.");
      steering.steer("Are you sure?");
      steering.steer("Count again.");
      return say("It is 42.");
    },
  },
  instead_of_a_gate: {
    flags: ["--mode", "patch", "--repair-attempts", "0"],
    script: (steering) => (_, n) => {
      if (n === 0) steering.steer("Write it to b.txt.");
      return n === 1 ? bash("echo x > b.txt") : say("I fixed it.");
    },
  },
  while_verify_runs: {
    flags: ["--verify", "true"],
    script: () => [say(ANSWER), say("It is 43.")],
    hear: at("verification", "Count again."),
  },
  before_the_run: { first: "Be short.", script: () => [say(ANSWER)] },
  resets_guards: {
    script: () => [echo("same"), echo("same"), echo("same"), echo("same"), say(ANSWER)],
    hear: at("tool_call", "Once more, please.", 2),
  },
  at_a_limit: {
    flags: ["--max-steps", "1"],
    script: () => [echo("ran"), say("Nothing is done.")],
    hear: at("tool_call", "Look at the README, too."),
  },
  in_an_error: {
    script: (steering) => () => {
      steering.steer("Are you there?");
      return { status: 401, body: '{"error":{"message":"no such key"}}' };
    },
  },
  interrupted: {
    script: (steering) => () => {
      steering.steer("Stop, look at the README first.");
      process_io().err("said\n");
      return { silent: true };
    },
  },
};

/** Interrupts with `text` when the `nth` event of a type happens. */
function interrupt_at(type: Stamped["type"], text: string, nth = 1): Scenario["hear"] {
  let seen = 0;
  return (event, steering) =>
    void (event.type === type && ++seen === nth && steering.interrupt(text));
}

const LONG = { text: "It is a long story. ".repeat(40), fragment: 20, stall_after: 2000 };
const INSTEAD = "Look at the README instead.";

Object.assign(
  SCENARIOS,
  {
    interrupted_in_a_reply: {
      script: () => [LONG, say(ANSWER)],
      hear: interrupt_at("text_delta", INSTEAD),
    },
    interrupted_before_a_reply: {
      script: (steering) => (_, n) => {
        if (n > 0) return say(ANSWER);
        steering.interrupt(INSTEAD);
        return { silent: true };
      },
    },
    interrupted_in_a_command: {
      script: () => [{
        calls: [
          { name: "bash", args: { command: "echo begun; touch begun; sleep 100" } },
          { name: "bash", args: { command: "touch never" } },
        ],
      }, say(ANSWER)],
      hear: (event, steering) => {
        if (event.type === "tool_call" && event.nth === 1) {
          when_there(
            "begun",
            () => steering.interrupt(INSTEAD),
          );
        }
      },
    },
    interrupted_while_it_verifies: {
      flags: ["--verify", "test -e b.txt || { touch a.txt; sleep 100; }"],
      script: () => [say("It is 42."), bash("touch b.txt"), say(ANSWER)],
      hear: (event, steering) => {
        if (event.type === "text_delta" && event.finished && event.step === 1) {
          when_there("a.txt", () => steering.interrupt("Make b.txt."));
        }
      },
    },
    interrupted_while_it_waits: {
      flags: [],
      script: () => [{ status: 503, body: "busy", headers: { "retry-after": "50" } }, say(ANSWER)],
      hear: interrupt_at("retry", INSTEAD),
    },
    interrupted_without_a_word: {
      script: () => [LONG],
      hear: interrupt_at("text_delta", ""),
    },
    interrupted_in_a_subagent: {
      script: () => [
        call("delegate_task", { task: "Wait." }),
        bash("touch begun; sleep 100"),
        say(ANSWER),
      ],
      hear: (event, steering) => {
        if (event.type === "tool_call" && event.name === "bash") {
          when_there("begun", () => steering.interrupt(INSTEAD));
        }
      },
    },
  } satisfies Record<string, Scenario>,
);

/** Does something once a file is there. */
function when_there(name: string, then: () => void): void {
  const poll = setInterval(() => {
    try {
      Deno.lstatSync(name);
    } catch {
      return;
    }
    clearInterval(poll);
    then();
  }, 20);
}

async function play({ flags = [], script, hear, first }: Scenario): Promise<Played> {
  const steering = new program.Steering();
  if (first !== undefined) steering.steer(first);
  const server = serve_model(script(steering));
  const events: Stamped[] = [];
  const out = (text: string) => {
    for (const line of text.trimEnd().split("\n")) {
      const event: Stamped = JSON.parse(line);
      events.push(event);
      hear?.(event, steering);
    }
  };
  const io = { ...process_io(), out };
  const model = ["--base-url", server.url, "--model", "scripted"];
  const parsed = parse(["run", "--output", "jsonl", ...model, ...flags, "What is it?"]);
  const settings = await load_settings(parsed, io);
  const endpoint = ask_endpoint(settings);
  const [task = ""] = parsed.operands;
  const { flags: given, overrides } = parsed;
  const code = await run_job({
    ...{ task, place: settings, flags: given, overrides, io, endpoint, steering },
  });
  return {
    code,
    events,
    requests: server.requests.map(({ body }) => body.messages),
    violations: server.violations,
    too_late: steering.steer("Thanks."),
  };
}

if (import.meta.main) {
  const scenario = SCENARIOS[Deno.args[0] ?? ""];
  if (scenario === undefined) throw new Error(`there is no scenario ${Deno.args[0]}`);
  process_io().out(`${JSON.stringify(await play(scenario))}\n`);
  Deno.exit(0);
}
