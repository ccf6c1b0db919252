/** What the calls of a run have made of each file. */
import { type FileState, type FileStep, same_state } from "../store/file_state.ts";

/** A file as it was before the first change by a call, and as the last one left it. */
export interface Link {
  readonly first: FileState | null;
  readonly last: FileState | null;
}

/** The files that calls have changed, and that are not as before. */
export class Chain {
  readonly #links = new Map<string, Link>();

  /**
   * Adds what a call did. Where somebody else changed the file since the last one, that is part of the way from the first to the
   * last; but who puts a file back as it was before the run makes an end of what the run did.
   */
  add({ path, before, after }: FileStep): void {
    const known = this.#links.get(path);
    const first = known === undefined || same_state(known.first, before) ? before : known.first;
    this.#links.delete(path);
    if (!same_state(first, after)) this.#links.set(path, { first, last: after });
  }

  /** Their paths, in order. */
  get paths(): readonly string[] {
    return [...this.#links.keys()].sort();
  }

  get(path: string): Link | undefined {
    return this.#links.get(path);
  }

  clear(): void {
    this.#links.clear();
  }
}
