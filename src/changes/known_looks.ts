/** Avoids reading a path again while it looks the same. */
import { DENO_TICK_MS as TICK_MS } from "./folders.ts";

/** What a path was found to hold, and how it looked then. */
export interface KnownThing<T> {
  readonly looks: string;
  readonly value: T;
}

/** Takes it again only where it looks different from the last time. */
export function kept_while_same<T>(
  known: Map<string, KnownThing<T>>,
  { path, stat, take }: { path: string; stat: Deno.FileInfo; take: () => T },
): T {
  const looks = looks_of(stat);
  const old = known.get(path);
  if (old?.looks === looks) return old.value;
  const value = take();
  // What changed only just now could change once more and look the same.
  if ((stat.ctime?.getTime() ?? 0) < Date.now() - TICK_MS) known.set(path, { looks, value });
  else known.delete(path);
  return value;
}

/** While that is the same, so is what is there; but for what changed only just now. */
export function looks_of(stat: Deno.FileInfo): string {
  return `${stat.size}:${stat.mtime?.getTime()}:${stat.ctime?.getTime()}:${stat.ino}:${stat.mode}`;
}
