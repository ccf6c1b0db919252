import { type Flag, flag, PATH } from "./flag.ts";
import { EVERY } from "./output_flags.ts";

/** Where a command works, and help. */
export function place_flags(): Flag[] {
  const folder = { value: "DIR", reads: PATH, group: "place", completes: "folder" } as const;
  const file = { ...folder, value: "FILE", completes: "file" } as const;
  return [
    flag("directory", "directory", {
      ...folder,
      short: "C",
      commands: [],
      help: "the workspace; default: the current folder",
    }),
    flag("add-dir", "add_dir", {
      ...folder,
      repeatable: true,
      commands: [
        ...["run", "chat", "acp", "resume", "diff", "undo", "sandbox", "doctor"] as const,
        "mcp test",
      ],
      help: "another folder to work in: it can be read and written; may be repeated",
    }),
    flag("image", "images", {
      ...file,
      short: "i",
      repeatable: true,
      commands: ["run", "resume"],
      help: "show this image to the model with the task (PNG, JPEG, GIF, WebP); may be repeated",
    }),
    flag("task-file", "task_file", {
      ...file,
      commands: ["run"],
      help:
        "do one task of many: one JSON object per line, with task and any of repo, dir, ref, verify, " +
        "flags, id. It gets a clone of its own, and its results go to DIR/ID of --artifacts DIR " +
        "(default: out), unless they are there",
    }),
    flag("index", "index", {
      value: "N",
      reads: { kind: "integer", min: 0, expects: "the number of a task, from 0" },
      group: "place",
      commands: ["run"],
      help: "which task of --task-file, from 0; default: what Slurm, Kubernetes, AWS Batch, GNU " +
        "parallel and others say in the environment",
    }),
    flag("mcp-config", "mcp_config", {
      ...file,
      repeatable: true,
      commands: ["run", "chat", "acp", "resume", "review", "doctor", "mcp list", "mcp test"],
      help: "a JSON file with MCP servers, in the format other agents use; may be repeated",
    }),
    flag("config", "config", {
      ...file,
      commands: ["acp", "config init"],
      help: "a settings file to use instead of your own",
    }),
    flag("global", "global", {
      group: "place",
      commands: ["memory list", "memory search", "memory add", "memory rm"],
      help: "facts for all workspaces, instead of this one's",
    }),
    flag("bundle", "bundle", {
      group: "session",
      commands: ["sessions export"],
      help: "only what hamr replay needs elsewhere, with keys, passwords and your home folder " +
        "replaced; for a bug report",
    }),
    flag("all", "all", {
      group: "place",
      commands: ["sessions list", "sessions rm"],
      help: "the sessions of all workspaces",
    }),
    {
      name: "help",
      short: "h",
      takes: "none",
      into: { page: "help" },
      group: "help",
      commands: EVERY,
      help: "show this help",
    },
    {
      name: "version",
      short: "V",
      takes: "none",
      into: { page: "version" },
      group: "help",
      commands: EVERY,
      help: "show the version",
    },
  ];
}
