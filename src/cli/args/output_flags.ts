/** The flags that say what is shown, and where a command works. */
import { type CommandName, COMMANDS } from "./commands.ts";
import { BOOLEAN, type Flag, PATH, setting, STEP, TEXT, UUID, words } from "./flag.ts";

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
  return [
    {
      ...more,
      name: "output",
      commands: [],
      takes: "value",
      value: "FORMAT",
      reads: words(["text", "json", "jsonl"]),
      into: { flag: "output" },
      help: "on stdout: text, the answer; json, one object; jsonl, one event per line",
    },
    {
      ...more,
      name: "json",
      commands: [],
      takes: "none",
      sets: "json",
      into: { flag: "output" },
      help: "same as --output json",
    },
    {
      ...more,
      name: "quiet",
      short: "q",
      takes: "none",
      sets: true,
      into: { flag: "quiet" },
      help: "nothing on stderr but errors",
    },
    setting("no-stream", "agent.stream", {
      ...more,
      commands: ["run", "resume", "demo", "config show"],
      sets: false,
      help: "receive each reply in one piece",
    }),
    {
      ...more,
      name: "steer",
      takes: "none",
      sets: true,
      into: { flag: "steer" },
      commands: ["run", "resume"],
      help: "send each line of standard input to the model while it works. A line " +
        '{"type":"interrupt","text":"..."} first drops what it is doing; docs/library.md has the others',
    },
    {
      ...more,
      name: "verbose",
      short: "v",
      commands: [...TASKS, "doctor"],
      takes: "none",
      sets: true,
      into: { flag: "verbose" },
      help: "print more on stderr",
    },
    {
      ...more,
      name: "network",
      takes: "none",
      sets: true,
      into: { flag: "network" },
      commands: ["doctor"],
      help: "also name every address that hamr itself asks, now and later",
    },
    {
      ...more,
      name: "very-verbose",
      short: "vv",
      takes: "none",
      sets: true,
      into: { flag: "very_verbose" },
      commands: TASKS,
      help: "as -v, and a line per request to the model",
    },
    {
      ...more,
      name: "answer-file",
      short: "o",
      takes: "value",
      value: "FILE",
      reads: PATH,
      into: { flag: "answer_file" },
      commands: ["run", "resume", "review"],
      completes: "file",
      help: "also write the answer, and nothing else, to FILE",
    },
    {
      ...more,
      name: "junit",
      takes: "value",
      value: "FILE",
      reads: PATH,
      into: { flag: "junit" },
      commands: ["run", "resume"],
      completes: "file",
      help: "also write the result to FILE as JUnit XML: the run, each verification, each judge",
    },
    {
      ...more,
      name: "code-quality",
      takes: "value",
      value: "FILE",
      reads: PATH,
      into: { flag: "code_quality" },
      commands: ["run", "resume", "review"],
      completes: "file",
      help:
        "also write what the last verification or the review complains of to FILE, for GitLab's " +
        "code quality widget",
    },
    {
      ...more,
      name: "artifacts",
      takes: "value",
      value: "DIR",
      reads: PATH,
      into: { flag: "artifacts" },
      commands: ["run", "resume"],
      completes: "folder",
      help:
        "also write result.json, events.jsonl, changes.patch, transcript.md and report.html to DIR",
    },
    ...(["html", "markdown", "junit"] as const).map((name): Flag => ({
      name,
      takes: "none",
      sets: true,
      into: { flag: `as_${name}` },
      group: "output",
      commands: ["report"],
      help: REPORTS[name],
    })),
    {
      ...more,
      name: "output-schema",
      takes: "value",
      value: "FILE",
      reads: PATH,
      into: { flag: "output_schema" },
      commands: ["run", "resume"],
      completes: "file",
      help:
        "the answer must be JSON that matches this JSON Schema (draft 2020-12); nothing else is " +
        "printed, and if it does not match, the exit code is 2",
    },
    {
      ...more,
      name: "fail-on",
      takes: "value",
      value: "LEVEL",
      reads: words(["error", "warning", "note"]),
      into: { flag: "fail_on" },
      commands: ["review"],
      help: "the exit code is 2 for findings of this level and above, else 0; default: note, any",
    },
    {
      ...more,
      name: "log-file",
      takes: "value",
      value: "FILE",
      reads: PATH,
      into: { flag: "log_file" },
      completes: "file",
      help: "also write the log to FILE, one JSON object per line",
    },
    {
      ...more,
      name: "no-color",
      takes: "none",
      sets: true,
      into: { flag: "no_color" },
      commands: ["run", "chat", "resume", "review", "diff", "demo", "doctor"],
      help: "no colors; NO_COLOR in the environment does the same",
    },
    {
      ...more,
      name: "exit-code-on-partial",
      takes: "value",
      value: "BOOL",
      reads: BOOLEAN,
      into: { flag: "exit_code_on_partial" },
      commands: ["run", "resume"],
      help: "false: a partial result exits with 0 instead of 2",
    },
  ];
}

/** What becomes of a run afterwards. */
export function session_flags(): Flag[] {
  const more = { group: "session", commands: ["run", "chat"] } as const;
  return [
    {
      ...more,
      name: "continue",
      short: "c",
      takes: "none",
      sets: true,
      into: { flag: "continue" },
      help: "continue the newest session of the workspace; the task is your next message",
    },
    {
      ...more,
      name: "resume",
      takes: "value",
      value: "ID",
      reads: TEXT,
      into: { flag: "resume" },
      completes: "session",
      help: "continue this session (hamr sessions lists them); the start of its ID is enough",
    },
    {
      ...more,
      name: "fork",
      takes: "value",
      value: "ID",
      reads: TEXT,
      into: { flag: "fork" },
      completes: "session",
      help: "continue a copy of this session; the original stays as it is",
    },
    {
      ...more,
      name: "session-id",
      commands: ["run"],
      takes: "value",
      value: "UUID",
      reads: UUID,
      into: { flag: "session_id" },
      help: "ID of the new session, to find it again from a script; default: a random one",
    },
    {
      ...more,
      name: "step",
      takes: "value",
      value: "N",
      reads: STEP,
      into: { flag: "step" },
      commands: ["diff", "undo"],
      help: "only what this step did, by its number in the log",
    },
    {
      ...more,
      name: "stat",
      takes: "none",
      sets: true,
      into: { flag: "stat" },
      commands: ["diff"],
      help: "only how many lines of each file changed, not which",
    },
    {
      ...more,
      name: "force",
      takes: "none",
      sets: true,
      into: { flag: "force" },
      commands: ["undo"],
      help: "also restore what has been changed since, or by someone unknown",
    },
    {
      ...more,
      name: "tools",
      takes: "value",
      value: "recorded|real",
      reads: words(["recorded", "real"]),
      into: { flag: "tools" },
      commands: ["replay"],
      help:
        "recorded: tools return what they returned then, and nothing is touched; real: they run, in " +
        "a copy of the workspace",
    },
    setting("no-save", "sessions.save", {
      ...more,
      commands: ["run", "chat", "acp", "review", "config show"],
      sets: false,
      help: "keep nothing of the run: it can't be resumed, undone or looked up",
    }),
  ];
}
