/** The manual page, out of the tables that the parser and `--help` read. */
import { COMMANDS, VERSION } from "../../src/cli/args/commands.ts";
import { type Flag, GROUPS } from "../../src/cli/args/flag.ts";
import { EXIT_CODES } from "../../src/app/exit_codes.ts";
import { pages_of, question_of, word_for } from "../../src/cli/args/documents.ts";
import { FLAGS } from "../../src/cli/args/flags.ts";

const DOCS = new URL("../../docs/", import.meta.url);

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
    ...EXIT_CODES.map(({ code, meaning }) => entry(`${code}`, meaning)),
    ".SH FILES",
    ...FILES.map(([path, words]) => entry(path, words)),
    ".SH SEE ALSO",
    roff("The manual is in the program:"),
    ...[...pages_of(DOCS)].map(([name, page]) =>
      entry(`hamr help ${word_for(name)}`, question_of(page))
    ),
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
