/**
 * What other agents call their tools, and which of ours each one is. Models were taught these names and fall back on them.
 * By their documentation and sources: Claude Code (tool list of its documentation), openai/codex (codex-rs/core/src/tools),
 * opencode (packages/opencode/src/tool), google-gemini/gemini-cli (packages/core/src/tools/definitions/base-declarations.ts),
 * QwenLM/qwen-code (packages/core/src/tools), OpenHands (openhands/agenthub/codeact_agent/tools), SWE-agent and Anthropic's text
 * editor (`str_replace_editor`), cline (src/core/prompts/system-prompt/tools) with its descendants, Cursor and Copilot (names as
 * their models print them). aider has no tools: its models write edits as text.
 */

/** Each kind with its names. Capitals, `_` and `-` make no difference. */
const NAMES = {
  // Claude Code; codex, gemini-cli, qwen-code, cline, Cursor, Copilot; crush; windsurf.
  read: ["Read", "read_file", "view", "view_file", "open_file"],
  // Claude Code, opencode; codex, Cursor, Copilot; gemini-cli, qwen-code; cline.
  list: ["LS", "list", "list_dir", "list_directory", "list_files", "list_folder"],
  // Claude Code, opencode; gemini-cli, qwen-code, Cursor, Copilot; gemini-cli before; cline; codex.
  grep: ["Grep", "grep_search", "search_file_content", "search_files", "grep_files", "ripgrep"],
  // Claude Code, opencode, gemini-cli, qwen-code; Cursor, Copilot.
  glob: ["Glob", "glob_search", "file_search", "find_files"],
  // Claude Code, opencode, qwen-code; gemini-cli; OpenHands and others; Cursor; Copilot; goose.
  edit: [
    ...["Edit", "edit_file", "replace", "str_replace", "search_replace", "replace_string_in_file"],
    ...["string_replace", "search_and_replace"],
  ],
  multi_edit: ["MultiEdit"],
  // Claude Code, opencode; gemini-cli, qwen-code; Copilot; cline.
  write: ["Write", "write_file", "create_file", "write_to_file", "create"],
  // SWE-agent and OpenHands; Anthropic; OpenHands' SDK; goose.
  editor: ["str_replace_editor", "str_replace_based_edit_tool", "file_editor", "text_editor"],
  // Claude Code, SWE-agent; codex; gemini-cli, qwen-code; OpenHands; cline; Cursor; Copilot.
  bash: [
    ...["Bash", "shell", "shell_command", "exec_command", "local_shell", "container.exec", "exec"],
    ...["run_shell_command", "execute_bash", "terminal", "execute_command", "run_command"],
    ...["run_terminal_cmd", "run_terminal_command", "run_in_terminal", "run_bash", "sh"],
  ],
  // Claude Code.
  background: ["BashOutput", "bash_output"],
  end_background: ["KillShell", "KillBash", "kill_shell"],
  // codex, cline, Copilot; opencode's `patch` is the same.
  apply_patch: ["apply_patch", "patch"],
  // Claude Code, opencode; qwen-code; gemini-cli; codex; OpenHands.
  todo: ["TodoWrite", "todo_write", "write_todos", "update_plan", "todo_list"],
  // Claude Code, opencode, qwen-code.
  delegate_task: ["Task", "Agent"],
  // Claude Code; cline; gemini-cli, qwen-code; codex; Copilot.
  clarify: [
    ...["AskUserQuestion", "ask_followup_question", "ask_user", "request_user_input"],
    ...["ask_questions", "ask_question"],
  ],
  search_memory: [],
  save_memory: [],
  view_image: [],
  // Claude Code.
  skill: ["Skill"],
  // Claude Code, opencode; gemini-cli, qwen-code; Copilot.
  web_fetch: ["WebFetch", "fetch_url", "fetch_webpage", "fetch"],
};

/** What kind of call a name stands for. Several kinds come to the same tool of ours, by different arguments. */
export type CallKind = keyof typeof NAMES;

/** Kinds whose call gives a time limit in milliseconds under the name `timeout`: Claude Code, codex, qwen-code, Copilot. */
const MILLISECONDS = new Set([
  ...["Bash", "shell", "shell_command", "local_shell", "container.exec", "run_shell_command"],
  "run_in_terminal",
]);

/** What is before a name where a model writes its namespace (codex and GPT models: `functions.`; Gemini: `default_api.`). */
const NAMESPACE = /^(?:functions?|tools?|default_api)[._:/]+/i;

const KINDS: ReadonlyMap<string, CallKind> = new Map(
  (Object.entries(NAMES) as [CallKind, readonly string[]][]).flatMap(([kind, names]) =>
    [kind, ...names].map((name) => [bare_letters(name), kind] as const)
  ),
);

/** A word without what agents spell differently. */
export function bare_letters(word: string): string {
  return word.toLowerCase().replace(/[^a-z0-9]/g, "");
}

const bare = (name: string) => name.replace(NAMESPACE, "");

/** The kind of call that a name stands for; undefined for an unknown one. */
export function call_kind_of(name: string): CallKind | undefined {
  // A tool of an MCP server is that server's, whatever it is called (`github__search_files`).
  return name.includes("__") ? undefined : KINDS.get(bare_letters(bare(name)));
}

/** Our tool for each kind that is not called like one. */
const TOOLS: Partial<Record<CallKind, string>> = {
  list: "read",
  grep: "read",
  glob: "read",
  end_background: "background",
  multi_edit: "edit",
  editor: "edit",
};

export function tool_of_kind(kind: string): string {
  return TOOLS[kind as CallKind] ?? kind;
}

/** The offered tool that a name stands for; the name itself if it is not one. A patch is an edit. */
export function our_name(name: string): string {
  const kind = call_kind_of(name);
  return kind === undefined ? name : kind === "apply_patch" ? "edit" : tool_of_kind(kind);
}

/** Whether a bare `timeout` in a call of this name is in milliseconds. `bash` in small letters is ours, and in seconds. */
export function counts_milliseconds(name: string): boolean {
  return MILLISECONDS.has(bare(name));
}
