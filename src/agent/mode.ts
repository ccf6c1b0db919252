/** What a mode means to the model: the tools it is offered and the instructions it begins with. */
import { type Mode, only_answers } from "../guards/rule.ts";
import { BASIC_TOOLS } from "../tools/declared/every_tool.ts";
import type { Tool, ToolSchema } from "../tools/tool.ts";
import type { RunLimits, Session } from "./session.ts";

export function tools_of(mode: Mode, tools: readonly Tool<unknown>[]): readonly Tool<unknown>[] {
  return only_answers(mode) ? tools.filter(({ changes }) => changes === undefined) : tools;
}

/** The answer to a call of a tool that this mode does not offer; null if the mode is not why it is missing. */
export function not_in_mode(tool: Tool<unknown> | undefined, mode: Mode): string | null {
  if (!only_answers(mode) || tool?.changes === undefined) return null;
  const instead = mode === "plan" ? "put the change into your plan" : "put it into your answer";
  return `${tool.name} was not run: mode ${mode} changes no files; ${instead}`;
}

/** Tells the model the mode of the run that begins, unless that is what it knows already. */
export function tell_mode({ state, limits, history, wire, tools }: Session): void {
  const words = words_of(state.mode, limits);
  if (words === state.notes.told) return;
  history.say(words === "" ? changes_begin(wire.tools_in_text, tools) : words);
  state.notes.told = words;
}

/** A model that knows tools only from text has to be shown those that were not offered before. */
function changes_begin(in_text: boolean | undefined, tools: readonly ToolSchema[]): string {
  const changing = BASIC_TOOLS.filter(({ changes }) => changes !== undefined).map(({ name }) =>
    name
  );
  const shown = in_text ? tools.filter(({ name }) => changing.includes(name)) : [];
  return [
    "Mode auto: files may be changed from here on.",
    ...shown.map((tool) => JSON.stringify(tool)),
  ]
    .join("\n");
}

/** Nothing for `auto`: that is what the rules speak of. */
function words_of(
  mode: Mode,
  { verify_command, read_only, output_schema }: Pick<
    RunLimits,
    "verify_command" | "read_only" | "output_schema"
  >,
): string {
  const held = read_only && mode !== "plan" ? ["The workspace is read-only in this run."] : [];
  const form = output_schema === "" ? [] : [
    "Your last answer must be JSON that matches this schema, and nothing but JSON " +
    `(NOT DONE: stays possible): ${output_schema}`,
  ];
  return [...of_mode(mode, verify_command), ...held, ...form].join(" ");
}

function of_mode(mode: Mode, verify_command: string): readonly string[] {
  switch (mode) {
    case "auto":
      return [];
    case "ask":
      return ["Mode ask: answer from what you find, and change no file."];
    case "plan":
      return [
        "Mode plan: the workspace is read-only. Look around, then answer with a plan: what to " +
        "change in which files, and how to check it.",
      ];
    case "patch":
      return ["Mode patch. Done means: a file of the workspace differs from the start of the run."];
    case "verify":
      return [`Mode verify. Done means: this command passes: ${verify_command}`];
  }
}
