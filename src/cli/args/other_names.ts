/** Flags, values and commands of nine other agents, from their help. Each is refused with hamr's own, since theirs may not do quite the same. */

/** Ours, or in words what to do; then theirs. */
type Row = readonly [ours: string, theirs: string];

const PRINTS = 'hamr run "task" prints its answer anyway; leave it out';
const TASK = 'the task is a plain argument: hamr run "task"';
const COMMITS = "no commits are made anyway; leave it out";
const KEY = "the environment, such as OPENAI_API_KEY: others can see arguments";
const SILENT = "hamr tells nobody of its use and looks for no update; leave it out";

const OURS = table([
  ["--max-steps", "--max-turns --max-session-turns --max-iterations"],
  ["--max-cost", "--max-budget-usd --cost-limit"],
  ["-C", "--cd --cwd --workdir --dir --workspace"],
  ["--add-dir", "--include-directories"],
  ["--output", "--output-format --format"],
  ["-o", "--output-last-message"],
  ["--mode plan, --confirm or --yolo", "--permission-mode --approval-mode"],
  [
    "--confirm",
    "--approval-policy --ask-for-approval -a --approve-for-me --permission-prompt-tool",
  ],
  ["--yolo", "--auto-approve --yes-always --dangerously-skip-permissions --auto"],
  ["--yolo", "--allow-dangerously-skip-permissions -y"],
  ["--yolo with --sandbox off", "--dangerously-bypass-approvals-and-sandbox"],
  ["hamr run asks nothing anyway; leave it out", "--full-auto --non-interactive"],
  ["--tools, and --allow-run for programs", "--allowed-tools --allowedTools"],
  ["--tools, with those that remain", "--disallowedTools --disallowed-tools --no-builtin-tools"],
  ["--tools, with those that remain", "--no-tools -nt -nbt --exclude-tools -xt --core-tools"],
  ["--tools", "-t"],
  ["--allow-read", "--add-read-dir"],
  ["--reasoning-effort", "--effort --reasoning --thinking --thinking-tokens --variant"],
  ["--base-url", "--api-base --openai-api-base --api-url --openai-base-url"],
  ["--verify", "--test-cmd --test"],
  ["--verify CMD, which runs by itself", "--auto-test"],
  ["nothing is tested without --verify; leave it out", "--no-auto-test"],
  ["a post_edit hook in your settings, see hamr help hooks", "--lint-cmd --lint --auto-lint"],
  ["nothing is linted without a hook; leave it out", "--no-auto-lint"],
  ["--mode plan, then hamr resume", "--architect"],
  ["--mode", "--chat-mode"],
  ["--mode plan", "--plan"],
  ["--model", "--opus --sonnet --haiku --deepseek"],
  [COMMITS, "--no-auto-commits --no-dirty-commits --no-git --skip-git-repo-check"],
  [COMMITS, "--git --commit-prompt --attribute-author --attribute-co-authored-by"],
  ["hamr leaves .gitignore alone anyway; leave it out", "--gitignore --no-gitignore"],
  ["--deny-read", "--aiderignore"],
  ["hamr makes no commits: let the task say so", "--auto-commits --dirty-commits --commit"],
  ["a local server is found anyway; leave it out", "--oss --offline"],
  ["--provider", "--local-provider --auth-type"],
  ["[providers.NAME] in your settings", "--model-settings-file --model-metadata-file --alias"],
  ["--config FILE, or --provider", "--profile"],
  ["--fallback PROVIDER/MODEL", "--fallback-model"],
  ["[auxiliary.summary] in your settings", "--weak-model"],
  ["the model edits by tool calls; leave it out", "--edit-format --editor-edit-format"],
  ["one model does it all; leave it out", "--editor-model"],
  ["the model looks for itself; leave it out", "--map-tokens --map-refresh --show-repo-map"],
  ["prompts are made to be cached anyway; leave it out", "--cache-prompts --cache-keepalive-pings"],
  ["--no-save", "--no-session --ephemeral --no-session-persistence"],
  ["hamr acp", "--acp --experimental-acp --ide"],
  ["--resume", "--session --resume-session -r"],
  ["--resume ID for a session; --read-only or --sandbox for what may be done", "-s"],
  ["--fork ID", "--fork-session"],
  ["--continue", "--restore-chat-history"],
  ["hamr resume, which takes the newest session", "--last"],
  ["--session-id", "--conversation-id"],
  ["hamr sessions rename ID NAME, later", "--title --name -n"],
  ["hamr sessions export ID, or hamr report --html ID", "--export --share"],
  ["HAMR_HOME in the environment", "--session-dir"],
  ["--verbose", "--debug -d --print-logs --log-level"],
  ["--log-file", "--debug-file --json-file --llm-history-file"],
  ["hamr sessions show, later", "--chat-history-file --show-prompts"],
  ["hamr diff", "--show-diffs"],
  ["--no-color", "--color --no-pretty --pretty"],
  ["--allow-net", "--search"],
  [PRINTS, "--print -p"],
  [TASK, "--prompt --message --msg"],
  ['cat FILE | hamr run "task" -', "--message-file"],
  ['name the file in the task, or cat FILE | hamr run "task" -', "--file --read -f"],
  [KEY, "--api-key --openai-api-key --anthropic-api-key"],
  ["the environment itself", "--env-file --set-env"],
  ["--ca-file", "--no-verify-ssl --verify-ssl --insecure"],
  ["HTTPS_PROXY in the environment", "--proxy"],
  ["--system", "--system-prompt --append-system-prompt"],
  ["--system @FILE", "--system-prompt-file --append-system-prompt-file"],
  ["--output-schema", "--json-schema"],
  ["--output jsonl, which has all of it; leave it out", "--include-partial-messages"],
  ["--output jsonl, which has all of it; leave it out", "--include-hook-events"],
  ["--steer", "--input-format --replay-user-messages"],
  ["--max-output-tokens", "--max-tokens"],
  ["--timeout", "--max-wall-time --max-session-time"],
  ["hamr config trust", "--trust --approve --dangerously-bypass-hook-trust"],
  ["nothing runs that you have not trusted; leave it out", "--no-approve -na"],
  ["--read-only, --allow-write and --sandbox off", "--sandbox-mode"],
  ["--sandbox off", "--no-sandbox"],
  ["--config FILE", "--settings"],
  ["--config FILE, with what is to count", "--setting-sources --bare --pure --safe-mode"],
  ["--config FILE, with what is to count", "--ignore-user-config --ignore-rules"],
  ["an unknown setting is an error anyway; leave it out", "--strict-config"],
  ["hamr has no feature flags; leave it out", "--enable --disable"],
  ["--config FILE with no servers in it", "--strict-mcp-config"],
  ["enabled = false in the [mcp.NAME] of the others", "--allowed-mcp-server-names"],
  ["an MCP server can drive a browser, see hamr help mcp.md", "--chrome --no-chrome"],
  [".hamr/agents/NAME.md, see hamr help agents", "--agents"],
  [".hamr/skills/NAME/SKILL.md in the workspace", "--skill"],
  [".hamr/commands/NAME.md and --command NAME", "--prompt-template"],
  ["hamr mcp: hamr has no plugins", "--plugin-dir --plugin-url --extension --extensions -e"],
  ["hamr has no extensions; leave it out", "--no-extensions -ne --list-extensions"],
  ["none is read before it is named; leave it out", "--no-skills -ns"],
  ["none is read before it is named; leave it out", "--no-prompt-templates -np"],
  ["none is read before it is named; leave it out", "--disable-slash-commands"],
  ["git worktree add DIR, then -C DIR", "--worktree -w"],
  ['hamr run "task" &', "--background --bg"],
  ["hamr chat", "--interactive --prompt-interactive --gui --browser"],
  ["EDITOR in the environment; Ctrl-G in a chat opens it", "--editor --vim"],
  ["[chat] notify in your settings", "--notifications"],
  ["[chat] plain in your settings", "--screen-reader"],
  ["the log stays on the screen anyway; leave it out", "--no-alt-screen"],
  ["hamr has no server: ssh -t HOST hamr, or hamr acp", "--attach --remote --port --hostname"],
  ["gh pr checkout NUMBER, then hamr", "--from-pr"],
  ["pages are read under --allow-net alone; leave it out", "--detect-urls --no-detect-urls"],
  ["hamr completions SHELL", "--shell-completions"],
  ["hamr models", "--list-models --models"],
  ["hamr review", "--uncommitted"],
  ["hamr review BASE", "--base"],
  ["hamr chat, and its /theme", "--theme --use-theme --dark-mode --light-mode"],
  [
    SILENT,
    "--no-analytics --analytics-disable --no-check-update --check-update --just-check-update --telemetry",
  ],
]);

/** Values of flags that are called the same here. */
const VALUES = table([
  ["--read-only", "--sandbox=read-only"],
  ["that is how it is anyway; leave it out", "--sandbox=workspace-write"],
  ["--sandbox off", "--sandbox=danger-full-access"],
  ["--output jsonl", "--output=stream-json --mode=json"],
  ["--output text", "--mode=text"],
  ["--output jsonl with --steer; for editors hamr acp", "--mode=rpc"],
  ["--mode auto", "--mode=build --mode=code --mode=agent"],
]);

/** Flags that only other commands have here. */
const ELSEWHERE = table([["--yolo", "--yes"], [
  "--resume ID, or hamr sessions list --all",
  "--all",
]]);

/** What is a command of ours, with its second word where it has one. */
const COMMANDS = table([
  ['hamr run "task"', "exec e"],
  ["hamr acp for editors; hamr help library for programs", "serve web attach app-server"],
  ["set the model's key in the environment, such as OPENAI_API_KEY", "login auth logout"],
  ["hamr models, and [providers.NAME] in your settings", "providers"],
  ["hamr sessions export ID", "export"],
  ["hamr report --html ID, and send the page yourself", "share"],
  ["hamr sessions import FILE", "import"],
  ["hamr sessions rm ID", "delete archive"],
  ["hamr sessions", "session"],
  ["hamr chat --fork ID", "fork"],
  ["the changes are in the files; hamr diff shows them", "apply"],
  ["hamr completions SHELL", "completion"],
  ["hamr config init for a file of settings; AGENTS.md is the model's, and yours to write", "init"],
  ["hamr run --agent NAME; hamr help agents", "agents agent"],
  ["update it the way it was installed; see hamr help install", "update upgrade install uninstall"],
  ["hamr config show", "settings"],
  ["[hooks] in your settings, see hamr help hooks", "hooks"],
  [".hamr/skills/NAME/SKILL.md in the workspace, see hamr help settings", "skills"],
  ["hamr report ID, which says what it cost", "stats"],
  ["an action for pipelines, see hamr help ci", "github"],
  ["gh pr checkout NUMBER, then hamr", "pr"],
  ["hamr doctor -v", "debug"],
  ["hamr mcp and skills, see hamr help mcp.md", "plugin plugins"],
  ["hamr config import claude, or codex, or opencode", "migrate"],
  [
    "[mcp.NAME] in your settings, with a command or a url; see hamr help mcp.md",
    "mcp|add mcp|add-json",
  ],
  ["take [mcp.NAME] out of your settings, or set enabled = false", "mcp|remove mcp|rm"],
  ["hamr mcp test NAME", "mcp|get mcp|debug"],
  ["headers = { Authorization = … } in [mcp.NAME]", "mcp|login mcp|auth mcp|logout"],
  ["hamr config import claude", "mcp|add-from-claude-desktop"],
  ["hamr acp for editors; hamr help library for programs", "mcp|serve"],
]);

/** What a first word of another agent is here, or two; undefined if no agent has it. */
export function our_command(...words: readonly string[]): string | undefined {
  return COMMANDS.get(words.join("|"));
}

/** What a flag of another agent is here; undefined if no agent has it. */
export function ours_for(written: string): string | undefined {
  return OURS.get(written);
}

/** The same for a value of a flag that is called as theirs. */
export function ours_for_value(written: string, value: string): string | undefined {
  return VALUES.get(`${written}=${value}`);
}

/** The same for a flag of ours that this command does not take. */
export function ours_in_place_of(written: string): string | undefined {
  return ELSEWHERE.get(written);
}

function table(rows: readonly Row[]): ReadonlyMap<string, string> {
  return new Map(rows.flatMap(([ours, theirs]) => theirs.split(" ").map((one) => [one, ours])));
}
