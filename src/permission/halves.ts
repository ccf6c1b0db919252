/** What `put_beside()` of a process that was killed has left. The main thread takes it away, so `node:fs` is not loaded here: it takes 16 ms. */
import { sha256 } from "./content_hash.ts";
import { names_in } from "./paths.ts";

/** How the name of a file begins that has not got its own yet, and that of the note which names it. */
export const MADE = ".hamr-", HALF = ".half-";
const OURS = /\/\.hamr-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
/** A path (what is longer leads nowhere: PATH_MAX), and a hash. */
const MOST_BYTES = 4096 + 65;

/**
 * Takes away what a process that was killed had not given its name yet, by its notes, or what it had replaced: but only as it was
 * seen, as it may be what a person has saved since. A command may have written those notes, too.
 */
export function clear_halves(folder: string): void {
  for (const name of names_in(folder)) {
    if (!name.startsWith(HALF)) continue;
    try {
      const note = `${folder}/${name}`;
      const { isFile, size } = Deno.lstatSync(note);
      if (!isFile || size > MOST_BYTES) continue;
      const [made = "", seen] = Deno.readTextFileSync(note).split("\0");
      if (!OURS.test(made) || !Deno.lstatSync(made).isFile) continue;
      if (seen === undefined || sha256(Deno.readFileSync(made)) === seen) Deno.removeSync(made);
    } catch {
      // It has got its name, or cannot be taken away.
    }
  }
}
