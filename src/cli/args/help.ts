/** The help pages, made of the tables of commands, flags and exit codes. */
import { KEYS } from "../../config/keys.ts";
import type { Parsed } from "./args.ts";
import { did_you_mean, quote } from "../../config/text.ts";
import { type Command, COMMANDS, FIRST_WORDS, GROUPED } from "./commands.ts";
import { documents, page_named, question_of, readable_page, word_for } from "./documents.ts";
import { EXIT_CODES } from "../../app/exit_codes.ts";
import { type Flag, GROUPS } from "./flag.ts";
import { FLAGS } from "./flags.ts";
import type { Io } from "../base/io.ts";
import { wrap } from "../../ui/wrap.ts";
import { TASKS } from "./output_flags.ts";
import { UsageError } from "../../config/error.ts";

const WIDTH = 80;
const COLUMN = 30;

/** `hamr help [COMMAND|TOPIC]`: prints a page on standard output. Gives 0, or throws a `UsageError`. */
export async function help(parsed: Parsed, io: Pick<Io, "out">): Promise<number> {
  io.out(await help_text(parsed.operands[0]));
  return 0;
}

/**
 * The page of a command or of a topic, or without one the page that `hamr --help` shows.
 * @throws {UsageError} for any other word
 */
export async function help_text(word?: string): Promise<string> {
  const pages = await documents();
  if (word === undefined) return top_page(pages);
  const commands = COMMANDS.filter(({ name }) => name.split(" ")[0] === word);
  if (commands.length > 0) return command_page(commands, pages);
  const name = page_named(word);
  const page = pages.get(name) ?? pages.get(`${name}s`);
  if (page !== undefined) return readable_page(page, pages.keys());
  const about = pages_about(word, pages).map((name) => `hamr help ${word_for(name)}`);
  const near = about.length > 0
    ? `; see ${about.join(" or ")}`
    : did_you_mean(word, [...FIRST_WORDS, ...pages.keys()], '; see "hamr help"');
  throw new UsageError(`help: unknown ${quote(word)}${near}`);
}

/** A word that is there by chance is hardly there more often; one in a heading counts as so many. */
const LEAST = 3;

/** The pages that have most to say about a word, two at most: it may be what others call a page or a heading. */
function pages_about(word: string, pages: ReadonlyMap<string, string>): readonly string[] {
  const wanted = stem(word);
  const count = (text: string) => words_of(text).filter((one) => stem(one) === wanted).length;
  return [...pages].map(([name, page]) => {
    const headings = (page.match(/^#.*$/gm) ?? []).join("\n");
    const said = count(page) + (LEAST - 1) * count(headings);
    // A long page may say much more in all, and a short one be about nothing else.
    return { name, said, weight: said / Math.sqrt(words_of(page).length) };
  }).filter(({ said }) => said >= LEAST).toSorted((a, b) => b.weight - a.weight)
    .filter(({ weight }, nth, [best = { weight }]) => nth < 2 && weight > best.weight / 2)
    .map(({ name }) => name);
}

function words_of(text: string): readonly string[] {
  return text.match(/[\p{L}\d][\p{L}\d.-]*[\p{L}\d]/gu) ?? [];
}

function stem(word: string): string {
  return word.toLowerCase().replace(/s$/, "");
}

function top_page(pages: ReadonlyMap<string, string>): string {
  return lines([
    "hamr: a coding agent for the terminal that works with whatever model you have,",
    "shows that the work is done, and reaches no further than you allow.",
    "",
    "Usage:",
    '  hamr run [flags] "TASK"    hamr run --verify "npm test" "make the tests pass"',
    "  hamr COMMAND --help        everything about one command",
    "",
    "Commands:",
    ...COMMANDS.flatMap((command) => row(usage_of(command), command.help)),
    "",
    "A first run:",
    ...row("hamr demo", "watch it work; needs no model or key"),
    ...row("hamr doctor", "check that a model is found, and what is enforced here"),
    ...row(
      'hamr run "TASK"',
      "uses the Ollama, llama.cpp, LM Studio or vLLM running on this machine; for a model " +
        "elsewhere see --model, --provider and --base-url",
    ),
    "",
    "A run changes files in the current folder (-C DIR: another) and nowhere else;",
    "the commands it starts reach only their own servers and see no keys, unless",
    "flags allow more: hamr run --help.",
    "",
    ...exit_codes(),
    "",
    "Settings: hamr config show. Flags override the environment (HAMR_…), which",
    "overrides files.",
    "",
    "Topics (hamr help TOPIC):",
    ...[...pages].flatMap(([name, page]) => row(word_for(name), question_of(page))),
  ]);
}

function command_page(commands: readonly Command[], pages: ReadonlyMap<string, string>): string {
  const [first] = commands;
  const word = first?.name.split(" ")[0] ?? "";
  const single = commands.length === 1 && first !== undefined;
  const body: string[] = [];
  if (single) {
    const has_flags = FLAGS.some(({ group, commands }) =>
      group !== "help" && commands.includes(first.name)
    );
    const flags = has_flags ? " [flags]" : "";
    const title = wrap(`hamr ${word}: ${first.help}`, { width: WIDTH }).split("\n");
    body.push(...title, "", "Usage:");
    body.push(`  hamr ${word}${flags}${first.operands === "" ? "" : ` ${first.operands}`}`);
  } else {
    body.push(`hamr ${word}: ${GROUPED[word]?.help ?? ""}`, "", "Usage:");
    for (const command of commands) body.push(...row(usage_of(command), command.help));
  }
  body.push(...notes(word), ...flag_groups(commands, single));
  if (TASKS.some((task) => task === word)) body.push("", ...exit_codes(word !== "demo"));
  if (word === "doctor") body.push("", "Exit codes: 0 everything works, 3 something does not.");
  const page = pages.get(word);
  if (page !== undefined) body.push("", ...row(`hamr help ${word_for(word)}`, question_of(page)));
  return lines(body);
}

/** What the page of a command says besides its tables: about it, and lines as they stand. */
const NOTES: Readonly<
  Record<string, { readonly about?: string; readonly lines?: readonly string[] }>
> = {
  run: {
    about: "TASK is one argument, in quotes. - adds standard input to it; without a TASK, " +
      "piped input is the task. The answer goes to standard output, everything else to " +
      "standard error.",
    lines: [
      "Examples:",
      '  hamr run "what does src/main.ts do?"',
      '  hamr run --verify "npm test" "make the failing test pass"',
      '  cat build.log | hamr run --mode patch "fix the cause of this" -',
      '  hamr run --base-url http://127.0.0.1:8080/v1 --json "list the TODOs"',
      '  hamr run --allow-net "add the left-pad package"',
    ],
  },
  review: {
    about: "BASE is a commit, branch or tag; without one, the commit where your branch left the " +
      "default branch, and on that branch what is not committed. The workspace is " +
      "read-only. Findings go to standard output, the gravest first: FILE:LINE: SEVERITY: " +
      'TITLE; as JSON they are the result\'s "final_output".',
    lines: [
      "Examples:",
      "  hamr review",
      "  hamr review HEAD~1 --fail-on error",
      "  hamr review --json | jq '.final_output | fromjson.findings'",
    ],
  },
  resume: {
    about: "Without an ID: the newest session of this workspace. The flags it was started " +
      "with apply again unless you give others; limits start over. A command that was " +
      "cut off is not run again: the model is told, and checks. Without MORE the " +
      "session continues where it stopped.",
    lines: [
      "Examples:",
      "  hamr resume",
      '  hamr resume "now the same for the other file"',
      '  hamr resume 3f2a --max-steps 100 "go on"',
    ],
  },
  diff: {
    about: "Compares the files before the session first changed them with how it left them. " +
      "What you have changed in them since is named, but not shown.",
    lines: ["Examples:", "  hamr diff", "  hamr diff 3f2a --step 7"],
  },
  undo: {
    about: "Restores each file's content and mode, links included, and removes files that " +
      "the session made. A file that has changed since is left alone and named, unless " +
      "--force is given; the others are restored anyway. If the run was killed, what it " +
      "left running is ended first, and --force also restores what it may have changed. " +
      "Not covered: ignored folders (node_modules), git's own files, files over 10 MB. " +
      "Commits stay.",
    lines: [
      "Examples:",
      "  hamr undo",
      "  hamr undo 3f2a --step 7",
      "  hamr undo 3f2a --since 7",
      "",
      "Exit codes: 0 everything is restored, 2 something is not, 3 no such session.",
    ],
  },
  replay: {
    about: "Without an ID: the newest session of this workspace. Gives the recorded model " +
      "replies to the current program, and compares what it would send with what was " +
      "sent. No server is contacted, and nothing is run or written. " +
      "AGENTS.md is read as it is now, unless the session changed it.",
    lines: [
      "Exit codes: 0 every byte the same, 2 something else would be sent,",
      "3 no recording.",
    ],
  },
  report: {
    about: "FILE is what hamr run printed as json or jsonl, a file of its artifacts, or " +
      "- for standard input; an ID is that of a saved session. Without either: the newest session of this " +
      "workspace.",
    lines: [
      "Examples:",
      "  hamr report",
      "  hamr report --html out/*/events.jsonl > report.html",
    ],
  },
  config: {
    about: "Later wins: built-in defaults, your file, the workspace's .hamr/config.toml, " +
      "environment, flags. Every setting is also HAMR_<SECTION>_<KEY>, such " +
      "as HAMR_AGENT_TIMEOUT_S=600. A workspace's file came with the code: " +
      "until you trust it (hamr config trust), it can't set permissions, providers, hooks " +
      "or when you are asked; see hamr help settings. HAMR_HOME moves the " +
      "file and the data. hamr config show also takes the flags of hamr run that are " +
      "settings, to show their effect.",
  },
  memory: {
    about: "The model saves and searches facts on its own; each belongs to the workspace it " +
      "was saved in, or with --global to all. Plain hamr memory lists them. Secrets are " +
      "refused. To turn memory off: HAMR_MEMORY_ENABLED=false.",
    lines: [
      "Examples:",
      '  hamr memory add "the tests need a running Postgres: make db"',
      '  hamr memory add --global "I prefer tabs"',
      "  hamr memory search postgres",
      "  hamr memory rm 12 g3",
    ],
  },
  completions: {
    lines: [
      "Examples:",
      "  bash         echo 'source <(hamr completions bash)' >> ~/.bashrc",
      "  zsh          mkdir -p ~/.zfunc; hamr completions zsh > ~/.zfunc/_hamr",
      "               (with fpath+=~/.zfunc in .zshrc, before compinit)",
      "  fish         hamr completions fish > ~/.config/fish/completions/hamr.fish",
      "  powershell   hamr completions powershell >> $PROFILE",
    ],
  },
};

function notes(word: string): string[] {
  if (word === "help") {
    return [
      "",
      ...row("COMMAND", FIRST_WORDS.filter((name) => name !== "help").join(", ")),
      ...row("TOPIC", "a page of the manual; hamr help lists them"),
    ];
  }
  const { about, lines = [] } = NOTES[word] ?? {};
  return [
    ...(about === undefined ? [] : ["", wrap(`  ${about}`, { width: WIDTH, indent: "  " })]),
    ...(lines.length === 0 ? [] : ["", ...lines]),
  ];
}

function usage_of(command: Command): string {
  return `hamr ${command.name}${command.operands === "" ? "" : ` ${command.operands}`}`;
}

/** The flags by group; `config show` takes every setting, which its page leaves out. */
function flag_groups(commands: readonly Command[], single: boolean): string[] {
  const shows = commands.some(({ name }) => name === "config show");
  const flags = FLAGS.filter((flag) => commands.some(({ name }) => flag.commands.includes(name)))
    .filter((flag) => single || !shows || !("setting" in flag.into));
  return Object.entries(GROUPS).flatMap(([group, title]) => {
    const members = flags.filter((flag) => flag.group === group);
    if (members.length === 0) return [];
    return ["", `${title}:`, ...members.flatMap((flag) => row(left(flag), right(flag, commands)))];
  });
}

/** `-C, --directory DIR`; a value that is only taken with `=` is in brackets. */
function left(flag: Flag): string {
  const short = flag.short === undefined ? "    " : `-${flag.short}, `;
  const value = { none: "", value: ` ${flag.value}`, optional: `[=${flag.value}]` }[flag.takes];
  return `${short}--${flag.name}${value}`;
}

function right(flag: Flag, commands: readonly Command[]): string {
  const more: string[] = [];
  if ("setting" in flag.into && flag.takes === "value" && !flag.tells_default) {
    const value = KEYS.get(flag.into.setting)?.fallback;
    if (typeof value === "number" || typeof value === "string" && value !== "") {
      more.push(`default ${value}`);
    }
  }
  const here = commands.filter(({ name }) => flag.commands.includes(name));
  if (here.length < commands.length) {
    more.push(here.map(({ name }) => name.split(" ")[1] ?? name).join(", "));
  }
  return more.length === 0 ? flag.help : `${flag.help} (${more.join("; ")})`;
}

function exit_codes(with_reasons = false): string[] {
  return [
    "Exit codes:",
    ...EXIT_CODES.flatMap(({ code, name, meaning, reasons }) => {
      const why = with_reasons && reasons.length > 1 ? `: ${reasons.join(", ")}` : "";
      return row(`${String(code).padStart(3)} ${name}`, meaning + why);
    }),
  ];
}

/** A left column, and beside it a text that is wrapped at the width of the page. */
function row(name: string, text: string): string[] {
  const first = `  ${name}`.padEnd(COLUMN);
  const indent = " ".repeat(COLUMN);
  const beside = wrap(indent + text, { width: WIDTH, indent }).slice(COLUMN).split("\n");
  return first.length > COLUMN
    ? [first, `${indent}${beside[0]}`, ...beside.slice(1)]
    : [`${first}${beside[0]}`, ...beside.slice(1)];
}

function lines(all: readonly string[]): string {
  return all.map((line) => line.trimEnd()).join("\n") + "\n";
}
