import { deepStrictEqual, match, ok } from "node:assert/strict";
import { understand } from "./understand.ts";

type Args = Readonly<Record<string, unknown>>;
type Row = readonly [name: string, args: Args, tool: string, meant: Args];

function check(rows: readonly Row[]): void {
  for (const [name, args, tool, meant] of rows) {
    const got = understand(name, args);
    const what = `${name} ${JSON.stringify(args)}`;
    ok(got?.kind === "call", `${what}: ${JSON.stringify(got)}`);
    deepStrictEqual([got.name, got.args], [tool, meant], what);
  }
}

const PATCH = "*** Begin Patch\n*** Delete File: a\n*** End Patch";

Deno.test("understand() leaves a call in our own words as it is", () => {
  check([
    ["read", { path: "a.py", offset: 3, limit: 2 }, "read", { path: "a.py", offset: 3, limit: 2 }],
    ["read", { path: ".", search: "x" }, "read", { path: ".", search: "x" }],
    ["bash", { command: "ls", timeout: 36_000 }, "bash", { command: "ls", timeout: 36_000 }],
    ["edit", { path: "a", old: "x", new: "" }, "edit", { path: "a", old: "x", new: "" }],
    ["write", { path: "a", content: "" }, "write", { path: "a", content: "" }],
    // `search` of read is read's own, whatever other agents call so.
    ["edit", { path: "a", old: "", new: "y" }, "edit", { path: "a", old: "", new: "y" }],
    // A patch that is written to a file is its content.
    ["write", { path: "fix.patch", content: PATCH }, "write", {
      path: "fix.patch",
      content: PATCH,
    }],
    ["todo", { items: [{ text: "a", status: "pending" }] }, "todo", {
      items: [{ text: "a", status: "pending" }],
    }],
  ]);
});

Deno.test("understand() takes an empty text that may be left out for none", () => {
  check([
    ["read", { path: "a", search: "", offset: 1 }, "read", { path: "a", offset: 1 }],
    ["read", { path: "a", search: " " }, "read", { path: "a", search: " " }],
    ["web_fetch", { url: "u", find: "" }, "web_fetch", { url: "u" }],
    ["delegate_task", { task: "t", tools: "", agent: "" }, "delegate_task", { task: "t" }],
    ["apply_patch", { input: PATCH, workdir: "" }, "apply_patch", { input: PATCH }],
    ["read_file", { path: "a", search: "", limit: "" }, "read", { path: "a" }],
    ["Bash", { command: "ls", timeout: "" }, "bash", { command: "ls" }],
    ["bash", { command: "ls", id: "" }, "bash", { command: "ls" }],
    ["bash", { command: "", id: "1" }, "background", { id: "1" }],
    ["exec_command", { cmd: "ls", timeout_ms: 0 }, "bash", { command: "ls" }],
    ["read_file", { path: "a", start_line: 0, end_line: 0 }, "read", { path: "a", offset: 1 }],
    ["read_file", { path: "a", start_line: 5, end_line: 0 }, "read", { path: "a", offset: 5 }],
  ]);
});

Deno.test("understand() keeps what is empty and wanted so", () => {
  check([
    ["TodoWrite", { todos: [] }, "todo", { items: [] }],
    ["Write", { file_path: "a", content: "" }, "write", { path: "a", content: "" }],
    ["Edit", { file_path: "a", old_string: "x", new_string: "" }, "edit", {
      path: "a",
      old: "x",
      new: "",
    }],
  ]);
});

Deno.test("understand() leaves commands alone that only hold a patch", () => {
  for (
    const command of [
      `cat > fix.patch <<'EOF'\n${PATCH}\nEOF\ngit apply fix.patch`,
      `git apply <<'EOF'\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\nEOF`,
      `apply_patch <<'EOF'\n${PATCH}\nEOF\necho done`,
      `apply_patch <<'EOF'\n*** Begin Patch\n*** Add File: a\n+x\nEOF\nrm -rf b\n*** End Patch\nEOF`,
      "apply_patch --help",
      "grep -n '*** Begin Patch' README.md",
    ]
  ) check([["bash", { command }, "bash", { command }]]);
});

Deno.test("understand() knows the calls of Claude Code", () => {
  check([
    ["Bash", { command: "ls", description: "List", timeout: 120_000 }, "bash", {
      command: "ls",
      timeout: 120,
    }],
    ["Bash", { command: "ls", run_in_background: false }, "bash", { command: "ls" }],
    ["Bash", { command: "ls", run_in_background: true }, "bash", {
      command: "ls",
      background: true,
    }],
    ["bash", { id: "b1" }, "background", { id: "b1" }],
    ["bash", { command: "ls", timeout: 30_000 }, "bash", { command: "ls", timeout: 30 }],
    ["bash", { command: "ls", timeout: 9_000 }, "bash", { command: "ls", timeout: 9_000 }],
    ["bash", { id: "b1", end: true, timeout: 9 }, "background", {
      id: "b1",
      end: true,
      timeout: 9,
    }],
    ["BashOutput", { bash_id: "b1", filter: "" }, "background", { id: "b1" }],
    ["KillShell", { shell_id: "b1" }, "background", { id: "b1", end: true }],
    ["Read", { file_path: "/w/a.py", offset: 10, limit: 5 }, "read", {
      path: "/w/a.py",
      offset: 10,
      limit: 5,
    }],
    ["Edit", { file_path: "a", old_string: "x", new_string: "y", replace_all: false }, "edit", {
      path: "a",
      old: "x",
      new: "y",
      all: false,
    }],
    ["Edit", { file_path: "a", old_string: "", new_string: "y" }, "write", {
      path: "a",
      content: "y",
    }],
    ["MultiEdit", { file_path: "a", edits: [{ old_string: "x", new_string: "y" }] }, "edit", {
      path: "a",
      old: "x",
      new: "y",
    }],
    ["Write", { file_path: "a", content: "x" }, "write", { path: "a", content: "x" }],
    ["Grep", { pattern: "x", path: "src", output_mode: "content", "-n": true }, "read", {
      path: "src",
      search: "x",
    }],
    ["Grep", { pattern: "x", glob: "*.py", "-i": true }, "read", {
      path: "**/*.py",
      search: "(?i:x)",
    }],
    ["Glob", { pattern: "src/**/*.ts" }, "read", { path: "src/**/*.ts" }],
    ["Glob", { pattern: "a.json", path: "pkg" }, "read", { path: "pkg/**/a.json" }],
    ["Glob", { patterns: ["*.ts", "*.js"], path: "pkg" }, "read", { path: "pkg/{*.ts,*.js}" }],
    ["LS", { path: "/w" }, "read", { path: "/w" }],
    ["TodoWrite", { todos: [{ content: "a", status: "in_progress", activeForm: "A" }] }, "todo", {
      items: [{ text: "a", status: "in_progress" }],
    }],
    ["Task", { description: "d", prompt: "look", subagent_type: "x" }, "delegate_task", {
      task: "look",
    }],
  ]);
});

Deno.test("understand() knows the calls of codex", () => {
  const heredoc = `apply_patch <<'EOF'\n${PATCH}\nEOF`;
  check([
    ["shell", { command: ["ls", "-l"], workdir: "." }, "bash", { command: "ls -l" }],
    ["shell", { command: ["ls"], workdir: "/" }, "bash", { command: "cd / || exit; ls" }],
    ["shell", { command: ["bash", "-lc", "ls | wc"], timeout_ms: 1500 }, "bash", {
      command: "ls | wc",
      timeout: 2,
    }],
    ["shell", { command: ["echo", "it's"] }, "bash", { command: `echo 'it'\\''s'` }],
    ["functions.shell", { cmd: "ls", workdir: "a b" }, "bash", { command: "cd 'a b' || exit; ls" }],
    ["exec_command", { cmd: "ls", yield_time_ms: 1000, login: true }, "bash", { command: "ls" }],
    ["shell", { command: ["apply_patch", PATCH] }, "apply_patch", { input: PATCH }],
    ["shell", { command: ["bash", "-lc", heredoc] }, "apply_patch", { input: PATCH }],
    ["bash", { command: heredoc }, "apply_patch", { input: PATCH }],
    ["bash", { command: `cd sub && ${heredoc}\n` }, "apply_patch", {
      input: PATCH,
      workdir: "sub",
    }],
    ["apply_patch", { input: PATCH }, "apply_patch", { input: PATCH }],
    ["apply_patch", { patch: PATCH }, "apply_patch", { input: PATCH }],
    ["functions.apply_patch", { command: ["apply_patch", PATCH] }, "apply_patch", { input: PATCH }],
    ["update_plan", { plan: [{ step: "a", status: "completed" }], explanation: "x" }, "todo", {
      items: [{ text: "a", status: "completed" }],
    }],
    ["list_dir", { dir_path: "src" }, "read", { path: "src" }],
    ["grep_files", { pattern: "x", include: "*.rs", limit: 5 }, "read", {
      path: "**/*.rs",
      search: "x",
      limit: 5,
    }],
  ]);
});

Deno.test("understand() knows the calls of opencode, gemini-cli, qwen-code, cline, Cursor and Copilot", () => {
  check([
    ["read", { filePath: "a", offset: 0, limit: 9 }, "read", { path: "a", offset: 1, limit: 9 }],
    ["edit", { filePath: "a", oldString: "x", newString: "y", replaceAll: true }, "edit", {
      path: "a",
      old: "x",
      new: "y",
      all: true,
    }],
    ["read_file", { absolute_path: "/w/a" }, "read", { path: "/w/a" }],
    ["read_file", { file_path: "a", start_line: 5, end_line: 8 }, "read", {
      path: "a",
      offset: 5,
      limit: 4,
    }],
    [
      "replace",
      {
        file_path: "a",
        old_string: "x",
        new_string: "y",
        expected_replacements: 2,
        instruction: "i",
      },
      "edit",
      { path: "a", old: "x", new: "y", all: true },
    ],
    ["run_shell_command", { command: "ls", directory: "src" }, "bash", {
      command: "cd src || exit; ls",
    }],
    ["list_directory", { path: "src" }, "read", { path: "src" }],
    ["search_file_content", { pattern: "x", include: "src/*.ts" }, "read", {
      path: "src/*.ts",
      search: "x",
    }],
    ["default_api.read_file", { path: "a" }, "read", { path: "a" }],
    ["execute_command", { command: "ls", requires_approval: false }, "bash", { command: "ls" }],
    ["write_to_file", { path: "a", content: "x" }, "write", { path: "a", content: "x" }],
    ["search_files", { path: "src", regex: "x", file_pattern: "*.ts" }, "read", {
      path: "src/**/*.ts",
      search: "x",
    }],
    ["list_files", { path: "src", recursive: true }, "read", { path: "src/**" }],
    ["run_terminal_cmd", { command: "ls", is_background: false, explanation: "e" }, "bash", {
      command: "ls",
    }],
    [
      "read_file",
      {
        target_file: "a",
        start_line_one_indexed: 2,
        end_line_one_indexed_inclusive: 3,
        should_read_entire_file: false,
      },
      "read",
      { path: "a", offset: 2, limit: 2 },
    ],
    ["readFile", { filePath: "a", startLine: 2, endLine: 2 }, "read", {
      path: "a",
      offset: 2,
      limit: 1,
    }],
    ["create_file", { filePath: "a", content: "" }, "write", { path: "a", content: "" }],
    ["file_search", { query: "main.ts" }, "read", { path: "**/main.ts" }],
  ]);
});

Deno.test("understand() knows the text editor of SWE-agent, OpenHands and Anthropic", () => {
  const editor = (
    args: Args,
    tool: string,
    meant: Args,
  ): Row => ["str_replace_editor", { path: "a", ...args }, tool, { path: "a", ...meant }];
  check([
    editor({ command: "view" }, "read", {}),
    editor({ command: "view", view_range: [3, 5] }, "read", { offset: 3, limit: 3 }),
    editor({ command: "view", view_range: [3, -1] }, "read", { offset: 3 }),
    editor({ command: "view", view_range: "[3, 5]", security_risk: "LOW" }, "read", {
      offset: 3,
      limit: 3,
    }),
    editor({ command: "create", file_text: "x" }, "write", { content: "x" }),
    editor({ command: "str_replace", old_str: "x", new_str: "y", insert_line: null }, "edit", {
      old: "x",
      new: "y",
    }),
    editor({ command: "str_replace", old_str: "x" }, "edit", { old: "x", new: "" }),
    editor({ command: "insert", insert_line: 3, new_str: "x" }, "insert_lines", {
      line: 3,
      text: "x",
    }),
    [
      "str_replace_based_edit_tool",
      { command: "insert", path: "a", insert_line: "0", insert_text: "x" },
      "insert_lines",
      { path: "a", line: 0, text: "x" },
    ],
    ["execute_bash", { command: "ls", is_input: "false", timeout: 5000 }, "bash", {
      command: "ls",
      timeout: 5000,
    }],
  ]);
});

Deno.test("understand() knows the ways to say which lines", () => {
  const tabs = "\t".repeat(300_000);
  const lines = (
    args: Args,
    meant: Args,
  ): Row => ["read", { path: "a", ...args }, "read", { path: "a", ...meant }];
  check([
    lines({ line_start: 575 }, { offset: 575 }),
    lines({ line_start: "575", line_end: "580" }, { offset: 575, limit: 6 }),
    lines({ lines: "12-20" }, { offset: 12, limit: 9 }),
    lines({ lines: " [ L12 - L20 ] " }, { offset: 12, limit: 9 }),
    lines({ lines: `x${tabs}` }, { limit: `x${tabs}` }),
    lines({ lines: `${tabs}x` }, { limit: `${tabs}x` }),
    lines({ lines: [12, 20] }, { offset: 12, limit: 9 }),
    lines({ lines: 50 }, { limit: 50 }),
    lines({ offset: 3, lines: 50 }, { offset: 3, limit: 50 }),
    lines({ end_line: 20 }, { limit: 20 }),
    lines({ view_range: [] }, {}),
  ]);
});

Deno.test("understand() names what it does not know, and what contradicts itself; never drops it", () => {
  const faults: readonly (readonly [string, Args, RegExp])[] = [
    [
      "read",
      { path: "a", line_strat: 575 },
      /read takes no "line_strat"; it takes path, offset, limit, search/,
    ],
    ["bash", { command: "ls", stdin: "y" }, /bash takes no "stdin"; it takes command, timeout/],
    ["bash", { command: "ls", id: "b1" }, /has a command, or the id of one that runs already/],
    [
      "edit",
      { path: "a", file_path: "b", old: "x", new: "y" },
      /"file_path" and another argument both give path/,
    ],
    ["str_replace_editor", { command: "undo_edit", path: "a" }, /there is no command "undo_edit"/],
    ["Grep", {}, /needs the text/],
    ["Glob", {}, /needs their pattern/],
    ["Glob", { pattern: { a: "*.ts" } }, /needs their pattern, as text/],
    ["Glob", { pattern: "*.ts", path: { a: 1 } }, /needs their pattern, as text/],
    ["Grep", { pattern: "x", glob: { a: 1 } }, /a file pattern and a path must be text/],
    ["MultiEdit", { file_path: "a", edits: [{}, {}] }, /one replacement a call/],
    ["read", { path: "a", start_line: 9, end_line: 3 }, /before the first/],
    [
      "search_and_replace",
      { path: "a", search: "x", replace: "y", use_regex: true },
      /takes no "use_regex"/,
    ],
  ];
  for (const [name, args, expected] of faults) {
    const got = understand(name, args);
    ok(got?.kind === "fault", `${name} ${JSON.stringify(got)}`);
    match(got.text, expected);
  }
  const grep = understand("Grep", { pattern: "x", "-C": 3 });
  match(grep?.kind === "call" ? grep.notes.join() : "", /takes no "-C": ignored/);
  const limit = understand("bash", { command: "ls", timeout: 120_000 });
  deepStrictEqual(limit?.kind === "call" && [limit.args["timeout"], limit.notes.length], [120, 1]);
});

Deno.test("understand() takes the same argument twice for one, and what asks for nothing for nothing", () => {
  check([
    ["read", { path: "a", file_path: "a", start_line: null, unknown: null, other: false }, "read", {
      path: "a",
    }],
    ["read", { path: "a", offset: 3, start_line: "3" }, "read", { path: "a", offset: 3 }],
    ["bash", { command: "ls", thought: "I look." }, "bash", { command: "ls" }],
  ]);
});

Deno.test("understand() leaves tools alone that are none of ours, those of MCP servers too", () => {
  for (const name of ["github__search_files", "fs__read_file", "cat", "python", "", "finish"]) {
    deepStrictEqual(understand(name, { path: "a" }), null, name);
  }
});

Deno.test("understand() knows the questions of other agents", () => {
  const question = "Which style?";
  check([
    ["clarify", { question, choices: ["a", "b"] }, "clarify", { question, choices: ["a", "b"] }],
    ["ask_followup_question", { question, options: ["a", "b"] }, "clarify", {
      question,
      choices: ["a", "b"],
    }],
    [
      "AskUserQuestion",
      {
        questions: [{ question, header: "Style", options: [{ label: "a", description: "x" }] }],
      },
      "clarify",
      { question, choices: ["a"] },
    ],
    ["request_user_input", { questions: [{ id: "1", question }] }, "clarify", { question }],
  ]);
  const two = understand("AskUserQuestion", { questions: [{ question }, { question }] });
  ok(two?.kind === "fault");
});
