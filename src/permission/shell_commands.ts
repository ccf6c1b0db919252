/** Finds the commands that a shell command line runs, without running it: for the table of dangerous ones. */
import { forEachChild, parse } from "unbash";
import type { Command, For, Pipeline, SyntaxNode, Word } from "unbash";
import { listed_by, with_start } from "./listing_commands.ts";
import {
  forms_of,
  paths_of,
  type ShellCommand,
  type ShellFolders,
  type ShellWord,
} from "./shell_word.ts";
import { inner_of, program } from "./wrappers.ts";

/** Commands, scripts and substitutions inside each other, further than anybody writes them by mistake. */
const MOST_NESTED = 20;

export interface CommandPlace {
  readonly workspace: string;
  readonly home: string;
}

/**
 * Every command in a command line, in its order: in subshells, substitutions and functions, behind programs that run
 * another (`sudo`, `xargs`), and in scripts that are handed to a shell (`sh -c`, `eval`, here-documents). Never throws: what
 * bash would not take is read as far as it goes.
 */
export function commands_of(script: string, place: CommandPlace): readonly ShellCommand[] {
  const reader = new CommandCollector({ current: place.workspace, home: place.home });
  reader.read(script);
  return reader.found;
}

interface Input {
  /** The text itself, as far as it can be told. */
  readonly text: string | null;
  /** Where it is the list of all files of a folder. */
  readonly all: ShellWord | null;
}

class CommandCollector {
  readonly found: ShellCommand[] = [];
  #nested = 0;

  constructor(private folders: ShellFolders) {}

  read(script: string): void {
    this.#deeper(() => this.#visit(parse(script)));
  }

  #deeper(work: () => void): void {
    if (this.#nested === MOST_NESTED) return;
    this.#nested++;
    work();
    this.#nested--;
  }

  readonly #visit = (node: SyntaxNode): void => {
    switch (node.type) {
      case "Command":
        return this.#command(node, null);
      case "For":
        return this.#for(node);
      case "Pipeline":
        return this.#pipeline(node);
      case "Subshell":
      case "CommandExpansion":
      case "ProcessSubstitution":
      case "Function":
      case "Coproc":
        return this.#apart(() => forEachChild(node, this.#visit));
      default:
        return forEachChild(node, this.#visit);
    }
  };

  /** What happens in a process of its own changes no folder of the shell that goes on. */
  #apart(work: () => void): void {
    const { folders } = this;
    this.#deeper(work);
    this.folders = folders;
  }

  #for(node: For): void {
    const forms = forms_of(node.wordlist ?? [], this.folders);
    const loops = new Map(this.folders.loops).set(node.name.value, forms);
    this.folders = { ...this.folders, loops };
    forEachChild(node, this.#visit);
  }

  #pipeline(node: Pipeline): void {
    let before: SyntaxNode | null = null;
    for (const part of node.commands) {
      const printed = before === null ? null : { text: printed_by(before), all: this.#all(before) };
      const visit = () =>
        part.type === "Command" ? this.#command(part, printed) : this.#visit(part);
      if (node.commands.length === 1) visit();
      else this.#apart(visit);
      before = part;
    }
  }

  #all(node: SyntaxNode): ShellWord | null {
    return node.type === "Command" ? listed_by(this.#words(node), this.#here()) : null;
  }

  #here(): ShellWord {
    const { current } = this.folders;
    return { text: ".", paths: () => current === null ? [] : [current] };
  }

  #words(node: Command): ShellCommand {
    const { folders } = this;
    return [...(node.name === undefined ? [] : [node.name]), ...node.args].map((word) => ({
      text: word.type === "Word" ? word.value : word.text,
      paths: () => word.type === "Word" ? paths_of(word, folders) : [],
    }));
  }

  /** `piped`: what it reads from the command before it. */
  #command(node: Command, piped: Input | null): void {
    // The shell runs substitutions among the words before the command itself.
    forEachChild(node, this.#visit);
    const fed = fed_to(node);
    this.#run(this.#words(node), fed === null ? piped : { text: fed, all: null });
  }

  #run(words: ShellCommand, input: Input | null): void {
    const all = program(words) === "xargs" ? input?.all ?? null : null;
    const command = with_start(all === null ? words : [...words, all], this.#here());
    this.found.push(command);
    const [name, ...args] = command;
    if (/^(?:cd|pushd|popd)$/.test(name?.text ?? "")) this.#cd(args);
    const inner = inner_of(command, input?.text ?? null);
    for (const words of inner.commands) this.#deeper(() => this.#run(words, input));
    for (const script of inner.scripts) {
      if (script.own_shell) this.#apart(() => this.read(script.text));
      else this.read(script.text);
    }
  }

  #cd(args: readonly ShellWord[]): void {
    const to = args.find((word) => !/^-[a-zA-Z@]*$/.test(word.text) && word.text !== "--");
    const { home } = this.folders;
    const paths = args.length === 0 ? [home] : to?.paths() ?? [];
    this.folders = { ...this.folders, home, current: paths.length === 1 ? paths[0] ?? null : null };
  }
}

/** What a command prints, as far as its words tell: what another one after `|` gets to read. */
function printed_by(node: SyntaxNode): string | null {
  if (node.type !== "Command") return null;
  const words = node.args.filter((word): word is Word => word.type === "Word");
  switch (node.name?.value) {
    case "echo":
    case "printf":
      return words.map((word) => word.value).join(" ").replaceAll("\\n", "\n");
    case "cat":
    case "tee":
      return fed_to(node);
    default:
      return null;
  }
}

function fed_to(node: Command): string | null {
  const last = node.redirects.findLast(({ type }) => type !== "Redirect");
  switch (last?.type) {
    case "HereDoc":
      return last.body.text;
    case "HereString":
      return last.target?.value ?? null;
    default:
      return null;
  }
}
