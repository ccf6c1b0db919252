/** Commands that list a whole folder, and the word that stands for their output where another command reads it. */
import type { ShellCommand, ShellWord } from "./shell_word.ts";
import { program } from "./wrappers.ts";

/** Options of `find` that narrow nothing. */
const ALL_OF_IT =
  /^-(?:delete|depth|d|mindepth|maxdepth|mount|xdev|print0?|exec|execdir|ok|okdir|[HLPX])$/;

/** Where a `find` begins (its words up to `-exec`); none where something narrows what it finds. */
export function starts_of_all(words: ShellCommand): readonly ShellWord[] {
  const flat = words.some(({ text }) => text === "-maxdepth");
  // All files but no folders is all there is to lose, unless it is the upmost ones only: as `rm *`.
  const wide = (text: string, at: number) =>
    ALL_OF_IT.test(text) || text === "-type" && words[at + 1]?.text === "f" && !flat;
  if (!words.every(({ text }, at) => !/^[-(!]/.test(text) || wide(text, at))) return [];
  const end = words.findIndex(({ text }) => /^-[a-z]/.test(text));
  return words.slice(0, end < 0 ? words.length : end).filter(({ text }) => !text.startsWith("-"));
}

/** `find` without a folder to begin in begins where the shell is. */
export function with_start(words: ShellCommand, here: ShellWord): ShellCommand {
  const [name, ...rest] = words;
  if (name === undefined || program(words) !== "find") return words;
  const first = rest.find(({ text }) => !/^-[HLP]$/.test(text));
  return first === undefined || /^[-(!]/.test(first.text) ? [name, here, ...rest] : words;
}

/** What a command that lists a whole folder prints, as one word; null if it lists less. */
export function listed_by(words: ShellCommand, here: ShellWord): ShellWord | null {
  const [, ...rest] = words;
  const options = (pattern: RegExp, from = 0) =>
    rest.slice(from).every(({ text }) => pattern.test(text));
  const text = `$(${words.map((word) => word.text).join(" ")})`;
  switch (program(words)) {
    case "find": {
      const starts = starts_of_all(with_start(words, here).slice(1));
      const deep = !rest.some(({ text }) => text === "-maxdepth");
      const paths = () => starts.flatMap((word) => word.paths());
      return starts.length === 0 ? null : { text, paths, deep };
    }
    case "ls":
      return options(/^-[aA1fUrtF]+$|^--(?:almost-)?all$/) ? { ...here, text } : null;
    case "git":
      return rest[0]?.text === "ls-files" && options(/^(?:-z|-c|--cached)$/, 1)
        ? { ...here, text, deep: true }
        : null;
    default:
      return null;
  }
}
