/**
 * What the tools really did: a row a fact. Gates read the ledger, never the model's prose.
 *
 * `before` and `after` are content hashes (hex); null where the file did not exist.
 */
export type Row =
  | {
    readonly kind: "file";
    readonly step: number;
    /** Id of the call that changed it; null where a background process did. */
    readonly call: string | null;
    readonly path: string;
    readonly before: string | null;
    readonly after: string | null;
  }
  | {
    readonly kind: "command";
    readonly step: number;
    readonly call: string;
    readonly command: string;
    /** Null where it was ended by a signal or a time limit. */
    readonly exit_code: number | null;
    /** Hash of its whole output. */
    readonly output: string;
  }
  | {
    /** A call of a mutating tool (`edit`, `write`), whether it worked or not. */
    readonly kind: "attempt";
    readonly step: number;
    readonly call: string;
    readonly tool: string;
    readonly ok: boolean;
  }
  | {
    /** A call that a dry run did not run: it stands for what it would have done. */
    readonly kind: "planned";
    readonly step: number;
    readonly call: string;
    readonly tool: string;
  }
  | {
    /** The verify command, run by `hamr` itself after a turn. */
    readonly kind: "verification";
    readonly step: number;
    readonly command: string;
    readonly exit_code: number | null;
    /** The end of its output, for the repair turn. */
    readonly tail: string;
  };

/** A fact for the ledger as a tool knows it: without step and call, which are the main thread's. */
export type Fact =
  | {
    readonly kind: "file";
    /** Relative to the workspace where it lies inside. */
    readonly path: string;
    /** Content hashes (hex); null where there is no file. */
    readonly before: string | null;
    readonly after: string | null;
  }
  | {
    readonly kind: "command";
    readonly command: string;
    /** Null where a signal or a time limit ended it. */
    readonly exit_code: number | null;
    /** Hash of the whole output. */
    readonly output: string;
  };
