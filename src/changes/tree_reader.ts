/** Reads files below a folder by raw calls. */
import { type Folders, name_bytes, type ReadPlan } from "./folders.ts";

/** Reads one file after the other; the folder of the last one stays open, as the next is often beside it. */
export class TreeReader {
  #folder: { readonly path: string; readonly fd: number } | null = null;

  /** `top`: absolute. */
  constructor(private readonly top: string, private readonly raw: Folders) {}

  /** Reads a file, its path relative to the top; false if it cannot be read. Its folder stays open until `release`. */
  read(path: string, how: ReadPlan): boolean {
    const slash = path.lastIndexOf("/") + 1;
    const folder = path.slice(0, slash);
    if (this.#folder?.path !== folder) {
      this.release();
      this.#folder = { path: folder, fd: this.#open(folder) };
    }
    const { fd } = this.#folder;
    return fd >= 0 && this.raw.read(fd, name_bytes(path.slice(slash)), how);
  }

  release(): void {
    const { fd } = this.#folder ?? { fd: -1 };
    if (fd >= 0) this.raw.close(fd);
    this.#folder = null;
  }

  /** Name by name: none of the folders above may be a link. */
  #open(folder: string): number {
    const { raw } = this;
    let fd = raw.open(null, name_bytes(this.top));
    for (const name of folder.split("/").slice(0, -1)) {
      if (fd < 0) return fd;
      const inner = raw.open(fd, name_bytes(name));
      raw.close(fd);
      fd = inner;
    }
    return fd;
  }
}
