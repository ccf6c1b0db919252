/** The flags that say what is shown, and where a command works. */
import { type CommandName, COMMANDS } from "./commands.ts";
import { BOOLEAN, type Flag, flag, PATH, setting, STEP, TEXT, UUID, words } from "./flag.ts";

export const EVERY: readonly CommandName[] = COMMANDS.map((command) => command.name);
export const TASKS: readonly CommandName[] = ["run", "resume", "review", "demo"];

/** What `hamr report` makes. */
const REPORTS = {
  html: "one HTML file that works offline: a table, diffs and transcripts",
  markdown: "Markdown, for a job's summary or a comment (the default)",
  junit: "JUnit XML: a suite per run",
};

/** What a run, or another command, shows. */
export function output_flags(): Flag[] {
  const more = { group: "output", commands: TASKS } as const;
  const file = { ...more, value: "FILE", reads: PATH, completes: "file" } as const;
  return [
    flag("output", "output", {
      ...more,
      commands: [],
      value: "FORMAT",
      reads: words(["text", "json", "jsonl"]),
      help: "on stdout: text, the answer; json, one object; jsonl, one event per line",
    }),
    flag("json", "output", {
      ...more,
      commands: [],
      sets: "json",
      help: "same as --output json",
    }),
    flag("quiet", "quiet", {
      ...more,
      short: "q",
      help: "nothing on stderr but errors",
    }),
    setting("no-stream", "agent.stream", {
      ...more,
      commands: ["run", "resume", "demo", "config show"],
      sets: false,
      help: "receive each reply in one piece",
    }),
    flag("steer", "steer", {
      ...more,
      commands: ["run", "resume"],
      help: "send each line of standard input to the model while it works. A line " +
        '{"type":"interrupt","text":"..."} first drops what it is doing; docs/library.md has the others',
    }),
    flag("verbose", "verbose", {
      ...more,
      short: "v",
      commands: [...TASKS, "doctor"],
      help: "print more on stderr",
    }),
    flag("network", "network", {
      ...more,
      commands: ["doctor"],
      help: "also name every address that hamr itself asks, now and later",
    }),
    flag("very-verbose", "very_verbose", {
      ...more,
      short: "vv",
      commands: TASKS,
      help: "as -v, and a line per request to the model",
    }),
    flag("answer-file", "answer_file", {
      ...file,
      short: "o",
      commands: ["run", "resume", "review"],
      help: "also write the answer, and nothing else, to FILE",
    }),
    flag("junit", "junit", {
      ...file,
      commands: ["run", "resume"],
      help: "also write the result to FILE as JUnit XML: the run, each verification, each judge",
    }),
    flag("code-quality", "code_quality", {
      ...file,
      commands: ["run", "resume", "review"],
      help:
        "also write what the last verification or the review complains of to FILE, for GitLab's " +
        "code quality widget",
    }),
    flag("artifacts", "artifacts", {
      ...more,
      value: "DIR",
      reads: PATH,
      commands: ["run", "resume"],
      completes: "folder",
      help:
        "also write result.json, events.jsonl, changes.patch, transcript.md and report.html to DIR",
    }),
    ...(["html", "markdown", "junit"] as const).map((name): Flag => ({
      name,
      takes: "none",
      sets: true,
      into: { flag: `as_${name}` },
      group: "output",
      commands: ["report"],
      help: REPORTS[name],
    })),
    flag("output-schema", "output_schema", {
      ...file,
      commands: ["run", "resume"],
      help:
        "the answer must be JSON that matches this JSON Schema (draft 2020-12); nothing else is " +
        "printed, and if it does not match, the exit code is 2",
    }),
    flag("fail-on", "fail_on", {
      ...more,
      value: "LEVEL",
      reads: words(["error", "warning", "note"]),
      commands: ["review"],
      help: "the exit code is 2 for findings of this level and above, else 0; default: note, any",
    }),
    flag("log-file", "log_file", {
      ...file,
      help: "also write the log to FILE, one JSON object per line",
    }),
    flag("no-color", "no_color", {
      ...more,
      commands: ["run", "chat", "resume", "review", "diff", "demo", "doctor"],
      help: "no colors; NO_COLOR in the environment does the same",
    }),
    flag("exit-code-on-partial", "exit_code_on_partial", {
      ...more,
      value: "BOOL",
      reads: BOOLEAN,
      commands: ["run", "resume"],
      help: "false: a partial result exits with 0 instead of 2",
    }),
  ];
}

/** What becomes of a run afterwards. */
export function session_flags(): Flag[] {
  const more = { group: "session", commands: ["run", "chat"] } as const;
  return [
    flag("continue", "continue", {
      ...more,
      short: "c",
      help: "continue the newest session of the workspace; the task is your next message",
    }),
    flag("resume", "resume", {
      ...more,
      value: "ID",
      reads: TEXT,
      completes: "session",
      help: "continue this session (hamr sessions lists them); the start of its ID is enough",
    }),
    flag("fork", "fork", {
      ...more,
      value: "ID",
      reads: TEXT,
      completes: "session",
      help: "continue a copy of this session; the original stays as it is",
    }),
    flag("session-id", "session_id", {
      ...more,
      commands: ["run"],
      value: "UUID",
      reads: UUID,
      help: "ID of the new session, to find it again from a script; default: a random one",
    }),
    flag("step", "step", {
      ...more,
      value: "N",
      reads: STEP,
      commands: ["diff", "undo"],
      help: "only what this step did, by its number in the log",
    }),
    flag("since", "since", {
      ...more,
      value: "N",
      reads: STEP,
      commands: ["diff", "undo"],
      help: "only what this step and all later ones did",
    }),
    flag("redo", "redo", {
      ...more,
      commands: ["undo"],
      help: "bring back what the last undo took away",
    }),
    flag("stat", "stat", {
      ...more,
      commands: ["diff"],
      help: "only how many lines of each file changed, not which",
    }),
    flag("binary", "binary", {
      ...more,
      commands: ["diff"],
      help: "a patch for git apply, with all files: also those that are not text",
    }),
    flag("force", "force", {
      ...more,
      commands: ["undo"],
      help: "also restore what has been changed since, or by someone unknown",
    }),
    flag("tools", "tools", {
      ...more,
      value: "recorded|real",
      reads: words(["recorded", "real"]),
      commands: ["replay"],
      help:
        "recorded: tools return what they returned then, and nothing is touched; real: they run, in " +
        "a copy of the workspace",
    }),
    setting("no-save", "sessions.save", {
      ...more,
      commands: ["run", "chat", "acp", "review", "config show"],
      sets: false,
      help: "keep nothing of the run: it can't be resumed, undone or looked up",
    }),
  ];
}
