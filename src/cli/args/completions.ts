/** `hamr completions SHELL`: scripts that complete commands, flags and values, from the tables. */
import type { Parsed } from "./args.ts";
import { COMMANDS, group_help, second_words, type SHELLS, WORDS } from "./commands.ts";
import type { Flag } from "./flag.ts";
import { FLAGS } from "./flags.ts";
import type { Io } from "../base/io.ts";

type Shell = (typeof SHELLS)[number];

/** Prints the script for the shell named by the operand. Always 0. */
export function completions(parsed: Parsed, io: Pick<Io, "out">): Promise<number> {
  io.out(completion_script(parsed.operands[0] as Shell));
  return Promise.resolve(0);
}

/** The completion script for a shell. */
export function completion_script(shell: Shell): string {
  switch (shell) {
    case "bash":
      return bash();
    case "zsh":
      return zsh();
    case "fish":
      return fish();
    case "powershell":
      return powershell();
  }
}

function flags_of(command: string): Flag[] {
  return FLAGS.filter((flag) => flag.commands.some((name) => name === command));
}

/** `--config`, or `-C` and `--directory`. */
function spellings({ name, short }: Flag): string[] {
  return [...(short === undefined ? [] : [`-${short}`]), `--${name}`];
}

/** The words that a value is one of; empty if it may be anything. */
function values_of({ reads }: Flag): string[] {
  if (reads?.kind === "boolean") return ["true", "false"];
  return (reads?.values ?? []).filter((value) => value !== "");
}

/** The words that may follow a command's name, with its help. */
function operands_of(word: string): readonly string[] {
  const seconds = second_words(word);
  if (seconds.length > 0) return seconds;
  if (word === "help") return WORDS.filter((name) => name !== "help");
  return COMMANDS.find((command) => command.name === word)?.values ?? [];
}

function help_of(word: string): string {
  return COMMANDS.find(({ name }) => name === word)?.help ?? group_help(word) ?? "";
}

function single_quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

function bash(): string {
  const valued = FLAGS.filter((flag) => flag.takes === "value");
  const with_values = FLAGS.filter((flag) => values_of(flag).length > 0 && flag.takes !== "none");
  const by_values = with_values.map((flag) => {
    const joined = flag.takes === "optional" ? "[[ -n $joined ]] && " : "";
    const words = single_quoted(values_of(flag).join(" "));
    return `    ${spellings(flag).join("|")}) ${joined}_hamr_words ${words} ;;`;
  });
  const files = spellings_that((flag) => flag.completes === "file");
  const folders = spellings_that((flag) => flag.completes === "folder");
  const optional = spellings_that((flag) =>
    flag.takes === "optional" && values_of(flag).length === 0
  );
  const skipped = spellings_that((flag) => flag.takes === "value");
  const flags = COMMANDS.map(({ name }) => {
    const pattern = name.includes(" ") ? single_quoted(name) : `${single_quoted(`${name} `)}*`;
    const words = flags_of(name).flatMap(spellings).join(" ");
    return `      ${pattern}) _hamr_words ${single_quoted(words)} ;;`;
  });
  const operands = WORDS.filter((word) => operands_of(word).length > 0).map((word) =>
    `    ${single_quoted(`${word} `)}) _hamr_words ${single_quoted(operands_of(word).join(" "))} ;;`
  );
  return `# Completions of hamr for bash:  source <(hamr completions bash)
_hamr_words() { COMPREPLY=($(compgen -W "$1" -- "$cur")); }

_hamr_paths() {
  local IFS=$'\\n'
  compopt -o filenames 2>/dev/null
  COMPREPLY=($(compgen "$1" -- "$cur"))
}

_hamr() {
  local cur=\${COMP_WORDS[COMP_CWORD]} prev="" command="" second="" joined="" word i
  COMPREPLY=()
  ((COMP_CWORD > 0)) && prev=\${COMP_WORDS[COMP_CWORD - 1]}
  # readline cuts words at "=", so that --flag=value comes as three of them.
  if [[ $cur == "=" ]]; then
    joined=1 cur=""
  elif [[ $prev == "=" ]] && ((COMP_CWORD > 1)); then
    joined=1 prev=\${COMP_WORDS[COMP_CWORD - 2]}
  fi
  for ((i = 1; i < COMP_CWORD; i++)); do
    word=\${COMP_WORDS[i]}
    case $word in
      --) return ;;
      ${skipped})
        [[ \${COMP_WORDS[i + 1]} == "=" ]] && ((i++))
        ((i++))
        ;;
      =) ((i++)) ;;
      -?*) ;;
      *)
        if [[ -z $command ]]; then command=$word; elif [[ -z $second ]]; then second=$word; fi
        ;;
    esac
  done
  case $prev in
${by_values.join("\n")}
    ${folders}) _hamr_paths -d ;;
    ${files}) _hamr_paths -f ;;
    ${optional}) [[ -n $joined ]] && _hamr_paths -f ;;
  esac
  ((\${#COMPREPLY[@]} > 0)) && return
  case $prev in
    ${valued.flatMap(spellings).join("|")}) return ;;
  esac
  [[ -n $joined ]] && return
  if [[ $cur == -* ]]; then
    case "$command $second" in
      ' ') _hamr_words '-h --help -V --version' ;;
${flags.join("\n")}
    esac
    return
  fi
  case "$command $second" in
    ' ') _hamr_words ${single_quoted(WORDS.join(" "))} ;;
${operands.join("\n")}
  esac
}

complete -F _hamr hamr
`;
}

/** The spellings of some flags, as an alternative of a shell's `case`. */
function spellings_that(wanted: (flag: Flag) => boolean): string {
  return FLAGS.filter(wanted).flatMap(spellings).join("|");
}

function zsh(): string {
  const spec = (flag: Flag): string[] => {
    const doc = flag.help.replaceAll(/[\[\]:\\]/g, "\\$&");
    const action = flag.completes === "folder"
      ? "_files -/"
      : values_of(flag).length > 0
      ? `(${values_of(flag).join(" ")})`
      : flag.completes === "file" || flag.takes === "optional"
      ? "_files"
      : " ";
    return spellings(flag).map((written) => {
      const long = written.startsWith("--");
      const mark = { none: "", value: long ? "=" : "+", optional: "=-" }[flag.takes];
      const value = flag.takes === "none"
        ? ""
        : `${flag.takes === "optional" ? "::" : ":"}${flag.value}:${action}`;
      return single_quoted(`${flag.repeatable ? "*" : ""}${written}${mark}[${doc}]${value}`);
    });
  };
  const page = (command: string, rest: string) =>
    `_arguments -s ${[...flags_of(command).flatMap(spec), rest].join(" \\\n        ")}`;
  const described = (words: readonly string[], doc: (word: string) => string) =>
    words.map((word) => single_quoted(`${word}:${doc(word).replaceAll(":", "\\:")}`)).join(" ");
  const cases = WORDS.map((word) => {
    const seconds = second_words(word);
    if (seconds.length === 0) {
      const operands = operands_of(word);
      const rest = operands.length > 0
        ? single_quoted(`1:${word}:(${operands.join(" ")})`)
        : single_quoted("*:: :");
      return `    ${word})\n      ${page(word, rest)}\n      ;;`;
    }
    const inner = seconds.map((second) =>
      `        ${second}) ${page(`${word} ${second}`, single_quoted("*:: :"))} ;;`
    );
    return `    ${word})
      if (( CURRENT == 2 )); then
        commands=(${described(seconds, (second) => help_of(`${word} ${second}`))})
        _describe command commands
      else
        shift words
        (( CURRENT-- ))
        case $words[1] in
${inner.join("\n")}
        esac
      fi
      ;;`;
  });
  return `#compdef hamr
# Completions of hamr for zsh:  hamr completions zsh > ~/.zfunc/_hamr
_hamr() {
  local -a commands
  if (( CURRENT == 2 )); then
    if [[ $words[2] == -* ]]; then
      commands=('--help:show the help' '--version:show the version')
    else
      commands=(${described(WORDS, help_of)})
    fi
    _describe command commands
    return
  fi
  shift words
  (( CURRENT-- ))
  case $words[1] in
${cases.join("\n")}
  esac
}

if [[ $funcstack[1] == _hamr ]]; then
  _hamr "$@"
else
  compdef _hamr hamr
fi
`;
}

function fish(): string {
  const out = [
    "# Completions of hamr for fish:  hamr completions fish > ~/.config/fish/completions/hamr.fish",
    "complete -c hamr -f",
    "complete -c hamr -n __fish_use_subcommand -s h -l help -d 'show the help'",
    "complete -c hamr -n __fish_use_subcommand -s V -l version -d 'show the version'",
  ];
  const quoted = (text: string) => `'${text.replaceAll(/['\\]/g, "\\$&")}'`;
  for (const word of WORDS) {
    out.push(`complete -c hamr -n __fish_use_subcommand -a ${word} -d ${quoted(help_of(word))}`);
  }
  for (const word of WORDS) {
    const operands = operands_of(word);
    const here = `__fish_seen_subcommand_from ${word}`;
    const none = `${here}; and not __fish_seen_subcommand_from ${
      operands.filter((operand) => operand !== word).join(" ")
    }`;
    for (const operand of operands) {
      const doc = second_words(word).length > 0 ? help_of(`${word} ${operand}`) : "";
      out.push(`complete -c hamr -n ${quoted(none)} -a ${operand} -d ${quoted(doc)}`);
    }
  }
  for (const { name } of COMMANDS) {
    const here = name.split(" ").map((word) => `__fish_seen_subcommand_from ${word}`).join(
      "; and ",
    );
    for (const flag of flags_of(name)) {
      const value = flag.takes !== "value"
        ? ""
        : flag.completes === "folder"
        ? " -x -a '(__fish_complete_directories)'"
        : flag.completes === "file"
        ? " -r -F"
        : values_of(flag).length > 0
        ? ` -x -a ${quoted(values_of(flag).join(" "))}`
        : " -x";
      const short = flag.short === undefined ? "" : ` -s ${flag.short}`;
      out.push(
        `complete -c hamr -n ${quoted(here)}${short} -l ${flag.name}${value} -d ${
          quoted(flag.help)
        }`,
      );
    }
  }
  return out.join("\n") + "\n";
}

/** Names and helps are one text with `|` between: PowerShell's tables take -v and -V for the same. */
function powershell(): string {
  const quoted = (text: string) => `'${text.replaceAll("'", "''")}'`;
  const list = (words: readonly string[]) => `@(${words.map(quoted).join(", ")})`;
  const flags = COMMANDS.map(({ name }) => {
    const rows = flags_of(name).flatMap((flag) =>
      spellings(flag).map((written) => `      ${quoted(`${written}|${flag.help}`)}`)
    );
    return `    ${quoted(name)} = @(\n${rows.join("\n")}\n    )`;
  });
  const values = (takes: Flag["takes"]) =>
    FLAGS.filter((flag) => values_of(flag).length > 0 && flag.takes === takes)
      .map((flag) => `    ${quoted(`--${flag.name}`)} = ${list(values_of(flag))}`).join("\n");
  const operands = WORDS.filter((word) => operands_of(word).length > 0)
    .map((word) => `    ${quoted(word)} = ${list(operands_of(word))}`);
  const valued = FLAGS.filter((flag) => flag.takes === "value").flatMap(spellings);
  return `# Completions of hamr for PowerShell:  hamr completions powershell >> $PROFILE
Register-ArgumentCompleter -Native -CommandName 'hamr' -ScriptBlock {
  param($word, $ast, $cursor)
  $flags = @{
${flags.join("\n")}
  }
  $values = @{
${values("value")}
  }
  $joined = @{
${values("optional")}
  }
  $operands = @{
${operands.join("\n")}
  }
  $valued = ${list(valued)}
  $before = @($ast.CommandElements | Select-Object -Skip 1 |
    Where-Object { $_.Extent.EndOffset -lt $cursor } | ForEach-Object { $_.ToString() })
  $words = @()
  for ($i = 0; $i -lt $before.Count; $i++) {
    if ($valued -ccontains $before[$i]) { $i++ }
    elseif (-not $before[$i].StartsWith('-')) { $words += $before[$i] }
  }
  $name = "$($words[0])"
  if ($flags.ContainsKey("$name $($words[1])")) { $name = "$name $($words[1])" }
  $last = if ($before.Count -gt 0) { $before[-1] } else { '' }
  $start = ''
  $rest = "$word"
  if ($rest -match '^(--[^=]+)=(.*)$') {
    $last = $Matches[1]
    $start = "$last="
    $rest = $Matches[2]
  }
  $found = @()
  if ($values.ContainsKey($last)) { $found = $values[$last] }
  elseif ($start -and $joined.ContainsKey($last)) { $found = $joined[$last] }
  elseif ($valued -ccontains $last) { return }
  elseif ($rest.StartsWith('-')) {
    $found = if ($flags.ContainsKey($name)) { $flags[$name] } else { @('--help', '--version') }
  }
  elseif ($words.Count -eq 0) { $found = ${list(WORDS)} }
  elseif ($words.Count -eq 1 -and $operands.ContainsKey($words[0])) { $found = $operands[$words[0]] }
  $found | Where-Object { $_.StartsWith($rest) } | ForEach-Object {
    $text, $help = $_ -split '\\|', 2
    if (-not $help) { $help = $text }
    [System.Management.Automation.CompletionResult]::new("$start$text", $text, 'ParameterValue', $help)
  }
}
`;
}
