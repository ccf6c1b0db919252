/** A command's view of the process: its streams and its environment. */
import { attempt } from "../../config/attempt.ts";
import { OutputError } from "../../config/error.ts";
import { type Environ, is_file, why } from "../../config/paths.ts";
import { sleep_sync } from "../../config/within.ts";

export interface Io {
  /** Writes to standard output, all of it, before it returns. A reader that went away is not an error. */
  out(text: string): void;
  /** Writes to standard error the same way; nothing that goes wrong there is an error. */
  err(text: string): void;
  /** Writes a line to standard error that GitHub Actions takes for a command; absent where nobody does. */
  command?(line: string): void;
  /** One environment variable; the empty string counts as not set. */
  env(name: string): string | undefined;
  environ(): Environ;
}

/** How long to wait for a reader that does not keep up, in milliseconds, before trying again. */
const FULL_PIPE_WAIT_MS = 2;

/** Set by services that read commands from a log: GitHub Actions and its like, Azure Pipelines, TeamCity. */
const CI_LOGS = ["GITHUB_ACTIONS", "TF_BUILD", "TEAMCITY_VERSION"];
const STDOUT = "/dev/stdout";

/** What a log for people is made of besides text: colors, and a live line that is written again. All else could steer a terminal. */
const CONTROLS =
  /\p{Cc}\[[\d;]*m|\r(?:\n|\p{Cc}\[K)|[\p{Cc}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;
const KEPT = ["\n", "\t", "\r\n", "\r\x1b[K"];

/** Text in which no control character is left but what `hamr` itself uses; nor one that turns the direction of writing. */
export function without_controls(text: string): string {
  return text.replace(
    CONTROLS,
    (found) =>
      KEPT.includes(found) || found.startsWith("\x1b[") ? found : found.replace(/[^[\d;mK]/g, ""),
  );
}

/** `::` where a line begins (the service trims more than we call blank), and `##[`, `##vso[`, `##teamcity[` anywhere in it. */
const COMMANDS = /((?:^|[\r\n])(?:[^\S\r\n]|\x85)*:)(?=:)|(##[a-z]*)(?=\[)/g;
/** How one may have begun where a text ends: behind nothing but blanks, or by its name, none of which is as long as that. */
const BEGUN = /(?:^|[\r\n])(?:[^\S\r\n]|\x85)*(:?)$|(##?[a-z]{0,20})$/;
const ZERO_WIDTH = "\u200b";

/** Puts a zero-width space into what a CI service would take for its commands. GitHub's own switch needs the order of stdout and stderr. */
export function unlike_commands(): (text: string) => string {
  let begun = "";
  return (text) => {
    const all = begun + text;
    const shown = all.replace(COMMANDS, `$1$2${ZERO_WIDTH}`).slice(begun.length);
    const end = BEGUN.exec(all);
    begun = end?.[1] ?? end?.[2] ?? "x";
    return shown;
  };
}

/** A stream of the process, such as `Deno.stdout`. */
interface Sink {
  writeSync(bytes: Uint8Array): number;
}

/** Holds what was left out of the environment of this start (`once_more`). */
export const LEFT_OUT = "HAMR_LEFT_OUT";

function take_back_left_out(): void {
  const text = Deno.env.get(LEFT_OUT);
  if (text === undefined) return;
  Deno.env.delete(LEFT_OUT);
  // Not by a start of ours: nothing was left out.
  attempt(() => {
    for (const [name, value] of Object.entries(JSON.parse(text))) Deno.env.set(name, String(value));
  });
}

/** The streams and the environment of this process: each text is made harmless for what reads it. */
export function process_io(): Io {
  take_back_left_out();
  const out = writer(Deno.stdout, { quiet: false });
  const err = writer(Deno.stderr, { quiet: true });
  const is_log = CI_LOGS.some((name) => Deno.env.get(name));
  const log_out = is_log && !is_file(STDOUT) ? unlike_commands() : null;
  const log_err = is_log ? unlike_commands() : (text: string) => text;
  return {
    out: log_out !== null
      ? (text) => out(log_out(without_controls(text)))
      : Deno.stdout.isTerminal()
      ? (text) => out(without_controls(text))
      : out,
    err: (text) => err(log_err(without_controls(text))),
    ...(Deno.env.get("GITHUB_ACTIONS")
      ? { command: (line: string) => err(`${without_controls(line)}\n`) }
      : {}),
    env: (name) => Deno.env.get(name) || undefined,
    environ: () => Deno.env.toObject(),
  };
}

/** Writes a text completely, also to a pipe that someone made non-blocking. Does nothing once the reader is gone. `quiet`: never throws. */
export function writer(sink: Sink, options: { quiet: boolean }): (text: string) => void {
  const encoder = new TextEncoder();
  let closed = false;
  return (text) => {
    let rest = encoder.encode(text);
    while (!closed && rest.length > 0) {
      try {
        rest = rest.subarray(sink.writeSync(rest));
      } catch (error) {
        if (error instanceof Deno.errors.WouldBlock) {
          sleep_sync(FULL_PIPE_WAIT_MS);
        } else if (error instanceof Deno.errors.Interrupted) {
          continue;
        } else if (error instanceof Deno.errors.BrokenPipe || options.quiet) {
          closed = true;
        } else {
          throw new OutputError(`standard output can't be written: ${why(error)}`);
        }
      }
    }
  };
}
