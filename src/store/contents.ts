/** Contents of files, each stored once, no matter how many sessions use it. */
import type { StatementSync } from "node:sqlite";
import { content_bytes, type NewContent } from "./content.ts";
import { type DatabaseSync, transaction } from "./database.ts";

/** The contents of one session. Statements are prepared once: each keeps what it wrote last, a megabyte, until it is collected. */
export class SessionContents {
  readonly #session: bigint;
  readonly #find: StatementSync;
  readonly #insert: StatementSync;
  readonly #use: StatementSync;

  constructor(private readonly db: DatabaseSync, session: number) {
    this.#session = BigInt(session);
    this.#find = db.prepare("SELECT id FROM contents WHERE hash = unhex(?)");
    this.#insert = db.prepare(
      "INSERT OR IGNORE INTO contents (hash, size, body) VALUES (unhex(?), ?, ?)",
    );
    this.#use = db.prepare(
      `INSERT OR IGNORE INTO content_uses (session, content)
        SELECT ?, id FROM contents WHERE hash = unhex(?)`,
    );
  }

  /** Holds on to those that are there; gives the others. In one transaction, so that nobody takes one away between the two. */
  hold(hashes: readonly string[]): string[] {
    return transaction(this.db, () => {
      const unknown = hashes.filter((hash) => this.#find.get(hash) === undefined);
      for (const hash of hashes) this.#use.run(this.#session, hash);
      return unknown;
    });
  }

  add(contents: readonly NewContent[]): void {
    transaction(this.db, () => this.insert(contents));
  }

  /** Adds contents within a transaction that is under way. */
  insert(contents: readonly NewContent[]): void {
    for (const { hash, size, body } of contents) {
      this.#insert.run(hash, BigInt(size), body);
      this.#use.run(this.#session, hash);
    }
  }

  /** Lets go of contents; those that no other session holds on to are gone. */
  release(hashes: readonly string[]): void {
    const leave = this.db.prepare(
      "DELETE FROM content_uses WHERE session = ? AND content = (SELECT id FROM contents WHERE hash = unhex(?))",
    );
    const remove = this.db.prepare(
      "DELETE FROM contents WHERE hash = unhex(?) AND id NOT IN (SELECT content FROM content_uses)",
    );
    transaction(this.db, () => {
      for (const hash of hashes) {
        leave.run(this.#session, hash);
        remove.run(hash);
      }
    });
  }
}

/** The content with this hash; null if it is not kept. Rejects where the file is damaged. */
export async function content_of(
  db: DatabaseSync,
  hash: string,
): Promise<Uint8Array<ArrayBuffer> | null> {
  const row = db.prepare("SELECT size, body FROM contents WHERE hash = unhex(?)").get(hash);
  const body = row?.["body"];
  if (row === undefined || !(body instanceof Uint8Array)) return null;
  return await content_bytes({ size: Number(row["size"]), body: new Uint8Array(body) });
}

export function has_content(db: DatabaseSync, hash: string): boolean {
  return db.prepare("SELECT 1 FROM contents WHERE hash = unhex(?)").get(hash) !== undefined;
}
