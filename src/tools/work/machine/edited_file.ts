/** How a `post_edit` hook gets the name of the file. */
import ignore from "ignore";

/** The variable that holds the absolute path of the file. */
export const EDITED_FILE = "HAMR_EDITED_FILE";

/** `{a,b}` without further braces in it. */
const CHOICE = /\{([^{}]*,[^{}]*)\}/;

/** Whether a pattern matches a file; no patterns match all. As in `.gitignore`, and with `{a,b}`. `shown` is relative to the workspace or absolute. */
export function is_for(patterns: readonly string[], shown: string): boolean {
  if (patterns.length === 0) return true;
  const rules = ignore({ ignorecase: false }).add(patterns.flatMap(spelled_out));
  return rules.ignores(shown.replace(/^\/+/, ""));
}

/** `*.{ts,tsx}` is `*.ts` and `*.tsx`. */
function spelled_out(pattern: string): string[] {
  const [whole, choices] = CHOICE.exec(pattern) ?? [];
  if (whole === undefined || choices === undefined) return [pattern];
  // A function: in a text, `$&` would mean something.
  return choices.split(",").flatMap((one) => spelled_out(pattern.replace(whole, () => one)));
}

/** A command with each `{file}` replaced by a quoted variable, so that no file name can become part of the command. */
export function with_file(command: string): string {
  let quote = "";
  return command.replace(/\\[^]|['"]|\{file\}/g, (part) => {
    if (part === "{file}") return quote === "" ? `"$${EDITED_FILE}"` : `\${${EDITED_FILE}}`;
    // Within single quotes a backslash is one, and what follows it counts.
    if (part.startsWith("\\")) {
      if (quote === "'" && part === "\\'") quote = "";
      return part;
    }
    if (quote === "") quote = part;
    else if (quote === part) quote = "";
    return part;
  });
}
