/** Finds the program that a command line starts first, without running it. */
import { type Command, parse, type PipelineNode, type Word } from "unbash";

/** The program that a command line needs first, and can't end well without; null where only the shell knows it, or the line goes on without. */
export function first_program(script: string): string | null {
  const { commands, errors } = parse(script);
  const [statement] = commands;
  if (errors !== undefined || commands.length !== 1 || statement?.background) return null;
  const node = statement?.command;
  const chain: readonly PipelineNode[] = node?.type === "AndOr"
    ? node.operators.every((operator) => operator === "&&") ? node.commands : []
    : node === undefined
    ? []
    : [node];
  // Another folder changes nothing of what is found by its name alone, or by its whole path.
  const first = chain.map(words_of).find((words) => words?.[0] !== "cd");
  return first === undefined || first === null ? null : started_by(first);
}

/** Programs that start the next word and end in 127 where there is no such program, with what may stand before it. */
const STARTERS: ReadonlyMap<string, RegExp> = new Map([
  ["env", /^(?!PATH=)[A-Za-z_]\w*=/],
  ["timeout", /^\d+(?:\.\d+)?[smhd]?$/],
  ["nohup", /(?!)/],
]);
const SHELLS = /^(?:\/(?:usr\/)?bin\/)?(?:sh|bash|dash)$/;

/** The program in the end: `env A=b sh -c 'make test'` starts `make`. A word is null where only the shell knows it. */
function started_by(words: CommandWords): string | null {
  const [name, ...rest] = words;
  if (name === null || name === undefined || !/^[\w.+/-]+$/.test(name)) return null;
  const before = STARTERS.get(name);
  if (before !== undefined) {
    const at = rest.findIndex((word) => word === null || !before.test(word));
    const inner = rest.slice(at);
    return at < 0 || inner[0]?.startsWith("-") ? null : started_by(inner);
  }
  // Other options of a shell may have it read a file first.
  if (!SHELLS.test(name)) return name;
  const [option, script] = rest;
  return /^-e?u?c$/.test(option ?? "") && typeof script === "string" ? first_program(script) : name;
}

type CommandWords = readonly (string | null)[];

/** The words of a command, its name first; null where it is none, or is told to look for programs elsewhere. */
function words_of(node: PipelineNode): CommandWords | null {
  if (node.type !== "Command") return null;
  const { name, args, prefix }: Command = node;
  const moved = prefix.some((part) => part.type === "Assignment" && part.name === "PATH");
  if (name === undefined || moved) return null;
  return [name, ...args].map((word) => word.type === "Word" ? literal(word) : null);
}

/** What a word says, where the shell fills in nothing. */
function literal({ text, value, parts }: Word): string | null {
  if (parts === undefined && text === value) return value;
  return /^'([^']*)'$/.exec(text)?.[1] ?? /^"([^"$`\\!]*)"$/.exec(text)?.[1] ?? null;
}
