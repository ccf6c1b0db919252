/** Where a grant reaches beyond its folder: Landlock identifies a folder by its inode and goes up through mounts, so other names count, too. */
import { is_inside } from "../../config/paths.ts";
import { linux_libc } from "../kernel/libc.ts";
import { look_at } from "../kernel/statx.ts";
import { doubled_mounts, type Mounts, other_names } from "./other_names.ts";

/** Both empty on most machines. */
interface OtherReach {
  readonly names: readonly string[];
  /** What is mounted below one of these, and not below the folder itself. */
  readonly mounts: readonly string[];
}

/** What is mounted now, for more than one question; empty where nothing is reached by two ways, as on most machines. */
export function mounts_now(): Mounts {
  const libc = linux_libc();
  return libc === null ? new Map() : doubled_mounts(libc);
}

/** Where grants for these (real paths) reach besides. */
export function other_reach(folders: readonly string[], mounts = mounts_now()): OtherReach {
  const libc = linux_libc();
  if (libc === null || mounts.size === 0) return { names: [], mounts: [] };
  const names: string[] = [], found: string[] = [];
  for (const folder of folders) {
    const own = look_at(libc, folder)?.identity;
    const others = other_names(libc, [folder], mounts).filter((name) =>
      name !== folder && own !== undefined && look_at(libc, name)?.identity === own
    );
    names.push(...others);
    for (const name of others) {
      for (const [at, mount] of mounts) {
        if (at === name || !is_inside(at, name)) continue;
        if ([...folders, ...found].some((place) => is_inside(at, place))) continue;
        // A recursive bind shows the same there.
        const rest = at.slice(name === "/" ? 0 : name.length);
        const twin = mounts.get(folder + rest);
        if (twin?.device !== mount.device || twin?.shown !== mount.shown) found.push(at);
      }
    }
  }
  return { names: [...new Set(names)], mounts: found };
}

/** These folders (real paths), and where else what is written in them is found. */
export function with_other_reach(folders: readonly string[]): readonly string[] {
  const { names, mounts } = other_reach(folders);
  return [...folders, ...names, ...mounts];
}
