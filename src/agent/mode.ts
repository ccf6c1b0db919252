/** What a mode means to the model: the tools it is offered and the instructions it begins with. */
import { type Mode, only_answers } from "../guards/rule.ts";
import { BASIC_TOOLS } from "../tools/declared/every_tool.ts";
import type { Tool, ToolSchema } from "../tools/tool.ts";
import type { Session } from "./session.ts";

export function tools_of(mode: Mode, tools: readonly Tool<unknown>[]): readonly Tool<unknown>[] {
  return only_answers(mode) ? tools.filter(({ changes }) => changes === undefined) : tools;
}

/** The answer to a call of a tool that this mode does not offer; null if the mode is not why it is missing. */
export function not_in_mode(tool: Tool<unknown> | undefined, mode: Mode): string | null {
  if (!only_answers(mode) || tool?.changes === undefined) return null;
  const instead = mode === "plan" ? "put the change into your plan" : "put it into your answer";
  return `${tool.name} was not run: mode ${mode} changes no files; ${instead}`;
}

/** Tells the model the mode of the run that begins, unless it knows that already. */
export function tell_mode({ state, limits, history, wire, tools }: Session): void {
  const { verify_command, read_only, output_schema } = limits;
  const of_mode: Readonly<Record<Mode, string>> = {
    auto: "", // That is what the rules speak of.
    ask:
      "Mode ask: answer from what you find, and change no file; what you need to try goes to $TMPDIR.",
    plan: "Mode plan: the workspace is read-only. Look around, then answer with a plan: what to " +
      "change in which files, and how to check it.",
    patch: "Mode patch. Done means: a file of the workspace differs from the start of the run.",
    verify: `Mode verify. Done means: this command passes: ${verify_command}`,
  };
  const held = read_only && state.mode !== "plan" ? "The workspace is read-only in this run." : "";
  const form = output_schema === ""
    ? ""
    : "Your last answer must be JSON that matches this schema, and nothing but JSON " +
      `(NOT DONE: stays possible): ${output_schema}`;
  const words = [of_mode[state.mode], held, form].filter((part) => part !== "").join(" ");
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
