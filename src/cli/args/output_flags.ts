/** The flags that say what is shown, and where a command works. */
import { type CommandName, COMMANDS } from "./commands.ts";
import { BOOLEAN, type Flag, flags_in, STEP, TEXT, UUID, words } from "./flag.ts";

export const EVERY: readonly CommandName[] = COMMANDS.map((command) => command.name);
export const TASKS: readonly CommandName[] = ["run", "resume", "review", "demo"];

const REPORTS = {
  html: "one HTML file that works offline: a table, diffs and transcripts",
  markdown: "Markdown, for a job's summary or a comment (the default)",
  junit: "JUnit XML: a suite per run",
};

export function output_flags(): Flag[] {
  const { flag, setting } = flags_in("output", TASKS);
  return [
    flag("--output FORMAT", "output", {
      commands: [],
      reads: words(["text", "json", "jsonl"]),
      help: "on stdout: text, the answer; json, one object; jsonl, one event per line",
    }),
    flag("--json", "output", { commands: [], sets: "json", help: "same as --output json" }),
    flag("-q, --quiet", "quiet", { help: "nothing on stderr but errors" }),
    setting("--no-stream", "agent.stream", {
      commands: ["run", "resume", "demo", "config show"],
      sets: false,
      help: "receive each reply in one piece",
    }),
    flag("--steer", "steer", {
      commands: ["run", "resume"],
      help: "send each line of standard input to the model while it works. A line " +
        '{"type":"interrupt","text":"..."} first drops what it is doing; docs/library.md has the others',
    }),
    flag("-v, --verbose", "verbose", {
      commands: [...TASKS, "doctor"],
      help: "print more on stderr",
    }),
    flag("--network", "network", {
      commands: ["doctor"],
      help: "also name every address that hamr itself contacts, now and later",
    }),
    flag("-vv, --very-verbose", "very_verbose", {
      help: "as -v, and a line per request to the model",
    }),
    flag("-o, --answer-file FILE", "answer_file", {
      commands: ["run", "resume", "review"],
      help: "also write the answer, and nothing else, to FILE",
    }),
    flag("--junit FILE", "junit", {
      commands: ["run", "resume"],
      help: "also write the result to FILE as JUnit XML: the run, each verification, each judge",
    }),
    flag("--code-quality FILE", "code_quality", {
      commands: ["run", "resume", "review"],
      help:
        "also write what the last verification or the review complains of to FILE, for GitLab's " +
        "code quality widget",
    }),
    flag("--artifacts DIR", "artifacts", {
      commands: ["run", "resume"],
      help:
        "also write result.json, events.jsonl, changes.patch, transcript.md and report.html to DIR",
    }),
    ...(["html", "markdown", "junit"] as const).map((name) =>
      flag(`--${name}`, `as_${name}`, { commands: ["report"], help: REPORTS[name] })
    ),
    flag("--output-schema FILE", "output_schema", {
      commands: ["run", "resume"],
      help:
        "the answer must be JSON that matches this JSON Schema (draft 2020-12); nothing else is " +
        "printed, and if it does not match, the exit code is 2",
    }),
    flag("--fail-on SEVERITY", "fail_on", {
      reads: words(["error", "warning", "note"]),
      commands: ["review"],
      help:
        "the exit code is 2 for findings of this severity and above, else 0; default: note, any",
    }),
    flag("--log-file FILE", "log_file", {
      help: "also write the log to FILE, one JSON object per line",
    }),
    flag("--no-color", "no_color", {
      commands: ["run", "chat", "resume", "review", "diff", "demo", "doctor"],
      help: "no colors; NO_COLOR in the environment does the same",
    }),
    flag("--exit-code-on-partial BOOL", "exit_code_on_partial", {
      reads: BOOLEAN,
      commands: ["run", "resume"],
      help: "false: a partial result exits with 0 instead of 2",
    }),
  ];
}

export function session_flags(): Flag[] {
  const { flag, setting } = flags_in("session", ["run", "chat"]);
  return [
    flag("-c, --continue", "continue", {
      help: "continue the newest session of the workspace; the task is your next message",
    }),
    flag("--resume ID", "resume", {
      reads: TEXT,
      completes: "session",
      help: "continue this session (hamr sessions lists them); the start of its ID is enough",
    }),
    flag("--fork ID", "fork", {
      reads: TEXT,
      completes: "session",
      help: "continue a copy of this session; the original stays as it is",
    }),
    flag("--session-id UUID", "session_id", {
      commands: ["run"],
      reads: UUID,
      help: "ID of the new session, to find it again from a script; default: a random one",
    }),
    flag("--step N", "step", {
      reads: STEP,
      commands: ["diff", "undo"],
      help: "only what this step did, by its number in the log",
    }),
    flag("--since N", "since", {
      reads: STEP,
      commands: ["diff", "undo"],
      help: "only what this step and all later ones did",
    }),
    flag("--redo", "redo", { commands: ["undo"], help: "bring back what the last undo took away" }),
    flag("--stat", "stat", {
      commands: ["diff"],
      help: "only how many lines of each file changed, not which",
    }),
    flag("--binary", "binary", {
      commands: ["diff"],
      help: "a patch for git apply, with all files: also those that are not text",
    }),
    flag("--force", "force", {
      commands: ["undo"],
      help: "also restore what has been changed since, or by someone unknown",
    }),
    setting("--no-save", "sessions.save", {
      commands: ["run", "chat", "acp", "review", "config show"],
      sets: false,
      help: "keep nothing of the run: it can't be resumed, undone or looked up",
    }),
  ];
}

export function place_flags(): Flag[] {
  const { flag } = flags_in("place", []);
  const { page } = flags_in("help", EVERY);
  return [
    flag("-C, --directory DIR", "directory", {
      help: "the workspace; default: the current folder",
    }),
    flag("--add-dir DIR", "add_dir", {
      repeatable: true,
      commands: [
        ...["run", "chat", "acp", "resume", "diff", "undo", "sandbox", "doctor"] as const,
        "mcp test",
      ],
      help: "another folder to work in: it can be read and written; may be repeated",
    }),
    flag("-i, --image FILE", "images", {
      repeatable: true,
      commands: ["run", "resume"],
      help: "show this image to the model with the task (PNG, JPEG, GIF, WebP); may be repeated",
    }),
    flag("--task-file FILE", "task_file", {
      commands: ["run"],
      help:
        "do one task of many: one JSON object per line, with task and any of repo, dir, ref, verify, " +
        "flags, id. It gets a clone of its own, and its results go to DIR/ID of --artifacts DIR " +
        "(default: out), unless they are there",
    }),
    flag("--index N", "index", {
      reads: { kind: "integer", min: 0, expects: "the number of a task, from 0" },
      commands: ["run"],
      help: "which task of --task-file, from 0; default: what Slurm, Kubernetes, AWS Batch, GNU " +
        "parallel and others say in the environment",
    }),
    flag("--mcp-config FILE", "mcp_config", {
      repeatable: true,
      commands: ["run", "chat", "acp", "resume", "review", "doctor", "mcp list", "mcp test"],
      help: "a JSON file with MCP servers, in the format other agents use; may be repeated",
    }),
    flag("--config FILE", "config", {
      commands: ["acp", "config init"],
      help: "a settings file to use instead of your own",
    }),
    flag("--global", "global", {
      commands: ["memory list", "memory search", "memory add", "memory rm"],
      help: "facts for all workspaces, instead of this one's",
    }),
    flags_in("session", []).flag("--bundle", "bundle", {
      commands: ["sessions export"],
      help: "only what hamr replay needs elsewhere, with keys, passwords and your home folder " +
        "replaced; for a bug report",
    }),
    flag("--all", "all", {
      commands: ["sessions list", "sessions rm"],
      help: "the sessions of all workspaces",
    }),
    page("-h, --help", "help", { help: "show this help" }),
    page("-V, --version", "version", { help: "show the version" }),
  ];
}
