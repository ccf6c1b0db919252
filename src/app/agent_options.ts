/** Turns the options of a library's agent into settings and flags. */
import type { Override } from "../config/load.ts";
import type { ApiMode } from "../config/key.ts";
import { KEYS } from "../config/keys.ts";
import { did_you_mean } from "../config/text.ts";
import { from_text, misfit, problem } from "../config/value.ts";
import type { AskWords } from "../agent/session.ts";
import type { Mode } from "../guards/rule.ts";
import type { AskPerson, Confirm, PersonAnswer } from "../permission/approval.ts";
import type { AgentSetup } from "./agent_setup.ts";
import type { AgentCallbacks } from "./agent_api.ts";
import { FLAG_DEFAULTS, type Flags } from "./flags.ts";
import { StartError } from "../config/error.ts";

/** Options of an agent. What you leave out comes from the settings, or is the default of `hamr run`. */
export interface AgentOptions {
  /** The folder to work in. Default: the current one. */
  readonly workspace?: string;
  /** The model's name. Default: the model that the server has loaded. */
  readonly model?: string;
  /** A known provider, or one from your settings. Default: `auto`, which looks for a server on this machine. */
  readonly provider?: string;
  /** Address of the server, such as `http://127.0.0.1:8080/v1`. */
  readonly baseUrl?: string;
  /** The server's protocol. Default: the one it speaks best. */
  readonly apiMode?: ApiMode;
  /** The server's API key. Default: the provider's variable in the environment. */
  readonly apiKey?: string;
  /** What counts as success. Default: `auto`. */
  readonly mode?: Mode;
  /** A shell command that passes once the task is done; implies mode `verify`. */
  readonly verify?: string;
  /** Limit of model replies per task; 0 is no limit. Default: 64. */
  readonly maxSteps?: number;
  /** Limit of seconds per task; 0 is no limit. Default: 0. */
  readonly timeout?: number;
  /** Limit of dollars per task; 0 is no limit. Default: 0. */
  readonly maxCost?: number;
  /** What commands may read besides the workspace and what programs need; must not be empty. Default: everything but your keys. */
  readonly allowRead?: readonly string[];
  /** What commands may not read, in addition to your keys. */
  readonly denyRead?: readonly string[];
  /** What commands may write besides the workspace. Default: nothing. */
  readonly allowWrite?: readonly string[] | "all";
  /** Programs that commands may start; must not be empty. Default: all. */
  readonly allowRun?: readonly string[];
  /** The network that commands may use. Default: `own`, the servers that the agent's own commands started. */
  readonly net?: "own" | "none" | "loopback" | "all" | readonly string[];
  /** Names of environment variables that commands may see. */
  readonly allowEnv?: readonly string[];
  /** Whether the workspace is read-only. Default: false. */
  readonly readOnly?: boolean;
  /** With `off`, the kernel enforces nothing. Default: `auto`. */
  readonly sandbox?: "auto" | "off";
  /** When `approval` is called. Default: `sensitive` if there is an `approval`, else `refuse`. */
  readonly confirm?: Confirm;
  /** Called while a task runs. */
  readonly callbacks?: AgentCallbacks;
  /** Answers a question of the model's; null for no answer. Without it, the model is not offered the tool to ask. */
  readonly clarify?: AskWords;
  /** Decides whether a call may run. */
  readonly approval?: AskPerson;
  /** Any other setting by its dotted name, such as `{ "tools.bash_timeout_s": 30 }`. */
  readonly settings?: Readonly<Record<string, unknown>>;
  /** A settings file instead of the user's. */
  readonly configFile?: string;
  /** The environment for settings, keys and commands. Default: that of the process. */
  readonly env?: Readonly<Record<string, string>>;
  /** Whether to save the session, so that it can be resumed. Default: true. */
  readonly save?: boolean;
  /**
   * Goes on with a saved session: its ID or the beginning of one; `newest`: the newest of the workspace. Options that are
   * left out, permissions among them, are as it was started with.
   */
  readonly resume?: string;
}

/** The options that are settings. */
const SETTINGS = [
  ["model", "provider.model"],
  ["provider", "provider.default"],
  ["baseUrl", "provider.base_url"],
  ["apiMode", "provider.api_mode"],
  ["mode", "agent.mode"],
  ["verify", "verify.command"],
  ["maxSteps", "agent.max_model_steps"],
  ["timeout", "agent.timeout_s"],
  ["maxCost", "budget.max_cost_usd"],
  ["allowRead", "permissions.read"],
  ["allowWrite", "permissions.write"],
  ["allowRun", "permissions.run"],
  ["net", "permissions.net"],
  ["allowEnv", "permissions.env"],
  ["confirm", "agent.confirm"],
  ["save", "sessions.save"],
] as const satisfies readonly (readonly [keyof AgentOptions, string])[];

/** All other options, and their types. */
const OTHERS: Readonly<Record<Exclude<keyof AgentOptions, typeof SETTINGS[number][0]>, string>> = {
  ...{ workspace: "string", apiKey: "string", configFile: "string", resume: "string" },
  ...{ callbacks: "object", clarify: "function", approval: "function" },
  ...{ settings: "object", env: "object", denyRead: "object" },
  ...{ readOnly: "boolean", sandbox: "string" },
};
const KINDS = new Map<string, string | null>([
  ...SETTINGS.map(([name]) => [name, null] as const),
  ...Object.entries(OTHERS),
]);

const WORDS: ReadonlySet<unknown> = new Set<PersonAnswer>([
  "yes",
  "no",
  "always",
  "edits",
  "nobody",
]);
const CALLBACKS: readonly string[] = Object.keys(
  {
    ...{ toolProgress: 0, thinking: 0, reasoning: 0, step: 0, streamDelta: 0, toolGen: 0 },
    status: 0,
  } satisfies Record<keyof AgentCallbacks, 0>,
);

/** Throws for options of the wrong name or type, as the program may be plain JavaScript. */
function check(options: AgentOptions): void {
  for (const [name, value] of Object.entries(options)) {
    const kind = KINDS.get(name);
    if (kind === undefined) {
      throw new StartError(`unknown option ${name}${did_you_mean(name, [...KINDS.keys()])}`);
    }
    if (kind === null || value === undefined) continue;
    if (typeof value !== kind || value === null) {
      throw new StartError(`${name} must be of type ${kind}`);
    }
  }
  const { callbacks = {} } = options;
  for (const [name, callback] of Object.entries(callbacks)) {
    if (!CALLBACKS.includes(name)) {
      // An object of a class may have more.
      if (Object.getPrototypeOf(callbacks) !== Object.prototype) continue;
      throw new StartError(`unknown callback ${name}${did_you_mean(name, CALLBACKS)}`);
    }
    if (callback !== undefined && typeof callback !== "function") {
      throw new StartError(`callbacks.${name} must be of type function`);
    }
  }
  const { allowRead, allowRun, denyRead = [], sandbox = "auto" } = options;
  if (!Array.isArray(denyRead) || denyRead.some((path) => typeof path !== "string" || !path)) {
    throw new StartError("denyRead must be a list of paths");
  }
  // To the settings, no entry is no limit: who has computed a list means none.
  for (const [name, list] of Object.entries({ allowRead, allowRun })) {
    if (list?.length === 0) throw new StartError(`${name} is empty: leave it out for its default`);
  }
  if (sandbox !== "auto" && sandbox !== "off") throw new StartError("sandbox must be auto or off");
}

/** The setup that options ask for. Throws `StartError` for one that can't be used. */
export function setup_of(options: AgentOptions): Omit<AgentSetup, "resumed"> {
  check(options);
  const environ = { ...options.env ?? Deno.env.toObject() };
  if (options.apiKey !== undefined) environ["HAMR_API_KEY"] = options.apiKey;
  const given: Record<string, unknown> = { ...options.settings };
  for (const [name, key] of SETTINGS) {
    if (options[name] !== undefined) given[key] = options[name];
  }
  if (options.verify !== undefined && options.mode === undefined) given["agent.mode"] = "verify";
  if (options.approval !== undefined) given["agent.confirm"] ??= "sensitive";
  const flags: Flags = {
    ...FLAG_DEFAULTS,
    quiet: true,
    sandbox: options.sandbox ?? "auto",
    deny_read: [...options.denyRead ?? []],
    read_only: options.readOnly,
    directory: options.workspace,
    config: options.configFile,
  };
  return {
    flags,
    overrides: Object.entries(given).map(([key, value]) => override(key, value)),
    io: { environ: () => environ },
    embedded: true,
    ask: checked("approval", options.approval, is_answer),
    clarify: checked("clarify", options.clarify, is_words),
    callbacks: options.callbacks,
  };
}

/** What asks the program, and takes nothing for an answer that is none. */
function checked<Asked extends readonly unknown[], Answer>(
  name: string,
  ask: ((...asked: Asked) => Promise<Answer>) | undefined,
  fits: (answer: unknown) => boolean,
): ((...asked: Asked) => Promise<Answer>) | null {
  if (ask === undefined) return null;
  return async (...asked) => {
    const answer = await ask(...asked);
    if (fits(answer)) return answer;
    throw new TypeError(
      `${name} returned something that is not an answer: ${Deno.inspect(answer)}`,
    );
  };
}

function is_answer(answer: unknown): answer is PersonAnswer {
  if (typeof answer !== "object" || answer === null) return WORDS.has(answer);
  const { no, instead } = answer as { readonly no?: unknown; readonly instead?: unknown };
  return typeof (no ?? instead) === "string" && instead !== "";
}

const is_words = (answer: unknown) => answer === null || typeof answer === "string";

/** A setting as a program gives it. Throws `StartError` for a value that it can't have. */
function override(name: string, value: unknown): Override {
  const key = KEYS.get(name);
  if (key === undefined) {
    throw new StartError(`unknown setting ${name}${did_you_mean(name, [...KEYS.keys()])}`);
  }
  // Items are taken as they are, whatever commas they have.
  const read = Array.isArray(value) && key.kind !== "integers"
    ? { ok: misfit(key, value) === null, value: [...value] }
    : from_text(key, String(value));
  if (!read.ok) throw new StartError(`${name} ${problem(key, value)}`);
  return { key: name, value: read.value, where: name };
}

/** What a program has set, with one more that it sets now; undefined: as the server does by itself. Throws `StartError` for a value that it can't have. */
export function with_setting(
  before: readonly Override[],
  key: string,
  value: unknown,
): readonly Override[] {
  const set = value === undefined ? { key, value } : override(key, value);
  return [...before.filter((one) => one.key !== key), { ...set, where: "agent" }];
}
