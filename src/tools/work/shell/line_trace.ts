/** Finds the commands of a line that failed or were skipped, from what bash recorded. */
import { parse } from "unbash";
import type { AndOr, CommandNode, CompoundList, If, PipelineNode, Statement } from "unbash";
import type { CommandFact } from "../../ledger.ts";
import type { Passed } from "./failed_parts.ts";

/** What a line has not done, as it is written there; absent: nothing is known to be so. */
export type Undone = Pick<CommandFact, "failed" | "skipped" | "not_found">;

/** Read to the end of their input: what writes to them is not ended by them. */
const READS_ALL =
  /^(?:(?:tail|cat|tee|sort|uniq|wc|cut|tr|nl|column|fold|ts|rev|fmt|jq)(?: |$)|[ef]?grep (?!.*-\w*[qmlL])|(?:rg|sed|awk) (?!.*(?:\bexit\b|[^a-z]q\b|-\w*[qm])))/;
/** Read all of their input before they say anything: who reads from them can't end what writes to them. */
const ENDS_FIRST = /^(?:tail(?!.*\+)|sort|wc|tac)(?: |$)/;
/** A writer whose reader has gone. */
const SIGPIPE = 141;
const NOT_FOUND = 127;
/** Enough to know a command again by; bash writes redirections and the ends of lines in its own way. */
const KNOWN_CHARS = 40;

/** The sources of commands that failed or did not run, in order. Left out where not sure: loops, `case`, `eval`, and all behind them. */
export function undone_in(line: string, passed: readonly Passed[]): Undone {
  try {
    const walk = new Walk(line, passed);
    walk.list(parse(line).commands);
    return walk.undone;
  } catch (error) {
    // Blocks inside each other, deeper than the stack.
    if (error instanceof RangeError) return {};
    throw error;
  }
}

/** Something undone, and the number of the note that told it. */
interface UndoneSource {
  readonly source: string;
  readonly at: number;
  /** How it ended; null: it did not run. */
  readonly code: number | null;
}

/** How something ended; null where nobody knows. */
type Went = boolean | null;

class Walk {
  #failed: UndoneSource[] = [];
  readonly #skipped: UndoneSource[] = [];
  #at = 0;
  /** Bash went another way than this. */
  #lost = false;

  constructor(private readonly line: string, private readonly passed: readonly Passed[]) {}

  get undone(): Undone {
    // Where bash went another way, what it had come from was something else.
    const known = (found: readonly UndoneSource[]) =>
      found.filter(({ at }) => !this.#lost || at + 1 < this.#at);
    const [failed, skipped] = [known(this.#failed), known(this.#skipped)];
    const sources = (found: readonly UndoneSource[]) => found.map(({ source }) => source);
    return {
      ...(failed.length === 0 ? {} : { failed: sources(failed) }),
      ...(skipped.length === 0 ? {} : { skipped: sources(skipped) }),
      ...(failed.at(-1)?.code === NOT_FOUND ? { not_found: true } : {}),
    };
  }

  list(statements: readonly Statement[]): Went {
    let went: Went = true;
    for (const statement of statements) {
      const { command, background } = statement;
      if (!is_noted(statement)) this.#forget();
      if (background) {
        if (command.type !== "Command" || !this.#meets(command)) return this.#lose();
        went = true;
      } else went = command.type === "AndOr" ? this.#row(command) : this.#pipe(command);
      if (this.#lost) return null;
    }
    return went;
  }

  #row({ commands, operators }: AndOr): Went {
    let went: Went = true;
    for (const [index, command] of commands.entries()) {
      if (index > 0 && (operators[index - 1] === "&&") !== went) {
        this.#skips(command);
        continue;
      }
      const rest = commands.slice(index + 1);
      went = this.#pipe(command);
      if (went === null || rest.some(is_noted) && !rest.every(is_noted)) return this.#lose();
      // Nobody knows whether these ran, and the next note is theirs if they did.
      if (rest.length > 0 && !rest.some(is_noted)) {
        this.#forget();
        return null;
      }
    }
    return went;
  }

  #pipe(node: PipelineNode): Went {
    if (node.type !== "Pipeline") return this.#alone(node);
    const negated = node.prefixes.some(({ type }) => type === "Negation");
    const [first, ...more] = node.commands;
    if (first === undefined) return this.#lose();
    if (more.length === 0) {
      const went = this.#alone(first);
      // Of `! [[ a ]]` bash notes the opposite.
      if (negated && /^(?:Test|Arithmetic)Command$/.test(first.type)) return null;
      return went === null ? null : went !== negated;
    }
    // All of it but plain commands runs in shells of its own, which note nothing.
    const plain = node.commands.filter(({ type }) => type === "Command");
    if (!plain.every((command) => this.#meets(command))) return this.#lose();
    if (plain.length === 0) this.#forget();
    const codes = this.#codes(node.commands.length);
    if (codes === null) return null;
    node.commands.forEach((command, index) => {
      const readers = node.commands.slice(index + 1).map((reader) => this.#source(reader));
      const code = codes[index] ?? 0;
      const ends = readers.findIndex((reader) => ENDS_FIRST.test(reader));
      const near = ends < 0 ? readers : readers.slice(0, ends + 1);
      if (code !== 0 && code !== SIGPIPE && near.every((reader) => READS_ALL.test(reader))) {
        this.#fails(command, code);
      }
    });
    const deciding = this.line.includes("pipefail") ? codes : codes.slice(-1);
    return deciding.every((code) => code === 0) !== negated;
  }

  #alone(node: CommandNode): Went {
    switch (node.type) {
      case "Command":
      case "TestCommand":
      case "ArithmeticCommand":
        return this.#meets(node) ? this.#ended(node) : this.#lose();
      case "Subshell":
        this.#forget();
        return this.#ended(node);
      case "BraceGroup":
        return this.list(node.body.commands);
      case "Redirected":
        return this.#alone(node.command);
      case "If":
        return this.#if(node);
      case "Function":
        return true;
      default:
        return this.#lose();
    }
  }

  #if({ clause, then, elif, else: last }: If): Went {
    const branches = [{ clause, then }, ...elif];
    const lists = [...branches.flatMap((branch) => [branch.clause, branch.then]), last];
    if (lists.some((list) => list?.commands.slice(0, 1).every(is_noted) === false)) {
      return this.#lose();
    }
    for (const [index, branch] of branches.entries()) {
      const holds = this.list(branch.clause.commands);
      if (holds === null) return this.#lose();
      if (holds) {
        const went = this.list(branch.then.commands);
        const others = branches.slice(index + 1).flatMap((other) => [other.clause, other.then]);
        for (const other of [...others, ...(last ? [last] : [])]) this.#skips(other);
        return went;
      }
      this.#skips(branch.then);
    }
    return this.list(last?.commands ?? []);
  }

  /** How a command of its own ended; it is noted if it failed. */
  #ended(node: CommandNode): Went {
    const [code] = this.#codes(1) ?? [];
    if (code === undefined) return null;
    if (code !== 0) this.#fails(node, code);
    return code === 0;
  }

  #codes(count: number): readonly number[] | null {
    const codes = this.passed[this.#at]?.came_from;
    return codes?.length === count ? codes : null;
  }

  #fails(node: CommandNode, code: number): void {
    this.#failed.push({ source: this.#source(node), at: this.#at, code });
  }

  #skips(node: PipelineNode | CompoundList): void {
    this.#skipped.push({ source: this.#source(node), at: this.#at, code: null });
  }

  #lose(): null {
    this.#lost = true;
    this.#forget();
    return null;
  }

  /** The next note is of something without one of its own: how it ended is told there, in place of what was before it. */
  #forget(): void {
    this.#failed = this.#failed.filter(({ at }) => at !== this.#at);
  }

  /** Goes on to the next note, which has to be that of the command. */
  #meets(node: CommandNode): boolean {
    const note = this.passed[this.#at++];
    if (note === undefined) return false;
    const found = begun(note.to);
    const wanted = begun(this.#source(node));
    // Of `a |& b` bash writes `a 2>&1`.
    return !/^eval\s/.test(note.to) && (found === wanted || found === begun(`${wanted}2>&1`));
  }

  #source({ pos, end }: PipelineNode | CompoundList): string {
    return this.line.slice(pos, end);
  }
}

function begun(source: string): string {
  const [line = ""] = source.replaceAll("\\\n", "").split("\n", 1);
  return line.replace(/\s+/g, "").slice(0, KNOWN_CHARS);
}

/** Whether bash notes that it comes to it: not to a shell of its own, of whose end the note behind it tells. */
function is_noted(node: Statement | PipelineNode | AndOr): boolean {
  switch (node.type) {
    case "Statement":
    case "Redirected":
      return is_noted(node.command);
    case "AndOr":
      return node.commands.slice(0, 1).every(is_noted);
    case "Pipeline":
      return node.commands.length === 1
        ? node.commands.every(is_noted)
        : node.commands.some(({ type }) => type === "Command");
    case "BraceGroup":
      return node.body.commands.slice(0, 1).every(is_noted);
    case "If":
      return node.clause.commands.slice(0, 1).every(is_noted);
    default:
      return node.type !== "Subshell";
  }
}
