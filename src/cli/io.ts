/** What a command sees of the process: its streams and its environment. */
import type { Environ } from "../config/paths.ts";

/** Streams and environment of a command. */
export interface Io {
  /** Writes to standard output, all of it, before it returns. A reader that went away is no error. */
  out(text: string): void;
  /** Writes to standard error likewise; nothing that goes wrong there is an error. */
  err(text: string): void;
  /** One environment variable; the empty string counts as not set. */
  env(name: string): string | undefined;
  /** The whole environment. */
  environ(): Environ;
}

/** How long to wait for a reader that does not keep up, in milliseconds, before trying again. */
const FULL_PIPE_WAIT_MS = 2;

/** A stream of the process, such as `Deno.stdout`. */
interface Sink {
  writeSync(bytes: Uint8Array): number;
}

/** The streams and the environment of this process. */
export function process_io(): Io {
  return {
    out: writer(Deno.stdout, { quiet: false }),
    err: writer(Deno.stderr, { quiet: true }),
    env: (name) => Deno.env.get(name) || undefined,
    environ: () => Deno.env.toObject(),
  };
}

/**
 * A function that writes a text completely: over partial writes, and over a pipe that somebody else made
 * non-blocking. Once the reader is gone it does nothing. With `quiet`, no other error gets out either.
 */
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
          Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, FULL_PIPE_WAIT_MS);
        } else if (error instanceof Deno.errors.Interrupted) {
          continue;
        } else if (error instanceof Deno.errors.BrokenPipe || options.quiet) {
          closed = true;
        } else {
          throw error;
        }
      }
    }
  };
}
