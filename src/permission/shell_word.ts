/** Words of shell commands, and the files they stand for. */
import type { Word, WordPart } from "unbash";
import { resolved } from "./command_words.ts";

/** One word of a command. */
export interface ShellWord {
  /** Without quotes and backslashes; what the shell fills in stands as it was written. */
  readonly text: string;
  /** The files it may stand for, absolute and without links followed; empty where nobody can tell. */
  readonly paths: () => readonly string[];
}

/** One command, the program first. */
export type ShellCommand = readonly ShellWord[];

/** What the shell fills in for `.` and for `~`. */
export interface Folders {
  /** Null where nobody can tell where the shell is. */
  readonly current: string | null;
  readonly home: string;
}

/** `{a,b}{a,b}…` doubles with each: who means that many files does not name them. */
const MOST_FORMS = 100;

/**
 * The absolute paths of a word, without links followed; more than one for `{a,b}`. A `*` that the shell expands stays one;
 * one that belongs to a name is `_`. Empty where nobody can tell.
 */
export function paths_of(word: Word, folders: Folders): readonly string[] {
  let texts: string[] = [""];
  const tilde = /^~(?=\/|$)/.test(word.text);
  if (word.parts === undefined) texts = [plain(word.value)];
  for (const part of word.parts ?? []) {
    const more = texts_of(part, folders);
    texts = texts.flatMap((text) => more.map((end) => text + end));
    if (texts.length > MOST_FORMS) return [];
  }
  return texts.flatMap((text) => {
    if (text === "") return [];
    if (tilde) return [resolved("/", folders.home + text.slice(1))];
    if (text.startsWith("/")) return [resolved("/", text)];
    return folders.current === null ? [] : [resolved(folders.current, text)];
  });
}

/** A part of a word, in each of its forms; none where only the shell knows. */
function texts_of(part: WordPart, folders: Folders): readonly string[] {
  const known = (path: string | null) => path === null ? [] : [path];
  switch (part.type) {
    case "Literal":
    case "SingleQuoted":
    case "AnsiCQuoted":
      return [plain(part.value)];
    case "Glob":
      return [part.text];
    case "DoubleQuoted":
    case "LocaleString":
      return part.parts.reduce<readonly string[]>(
        (texts, inner) =>
          texts.flatMap((text) => texts_of(inner, folders).map((end) => text + end)),
        [""],
      );
    case "SimpleExpansion":
      return known(variable(part.text.slice(1), folders));
    case "ParameterExpansion": {
      const bare = part.operation === undefined && part.prefix === undefined;
      return known(bare ? variable(part.parameter, folders) : null);
    }
    case "CommandExpansion":
      return known(/^(?:\$\(|`)\s*pwd(?: -[LP])?\s*[)`]$/.test(part.text) ? folders.current : null);
    case "BraceExpansion": {
      const list = /^\{([^{}"'\\$`]*,[^{}"'\\$`]*)\}$/.exec(part.text)?.[1];
      return list?.split(",") ?? [];
    }
    case "ArithmeticExpansion":
    case "ProcessSubstitution":
    case "ExtendedGlob":
      return [];
  }
}

function variable(name: string, { current, home }: Folders): string | null {
  if (name === "PWD") return current;
  return name === "HOME" ? home : null;
}

/** A name that holds the letters of a pattern is not one. */
function plain(text: string): string {
  return text.replace(/[*?[]/g, "_");
}
