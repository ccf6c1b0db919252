/** The one table of flags, for parser, help, completions and docs. Commands that take one stand with it, or in `commands.ts`. */
import { API_MODES } from "../../config/key.ts";
import { either } from "../../config/text.ts";
import { type CommandName, COMMANDS } from "./commands.ts";
import { BOOLEAN, type Flag, flag, NAMES, PATHS, REACH, setting, TEXT, words } from "./flag.ts";
import { output_flags, session_flags } from "./output_flags.ts";
import { place_flags } from "./place_flags.ts";

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

/** Every flag, in the order of the help page, with all commands that take it. */
export const FLAGS: readonly Flag[] = [
  ...model_flags(),
  ...gate_flags(),
  ...prompt_flags(),
  ...permission_flags(),
  ...approval_flags(),
  ...output_flags(),
  ...session_flags(),
  ...place_flags(),
].map((one) => ({ ...one, commands: [...taking(one.name), ...one.commands] }));

/** The commands whose rows name a flag. */
function taking(name: string): readonly CommandName[] {
  return COMMANDS.filter(({ flags }) => flags?.includes(name)).map((command) => command.name);
}

function model_flags(): Flag[] {
  const more = { group: "model", commands: MODEL } as const;
  return [
    setting("model", "provider.model", {
      ...more,
      short: "m",
      value: "NAME",
      help: "model to use; default: the one the server has loaded",
      completes: "model",
    }),
    setting("provider", "provider.default", {
      ...more,
      value: "NAME",
      help: "a known provider, a [providers.NAME] from your settings, or auto to look for one",
    }),
    setting("base-url", "provider.base_url", {
      ...more,
      value: "URL",
      help: "address of the server, such as http://127.0.0.1:8080/v1",
    }),
    setting("api-mode", "provider.api_mode", {
      ...more,
      value: "MODE",
      help: `protocol of the server: ${either(API_MODES)}; default: the one it speaks best`,
    }),
    setting("tool-call-format", "agent.tool_call_format", {
      ...more,
      value: "FORMAT",
      help:
        "native: the server's own tool calls; prompt: in text, for a model without tool support",
    }),
    setting("context-window", "provider.context_window", {
      ...more,
      value: "N",
      help: "size of the model's window in tokens; default: what the server says",
    }),
    setting("ca-file", "provider.ca_file", {
      ...more,
      value: "FILE",
      completes: "file",
      help: "PEM file with your own certificate authority, for your server or proxy",
    }),
    setting("max-output-tokens", "agent.max_output_tokens", {
      ...more,
      value: "N",
      help: "tokens the model may write in one reply",
    }),
    setting("temperature", "agent.temperature", {
      ...more,
      value: "X",
      help: "sampling temperature, 0 to 2; default: the server's own",
    }),
    setting("reasoning-effort", "agent.reasoning_effort", {
      ...more,
      value: "E",
      help: "how hard a reasoning model thinks, such as low, medium or high",
    }),
    setting("fallback", "fallback.chain", {
      ...more,
      commands: RUN,
      value: "PROVIDER/MODEL",
      repeatable: true,
      help: "takes over if the model's own server fails; may be repeated, tried in order",
    }),
  ];
}

function gate_flags(): Flag[] {
  const gates = { group: "gates", commands: RUN } as const;
  const limits = { group: "limits", commands: LIMITS } as const;
  return [
    setting("mode", "agent.mode", {
      ...gates,
      value: "MODE",
      help:
        "auto: an answer, and the changes it claims; ask: an answer, and no changes; plan: a plan, " +
        "with the workspace read-only (hamr resume carries it out); patch: at least one " +
        "changed file; verify: a command that passes",
    }),
    setting("verify", "verify.command", {
      ...gates,
      value: "CMD",
      help:
        'the task is done when this shell command passes, such as "npm test"; implies --mode verify',
    }),
    setting("repair-attempts", "agent.repair_attempts", {
      ...gates,
      value: "N",
      help: "turns the model gets to fix what did not pass",
    }),
    setting("self-eval", "verify.self_eval", {
      ...gates,
      value: "HOW",
      help: "the model judges its own work at the end, by what was recorded; basic: a fault ends " +
        "the run with exit code 2; full: the model first gets turns to fix it",
    }),
    flag("rubric", "rubric", {
      ...gates,
      value: "TEXT|@FILE",
      reads: TEXT,
      commands: ["run", "resume"],
      help: "what done looks like; a grader checks the run's record and diff against it",
    }),
    setting("max-steps", "agent.max_model_steps", {
      ...limits,
      value: "N",
      help: "model replies in the whole run",
    }),
    setting("max-tool-calls", "agent.max_tool_calls", {
      ...limits,
      value: "N",
      help: "tool calls in the whole run",
    }),
    setting("timeout", "agent.timeout_s", {
      ...limits,
      value: "S",
      help: "seconds for the whole run",
    }),
    setting("step-timeout", "agent.step_timeout_s", {
      ...limits,
      value: "S",
      help: "seconds for one model reply with its tool calls",
    }),
    setting("max-cost", "budget.max_cost_usd", {
      ...limits,
      value: "USD",
      help: "dollars for the whole run; needs price_in and price_out in [providers.NAME], " +
        "or a model whose price hamr knows",
    }),
    setting("token-budget", "budget.token_budget", {
      ...limits,
      value: "N",
      help: "tokens of input and output in the whole run",
    }),
  ];
}

function prompt_flags(): Flag[] {
  const more = { group: "prompt", commands: ["run"] } as const;
  return [
    flag("system", "system", {
      ...more,
      value: "TEXT|@FILE",
      reads: TEXT,
      help: "more rules for the model, besides its own and those in AGENTS.md",
    }),
    flag("agent", "agent", {
      ...more,
      commands: ["run", "chat", "acp"],
      value: "NAME",
      reads: TEXT,
      completes: "agent",
      help: "work as this agent: build, plan, review, explore, one of [agents.NAME], or of " +
        ".hamr/agents/NAME.md (or .claude/agents)",
    }),
    flag("command", "command", {
      ...more,
      value: "NAME",
      reads: TEXT,
      completes: "command",
      help: "the task is the text of .hamr/commands/NAME.md, or of .claude/commands or " +
        ".opencode/command; what follows is its $ARGUMENTS",
    }),
    flag("tools", "only_tools", {
      ...more,
      value: "NAME,…",
      reads: NAMES,
      repeatable: true,
      help: "offer and run only these tools, such as read,bash",
    }),
  ];
}

function permission_flags(): Flag[] {
  const more = { group: "permissions", commands: PERMISSIONS } as const;
  const paths = {
    ...more,
    takes: "optional",
    value: "P,…",
    sets: "all",
    repeatable: true,
  } as const;
  return [
    setting("allow-read", "permissions.read", {
      ...paths,
      help: "let commands read only these files and folders, the workspace and what programs " +
        "need to start; without a value, everything",
    }),
    flag("deny-read", "deny_read", {
      ...more,
      value: "P,…",
      reads: PATHS,
      repeatable: true,
      help:
        "keep commands from reading these files and folders, besides your keys (~/.ssh and the like)",
    }),
    setting("allow-write", "permissions.write", {
      ...paths,
      help:
        "let commands write these files and folders besides the workspace; without a value, any",
    }),
    setting("allow-run", "permissions.run", {
      ...paths,
      value: "CMD,…",
      help: "let commands start only these programs; without a value, any",
    }),
    {
      ...setting("allow-net", "permissions.net", {
        ...more,
        takes: "optional",
        value: "loopback",
        sets: "all",
        help: "let commands use the network; =loopback: only servers on this machine; " +
          "=HOST,…: web_fetch alone, and only there. " +
          "Without it, only servers that the run's own commands started",
      }),
      reads: REACH,
    },
    setting("deny-net", "permissions.net", {
      ...more,
      sets: "none",
      help: "no network for commands at all",
    }),
    setting("allow-env", "permissions.env", {
      ...more,
      value: "NAME,…",
      repeatable: true,
      help: "let commands see these environment variables",
    }),
    flag("read-only", "read_only", {
      ...more,
      takes: "optional",
      value: "BOOL",
      reads: BOOLEAN,
      sets: true,
      commands: ["run", "resume", "sandbox", "doctor", "mcp test"],
      help: "nothing can write to the workspace; a resumed session stays read-only unless =false",
    }),
    flag("sandbox", "sandbox", {
      value: "auto|off",
      reads: words(["auto", "off"]),
      group: "permissions",
      commands: SANDBOX,
      help: "off: the kernel enforces nothing, and commands can do anything you can",
    }),
  ];
}

function approval_flags(): Flag[] {
  const more = { group: "approvals", commands: RUN } as const;
  return [
    setting("confirm", "agent.confirm", {
      ...more,
      value: "WHEN",
      tells_default: true,
      help: "when to ask you before a call runs: sensitive, before a push, a publish, a command " +
        "that rewrites history or removes the workspace; all, before every change and command; " +
        "refuse: sensitive calls are refused; never: they run",
    }),
    setting("yolo", "agent.confirm", {
      ...more,
      sets: "never",
      help: "same as --confirm never",
    }),
    flag("dry-run", "dry_run", {
      ...more,
      commands: ["run", "resume"],
      help: "run no edit, write or bash; list each as a warning instead; --verify does not run " +
        "either, so modes patch and verify end with exit code 2",
    }),
    flag("yes", "yes", {
      ...more,
      commands: ["sessions rm", "config import"],
      help: "remove everything, or write what was shown, without asking",
    }),
  ];
}
