import { type Flag, PATH } from "./flag.ts";
import { EVERY } from "./output_flags.ts";

/** Where a command works, and help. */
export function place_flags(): Flag[] {
  const place = { takes: "value", reads: PATH, group: "place" } as const;
  return [
    {
      ...place,
      name: "directory",
      short: "C",
      value: "DIR",
      into: { flag: "directory" },
      commands: [],
      completes: "folder",
      help: "the workspace; default: the current folder",
    },
    {
      ...place,
      name: "add-dir",
      value: "DIR",
      into: { flag: "add_dir" },
      repeatable: true,
      commands: [
        ...["run", "chat", "acp", "resume", "diff", "undo", "sandbox", "doctor"] as const,
        "mcp test",
      ],
      completes: "folder",
      help: "another folder to work in: it can be read and written; may be repeated",
    },
    {
      ...place,
      name: "image",
      short: "i",
      value: "FILE",
      into: { flag: "images" },
      repeatable: true,
      commands: ["run", "resume"],
      completes: "file",
      help: "show this image to the model with the task (PNG, JPEG, GIF, WebP); may be repeated",
    },
    {
      ...place,
      name: "task-file",
      value: "FILE",
      into: { flag: "task_file" },
      commands: ["run"],
      completes: "file",
      help:
        "do one task of many: one JSON object per line, with task and any of repo, dir, ref, verify, " +
        "flags, id. It gets a clone of its own, and its results go to DIR/ID of --artifacts DIR " +
        "(default: out), unless they are there",
    },
    {
      name: "index",
      takes: "value",
      value: "N",
      reads: { kind: "integer", min: 0, expects: "the number of a task, from 0" },
      into: { flag: "index" },
      group: "place",
      commands: ["run"],
      help: "which task of --task-file, from 0; default: what Slurm, Kubernetes, AWS Batch, GNU " +
        "parallel and others say in the environment",
    },
    {
      ...place,
      name: "mcp-config",
      value: "FILE",
      into: { flag: "mcp_config" },
      repeatable: true,
      commands: ["run", "chat", "acp", "resume", "review", "doctor", "mcp list", "mcp test"],
      completes: "file",
      help: "a JSON file with MCP servers, in the format other agents use; may be repeated",
    },
    {
      ...place,
      name: "config",
      value: "FILE",
      into: { flag: "config" },
      commands: ["acp", "config init"],
      completes: "file",
      help: "a settings file to use instead of your own",
    },
    {
      name: "global",
      takes: "none",
      sets: true,
      into: { flag: "global" },
      group: "place",
      commands: ["memory list", "memory search", "memory add", "memory rm"],
      help: "facts for all workspaces, instead of this one's",
    },
    {
      name: "bundle",
      takes: "none",
      sets: true,
      into: { flag: "bundle" },
      group: "session",
      commands: ["sessions export"],
      help: "only what hamr replay needs elsewhere, with keys, passwords and your home folder " +
        "replaced; for a bug report",
    },
    {
      name: "all",
      takes: "none",
      sets: true,
      into: { flag: "all" },
      group: "place",
      commands: ["sessions list", "sessions rm"],
      help: "the sessions of all workspaces",
    },
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
