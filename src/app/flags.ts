/** What the user asks of one run beyond its settings. */

/** The flags that are not settings, with their defaults filled in; the help in `cli/args/flags.ts` says what each does. */
export interface Flags {
  readonly output: "text" | "json" | "jsonl";
  readonly quiet: boolean;
  readonly verbose: boolean;
  readonly very_verbose: boolean;
  readonly answer_file?: string;
  readonly log_file?: string;
  readonly junit?: string;
  readonly code_quality?: string;
  readonly artifacts?: string;
  readonly task_file?: string;
  readonly index?: number;
  readonly as_html: boolean;
  readonly as_markdown: boolean;
  readonly as_junit: boolean;
  readonly no_color: boolean;
  /** False: partial exits with 0 instead of 2. */
  readonly exit_code_on_partial: boolean;
  readonly sandbox: "auto" | "off";
  /** `--read-only`: nothing can write the workspace. Absent: not said. */
  readonly read_only?: boolean;
  /** `--rubric`: as given on the way in, the text itself once `run` has read it. */
  readonly rubric?: string;
  /** `--system`: more rules for the model; as given on the way in, the text itself once `run` has read it. */
  readonly system?: string;
  /** `--output-schema`: a file on the way in, then its JSON Schema in one line. */
  readonly output_schema?: string;
  readonly only_tools?: readonly string[];
  readonly session_id?: string;
  readonly dry_run: boolean;
  readonly steer: boolean;
  readonly resume?: string;
  readonly fork?: string;
  readonly continue: boolean;
  readonly step?: number;
  readonly since?: number;
  readonly redo: boolean;
  readonly network: boolean;
  readonly stat: boolean;
  readonly binary: boolean;
  readonly force: boolean;
  /** `--tools` of `replay`: what they said is read from the recording, or they work in a copy of the workspace. */
  readonly tools: "recorded" | "real";
  readonly global: boolean;
  readonly all: boolean;
  readonly yes: boolean;
  readonly bundle: boolean;
  readonly deny_read: readonly string[];
  readonly add_dir: readonly string[];
  /** `--fail-on` of `review`: the least finding that makes it exit with 2. Absent: any. */
  readonly fail_on?: "error" | "warning" | "note";
  readonly command?: string;
  readonly agent?: string;
  readonly mcp_config: readonly string[];
  /** MCP servers that an editor hands over, as JSON in the format of `--mcp-config`; absent: none. */
  readonly mcp_handed?: string;
  /** `-C`, as given. `workspace_dir` makes it a real path. */
  readonly directory?: string;
  readonly images: readonly string[];
  readonly config?: string;
}

export const FLAG_DEFAULTS: Flags = {
  output: "text",
  quiet: false,
  verbose: false,
  very_verbose: false,
  as_html: false,
  as_markdown: false,
  as_junit: false,
  no_color: false,
  exit_code_on_partial: true,
  sandbox: "auto",
  dry_run: false,
  steer: false,
  continue: false,
  network: false,
  redo: false,
  stat: false,
  binary: false,
  force: false,
  tools: "recorded",
  global: false,
  all: false,
  yes: false,
  bundle: false,
  deny_read: [],
  add_dir: [],
  images: [],
  mcp_config: [],
};
