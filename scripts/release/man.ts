/** The manual page, out of the tables that the parser and `--help` read. */
import { COMMANDS, VERSION } from "../../src/cli/args/commands.ts";
import { type Flag, GROUPS } from "../../src/cli/args/flag.ts";
import { FLAGS } from "../../src/cli/args/flags.ts";

const EXIT_CODES = [
  ["0", "the task is done, and every check that was asked for passed"],
  ["1", "the model, a tool or hamr itself could not continue"],
  ["2", "a limit was reached, or a check failed"],
  ["3", "a flag, a setting, the model or the sandbox can't be used; nothing was started"],
  ["4", "the server refused the API key"],
  ["5", "the whole run or one step took longer than allowed"],
  ["130", "interrupted"],
] as const;

const FILES = [
  ["~/.config/hamr/config.toml", "your settings; hamr config init writes it with all of them"],
  [".hamr/config.toml", "those of a workspace"],
  ["~/.local/share/hamr/hamr.db", "sessions and memory"],
] as const;

/** `hamr.1`, in the language of man(7). */
export function man_page(): string {
  const commands = COMMANDS.map(({ name, operands, help }) =>
    entry(`hamr ${name} ${operands}`, help)
  );
  const groups = Object.entries(GROUPS).flatMap(([group, title]) => {
    const flags = FLAGS.filter((flag) => flag.group === group);
    return flags.length === 0 ? [] : [`.SS ${roff(title)}`, ...flags.map(flag_entry)];
  });
  return [
    `.TH HAMR 1 "" "hamr ${VERSION}" "User Commands"`,
    ".SH NAME",
    "hamr \\- a coding agent in one binary",
    ".SH SYNOPSIS",
    '.B hamr run\n[\\fIflags\\fR] "\\fITASK\\fR"\n.br\n.B hamr\n\\fICOMMAND\\fR [\\fIflags\\fR]',
    ".SH DESCRIPTION",
    roff(
      "hamr gives a task to a model, which reads and edits files and runs commands in the current " +
        "folder, under permissions that the kernel enforces. It ends with a verdict that rests on " +
        "what was done, not on what the model says.",
    ),
    ".SH COMMANDS",
    ...commands,
    ".SH OPTIONS",
    roff("Not every command takes every flag: hamr COMMAND --help lists its own."),
    ...groups,
    ".SH EXIT STATUS",
    ...EXIT_CODES.map(([code, words]) => entry(code, words)),
    ".SH FILES",
    ...FILES.map(([path, words]) => entry(path, words)),
    "",
  ].join("\n");
}

function flag_entry({ name, short, takes, value = "VALUE", help, commands }: Flag): string {
  const long = takes === "none"
    ? `--${name}`
    : takes === "optional"
    ? `--${name}[=${value}]`
    : `--${name} ${value}`;
  const where = commands.includes("run")
    ? ""
    : ` (${commands.map((one) => `hamr ${one}`).join(", ")})`;
  return entry(`${short === undefined ? "" : `-${short}, `}${long}`, help + where);
}

function entry(name: string, words: string): string {
  return `.TP\n.B ${roff(name.trim())}\n${roff(words)}`;
}

/** No dash, backslash or leading dot means something to troff. */
function roff(text: string): string {
  return text.replaceAll("\\", "\\e").replaceAll("-", "\\-").replaceAll("~", "\\(ti")
    .replaceAll("^", "\\(ha").replaceAll("`", "\\(ga").replace(/^(['.])/gm, "\\&$1")
    .replaceAll('"', "\\(dq");
}
