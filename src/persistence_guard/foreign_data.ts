/** Files by which git knows its own data by name, and removes it once it has better: a name with a `/` is data of another repository. */
import { path } from "../config/path.ts";
import { is_inside, real_or_null } from "../config/paths.ts";
import { file_text, names_in } from "../permission/paths.ts";
import { read_regular } from "../sandbox/kernel/read_inside.ts";

// gitformat-pack(5), MULTI-PACK-INDEX
const CHUNKS_AT = 6, HEADER_BYTES = 12, ROW_BYTES = 12, PACK_NAMES = 0x504e414d; // PNAM
/** Size of the index of a repository with 10 million objects; git rebuilds a larger one, too. */
const MOST_BYTES = 512 * 1024 * 1024;
const SLASH = 0x2f;

/** The lists of packs and of tables of refs in a folder of git. */
export function data_lists(git_dir: string, is_there: (path: string) => boolean): string[] {
  const packs = `${git_dir}/objects/pack`, layers = `${packs}/multi-pack-index.d`;
  const inner = is_there(layers) ? names_in(layers).map((name) => `${layers}/${name}`) : [];
  return [`${git_dir}/reftable/tables.list`, `${packs}/multi-pack-index`].filter(is_there)
    .concat(inner.filter((file) => file.endsWith(".midx")));
}

/**
 * The first file outside a working tree, links followed, or in a `.git`, that `MERGE_RR` has git record the resolution of (git-rerere(1)): at
 * the next commit git copies it into its own folder, or writes it.
 */
export function recorded_outside(git_dir: string, top: string): string | undefined {
  return file_text(`${git_dir}/MERGE_RR`).split("\0").filter((record) => record !== "")
    .map((record) => path.resolve(top, record.slice(record.indexOf("\t") + 1)))
    .map((file) => real_or_null(file) ?? file)
    .find((file) => !is_inside(file, top) || /\/\.git(?:\/|$)/i.test(file.slice(top.length)));
}

/** Whether one of them names what is elsewhere. Git takes none that is damaged. */
export function names_foreign_data(file: string): boolean {
  const bytes = read_regular(file, MOST_BYTES);
  if (file.endsWith("/tables.list")) return bytes.includes(SLASH);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  for (let n = bytes[CHUNKS_AT] ?? 0, at = HEADER_BYTES; n > 0; n--, at += ROW_BYTES) {
    if (at + 2 * ROW_BYTES > bytes.length) return false;
    const [from, to] = [at + 4, at + 4 + ROW_BYTES].map((at) => Number(view.getBigUint64(at)));
    if (view.getUint32(at) === PACK_NAMES && bytes.subarray(from, to).includes(SLASH)) return true;
  }
  return false;
}
