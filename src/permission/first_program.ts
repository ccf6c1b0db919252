/** Which program a command line starts first, read and not run. */
import { parse } from "unbash";
import type { Command, PipelineNode, Word } from "unbash";

/**
 * The name of the program that a command line starts before all others, and without which it can't end well; null where that is not
 * sure: only the shell knows it, or the line goes on without it.
 */
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
  const first = chain.find((node) => named(node) !== "cd");
  return first === undefined ? null : named(first);
}

/** What a command is called, where the shell fills in nothing and is not told to look elsewhere. */
function named(node: PipelineNode): string | null {
  if (node.type !== "Command") return null;
  const { name, prefix }: Command = node;
  const plain = (word: Word) => word.parts === undefined && word.text === word.value;
  if (name === undefined || !plain(name)) return null;
  const moved = prefix.some((part) => part.type === "Assignment" && part.name === "PATH");
  return moved || !/^[\w.+/-]+$/.test(name.value) ? null : name.value;
}
