/** Contents of files, each once, whichever sessions hold on to it. */
import { bytes_of, type NewContent } from "./content.ts";
import { type DatabaseSync, transaction } from "./database.ts";

/**
 * Lets a session hold on to those that are there; gives the others. In one transaction, so that nobody takes one away between
 * the two.
 */
export function hold(db: DatabaseSync, session: number, hashes: readonly string[]): string[] {
  const find = db.prepare("SELECT id FROM contents WHERE hash = unhex(?)");
  const use = db.prepare("INSERT OR IGNORE INTO content_uses (session, content) VALUES (?, ?)");
  return transaction(db, () => {
    const unknown: string[] = [];
    for (const hash of hashes) {
      const id = find.get(hash)?.["id"];
      if (id === undefined) unknown.push(hash);
      else use.run(BigInt(session), BigInt(Number(id)));
    }
    return unknown;
  });
}

/** Adds contents that a session holds on to. Within a transaction of the caller's. */
export function add_contents(
  db: DatabaseSync,
  session: number,
  contents: readonly NewContent[],
): void {
  const insert = db.prepare(
    "INSERT OR IGNORE INTO contents (hash, size, body) VALUES (unhex(?), ?, ?)",
  );
  const use = db.prepare(
    `INSERT OR IGNORE INTO content_uses (session, content)
      SELECT ?, id FROM contents WHERE hash = unhex(?)`,
  );
  for (const { hash, size, body } of contents) {
    insert.run(hash, BigInt(size), body);
    use.run(BigInt(session), hash);
  }
}

/** Lets a session go of contents; those that no other one holds on to are gone. */
export function release(db: DatabaseSync, session: number, hashes: readonly string[]): void {
  const leave = db.prepare(
    "DELETE FROM content_uses WHERE session = ? AND content = (SELECT id FROM contents WHERE hash = unhex(?))",
  );
  const remove = db.prepare(
    "DELETE FROM contents WHERE hash = unhex(?) AND id NOT IN (SELECT content FROM content_uses)",
  );
  transaction(db, () => {
    for (const hash of hashes) {
      leave.run(BigInt(session), hash);
      remove.run(hash);
    }
  });
}

/** The content with this hash; null where it is not kept. Rejects where the file is damaged. */
export async function content_of(
  db: DatabaseSync,
  hash: string,
): Promise<Uint8Array<ArrayBuffer> | null> {
  const row = db.prepare("SELECT size, body FROM contents WHERE hash = unhex(?)").get(hash);
  const body = row?.["body"];
  if (row === undefined || !(body instanceof Uint8Array)) return null;
  return await bytes_of({ size: Number(row["size"]), body: new Uint8Array(body) });
}

/** Whether there is a content with this hash. */
export function has_content(db: DatabaseSync, hash: string): boolean {
  return db.prepare("SELECT 1 FROM contents WHERE hash = unhex(?)").get(hash) !== undefined;
}
