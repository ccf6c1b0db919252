import { message_of } from "../config/text.ts";
import { tokens_in } from "../context/estimate.ts";
import { RUBRIC_SHARE } from "../gates/evidence.ts";
import type { Endpoint } from "../model/provider.ts";
import { UsageError } from "./args.ts";
import { StartError } from "./error.ts";

/** A rubric of this size takes an eighth of a window of 128k tokens; nobody writes a longer one. */
const MOST_BYTES = 64 * 1024;

/**
 * The rubric that `--rubric TEXT` or `--rubric @FILE` gives; a file is looked for from the current folder, as with all
 * flags. Throws `UsageError` where there is none, where it is too long, or what is named is no text file; a pipe would
 * wait for its writer.
 */
export function read_rubric(given: string): string {
  const text = given.startsWith("@") ? text_of(given.slice(1)) : given;
  const size = new TextEncoder().encode(text).length;
  if (size > MOST_BYTES) throw new UsageError(`--rubric: ${too_long(size)}`);
  if (text.trim() === "") throw new UsageError(`--rubric ${given}: it is empty`);
  return text.trim();
}

/** Throws `StartError` where a known window has no room for the rubric beside what is to be held against it. */
export function refuse_long_rubric(
  endpoint: Pick<Endpoint, "model" | "context_window" | "window_known" | "window_source">,
  rubric: string,
): void {
  const needed = tokens_in(rubric);
  const most = Math.floor(endpoint.context_window * RUBRIC_SHARE);
  if (!endpoint.window_known || needed <= most) return;
  throw new StartError(
    `--rubric: it takes about ${needed} tokens, but the window of ${endpoint.model} ` +
      `(${endpoint.context_window} tokens, ${endpoint.window_source}) has room for ${most} beside ` +
      "the work: shorten it, or load the model with a larger context",
  );
}

function text_of(path: string): string {
  const refuse = (why: string) => new UsageError(`--rubric @${path}: ${why}`);
  if (path === "") throw refuse("name a file after the @");
  try {
    const { isFile, size } = Deno.statSync(path);
    if (!isFile) throw refuse("not a regular file");
    if (size > MOST_BYTES) throw refuse(too_long(size));
    return new TextDecoder("utf-8", { fatal: true }).decode(Deno.readFileSync(path));
  } catch (error) {
    if (error instanceof UsageError) throw error;
    if (error instanceof TypeError) throw refuse("not a text in UTF-8");
    throw refuse(message_of(error));
  }
}

function too_long(size: number): string {
  return `it has ${size} bytes, more than the ${MOST_BYTES} that a rubric may have`;
}
