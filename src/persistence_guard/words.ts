/** Describes what was put back, for the model and for the result. */
import { path as paths } from "../config/path.ts";
import { is_inside } from "../config/paths.ts";
import { cut, flag_with, one_line, some_of } from "../config/text.ts";
import type { Policy } from "../sandbox/policy.ts";
import type { Role } from "./saved.ts";

/** Something that a step changed and that was put back, or was to be. */
export interface Change {
  readonly path: string;
  readonly role: Role;
  /** For settings: the keys that were put back; empty if it was more than keys. */
  readonly keys: readonly string[];
  /** Why it could not be put back; null if it was. */
  readonly failure: string | null;
  /** A folder stayed one: what was put back is its mode. Absent: not that alone. */
  readonly is_mode?: boolean;
}

/** What there is to say since the last time. */
export interface Notes {
  readonly warnings: readonly string[];
  /** What could not be put back, in one line; null if nothing. The run has to end. */
  readonly violation: string | null;
}

/** Named before the rest is only counted: a name may be chosen to be read. */
const MOST_NAMED = 6;
const NAME_CHARS = 120;
/** A new project of many tools has some 30. */
const MOST_KINDS = 100;

/** A line for each kind of thing that was put back, and one for all that could not be. */
export function put_back_words(changes: readonly Change[], policy: Policy): Notes {
  const failed = changes.filter(({ failure }) => failure !== null);
  const done = changes.filter(({ failure }) => failure === null);
  const warnings = [...Map.groupBy(done, reason_of)].map(([reason, group]) => {
    const names = listed_names(group.map((change) => name_of(change, policy)));
    return `hamr put back ${names}: ${reason}${flag_for(group, policy)}`;
  });
  if (failed.length === 0) return { warnings, violation: null };
  const names = listed_names(
    failed.map((change) => `${name_of(change, policy)} (${one_line(change.failure ?? "")})`),
  );
  const violation = `hamr could not put back ${names}: what is planted there runs later, ` +
    "outside the sandbox; look at it before using git or hamr here";
  return { warnings, violation };
}

function reason_of({ role, is_mode = false }: Change): string {
  if (is_mode) return "with its mode git could not be watched there, or others could write to it";
  switch (role) {
    case "hooks":
    case "config":
    case "module_config":
      return "hooks and such settings run programs or point elsewhere, later and outside the sandbox";
    case "pointer":
    case "common":
    case "worktree_common":
    case "inner":
      return "it would point git to another folder, with other hooks and settings";
    case "link":
      return "git writes through such a link, later and outside the sandbox, into a file that is not its own";
    case "shown":
      return "a prompt that shows it, as the branch or a rebase's progress, would run what it says";
    case "closed":
      return "git enters it, and what can't be listed can't be watched";
    case "whole":
      return "it runs, or decides what may run, later and outside the sandbox";
  }
}

/** The flag that allows it, where a single one does. */
function flag_for(group: readonly Change[], { workspace, given }: Policy): string {
  const [first] = group;
  if (first === undefined) return "";
  const hooks = /^.*\/hooks(?=\/|$)/s.exec(first.path)?.[0];
  const place = is_inside(first.path, `${workspace}/.hamr`)
    ? `${workspace}/.hamr`
    : first.role === "config" || given?.includes(first.path)
    ? first.path
    : hooks;
  if (place === undefined || !group.every(({ path }) => is_inside(path, place))) return "";
  return `; the user can do that after the run, or allow it with ${
    flag_with("--allow-write", in_a_line(place))
  }`;
}

function name_of({ path, keys }: Change, { workspace }: Policy): string {
  const name = in_a_line(workspace_path(path, workspace));
  return keys.length === 0 ? name : `${name} (${listed_names(keys.map((key) => in_a_line(key)))})`;
}

/** Relative where it is in the workspace. */
export function workspace_path(path: string, workspace: string): string {
  return is_inside(path, workspace) ? paths.relative(workspace, path) : path;
}

/** `a, b and 3 more`. */
export function listed_names(names: readonly string[]): string {
  return some_of(names, MOST_NAMED);
}

export function nearest_first(names: readonly string[]): string[] {
  return names.toSorted((a, b) => a.split("/").length - b.split("/").length);
}

/** Lists some names of each kind, what is nearest to the top first: nobody hides what counts behind others that sort before it. */
export function listed_by_kind(
  names: readonly string[],
  { group_of, words }: Readonly<Record<"group_of" | "words", (name: string) => string>>,
): string {
  const kinds = [...Map.groupBy(names, group_of)].map(([kind, all]) => {
    const listed = listed_names(nearest_first(all).map((name) => in_a_line(words(name))));
    return all.length > MOST_NAMED ? `${listed} ${in_a_line(kind)}` : listed;
  });
  return some_of(kinds, MOST_KINDS);
}

/** Of a long one its beginning and its end, which tells what it is. */
export function in_a_line(name: string, chars = NAME_CHARS): string {
  const line = one_line(name);
  if (line.length <= chars) return line;
  const end = Math.floor(chars / 2);
  return cut(line, chars - end) + line.slice(-end).replace(/^[\udc00-\udfff]/, "");
}
