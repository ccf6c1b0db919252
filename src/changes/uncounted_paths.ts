/** Paths that do not count as changes but that a command may have touched: ignored ones, and the run's own folders outside. */
import {
  FILE_TYPE,
  type Folders,
  identity,
  INODE,
  MODE,
  name_bytes,
  names_in_block,
  STAT_WORDS,
} from "./folders.ts";

/** A path that came, went or changed while a command ran, and is not a change: it is ignored, or is outside the workspace. */
export interface PathFact {
  readonly kind: "path";
  /** Relative to the workspace where it is inside. */
  readonly path: string;
  readonly became: "added" | "modified" | "deleted";
}

/** Where changes of a command were seen. `here`: the workspace but for ignored folders; `everywhere`: all it could reach; `in part`: less. */
export type Looked = "everywhere" | "here" | "in part";

/** Looked at in all, those further up first: what lies deeper in `node_modules` is not told. */
const MOST_PATHS = 1000;
const MOST_TOLD = 100;
const FOLDER = 0o040000;

export class UncountedPaths {
  #then: ReadonlyMap<string, string> = new Map();
  #came: readonly string[] = [];
  is_cut = false;

  constructor(private readonly raw: Folders) {}

  /** What has changed in and below `tops` since the last time, as absolute paths, folders with `/`. `first`: paths to look at first. */
  look(tops: readonly string[], first: readonly string[] = []): readonly PathFact[] {
    const then = this.#then;
    const now = this.#look([...first, ...[...tops].sort()]);
    this.#then = now;
    const files = [...now.keys()].filter((path) => !path.endsWith("/"));
    // Where not all were looked at, they may have been there all along.
    this.#came = then.size < MOST_PATHS ? files.filter((path) => !then.has(path)) : [];
    const found: PathFact[] = [];
    const add = (path: string, became: PathFact["became"]) => {
      // With a folder comes and goes what is in it.
      const above = became !== "modified" &&
        found.some((one) => one.became === became && is_above(one.path, path));
      if (!above && found.length < MOST_TOLD) found.push({ kind: "path", path, became });
    };
    for (const [path, looks] of now) {
      const old = then.get(path);
      if (old === undefined) {
        // Where not all are looked at, another one may come into sight that has always been there.
        if (then.size < MOST_PATHS) add(path, "added");
      } else if (old !== looks) add(path, "modified");
    }
    for (const path of then.keys()) {
      if (!now.has(path) && !this.#is_there(path)) add(path, "deleted");
    }
    // Where a folder changed only because of what is in it, that alone is reported.
    return found.filter(({ path, became }) =>
      became !== "modified" || !path.endsWith("/") ||
      !found.some((one) => one.path !== path && is_above(path, one.path))
    );
  }

  /** New files that were made since `begun` (milliseconds since 1970). */
  made(begun: number): readonly string[] {
    const { raw } = this;
    const words = new Uint32Array(STAT_WORDS);
    return this.#came.flatMap((path) => {
      const name = name_bytes(path);
      const born = raw.stat(null, name, words) ? raw.born(null, name) : null;
      return born === null || born < begun - raw.tick_ms ? [] : [identity(words[INODE]!, born)];
    });
  }

  #look(queue: string[]): Map<string, string> {
    const { raw } = this;
    const found = new Map<string, string>();
    const words = new Uint32Array(STAT_WORDS);
    // Listed only once all before what is in them was looked at: of `node_modules`, hardly one in ten.
    const folders: string[] = [];
    let nth = 0, listed = 0;
    const list = () => {
      while (nth === queue.length && listed < folders.length) {
        const path = folders[listed++]!;
        const folder = raw.open(null, name_bytes(path));
        if (folder < 0) continue;
        const listing = raw.list(folder);
        raw.close(folder);
        if (listing === null) continue;
        for (const name of names_in_block(listing.files).sort()) queue.push(`${path}/${name}`);
        for (const name of names_in_block(listing.folders).sort()) queue.push(`${path}/${name}/`);
      }
    };
    for (; nth < queue.length && found.size < MOST_PATHS; nth++, list()) {
      const path = queue[nth]!.replace(/\/$/, "");
      if (!raw.stat(null, name_bytes(path), words)) continue;
      const is_folder = (words[MODE]! & FILE_TYPE) === FOLDER;
      found.set(is_folder ? `${path}/` : path, words.join());
      if (is_folder) folders.push(path);
    }
    this.is_cut = nth < queue.length;
    return found;
  }

  #is_there(path: string): boolean {
    return this.raw.stat(null, name_bytes(path.replace(/\/$/, "")), new Uint32Array(STAT_WORDS));
  }
}

function is_above(folder: string, path: string): boolean {
  return folder.endsWith("/") && path !== folder && path.startsWith(folder);
}
