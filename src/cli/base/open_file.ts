import { is_inside, real_or_null } from "../../config/paths.ts";
import { message_of } from "../../config/text.ts";
import { follow, look } from "../../permission/paths.ts";
import { UsageError } from "./usage_error.ts";

/**
 * Opens the file of a flag to be written, a log at its end. Throws `UsageError` for what can't be opened, for a pipe, which would
 * wait for a reader, and for a link in the workspace: whoever put it there says what is written where.
 */
export function open_file(
  flag: "--log-file" | "-o" | "--junit" | "--code-quality" | "--artifacts",
  { path, workspace }: { readonly path: string; readonly workspace: string },
): Deno.FsFile {
  const refuse = (why: string) => new UsageError(`${flag} ${path}: ${why}`);
  const info = look(path);
  if (info?.isSymlink && is_inside(folder_of(path), workspace)) {
    throw refuse("a link in the workspace; name the file itself");
  }
  const target = info?.isSymlink ? follow(path) : info;
  if (target !== null && !target.isFile && !target.isCharDevice && !path.startsWith("/dev/")) {
    throw refuse("not a regular file");
  }
  try {
    const append = flag === "--log-file";
    return Deno.openSync(path, { create: true, ...(append ? { append } : { write: true }) });
  } catch (error) {
    throw refuse(message_of(error));
  }
}

function folder_of(path: string): string {
  const folder = path.includes("/") ? path.slice(0, path.lastIndexOf("/")) || "/" : ".";
  return real_or_null(folder) ?? "";
}
