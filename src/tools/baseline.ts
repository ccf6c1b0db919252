/** The workspace before the first change of a run: what each file holds, and where that is kept. On the tools worker. */
import { createHash } from "node:crypto";
import type { Listed, Listing } from "../store/file_state.ts";
import type { GitIndex } from "./git_index.ts";
import type { Kept } from "./pack.ts";

/** What is known of a file's content when it is listed. */
export interface Content {
  /** SHA-256, hex; null where it is not known. */
  readonly hash: string | null;
  /** Its id in git. */
  readonly git?: string | null;
  /** Where its copy lies; null where there is none. */
  readonly at?: Kept | null;
}

/** Gathered while the tracker takes the first contents. */
export class Baseline {
  readonly #files: Listed[] = [];
  readonly #copies = new Map<string, Kept>();

  constructor(private readonly index: GitIndex | null) {}

  /** The id under which git has this content of a file; null where it has not. */
  git_id(path: string, bytes: Uint8Array): string | null {
    return this.index?.id_of(path, bytes) ?? null;
  }

  /** Adds a file. */
  add(path: string, mode: number, { hash, git = null, at = null }: Content): void {
    this.#files.push(git === null ? [path, mode, hash] : [path, mode, hash, git]);
    if (git === null && hash !== null && at !== null) this.#copies.set(hash, at);
  }

  /** What is to be kept besides what git has, by its hash. */
  get copies(): ReadonlyMap<string, Kept> {
    return this.#copies;
  }

  /** The listing as it is stored, and its hash. In the order of paths, so that the same workspace gives the same. */
  listing(
    empty: readonly string[],
  ): { readonly bytes: Uint8Array<ArrayBuffer>; readonly hash: string } {
    const files = this.#files.sort(([a], [b]) => a < b ? -1 : 1);
    const listing: Listing = { files, empty: [...empty].sort() };
    const bytes = new TextEncoder().encode(JSON.stringify(listing));
    return { bytes, hash: createHash("sha256").update(bytes).digest("hex") };
  }
}
