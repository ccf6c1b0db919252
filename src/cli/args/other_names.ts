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
  "--allowed-tools": "--allow-run",
  "--allowedTools": "--allow-run",
  "--add-read-dir": "--allow-read",
  "--effort": "--reasoning-effort",
  "--api-base": "--base-url",
  "--openai-api-base": "--base-url",
  "--api-url": "--base-url",
  "--test-cmd": "--verify",
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
  "--system-prompt": "--system, which adds to the rules",
  "--append-system-prompt": "--system",
};

/** What a flag of another agent is here; undefined if no agent has it. */
export function ours_for(written: string): string | undefined {
  return Object.hasOwn(OURS, written) ? OURS[written] : undefined;
}
