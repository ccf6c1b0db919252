/** The gates' rows of docs/guards.md. */
import type { Moment, View } from "../../src/guards/rule.ts";
import type { Row as Fact } from "../../src/tools/ledger.ts";
import { defaults } from "../../src/config/keys.ts";
import { TAIL_CHARS } from "../../src/gates/verify.ts";
import type { Row } from "./row.ts";

const { guards } = defaults();

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
    name: "intent",
    about:
      "An announcement is no ending. After that many nudges it is a stop where no call was run in the turn; else, and in the " +
      "modes that ask for evidence (`patch`, `verify`), the other gates decide. With 0 nudges it never speaks.",
    settings: ["guards.action_nudges"],
    scenes: [
      {
        where: "the model ends with “Let me look at the code first.”",
        moments: endings("Let me look at the code first.", 1),
      },
      {
        where: "it does so still after the nudges, and has run no call",
        moments: endings("Let me look at the code first.", guards.action_nudges + 1),
      },
    ],
    costs: "A request for each nudge, {guards.action_nudges} a turn at most.",
  },
  {
    name: "status_only",
    about:
      "A bare status is no ending while nothing was done in the turn: no file changed, no command passed.",
    settings: ["guards.action_nudges"],
    scenes: [
      { where: "the model ends with “Done.”", moments: endings("Done.", 1) },
      {
        where: "it does so still after the nudges",
        moments: endings("Done.", guards.action_nudges + 1),
      },
    ],
    costs: "A request for each nudge, {guards.action_nudges} a turn at most.",
  },
  {
    name: "claims",
    about:
      "A change that is claimed must be in the ledger; in `auto` mode one that was tried, too. Not asked in `ask` mode.",
    settings: ["guards.claim_nudges"],
    scenes: [
      {
        where: "the model ends with “I fixed the bug.” and no file has changed",
        moments: endings("I fixed the bug.", 1),
      },
      {
        where: "it does so still after the nudges",
        moments: endings("I fixed the bug.", guards.claim_nudges + 1),
      },
    ],
    costs: "A request for each nudge, {guards.claim_nudges} a turn at most.",
  },
  {
    name: "patch",
    about: "In `patch` mode a file of the workspace must differ from the start of the run.",
    settings: [],
    scenes: [{ where: "none does", moments: [CONTRACT], view: { mode: "patch" } }],
    costs: "The repair turn, with all the requests that it takes. Repair turns in a run: " +
      "{agent.repair_attempts} (`agent.repair_attempts`), whichever gate asks for them.",
  },
  {
    name: "verify",
    about: "In `verify` mode the verify command (`verify.command`) must pass after the turn.",
    settings: [],
    scenes: [
      { where: "it has failed", moments: [CONTRACT], view: verified(1) },
      { where: "it did not come to an end", moments: [CONTRACT], view: verified(null) },
      { where: "it has not run", moments: [CONTRACT], view: { mode: "verify" } },
    ],
    costs: "As `patch`, with the end of the command's output, " +
      `at most ${TAIL_CHARS} characters; and the time that the command takes after each turn, at most ` +
      "{verify.timeout_s} s (`verify.timeout_s`).",
  },
];
