/** Puts the files that a session has changed back to what they were when it began, in a copy of its workspace. */
import { content_of } from "../store/contents.ts";
import type { DatabaseSync } from "../store/database.ts";
import type { ChangeRow, FileState } from "../store/file_state.ts";
import { rows_in } from "../store/sessions.ts";

const FILE_TYPE = 0o170000;
const LINK = 0o120000;
const PERMISSIONS = 0o777;

/** Does it as far as the contents are known; what is not known stays as it is. */
export async function put_back(
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
      // A file elsewhere is none of the copy.
      if (!path.startsWith("/") && !first.has(path)) first.set(path, before);
    }
  }
  for (const [path, state] of first) await put(db, `${folder}/${path}`, state);
}

async function put(db: DatabaseSync, path: string, state: FileState | null): Promise<void> {
  if (state === null) return remove(path);
  const content = state.hash === null ? null : await content_of(db, state.hash);
  if (content === null) return;
  remove(path);
  Deno.mkdirSync(path.slice(0, path.lastIndexOf("/")), { recursive: true });
  if ((state.mode & FILE_TYPE) === LINK) {
    Deno.symlinkSync(new TextDecoder().decode(content), path);
  } else {
    Deno.writeFileSync(path, content);
    Deno.chmodSync(path, state.mode & PERMISSIONS);
  }
}

function remove(path: string): void {
  try {
    Deno.removeSync(path);
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
}
