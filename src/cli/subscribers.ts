/** Who hears every event of a run: the log for people, standard output, and a log file. */
import { attempt } from "../config/attempt.ts";
import type { Subscriber } from "../agent/events.ts";
import { human_log } from "../ui/human_log.ts";
import type { LogScreen } from "../ui/human_log_options.ts";
import { log_file } from "../ui/log_file.ts";
import type { Sink } from "../permission/put_beside.ts";
import { stdout_writer } from "../ui/output.ts";
import { signs_in_ascii } from "../ui/signs.ts";
import type { Flags } from "../app/flags.ts";
import type { Terminal } from "./base/colors.ts";
import type { Io } from "./base/io.ts";

/** Often enough for a CI service, which ends a job that is silent for ten minutes; seldom enough for its log (Qwen Code's choice). */
const HEARTBEAT_MS = 30_000;

/** Puts them up. What needs a right that the main thread gives up later is opened by the caller. */
export function subscribe(flags: Flags, options: {
  readonly io: Io;
  readonly terminal: Terminal;
  readonly screen: LogScreen;
  /** Open for appending, and who hears why it ends; null for none. */
  readonly log: { readonly file: Sink; readonly broke: (words: string) => void } | null;
}): Subscriber[] {
  const { io, screen, log, terminal: { dumb, ascii, colorless } } = options;
  // A runner that has a terminal, as act does, keeps lines for others to read, too.
  const at_terminal = Deno.stderr.isTerminal() && io.command === undefined;
  const terminal = Deno.stdout.isTerminal();
  const { quiet, very_verbose: requests } = flags;
  const verbose = flags.verbose || requests;
  return [
    human_log({
      write: at_terminal && ascii ? (text) => io.err(signs_in_ascii(text)) : io.err,
      quiet,
      verbose,
      requests,
      color: at_terminal && !colorless,
      width: width_of(at_terminal),
      live: at_terminal && !dumb,
      screen,
      heartbeat_ms: HEARTBEAT_MS,
    }),
    stdout_writer(flags.output, {
      write: io.out,
      terminal,
      streamed: terminal && at_terminal && !quiet,
      formed: flags.output_schema !== undefined,
    }),
    ...(log === null ? [] : [
      log_file(log.file, {
        broke: (why) => log.broke(`${flags.log_file} can't be written: ${why}`),
      }),
    ]),
  ];
}

/** Anything narrower is no real window. */
const LEAST_COLUMNS = 20;

/** Without a terminal nothing is wrapped: whoever reads a file or a CI log has a window of their own, and `grep` wants whole lines. */
function width_of(at_terminal: boolean): number {
  return attempt(() => {
    const columns = at_terminal ? Deno.consoleSize().columns : Infinity;
    // CI engines make terminals without a size, or with a letter's: that is nobody's window.
    return columns < LEAST_COLUMNS ? Infinity : columns;
  }, Infinity);
}
