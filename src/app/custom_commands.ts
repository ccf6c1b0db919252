/** Custom commands: Markdown files whose text is a task, and skills called by name. */
import { skill_places } from "../agent/skill_places.ts";
import { ConfigError } from "../config/error.ts";
import type { Override } from "../config/load.ts";
import { is_inside, real_or_null, why } from "../config/paths.ts";
import { by_name, did_you_mean, one_line, some_of } from "../config/text.ts";
import type { Mode } from "../guards/rule.ts";
import { entries_in } from "../permission/paths.ts";
import { read_inside } from "../sandbox/kernel/read_inside.ts";
import { own_folder, type RunSettings } from "./settings.ts";

export interface CommandPlaces {
  /** Its real path. */
  readonly workspace: string;
  /** The folder of the user's own settings; null if no home folder is known. */
  readonly own_folder: string | null;
}

export function command_places(place: RunSettings): CommandPlaces {
  return { workspace: place.workspace, own_folder: own_folder(place) };
}

export interface ExpandedCommand {
  readonly task: string;
  /** What its head says of the run: `model` and `mode`. */
  readonly overrides: readonly Override[];
}

interface CustomCommand {
  readonly name: string;
  readonly file: string;
  readonly is_skill?: true;
}

/** Folders of the workspace: hamr's own first, then those of Claude Code and opencode, whose models no server here has. */
const OWN = ".hamr/commands";
const FOLDERS = [OWN, ".claude/commands", ".opencode/command", ".opencode/commands"];
/** A task is written by hand. */
const MOST_BYTES = 256 * 1024;
const MOST_HELP = 200;
const MODE = "agent.mode";

/** What `!`git status`` in a command stands for: other agents run it before they ask the model. */
const TO_RUN = /!`[^`\n]+`/;
const RUN_FIRST =
  "Run each command that stands as !`command` above, and read what it prints, before the rest.";

/** All there are, by name; of two with one name the workspace's counts, and of its folders the first. */
export function custom_commands(places: CommandPlaces): readonly CustomCommand[] {
  const found = new Map<string, CustomCommand>();
  const { workspace, own_folder } = places;
  const own = own_folder === null ? [] : [`${own_folder}/commands`];
  for (const folder of [...FOLDERS.map((folder) => `${workspace}/${folder}`), ...own]) {
    for (const name of names_in(folder, "")) {
      const file = `${folder}/${name.replaceAll(":", "/")}.md`;
      if (!found.has(name)) found.set(name, { name, file });
    }
  }
  for (const { name, file } of skill_places(places.workspace, places.own_folder)) {
    if (!found.has(name)) found.set(name, { name, file, is_skill: true });
  }
  return [...found.values()].sort(by_name);
}

/** The one that is asked for: by its name, or by the end of it, if only one has that; undefined if there is none. */
export function custom_command(asked: string, places: CommandPlaces): CustomCommand | undefined {
  const known = custom_commands(places);
  const name = asked.replace(/^\//, "").replaceAll("/", ":");
  const ends = known.filter((one) => one.name.endsWith(`:${name}`));
  return known.find((one) => one.name === name) ?? (ends.length === 1 ? ends[0] : undefined);
}

/** What its head says of a command, for lists: only what fits a line is looked for. */
export function command_help(
  { file }: CustomCommand,
  places: CommandPlaces,
): { readonly help: string; readonly takes: string | null } {
  const path = shown_path(file, places);
  try {
    const [, head = ""] = /^---\r?\n([^]*?)\n---/.exec(written_text(file, places)) ?? [];
    const of = (key: string) => {
      const [, value = ""] = new RegExp(`^${key}:[ \\t]+([^>|\\s].*)$`, "m").exec(head) ?? [];
      const [, double, single, plain = ""] = /^(?:"(.*)"|'(.*)'|(.*?))\s*$/.exec(value) ?? [];
      return one_line(double ?? single ?? plain).slice(0, MOST_HELP) || null;
    };
    return { help: of("description") ?? path, takes: of("argument-hint") };
  } catch {
    return { help: path, takes: null };
  }
}

/** The task that a command and these arguments make. Throws a `ConfigError` where there is no such command. */
export async function expand_command(
  asked: string,
  given: readonly string[],
  places: CommandPlaces,
): Promise<ExpandedCommand> {
  const command = custom_command(asked, places);
  if (command === undefined) {
    const names = custom_commands(places).map((one) => one.name);
    const where = `; put one into ${OWN}/${one_line(asked)}.md`;
    const others = names.length === 0 ? where : `; known: ${some_of(names)}`;
    throw new ConfigError(
      `there is no command ${one_line(asked)}${did_you_mean(asked, names, others)}`,
    );
  }
  const { name, file } = command;
  if (command.is_skill) {
    const skill = `Use the skill ${name} (${shown_path(file, places)}).`;
    return { task: `${skill}\n\n${given.join(" ")}`.trim(), overrides: [] };
  }
  const { front_matter } = await import("../config/front_matter.ts");
  const { fields, body } = front_matter(written_text(file, places));
  const text = filled(body, given).trim();
  if (text === "") throw new ConfigError(`${file}: it is empty`);
  const task = TO_RUN.test(body) ? `${text}\n\n${RUN_FIRST}` : text;
  const overrides = overrides_of(fields, file);
  const { own_folder } = places;
  const own = `${own_folder}/commands/${name.replaceAll(":", "/")}.md`;
  if (own_folder === null || file === own || real_or_null(own) === null) return { task, overrides };
  const of_user = overrides_of(front_matter(written_text(own, places)).fields, own);
  const mode = stricter(mode_in(overrides), mode_in(of_user));
  const others = overrides.filter(({ key }) => key !== MODE);
  const wanted = mode === null ? [] : [{ key: MODE, value: mode, where: file }];
  return { task, overrides: [...others, ...wanted] };
}

function shown_path(file: string, { workspace }: CommandPlaces): string {
  return is_inside(file, workspace) ? file.slice(workspace.length + 1) : file;
}

function mode_in(overrides: readonly Override[]): Mode | null {
  const value = overrides.find(({ key }) => key === MODE)?.value;
  return MODES_BY_RIGHTS.find((mode) => mode === value) ?? null;
}

/** `review`, and in folders `git:commit`. */
function names_in(folder: string, before: string): string[] {
  return entries_in(folder).flatMap(({ name, isDirectory }) =>
    isDirectory && /^[\w.-]+$/.test(name) && before.split(":").length < 3
      ? names_in(`${folder}/${name}`, `${before}${name}:`)
      : /^[\w.-]+\.md$/.test(name)
      ? [`${before}${name.slice(0, -3)}`]
      : []
  );
}

/** A file that a person has written. Throws a `ConfigError` for one that can't be read, or leads out of the workspace it is in. */
export function written_text(
  file: string,
  { workspace }: Pick<CommandPlaces, "workspace">,
): string {
  const real = real_or_null(file);
  // A link in a stranger's workspace may lead to a key.
  const strays = is_inside(file, workspace) && real !== null && !is_inside(real, workspace);
  if (real === null || strays) throw new ConfigError(`${file}: it points outside the workspace`);
  try {
    const { size, isFile } = Deno.statSync(real);
    if (!isFile || size > MOST_BYTES) {
      throw new ConfigError(`${file}: not a text file of at most 256 KiB`);
    }
    if (!is_inside(file, workspace)) return Deno.readTextFileSync(real);
    // Since then a command may have put a link in its place.
    const bytes = read_inside(real, { folder: workspace, most: MOST_BYTES });
    if (bytes === null) throw new ConfigError(`${file}: it points outside the workspace`);
    return new TextDecoder().decode(bytes);
  } catch (error) {
    if (error instanceof ConfigError) throw error;
    throw new ConfigError(`${file}: can't be read: ${why(error)}`);
  }
}

/** `$ARGUMENTS` and `$1` to `$9`; arguments that the text has no place for follow it. */
function filled(body: string, given: readonly string[]): string {
  const all = given.join(" ");
  // One text is divided as a shell divides it.
  const words = given.length !== 1 ? given : [...all.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)]
    .map(([, double, single, plain]) => double ?? single ?? plain ?? "");
  let used = false;
  const text = body.replace(/\$(ARGUMENTS\b|[1-9](?!\d))/g, (_, place: string) => {
    used = true;
    return place === "ARGUMENTS" ? all : words[Number(place) - 1] ?? "";
  });
  return used || all === "" ? text : `${text.trimEnd()}\n\n${all}`;
}

function overrides_of(fields: Readonly<Record<string, unknown>>, file: string): Override[] {
  // opencode has an agent of its own that plans.
  const { model, agent, mode = agent === "plan" ? agent : undefined } = fields;
  const of = (key: string, value: unknown): Override => ({ key, value, where: file });
  if (mode !== undefined && !MODES_BY_RIGHTS.some((one) => one === mode)) {
    throw new ConfigError(
      `${file}: mode must be ${MODES_BY_RIGHTS.join(", ")}, not ${one_line(String(mode))}`,
    );
  }
  return [
    ...(typeof model === "string" && is_ours(model, file) ? [of("provider.model", model)] : []),
    ...(mode === undefined ? [] : [of(MODE, mode)]),
  ];
}

/** Claude Code's words for its models. */
const OTHERS = /^(?:inherit|default|sonnet|opus|haiku)$/;

/** Whether a model that a file names can be one of a server here: what other agents call theirs means nothing to it. */
export function is_ours(model: string, file: string): boolean {
  return !OTHERS.test(model) && !/\/\.(?:claude|opencode)\//.test(file);
}

/** By how much they may change, the most first. */
export const MODES_BY_RIGHTS: readonly Mode[] = ["auto", "patch", "ask", "plan"];

/** The mode of a workspace's agent or command that has the name of one of the user's: it may change no more than that. Null: the run's own. */
export function stricter(mode: Mode | null, users: Mode | null): Mode | null {
  const rank = (one: Mode | null) => MODES_BY_RIGHTS.indexOf(one ?? "auto");
  return rank(users) > rank(mode) ? users : mode;
}
