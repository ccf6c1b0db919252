/** The settings of `[hooks]`. */
import { HOOKED_TOOLS, hooks, type Key, list } from "./key.ts";

export const HOOK_KEYS = {
  post_edit: hooks(
    {
      file_patterns: list("files it is for, as in .gitignore; [] is all", {
        expects: "a list of patterns",
      }),
    },
    {
      doc: "commands that check each file that the model has edited or written",
      example: `[{ name = "lint", command = "ruff check {file}", file_patterns = ["*.py"] }]`,
    },
  ),
  pre_tool: hooks(HOOKED_TOOLS, {
    doc: "commands that may refuse or rewrite a call before it runs",
    example: `[{ name = "policy", command = "~/bin/policy", tools = ["bash"] }]`,
  }),
  post_tool: hooks(HOOKED_TOOLS, {
    doc: "commands that see the result of a call, and may add to it",
    example: `[{ name = "audit", command = "cat >> $TMPDIR/calls" }]`,
  }),
  session_start: hooks({}, {
    doc: "commands that are run as each run begins",
    example: `[{ name = "services", command = "make services", timeout = 120 }]`,
  }),
  turn_end: hooks({}, {
    doc: "commands that are run once a run has ended, with what it changed",
    example: `[{ name = "format", command = "npm run format" }]`,
  }),
  notification: hooks({}, {
    doc: "commands that are run when the user is asked something",
    example: `[{ name = "asked", command = "cat >> asked.jsonl" }]`,
  }),
} as const satisfies Readonly<Record<string, Key>>;
