/** What the repositories of a workspace name: `HEAD`, refs, and what is staged. */
import { look as stat_of, text_of } from "../permission/paths.ts";
import { GitIndex, type GitPlace } from "./git_index.ts";
import { Look } from "./look.ts";
import type { Folders } from "./folders.ts";

/** A ref that came, went or changed. */
export interface RefFact {
  readonly kind: "ref";
  readonly ref: string;
  readonly before: string | null;
  readonly after: string | null;
}

/** A larger listing of packed refs is not read. */
const PACKED_BYTES = 16 * 1024 * 1024;
/** A ref is an id, or the name of another ref. */
const REF_BYTES = 4096;

/** Everything in `refs` counts. */
const NO_RULES = { ignores: () => false, enter() {} };

/** One repository. */
class Repository {
  readonly #loose: Look;
  readonly #values = new Map<string, string>();
  #packed: ReadonlyMap<string, string> = new Map();
  #packed_looks = "";
  #head: string | null = null;
  #index_looks = "";
  #index: GitIndex | null = null;

  constructor(private readonly place: GitPlace, private readonly raw: Folders) {
    this.#loose = new Look(
      `${place.common}/refs`,
      { raw, ignoring: NO_RULES, listener: null },
      null,
    );
  }

  look(known: GitIndex | null): RefFact[] {
    const found: RefFact[] = [];
    const add = (ref: string, before: string | null, after: string | null) => {
      if (before !== after) found.push({ kind: "ref", ref, before, after });
    };
    const head = text_of(`${this.place.own}/HEAD`).trim() || null;
    add("HEAD", this.#head, head);
    this.#head = head;
    const packed = this.#read_packed();
    const old = new Map<string, string | null>();
    const value = (ref: string) => this.#values.get(ref) ?? this.#packed.get(ref) ?? null;
    for (const { path, mode } of this.#loose.look()) {
      const ref = `refs/${path}`;
      if (ref.endsWith(".lock")) continue;
      old.set(ref, value(ref));
      const now = mode === null ? null : this.#read(path, mode);
      if (now === null) this.#values.delete(ref);
      else this.#values.set(ref, now);
      this.#loose.know(path, now);
    }
    this.#loose.release();
    if (packed !== this.#packed) {
      for (const ref of new Set([...this.#packed.keys(), ...packed.keys()])) {
        if (this.#packed.get(ref) !== packed.get(ref) && !old.has(ref)) old.set(ref, value(ref));
      }
      this.#packed = packed;
    }
    for (const [ref, before] of old) add(ref, before, value(ref));
    this.#look_at_index(add, known);
    return found;
  }

  #read(path: string, mode: number): string | null {
    let text = "";
    const decoder = new TextDecoder();
    const size = REF_BYTES;
    const take = (piece: Uint8Array) => void (text += decoder.decode(piece));
    return this.#loose.read(path, { mode, size, take }) ? text.trim() : null;
  }

  #read_packed(): ReadonlyMap<string, string> {
    const file = `${this.place.common}/packed-refs`;
    const looks = looks_of(file);
    if (looks === this.#packed_looks) return this.#packed;
    this.#packed_looks = looks;
    const text = (stat_of(file)?.size ?? 0) > PACKED_BYTES ? "" : text_of(file);
    return new Map(
      [...text.matchAll(/^([0-9a-f]{40,}) (\S+)$/gm)].map(([, id = "", ref = ""]) => [ref, id]),
    );
  }

  #look_at_index(
    add: (ref: string, before: string | null, after: string | null) => void,
    known: GitIndex | null,
  ): void {
    const looks = looks_of(`${this.place.own}/index`);
    if (looks === this.#index_looks) return;
    this.#index_looks = looks;
    // At the first look somebody has read it just before.
    const [old, now] = [this.#index, known ?? GitIndex.of({ ...this.place, below: "" }, true)];
    this.#index = now;
    if (old !== null && now !== null && now.same_staged(old)) return;
    add("index", old?.trailer ?? null, now?.trailer ?? null);
  }
}

/** The repositories of a workspace. */
export class Refs {
  readonly #repositories = new Map<string, Repository>();

  constructor(private readonly raw: Folders) {}

  /** What has changed since the last time; `known`: the index of the workspace's own, as it was at the first; `places`: by what their refs are called in front, empty for the workspace's own. */
  look(places: ReadonlyMap<string, GitPlace>, known: GitIndex | null): readonly RefFact[] {
    const found: RefFact[] = [];
    for (const [prefix, place] of places) {
      const key = `${prefix}\0${place.own}`;
      const old = this.#repositories.get(key);
      const repository = old ?? new Repository(place, this.raw);
      this.#repositories.set(key, repository);
      const first = old === undefined && prefix === "" ? known : null;
      found.push(...repository.look(first).map((fact) => ({ ...fact, ref: prefix + fact.ref })));
    }
    return found;
  }
}

function looks_of(file: string): string {
  const stat = stat_of(file);
  return stat === null ? "" : `${stat.size}:${stat.mtime?.getTime()}:${stat.ino}`;
}
