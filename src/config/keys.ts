/** Every setting: its meaning, default and values. Plain data, since the first request waits for it; the type of all settings is derived from it. */
import { CONTEXT_KEYS, GUARD_KEYS } from "./guard_keys.ts";
import { named_host } from "./hosts.ts";
import { SECRET_PLACES } from "./secret_places.ts";
import {
  AGENT_KEYS,
  api_mode,
  AUXILIARIES,
  AUXILIARY_KEYS,
  base_url,
  bool,
  chain,
  context_window,
  HOOKED_TOOLS,
  hooks,
  type Key,
  list,
  MCP_KEYS,
  paths_or_all,
  PROVIDER_KEYS,
  seconds,
  share,
  text,
  type Values,
  whole,
  word,
} from "./key.ts";
import { either } from "./text.ts";

/** `hamr`'s own folders, and where variables lead a program elsewhere, are added where the policy is made. */
const DENY_READ = SECRET_PLACES.flatMap(({ paths }) => paths);

/** Without these no work can be done, or no tool be found. */
const NEVER_DEFERRED: ReadonlySet<string> = new Set([
  ...["read", "edit", "write", "bash", "tool_search"],
]);

/** The settings of each `[section]`, except `[providers.NAME]`. 0 is off, or no limit, everywhere. */
export const SECTIONS = {
  agent: {
    max_model_steps: whole(64, "model replies in one run, then it ends as partial; 0 is no limit"),
    max_tool_calls: whole(192, "tool calls in one run, then it ends as partial; 0 is no limit"),
    repair_attempts: whole(1, "turns the model gets to fix a result that failed verification"),
    context_budget_tokens: whole(
      131_072,
      "tokens of the model's window to use, if it has more; 0 is all",
    ),
    max_output_tokens: whole(4096, "tokens the model may write in one reply; 0 asks for no limit"),
    delegate_max_steps: whole(
      50,
      "model replies of one subagent (delegate_task), besides max_model_steps; 0 is no limit",
    ),
    timeout_s: seconds(0, "seconds for the whole run; 0 is no limit"),
    step_timeout_s: seconds(0, "seconds for one model reply with its tool calls; 0 is no limit"),
    idle_timeout_s: seconds(
      120,
      "seconds of silence before a reply counts as cut, unless a local server says it is working",
    ),
    mode: word(["auto", "ask", "plan", "patch", "verify"], {
      fallback: "auto",
      doc: "what must be shown: ask, plan: an answer; patch: a changed file; verify: a command",
    }),
    confirm: word(["refuse", "sensitive", "all", "never"], {
      fallback: "refuse",
      doc: "dangerous calls: refused; you are asked (all: before any change); or run (never)",
    }),
    tool_call_format: word(["native", "prompt"], {
      fallback: "native",
      doc:
        "how tools are called: by the server's own means, or in text for models without tool support",
    }),
    parallel_tools: bool(true, "run read-only calls in parallel"),
    temperature: {
      kind: "number",
      doc: "sampling temperature; not set: the server's own",
      fallback: undefined,
      expects: "a number from 0 to 2",
      min: 0,
      max: 2,
      example: "0.2",
    } as Key<number | undefined>,
    reasoning_effort: {
      kind: "string",
      doc:
        "how hard a reasoning model thinks, in the server's own terms; not set: the server's own",
      fallback: undefined,
      expects: "a word such as low, medium or high",
      fits: (value) => /^\S+$/.test(value),
      example: '"low"',
    } as Key<string | undefined>,
    model_defaults: bool(
      true,
      "the sampling that its makers recommend for a known model, if a local server sets none",
    ),
    stream: bool(true, "stream replies word by word"),
  },
  tools: {
    bash_timeout_s: seconds(120, "seconds a shell command gets unless the model asks otherwise"),
    spill_days: whole(
      7,
      "days that tool output too long for the model is kept on disk; 0 is forever",
    ),
    deferred: {
      kind: "list_or_word",
      doc: "tools the model has to search for; auto: if no window of 32k is known at the start",
      fallback: "auto",
      expects: `auto, all, none or a list of tools, but never ${either([...NEVER_DEFERRED])}`,
      values: ["auto", "all", "none"],
      fits: (value) => /^[A-Za-z0-9_-]+$/.test(value) && !NEVER_DEFERRED.has(value),
    } as Key<"auto" | "all" | "none" | string[]>,
  },
  verify: {
    command: text("shell command that proves the task is done", {
      example: '"npm test"',
      expects: "a shell command",
      // Blanks alone would prove everything.
      fits: (value) => value === "" || value.trim() !== "" && !value.includes("\0"),
    }),
    timeout_s: seconds(600, "seconds the verify command gets; 0 is no limit"),
    self_eval: word(["off", "basic", "full"], {
      fallback: "off",
      doc: "whether the model judges its own work at the end; full: it also fixes what it finds",
    }),
    self_eval_retries: whole(2, "turns the model gets to fix what a full self-evaluation finds"),
    rubric_rounds: whole(2, "turns the model gets to fix what the grader of a rubric finds"),
  },
  guards: GUARD_KEYS,
  context: CONTEXT_KEYS,
  memory: {
    enabled: bool(true, "keep facts from one session to the next; the model has tools for it"),
    auto_recall: bool(false, "tell the model at each turn what memory has on the request"),
    extract: bool(false, "before a compaction and at the end of a run, ask what to keep in memory"),
  },
  sessions: {
    save: bool(true, "save runs, so that they can be resumed, undone and searched"),
    keep_days: whole(90, "days that a session is kept after its last use; 0 is no limit"),
    keep_bytes: whole(1_073_741_824, "bytes of all sessions: the oldest go first; 0 is no limit"),
  },
  reminders: {
    enabled: bool(true, "tell the model about files that changed on disk, and forgotten todos"),
  },
  chat: {
    theme: word(["auto", "light", "dark", "none"], {
      fallback: "auto",
      doc: "colors of a chat; auto: as light or dark as the terminal says its background is",
    }),
    ascii: word(["auto", "on", "off"], {
      fallback: "auto",
      doc:
        "draw hamr's own signs in ASCII; auto: if the locale is not UTF-8, or TERM is dumb and there is no locale",
    }),
    plain: word(["auto", "on", "off"], {
      fallback: "auto",
      doc: "print lines, draw nothing (screen readers); auto: if TERM is dumb, or into a pipe",
    }),
    notify: word(["off", "bell", "osc9"], {
      fallback: "bell",
      doc: "how to call you when a task ends, or asks, while the terminal is in the background",
    }),
    title: bool(true, "say in the terminal's title whether a task is under way, or asks you"),
  },
  budget: {
    max_cost_usd: {
      kind: "number",
      doc: "dollars the whole run may cost, then it ends as partial; 0 is no limit",
      fallback: 0,
      expects: "a number of dollars, 0 or more",
      min: 0,
      max: Number.MAX_SAFE_INTEGER,
    } as Key<number>,
    token_budget: whole(
      0,
      "tokens of input and output in one run, then it ends as partial; 0 is no limit",
    ),
    reserve_tokens: whole(
      512,
      "tokens left in the budget when the model is told; kept for its closing answer; 0 is off",
    ),
    reserve_cost_fraction: share(
      0.1,
      "share of max_cost_usd left when the model is told; 0 is off",
    ),
  },
  provider: {
    default: text("provider to use: a known name, a [providers.NAME], or auto to look for one", {
      fallback: "auto",
      expects: "the name of a provider, or auto",
      fits: (value) => /^\S+$/.test(value),
    }),
    model: text("model to use; not set: the one that is loaded, or the provider's own default"),
    base_url: base_url("address of the server; not set: the provider's own"),
    api_mode: api_mode("protocol of the server; not set: its own"),
    context_window: context_window("tokens the window has; not set: the server is asked"),
    max_num_ctx: whole(
      32_768,
      "largest window to ask Ollama for, in tokens (each takes memory); 0 is no limit",
    ),
    keep_alive: text("how long Ollama keeps the model loaded after a reply; not set: its own", {
      expects: 'a duration such as "30m" or "-1s" (forever)',
      fits: (value) => value === "" || /^-?(\d+(\.\d+)?(ms|s|m|h))+$/.test(value),
      example: '"30m"',
    }),
    ca_file: text(
      "PEM file of certificate authorities to trust besides the usual ones, for servers",
      { example: '"~/company-ca.pem"' },
    ),
  },
  fallback: {
    chain: chain("providers that take over the conversation if the model's own fails"),
  },
  retry: {
    attempts: whole(3, "times a request is made if a server is busy or unreachable; 0 and 1: once"),
    max_wait_s: seconds(
      60,
      "seconds a server may ask to wait; a model that is loading gets five times as long; 0: any",
    ),
  },
  permissions: {
    read: paths_or_all(
      'what may be read besides the workspace and programs; [] is all but deny_read, "all" is all',
      '["~/notes"]',
    ),
    deny_read: list("what may not be read, besides your keys; [] opens them", {
      fallback: DENY_READ,
      expects: "a list of paths",
      adds: true,
    }),
    write: paths_or_all(
      'files and folders that may be written besides the workspace, or "all"',
      '["~/.cache/go-build"]',
    ),
    run: paths_or_all(
      "programs, and folders of programs, that commands may start; [] is all",
      '["git", "npm", "/opt/tools"]',
    ),
    net: {
      kind: "list_or_word",
      doc:
        "what commands may reach: own servers, none, this machine, or all; hosts: for web_fetch alone",
      fallback: "own",
      expects: "own, none, loopback or all, or a list of hosts",
      values: ["own", "none", "loopback", "all"],
      fits: (value) => value === "loopback" || named_host(value) !== null,
      example: '"loopback"',
    } as Key<"own" | "none" | "loopback" | "all" | string[]>,
    env: list("environment variables that commands may see besides PATH and the like", {
      expects: "a list of names of environment variables",
      fits: (value) => /^[^=,\0\s]+$/.test(value),
      example: '["GOPATH"]',
    }),
  },
  hooks: {
    post_edit: hooks(
      {
        file_patterns: list("files it is for, as in .gitignore; [] is all", {
          expects: "a list of patterns",
        }),
      },
      {
        doc: "commands that check each file that the model has edited or written",
        example: `[{ name = "lint", command = "ruff check {file}", file_patterns = ["*.py"] }]`,
      },
    ),
    pre_tool: hooks(HOOKED_TOOLS, {
      doc: "commands that may refuse or rewrite a call before it runs",
      example: `[{ name = "policy", command = "~/bin/policy", tools = ["bash"] }]`,
    }),
    post_tool: hooks(HOOKED_TOOLS, {
      doc: "commands that see the result of a call, and may add to it",
      example: `[{ name = "audit", command = "cat >> $TMPDIR/calls" }]`,
    }),
    session_start: hooks({}, {
      doc: "commands that are run as each run begins",
      example: `[{ name = "services", command = "make services", timeout = 120 }]`,
    }),
    turn_end: hooks({}, {
      doc: "commands that are run once a run has ended, with what it changed",
      example: `[{ name = "format", command = "npm run format" }]`,
    }),
    notification: hooks({}, {
      doc: "commands that are run when the user is asked something",
      example: `[{ name = "asked", command = "cat >> asked.jsonl" }]`,
    }),
  },
} as const satisfies Readonly<Record<string, Readonly<Record<string, Key>>>>;

type Deep<T> = T extends readonly (infer I)[] ? readonly I[]
  : T extends object ? { readonly [K in keyof T]: Deep<T[K]> }
  : T;

/** What `[providers.NAME]` says, with nothing left out: `""`, `{}` and undefined are "not set". */
export type ProviderSettings = Deep<Values<typeof PROVIDER_KEYS>>;

/** What `[mcp.NAME]` says, with nothing left out. */
export type McpSettings = Deep<Values<typeof MCP_KEYS>>;

/** What `[agents.NAME]` says, in the same way. */
export type AgentSettings = Deep<Values<typeof AGENT_KEYS>>;

/** All settings. `providers` has no prototype: a name that is not configured is undefined. */
export type Settings = Deep<{ [S in keyof typeof SECTIONS]: Values<(typeof SECTIONS)[S]> }> & {
  readonly auxiliary: Readonly<
    Record<(typeof AUXILIARIES)[number], Deep<Values<typeof AUXILIARY_KEYS>>>
  >;
  readonly providers: Readonly<Record<string, ProviderSettings | undefined>>;
  /** Without a prototype, too. */
  readonly mcp: Readonly<Record<string, McpSettings | undefined>>;
  readonly agents: Readonly<Record<string, AgentSettings | undefined>>;
};

type Table = readonly [path: readonly string[], keys: Readonly<Record<string, Key>>];

/** Every table of settings that has a name of its own, with its path. */
export const TABLES: readonly Table[] = [
  ...Object.entries(SECTIONS).map(([name, keys]): Table => [[name], keys]),
  ...AUXILIARIES.map((name): Table => [["auxiliary", name], AUXILIARY_KEYS]),
];

/** Every setting by its dotted name, except those of `[providers.NAME]`. */
export const KEYS: ReadonlyMap<string, Key> = new Map(
  TABLES.flatMap(([path, keys]) =>
    Object.entries(keys).map(([name, key]): [string, Key] => [[...path, name].join("."), key])
  ),
);

/** Sections with tables that users name: their keys, and whether a name will do. */
export const NAMED = {
  providers: { keys: PROVIDER_KEYS, fits: is_provider_name },
  mcp: { keys: MCP_KEYS, fits: is_mcp_name },
  agents: { keys: AGENT_KEYS, fits: is_agent_name },
} as const;

export function depth_of([first = ""]: readonly string[]): number {
  return first === "auxiliary" || Object.hasOwn(NAMED, first) ? 3 : 2;
}

/** Names a section of `[providers]` may have; `auto` is taken, and a slash divides it from a model. */
export function is_provider_name(name: string): boolean {
  return /^[A-Za-z0-9][A-Za-z0-9_.-]*$/.test(name) && name !== "auto";
}

/** Names a section of `[mcp]` may have: they begin the names of its tools (`NAME__tool`), which servers take up to 64 characters of. */
export function is_mcp_name(name: string): boolean {
  return /^[A-Za-z0-9][A-Za-z0-9_-]{0,31}$/.test(name) && !/__|_$/.test(name);
}

export function is_agent_name(name: string): boolean {
  return /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/.test(name);
}

/** A fresh copy of the values of a section with nothing set. */
export function fallbacks(keys: Readonly<Record<string, Key>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(keys).map(([name, { fallback }]) => [name, copy(fallback)]),
  );
}

/** Lists and tables are flat. `structuredClone` of sixty settings takes half a millisecond of the start. */
function copy(value: unknown): unknown {
  if (Array.isArray(value)) return [...value];
  return typeof value === "object" && value !== null ? { ...value } : value;
}

export function defaults(): Settings {
  const sections = Object.entries(SECTIONS).map(([name, keys]) => [name, fallbacks(keys)]);
  // The table above is what `Settings` is made of, so this is its type by construction.
  return {
    ...Object.fromEntries(sections),
    auxiliary: Object.fromEntries(AUXILIARIES.map((name) => [name, fallbacks(AUXILIARY_KEYS)])),
    providers: Object.create(null),
    mcp: Object.create(null),
    agents: Object.create(null),
  } as Settings;
}
