/** Facts that outlast a session: those of one workspace, and global ones. */
import { cut, one_line } from "../config/text.ts";
import { why } from "../config/paths.ts";
import { type DatabaseSync, open_database, StoreError, transaction } from "./database.ts";
import { GLOBAL } from "./memory_schema.ts";
import { ids_of, OWNER_ROWS, row_id } from "./ids.ts";
import { fitting_lines, INDEX_BYTES, index_file, type MemoryPlace } from "./memory_index.ts";
import { type Hit, hit_of, search } from "./search.ts";
import { secret_in } from "./secret_patterns.ts";

export interface Fact {
  /** By which the user can remove it: a number, with a `g` before it where it holds everywhere. */
  readonly id: string;
  readonly scope: "workspace" | "global";
  readonly text: string;
  /** ISO 8601. */
  readonly saved: string;
}

/** What became of a fact. `known`: it holds everywhere already. */
export type SavedFact =
  | {
    readonly kind: "saved" | "merged";
    readonly id: string;
    /** The fact whose place it has taken. Absent: that of none. */
    readonly replaced?: string;
    /** That one held everywhere. */
    readonly replaced_everywhere?: true;
  }
  | { readonly kind: "known"; readonly id: string }
  | { readonly kind: "refused"; readonly why: string };

export interface SaveHow {
  /** The words that another fact begins with, whose place it takes. Absent: that of none. */
  readonly replaces?: string;
  /** Where it holds. Absent: where the fact held that it replaces; else in this workspace. */
  readonly scope?: Fact["scope"];
}

/** A fact is a sentence or a few; what is longer belongs into a file of the project. */
export const FACT_CHARS = 2000;
/** Found at once, where nothing else is asked for. */
const FOUND = 8;
/** Of a fact, in the index: enough to know whether to look for the rest. */
const HEAD_CHARS = 80;
/** As many heads as fit into an index if they are short. */
const HEADS = INDEX_BYTES / 10;

/** Opens the memory of a place, on this database; null if it cannot be, and `warn` hears why. */
export function open_memory(
  place: MemoryPlace,
  warn: (message: string) => void,
  db?: DatabaseSync,
): Memory | null {
  try {
    return new Memory(place, db);
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    warn(`memory is off: ${error.message}`);
    return null;
  }
}

/** The memory of one place. What it cannot do throws as SQLite says it: a full disk, a damaged file. */
export class Memory {
  readonly #db: DatabaseSync;
  /** Opened before the right to write is given up. */
  readonly #index: Deno.FsFile;
  /** Of what holds everywhere; null where the other one is that. */
  readonly #everywhere: Deno.FsFile | null;

  readonly #own: DatabaseSync | null;

  /** On a database that someone else closes, or on one of its own. Throws `StoreError`. */
  constructor(private readonly place: MemoryPlace, db?: DatabaseSync) {
    this.#own = db === undefined ? open_database(place.data_dir) : null;
    this.#db = db ?? this.#own as DatabaseSync;
    try {
      this.#index = open_index(place);
      // The next run reads both before its first request: one that is not there would cost it 0.3 ms, for the exception.
      this.#everywhere = place.workspace === null
        ? null
        : open_index({ ...place, workspace: null });
    } catch (error) {
      this.#own?.close();
      throw new StoreError(`${index_file(place)} can't be written: ${why(error)}`);
    }
  }

  /** Keeps a fact for this workspace, or for all if there is none. One that differs only in case, spaces or its last dot replaces the old. */
  save(text: string, { replaces = "", scope: wanted }: SaveHow = {}): SavedFact {
    const fact = text.toWellFormed().replaceAll("\0", "").trim();
    const fault = fault_of(fact);
    if (fault !== null) return { kind: "refused", why: fault };
    const same = comparable(fact);
    return transaction(this.#db, () => {
      const old = replaces === "" ? null : this.#only_one(replaces);
      if (typeof old === "string") return { kind: "refused", why: old };
      // In other projects it would be gone without a word.
      if (old?.scope === GLOBAL && wanted === "workspace") {
        return { kind: "refused", why: 'that one holds in all projects: "scope": "user"' };
      }
      const where = wanted ?? (old?.scope === GLOBAL ? "global" : "workspace");
      const scope = where === "global" ? GLOBAL : this.#own_scope() ?? this.#new_scope();
      if (old !== null) {
        this.#db.prepare("DELETE FROM facts WHERE id = ?").run(BigInt(old.id));
        this.#write_index(old.scope);
      }
      const replaced = old === null ? {} : {
        replaced: old.text,
        ...(old.scope === GLOBAL ? { replaced_everywhere: true as const } : {}),
      };
      const known = this.#db.prepare("SELECT id FROM facts WHERE scope = ? AND same = ?");
      const everywhere = scope === GLOBAL ? undefined : known.get(GLOBAL, same);
      if (everywhere !== undefined) return { kind: "known", id: shown_id(everywhere["id"]) };
      const before = this.#db.prepare("DELETE FROM facts WHERE scope = ? AND same = ?")
        .run(scope, same).changes;
      const { first, last } = ids_of(scope);
      const { lastInsertRowid: id } = this.#db.prepare(
        `INSERT INTO facts (id, scope, text, same, saved_ms) VALUES (
          (SELECT coalesce(max(id), ?1) + 1 FROM facts WHERE id BETWEEN ?1 AND ?2), ?3, ?4, ?5, ?6)`,
      ).run(first, last, BigInt(scope), fact, same, BigInt(Date.now()));
      this.#write_index(scope);
      return { kind: before > 0 ? "merged" : "saved", id: shown_id(id), ...replaced };
    });
  }

  /** What fits a query best, the best first. */
  search(query: string, limit = FOUND): readonly Fact[] {
    const scopes = this.#scopes();
    return search(this.#db, query, { scopes, limit, now_ms: Date.now() }).map(shown);
  }

  list(): readonly Fact[] {
    return kept_facts(this.#db, this.place.workspace);
  }

  remove(id: string): boolean {
    const [, global, number] = /^(g?)(\d{1,10})$/.exec(id) ?? [];
    const scope = global === "g" ? GLOBAL : this.#own_scope();
    if (scope === null || number === undefined) return false;
    return transaction(this.#db, () => {
      const { changes } = this.#db.prepare("DELETE FROM facts WHERE id = ? AND scope = ?")
        .run(row_id(scope, Number(number)), scope);
      this.#write_index(scope);
      return changes > 0;
    });
  }

  close(): void {
    this.#own?.close();
    this.#index.close();
    this.#everywhere?.close();
  }

  /** The workspace's scope first; null if nothing has been saved for it. */
  #own_scope(): number | null {
    return scope_of(this.#db, this.place.workspace);
  }

  #new_scope(): number {
    return Number(
      this.#db.prepare("INSERT INTO scopes (workspace) VALUES (?)").run(this.place.workspace)
        .lastInsertRowid,
    );
  }

  #scopes(): readonly number[] {
    return scopes_of(this.#db, this.place.workspace);
  }

  /** The one fact that begins so, or is so; why there is none to be meant, in words. */
  #only_one(beginning: string): { id: number; text: string; scope: number } | string {
    const same = comparable(beginning.replace(/…$/, ""));
    if (same === "") return "`replaces` has no words";
    const found = this.#scopes().flatMap((scope) =>
      this.#db.prepare(
        "SELECT id, text, same FROM facts WHERE scope = ? AND substr(same, 1, length(?)) = ?",
      ).all(BigInt(scope), same, same).map(({ id, text, same: whole }) => ({
        ...{ id: Number(id), text: String(text), scope },
        whole: String(whole),
      }))
    );
    const [one, other] = found.filter(({ whole }) => whole === same).concat(found);
    if (one === undefined) return "no fact begins like `replaces`; search_memory shows them";
    return other !== undefined && one.whole !== same
      ? "more than one fact begins like `replaces`; give more of its words"
      : one;
  }

  /** In one piece of one length, so that nobody reads half of it; within the transaction, so that it is never an older one. */
  #write_index(scope: number): void {
    const heads = newest(this.#db, { scope, count: HEADS }).map(({ text }) =>
      `- ${one_line(cut(text.replace(/\s+/g, " "), HEAD_CHARS))}`
    );
    const bytes = new Uint8Array(INDEX_BYTES).fill("\n".charCodeAt(0));
    new TextEncoder().encodeInto(fitting_lines(heads).join("\n"), bytes);
    const file = (scope === GLOBAL ? this.#everywhere : null) ?? this.#index;
    file.seekSync(0, Deno.SeekMode.Start);
    file.writeSync(bytes);
  }
}

/** All facts that hold in a workspace, the newest first; null: those that hold everywhere. Needs no right but the open database. */
export function kept_facts(db: DatabaseSync, workspace: string | null): readonly Fact[] {
  return scopes_of(db, workspace).flatMap((scope) => newest(db, { scope, count: -1 })).map(shown)
    .sort((a, b) => a.saved < b.saved ? 1 : a.saved > b.saved ? -1 : 0);
}

function scope_of(db: DatabaseSync, workspace: string | null): number | null {
  if (workspace === null) return GLOBAL;
  const row = db.prepare("SELECT id FROM scopes WHERE workspace = ?").get(workspace);
  return row === undefined ? null : Number(row["id"]);
}

function scopes_of(db: DatabaseSync, workspace: string | null): readonly number[] {
  const own = scope_of(db, workspace);
  return own === null || own === GLOBAL ? [GLOBAL] : [own, GLOBAL];
}

function newest(db: DatabaseSync, { scope, count }: { scope: number; count: number }): Hit[] {
  const { first, last } = ids_of(scope);
  return db.prepare(
    "SELECT id, text, saved_ms FROM facts WHERE id BETWEEN ? AND ? ORDER BY id DESC LIMIT ?",
  ).all(first, last, count).map(hit_of);
}

function open_index(place: MemoryPlace): Deno.FsFile {
  const file = index_file(place);
  Deno.mkdirSync(file.slice(0, file.lastIndexOf("/")), { recursive: true, mode: 0o700 });
  return Deno.openSync(file, { write: true, create: true, mode: 0o600 });
}

function fault_of(fact: string): string | null {
  if (fact === "") return "it is empty";
  if (fact.length > FACT_CHARS) {
    return `it has ${fact.length} characters; a fact may have ${FACT_CHARS}`;
  }
  const secret = secret_in(fact);
  return secret === null
    ? null
    : `it looks like it holds ${secret}, and memory is no place for secrets; say where it is kept, not what it is`;
}

/** A fact without what does not matter when two are compared: case, width, spaces and the end of the sentence. */
function comparable(fact: string): string {
  return fact.normalize("NFKC").toLowerCase().replace(/\s+/g, " ").replace(/[\s.!。！]+$/, "");
}

function shown_id(id: unknown): string {
  const [scope, number] = [Math.floor(Number(id) / OWNER_ROWS), Number(id) % OWNER_ROWS];
  return scope === GLOBAL ? `g${number}` : String(number);
}

function shown({ id, text, saved_ms }: Hit): Fact {
  const label = shown_id(id);
  const scope = label.startsWith("g") ? "global" : "workspace";
  return { id: label, scope, text, saved: new Date(saved_ms).toISOString() };
}
