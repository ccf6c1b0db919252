/** The gates' rows of docs/guards.md. */
import type { Moment, View } from "../../src/guards/rule.ts";
import type { LedgerRow as Fact } from "../../src/tools/ledger.ts";
import { TAIL_CHARS } from "../../src/gates/verify.ts";
import type { Row } from "./row.ts";

const CONTRACT: Moment = { at: "contract" };

/** The model ends its turn so many times with these words. */
function endings(text: string, times: number): Moment[] {
  return Array.from({ length: times }, () => ({ at: "ending", text }));
}

function verified(exit_code: number | null): Partial<View> {
  const tail = "1 test failed";
  const row: Fact = { kind: "verification", step: 9, command: "npm test", exit_code, tail };
  return { mode: "verify", ledger: [row], turn: [row] };
}

/** In the order of `gates()`: first those of an ending, then those of the contract. */
export const GATES: readonly Row[] = [
  {
    name: "not_done",
    about:
      "An answer that begins with `NOT DONE:` ends the run in every mode; before any call it is asked to try.",
    settings: ["guards.action_nudges"],
    scenes: [
      { where: "no call was made in the run", moments: endings("NOT DONE: I can't.", 1) },
      {
        where: "one was",
        moments: endings("NOT DONE: there is no function add.", 1),
        view: { calls: 1 },
      },
    ],
    costs: "A request where no call was made.",
  },
  {
    name: "doubtful",
    about:
      "`auto` only. Doubtful: an answer that claims a change, a passing test, a command or a measured figure that no fact shows; " +
      "announces, proposes, asks, refuses or shows code instead of acting; is only a status; or passes over " +
      "what failed. Words raise the question, once a turn; facts judge the next answer: a changed file (the one that is named), a ref, an ignored or outside path, a saved " +
      "fact, a command that does more than read, build or test and was not seen to change nothing; for a test, one that exited with 0 after the last change and told no failure. An admitted " +
      "failure that facts confirm is `not_done`.",
    settings: ["guards.claim_nudges", "guards.action_nudges"],
    scenes: [
      {
        where: "the model ends with “I fixed the bug.” and nothing changed",
        moments: endings("I fixed the bug.", 1),
      },
      { where: "it says so again", moments: endings("I fixed the bug.", 2) },
      {
        where: "it asks “Which file should I change?”",
        moments: endings("Which file should I change?", 1),
      },
      { where: "it asks again", moments: endings("Which file should I change?", 2) },
    ],
    costs: "One request a turn at most.",
  },
  {
    name: "unchanged",
    about: "In `ask` and `plan` mode no file may be left changed by a call of the run.",
    settings: [],
    scenes: [{
      where: "one is",
      moments: [CONTRACT],
      view: {
        mode: "ask",
        run: [{ kind: "file", step: 1, call: "c", path: "a.ts", before: "a", after: "b" }],
      },
    }],
    costs: "",
  },
  {
    name: "patch",
    about: "In `patch` mode a file of the workspace must differ from the start of the run.",
    settings: [],
    scenes: [{ where: "none does", moments: [CONTRACT], view: { mode: "patch" } }],
    costs: "The repair turn, with all its requests. Repair turns in a run: " +
      "{agent.repair_attempts} (`agent.repair_attempts`), whichever gate asks for them.",
  },
  {
    name: "verify",
    about: "In `verify` mode the verify command (`verify.command`) must pass after the turn.",
    settings: [],
    scenes: [
      { where: "it has failed", moments: [CONTRACT], view: verified(1) },
      { where: "it did not finish", moments: [CONTRACT], view: verified(null) },
      { where: "it has not run", moments: [CONTRACT], view: { mode: "verify" } },
    ],
    costs: "As `patch`, with the end of the command's output, " +
      `at most ${TAIL_CHARS} characters; and the time that the command takes after each turn, at most ` +
      "{verify.timeout_s} s (`verify.timeout_s`).",
  },
];
