/** Restores the files that a session changed to their state at its start, in a copy of its workspace. */
import { look } from "../permission/paths.ts";
import { content_of } from "../store/contents.ts";
import type { DatabaseSync } from "../store/database.ts";
import type { ChangeRow, FileState } from "../store/file_state.ts";
import { rows_in } from "../store/sessions.ts";

const FILE_TYPE = 0o170000;
const LINK = 0o120000;
const PERMISSIONS = 0o777;

/** Does it as far as the contents are known; what is not known stays as it is. */
export async function put_back_as_begun(
  db: DatabaseSync,
  session: number,
  folder: string,
): Promise<void> {
  const first = new Map<string, FileState | null>();
  for (const { body } of await rows_in(db, { session, table: "changes" })) {
    const row = JSON.parse(body) as ChangeRow;
    // What others have done in the meantime is not part of it.
    if (row.kind === "begin" || row.kind === "undo") continue;
    for (const { path, before } of row.files) {
      // A file elsewhere is not part of the copy.
      if (!path.startsWith("/") && !first.has(path)) first.set(path, before);
    }
  }
  // What is to go may be a link or a file where a folder was.
  for (const [path, state] of first) if (state === null) remove_in(folder, path);
  for (const [path, state] of first) if (state !== null) await put(db, { folder, path, state });
}

async function put(
  db: DatabaseSync,
  { folder, path: name, state }: { folder: string; path: string; state: FileState },
): Promise<void> {
  const content = state.hash === null ? null : await content_of(db, state.hash);
  if (content === null) return;
  make_folders(folder, name);
  const path = `${folder}/${name}`;
  remove(path);
  if ((state.mode & FILE_TYPE) === LINK) {
    Deno.symlinkSync(new TextDecoder().decode(content), path);
  } else {
    Deno.writeFileSync(path, content);
    Deno.chmodSync(path, state.mode & PERMISSIONS);
  }
}

/** Removes a file of the copy; nothing where a link is on the way: it leads out of the copy. */
function remove_in(folder: string, path: string): void {
  const through = folders_of(path).some((part) => !look(`${folder}/${part}`)?.isDirectory);
  if (!through && !look(`${folder}/${path}`)?.isDirectory) remove(`${folder}/${path}`);
}

/** Makes the folders of a file; a link or a file in the place of one makes way. */
function make_folders(folder: string, path: string): void {
  for (const part of folders_of(path)) {
    const full = `${folder}/${part}`;
    if (look(full)?.isDirectory) continue;
    remove(full);
    Deno.mkdirSync(full);
  }
}

/** The folders that a relative path goes through, from the outermost. */
function folders_of(path: string): string[] {
  const parts = path.split("/").slice(0, -1);
  return parts.map((_, at) => parts.slice(0, at + 1).join("/"));
}

function remove(path: string): void {
  if (look(path) !== null) Deno.removeSync(path);
}
