/** Words of shell commands, and the files they stand for. */
import type { Word, WordPart } from "unbash";
import { resolved } from "./paths.ts";

export interface ShellWord {
  /** Without quotes and backslashes; what the shell fills in stands as it was written. */
  readonly text: string;
  /** The files it may stand for, absolute and without links followed; empty if nobody can tell. */
  readonly paths: () => readonly string[];
  /** It stands for every file below `paths`, too: to remove them takes no `-r`. */
  readonly deep?: boolean;
}

export type ShellCommand = readonly ShellWord[];

export interface ShellFolders {
  /** Null if nobody can tell where the shell is. */
  readonly current: string | null;
  readonly home: string;
  /** What the variables of loops stand for, each in all its forms. */
  readonly loops?: ReadonlyMap<string, readonly string[]>;
}

/** `{a,b}{a,b}…` doubles with each: who means that many files does not name them. */
const MOST_FORMS = 100;
/** Linux takes no longer path; loops inside each other double a text, too. */
const PATH_CHARS = 4096;

/** The absolute paths of a word, several for `{a,b}`, without following links. A glob `*` stays; one in a name is `_`. Empty if unknown. */
export function paths_of(word: Word, folders: ShellFolders): readonly string[] {
  const tilde = /^~(?=\/|$)/.test(word.text);
  const texts = word.parts === undefined ? [plain(word.value)] : joined(word.parts, folders);
  return texts.flatMap((text) => {
    if (text === "") return [];
    if (tilde) return [resolved("/", folders.home + text.slice(1))];
    if (text.startsWith("/")) return [resolved("/", text)];
    return folders.current === null ? [] : [resolved(folders.current, text)];
  });
}

/** What the words of a `for` stand for, relative as they were written. */
export function forms_of(words: readonly Word[], folders: ShellFolders): readonly string[] {
  return words.slice(0, MOST_FORMS)
    .flatMap((word) => word.parts === undefined ? [plain(word.value)] : joined(word.parts, folders))
    .slice(0, MOST_FORMS);
}

/** Parts behind each other, in all their forms; none where these are too many. */
function joined(parts: readonly WordPart[], folders: ShellFolders): readonly string[] {
  let texts: readonly string[] = [""];
  for (const part of parts) {
    const more = texts_of(part, folders);
    if (texts.length * more.length > MOST_FORMS) return [];
    texts = texts.flatMap((text) => more.map((end) => text + end))
      .filter((text) => text.length <= PATH_CHARS);
  }
  return texts;
}

/** A part of a word, in each of its forms; none where only the shell knows. */
function texts_of(part: WordPart, folders: ShellFolders): readonly string[] {
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
      return joined(part.parts, folders);
    case "SimpleExpansion":
      return variable(part.text.slice(1), folders);
    case "ParameterExpansion": {
      const bare = part.operation === undefined && part.prefix === undefined;
      return bare ? variable(part.parameter, folders) : [];
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

function variable(name: string, { current, home, loops }: ShellFolders): readonly string[] {
  const looped = loops?.get(name);
  if (looped !== undefined) return looped;
  if (name === "PWD") return current === null ? [] : [current];
  return name === "HOME" ? [home] : [];
}

/** A name that holds the letters of a pattern is not one. */
function plain(text: string): string {
  return text.replace(/[*?[]/g, "_");
}
