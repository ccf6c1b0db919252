import { first_thrown } from "../../config/attempt.ts";
import { message_of } from "../../config/text.ts";
import { NothingToChange, Refusal } from "../failure.ts";
import type { Machine } from "./machine/machine.ts";
import type { Done } from "../tool.ts";

/** What a tool does, on the tools worker; its declaration is in `declared/`. Throws `Refusal` or `ToolFailure` with words for the model. */
export type Runner = (args: unknown, machine: Machine) => Done | Promise<Done>;

/** Hides the type of a tool's arguments, so that runners fit into one table. They have been checked. */
export function runner<A>(run: (args: A, machine: Machine) => Done | Promise<Done>): Runner {
  return (args, machine) => run(args as A, machine);
}

/** Whether a command runs while the call does. */
export function is_shell({ tool }: { tool: string }): boolean {
  return tool === "bash" || tool === "background";
}

/** What a call comes to that was given up before it began. */
export function not_run(): Done {
  return { ok: false, text: "Error: not run, the run was stopped", summary: "not run" };
}

/** Without what only leads to the lines below it, which a person is not shown: "Nearest lines:". */
function first_line(words: string): string {
  const [first = "", ...below] = words.split("\n");
  const lead = /^(.+[.;]) [^.;]+:$/.exec(first);
  return below.length > 0 && lead?.[1] !== undefined ? lead[1].replace(/[.;]$/, "") : first;
}

export function failed_result(thrown: unknown): Done {
  const error = first_thrown(thrown);
  const words = message_of(error);
  const denied = error instanceof Refusal || error instanceof Deno.errors.NotCapable ||
    error instanceof Deno.errors.PermissionDenied;
  const astray = error instanceof NothingToChange || error instanceof Refusal && error.scratch;
  return {
    ok: false,
    text: `Error: ${words}`,
    summary: first_line(words),
    ...(denied ? { refused: "policy" } : {}),
    ...(error instanceof Refusal && error.flag !== undefined ? { flags: [error.flag] } : {}),
    ...(astray ? { astray } : {}),
  };
}
