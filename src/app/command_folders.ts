/** Temporary folders for commands that run something at once. */
import { or_throw } from "../config/attempt.ts";
import { StartError } from "../config/error.ts";
import { why } from "../config/paths.ts";

export function no_folder(error: unknown): StartError {
  return new StartError(
    `can't create a temporary folder: ${why(error)}; set TMPDIR to a writable folder`,
  );
}

/** A new temporary folder, its real path. Throws `StartError` where none can be made. */
export function temporary_folder(prefix: string): string {
  return or_throw(() => Deno.realPathSync(Deno.makeTempDirSync({ prefix })), no_folder);
}
