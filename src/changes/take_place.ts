/** How a file that is put back takes its place: only from what was looked at, as a person may save it in that moment. */
import { node_fs } from "../config/node.ts";
import { look } from "../permission/paths.ts";
import type { Libc } from "../sandbox/kernel/libc.ts";

const AT_FDCWD = -100;
/** linux/fs.h. */
const RENAME_NOREPLACE = 1, RENAME_EXCHANGE = 2;
/** errno(3). */
const EEXIST = 17;

/** What was looked at is not what is there. */
export class ChangedSince extends Error {}

/**
 * Gives `made`, in the same folder, the name of `full`. Both names change at once, and what had the name is looked at only then, when nobody can save to it by its
 * name anymore. Where the system or the disk can't do that (macOS, NFS, many of FUSE's), it is looked at just before.
 *
 * @param is_seen whether a path has what was looked at; null: nothing was there
 * @throws {ChangedSince} where something else is there: it stays, and `made` is as it was
 */
export function take_place(
  made: string,
  full: string,
  { libc, is_seen }: {
    readonly libc: Libc | null;
    readonly is_seen: ((path: string) => boolean) | null;
  },
): void {
  const renamed = (flag: number) =>
    libc?.call("renameat2", [AT_FDCWD, made, AT_FDCWD, full, flag]) === 0;
  if (is_seen === null) {
    if (renamed(RENAME_NOREPLACE)) return;
    if (libc?.errno() === EEXIST) throw new ChangedSince();
  } else if (renamed(RENAME_EXCHANGE)) {
    let same = false;
    try {
      same = is_seen(made);
    } finally {
      if (!same) renamed(RENAME_EXCHANGE);
    }
    if (same) return node_fs().unlinkSync(made);
    throw new ChangedSince();
  }
  if (is_seen === null ? look(full) !== null : !is_seen(full)) throw new ChangedSince();
  node_fs().renameSync(made, full);
}
