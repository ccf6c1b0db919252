/** `hamr memory`: what is kept from one session to the next, for the user to see and to change. */
import { either, one_line, quote } from "../config/text.ts";
import { StoreError } from "../store/database.ts";
import { type Fact, Memory } from "../store/memory.ts";
import { type Parsed } from "./args/args.ts";
import { UsageError } from "./base/usage_error.ts";
import { StartError } from "../app/start_error.ts";
import type { Io } from "./base/io.ts";
import { load_settings } from "../app/settings.ts";

type Format = Parsed["flags"]["output"];

/** Found where the user looks: a page. */
const FOUND = 20;

/** Runs `memory list`, `search`, `add` or `rm`. Throws `UsageError`, `StartError` or `ConfigError`. */
export async function memory(parsed: Parsed, io: Io): Promise<number> {
  const { command, operands, flags } = parsed;
  const words = operands.join(" ");
  if (command !== "memory list" && words.trim() === "") {
    throw new UsageError(`${command} needs ${needed(command)}`);
  }
  const kept = await opened(parsed, io);
  try {
    const shown = done(kept, { command, operands, words, format: flags.output });
    // On stderr: scripts count the lines of stdout.
    if (shown === "") io.err(`hamr: ${nothing(command, words)}\n`);
    io.out(shown);
  } finally {
    kept.close();
  }
  return 0;
}

function nothing(command: Parsed["command"], words: string): string {
  return command === "memory search"
    ? `no fact has to do with ${quote(words)}`
    : "no facts are kept for this workspace";
}

function needed(command: Parsed["command"]): string {
  switch (command) {
    case "memory search":
      return "words to look for";
    case "memory add":
      return 'a fact: hamr memory add "..."';
    default:
      return "the id of a fact, as hamr memory list shows it";
  }
}

/** Does what was asked for, and gives what to print. */
function done(
  kept: Memory,
  { command, operands, words, format }: {
    readonly command: Parsed["command"];
    readonly operands: readonly string[];
    readonly words: string;
    readonly format: Format;
  },
): string {
  switch (command) {
    case "memory search":
      return rendered(kept.search(words, FOUND), format);
    case "memory add":
      return added(kept, { fact: words, format });
    case "memory rm":
      return removed(kept, { ids: operands, format });
    default:
      return rendered(kept.list(), format);
  }
}

async function opened(parsed: Parsed, io: Io): Promise<Memory> {
  const { paths: { data_dir }, workspace } = await load_settings(parsed, io);
  if (data_dir === null) {
    throw new StartError("no place for memory: set HOME or HAMR_HOME");
  }
  try {
    return new Memory({ data_dir, workspace: parsed.flags.global ? null : workspace });
  } catch (error) {
    throw error instanceof StoreError ? new StartError(error.message) : error;
  }
}

function rendered(facts: readonly Fact[], format: Format): string {
  switch (format) {
    case "json":
      return `${JSON.stringify({ facts })}\n`;
    case "jsonl":
      return facts.map((fact) => `${JSON.stringify(fact)}\n`).join("");
    case "text": {
      const width = Math.max(0, ...facts.map(({ id }) => id.length));
      return facts.map(({ id, saved, text }) =>
        `${id.padStart(width)}  ${saved.slice(0, 10)}  ${one_line(text)}\n`
      ).join("");
    }
  }
}

function added(
  kept: Memory,
  { fact, format }: { readonly fact: string; readonly format: Format },
): string {
  const saved = kept.save(fact);
  if (saved.kind === "refused") throw new UsageError(`memory add: not saved: ${saved.why}`);
  const { kind, id } = saved;
  if (format !== "text") return `${JSON.stringify({ kind, id })}\n`;
  return `${kind === "saved" ? "Saved" : "Already known"}: ${id}\n`;
}

function removed(
  kept: Memory,
  { ids, format }: { readonly ids: readonly string[]; readonly format: Format },
): string {
  const gone = ids.filter((id) => kept.remove(id));
  const unknown = ids.filter((id) => !gone.includes(id));
  if (unknown.length > 0) {
    const also = gone.length > 0 ? `; removed: ${gone.join(", ")}` : "";
    throw new UsageError(`memory rm: there is no fact ${either(unknown)} here${also}`);
  }
  if (format !== "text") return `${JSON.stringify({ removed: gone })}\n`;
  return `Removed: ${gone.join(", ")}\n`;
}
