/** What commands may not read: the places of keys, for this person, environment and machine. */
import type { Settings } from "../config/keys.ts";
import { type Environ, fits_one, is_inside } from "../config/paths.ts";
import { CALLED_SO, type Moved, NO_SECRETS, SECRET_PLACES } from "../config/secret_places.ts";
import { host_homes } from "./host_homes.ts";
import {
  exists,
  expanded,
  file_text,
  lstat_or_null,
  names_in,
  passwd_homes,
  resolved,
} from "./paths.ts";

export interface AskedToDeny extends Pick<Settings["permissions"], "read" | "write" | "deny_read"> {
  /** From `--deny-read`: holds even where `read` is `"all"`. */
  readonly more_denied: readonly string[];
}

export interface DeniedPlace {
  /** Its real path. */
  readonly workspace: string;
  readonly environ: Environ;
  readonly data_dir: string | null;
  /** The user's own settings, which may hold keys; null if no home folder is known. */
  readonly config_file: string | null;
  /** The home folder that the environment names; empty if it names none. */
  readonly home: string;
}

/** The paths, absolute; they need not exist. A key that is asked for by its own name may be read. */
export function denied_paths(asked: AskedToDeny, at: DeniedPlace): string[] {
  const homes = [...known_homes(at.home), ...host_homes()];
  const named = asked.read === "all" ? [] : in_homes(asked.read, homes);
  const by_name = new Set(
    asked.deny_read.filter((path) => CALLED_SO.has(path) || IN_ANY_FOLDER.test(path)),
  );
  const usual = asked.read === "all" ? [] : [
    ...in_homes(asked.deny_read.filter((path) => !by_name.has(path)), homes),
    ...called_so([...by_name], { asked, homes, workspace: at.workspace }),
    ...moved_places(asked.deny_read, at),
    ...files_of_gitlab(at.environ),
    // Where they are in the workspace because a person says so (HAMR_HOME), they are theirs to see.
    ...[at.data_dir, at.config_file].filter((path) => path !== null)
      .filter((path) => !is_inside(path, at.workspace)),
  ].filter((path) => !named.some((wanted) => is_inside(wanted, path)));
  return [...new Set([...usual, ...in_homes(asked.more_denied, homes)])];
}

/** A pattern for folders, and not only for the last name. */
const IN_ANY_FOLDER = /[*?].*\//;

/** What is only called as secrets are, or is settings with one in them: not where the user works, or where they let commands write or read by name. */
function called_so(
  patterns: readonly string[],
  { asked, homes, workspace }: { asked: AskedToDeny; homes: readonly string[]; workspace: string },
): string[] {
  const lists = [asked.read, asked.write].flatMap((list) => list === "all" ? [] : list);
  const open = [workspace, ...in_homes([...lists, ...NO_SECRETS], homes)];
  // Each folder is listed once: a home has hundreds.
  const by_folder = Map.groupBy(patterns, (path) => path.slice(0, path.lastIndexOf("/")));
  const known = new Map<string, ReturnType<typeof fits_one>>();
  const found = [...by_folder].flatMap(([folder, group]) =>
    in_homes([folder], homes).flatMap((full) => {
      const names = names_in(full);
      if (names.length === 0) return [];
      // Most folders have the same patterns, and what tests them takes longer to make than to ask.
      const patterns = group.map((path) => path.slice(folder.length + 1));
      const key = patterns.join("/");
      const fits = known.get(key) ?? fits_one(patterns);
      known.set(key, fits);
      return names.filter((name) => fits(name) || holds_key(`${full}/${name}`))
        .map((name) => `${full}/${name}`);
    })
  );
  return found.filter((path) =>
    !is_harmless(path) &&
    !open.some((folder) => is_inside(path, folder) || is_inside(folder, path))
  );
}

const SETTINGS = /(?:\.(?:toml|ya?ml|json[c5]?|ini|conf|cfg|properties)|\/config|\/settings|rc)$/;
/** A person's settings are not as long. */
const MOST_CHARS = 64 * 1024;
/** A value with letters and digits, as long as keys are, behind a name for such; keys by their format; a password in an address. Not a path, a command or a variable. */
const KEY = new RegExp(
  String
    .raw`(?:token|secret|(?:api|access|private|secret|auth|license|account|session|signing|encryption)[_-]?key|passw(?:or)?d|passphrase)
    ["']?[ \t]{0,9}[:= \t][ \t]{0,9}["']?(?=[^\s"',;]*\d)(?=[^\s"',;]*[a-z])(?![/~.$]|\w+://)[\w+/=.~:@!%^&*-]{12,}
    (?:["'][ \t]{0,9}[,;}\]]|["',;]{0,3}[ \t]{0,9}\r?$)|\b(?:sk-[\w-]{20,}|gh[opusr]_\w{30,}|github_pat_\w{30,}|glpat-[\w-]{20,}
    |xox[abposr]-[\w-]{10,}|AKIA[0-9A-Z]{16}\b|AIza[\w-]{35}|npm_\w{36}|hf_\w{30,}|pypi-\w{50,}|eyJ[\w-]{10,}\.eyJ[\w-]{10,}\.
    |[sr]k_live_\w{20,}|AGE-SECRET-KEY-1\w{50})|-----BEGIN [A-Z ]*PRIVATE KEY
    |\b[a-z][a-z+]{2,9}://[^\s/:@"'<>$]{1,200}:[^\s/:@"'<>$]{6,200}@`.replace(/\n */g, ""),
  "im",
);

/** Whether it is a program's settings, and a key stands in them. */
function holds_key(path: string): boolean {
  return SETTINGS.test(path) && KEY.test(file_text(path, MOST_CHARS));
}

/** A Python's virtual environment is often called as a file of keys is, and a certificate as a key; that one is for everybody. */
function is_harmless(path: string): boolean {
  if (path.endsWith("/.env")) return lstat_or_null(path)?.isDirectory === true;
  return /\.(?:pem|key)$/.test(path) && ((lstat_or_null(path)?.mode ?? 0) & 0o004) !== 0;
}

/** What was asked to be denied and names nothing, a line each: the user may have mistyped it. */
export function unmatched(asked: readonly string[], home: string): string[] {
  return asked.flatMap((path) => {
    const found = in_homes([path], [...known_homes(home), ...host_homes()]);
    if (found.length === 0) return [`--deny-read=${path} matches nothing, so it denies nothing`];
    return found.some(exists) ? [] : [`--deny-read=${path}: there is no such file or folder yet`];
  });
}

/** The user's home folders. A service, a container or `env -i` may name another than the system knows; the keys are in either. */
export function known_homes(home: string): string[] {
  const known = passwd_homes().filter(({ uid }) => uid === Deno.uid()).map(({ home }) => home);
  return [...new Set([home, ...known])].filter((folder) => folder.startsWith("/"));
}

/** What of a path in a home is to be worked out: patterns, and names that stand for another folder. */
const TO_WORK_OUT = /[*?]|\/\.{0,2}(?:\/|$)/;

function in_homes(paths: readonly string[], homes: readonly string[]): string[] {
  const found: string[] = [];
  const folders = homes.map((home) => resolved("/", home).replace(/\/$/, ""));
  for (const path of paths) {
    if (path.startsWith("~/") && !TO_WORK_OUT.test(path)) {
      for (const folder of folders) found.push(folder + path.slice(1));
      continue;
    }
    // Only what begins with `~` is in several homes.
    const [first = "", ...more] = homes;
    for (const home of path.startsWith("~") ? [first, ...more] : [first]) {
      const full = expanded(path, home);
      if (full !== null) found.push(...filled_in(full));
    }
  }
  return found;
}

/** A `*` or `?` in a name stands for what is there now; a file may also really have such a name. */
function filled_in(path: string): string[] {
  if (!/[*?]/.test(path)) return [path];
  const found = path.split("/").slice(1).reduce<string[]>((folders, name) => {
    if (!/[*?]/.test(name)) return folders.map((folder) => `${folder}/${name}`);
    return folders.flatMap((folder) => named_so(`${folder}/`, name).map((one) => folder + one));
  }, [""]);
  return IN_ANY_FOLDER.test(path) ? found.filter(exists) : found;
}

function named_so(folder: string, pattern: string): string[] {
  const names = names_in(folder);
  // What can't be listed may still have a file of that very name.
  const itself = names.includes(pattern) || (names.length === 0 && exists(folder + pattern));
  return (itself ? [pattern] : names.filter(fits_one([pattern]))).map((name) => `/${name}`);
}

/** Where variables have led what is on the list. Not into the workspace, which can be read as a whole. */
function moved_places(
  listed: readonly string[],
  { environ, home, workspace }: DeniedPlace,
): string[] {
  const asked = new Set(listed);
  const folders = [
    ["~/.config/", "XDG_CONFIG_HOME"],
    ["~/.local/share/", "XDG_DATA_HOME"],
    ["~/.local/state/", "XDG_STATE_HOME"],
    ["~/.cache/", "XDG_CACHE_HOME"],
  ] as const;
  const moved: string[] = [];
  for (const { paths, moved: variables } of SECRET_PLACES) {
    if (!paths.some((path) => asked.has(path))) continue;
    for (const one of variables) moved.push(...named_by(one, environ));
    for (const [usual, variable] of folders) {
      const folder = environ[variable] ?? "";
      if (!folder.startsWith("/")) continue;
      const there = paths.filter((path) => path.startsWith(usual));
      moved.push(...there.map((path) => `${without_end(folder)}/${path.slice(usual.length)}`));
    }
  }
  return moved.map((path) => expanded(path, home)).filter((path) => path !== null)
    .filter((path) => !is_inside(path, workspace) && !is_inside(workspace, path))
    // `HISTFILE=/dev/null`, and a variable that names a folder above everything.
    .filter((path) => !is_inside(path, "/dev") && !is_inside(home === "" ? "/" : home, path));
}

/** Variables of GitLab's that are files: each lies beside the project, under its own name. Without the certificates `git fetch` trusts no server of one's own. */
function files_of_gitlab(environ: Environ): string[] {
  const folder = `${environ["CI_PROJECT_DIR"]}.tmp`;
  return Object.entries(environ).flatMap(([name, value]) =>
    value === `${folder}/${name}` && !name.startsWith("CI_SERVER_TLS_") ? [value] : []
  );
}

function named_by({ variable, below, several }: Moved, environ: Environ): string[] {
  const value = environ[variable];
  if (value === undefined) return [];
  // Kerberos and others put the kind of a store before its path.
  const said = value.replace(/^(?:FILE|DIR):/, "");
  const named = several ? said.split(":") : [said];
  return named.filter((path) => path.startsWith("/") || path.startsWith("~/"))
    .map((path) => below === "" ? path : `${without_end(path)}/${below}`);
}

function without_end(folder: string): string {
  return folder.replace(/\/$/, "");
}
