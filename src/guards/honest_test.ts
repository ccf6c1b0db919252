/** Honest work, as good agents do it, before all guards with their defaults: none of it may be stopped, little of it spoken to. */
import assert from "node:assert/strict";
import { defaults } from "../config/keys.ts";
import { bash, edit, play, read, type Step } from "./_testing.ts";
import { guards } from "./mod.ts";
import type { Mode } from "./rule.ts";

const settings = defaults();
const RULES = guards({
  ...settings.guards,
  ...settings.budget,
  ...{ max_steps: 64, max_tool_calls: 192, timeout_s: 0, step_timeout_s: 0 },
});

/** So many steps. */
const times = (count: number, step: (n: number) => Step): Step[] =>
  Array.from({ length: count }, (_, n) => step(n));

const STATUS = bash("git status --short");
const TEST = bash("npm test", { result: "1 failed", failed: true });
const GREEN = bash("npm test", { result: "ok" });

interface Honest {
  readonly steps: readonly Step[];
  readonly mode?: Mode;
  /** Steps at which it is spoken to, from 1; none where it is absent. */
  readonly told?: readonly number[];
}

const HONEST: Readonly<Record<string, Honest>> = {
  "looks at the status between other work": {
    steps: times(18, (n) => n % 3 === 0 ? STATUS : read(`file ${n}`)),
  },
  "looks at the status after each of its commits": {
    steps: times(12, (n) => n % 2 === 0 ? bash(`git commit -m ${n}`, { result: `c${n}` }) : STATUS),
  },
  "runs a test three times to see whether it is flaky": { steps: [GREEN, GREEN, GREEN] },
  "hunts a flaky test whose outcome differs": {
    steps: times(12, (n) => bash("npm test", { result: n % 3 === 0 ? "1 failed" : "ok" })),
  },
  "hunts a flaky test in a loop of the shell": {
    steps: times(
      4,
      (n) => bash("for i in $(seq 20); do npm test; done", { ms: 40_000, result: `${n}` }),
    ),
  },
  "watches a build with sleeps": {
    steps: times(12, () => bash("sleep 5; tail -n 3 build.log", { ms: 5_000 })),
  },
  "watches a log that grows": {
    steps: times(10, (n) => bash("tail -n 3 build.log", { result: `line ${n}` })),
  },
  "polls a server that it started": {
    steps: times(9, () => bash("curl -s localhost:8080/health", { background: true })),
  },
  "polls a server of somebody else a few times": {
    steps: times(6, () => bash("curl -s localhost:8080/health", { failed: true, result: "" })),
  },
  "waits for a container": {
    steps: times(8, () => bash("sleep 2; docker ps", { ms: 2_100 })),
  },
  "reads a file again after a command rewrote it": {
    steps: times(
      12,
      (n) =>
        n % 2 === 0
          ? read("a.ts", { result: `${n}` })
          : bash(`sed -i s/${n}/x/ a.ts`, { changes: 1 }),
    ),
  },
  "looks five times at one file to answer a question": {
    steps: times(5, () => read("a.ts")),
    mode: "ask",
  },
  "looks five times at one file, with others between": {
    steps: times(10, (n) => n % 2 === 0 ? read("a.ts") : read(`${n}.ts`)),
    mode: "ask",
  },
  "bisects": {
    steps: times(
      12,
      (n) =>
        n % 2 === 0
          ? bash(
            "sh check.sh",
            { failed: n % 4 === 0, result: n % 4 === 0 ? "bad" : "good" } as Step,
          )
          : bash(n % 4 === 1 ? "git bisect bad" : "git bisect good", {
            result: `at ${n}`,
            changes: 1,
          }),
    ),
  },
  "bisects a repository whose files stay as they are": {
    steps: times(
      6,
      (n) => n % 2 === 0 ? TEST : bash("git bisect bad", { result: `left ${n}` }),
    ),
  },
  "retries an install twice while the network is away": {
    steps: [
      ...times(2, () => bash("npm install", { failed: true, result: "ENOTFOUND" })),
      bash("ls node_modules", { failed: true }),
      bash("npm install --offline", { result: "added 3" }),
    ],
  },
  "fixes a bug: test, look, edit, test, five rounds": {
    steps: times(5, () => TEST).flatMap((_, n) => [TEST, read("a.ts"), edit(`${n}`), TEST]),
    mode: "verify",
  },
  "searches long for a bug before it changes anything": {
    steps: [...times(19, (n) => bash(`grep -rn word${n} src`)), edit("a.ts"), GREEN],
    mode: "patch",
  },
  "searches very long, and hears of it once": {
    steps: [...times(30, (n) => read(`file ${n}`)), edit("a.ts"), GREEN],
    mode: "patch",
    told: [20],
  },
  "reads eighty files, a few a step": {
    steps: times(
      20,
      (n) => ({ calls: times(4, (at) => read(`${n} ${at}`)).flatMap(({ calls }) => calls) }),
    ),
    mode: "ask",
  },
  "reads again what a compaction took away": {
    steps: times(16, (n) => read(`file ${n % 4}`, n % 10 === 9 ? { compacted: true } : {})).slice(
      0,
      12,
    ),
    mode: "patch",
  },
  "greps for words that are not there": {
    steps: times(8, (n) => bash(`grep -rn nothing${n} .`, { failed: true, result: `exit code 1` })),
  },
  "goes back and forth between a file and its test": {
    steps: times(10, (n) => read(n % 2 === 0 ? "a.ts" : "a_test.ts")),
    mode: "ask",
  },
};

for (const [name, { steps, mode = "auto", told = [] }] of Object.entries(HONEST)) {
  Deno.test(`guards() let honest work be: ${name}`, () => {
    const said = play(RULES, steps, { mode });
    assert.deepEqual(said.flatMap((word, at) => word === "" ? [] : [[at + 1, word]]), [
      ...told.map((at) => [at, "nudge"]),
    ]);
  });
}
