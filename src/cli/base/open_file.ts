import { is_inside, real_or_null } from "../../config/paths.ts";
import { message_of } from "../../config/text.ts";
import { follow, look } from "../../permission/paths.ts";
import { UsageError } from "./usage_error.ts";

/** A flag that names a file or folder to be written. */
export type FileFlag = "--log-file" | "-o" | "--junit" | "--code-quality" | "--artifacts";

/** A file of a flag, and the workspace of the run. */
export interface NamedFile {
  readonly path: string;
  readonly workspace: string;
}

/**
 * Opens the file of a flag to be written, a log at its end. Throws `UsageError` for what can't be opened, for a pipe, which would
 * wait for a reader, and for what `refuse_links` refuses.
 */
export function open_file(flag: FileFlag, named: NamedFile): Deno.FsFile {
  refuse_links(flag, named);
  const { path } = named;
  const refuse = (why: string) => new UsageError(`${flag} ${path}: ${why}`);
  const target = follow(path) ?? look(path);
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

/**
 * Throws `UsageError` where a link in the workspace is on the way to a path that hamr is to write: whoever put it there, the
 * repository or an earlier run, says what is written where.
 */
export function refuse_links(flag: FileFlag, { path, workspace }: NamedFile): void {
  let folder = path.startsWith("/") ? "/" : Deno.cwd();
  const parts = path.split("/").filter((part) => part !== "");
  for (const [nth, part] of parts.entries()) {
    const next = `${folder === "/" ? "" : folder}/${part}`;
    if (look(next)?.isSymlink && is_inside(folder, workspace)) {
      throw new UsageError(
        nth === parts.length - 1
          ? `${flag} ${path}: a link in the workspace; name the file itself`
          : `${flag} ${path}: ${part} is a link in the workspace; name the folder itself`,
      );
    }
    const real = real_or_null(next);
    // From here on nothing is there.
    if (real === null) return;
    folder = real;
  }
}

/** What became of a file that was open during a run, where it is not what `path` names anymore; null if it is. */
export function lost(file: Deno.FsFile, path: string): string | null {
  const [ours, there] = [file.statSync(), follow(path)];
  if (!ours.isFile || (there !== null && ours.dev === there.dev && ours.ino === there.ino)) {
    return null;
  }
  return there === null
    ? `${path} was removed during the run: what hamr wrote is gone with it`
    : `${path} was replaced during the run: what it holds is not from hamr`;
}
