/** What becomes of a path that is not as it was. */
import { OPEN_MODE, type Thing, value_of } from "./thing.ts";

/** What a path shall be instead of what it is. */
export type GuardVerdict =
  | { readonly kind: "fine" }
  /** It is not there anymore, or is not a folder, and so what was in it is not looked for. */
  | { readonly kind: "gone" }
  | { readonly kind: "back"; readonly thing: Thing | null; readonly keys?: readonly string[] };

export const FINE: GuardVerdict = { kind: "fine" };

/** Of a folder of git's that is new: git enters one that can't be listed, so it is opened, to be looked into. */
export function of_folder(now: Extract<Thing, { kind: "folder" }>): GuardVerdict {
  return (now.mode & OPEN_MODE) === OPEN_MODE
    ? FINE
    : { kind: "back", thing: { ...now, mode: now.mode | OPEN_MODE } };
}

/** The folder of a worktree lies two below git's own (git-worktree(1)). */
const COMMON_OF_WORKTREE = "../..";

/** Whether a worktree's `commondir` leads to the repository that it is in. */
export function is_worktree_common(thing: Thing | null): boolean {
  return thing?.kind === "file" && value_of(thing.bytes) === COMMON_OF_WORKTREE;
}
