/** What makes Git show other content or history than was committed: replaced objects (git-replace(1)) and grafts (gitrepository-layout(5)). */
import { real_or } from "../config/paths.ts";
import { names_in, text_of } from "../permission/paths.ts";

/** Where `git pack-refs` moves them: `ID refs/replace/ID`. */
const PACKED = /^([0-9a-f]+) (refs\/replace\/[0-9a-f]+)$/gm;

/** All that there is in these folders of git, by its path, with what it says. */
export function replaced_in(git_folders: readonly string[]): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const folder of new Set(git_folders.map((one) => real_or(one)))) {
    for (const [, id = "", ref = ""] of text_of(`${folder}/packed-refs`).matchAll(PACKED)) {
      found.set(`${folder}/${ref}`, id);
    }
    const loose = names_in(`${folder}/refs/replace`).map((name) => `refs/replace/${name}`);
    for (const name of [...loose, "info/grafts"]) {
      const text = text_of(`${folder}/${name}`).trim();
      if (text !== "") found.set(`${folder}/${name}`, text);
    }
  }
  return found;
}
