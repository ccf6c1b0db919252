/** Calls that an answer holds as text, in a form that no dialect takes for one. */
import { find_tool } from "../../tools/declared/every_tool.ts";
import { call_kind_of } from "../../tools/understand/names.ts";

/** `edit(…`, `"tool": "edit"`, `Action: edit`, `<edit …`, `/edit …`: each at the start of a line, except JSON, with no line end before it. */
const FORMS: readonly RegExp[] = [
  /^(?:[^\S\r\n\u2028\u2029]|`)*([A-Za-z_][\w.]*)\(/gm,
  /"(?:tool|tool_name|name|function|action)"\s*:\s*"([\w.-]+)"/g,
  /^[^\S\r\n\u2028\u2029]*(?:\*\*)?action:?(?:\*\*)?:?\s*`?([A-Za-z_][\w.]*)`?[^\S\r\n\u2028\u2029]*$/gim,
  /^[^\S\r\n\u2028\u2029]*<([A-Za-z_]\w*)[\s>]/gm,
  /^[^\S\r\n\u2028\u2029]*\/([a-z_]+) \S/gm,
];

/** Whether there is one of a tool, under whatever name. */
export function prints_call(text: string): boolean {
  return FORMS.some((form) =>
    [...text.matchAll(form)].some(([, name = ""]) =>
      find_tool(name) !== undefined || call_kind_of(name) !== undefined
    )
  );
}
