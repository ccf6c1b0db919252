/** `hamr acp`: for editors. */
import { load_settings } from "../app/settings.ts";
import { AcpServer } from "./acp/mux.ts";
import type { Parsed } from "./args/args.ts";
import type { Io } from "./base/io.ts";
import { agented, with_texts } from "./run.ts";

/** Serves until the editor has gone; returns the exit code. Throws `ConfigError` for settings that can't be used. */
export async function acp(given: Parsed, io: Io): Promise<number> {
  const parsed = await agented(given, io);
  // What is wrong with them is said here, before an editor waits for an answer.
  const flags = await with_texts(parsed.flags, await load_settings(parsed, io));
  if (Deno.stdin.isTerminal()) {
    io.err(
      "hamr: an editor speaks to hamr acp on standard input, see hamr help editors; Ctrl-D ends it\n",
    );
  }
  return await new AcpServer({ ...parsed, flags }, io).serve();
}
