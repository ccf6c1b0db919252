/** Where the data folder has the memory, and what the first request needs of it; without SQLite, which would cost that request 5 ms. */
import { short_name, why } from "../config/paths.ts";
import { file_text, stat_or_null } from "../permission/paths.ts";

export interface MemoryPlace {
  readonly data_dir: string;
  /** The real path of the workspace; null for what is known everywhere, and nothing else. */
  readonly workspace: string | null;
}

/** Bytes of the index that is in the prompt: it is part of every request. */
export const INDEX_BYTES = 400;

export function database_file(data_dir: string): string {
  return `${data_dir}/hamr.db`;
}

/** The beginnings of the newest facts, beside the database. */
export function index_file({ data_dir, workspace }: MemoryPlace): string {
  return `${data_dir}/memory_index/${workspace === null ? "global" : short_name(workspace)}.txt`;
}

interface WantedStore {
  readonly memory: boolean;
  /** The run is to be saved. */
  readonly save: boolean;
}

/** Whether a run has a place for what it wants to keep; where not, what to tell the user. */
export function find_store(
  data_dir: string | null,
  wanted: WantedStore,
): { readonly data_dir: string | null; readonly warnings: readonly string[] } {
  if (!wanted.memory && !wanted.save) return { data_dir: null, warnings: [] };
  const off = (reason: string) => ({ data_dir: null, warnings: [`${lacking(wanted)}: ${reason}`] });
  if (data_dir === null) return off("no home folder is known (set HOME or HAMR_HOME)");
  try {
    // A first run makes the locks after the file: where there are some, there was more in it.
    const empty = make_database_file(data_dir) && stat_or_null(`${data_dir}/locks`)?.isDirectory
      ? [`${database_file(data_dir)} was empty, though there were runs: starting a new history`]
      : [];
    return { data_dir, warnings: empty };
  } catch (error) {
    return off(`${database_file(data_dir)} can't be written: ${why(error)}`);
  }
}

/** What a run goes without where there is no database. */
export function lacking({ memory, save }: WantedStore): string {
  return [...(memory ? ["memory is off"] : []), ...(save ? ["the session is not saved"] : [])]
    .join(", ");
}

/** Databases that SQLite has had open in this process. */
const opened_here = new Set<string>();

/** From now on SQLite has it open, maybe for as long as the process lives. */
export function note_opened(data_dir: string): void {
  opened_here.add(database_file(data_dir));
}

/** Makes the file for its owner alone, as SQLite would let all read it; whether it was there and empty. Throws if it can't be written. */
export function make_database_file(data_dir: string): boolean {
  const file = database_file(data_dir);
  try {
    const { isFile, isDirectory, size } = Deno.statSync(file);
    // To open a pipe waits for a reader.
    if (!isFile && !isDirectory) throw new Error("not a regular file");
    // To close it would give up the locks that SQLite holds for this process, and another process would take it for its own: the
    // file would be damaged (sqlite.org/howtocorrupt.html, 2.2).
    if (!opened_here.has(file)) Deno.openSync(file, { write: true }).close();
    return size === 0;
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
    Deno.mkdirSync(data_dir, { recursive: true, mode: 0o700 });
    Deno.openSync(file, { write: true, create: true, mode: 0o600 }).close();
    return false;
  }
}

/** The lines of the index: the workspace's own first, then what is known everywhere, as far as there is room. */
export function read_index(place: MemoryPlace): readonly string[] {
  const own = lines_of(index_file(place));
  if (place.workspace === null) return own;
  return fitting_lines([...own, ...lines_of(index_file({ ...place, workspace: null }))]);
}

/** The first lines that fit into an index. */
export function fitting_lines(lines: readonly string[]): string[] {
  const encoder = new TextEncoder();
  let room = INDEX_BYTES;
  const end = lines.findIndex((line) => (room -= encoder.encode(line).length + 1) < 0);
  return end < 0 ? [...lines] : lines.slice(0, end);
}

function lines_of(file: string): string[] {
  return file_text(file).split("\n").filter((line) => line !== "");
}
