/** Folders through Deno's own calls, for systems other than Linux: a folder is the number of its path. */
import { at_end, attempt } from "../config/attempt.ts";
import { node_fs } from "../config/node.ts";
import {
  CTIME,
  CTIME_NS,
  DENO_TICK_MS,
  EMPTY,
  FILE_TYPE,
  type FolderListing,
  type Folders,
  INODE,
  LINK,
  MODE,
  MODE_BITS,
  MTIME,
  MTIME_NS,
  type ReadPlan,
  SIZE,
} from "./folders.ts";

/** Read at once. */
const CHUNK_BYTES = 1024 * 1024;

export class PlainFolders implements Folders {
  readonly tick_ms = DENO_TICK_MS;
  readonly #paths = new Map<number, string>();
  #next = 0;

  open(parent: number | null, name: Uint8Array<ArrayBuffer>): number {
    const path = this.#path(parent, name);
    try {
      if (!Deno.lstatSync(path).isDirectory) return -1;
    } catch {
      return -1;
    }
    this.#paths.set(this.#next, path);
    return this.#next++;
  }

  close(folder: number): void {
    this.#paths.delete(folder);
  }

  list(folder: number): FolderListing | null {
    return attempt(() => {
      const entries = [...Deno.readDirSync(this.#path(folder, EMPTY))];
      const block = (some: readonly Deno.DirEntry[]) =>
        new TextEncoder().encode(some.map(({ name }) => `${name}\0`).join(""));
      return {
        files: block(entries.filter(({ isFile, isSymlink }) => isFile || isSymlink)),
        folders: block(entries.filter(({ isDirectory }) => isDirectory)),
      };
    }, null);
  }

  stat(folder: number | null, name: Uint8Array<ArrayBuffer>, into: Uint32Array): boolean {
    return attempt(() => {
      const { size, ino, mode, mtime, ctime } = Deno.lstatSync(this.#path(folder, name));
      into[MODE] = ((mode ?? 0) & MODE_BITS) + ((Math.floor(size / 2 ** 32) << 16) >>> 0);
      into[INODE] = (ino ?? 0) % 2 ** 32;
      into[SIZE] = size % 2 ** 32;
      [into[CTIME], into[CTIME_NS]] = seconds(ctime);
      [into[MTIME], into[MTIME_NS]] = seconds(mtime);
      return true;
    }, false);
  }

  born(folder: number | null, name: Uint8Array<ArrayBuffer>): number | null {
    return attempt(() => {
      const { birthtime, nlink } = Deno.lstatSync(this.#path(folder, name));
      return nlink === 1 ? birthtime?.getTime() ?? null : null;
    }, null);
  }

  read(folder: number, name: Uint8Array<ArrayBuffer>, { mode, size, take }: ReadPlan): boolean {
    const path = this.#path(folder, name);
    try {
      if ((mode & FILE_TYPE) === LINK) {
        take(new TextEncoder().encode(Deno.readLinkSync(path)).subarray(0, size));
        return true;
      }
      const { O_RDONLY, O_NONBLOCK, O_NOFOLLOW } = node_fs().constants;
      const fd = node_fs().openSync(path, O_RDONLY | O_NONBLOCK | O_NOFOLLOW);
      using _ = at_end(() => node_fs().closeSync(fd));
      const chunk = new Uint8Array(Math.min(size, CHUNK_BYTES));
      for (let left = size; left > 0;) {
        const got = node_fs().readSync(fd, chunk, 0, Math.min(left, chunk.length), null);
        if (got === 0) break;
        take(chunk.subarray(0, got));
        left -= got;
      }
      return true;
    } catch {
      return false;
    }
  }

  remove(folder: number, name: Uint8Array<ArrayBuffer>): boolean {
    return attempt(() => {
      node_fs().unlinkSync(this.#path(folder, name));
      return true;
    }, false);
  }

  #path(folder: number | null, name: Uint8Array): string {
    const own = new TextDecoder().decode(name.subarray(0, name.indexOf(0)));
    const above = folder === null ? "" : this.#paths.get(folder) ?? "";
    return folder === null ? own : own === "" ? above : `${above === "/" ? "" : above}/${own}`;
  }
}

function seconds(time: Date | null): [number, number] {
  const ms = time?.getTime() ?? 0;
  return [Math.floor(ms / 1000), (ms % 1000) * 1e6];
}
