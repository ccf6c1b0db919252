/** The flags a session was started with, as far as they still apply when it continues. */
import { OF_SERVER, type Override } from "../config/load.ts";
import { real_or } from "../config/paths.ts";
import { flag_with } from "../config/text.ts";
import { FLAG_DEFAULTS, type Flags } from "./flags.ts";
import type { RunInputs } from "./run_inputs.ts";

/** Flags that say what a run may do and what it must show, and at most that. */
const KEPT = [
  "rubric",
  "sandbox",
  "deny_read",
  "dry_run",
  "read_only",
  "add_dir",
  "only_tools",
  "output_schema",
  "mcp_config",
] as const;

/** Settings that are lists of paths, or of programs of which some are. */
const PATHS = new Set(["permissions.read", "permissions.write", "permissions.run"]);

export interface SavedRun {
  readonly task: string;
  readonly at_ms: number;
  readonly branch?: string;
  readonly overrides: readonly Override[];
  readonly flags: Partial<Pick<Flags, (typeof KEPT)[number]>>;
  readonly inputs?: RunInputs;
}

/** The row of an invocation that begins now. Paths are made absolute: the next one may begin in another folder, and a link lead elsewhere. */
export function saved_run(
  { task, flags, overrides }: { task: string; flags: Flags; overrides: readonly Override[] },
): SavedRun {
  const given = KEPT.filter((name) => flags[name] !== FLAG_DEFAULTS[name]);
  return {
    task,
    at_ms: Date.now(),
    overrides: overrides.map(({ key, value, where }) => ({
      key,
      value: lasting(key, value),
      where,
    })),
    flags: {
      ...Object.fromEntries(given.map((name) => [name, flags[name]])),
      ...(flags.deny_read.length === 0 ? {} : { deny_read: flags.deny_read.map(absolute) }),
      ...(flags.add_dir.length === 0 ? {} : { add_dir: flags.add_dir.map(led_to) }),
      ...(flags.mcp_config.length === 0 ? {} : { mcp_config: flags.mcp_config.map(absolute) }),
    },
  };
}

export interface AskedRun {
  readonly flags: Flags;
  readonly overrides: readonly Override[];
}

/** What holds now: what is said now, and of what was said then all that it does not contradict. */
export function with_saved(now: AskedRun, then: SavedRun): AskedRun {
  const said = new Set(now.overrides.map(({ key }) => key));
  const given = KEPT.filter((name) => now.flags[name] !== FLAG_DEFAULTS[name]);
  return {
    flags: {
      ...now.flags,
      ...then.flags,
      ...Object.fromEntries(given.map((name) => [name, now.flags[name]])),
      deny_read: together(then.flags.deny_read, now.flags.deny_read),
      add_dir: together(then.flags.add_dir, now.flags.add_dir.map(led_to)),
      mcp_config: now.flags.mcp_config.length > 0
        ? now.flags.mcp_config
        : then.flags.mcp_config ?? [],
    },
    // A verify command brings its mode along, and another mode leaves it behind.
    overrides: [
      ...still_of_server(then.overrides, provider_in(now.overrides)).filter(({ key }) =>
        !said.has(key)
      ),
      ...now.overrides,
    ],
  };
}

const OF_PROVIDER: ReadonlySet<string> = new Set(OF_SERVER.map((key) => `provider.${key}`));

/** What was said before, without address, model and protocol where another provider is named now: these were said of the one before. */
export function still_of_server(then: readonly Override[], named: unknown): readonly Override[] {
  return named === undefined || named === "auto" || named === provider_in(then)
    ? then
    : then.filter(({ key }) => !OF_PROVIDER.has(key));
}

function provider_in(overrides: readonly Override[]): unknown {
  return overrides.findLast(({ key }) => key === "provider.default")?.value;
}

/** Each path once, however it was written. */
function together(then: readonly string[] = [], now: readonly string[]): readonly string[] {
  return [...new Set([...then, ...now.map(absolute)])];
}

/** The flags by which an earlier invocation was given rights that this one has again without naming them. */
export function rights_kept(
  asked: { readonly overrides: readonly Override[]; readonly flags: Pick<Flags, "add_dir"> },
  { overrides }: { overrides: readonly Override[] },
  { flags: { add_dir = [] } }: SavedRun,
): readonly string[] {
  const said = new Set(asked.overrides.map(({ key }) => key));
  const kept = overrides.filter(({ key, value }) => !said.has(key) && is_right(key, value));
  return [
    ...kept.map(({ where, value }) =>
      value === "all" || where === "--yolo" ? where : flag_with(where, String(value))
    ),
    ...add_dir.filter((folder) => !asked.flags.add_dir.map(led_to).includes(folder))
      .map((folder) => flag_with("--add-dir", folder)),
  ];
}

function is_right(key: string, value: unknown): boolean {
  const is_list = Array.isArray(value) && value.length > 0;
  if (key === "agent.confirm") return value === "never";
  if (key === "permissions.read") return value === "all";
  return ["permissions.net", "permissions.write", "permissions.env"].includes(key) &&
    (is_list || value === "all" || (key === "permissions.net" && value === "loopback"));
}

function lasting(key: string, value: unknown): unknown {
  if (key === "provider.base_url") return without_password(String(value));
  if (!PATHS.has(key) || !Array.isArray(value)) return value;
  if (key !== "permissions.run") return value.map(String).map(led_to);
  return value.map((text) => String(text).includes("/") ? absolute(String(text)) : text);
}

/** A key has no place in a session: who continues with it says it again. */
function without_password(address: string): string {
  if (!address.includes("@") || !URL.canParse(address)) return address;
  const url = new URL(address);
  url.username = url.password = "";
  return url.href;
}

/** What is allowed is the place, not the name. */
function led_to(path: string): string {
  return real_or(absolute(path));
}

function absolute(path: string): string {
  return path.startsWith("/") || path.startsWith("~") ? path : `${Deno.cwd()}/${path}`;
}

/** The settings for going on after a plan with no mode given: a plan is made once, and then carried out. */
export function after_plan(now: readonly Override[], then: SavedRun): readonly Override[] {
  const planned = then.inputs?.settings.agent.mode === "plan" &&
    !now.some(({ key }) => key === "agent.mode");
  return planned ? [...now, { key: "agent.mode", value: "auto", where: "hamr resume" }] : now;
}

/** As what the settings of a review say that they come from. */
export const BY_REVIEW = "hamr review";

/** What goes on after a review, once something is said to it: that is no review, whose answer is a list and which changes nothing. Null: it was none. */
export function after_review(then: SavedRun): SavedRun | null {
  const overrides = then.overrides.filter(({ where }) => where !== BY_REVIEW);
  if (overrides.length === then.overrides.length) return null;
  const { read_only: _, output_schema: __, ...flags } = then.flags;
  return { ...then, overrides, flags };
}
