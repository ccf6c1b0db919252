/** Calls that an answer holds as text, in a form that no dialect takes for one. */
import { find_tool } from "../tools/declared/every_tool.ts";
import { kind_of } from "../tools/understand/names.ts";

/** `edit(…`, `"tool": "edit"`, `Action: edit`, `<edit …`, `/edit …`: each at the beginning of a line, but for JSON. */
const FORMS: readonly RegExp[] = [
  /^[\s`]*([A-Za-z_][\w.]*)\(/gm,
  /"(?:tool|tool_name|name|function|action)"\s*:\s*"([\w.-]+)"/g,
  /^\s*(?:\*\*)?action:?(?:\*\*)?:?\s*`?([A-Za-z_][\w.]*)`?\s*$/gim,
  /^\s*<([A-Za-z_]\w*)[\s>]/gm,
  /^\s*\/([a-z_]+) \S/gm,
];

/** Whether there is one of a tool, under whatever name. */
export function prints_call(text: string): boolean {
  return FORMS.some((form) =>
    [...text.matchAll(form)].some(([, name = ""]) =>
      find_tool(name) !== undefined || kind_of(name) !== undefined
    )
  );
}
