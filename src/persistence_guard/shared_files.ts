/** Hard links: a file of Git's that also has another name, such as `.envrc`, would change with it. So it gets a copy of its own. */
import { message_of } from "../config/text.ts";
import { put_back } from "./put_back.ts";
import { file_at, type SharedFile } from "./thing.ts";

/** Reflogs and packed refs are smaller. */
const MOST_BYTES = 64 * 1024 * 1024;

/** Those that were so before the run stay. */
export class SharedFiles {
  #before: ReadonlyMap<string, number> = new Map();

  know(files: Iterable<SharedFile>): void {
    this.#before = new Map([...files].map(({ path, inode }) => [path, inode]));
  }

  /** Gives all others a file of their own; says which could not be, null if none. */
  separate(files: Iterable<SharedFile>): string | null {
    for (const { path, inode } of files) {
      if (this.#before.get(path) === inode) continue;
      try {
        put_back(path, file_at(path, MOST_BYTES));
      } catch (error) {
        return `${path} has another name by now (a hard link), and what is written there ` +
          `later is written here: ${message_of(error)}`;
      }
    }
    return null;
  }
}
