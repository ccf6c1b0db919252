/** The folders of a tree as they were last looked at, and what is known of each file. */
import type { FileSlot, Folder, Was } from "./look_types.ts";
import { is_known_in_git, KnownContents } from "./known_contents.ts";
import { changed_since, names_in_block, OWN, STAT_WORDS } from "./folders.ts";

/** Paths are relative to the top of the tree, those of folders with `/` at the end; its own is empty. */
export class WatchedTree {
  readonly folders = new Map<string, Folder>();
  readonly known = new KnownContents();

  /** What ignore rules cover, a folder standing for all in it, with `/` at its end. */
  ignored(): readonly string[] {
    return [...this.folders].flatMap(([path, { ignored }]) => ignored.map((name) => path + name));
  }

  /** Every file, and what is known of it; in the folders that are `covered` only those that git has no content for. */
  *files(covered: (folder: string) => boolean): Generator<[path: string, was: Was]> {
    for (const [path, { names, looks }] of this.folders) {
      const is_covered = covered(path);
      let all_in_git = is_covered;
      for (let at = OWN; at < looks.length; at += STAT_WORDS) {
        all_in_git &&= is_known_in_git(looks[at]!);
      }
      if (all_in_git) continue;
      for (const [nth, name] of names_in_block(names).entries()) {
        if (is_covered && is_known_in_git(looks[nth * STAT_WORDS + OWN]!)) continue;
        yield [path + name, this.known.was({ looks, at: nth * STAT_WORDS })];
      }
    }
  }

  /** Every file, and whether it may have come or changed since, in milliseconds since 1970: it, or a folder that it is in. */
  *changed_since(ms: number): Generator<[path: string, changed: boolean]> {
    for (const [path, folder] of this.folders) {
      let moved = false;
      for (let at = path.indexOf("/"); at >= 0; at = path.indexOf("/", at + 1)) {
        const above = this.folders.get(path.slice(0, at + 1));
        moved ||= above !== undefined && changed_since(above.own, 0, ms);
      }
      for (const [nth, name] of names_in_block(folder.names).entries()) {
        yield [path + name, moved || changed_since(folder.looks, nth * STAT_WORDS, ms)];
      }
    }
  }

  /** `near`: the folder of the last one that was asked for; most are in the same. */
  place(path: string, near: { folder?: Folder; places: Map<string, FileSlot> }): FileSlot | null {
    const slash = path.lastIndexOf("/") + 1;
    const folder = this.folders.get(path.slice(0, slash));
    if (folder === undefined) return null;
    if (folder !== near.folder) {
      Object.assign(near, { folder, places: new Map(file_places(folder)) });
    }
    return near.places.get(path.slice(slash)) ?? null;
  }
}

/** The names of a folder's files, and where what is known of each stands. */
export function file_places({ names, looks }: Folder): [name: string, place: FileSlot][] {
  return names_in_block(names).map((name, nth) => [name, { looks, at: nth * STAT_WORDS }]);
}
