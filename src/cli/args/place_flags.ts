import { type Flag, flags_in } from "./flag.ts";
import { EVERY } from "./output_flags.ts";

/** Where a command works, and help. */
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
