/** `hamr config import AGENT`: takes over another agent's settings and instructions, after showing the user what would change. */
import { createTwoFilesPatch } from "diff";
import { ConfigError, UsageError } from "../config/error.ts";
import { text_file, write_own } from "../config/file.ts";
import { type Environ, paths, real_or, workspace_dir } from "../config/paths.ts";
import { one_line } from "../config/text.ts";
import { harmless } from "../ui/text.ts";
import type { Parsed } from "./args/args.ts";
import { confirmed } from "./base/ask.ts";
import type { Io } from "./base/io.ts";
import { merge_settings } from "./imports/merge.ts";
import { IMPORTED, type Imported, imported } from "./imports/sources.ts";

type FileToWrite = Readonly<Record<"file" | "before" | "text" | "shown", string>>;

/** Shows what would change, and changes it if that is wanted. Throws `UsageError` and `ConfigError`. */
export async function config_import(parsed: Parsed, io: Io): Promise<number> {
  const { file, from } = asked_for(parsed, io.environ());
  const { changes, notes } = changes_of(file, from);
  for (const change of changes) io.out(`${harmless(patch_of(change))}\n`);
  for (const note of notes) io.err(`hamr: ${one_line(note)}\n`);
  if (changes.length === 0) {
    io.err(`hamr: nothing to import from ${from.files.join(" and ")}\n`);
    return 0;
  }
  const wanted = parsed.flags.yes || await confirmed(io, "Write this?");
  if (!wanted) {
    io.err(`hamr: nothing was written${wanted === null ? "; --yes writes it" : ""}\n`);
    return 0;
  }
  for (const { file, before } of changes) {
    // A question may be open for long, and another editor as well.
    if ((text_file(file) ?? "") === before) continue;
    throw new ConfigError(`${file}: changed meanwhile; nothing was written`);
  }
  // A link leads to the file that is meant.
  for (const { file, text } of changes) write_own(real_or(file), text);
  io.err(`hamr: written: ${changes.map(({ file }) => file).join(", ")}\n`);
  return 0;
}

/** The user's own file, and what the other agent has to give. */
function asked_for(
  { operands: [name = ""], flags }: Parsed,
  environ: Environ,
): { readonly file: string; readonly from: Imported } {
  const agent = IMPORTED.find((one) => one === name);
  if (agent === undefined) {
    throw new UsageError(`config import: from which agent? one of ${IMPORTED.join(", ")}`);
  }
  const file = flags.config ?? paths(environ).config_file;
  const home = environ["HOME"] ?? environ["USERPROFILE"] ?? "";
  if (file === null || home === "") {
    throw new ConfigError("config import: set HOME, or give --config");
  }
  const config = environ["XDG_CONFIG_HOME"] || `${home}/.config`;
  const { CODEX_HOME, CLAUDE_CONFIG_DIR } = environ;
  const from = imported(agent, {
    codex: CODEX_HOME || `${home}/.codex`,
    claude: CLAUDE_CONFIG_DIR || `${home}/.claude`,
    claude_file: `${CLAUDE_CONFIG_DIR || home}/.claude.json`,
    opencode: `${config}/opencode`,
    workspace: workspace_dir(flags.directory),
  });
  if (from.files.length === 0) {
    throw new ConfigError(`config import: ${agent} has no settings here`);
  }
  return { file, from };
}

function changes_of(file: string, from: Imported) {
  const before = text_file(file) ?? "";
  const { text, shown, notes } = merge_settings(file, before, from);
  const changes: FileToWrite[] = text === before ? [] : [{ file, before, text, shown }];
  const own = `${file.replace(/[^/]*$/, "")}AGENTS.md`;
  const all_notes = [...from.notes, ...notes];
  if (from.instructions !== "" && text_file(own) !== null) {
    all_notes.push(`${own} already exists; it was left as it is`);
  } else if (from.instructions !== "") {
    const text = `${from.instructions}\n`;
    changes.push({ file: own, before: "", text, shown: text });
  }
  if (Object.values(from.servers).some((server) => "command" in server)) {
    all_notes.push(
      "MCP programs run in the sandbox, without network: for one that needs it, set net = true and use " +
        "hamr run --allow-net",
    );
  }
  return { changes, notes: all_notes };
}

/** A change as a patch, without the lines that only Subversion wants. */
function patch_of({ file, before, shown }: FileToWrite): string {
  const patch = createTwoFilesPatch(file, file, before, shown, "", "", { context: 0 });
  const lines = patch.split("\n").filter((line) => !/^(?:Index: |=+$)/.test(line));
  return lines.map((line) => line.trimEnd()).join("\n").trim();
}
