/**
 * Flags of other agents for what is called otherwise here: each is refused with ours, because what it does there may not be quite
 * what ours does. From the help of Claude Code, codex, gemini-cli, qwen-code, opencode, aider, OpenHands and cline.
 */

/** Instead of each: a flag of ours, or in words what to do. */
const OURS: Readonly<Record<string, string>> = {
  "--max-turns": "--max-steps",
  "--max-session-turns": "--max-steps",
  "--max-iterations": "--max-steps",
  "--max-budget-usd": "--max-cost",
  "--cd": "-C",
  "--cwd": "-C",
  "--workdir": "-C",
  "--dir": "-C",
  "--workspace": "-C",
  "--include-directories": "--add-dir",
  "--output-format": "--output",
  "--format": "--output",
  "--output-last-message": "-o",
  "--permission-mode": "--mode plan, --confirm or --yolo",
  "--approval-mode": "--mode plan, --confirm or --yolo",
  "--approval-policy": "--confirm",
  "--ask-for-approval": "--confirm",
  "--auto-approve": "--yolo",
  "--yes-always": "--yolo",
  "--full-auto": "hamr run asks nothing anyway; leave it out",
  "--dangerously-skip-permissions": "--yolo",
  "--dangerously-bypass-approvals-and-sandbox": "--yolo with --sandbox off",
  "--allowed-tools": "--tools, and --allow-run for programs",
  "--allowedTools": "--tools, and --allow-run for programs",
  "--add-read-dir": "--allow-read",
  "--effort": "--reasoning-effort",
  "--api-base": "--base-url",
  "--openai-api-base": "--base-url",
  "--api-url": "--base-url",
  "--test-cmd": "--verify",
  "--auto-test": "--verify CMD, which runs by itself",
  "--lint-cmd": "a post_edit hook in your settings, see hamr help hooks",
  "--architect": "--mode plan, then hamr resume",
  "--no-auto-commits": "no commits are made anyway; leave it out",
  "--oss": "a local server is found anyway; leave it out",
  "--fallback-model": "--fallback PROVIDER/MODEL",
  "--disallowedTools": "--tools, with those that remain",
  "--disallowed-tools": "--tools, with those that remain",
  "--no-session": "--no-save",
  "--acp": "hamr acp",
  "--experimental-acp": "hamr acp",
  "--session": "--resume",
  "--last": "hamr resume, which takes the newest session",
  "--ephemeral": "--no-save",
  "--no-session-persistence": "--no-save",
  "--debug": "--verbose",
  "--search": "--allow-net",
  "--print": 'hamr run "task" prints its answer anyway; leave it out',
  "-p": 'hamr run "task" prints its answer anyway; leave it out',
  "--non-interactive": "hamr run asks nothing anyway; leave it out",
  "--skip-git-repo-check": "no repository is needed; leave it out",
  "--prompt": 'the task is a plain argument: hamr run "task"',
  "--message": 'the task is a plain argument: hamr run "task"',
  "--api-key": "the environment, such as OPENAI_API_KEY: others can see arguments",
  "--system-prompt": "--system",
  "--append-system-prompt": "--system",
  "--system-prompt-file": "--system @FILE",
  "--json-schema": "--output-schema",
  "--conversation-id": "--session-id",
  "--reasoning": "--reasoning-effort",
  "--thinking": "--reasoning-effort",
  "--max-tokens": "--max-output-tokens",
  "--max-wall-time": "--timeout",
  "--max-session-time": "--timeout",
  "--cost-limit": "--max-cost",
  "--trust": "hamr config trust",
  "--sandbox-mode": "--sandbox, --read-only and --allow-write",
  "--no-sandbox": "--sandbox off",
  "--resume-session": "--resume",
  "--file": 'name the file in the task, or cat FILE | hamr run "task" -',
  "--read": 'name the file in the task, or cat FILE | hamr run "task" -',
};

/** Instead of each first word of other agents: a command of ours. */
const COMMANDS: Readonly<Record<string, string>> = {
  exec: 'hamr run "task"',
  serve: "hamr acp for editors; hamr help library for programs",
  login: "set the model's key in the environment, such as OPENAI_API_KEY",
  auth: "set the model's key in the environment, such as OPENAI_API_KEY",
  export: "hamr sessions export ID",
  session: "hamr sessions",
  agents: "hamr run --agent NAME; hamr help agents",
};

/** What a first word of another agent is here; undefined if no agent has it. */
export function our_command(word: string): string | undefined {
  return Object.hasOwn(COMMANDS, word) ? COMMANDS[word] : undefined;
}

/** What a flag of another agent is here; undefined if no agent has it. */
export function ours_for(written: string): string | undefined {
  return Object.hasOwn(OURS, written) ? OURS[written] : undefined;
}
