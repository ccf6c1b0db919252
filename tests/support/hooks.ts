/** Hooks as settings, for the tests about them. */
import { inside_stage, type Stage, type StageOptions } from "./stage.ts";

/** The user's own file of settings, in HOME. */
export const USER = ".config/hamr/config.toml";

type Fields = Readonly<Record<string, unknown>>;

/** One hook as TOML; a value that is a list or a number is written as JSON has it. */
function hook(event: string, fields: Fields): string {
  const lines = Object.entries(fields).map(([name, value]) => `${name} = ${JSON.stringify(value)}`);
  return [`[[hooks.${event}]]`, ...lines, ""].join("\n");
}

/** A `post_edit` hook called `lint`. */
export function post_edit(command: string, more: Fields = {}): string {
  return hook("post_edit", { name: "lint", command, ...more });
}

/** A `pre_tool` hook called `policy`. */
export function pre_tool(command: string, more: Fields = {}): string {
  return hook("pre_tool", { name: "policy", command, ...more });
}

/** A `post_tool` hook called `audit`. */
export function post_tool(command: string, more: Fields = {}): string {
  return hook("post_tool", { name: "audit", command, ...more });
}

/** A stage on which these hooks are the user's own. */
export async function with_hooks(
  settings: string,
  options: StageOptions,
  body: (s: Stage) => Promise<void>,
): Promise<void> {
  await inside_stage(options, async (s) => {
    s.home.write(USER, settings);
    await body(s);
  });
}

/** A call that makes `a.py`. */
export const WRITE: [string, Record<string, unknown>] = ["write", {
  path: "a.py",
  content: "x=1\n",
}];
/** A call that makes `ran`. */
export const TOUCH: [string, Record<string, unknown>] = ["bash", { command: "touch ran" }];
