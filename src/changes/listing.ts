/** The workspace before the first command of a run, in the form that is stored. */
import type { Listed, Listing } from "../store/file_state.ts";
import type { GitIndex } from "./git_index.ts";
import type { Look } from "./look.ts";
import type { Stash } from "./stash.ts";

/** What git has as a tree is named by that: of 100,000 files that nobody has touched, one line is left. */
export function listing_of(
  look: Look,
  { index, stash }: { index: GitIndex | null; stash: Stash },
): Listing {
  const trees = index?.trees() ?? [];
  const tops = new Set(trees.map(([folder]) => folder));
  const covered = (folder: string): boolean => {
    for (let at = folder.length; at > 0; at = folder.lastIndexOf("/", at - 2) + 1) {
      if (tops.has(folder.slice(0, at))) return true;
    }
    return tops.has("");
  };
  const gone = tops.size === 0 ? [] : index?.unseen() ?? [];
  const files: Listed[] = gone.map((path) => [path, 0, null]);
  const packs: string[] = [];
  for (const [path, { mode, known }] of look.tree.files(covered)) {
    switch (known.kind) {
      case "git":
        files.push([path, mode, index?.id(known.entry) ?? null]);
        break;
      case "stashed": {
        const [pack, from, length] = stash.place(known.nth);
        if (packs.at(-1) !== pack) packs.push(pack);
        files.push([path, mode, [packs.length - 1, from, length]]);
        break;
      }
      default:
        files.push([path, mode, null]);
    }
  }
  return { files, trees, packs, ...(look.overflow ? { overflow: true } : {}) };
}
