/** How a `post_edit` hook learns of the file. */
import ignore from "ignore";

/** The variable that holds the absolute path of the file. */
export const EDITED_FILE = "HAMR_EDITED_FILE";

/** `{a,b}` without further braces in it. */
const CHOICE = /\{([^{}]*,[^{}]*)\}/;

/**
 * Whether one of the patterns is for a file; none are for all. They are those of `.gitignore`, and know `{a,b}`.
 * `shown` is relative to the workspace, or absolute for a file elsewhere.
 */
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

/**
 * A command with each `{file}` replaced by the variable, in the quotes that its place needs. The path itself never becomes part
 * of the command, so that no name of a file can be one.
 */
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
