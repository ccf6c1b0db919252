/** Questions to the user, where there is one. Loaded by the first question. */
import type { AskPerson } from "../../permission/approval.ts";
import { ask_on, AskedLines } from "../../ui/question.ts";
import type { Io } from "./io.ts";

/** Longer than any answer; of a longer line, each piece is an answer. */
const LINE_BYTES = 1024;

/** Asks on stderr and reads from stdin if both are terminals; else `nobody`, so no job hangs. `screen.asking` is true meanwhile. */
export function terminal_ask(io: Pick<Io, "err">, screen: { asking: boolean }): AskPerson {
  if (!Deno.stdin.isTerminal() || !Deno.stderr.isTerminal()) return () => Promise.resolve("nobody");
  return ask_on({ write: io.err, read: read_line, asking: (now) => screen.asking = now });
}

/** Asks for a yes; null if there is nobody to ask. The end of the input is a no, as is anything else; what was typed before is dropped. */
export async function confirmed(io: Pick<Io, "err">, question: string): Promise<boolean | null> {
  if (!Deno.stdin.isTerminal() || !Deno.stderr.isTerminal()) return null;
  const lines = new AskedLines(read_line);
  await lines.drop();
  io.err(`${question} [y]es, [n]o: `);
  return /^\s*y(es)?\s*$/i.test(await lines.next() ?? "");
}

async function read_line(): Promise<string | null> {
  const buffer = new Uint8Array(LINE_BYTES);
  const length = await Deno.stdin.read(buffer);
  return length === null ? null : new TextDecoder().decode(buffer.subarray(0, length));
}
