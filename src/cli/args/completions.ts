/** `hamr completions SHELL`: scripts that ask `hamr __complete` for candidates; and the candidates, from the tables. */
import type { Parsed } from "./args.ts";
import {
  type Command,
  COMMANDS,
  FIRST_WORDS,
  GROUPED,
  second_words,
  type SHELLS,
} from "./commands.ts";
import type { Flag } from "./flag.ts";
import { FLAGS } from "./flags.ts";
import type { Io } from "../base/io.ts";

export interface WordCompletion {
  readonly word: string;
  readonly help: string;
}

const HEADS = {
  bash: "source <(hamr completions bash)",
  zsh: "hamr completions zsh > ~/.zfunc/_hamr",
  fish: "hamr completions fish > ~/.config/fish/completions/hamr.fish",
  powershell: "hamr completions powershell >> $PROFILE",
};

/** Each asks `hamr __complete ":CURRENT" [BEFORE...]`; the colon keeps an empty word. Paths are left to the shell, which can quote them. */
const SCRIPTS: Readonly<Record<(typeof SHELLS)[number], string>> = {
  bash: `_hamr() {
  local IFS=$'\\n' program=\${COMP_WORDS[0]/#\\~/$HOME} current="" cut="" at=0 i found
  local -a words=()
  # readline cuts words at ":", which names of models have.
  for ((i = 1; i <= COMP_CWORD; i++)); do
    if ((at > 0)) && [[ \${COMP_WORDS[i]} == :* || \${words[at - 1]} == *: ]]; then
      words[at - 1]+=\${COMP_WORDS[i]}
    else
      words[at++]=\${COMP_WORDS[i]}
    fi
  done
  ((at == 0)) || current=\${words[at - 1]}
  [[ $COMP_WORDBREAKS != *:* || $current != *:* ]] || cut=\${current%:*}:
  found=($("$program" __complete ":$current" "\${words[@]:0:at-1}" 2>/dev/null))
  [[ $current == "=" ]] && current=""
  # The newest session first.
  compopt -o nosort 2>/dev/null
  case \${found[0]-} in
    :file) compopt -o filenames 2>/dev/null; found=($(compgen -f -- "$current")) ;;
    :folder) compopt -o filenames 2>/dev/null; found=($(compgen -d -- "$current")) ;;
  esac
  found=("\${found[@]%%$'\\t'*}")
  COMPREPLY=("\${found[@]#"$cut"}")
}

complete -F _hamr hamr
`,
  zsh: `_hamr() {
  local -a before found
  before=("\${(@Q)words[2,CURRENT-1]}")
  found=("\${(@f)$(\${(Q)~words[1]} __complete ":\${(Q)words[CURRENT]}" "$before[@]" 2>/dev/null)}")
  case $found[1] in
    :file) compset -P '--*='; _files ;;
    :folder) compset -P '--*='; _files -/ ;;
    ?*)
      found=("\${(@)found//:/\\\\:}")
      found=("\${(@)found/$'\\t'/:}")
      _describe -V hamr found
      ;;
  esac
}

if [[ $funcstack[1] == _hamr ]]; then
  _hamr "$@"
else
  compdef _hamr hamr
fi
`,
  fish: `function __hamr_complete
  set -l before (commandline -opc)
  set -l current (commandline -ct)
  set -l found ($before[1] __complete ":$current" $before[2..] 2>/dev/null)
  set -l start (string match -r -- '^--[^=]+=' $current)
  set -l path (string replace -r -- '^--[^=]+=' '' $current)
  switch "$found[1]"
    case :file
      string replace -r -- '^' "$start" (__fish_complete_path "$path")
    case :folder
      string replace -r -- '^' "$start" (__fish_complete_directories "$path")
    case '*'
      printf '%s\\n' $found
  end
end

complete -c hamr -k -f -a '(__hamr_complete)'
`,
  powershell: `Register-ArgumentCompleter -Native -CommandName 'hamr' -ScriptBlock {
  param($word, $ast, $cursor)
  $program, $before = @($ast.CommandElements |
    Where-Object { $_.Extent.EndOffset -lt $cursor } | ForEach-Object { $_.ToString() })
  & $program __complete ":$word" @before 2>$null | Where-Object { -not $_.StartsWith(':') } |
    ForEach-Object {
      $text, $help = $_ -split "\`t", 2
      if (-not $help) { $help = $text }
      [System.Management.Automation.CompletionResult]::new($text, $text, 'ParameterValue', $help)
    }
}
`,
};

/** Prints the script for the shell named by the operand. Always 0. */
export function completions(parsed: Parsed, io: Pick<Io, "out">): Promise<number> {
  io.out(completion_script(parsed.operands[0] as (typeof SHELLS)[number]));
  return Promise.resolve(0);
}

export function completion_script(shell: (typeof SHELLS)[number]): string {
  const names = { bash: "bash", zsh: "zsh", fish: "fish", powershell: "PowerShell" };
  const mark = shell === "zsh" ? "#compdef hamr\n" : "";
  return `${mark}# Completions of hamr for ${names[shell]}:  ${HEADS[shell]}\n${SCRIPTS[shell]}`;
}

interface Line {
  readonly words: readonly string[];
  /** The flag whose value the current word is; null if it is none. */
  readonly flag: Flag | null;
  /** What stands before the value in the current word: `--flag=`, or nothing. */
  readonly start: string;
  readonly typed: string;
}

/** Reads a line. Null: nothing is known of what follows `--`. */
function line_of(current: string, before: readonly string[]): Line | null {
  const words: string[] = [];
  let flag: Flag | null = null;
  for (const [at, word] of before.entries()) {
    if (word === "--") return null;
    // readline cuts words at "=": --flag=value comes as three of them.
    if (word === "=") continue;
    if (flag !== null && (flag.takes === "value" || before[at - 1] === "=")) flag = null;
    else if (word.startsWith("-") && word !== "-") flag = flag_of(word);
    else [flag] = [null, words.push(word)];
  }
  const cut = current === "=" || before.at(-1) === "=";
  if (cut) return { words, flag, start: "", typed: current === "=" ? "" : current };
  const [, start = "", typed = ""] = /^(--[^=]+=)(.*)$/s.exec(current) ?? [];
  if (start !== "") return { words, flag: flag_of(start.slice(0, -1)), start, typed };
  return { words, flag: flag?.takes === "value" ? flag : null, start, typed: current };
}

/** The flag that such a word waits for a value with; null if it has its value already, or takes none. */
function flag_of(word: string): Flag | null {
  const flag = FLAGS.find((one) => spellings(one).includes(word));
  return flag === undefined || flag.takes === "none" ? null : flag;
}

/** `--config`, or `-C` and `--directory`. */
function spellings({ name, short }: Flag): string[] {
  return [...(short === undefined ? [] : [`-${short}`]), `--${name}`];
}

/** What may stand for the current word of a line, or what kind of path. `known`: what can be named of a kind. */
export async function candidates(
  current: string,
  before: readonly string[],
  known: (
    kind: "session" | "command" | "agent" | "model" | "topic" | "server",
    typed: string,
  ) => Promise<readonly WordCompletion[]>,
): Promise<readonly WordCompletion[] | "file" | "folder"> {
  const line = line_of(current, before);
  if (line === null) return [];
  const { words: [word, second = ""], flag, start, typed } = line;
  const command = COMMANDS.find(({ name }) => name === word || name === `${word} ${second}`);
  const found = flag !== null
    ? values_of(flag)
    : start !== ""
    ? []
    : typed.startsWith("-")
    ? flags_of(word, command?.name)
    : word === undefined
    ? FIRST_WORDS.map((name) => ({ word: name, help: help_of(name) }))
    : operands_of(line.words, command);
  if (found === "file" || found === "folder") return found;
  const all = found === "topic"
    ? [...without_help(FIRST_WORDS.filter((name) => name !== "help")), ...await known(found, typed)]
    : typeof found === "string"
    ? await known(found, typed)
    : found;
  return all.filter((one) => one.word.startsWith(typed))
    .map(({ word, help }) => ({ word: `${start}${word}`, help }));
}

export function without_help(words: readonly string[]): WordCompletion[] {
  return words.map((word) => ({ word, help: "" }));
}

function values_of(
  { reads, completes, takes }: Flag,
): WordCompletion[] | NonNullable<Flag["completes"]> {
  const values = reads?.kind === "boolean" ? ["true", "false"] : reads?.values ?? [];
  if (values.length > 0) return without_help(values.filter((value) => value !== ""));
  return completes ?? (takes === "optional" ? "file" : []);
}

function flags_of(word: string | undefined, command: string | undefined): WordCompletion[] {
  if (word === undefined) {
    const help = { "-h": "show the help", "-V": "show the version" };
    return Object.entries({ ...help, "--help": help["-h"], "--version": help["-V"] })
      .map(([word, help]) => ({ word, help }));
  }
  return FLAGS.filter(({ commands }) => commands.some((name) => name === command))
    .flatMap((flag) => spellings(flag).map((written) => ({ word: written, help: flag.help })))
    .sort((a, b) => a.word < b.word ? -1 : 1);
}

/** The words that may follow a command's name, and the operands of a command. */
function operands_of(
  words: readonly string[],
  command: Command | undefined,
): WordCompletion[] | NonNullable<Flag["completes"] | Command["completes"]> {
  const [word = ""] = words;
  const seconds = second_words(word);
  if (seconds.length > 0 && words.length === 1) {
    return seconds.map((second) => ({ word: second, help: help_of(`${word} ${second}`) }));
  }
  const given = words.length - (command?.name.split(" ").length ?? 1);
  if (command?.completes !== undefined && (given === 0 || command.max_operands === Infinity)) {
    return command.completes;
  }
  if (given > 0) return [];
  return without_help(command?.values ?? []);
}

function help_of(word: string): string {
  return COMMANDS.find(({ name }) => name === word)?.help ?? GROUPED[word]?.help ?? "";
}
