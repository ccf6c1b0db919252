/** `hamr resume`, and `run` with --continue or --resume: continues a saved session. */
import { type Fork, reopen } from "../app/reopen.ts";
import type { Resumed } from "../app/run_options.ts";
import type { Parsed } from "./args/args.ts";
import type { Io } from "./base/io.ts";

/** A word that can only be an id, the beginning of one, or one that was mistyped. */
const ID = /^(?:(?=.*\d)[0-9a-f][0-9a-f-]{3,35}|(?=(?:\D*\d){3})[0-9a-z]{8}(?:-[0-9a-z-]*)?)$/i;

/** Which session is to go on, and what the user says more; empty for nothing. */
interface WantedSession {
  /** Null: the newest of the workspace. */
  readonly id: string | null;
  readonly more: string;
}

type Perform = (
  parsed: Parsed,
  io: Io,
  more: { readonly task: string; readonly resumed: Resumed },
) => Promise<number>;

/** Which session the operands of `resume` mean, null for the newest, and what they say more; `-` is standard input. */
export function wanted_of(
  operands: readonly string[],
): { readonly id: string | null; readonly words: readonly string[] } {
  const [first, second = "-"] = operands;
  if (first === undefined) return { id: null, words: [] };
  // An empty word is a variable that holds no id: the newest session was not meant.
  return ID.test(first) || second !== "-" || first.trim() === ""
    ? { id: first, words: operands.slice(1) }
    : { id: null, words: operands };
}

/** Goes on with a session; returns the exit code. Throws `StartError`, `UsageError` and `ConfigError`. */
export async function resume_session(
  parsed: Parsed,
  io: Io,
  { id, more, fork = null, perform }: WantedSession & { fork?: Fork | null; perform: Perform },
): Promise<number> {
  const tell = (line: string) => io.err(`hamr: ${line}\n`);
  const { flags, overrides, resumed, give_up } = await reopen(parsed, io, {
    id,
    said: more,
    tell,
    fork,
  });
  try {
    return await perform({ ...parsed, flags, overrides }, io, { task: more, resumed });
  } catch (error) {
    // No run has begun that could say it.
    give_up().forEach(tell);
    throw error;
  }
}
