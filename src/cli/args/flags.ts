/** The one table of flags, for parser, help, completions and docs. Commands that take one stand with it, or in `commands.ts`. */
import { API_MODES } from "../../config/key.ts";
import { either } from "../../config/text.ts";
import { type CommandName, COMMANDS } from "./commands.ts";
import { BOOLEAN, type Flag, flags_in, NAMES, PATHS, REACH, TEXT, words } from "./flag.ts";
import { output_flags, place_flags, session_flags } from "./output_flags.ts";

const MODEL: readonly CommandName[] = [
  ...["run", "chat", "acp", "resume", "review", "doctor", "context", "models"] as const,
  "config show",
];
const RUN: readonly CommandName[] = ["run", "chat", "acp", "resume", "config show"];
const LIMITS: readonly CommandName[] = [...RUN, "review"];
const PERMISSIONS: readonly CommandName[] = [
  ...["run", "chat", "acp", "resume", "review", "sandbox", "doctor", "mcp test"] as const,
  "config show",
];
const SANDBOX: readonly CommandName[] = [
  ...["run", "chat", "acp", "resume", "diff", "undo", "sandbox", "demo", "doctor"] as const,
  "mcp test",
];

const TAKING: ReadonlyMap<string, readonly { readonly name: CommandName }[]> = Map.groupBy(
  COMMANDS.flatMap(({ name, flags }) => flags.map((flag) => ({ name, flag }))),
  ({ flag }) => flag,
);

export const FLAGS: readonly Flag[] = [
  ...model_flags(),
  ...gate_flags(),
  ...prompt_flags(),
  ...permission_flags(),
  ...approval_flags(),
  ...output_flags(),
  ...session_flags(),
  ...place_flags(),
].map((one) => {
  const taking = TAKING.get(one.name)?.map(({ name }) => name) ?? [];
  return { ...one, commands: [...taking, ...one.commands] };
});

function model_flags(): Flag[] {
  const { setting } = flags_in("model", MODEL);
  return [
    setting("-m, --model NAME", "provider.model", {
      help: "model to use; default: the one the server has loaded",
      completes: "model",
    }),
    setting("--provider NAME", "provider.default", {
      help: "a known provider, a [providers.NAME] from your settings, or auto to look for one",
    }),
    setting("--base-url URL", "provider.base_url", {
      help: "address of the server, such as http://127.0.0.1:8080/v1",
    }),
    setting("--api-mode MODE", "provider.api_mode", {
      help: `protocol of the server: ${either(API_MODES)}; default: the one it speaks best`,
    }),
    setting("--tool-call-format FORMAT", "agent.tool_call_format", {
      help:
        "native: the server's own tool calls; prompt: in text, for a model without tool support",
    }),
    setting("--context-window N", "provider.context_window", {
      help: "size of the model's window in tokens; default: what the server says",
    }),
    setting("--ca-file FILE", "provider.ca_file", {
      help: "PEM file with your own certificate authority, for your server or proxy",
    }),
    setting("--max-output-tokens N", "agent.max_output_tokens", {
      help: "tokens the model may write in one reply",
    }),
    setting("--temperature X", "agent.temperature", {
      help: "sampling temperature, 0 to 2; default: the server's own",
    }),
    setting("--reasoning-effort E", "agent.reasoning_effort", {
      help: "how hard a reasoning model thinks, such as low, medium or high",
    }),
    setting("--fallback PROVIDER/MODEL", "fallback.chain", {
      commands: RUN,
      repeatable: true,
      help: "takes over if the model's own server fails; may be repeated, tried in order",
    }),
  ];
}

function gate_flags(): Flag[] {
  const gates = flags_in("gates", RUN);
  const limits = flags_in("limits", LIMITS);
  return [
    gates.setting("--mode MODE", "agent.mode", {
      help:
        "auto: an answer, and the changes it claims; ask: an answer, and no changes; plan: a plan, " +
        "with the workspace read-only (hamr resume carries it out); patch: at least one " +
        "changed file; verify: a command that passes",
    }),
    gates.setting("--verify CMD", "verify.command", {
      help:
        'the task is done when this shell command passes, such as "npm test"; implies --mode verify',
    }),
    gates.setting("--repair-attempts N", "agent.repair_attempts", {
      help: "turns the model gets to fix what did not pass",
    }),
    gates.setting("--self-eval HOW", "verify.self_eval", {
      help: "the model judges its own work at the end, by what was recorded; basic: a fault ends " +
        "the run with exit code 2; full: the model first gets turns to fix it",
    }),
    gates.flag("--rubric TEXT|@FILE", "rubric", {
      reads: TEXT,
      commands: ["run", "resume"],
      help: "what done looks like; a grader checks the run's record and diff against it",
    }),
    limits.setting("--max-steps N", "agent.max_model_steps", {
      help: "model replies in the whole run",
    }),
    limits.setting("--max-tool-calls N", "agent.max_tool_calls", {
      help: "tool calls in the whole run",
    }),
    limits.setting("--timeout S", "agent.timeout_s", { help: "seconds for the whole run" }),
    limits.setting("--step-timeout S", "agent.step_timeout_s", {
      help: "seconds for one model reply with its tool calls",
    }),
    limits.setting("--max-cost USD", "budget.max_cost_usd", {
      help: "dollars for the whole run; needs price_in and price_out in [providers.NAME], " +
        "or a model whose price hamr knows",
    }),
    limits.setting("--token-budget N", "budget.token_budget", {
      help: "tokens of input and output in the whole run",
    }),
  ];
}

function prompt_flags(): Flag[] {
  const { flag } = flags_in("prompt", ["run"]);
  return [
    flag("--system TEXT|@FILE", "system", {
      reads: TEXT,
      help: "more rules for the model, besides its own and those in AGENTS.md",
    }),
    flag("--agent NAME", "agent", {
      commands: ["run", "chat", "acp"],
      reads: TEXT,
      completes: "agent",
      help: "work as this agent: build, plan, review, explore, one of [agents.NAME], or of " +
        ".hamr/agents/NAME.md (or .claude/agents)",
    }),
    flag("--command NAME", "command", {
      reads: TEXT,
      completes: "command",
      help: "the task is the text of .hamr/commands/NAME.md, or of .claude/commands or " +
        ".opencode/command; what follows is its $ARGUMENTS",
    }),
    flag("--tools NAME,…", "only_tools", {
      reads: NAMES,
      repeatable: true,
      help: "offer and run only these tools, such as read,bash",
    }),
  ];
}

function permission_flags(): Flag[] {
  const { flag, setting } = flags_in("permissions", PERMISSIONS);
  const paths = { sets: "all", repeatable: true } as const;
  return [
    setting("--allow-read[=P,…]", "permissions.read", {
      ...paths,
      help: "let commands read only these files and folders, the workspace and what programs " +
        "need to start; without a value, everything",
    }),
    flag("--deny-read P,…", "deny_read", {
      reads: PATHS,
      repeatable: true,
      help:
        "keep commands from reading these files and folders, besides your keys (~/.ssh and the like)",
    }),
    setting("--allow-write[=P,…]", "permissions.write", {
      ...paths,
      help:
        "let commands write these files and folders besides the workspace; without a value, any",
    }),
    setting("--allow-run[=CMD,…]", "permissions.run", {
      ...paths,
      help: "let commands start only these programs; without a value, any",
    }),
    setting("--allow-net[=loopback]", "permissions.net", {
      reads: REACH,
      sets: "all",
      help: "let commands use the network; =loopback: only servers on this machine; " +
        "=HOST,…: web_fetch alone, and only there. " +
        "Without it, only servers that the run's own commands started",
    }),
    setting("--deny-net", "permissions.net", {
      sets: "none",
      help: "no network for commands at all",
    }),
    setting("--allow-env NAME,…", "permissions.env", {
      repeatable: true,
      help: "let commands see these environment variables",
    }),
    flag("--read-only[=BOOL]", "read_only", {
      reads: BOOLEAN,
      commands: ["run", "resume", "sandbox", "doctor", "mcp test"],
      help: "nothing can write to the workspace; a resumed session stays read-only unless =false",
    }),
    flag("--sandbox auto|off", "sandbox", {
      reads: words(["auto", "off"]),
      commands: SANDBOX,
      help: "off: the kernel enforces nothing, and commands can do anything you can",
    }),
  ];
}

function approval_flags(): Flag[] {
  const { flag, setting } = flags_in("approvals", RUN);
  return [
    setting("--confirm WHEN", "agent.confirm", {
      tells_default: true,
      help: "when to ask you before a call runs: sensitive, before a push, a publish, a command " +
        "that rewrites history or removes the workspace; all, before every change and command; " +
        "refuse: sensitive calls are refused; never: they run",
    }),
    setting("--yolo", "agent.confirm", { sets: "never", help: "same as --confirm never" }),
    flag("--dry-run", "dry_run", {
      commands: ["run", "resume"],
      help: "run no edit, write or bash; list each as a warning instead; --verify does not run " +
        "either, so modes patch and verify end with exit code 2",
    }),
    flag("--yes", "yes", {
      commands: ["sessions rm", "config import"],
      help: "remove everything, or write what was shown, without asking",
    }),
  ];
}
