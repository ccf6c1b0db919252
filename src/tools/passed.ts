/** What a look at the workspace passes by. */
import { is_gone } from "./snapshot.ts";

/** What is no file that is watched. Paths relative to the workspace, a folder's with `/` at the end. */
export interface Passed {
  /** Covered by ignore rules; a folder stands for all in it. */
  readonly ignored: string[];
  /** Folders with nothing in them. */
  readonly empty: string[];
  /** Files and folders whose names are no text: nothing can be said of them, or done about them. */
  readonly unnamed: string[];
}

/** Of each. */
const MOST_PASSED = 1000;
/** Stands for bytes that are no UTF-8. */
const NO_TEXT = "\ufffd";

/** Notes a path, if there are not too many. */
export function note(list: string[], path: string): void {
  if (list.length < MOST_PASSED) list.push(path);
}

/** Whether a path that a folder has just listed leads nowhere, because its name is no UTF-8. */
export function has_no_name(full: string): boolean {
  return full.includes(NO_TEXT) && is_gone(full);
}
