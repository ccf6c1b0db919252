/** What the user asks of one run beyond its settings. */

/** Those that say yes by being given. */
const SWITCHES = [
  ...[
    "quiet",
    "verbose",
    "very_verbose",
    "no_color",
    "as_html",
    "as_markdown",
    "as_junit",
  ] as const,
  ...["dry_run", "steer", "continue", "redo", "network", "stat", "binary", "force"] as const,
  ...["global", "all", "yes", "bundle"] as const,
] as const;

/** The flags that are not settings, with their defaults filled in; the help in `cli/args/flags.ts` says what each does. */
export interface Flags extends Readonly<Record<(typeof SWITCHES)[number], boolean>> {
  readonly output: "text" | "json" | "jsonl";
  readonly answer_file?: string;
  readonly log_file?: string;
  readonly junit?: string;
  readonly code_quality?: string;
  readonly artifacts?: string;
  readonly task_file?: string;
  readonly index?: number;
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
  readonly resume?: string;
  readonly fork?: string;
  readonly step?: number;
  readonly since?: number;
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

const NOT_GIVEN = Object.fromEntries(SWITCHES.map((name) => [name, false]));
export const FLAG_DEFAULTS: Flags = {
  ...NOT_GIVEN as Record<(typeof SWITCHES)[number], boolean>,
  output: "text",
  exit_code_on_partial: true,
  sandbox: "auto",
  deny_read: [],
  add_dir: [],
  images: [],
  mcp_config: [],
};
