/** Files of the workspace that the user's own settings run: Git's settings and `PATH`. */
import { path } from "../config/path.ts";
import { is_inside } from "../config/paths.ts";
import { file_text, real_of, stat_or_null } from "../permission/paths.ts";

/** Git's own settings of the user and of the machine (git-config(1), FILES). */
const USER_SETTINGS = [".config/git/config", ".gitconfig"], MACHINE_SETTINGS = "/etc/gitconfig";
/** Git follows ten, one in the other (MAX_INCLUDE_DEPTH). */
const MOST_SETTINGS = 50;
/** Everyday programs that nothing installs into a workspace: shell tools, what a prompt and a `cd` start, editors, hamr. Commands must not put one into a `PATH` folder. */
const EVERYDAY =
  `bash cat chmod clear cp date df du echo env fish grep head hostname id kill less ls mkdir more mv ps pwd rm sed sh
  sleep sort ssh stat sudo su tail tee test top touch tr true uname which whoami zsh atuin awk basename cut dircolors
  direnv dirname find fzf mise mktemp readlink realpath seq starship stty tput uniq apt brew crontab curl docker gcc gh
  gunzip gzip kubectl make passwd podman rsync screen systemctl tar unzip wget wc xargs zoxide gpg gpg-agent scp
  ssh-add ssh-agent code emacs git hamr helix hx man nano nvim tmux vi vim xdg-open`.split(/\s+/);

/** What shells, `ls`, git, ssh, Python, Node and editors load; below the folder lie those for newer processors (ld.so(8)). */
const LIBRARIES =
  `libacl.so.1 libattr.so.1 libc.so.6 libcap.so.2 libcrypto.so.3 libcurl.so.4 libdl.so.2 libexpat.so.1 libgcc_s.so.1
  libm.so.6 libncursesw.so.6 libpcre2-8.so.0 libpthread.so.0 libreadline.so.8 librt.so.1 libselinux.so.1 libssl.so.3
  libstdc++.so.6 libtinfo.so.6 libutil.so.1 libz.so.1 glibc-hwcaps`.split(/\s+/);

/** Keys of git's settings, by their last part, whose value is a command; in sections such as `alias` every key's is. */
const RUNS =
  /^(?:fsmonitor|sshcommand|editor|pager|askpass|gitproxy|alternaterefscommand|clean|smudge|process|textconv|command|external|driver|cmd|program|defaultkeycommand|helper|difffilter|uploadpack|receivepack|packobjectshook|update|tool)$/i;
/** Folders with hooks: those that run, and those that every new repository gets. */
const HOOKS = /^(?:hookspath|templatedir)$/i;
const ALL_RUN = /\[\s*(?:alias|pager)\b[^[]*$/i;

/** Where a Python environment is by custom, which git ignores: sourced, it comes first in `PATH`; editors, and prompts at a `cd`, do that by themselves. */
const ENVIRONMENTS = [".venv/bin", "venv/bin"];
/** Such a file comes with an environment: new, it is as new as all that is in there. */
export const ACTIVATES = /(?:^|\/)\.?venv\/bin\/activate(?:\.fish|\.csh)?$/;

export function sourced_in(top: string): string[] {
  return ENVIRONMENTS.flatMap((folder) =>
    ["", ".fish", ".csh"].map((end) => `${top}/${folder}/activate${end}`)
  );
}

/** Programs in `PATH` that would be started here before the system's, present or not, in folders that are there; absolute. `workspaces`: all names of the workspace. */
export function in_path(search: string, workspaces: readonly string[]): string[] {
  const sourced = workspaces.flatMap((top) =>
    [...ENVIRONMENTS, ...added_to_path(top)].map((name) => path.resolve(top, name))
  );
  return [...searched(search, workspaces), ...sourced]
    .filter((folder) => stat_or_null(folder)?.isDirectory)
    .flatMap((folder) => EVERYDAY.map((name) => `${folder}/${name}`));
}

/** What an `.envrc` that was allowed puts into `PATH` at a `cd` (direnv-stdlib(1)), also where hamr is started from elsewhere. */
function added_to_path(top: string): string[] {
  const text = file_text(`${top}/.envrc`).replace(TOP, "").replace(
    "layout node",
    "PATH_add node_modules/.bin",
  );
  const words = text.match(/^.*(?:PATH|load_prefix).*$/gm)?.join(" ").match(/[\w@+./-]+/g) ?? [];
  return words.flatMap((word) => [word, `${word}/bin`]);
}

/** Libraries in `LD_LIBRARY_PATH` that everyday programs would load from here, present or not; absolute. */
export function in_library_path(search: string, workspaces: readonly string[]): string[] {
  return searched(search.replaceAll(";", ":"), workspaces).flatMap((folder) =>
    LIBRARIES.map((name) => `${folder}/${name}`)
  );
}

/** Folders of the workspace in a list of them; an empty one is the folder that the shell is in. */
function searched(search: string, workspaces: readonly string[]): string[] {
  const [workspace = ""] = workspaces;
  const folders = search === "" ? [] : search.split(":");
  return folders.map((folder) => path.resolve(workspace, folder || "."))
    .filter((folder) => workspaces.some((top) => is_inside(folder, top)));
}

/** The same of links to the workspace, in folders where a user keeps such. */
export function linked_in_path(
  search: string,
  { home, workspaces }: { home: string; workspaces: readonly string[] },
): string[] {
  const is_in = (place: string) => workspaces.some((top) => is_inside(place, top));
  const folders = search.split(":").filter((folder) =>
    !is_in(folder) &&
    (folder === "/usr/local/bin" || (home !== "" && is_inside(folder, home)))
  );
  return folders.flatMap((folder) => EVERYDAY.map((name) => real_of(`${folder}/${name}`)))
    .filter((real) => real !== null).filter(is_in);
}

/** Files of git's settings besides those of a repository; the last one counts. */
export function user_settings(home: string): string[] {
  return [MACHINE_SETTINGS, ...home === "" ? [] : USER_SETTINGS.map((name) => `${home}/${name}`)];
}

/** The files that git's settings include, absolute. `file`: where they stand. */
export function included_files(
  text: string,
  { file, home }: { file: string; home: string },
): string[] {
  return [...text.matchAll(/(?<![\w-])path\s*=\s*"?([^"#;\n]+)/gi)]
    .map((match) => match[1]?.trim() ?? "").filter((value) => value !== "")
    .map((value) => path.resolve(path.dirname(file), from_home(value, home)));
}

/** A file of settings and all that it includes, with their texts. */
export function with_included(file: string, home: string): [file: string, text: string][] {
  const all = new Map<string, string>();
  const add = (one: string) => {
    if (all.has(one) || all.size === MOST_SETTINGS) return;
    const text = file_text(one);
    all.set(one, text);
    included_files(text, { file: one, home }).forEach(add);
  };
  add(file);
  return [...all];
}

/** As git takes a path. */
function from_home(value: string, home: string): string {
  return home !== "" && value.startsWith("~/") ? home + value.slice(1) : value;
}

/** Folders of hooks in git's settings, and words of commands that may name a file; relative to the top of the working tree. */
export function in_git_settings(
  text: string,
  home: string,
): { readonly hooks: readonly string[]; readonly words: readonly string[] } {
  const hooks: string[] = [], words: string[] = [];
  let all_run = false;
  for (const line of text.split("\n")) {
    // A key may stand behind its section's name.
    const [, section, rest = line] =
      /^((?:\s*\[(?:[^\]"]|"(?:[^"\\]|\\.)*")*\])+)([^]*)$/.exec(line) ?? [];
    if (section !== undefined) all_run = ALL_RUN.test(section);
    const [, key = "", value = ""] = /^\s*([\w-]+)\s*=\s*([^]*?)\r?$/.exec(rest) ?? [];
    if (HOOKS.test(key)) hooks.push(from_home(value.replace(/^"|"\s*$/g, ""), home));
    else if (all_run || RUNS.test(key)) {
      const said = value.replaceAll('\\"', '"').replace(TOP, "");
      words.push(...said.split(/[\s"'!;&|()<>=\\]+/).map((word) => from_home(word, home)));
    }
  }
  return {
    hooks: hooks.filter((folder) => folder !== "" && !folder.startsWith("~")),
    // By its name alone a program is looked for in PATH.
    words: words.filter((word) => /^[^~-].*(?:\/|\.\w+$)/.test(word)),
  };
}

/** A hook or an `.envrc` is as long as this; what is longer is no script of a person's. */
const SCRIPT_CHARS = 64 * 1024;
/**
 * A word that is first in a shell's command, or behind what starts a file. Behind a variable it may be anything. What it looks back over is
 * bounded: blanks are one, and options few.
 */
const STARTED =
  /(?<=(?:^|[;&|(`]|(?<![\w.])(?:then|do|else|exec|env|source|source_env|source_env_if_exists|dotenv|dotenv_if_exists|(?:ba|z|da|k)?sh|python[\d.]*|node|ruby|perl|php|pwsh|Rscript|bun|npx|tsx|(?:deno|go|uv|poetry|pipenv) run|bundle exec)(?: -\S{1,80}){0,9} |(?:^|[ ;&|])\. ) ?["']?)[\w@+./-]+/gm;

/** direnv's, without the name of a file. */
const DOTENV = /(?:^|[;&|]) ?dotenv(?:_if_exists)? ?(?:$|[;&|#])/m;

/** What programs that are started by their names alone run (direnv, make and the like). */
const FILES_OF: ReadonlyMap<string, readonly string[]> = new Map([
  ["make", ["GNUmakefile", "makefile", "Makefile"]],
  ["just", ["justfile", ".justfile"]],
  ["task", ["Taskfile.yml", "Taskfile.yaml"]],
  ["rake", ["Rakefile"]],
  ["nox", ["noxfile.py"]],
]);

/** What a Makefile takes in; what its rules start is for who runs one by its name. */
export function included_by_make(text: string): readonly string[] {
  return [...text.matchAll(/^ *[-s]?include[ \t]+([^#\n]+)/gm)].flatMap((line) =>
    (line[1] ?? "").trim().split(/[ \t]+/)
  );
}

/** How scripts and settings name the folder that they are in or about; with any other variable, no file is found there. */
const TOP =
  /["']?(?:\$\{?(?!HOME\b)\w+\}?|\$\((?:git rev-parse|dirname|pwd)\b[^()]*\)|\{\{ ?config_root ?\}\})["']?\//g;

/** The files that a script starts, by the words in it: relative to where it runs, or lies. */
export function files_started_by(script: string): readonly string[] {
  if (script.length > SCRIPT_CHARS) return [];
  const text = script.replace(/[ \t]+/g, " ").replace(TOP, "");
  const words = (text.match(STARTED) ?? [])
    .flatMap((word) => FILES_OF.get(word) ?? (/\/|\.\w+$/.test(word) ? [word] : []));
  return [...new Set(DOTENV.test(text) ? [...words, ".env"] : words)];
}
