/** Files of the workspace that the user's own settings start: by git's settings, and by `PATH`. */
import { path } from "../config/path.ts";

/**
 * Programs that a user starts without a thought of the workspace, and that nothing installs into one: those of the shell's everyday,
 * editors, and `hamr` itself. In a folder of `PATH` that commands can write, one of these would be started in place of the system's.
 */
const EVERYDAY = [
  ..."bash cat chmod clear cp date df du echo env fish grep head hostname id kill less ls mkdir more mv"
    .split(" "),
  ..."ps pwd rm sed sh sleep sort ssh stat sudo su tail tee test top touch tr true uname which whoami zsh"
    .split(" "),
  ..."code emacs git hamr helix hx man nano nvim tmux vi vim xdg-open".split(" "),
];

/** Keys of git's settings, by their last part, whose value is a command; in sections such as `alias` every key's is. */
const RUNS =
  /^(?:fsmonitor|sshcommand|editor|pager|askpass|gitproxy|alternaterefscommand|clean|smudge|process|textconv|command|external|driver|cmd|program|defaultkeycommand|helper|difffilter|uploadpack|receivepack|packobjectshook|update|tool)$/i;
const ALL_RUN = /^\s*\[\s*(?:alias|pager)\b/i;

/** What programs in a `PATH` would be started here before the system's, whether they are there or not; absolute. */
export function in_path(search: string, workspace: string): string[] {
  // An empty one is the folder that the shell is in.
  const folders = search.split(":").map((folder) => path.resolve(workspace, folder || "."))
    .filter((folder) => folder === workspace || folder.startsWith(`${workspace}/`));
  return folders.flatMap((folder) => EVERYDAY.map((name) => `${folder}/${name}`));
}

/** Folders of hooks in git's settings, and words of commands that may name a file; relative to the top of the working tree. */
export function in_git_settings(
  text: string,
): { readonly hooks: readonly string[]; readonly words: readonly string[] } {
  const hooks: string[] = [], words: string[] = [];
  let all_run = false;
  for (const line of text.split("\n")) {
    // A key may stand behind its section's name.
    const [, section, rest = line] = /^(\s*\[[^\]]*\])(.*)$/.exec(line) ?? [];
    if (section !== undefined) all_run = ALL_RUN.test(section);
    const [, key = "", value = ""] = /^\s*([\w-]+)\s*=\s*(.*)$/.exec(rest) ?? [];
    if (/^hookspath$/i.test(key)) hooks.push(value.replace(/^"|"\s*$/g, ""));
    else if (all_run || RUNS.test(key)) words.push(...value.split(/[\s"'!;&|()<>=\\]+/));
  }
  return {
    hooks: hooks.filter((folder) => folder !== "" && !folder.startsWith("~")),
    // By its name alone a program is looked for in PATH.
    words: words.filter((word) => /^[^~-].*(?:\/|\.\w+$)/.test(word)),
  };
}
