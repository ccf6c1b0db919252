/** What a setting is, and how those of each kind are written down in the table of `keys.ts`. */
import { either } from "./text.ts";

/** What a setting holds. `list_or_all`: strings or `"all"`; `list_or_word`: or one of `values`; `tables`, `table`: tables with `fields`. */
export type Kind =
  | "integer"
  | "number"
  | "boolean"
  | "string"
  | "enum"
  | "list"
  | "integers"
  | "list_or_all"
  | "list_or_word"
  | "map"
  | "table"
  | "tables";

/** One setting. `T` is the type of its value. */
export interface Key<T = unknown> {
  readonly kind: Kind;
  readonly doc: string;
  /** The built-in default; undefined if there is none. */
  readonly fallback: T;
  /** What is allowed, to follow "must be". */
  readonly expects: string;
  /** The words of an `enum` or a `list_or_word`. */
  readonly values?: readonly string[];
  /** The range of an `integer` or a `number`, both ends included. */
  readonly min?: number;
  readonly max?: number;
  /** Whether a string (each string of a list) is allowed. */
  readonly fits?: (text: string) => boolean;
  /** An example for the file that `config init` writes, where the default would not show the form. */
  readonly example?: string;
  /** The keys of each table of `tables`, or of the one that is a `table`. */
  readonly fields?: Readonly<Record<string, Key>>;
  /** True for a field that no table may leave out. */
  readonly required?: true;
  /** Where it is written as text, `90s`, `10m` and `1h` are numbers, too. */
  readonly unit?: "seconds";
  /** True for a list that is added to what was given before it; an empty one clears that. */
  readonly adds?: true;
  /** True if a wrong value may be a secret in the wrong place: it is never printed. */
  readonly hush?: true;
}

export type Values<S> = { [K in keyof S]: S[K] extends Key<infer T> ? T : never };

/** Timers count milliseconds in 31 bits: a longer delay would fire at once. */
export const MAX_SECONDS = 2_147_483;

export function whole(fallback: number, doc: string): Key<number> {
  const [min, max] = [0, Number.MAX_SAFE_INTEGER];
  return { kind: "integer", doc, fallback, expects: "a whole number, 0 or more", min, max };
}

export function seconds(fallback: number, doc: string): Key<number> {
  const expects = `a number of seconds from 0 to ${MAX_SECONDS}`;
  return { kind: "number", unit: "seconds", doc, fallback, expects, min: 0, max: MAX_SECONDS };
}

export function share(fallback: number, doc: string): Key<number> {
  return { kind: "number", doc, fallback, expects: "a number from 0 to 1", min: 0, max: 1 };
}

export function bool(fallback: boolean, doc: string): Key<boolean> {
  return { kind: "boolean", doc, fallback, expects: "true or false" };
}

export function word<const W extends string>(
  values: readonly W[],
  options: { fallback: NoInfer<W>; doc: string },
): Key<W> {
  const shown = values.filter((value) => value !== "");
  return { kind: "enum", ...options, expects: either(shown), values };
}

export function text(doc: string, more: Partial<Key<string>> = {}): Key<string> {
  const fits = (value: string) => !value.includes("\0");
  return { kind: "string", doc, fallback: "", expects: "a string", fits, ...more };
}

export function list(doc: string, more: Partial<Key<string[]>> = {}): Key<string[]> {
  const fits = (value: string) => value !== "" && !value.includes("\0");
  return { kind: "list", doc, fallback: [], expects: "a list of strings", fits, ...more };
}

/** A table of strings, which may be secrets. */
function map(doc: string, example: string): Key<Record<string, string>> {
  return { kind: "map", doc, fallback: {}, expects: "a table of strings", hush: true, example };
}

const ENV_NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;

export function base_url(doc: string): Key<string> {
  const expects =
    "a valid address that starts with http:// or https://, such as http://127.0.0.1:8080/v1";
  // The scheme is asked for because `localhost:8080` parses as a scheme too.
  const fits = (value: string) =>
    value === "" || /^https?:\/\/[^/]/i.test(value) && URL.canParse(value);
  return text(doc, { expects, fits, hush: true, example: '"http://127.0.0.1:8080/v1"' });
}

/** A protocol that servers speak. */
export type ApiMode = "chat_completions" | "codex_responses" | "anthropic_messages" | "ollama_chat";

/** All of them: the compiler reports a missing one, and the library's types can't be made of a list. */
export const API_MODES: readonly ApiMode[] = Object.keys(
  {
    chat_completions: 0,
    codex_responses: 0,
    anthropic_messages: 0,
    ollama_chat: 0,
  } satisfies Record<ApiMode, 0>,
) as ApiMode[];

/** `""` is "not said". */
export function api_mode(doc: string): Key<"" | ApiMode> {
  return word(["", ...API_MODES], { fallback: "", doc });
}

/** Providers to continue with where one fails, in their order. A model's name may hold slashes, a provider's may not. */
export function chain(doc: string): Key<string[]> {
  const fits = (value: string) => /^(?!auto\/)[A-Za-z0-9][A-Za-z0-9_.-]*\/[^\s\0]+$/.test(value);
  const expects = "a list of PROVIDER/MODEL";
  return list(doc, { expects, fits, example: '["openrouter/qwen/qwen3-coder"]' });
}

/** Not set and 0 differ: what costs nothing has a price. */
function price(doc: string): Key<number | undefined> {
  const expects = "a number of dollars per million tokens, 0 or more";
  const range = { min: 0, max: Number.MAX_SAFE_INTEGER };
  return { kind: "number", doc, fallback: undefined, expects, ...range, example: "0.25" };
}

export function context_window(doc: string): Key<number | undefined> {
  const expects = "a whole number of tokens, 1 or more";
  const range = { min: 1, max: Number.MAX_SAFE_INTEGER };
  return { kind: "integer", doc, fallback: undefined, expects, ...range, example: "32768" };
}

export function paths_or_all(doc: string, example: string): Key<string[] | "all"> {
  return {
    kind: "list_or_all",
    doc,
    fallback: [],
    expects: 'a list of paths, or "all"',
    fits: (value) => value !== "" && !value.includes("\0"),
    example,
  };
}

/** A list of commands that run beside the tools, each with these fields besides those that all hooks have. */
export function hooks<const F extends Readonly<Record<string, Key>>>(
  more: F,
  { doc, example }: { doc: string; example: string },
): Key<Values<typeof HOOK & F>[]> {
  const fields = { ...HOOK, ...more };
  return { kind: "tables", doc, fallback: [], expects: "a list of tables", fields, example };
}

const HOOK = {
  name: text("its name in the log and in results", {
    required: true,
    expects: "a name of up to 64 printable characters",
    fits: (value) => /^(?=.*\S)[^\p{Cc}\p{Cf}]{1,64}$/u.test(value),
  }),
  command: text("shell command that is run", {
    required: true,
    expects: "a shell command",
    fits: (value) => value.trim() !== "" && !value.includes("\0"),
  }),
  timeout: seconds(30, "time limit in seconds; 0 is no limit"),
  enabled: bool(true, "whether it runs"),
};

export const HOOKED_TOOLS = {
  tools: list("names of the tools it is for; [] is all", {
    expects: "a list of names of tools",
    fits: (value) => /^[A-Za-z0-9_-]+$/.test(value),
  }),
};

/** Work beside the conversation that can have a model of its own. */
export const AUXILIARIES = ["summary", "grader", "vision", "web"] as const;

export const AUXILIARY_KEYS = {
  provider: text("provider for this work; not set: the run's own", {
    expects: "the name of a provider",
    fits: (value) => /^\S*$/.test(value) && value !== "auto",
  }),
  model: text("model for this work; not set: the provider's own default"),
  chain: chain("providers that take over if that one fails"),
} as const satisfies Readonly<Record<string, Key>>;

export const PROVIDER_KEYS = {
  base_url: base_url("address of the server; for OpenAI protocols with /v1"),
  api_mode: api_mode("protocol; not set: by its address"),
  api_key_env: text("NAME of the environment variable that holds the key", {
    expects: "the NAME of an environment variable (letters, digits, _), never the key itself",
    fits: (value) => value === "" || ENV_NAME.test(value),
    hush: true,
    example: '"MY_SERVER_KEY"',
  }),
  api_key_file: text("file with the key in its first line, if no variable holds it", {
    example: '"~/.config/my-server.key"',
  }),
  api_key_cmd: text("command that prints the key, if neither variable nor file holds it", {
    hush: true,
    example: '"pass show my-server"',
  }),
  model: text("model to use if none is named", { example: '"qwen3-coder"' }),
  headers: map("headers sent with every request", '{ X-Team = "tools" }'),
  context_window: context_window("size of the model's window, in tokens"),
  price_in: price("dollars per million tokens of input, cached or not"),
  price_out: price("dollars per million tokens of output"),
} as const satisfies Readonly<Record<string, Key>>;

/** What a server's program may do, where that is less than the run may. Paths as people write them; what is left out is as for the run. */
export interface McpPermissions {
  readonly read?: readonly string[];
  readonly deny_read?: readonly string[];
  readonly write?: readonly string[];
  readonly net?: "none" | "own" | "loopback" | "all";
}

export const MCP_KEYS = {
  command: text(
    "program that speaks MCP on its standard input and output; it runs in the sandbox",
    { example: '"npx"' },
  ),
  args: list("arguments of that program", {
    fits: (value) => !value.includes("\0"),
    example: '["-y", "@modelcontextprotocol/server-everything"]',
  }),
  cwd: text("folder that program starts in, from the workspace; default: the workspace itself", {
    example: '"tools"',
  }),
  env: map(
    "variables of that program on top of those that commands see; ${NAME} is your own variable",
    '{ GITHUB_TOKEN = "${GITHUB_TOKEN}" }',
  ),
  net: bool(false, "whether that program needs the network: then it only starts under --allow-net"),
  url: text("address of a server over HTTP, in place of a program; hamr itself connects to it", {
    hush: true,
    example: '"https://mcp.example.com/mcp"',
  }),
  headers: map(
    "headers sent with every request to it; ${NAME} is your own variable",
    '{ Authorization = "Bearer ${MY_TOKEN}" }',
  ),
  permissions: {
    kind: "table",
    doc: "what that program may do, where that is less than the run; not set: the same",
    fallback: {},
    expects: "a table",
    example: '{ read = ["docs"], write = [], net = "none" }',
    fields: {
      read: list("what it may read"),
      deny_read: list("what it may not read"),
      write: list("what it may write"),
      net: word(["none", "own", "loopback", "all"], {
        fallback: "own",
        doc: "where it connects to",
      }),
    },
  } as Key<McpPermissions>,
  enabled: bool(true, "whether it is used"),
  tools: list("tools of it that the model may call; [] is all", { example: '["search"]' }),
  timeout_s: seconds(120, "seconds a call may take without a sign of progress; 0 is no limit"),
} as const satisfies Readonly<Record<string, Key>>;

export const AGENT_KEYS = {
  description: text("what it is for, in a line", { example: '"looks for slow code"' }),
  prompt: text("instructions on top of the rules", {
    example: '"Measure before you change anything."',
  }),
  tools: list("tools that it has; [] is all", { example: '["read", "bash"]' }),
  model: text("model that it works with; not set: the run's own"),
  mode: word(["", "auto", "ask", "plan", "patch"], {
    fallback: "",
    doc: "what counts as done; not set: the run's own",
  }),
  max_steps: whole(0, "model replies in one run; 0: the run's own limit"),
} as const satisfies Readonly<Record<string, Key>>;
