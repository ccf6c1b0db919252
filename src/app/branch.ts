/** The Git branch checked out in a folder, read from Git's files: that takes no program and no right to run one. */
import { attempt } from "../config/attempt.ts";
import { repository_root } from "../permission/paths.ts";
import { is_file } from "../config/paths.ts";
import { read_inside } from "../sandbox/kernel/read_inside.ts";

const FRESH_MS = 1000;
/** Bytes of a path, and some words before it. */
const MOST_BYTES = 4200;

export function branch_of(folder: string): string | null {
  const root = repository_root(folder);
  if (root === null) return null;
  return attempt(() => {
    const git = is_file(`${root}/.git`) ? linked(root) : `${root}/.git`;
    const head = text_of(`${git}/HEAD`).trim();
    return /^ref: refs\/heads\/(.+)$/.exec(head)?.[1] ?? head.slice(0, 8);
  }, null);
}

/** The branch, looked up once a second, for a screen that asks with every frame. */
export function branch_now(folder: string): () => string | null {
  let at = -Infinity;
  let branch: string | null = null;
  return () => {
    if (performance.now() - at < FRESH_MS) return branch;
    at = performance.now();
    return branch = branch_of(folder);
  };
}

/** Where the files of a worktree, or of a submodule, are. */
function linked(root: string): string {
  const [, path = ""] = /^gitdir: (.+)$/m.exec(text_of(`${root}/.git`)) ?? [];
  return path.startsWith("/") ? path : `${root}/${path}`;
}

/** A worktree's is elsewhere. Somebody may have put a pipe there, which would never end, or a link. */
function text_of(file: string): string {
  const bytes = read_inside(file, { folder: "/", most: MOST_BYTES });
  if (bytes === null) throw new Deno.errors.NotFound();
  return new TextDecoder().decode(bytes);
}
