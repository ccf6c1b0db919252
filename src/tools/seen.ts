import { is_gone } from "../config/paths.ts";

export interface Outdated {
  /** As the model knows it. */
  readonly path: string;
  /** Number of the change; a later one, of whichever file, has a higher number. */
  readonly change: number;
  readonly gone: boolean;
}

interface SeenFile {
  known: string;
  last: string;
  /** Changes found, and the number of the last one. */
  changes: number;
  change: number;
}

/** Files that are looked after: a look at each takes some microseconds after every call. */
const MOST_WATCHED = 200;
/** How many changes of one file are reported until it is read again: a growing log is no news after that. */
const MOST_CHANGES = 3;
const GONE = "gone";

/** Which files the model has read, by real path, and how they have changed since then. */
export class Seen {
  readonly #files = new Map<string, SeenFile>();
  /** The files read last, the latest at the end. */
  readonly #watched = new Map<string, SeenFile>();
  /** Higher than in any run before, so that one that is resumed is not told twice and not too little. */
  #change = Date.now();

  /** The model knows the content of this file: as it is now, or as it looked when it was opened. */
  note(real: string, looks: string = look(real)): void {
    const sight = { known: looks, last: looks, changes: 0, change: 0 };
    this.#files.set(real, sight);
    this.#watched.delete(real);
    this.#watched.set(real, sight);
    if (this.#watched.size <= MOST_WATCHED) return;
    for (const oldest of this.#watched.keys()) {
      this.#watched.delete(oldest);
      return;
    }
  }

  /** Whether the model has read this file, and whether it is still as it was then. */
  state(real: string): "never" | "changed" | "same" {
    const sight = this.#files.get(real);
    if (sight === undefined) return "never";
    return this.#look(real, sight) ? "same" : "changed";
  }

  /** A change of our own to a file that had changed before: nothing new to tell. Asked for `state` just before. */
  rewrote(real: string): void {
    const sight = this.#files.get(real);
    if (sight !== undefined) sight.last = look(real);
  }

  /** A command has run that names these files: what became of them is no news. `outdated` was asked just before it. */
  told(command: string): void {
    const words = new Set(
      command.split(/[\s'"`=:;|&<>()]+/).map((word) => word.slice(word.lastIndexOf("/") + 1)),
    );
    for (const [path, sight] of this.#watched) {
      if (words.has(path.slice(path.lastIndexOf("/") + 1))) sight.last = look(path);
    }
  }

  /** A command is about to run. Asked again when it has ended: a file that it rewrote with the same content is as the model knows it, if it was before. */
  around(): () => (real: string) => void {
    const known = this.#known();
    return () => {
      this.outdated();
      return (real) => {
        const sight = this.#watched.get(real);
        // What has changed since then may hold something else.
        if (known.has(real) && sight?.last === look(real)) sight.known = sight.last;
      };
    };
  }

  #known(): ReadonlySet<string> {
    const same = [...this.#watched].filter(([path, sight]) => this.#look(path, sight));
    return new Set(same.map(([path]) => path));
  }

  /** The files that have changed since they were read, by real path. */
  outdated(): Outdated[] {
    const found: Outdated[] = [];
    for (const [path, sight] of this.#watched) {
      if (this.#look(path, sight)) continue;
      found.push({ path, change: sight.change, gone: sight.last === GONE });
    }
    return found;
  }

  #look(real: string, sight: SeenFile): boolean {
    const now = look(real);
    if (now !== sight.last) {
      sight.last = now;
      if (sight.changes++ < MOST_CHANGES) sight.change = ++this.#change;
    }
    return now === sight.known;
  }
}

/** How a file looks: while this is the same, so is its content. */
export function content_looks(
  { ino, size, mtime, ctime }: Pick<Deno.FileInfo, "ino" | "size" | "mtime" | "ctime">,
): string {
  // Deno tells it in whole seconds (2.6.10, 2.9.6), the kernel not.
  const changed = Math.floor((ctime?.getTime() ?? 0) / 1000);
  return `${ino}:${size}:${mtime?.getTime()}:${changed}`;
}

/** Deno's own call takes 2 µs, node:fs 5 (measured): there may be many files. */
function look(real: string): string {
  try {
    return content_looks(Deno.statSync(real));
  } catch (error) {
    return is_gone(error) ? GONE : "hidden";
  }
}
