/** What the user asks of one run beyond its settings. */

/** The flags that are not settings, with their defaults filled in. */
export interface Flags {
  readonly output: "text" | "json" | "jsonl";
  readonly quiet: boolean;
  readonly verbose: boolean;
  /** `-vv`: a line a request, too. */
  readonly very_verbose: boolean;
  /** `-o`: the answer goes to this file, too. */
  readonly answer_file?: string;
  /** Write the log to this file, a JSON object a line. */
  readonly log_file?: string;
  /** `--junit` of a run: a file for the result as JUnit XML. */
  readonly junit?: string;
  /** `--code-quality`: a file for the faults of the last verification, or of a review, as GitLab reads them. */
  readonly code_quality?: string;
  /** `--artifacts`: a folder for all there is to keep of a run. */
  readonly artifacts?: string;
  /** `--task-file`: tasks, a JSON object a line, of which this process does one. */
  readonly task_file?: string;
  /** `--index`: which of them, from 0. */
  readonly index?: number;
  /** What `hamr report` prints. */
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
  /** `--tools` of `run`: only these are offered and run. */
  readonly only_tools?: readonly string[];
  /** `--session-id`: the new session has this one. */
  readonly session_id?: string;
  /** Nothing is changed: what would have been done is listed. */
  readonly dry_run: boolean;
  /** Lines of standard input are messages to the run. */
  readonly steer: boolean;
  /** `--resume`: the id of a session, or its beginning. */
  readonly resume?: string;
  /** `--fork`: likewise; it stays as it is. */
  readonly fork?: string;
  readonly continue: boolean;
  /** `--step`: of a session, to show or put back what it did. */
  readonly step?: number;
  /** `--since`: likewise, and all later ones. */
  readonly since?: number;
  /** `--redo`: the last undo is taken back. */
  readonly redo: boolean;
  /** `--network` of `doctor`: every address that is asked. */
  readonly network: boolean;
  /** `--stat` of `diff`: how much of each file, not what. */
  readonly stat: boolean;
  /** `--binary` of `diff`: files that are not text as well, as git takes them. */
  readonly binary: boolean;
  /** Put back even what someone else has changed. */
  readonly force: boolean;
  /** `--tools` of `replay`: what they said is read from the recording, or they work in a copy of the workspace. */
  readonly tools: "recorded" | "real";
  /** Facts that hold everywhere, instead of those of the workspace. */
  readonly global: boolean;
  /** Sessions of all workspaces, instead of one. */
  readonly all: boolean;
  /** What cannot be undone is done without a question. */
  readonly yes: boolean;
  /** `sessions export`: what a bug report needs, without secrets. */
  readonly bundle: boolean;
  /** `--deny-read`: on top of what the settings deny. */
  readonly deny_read: readonly string[];
  /** `--add-dir`: folders to work in besides the workspace, as given. */
  readonly add_dir: readonly string[];
  /** `--fail-on` of `review`: the least finding that makes it exit with 2. Absent: any. */
  readonly fail_on?: "error" | "warning" | "note";
  /** `--command`: the name of a task that is written down; the operands are its arguments. */
  readonly command?: string;
  /** `--agent`: the name of an agent. */
  readonly agent?: string;
  /** `--mcp-config`: files that name MCP servers, as given. */
  readonly mcp_config: readonly string[];
  /** MCP servers that an editor hands over, as JSON in the format of `--mcp-config`; absent: none. */
  readonly mcp_handed?: string;
  /** `-C`, as given. `workspace_dir` makes it a real path. */
  readonly directory?: string;
  /** `--image`: files that the first message shows, as given. */
  readonly images: readonly string[];
  /** `--config`, as given. */
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
