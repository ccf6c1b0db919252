import { hints } from "../../permission/hints.ts";
import { offered_flags } from "../../permission/offered_flags.ts";
import type { BashArgs } from "../declared/machine_tools.ts";
import { begin_background } from "./background_run.ts";
import { ending } from "./shell/ending.ts";
import { live_printer } from "./machine/machine.ts";
import { runner } from "./runner.ts";
import { COLORS_LEFT_OUT, NO_OUTPUT } from "./shell/terminal_text.ts";
import { prints_matches, ran_no_test, reports_failure } from "./shell/test_report.ts";

/** Runners whose colors nobody works on. */
const DECORATES = /\b(?:\w*tests?|jest|vitest|check|build|\w*lint)\b/i;
/** Of the output of what failed, for whoever has to know whether an answer shows it. */
const SAID_CHARS = 500;

export const run_bash = runner<BashArgs>(async (args, machine) => {
  if (args.background === true) return await begin_background(args, machine);
  const timeout_s = args.timeout ?? machine.bash_timeout_s;
  const { signal, call } = machine;
  const asked = { timeout_s, signal, parts: true, printed: live_printer(call, machine) } as const;
  // What others have changed until now is news even if the command names it.
  machine.files.outdated();
  machine.shown.ran(args.command, Date.now());
  const result = await machine.shell.run(args.command, asked);
  machine.files.seen.told(args.command);
  // A command that took its SIGTERM for a reason to end well did not come to its end all the same.
  const exit_code = result.ended_by === "itself" ? result.exit_code : null;
  const ok = exit_code === 0;
  const refused = hints({ command: args.command, ...result }, machine.policy);
  const flags = offered_flags(refused);
  const notes = [
    ...(result.had_codes && !DECORATES.test(args.command) ? [COLORS_LEFT_OUT] : []),
    ...(ok ? [] : [ending(result, timeout_s)]),
    ...(result.ended_by === "timeout"
      ? ['give a longer "timeout", or "background": true for a server; nothing can be typed here']
      : []),
    ...(result.background ? ["background processes keep running until the run ends"] : []),
    ...refused,
  ];
  const note = notes.map((line) => `[${line}]`).join("\n");
  return {
    ok,
    text: [result.output.replace(/\n$/, ""), note].filter((part) => part !== "").join("\n") ||
      NO_OUTPUT,
    summary: ok ? "exit code 0" : ending(result, timeout_s),
    ...(flags.length === 0 ? {} : { flags }),
    facts: [{
      kind: "command",
      command: args.command,
      exit_code,
      ...(result.passed &&
        (await import("./shell/line_trace.ts")).undone_in(args.command, result.passed)),
      ...(exit_code === 0 ? {} : { said: result.output.trimEnd().slice(-SAID_CHARS) }),
      ...(reports_failure(args.command, result.output) ? { tells_failure: true } : {}),
      ...(ok && ran_no_test(args.command, result.output) ? { ran_no_test: true } : {}),
    }],
    ...(prints_matches(args.command, result.output) ? { found: true } : {}),
    ...(result.background ? { goes_on: true } : {}),
  };
});
