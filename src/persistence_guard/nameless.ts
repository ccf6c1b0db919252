/** Entries among Git's own files whose names are not UTF-8: no text leads there, but Git finds them by their bytes. */
import {
  FILE_TYPE,
  type Folders,
  LINK,
  MODE,
  name_bytes,
  NO_TEXT,
  STAT_WORDS,
  text_of_name,
} from "../changes/folders.ts";
import type { Change } from "./words.ts";

type RawName = Uint8Array<ArrayBuffer>;

/** What the folders in a folder are: of submodules and worktrees, one each, or parts of git's own. */
export type Holds = "repositories" | "files";

/** Something without a text for its name. */
interface NamelessEntry {
  /** A folder that git may take for a repository, or that can't be listed, is neither entered nor watched. */
  readonly kind: "link" | "unwatched";
  /** Descriptor of the open folder that it is in. */
  readonly fd: number;
  readonly name: RawName;
  /** As it is shown, without its name. */
  readonly folder: string;
}

export class Nameless {
  readonly #known = new Set<string>();
  readonly #words = new Uint32Array(STAT_WORDS);

  constructor(private readonly raw: Folders) {}

  /** What is there now was there before the run. `folders`: where there are such names. */
  know(folders: ReadonlyMap<string, Holds>): void {
    this.#find(folders, (one) => void this.#known.add(key_of(one)));
  }

  /** Removes links that have come, and gives what else has, once. */
  check(
    folders: ReadonlyMap<string, Holds>,
  ): { readonly removed: readonly Change[]; readonly unwatched: readonly string[] } {
    const removed: Change[] = [];
    const unwatched: string[] = [];
    this.#find(folders, (one) => {
      if (this.#known.has(key_of(one))) return;
      const path = `${one.folder}/${text_of_name(one.name)}`;
      if (one.kind === "link") {
        const failure = this.raw.remove(one.fd, one.name) ? null : "it can't be removed";
        removed.push({ path, role: "link", keys: [], failure });
      } else {
        this.#known.add(key_of(one));
        unwatched.push(path);
      }
    });
    return { removed, unwatched };
  }

  #find(folders: ReadonlyMap<string, Holds>, hear: (one: NamelessEntry) => void): void {
    for (const [folder, holds] of folders) {
      this.#in({ fd: null, name: name_bytes(folder), folder }, { holds, all: false, hear });
    }
  }

  /** `all`: the folder itself has no text for its name, and so nothing that is in it has. */
  #in(
    { fd: parent, name, folder }: Pick<NamelessEntry, "name" | "folder"> & { fd: number | null },
    how: {
      readonly holds: Holds;
      readonly all: boolean;
      readonly hear: (one: NamelessEntry) => void;
    },
  ): boolean {
    const { raw } = this;
    const { holds, all, hear } = how;
    const fd = raw.open(parent, name);
    if (fd < 0) return false;
    try {
      const listing = raw.list(fd);
      const nameless = (block: RawName) =>
        names_in(block).filter((name) => all || text_of_name(name).includes(NO_TEXT))
          .map((name) => ({ fd, name, folder }));
      for (const one of nameless(listing?.files ?? new Uint8Array())) {
        if (!raw.stat(fd, one.name, this.#words)) continue;
        if ((this.#words[MODE]! & FILE_TYPE) === LINK) hear({ ...one, kind: "link" });
      }
      for (const one of nameless(listing?.folders ?? new Uint8Array())) {
        const inner = { ...one, folder: `${folder}/${text_of_name(one.name)}` };
        if (holds === "repositories" || !this.#in(inner, { ...how, all: true })) {
          hear({ ...one, kind: "unwatched" });
        }
      }
      return listing !== null;
    } finally {
      raw.close(fd);
    }
  }
}

function key_of({ kind, folder, name }: NamelessEntry): string {
  return `${kind} ${folder}/${name.toHex()}`;
}

/** As the calls take them. */
function names_in(block: RawName): RawName[] {
  const names: RawName[] = [];
  for (let at = 0; at < block.length;) {
    const end = block.indexOf(0, at) + 1;
    names.push(block.slice(at, end));
    at = end;
  }
  return names;
}
