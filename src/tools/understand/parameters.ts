/** What other agents call the arguments of their tools. The agents are those of `names.ts`. */
import { bare_letters } from "./names.ts";

/** The words for one argument of ours, besides our own. Capitals, `_` and `-` make no difference. */
type Words = Readonly<Record<string, readonly string[]>>;

/** Claude Code and most others; opencode; gemini-cli and qwen-code before; Cursor; Copilot. */
const PATH = [
  ...["file_path", "filename", "file_name", "file", "absolute_path", "abs_path", "target_file"],
  ...["relative_path", "uri", "path_name"],
];
/** gemini-cli, codex; Cursor; others. */
const FOLDER = [
  ...["dir_path", "directory", "dir", "folder", "directory_path", "relative_workspace_path"],
  ...["target_directory", "root"],
];

const PARAMETERS = {
  read: {
    path: [...PATH, ...FOLDER],
    offset: [
      // gemini-cli, Copilot; others; Cursor; others.
      ...["start_line", "line_start", "start_line_one_indexed", "start", "from_line", "line"],
      ...["line_number", "begin_line", "first_line", "start_line_number_base_zero"],
    ],
    limit: ["num_lines", "line_count", "max_lines", "count", "head_limit", "max_results"],
    end: [
      ...["end_line", "line_end", "end_line_one_indexed", "end_line_one_indexed_inclusive"],
      ...["to_line", "end", "last_line"],
    ],
    range: ["view_range", "line_range", "lines", "range"],
    search: ["pattern", "query", "regex", "search_term", "search_query"],
  },
  list: { path: [...FOLDER, ...PATH], recursive: [] },
  grep: {
    path: [...FOLDER, ...PATH],
    search: ["pattern", "query", "regex", "search_pattern", "search_term"],
    files: ["glob", "include", "include_pattern", "file_pattern", "includes"],
    limit: ["head_limit", "max_results", "max_count", "total_max_matches", "max_matches"],
    insensitive: ["-i", "case_insensitive", "ignore_case"],
    sensitive: ["case_sensitive"],
  },
  glob: {
    path: [...FOLDER],
    pattern: ["glob_pattern", "query", "glob", "file_pattern", "patterns"],
    limit: ["max_results", "head_limit"],
  },
  edit: {
    path: PATH,
    old: [
      ...["old_string", "old_str", "old_text", "search", "search_text", "find", "search_string"],
    ],
    new: ["new_string", "new_str", "new_text", "replace", "replacement", "replace_with"],
    all: ["replace_all", "allow_multiple", "replace_all_occurrences"],
    expected: ["expected_replacements", "expected_occurrences"],
  },
  multi_edit: { path: PATH, edits: ["replacements", "changes"] },
  write: {
    path: PATH,
    content: ["contents", "file_text", "text", "file_content", "file_contents", "code_content"],
  },
  editor: {
    path: PATH,
    command: ["action", "cmd"],
    content: ["file_text", "contents", "text"],
    old: ["old_str", "old_string"],
    new: ["new_str", "new_string", "insert_text"],
    line: ["insert_line"],
    range: ["view_range"],
  },
  bash: {
    command: ["cmd", "script", "command_line", "bash_command", "shell_command", "commands"],
    timeout: ["timeout_s", "timeout_sec", "timeout_secs", "timeout_seconds"],
    milliseconds: ["timeout_ms", "timeout_msec", "timeout_milliseconds"],
    workdir: [
      ...["cwd", "working_directory", "working_dir", "work_dir", "directory", "dir_path"],
    ],
    background: ["is_background", "run_in_background"],
    id: ["bash_id", "shell_id"],
    end: ["kill", "stop"],
  },
  background: { id: ["bash_id", "shell_id"], end: ["kill", "stop"], timeout: [] },
  end_background: { id: ["bash_id", "shell_id"] },
  apply_patch: {
    input: ["patch", "patch_text", "diff", "content", "patch_content", "command", "cmd"],
    workdir: ["cwd", "working_directory"],
  },
  insert_lines: { path: PATH, line: [], text: [] },
  todo: { items: ["todos", "plan", "tasks", "todo_list"] },
  delegate_task: { task: ["prompt", "instructions"], tools: [] },
  clarify: { question: [], choices: ["options", "follow_up"], questions: [] },
  search_memory: { query: ["search", "text", "keywords"] },
  save_memory: {
    fact: ["content", "memory", "text", "note"],
    replaces: ["replace", "old_fact"],
    scope: [],
  },
  view_image: { path: PATH },
  skill: { name: ["skill", "command", "skill_name"] },
  web_fetch: { url: ["uri", "address"], find: ["prompt", "query"], offset: ["start_index"] },
} as const satisfies Readonly<Record<string, Words>>;

/** Prose that goes with a call, for the user: it asks for nothing. */
const PROSE = new Set(
  [
    ...["description", "explanation", "reason", "reasoning", "rationale", "justification"],
    ...[
      "thought",
      "thoughts",
      "instruction",
      "purpose",
      "intent",
      "comment",
      "goal",
      "security_risk",
    ],
    ...["requires_approval", "task_progress", "tool_summary", "summary", "title"],
  ].map(bare_letters),
);

/** What only says how the other agent is to run, show or ask; without it the answer is the same, or holds more. */
const MANNERS = {
  read: ["should_read_entire_file", "encoding", "language"],
  list: ["respect_git_ignore", "respect_gemini_ignore", "file_filtering_options"],
  grep: ["output_mode", "-n", "is_regexp", "fixed_strings", "names_only", "use_regex"],
  glob: ["respect_git_ignore", "respect_gemini_ignore", "case_sensitive", "sort"],
  bash: [
    ...["login", "yield_time_ms", "max_output_tokens", "is_input", "tty", "shell", "restart"],
    ...["with_escalated_permissions", "sandbox_permissions", "require_user_approval"],
  ],
  todo: ["merge"],
  delegate_task: ["subagent_type", "agent", "model", "name"],
} as const satisfies Readonly<Record<string, readonly string[]>>;

/** What `read` cannot do; the rest of the call can be done, and what was left out is said. */
const LEFT_OUT = {
  list: ["ignore", "depth", "max_depth", "offset", "limit", "show_hidden"],
  grep: [
    ...["-A", "-B", "-C", "context", "before", "after", "type", "multiline", "offset", "no_ignore"],
    ...["exclude_pattern", "exclude"],
  ],
} as const satisfies Readonly<Record<string, readonly string[]>>;

/** What a word means among the arguments of a kind of call. */
type Sense =
  | { readonly kind: "ours"; readonly name: string }
  | { readonly kind: "prose" }
  | { readonly kind: "left_out" }
  | { readonly kind: "unknown" };

const SENSES: ReadonlyMap<string, ReadonlyMap<string, string>> = new Map(
  Object.entries(PARAMETERS).map(([kind, words]) => [
    kind,
    // What is named first wins: our own words come before all others.
    new Map(
      Object.entries(words).flatMap(([ours, theirs]) =>
        [...theirs].map((word) => [bare_letters(word), ours] as const)
      ).concat(Object.keys(words).map((ours) => [bare_letters(ours), ours] as const)),
    ),
  ]),
);

export function sense_of(kind: string, word: string): Sense {
  const name = SENSES.get(kind)?.get(bare_letters(word));
  if (name !== undefined) return { kind: "ours", name };
  if (PROSE.has(bare_letters(word)) || stands_in(MANNERS, kind, word)) return { kind: "prose" };
  return { kind: stands_in(LEFT_OUT, kind, word) ? "left_out" : "unknown" };
}

function stands_in(words: Words, kind: string, word: string): boolean {
  return (Object.hasOwn(words, kind) ? words[kind] ?? [] : [])
    .some((one) => bare_letters(one) === bare_letters(word));
}
