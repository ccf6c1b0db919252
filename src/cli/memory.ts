/** `hamr memory`: shows and changes what is kept from one session to the next. */
import { at_end } from "../config/attempt.ts";
import { json_line, json_output } from "../config/json.ts";
import { either, quote } from "../config/text.ts";
import { type Fact, Memory } from "../store/memory.ts";
import { type Parsed } from "./args/args.ts";
import { fact_lines, NO_FACTS } from "./base/facts.ts";
import type { Io } from "./base/io.ts";
import { load_settings } from "../app/settings.ts";
import { StartError, UsageError } from "../config/error.ts";

/** Found where the user looks: a page. */
const FOUND = 20;

/** What a command does, what it must be given, and what is said where it shows nothing. */
interface Work {
  readonly needs?: string;
  readonly nothing?: (words: string) => string;
  done(kept: Memory, parsed: Parsed, words: string): string;
}

const WORK: Readonly<Record<string, Work>> = {
  "memory list": {
    nothing: () => NO_FACTS,
    done: (kept, { flags }) => rendered(kept.list(), flags.output),
  },
  "memory search": {
    needs: "words to look for",
    nothing: (words) => `no fact matches ${quote(words)}`,
    done: (kept, { flags }, words) => rendered(kept.search(words, FOUND), flags.output),
  },
  "memory add": { needs: 'a fact: hamr memory add "..."', done: added },
  "memory rm": { needs: "the id of a fact, as hamr memory list shows it", done: removed },
};

/** Runs `memory list`, `search`, `add` or `rm`. Throws `UsageError`, `StartError` or `ConfigError`. */
export async function memory(parsed: Parsed, io: Io): Promise<number> {
  const { needs, nothing, done } = WORK[parsed.command] as Work;
  const words = parsed.operands.join(" ");
  if (needs !== undefined && words.trim() === "") {
    throw new UsageError(`${parsed.command} needs ${needs}`);
  }
  const { paths: { data_dir }, workspace } = await load_settings(parsed, io);
  if (data_dir === null) throw new StartError("no place for memory: set HOME or HAMR_HOME");
  const kept = new Memory({ data_dir, workspace: parsed.flags.global ? null : workspace });
  using _ = at_end(() => kept.close());
  const shown = done(kept, parsed, words);
  // On stderr: scripts count the lines of stdout.
  if (shown === "" && nothing !== undefined) io.err(`hamr: ${nothing(words)}\n`);
  io.out(shown);
  return 0;
}

function rendered(facts: readonly Fact[], format: Parsed["flags"]["output"]): string {
  if (format !== "text") return json_output(format, { facts }, facts);
  return fact_lines(facts).map((line) => `${line}\n`).join("");
}

function added(kept: Memory, { flags }: Parsed, fact: string): string {
  const saved = kept.save(fact);
  if (saved.kind === "refused") throw new UsageError(`memory add: not saved: ${saved.why}`);
  const { kind, id } = saved;
  if (flags.output !== "text") return json_line({ kind, id });
  return `${kind === "saved" ? "Saved" : "Already known"}: ${id}\n`;
}

function removed(kept: Memory, { operands: ids, flags }: Parsed): string {
  const gone = ids.filter((id) => kept.remove(id));
  const unknown = ids.filter((id) => !gone.includes(id));
  if (unknown.length > 0) {
    const also = gone.length > 0 ? `; removed: ${gone.join(", ")}` : "";
    throw new UsageError(`memory rm: there is no fact ${either(unknown)} here${also}`);
  }
  if (flags.output !== "text") return json_line({ removed: gone });
  return `Removed: ${gone.join(", ")}\n`;
}
