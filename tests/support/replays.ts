/** Sessions that are replayed: what they do, and what is left untouched by it. */
import { DatabaseSync } from "node:sqlite";
import { call } from "./model_server.ts";
import type { Folder, Stage } from "./stage.ts";

export const READ = call("read", { path: "a.txt" });
export const EDIT = call("edit", { path: "a.txt", old: "one", new: "two 世 😀" });
export const FILES = { "a.txt": "one\n", "AGENTS.md": "Be kind.\n" };
export const DATABASE = ".local/share/hamr/hamr.db";
export const TASK = "Do as you were told.";

/** What a replay says where nothing differs. */
export function same(requests: number, runs = 1): string {
  const of = (count: number, word: string) => `${count} ${word}${count === 1 ? "" : "s"}`;
  return `replayed ${of(requests, "request")} of ${of(runs, "run")}: every byte the same`;
}

/** All that is in a folder, by path, except for the files of a database. */
export function contents(folder: Folder, at = ""): Record<string, string> {
  const found: Record<string, string> = {};
  for (const { name, isDirectory, isSymlink } of Deno.readDirSync(`${folder.path}/${at}`)) {
    const path = `${at}${name}`;
    if (isSymlink) found[path] = Deno.readLinkSync(folder.at(path));
    else if (isDirectory) Object.assign(found, { [`${path}/`]: "" }, contents(folder, `${path}/`));
    else if (!path.startsWith(DATABASE)) found[path] = folder.read(path);
  }
  return found;
}

/** Does something to the database of a home. */
export function in_database<T>(s: Stage, work: (db: DatabaseSync) => T): T {
  const db = new DatabaseSync(s.home.at(DATABASE));
  try {
    return work(db);
  } finally {
    db.close();
  }
}

const TABLES = ["sessions", "runs", "messages", "actions", "ledger", "events", "tape", "facts"];

export function rows(s: Stage): unknown {
  return in_database(
    s,
    (db) => TABLES.map((table) => db.prepare(`SELECT * FROM ${table} ORDER BY id`).all()),
  );
}
