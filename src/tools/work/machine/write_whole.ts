/** Writes the bytes of a file so that at every moment either the old or the new content is there. */
import { attempt } from "../../../config/attempt.ts";
import { same_bytes } from "../../../config/bytes.ts";
import { path } from "../../../config/path.ts";
import { ChangedSince, take_place } from "../../../changes/replace_file.ts";
import { replace_or_overwrite } from "../../../permission/given_attributes.ts";
import {
  is_for_its_place,
  overwrite,
  put_beside,
  write_on,
} from "../../../permission/put_beside.ts";
import { lstat_or_null } from "../../../permission/paths.ts";
import { linux_libc } from "../../../sandbox/kernel/libc.ts";
import { read_regular } from "../../../sandbox/kernel/read_inside.ts";

/**
 * Makes a file that is not there yet, and the folders above it; all of them or none.
 * @throws {ChangedSince} where there is one by now
 */
export function put_new(real: string, bytes: Uint8Array): void {
  const folder = path.dirname(real);
  const folders: string[] = [];
  for (let at = folder; at !== "/" && lstat_or_null(at) === null; at = path.dirname(at)) {
    folders.push(at);
  }
  try {
    Deno.mkdirSync(folder, { recursive: true });
    put_alone(real, bytes);
  } catch (error) {
    take_away(folders);
    throw error;
  }
}

/** Folders in which there is nothing, the innermost first. */
function take_away(folders: readonly string[]): void {
  // It has not come so far, or somebody has put something there.
  for (const folder of folders) attempt(() => Deno.removeSync(folder));
}

function put_alone(real: string, bytes: Uint8Array): void {
  try {
    beside(real, bytes, { old: null, seen: null });
  } catch (error) {
    if (!is_for_its_place(error)) throw error;
    make_there(real, bytes);
  }
}

/** Where nothing can be renamed: all of it, or no file. */
function make_there(real: string, bytes: Uint8Array): void {
  let file;
  try {
    file = Deno.openSync(real, { write: true, createNew: true });
  } catch (error) {
    throw error instanceof Deno.errors.AlreadyExists ? new ChangedSince() : error;
  }
  try {
    write_on(file, bytes);
  } catch (error) {
    Deno.removeSync(real);
    throw error;
  } finally {
    file.close();
  }
}

/**
 * Puts `bytes` in place of a file that has the content `seen`, with its owner and mode.
 * @throws {ChangedSince} where it has another one by now
 */
export function put_in_place(real: string, bytes: Uint8Array, seen: Uint8Array): void {
  replace_or_overwrite(real, {
    replace: () => beside(real, bytes, { old: Deno.statSync(real), seen }),
    overwrite() {
      if (!has_bytes(real, seen)) throw new ChangedSince();
      overwrite(real, bytes);
    },
  });
}

/** Writes a new file and gives it the name in one step. */
function beside(real: string, bytes: Uint8Array, { old, seen }: {
  old: Deno.FileInfo | null;
  /** What has the name; null if nothing has. */
  seen: Uint8Array | null;
}): void {
  const is_seen = seen && (() => has_bytes(real, seen));
  put_beside(real, (made) => {
    const mode = old === null ? 0o666 : (old.mode ?? 0) & 0o777;
    using file = Deno.openSync(made, { write: true, createNew: true, mode });
    write_on(file, bytes);
    if (old !== null) keep_owner_and_mode(made, old);
  }, (made) => take_place(made, real, { libc: linux_libc(), is_seen }));
}

/** Whether a file, and no link or pipe that somebody has put there, has this content. */
function has_bytes(file: string, seen: Uint8Array): boolean {
  return attempt(() => same_bytes(read_regular(file, seen.length), seen), false);
}

function keep_owner_and_mode(file: string, old: Deno.FileInfo): void {
  const now = Deno.statSync(file);
  if (now.uid !== old.uid || now.gid !== old.gid) Deno.chownSync(file, old.uid, old.gid);
  // Most have the mode that new files get.
  const [is, was] = [now, old].map(({ mode }) => (mode ?? 0) & 0o7777);
  if (is !== was && was !== undefined) Deno.chmodSync(file, was);
}
