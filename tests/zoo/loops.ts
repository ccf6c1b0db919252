/** Models that go round in circles. */
import assert from "node:assert/strict";
import { bash, call, type Reply } from "../support/model_server.ts";
import { forever, nudges, type Specimen } from "./specimen.ts";

const read = (path: string) => call("read", { path });
const FILES = { "a.txt": "one\n", "b.txt": "two\n" };

export const LOOPS: readonly Specimen[] = [
  {
    name: "reads the same file forever",
    from: "seed 000; anomalyco/opencode#43800",
    script: forever(read("a.txt")),
    files: FILES,
    ends: { code: 1, reason: "loop_detected", steps: 7 },
    hears: [/^Not run: same range of the same file, same result, 5 times\./],
  },
  {
    name: "comes back to the same range of a file, with other reads between",
    from: "seed 000",
    script: (_, n) => n % 2 === 0 ? read("a.txt") : read(`${n}.txt`),
    files: FILES,
    ends: { code: 1, reason: "tool_error", steps: 13, error: /read 5 times/ },
  },
  {
    name: "takes the same two steps in turn",
    from: "anomalyco/opencode#43673; crush's window of ten steps",
    script: (_, n) => call("edit", { path: "a.txt", old: `missing ${n % 2}`, new: "two" }),
    files: FILES,
    ends: { code: 1, reason: "loop_detected", steps: 8, error: /alternated 3 times/ },
  },
  {
    name: "runs the failing tests again and again, and changes nothing",
    from: "seed 000",
    script: (_, n) => n % 2 === 0 ? bash("sh test.sh") : bash(`echo thought ${n}`),
    files: { "test.sh": "echo 1 failed; exit 1\n" },
    ends: { code: 1, reason: "loop_detected", steps: 9, error: /command was run 3 times/ },
  },
  {
    name: "polls something whose output has only another time in it",
    from: "seed 003, whose signature does not see that",
    script: forever(bash('echo "waiting since $(date +%H:%M:%S), pid $$"')),
    ends: { code: 1, reason: "loop_detected", steps: 5 },
  },
  {
    name: "makes the same batch of calls",
    from: "seed 003",
    script: forever({ calls: [...read("a.txt").calls!, ...read("b.txt").calls!] }),
    files: FILES,
    ends: { code: 1, reason: "loop_detected", steps: 7 },
  },
  {
    name: "makes the same call with its arguments in another order",
    from: "seed 003 (a deterministic signature)",
    script: (_, n) =>
      call("read", n % 2 ? { path: "a.txt", offset: 1 } : { offset: 1, path: "a.txt" }),
    files: FILES,
    ends: { code: 1, reason: "loop_detected", steps: 7 },
  },
  {
    name: "makes the call that was refused, again and again",
    from: "seed 003 (identical calls, identical results)",
    script: forever(bash("touch b.txt")),
    args: ["--confirm", "all"],
    ends: { code: 1, reason: "loop_detected", steps: 5 },
    leaves: { "b.txt": null },
  },
  {
    name: "tries the edit that failed, again and again",
    from: "AltimateAI/altimate-code#657 (10,943 calls)",
    script: forever(call("edit", { path: "a.txt", old: "missing", new: "two" })),
    files: FILES,
    ends: { code: 1, reason: "loop_detected", steps: 5 },
    leaves: { "a.txt": "one\n" },
  },
  {
    name: "tries edits that fail, each in another way",
    from: "AltimateAI/altimate-code#657; anomalyco/opencode#50073",
    script: (_, n) => call("edit", { path: "a.txt", old: `missing ${n}`, new: "two" }),
    files: FILES,
    args: ["--max-steps", "7"],
    ends: { code: 2, reason: "max_steps", steps: 7 },
    hears: [/3 steps are left/],
    leaves: { "a.txt": "one\n" },
  },
  {
    name: "stays with the call that it was told not to make again, after doing one other thing",
    from: "seed 004 (a guard with two lives)",
    script: (_, n) => n % 4 === 3 ? bash("echo other") : bash("echo same"),
    ends: { code: 1, reason: "loop_detected" },
    also: ({ result }) => assert.ok(result.steps <= 8, String(result.steps)),
  },
  {
    name: "changes a file there and back, forever",
    from: "pi#6158",
    script: (_, n) =>
      call("edit", {
        path: "a.txt",
        ...(n % 2 ? { old: "two", new: "one" } : { old: "one", new: "two" }),
      }),
    files: FILES,
    args: ["--max-steps", "9"],
    ends: { code: 2, reason: "max_steps", steps: 9 },
  },
  {
    name: "comes back to what it knows, where a change is asked for",
    from: "seed 000 (read budget, escalation)",
    script: (_, n): Reply =>
      n < 14 ? call("read", { path: "a.txt", limit: 1 + n % 4 }) : { text: "It is hard to say." },
    files: FILES,
    args: ["--mode", "patch", "--repair-attempts", "0"],
    ends: { code: 2, reason: "contract_unsatisfied", steps: 15 },
    hears: [/^.*8 steps have shown you nothing new/ms, /9 steps/, /10 steps/],
  },
  {
    name: "explores without end where a change is asked for, and finds something each time",
    from: "issue 12 (honest searches)",
    script: (_, n): Reply => n < 12 ? bash(`ls -d ${n}*`) : { text: "It is hard to say." },
    args: ["--mode", "patch", "--repair-attempts", "0"],
    ends: { code: 2, reason: "contract_unsatisfied", steps: 13 },
    also: (run) => assert.equal(nudges(run)["escalation"], undefined),
  },
];
