/** Tells which files that come into sight are older than the run: a move keeps the inode. */
import { lstat_or_null as stat_of } from "../permission/paths.ts";
import type { Different } from "./look_types.ts";
import { identity, INODE } from "./folders.ts";

const MOST_MADE = 20_000;

/** What is not from before the run, though it may be older than the first look, by inodes. */
export class FileAges {
  readonly #known = new Set<number>();

  /** `session`: files that earlier runs of the session have made in ignored places. */
  constructor(private readonly session = new Set<string>()) {}

  /** A command of this run has made them there. */
  made(identities: readonly string[]): void {
    // What is forgotten is taken for older.
    if (this.session.size > MOST_MADE) this.session.clear();
    for (const one of identities) this.session.add(one);
  }

  /** Files are no longer where they were seen: a new one with one of these inodes came from there. */
  left(inodes: readonly number[]): void {
    for (const inode of inodes) this.#known.add(inode);
  }

  /** Lets `act` write a file: what it makes is the run's, in ignored places too, where nobody looks; what it changes is not. */
  async written<T>(real: string, act: () => T): Promise<Awaited<T>> {
    const old = stat_of(real);
    // The inode of what is replaced is free for another file.
    const is_own = old === null || this.#known.delete(inode_of(old));
    const done = await act();
    const now = is_own ? stat_of(real) : null;
    if (now !== null) {
      this.#known.add(inode_of(now));
      if (now.birthtime) this.session.add(identity(inode_of(now), now.birthtime.getTime()));
    }
    return done;
  }

  is_before(file: Different): boolean {
    const inode = file.place.looks[file.place.at + INODE]!;
    return file.older && !this.#known.has(inode) &&
      (file.born === null || !this.session.has(identity(inode, file.born)));
  }
}

function inode_of({ ino }: Deno.FileInfo): number {
  return (ino ?? 0) % 2 ** 32;
}
