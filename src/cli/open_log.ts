import { is_inside, real_or_null } from "../config/paths.ts";
import { message_of } from "../config/text.ts";
import { follow, look } from "../permission/paths.ts";
import { UsageError } from "./args.ts";

/**
 * Opens the file of `--log-file` to write at its end. Throws `UsageError` for what can't be opened, for a pipe, which would wait
 * for a reader, and for a link in the workspace: whoever put it there says what is written where.
 */
export function open_log(path: string, workspace: string): Deno.FsFile {
  const refuse = (why: string) => new UsageError(`--log-file ${path}: ${why}`);
  const info = look(path);
  if (info?.isSymlink && is_inside(folder_of(path), workspace)) {
    throw refuse("a link in the workspace; name the file itself");
  }
  const target = info?.isSymlink ? follow(path) : info;
  if (target !== null && !target.isFile && !target.isCharDevice && !path.startsWith("/dev/")) {
    throw refuse("not a regular file");
  }
  try {
    return Deno.openSync(path, { append: true, create: true });
  } catch (error) {
    throw refuse(message_of(error));
  }
}

function folder_of(path: string): string {
  const folder = path.includes("/") ? path.slice(0, path.lastIndexOf("/")) || "/" : ".";
  return real_or_null(folder) ?? "";
}
