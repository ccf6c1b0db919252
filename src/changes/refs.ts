/** The refs of a workspace's repositories: `HEAD`, branches, tags, and what is staged. */
import { file_text, lstat_or_null as stat_of } from "../permission/paths.ts";
import { GitIndex, type GitPlace } from "./git_index.ts";
import { looks_of } from "./known_looks.ts";
import { Look } from "./look.ts";
import { read_whole } from "./read_state.ts";
import type { Folders } from "./folders.ts";

/** A git ref, or git's index, that came, went or changed while a command ran. */
export interface RefFact {
  readonly kind: "ref";
  /** `HEAD`, `refs/…`, or `index`. */
  readonly ref: string;
  /** What it named; null if it was not there. */
  readonly before: string | null;
  readonly after: string | null;
  /** What a new one names was named by another before: no commit was made for it. Absent: that is not so, or is not known. */
  readonly known?: true;
}

const PACKED_BYTES = 16 * 1024 * 1024;
/** A ref is an id, or the name of another ref. */
const REF_BYTES = 4096;

/** What git takes away around a name: no other blanks. */
const ENDS = /^[ \t\r\n]+|[ \t\r\n]+$/g;

/** What `HEAD` says where refs are in tables, as git 3 has them; and the ref that stands for all of these, as they are not read. */
const IN_TABLES = "ref: refs/heads/.invalid";
export const ANY_IN_TABLES = "refs/heads/* (reftable)";

/** Everything in `refs` counts. */
const NO_RULES = { ignores: () => false, enter() {} };

class Repository {
  readonly #loose: Look;
  readonly #values = new Map<string, string>();
  #packed: ReadonlyMap<string, string> = new Map();
  #packed_looks = "";
  #tables: string | null = null;
  #head: string | null = null;
  #index_looks = "";
  #index: GitIndex | null = null;

  constructor(private readonly place: GitPlace, raw: Folders) {
    const by = { raw, ignoring: NO_RULES, listener: null };
    this.#loose = new Look(`${place.common}/refs`, by, null);
  }

  /** What has changed; `known`: the index, where someone has read it just before. */
  look(known: GitIndex | null): RefFact[] {
    const found: RefFact[] = [];
    const add = (ref: string, before: string | null, after: string | null) => {
      if (before !== after) found.push({ kind: "ref", ref, before, after });
    };
    const head = file_text(`${this.place.own}/HEAD`).replace(ENDS, "") || null;
    add("HEAD", this.#head, head);
    const tables = head === IN_TABLES ? this.#read_tables() : null;
    add(ANY_IN_TABLES, this.#tables, tables);
    this.#tables = tables;
    const value = (ref: string) => this.#values.get(ref) ?? this.#packed.get(ref) ?? null;
    const old = new Map<string, string | null>();
    const packed = this.#read_packed();
    if (packed !== this.#packed) {
      for (const ref of [...this.#packed.keys(), ...packed.keys()]) old.set(ref, value(ref));
    }
    for (const { path, mode } of this.#loose.look()) {
      const ref = `refs/${path}`;
      if (ref.endsWith(".lock")) continue;
      old.set(ref, value(ref));
      const now = mode === null ? null : this.#read(path, mode);
      if (now === null) this.#values.delete(ref);
      else this.#values.set(ref, now);
    }
    this.#loose.release();
    this.#packed = packed;
    let named: ReadonlySet<string | null> | null = null;
    for (const [ref, before] of old) {
      const after = value(ref);
      if (before !== null || after === null) {
        add(ref, before, after);
        continue;
      }
      named ??= this.#named_before(old);
      const known = named.has(after) ? { known: true } as const : {};
      found.push({ kind: "ref", ref, before, after, ...known });
    }
    this.#head = head;
    const looks = looks_at(`${this.place.own}/index`);
    if (looks === this.#index_looks) return found;
    this.#index_looks = looks;
    const staged = this.#index;
    const now = this.#index = known ?? GitIndex.of({ ...this.place, below: "" }, true);
    const is_same = staged !== null && now?.same_staged(staged) === true;
    if (!is_same) add("index", staged?.trailer ?? null, now?.trailer ?? null);
    return found;
  }

  /** What was named before `old`, the refs that came, went or changed since. */
  #named_before(old: ReadonlyMap<string, string | null>): ReadonlySet<string | null> {
    const others = [...this.#packed, ...this.#values].filter(([ref]) => !old.has(ref));
    return new Set([this.#head, ...old.values(), ...others.map(([, id]) => id)]);
  }

  #read(path: string, mode: number): string | null {
    const bytes = read_whole(this.#loose, path, { mode, size: REF_BYTES });
    return bytes === null ? null : new TextDecoder().decode(bytes).replace(ENDS, "");
  }

  /** Their names, which are others after each change; a worktree has some of its own. */
  #read_tables(): string {
    const folders = new Set([this.place.own, this.place.common]);
    return [...folders].map((folder) => file_text(`${folder}/reftable/tables.list`)).join("");
  }

  #read_packed(): ReadonlyMap<string, string> {
    const file = `${this.place.common}/packed-refs`;
    const looks = looks_at(file);
    if (looks === this.#packed_looks) return this.#packed;
    this.#packed_looks = looks;
    const text = (stat_of(file)?.size ?? 0) > PACKED_BYTES ? "" : file_text(file);
    return new Map(
      [...text.matchAll(/(?<![^\n])([0-9a-f]{40,}) ([^\n]+)/gi)].map((
        [, id = "", ref = ""],
      ) => [ref, id]),
    );
  }
}

export class Refs {
  readonly #repositories = new Map<string, Repository>();

  constructor(private readonly raw: Folders) {}

  /** What has changed since the last time. `places`: by the prefix of their refs, empty for the workspace's; `known`: the first index of that. */
  look(places: ReadonlyMap<string, GitPlace>, known: GitIndex | null): readonly RefFact[] {
    return [...places].flatMap(([prefix, place]) => {
      const key = `${prefix}\0${place.own}`;
      const old = this.#repositories.get(key);
      const repository = old ?? new Repository(place, this.raw);
      this.#repositories.set(key, repository);
      const first = old === undefined && prefix === "" ? known : null;
      return repository.look(first).map((fact) => ({ ...fact, ref: prefix + fact.ref }));
    });
  }
}

function looks_at(file: string): string {
  const stat = stat_of(file);
  return stat === null ? "" : looks_of(stat);
}
