/** The task: from the arguments, and from standard input if that is requested. */
import type { Io } from "./base/io.ts";
import { attempt } from "../config/attempt.ts";
import { marked_encoding } from "../config/encoding.ts";
import { why } from "../config/paths.ts";
import type { Flags } from "../app/flags.ts";
import { signals_of_run } from "./base/signals.ts";
import { StartError, UsageError } from "../config/error.ts";

/** More than this is not a task: no model has a window for it. */
const TASK_BYTES = 64 * 1024 * 1024;

interface Reading extends Pick<Flags, "steer" | "quiet"> {
  readonly io: Pick<Io, "err">;
}

/** The task. stdin is read only for `-`, or without a task off a terminal, so that an open pipe never hangs a job. Throws a `UsageError`. */
export async function read_task(
  operands: readonly string[],
  { steer, quiet, io }: Reading,
): Promise<string> {
  const words = operands.filter((word) => word !== "-");
  if (steer && (operands.includes("-") || words.length === 0)) {
    throw new UsageError("--steer needs standard input for itself: give the task as an argument");
  }
  if (operands.includes("-") && Deno.stdin.isTerminal() && !quiet) {
    io.err("hamr: type the input, then Ctrl-D\n");
  }
  const piped = operands.includes("-") || (words.length === 0 && !Deno.stdin.isTerminal());
  if (!piped && !steer && !quiet && leaves_pipe_unread()) {
    io.err("hamr: standard input is not read; a - behind the task gives it to the model\n");
  }
  const parts = [words.join(" "), ...(piped ? [await read_stdin()] : [])];
  const task = parts.map((part) => part.trim()).filter((part) => part !== "").join("\n\n");
  if (task === "") throw new UsageError('no task given: hamr run "your task"');
  return task;
}

/** Whether a person at a terminal has piped something in; a job often has a pipe there that means nothing. */
function leaves_pipe_unread(): boolean {
  return Deno.stderr.isTerminal() && !Deno.stdin.isTerminal() &&
    attempt(() => Deno.statSync("/dev/stdin").isFifo === true, false);
}

/** What the user says more to a session that goes on: standard input is read only where `-` stands. Empty for nothing. */
export async function read_more(operands: readonly string[], reading: Reading): Promise<string> {
  return operands.length === 0 ? "" : await read_task(operands, reading);
}

/** What is piped may come slowly: a signal ends the wait as it ends a run, with a result. Throws a `StartError` then. */
async function read_stdin(): Promise<string> {
  const signals = signals_of_run(() => {});
  signals.attach();
  const reader = Deno.stdin.readable.getReader();
  const stop = () => void reader.cancel().catch(() => {});
  signals.interrupt.addEventListener("abort", stop);
  try {
    const text = await text_of(reader);
    if (!signals.interrupt.aborted) return text;
    throw new StartError("interrupted while standard input was read", "user_interrupt");
  } finally {
    signals.release();
    reader.releaseLock();
  }
}

async function text_of(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<string> {
  let decoder: TextDecoder | undefined;
  let text = "";
  let bytes = 0;
  try {
    for (let read = await reader.read(); !read.done; read = await reader.read()) {
      const chunk = read.value;
      if ((bytes += chunk.length) > TASK_BYTES) {
        throw new UsageError(`the task on standard input is larger than ${TASK_BYTES} bytes`);
      }
      decoder ??= new TextDecoder(marked_encoding(chunk));
      text += decoder.decode(chunk, { stream: true });
    }
  } catch (error) {
    // A folder, or a stream that is open for writing only.
    throw error instanceof UsageError
      ? error
      : new UsageError(`standard input can't be read: ${why(error)}`);
  }
  return text + (decoder?.decode() ?? "");
}
