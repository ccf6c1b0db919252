/** Everyday commands and what becomes of them in the sandbox: the table of docs/permissions.md, and what its test runs. */
import { DEVELOPMENT } from "./everyday_development.ts";
import { SYSTEM } from "./everyday_system.ts";

/** A command of the table. Without `refused` it works as it is. */
export interface Everyday {
  /** As it is in the table. */
  readonly name: string;
  /** What to know: which flag it takes, why it is not available. */
  readonly note?: string;
  /** Programs that have to be on PATH for the test. */
  readonly needs: readonly string[];
  /**
   * Shell commands of the test, in a folder of their own. `{OUT}` is a folder outside the workspace, `{PORT}` the port of a server that
   * the run has not started.
   */
  readonly run: string;
  /** What the model and the user are told where it is refused. */
  readonly refused?: RegExp;
  /** The flags with which it works; absent beside `refused`: with none, or with a network that the test does not have. */
  readonly flags?: readonly string[];
  /** The user root can't do it anywhere. */
  readonly not_as_root?: true;
}

/** In the order of the table. */
export const EVERYDAY: readonly Everyday[] = [...DEVELOPMENT, ...SYSTEM];

/** The table in Markdown. */
export function table(): string {
  const rows = EVERYDAY.map(({ name, note = "", refused }) => {
    const verdict = refused === undefined ? "works" : note.startsWith("no:") ? "no" : "with";
    return `| ${name} | ${verdict} | ${note.replace(/^no: /, "")} |`;
  });
  return ["| command | | |", "| --- | --- | --- |", ...rows].join("\n");
}
