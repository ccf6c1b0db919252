import { GO_ON, type Rule, stateless, type Verdict, type View } from "../guards/rule.ts";

/** How much of the output's end goes into the reason: test runners put their summary there. */
export const TAIL_CHARS = 4_000;

/** `verify` mode: the verify command was run after this turn, and passed. */
export function verify(): Rule {
  return stateless(
    "verify",
    (moment, view) => moment.at === "contract" && view.mode === "verify" ? judge(view) : GO_ON,
  );
}

function judge(view: View): Verdict {
  const row = view.turn.findLast((row) => row.kind === "verification");
  if (row === undefined) return failed("The verify command has not run.");
  if (row.exit_code === 0) return GO_ON;
  const how = row.exit_code === null
    ? "was ended by a signal or a time limit"
    : `failed with exit code ${row.exit_code}${convention(row.exit_code)}`;
  const tail = row.tail.trimEnd().slice(-TAIL_CHARS);
  const output = tail === "" ? "It printed nothing." : `The end of its output:\n${tail}`;
  return failed(`The verify command \`${row.command}\` ${how}. ${output}`);
}

/** A shell can't tell its own words from those of a program that ends so, too: the model and the person are told what is usual. */
function convention(exit_code: number): string {
  switch (exit_code) {
    case 126:
      return " (usually: a program that can't be executed)";
    case 127:
      return " (usually: a program that was not found)";
    default:
      return "";
  }
}

function failed(text: string): Verdict {
  return { kind: "stop", reason: "verification_failed", text };
}
