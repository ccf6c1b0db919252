/** Replaces a file only if it is still the one that was looked at: a person may save it in that moment. */
import { AT_FDCWD } from "../sandbox/kernel/fcntl.ts";
import { lstat_or_null } from "../permission/paths.ts";
import type { Libc } from "../sandbox/kernel/libc.ts";

/** linux/fs.h. */
const RENAME_NOREPLACE = 1;
/** errno(3). */
const EEXIST = 17;

export class ChangedSince extends Error {}

/**
 * Gives `made`, in the same folder, the name of `full`, which is looked at just before. To exchange the two names and to look then would
 * miss no save at all, but editors that watch by `@parcel/watcher` (VS Code) hear of no change after an exchange (measured with 2.6.0).
 *
 * @param is_seen whether `full` has what was looked at; null: nothing was there
 * @throws {ChangedSince} where something else is there: it stays, and `made` is as it was
 */
export function take_place(
  made: string,
  full: string,
  { libc, is_seen }: { libc: Libc | null; is_seen: (() => boolean) | null },
): void {
  if (is_seen === null) {
    if (libc?.call("renameat2", [AT_FDCWD, made, AT_FDCWD, full, RENAME_NOREPLACE]) === 0) return;
    if (libc?.errno() === EEXIST || lstat_or_null(full) !== null) throw new ChangedSince();
  } else if (!is_seen()) throw new ChangedSince();
  Deno.renameSync(made, full);
}
