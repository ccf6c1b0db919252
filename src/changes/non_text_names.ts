/** Files whose names are not text: their content is not kept, but that they appeared, changed or went can be said. */
import { same_looks, STAT_WORDS, text_of_name } from "./folders.ts";

type Name = Uint8Array<ArrayBuffer>;

/** They are named, and nobody reads more. */
const MOST = 1000;

export class NonTextNames {
  /** By folder: the names of files, as the calls take them, and how each looked; null: it has just come. */
  readonly #files = new Map<string, { readonly name: Name; looks: Uint32Array | null }[]>();
  readonly #folders = new Set<string>();
  #count = 0;
  #told = new Set<string>();

  /** A folder has been listed: what is in it is not looked at. */
  folder(path: string): false {
    if (!this.#folders.has(path) && this.#folders.size < MOST) {
      this.#folders.add(path);
      this.#told.add(path);
    }
    return false;
  }

  file(folder: string, name: Name): false {
    const files = this.#files.get(folder) ?? [];
    const key = name.toHex();
    if (this.#count === MOST || files.some((file) => file.name.toHex() === key)) return false;
    this.#count++;
    this.#files.set(folder, [...files, { name, looks: null }]);
    return false;
  }

  look(folder: string, stat: (name: Name, into: Uint32Array) => boolean): void {
    const files = this.#files.get(folder);
    if (files === undefined) return;
    const left = files.filter((file) => {
      const words = new Uint32Array(STAT_WORDS);
      const is_there = stat(file.name, words);
      if (!is_there || file.looks === null || !same_looks(file.looks, 0, words)) {
        this.#told.add(folder + text_of_name(file.name));
      }
      file.looks = words;
      return is_there;
    });
    this.#count -= files.length - left.length;
    if (left.length === 0) this.#files.delete(folder);
    else this.#files.set(folder, left);
  }

  /** What there is to say since the last time. */
  take(): readonly string[] {
    const told = [...this.#told];
    this.#told = new Set();
    return told;
  }
}
