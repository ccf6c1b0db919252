/** Removes what `put_beside()` of a killed process has left. On the main thread, so without `node:fs`, which takes 16 ms to load. */
import { names_in } from "./paths.ts";

/** How the name of a file that has no final name yet begins, and that of the note which names it. */
export const MADE = ".hamr-", HALF = ".half-";
const OURS = /\/\.hamr-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
/** What is longer leads nowhere (PATH_MAX). */
const LONGEST_PATH = 4096;

/** Takes away what a process that was killed had not given its name yet, by its notes. A command may have written those, too. */
export function clear_halves(folder: string): void {
  for (const name of names_in(folder)) {
    if (!name.startsWith(HALF)) continue;
    try {
      const note = `${folder}/${name}`;
      const { isFile, size } = Deno.lstatSync(note);
      if (!isFile || size > LONGEST_PATH) continue;
      const made = Deno.readTextFileSync(note);
      if (OURS.test(made) && Deno.lstatSync(made).isFile) Deno.removeSync(made);
    } catch {
      // It has got its name, or cannot be taken away.
    }
  }
}
