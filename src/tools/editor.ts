/** The editor that hamr was started from, if it shares its files. */

/** What it is asked: for its text of a file, or to put one there. */
export interface EditorRequest {
  /** Absolute, with no link in it. */
  readonly path: string;
  /** Absent: it is asked for its own. */
  readonly content?: string;
}

export interface EditorFiles {
  readonly writes: boolean;
  /** Its text, or the one that it has put there; null: it did not answer, or can't. Never throws. */
  ask(request: EditorRequest): Promise<string | null>;
}
