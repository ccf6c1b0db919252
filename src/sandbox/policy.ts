/** What the tools, and everything the shell starts, may do. Plain data: it crosses a thread border. */
export interface Policy {
  /** The workspace, its real path. Always writable. */
  readonly workspace: string;
  /** The run's private temporary folder, its real path. Always writable; `TMPDIR` of every child. */
  readonly tmp: string;
  /** Where tool output too long for the model is kept in full. Writable; kept after the run. */
  readonly spill: string;
  /** Further files and folders that may be written (real paths), or `"all"`. */
  readonly write: readonly string[] | "all";
  /** `"none"`: no sockets beyond the process's own; `"all"`: everything. */
  readonly net: "none" | "all";
  /** The whole environment of every child. */
  readonly env: Readonly<Record<string, string>>;
  /** `"off"` only where the person asked for it: nothing is enforced by the kernel. */
  readonly sandbox: "auto" | "off";
}
