import { attempt } from "../config/attempt.ts";
import { AT_FDCWD } from "../sandbox/kernel/fcntl.ts";
import { open_libc } from "../sandbox/kernel/libc.ts";
import type { Lent, Policy } from "../sandbox/policy.ts";
import { exists } from "./paths.ts";
import { put_beside } from "./put_beside.ts";

/**
 * Puts into the workspace's cache folder what is lent of the user's own caches. To be called on the thread that the kernel
 * restricts: commands of an earlier run may have put links into that folder that lead anywhere. What can't be lent is not
 * worth a word: the tool then makes its own.
 */
export function lend(policy: Policy): void {
  for (const lent of policy.lent ?? []) {
    // It is gone, or something of another kind is in its place.
    attempt(() => lend_one(lent));
  }
}

function lend_one({ at, from, as }: Lent): void {
  const link = attempt(() => Deno.readLinkSync(at), null);
  switch (as) {
    case "link":
      // What the tool has made itself, while the network was open, stays.
      if (link === from || link === null && exists(at)) return;
      if (link !== null) Deno.removeSync(at);
      make_folder_of(at);
      // Deno's own call wants the right to read and write everything.
      open_libc().call("symlinkat", [from, AT_FDCWD, at]);
      return;
    case "copy":
      if (link === null && !is_older(at, from)) return;
      make_folder_of(at);
      // In the place of whatever is there: a pipe would be waited for.
      return put_beside(at, (made) => Deno.copyFileSync(from, made));
    case "nothing":
      if (link !== null) Deno.removeSync(at);
      return;
  }
}

function make_folder_of(path: string): void {
  Deno.mkdirSync(path.slice(0, path.lastIndexOf("/")), { recursive: true, mode: 0o700 });
}

function is_older(path: string, other: string): boolean {
  const time = (file: string) => exists(file) ? Deno.statSync(file).mtime?.getTime() ?? 0 : -1;
  return time(path) < time(other);
}
