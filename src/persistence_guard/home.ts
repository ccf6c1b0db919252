/** Files of the workspace that the user's home folder runs: by links, and by what shells, editors and the desktop read there. */
import { path } from "../config/path.ts";
import { is_inside } from "../config/paths.ts";
import { entries_in, file_text, real_of } from "../permission/paths.ts";

/** What is read or started with each shell, editor or session. Asked for by name: a home folder with keys can't be listed in the sandbox. */
const TEXTS =
  `.bashrc .bash_profile .bash_login .bash_logout .bash_aliases .profile .inputrc .zshenv .zprofile .zshrc .zlogin .zlogout
  .p10k.zsh .aliases .kshrc .cshrc .tcshrc .login .vimrc .gvimrc .ideavimrc .emacs .tmux.conf .screenrc .xinitrc .xprofile
  .xsession .xsessionrc .direnvrc .gdbinit .lldbinit .Rprofile .irbrc .pryrc .pythonrc .config/fish/config.fish
  .config/nvim/init.vim .config/nvim/init.lua .config/tmux/tmux.conf .config/zsh/.zshrc .config/direnv/direnvrc
  .config/i3/config .config/sway/config .config/hypr/hyprland.conf .config/starship.toml .emacs.d/init.el`
    .split(/\s+/);
/** Folders that are read or started like those, with every file in them. */
const FOLDERS =
  `.bashrc.d .zshrc.d .config/bash .config/zsh .config/fish/conf.d .config/autostart .config/systemd/user
  .local/share/systemd/user .local/share/dbus-1/services`.split(/\s+/);
/** Folders in which people have links: to a repository of dotfiles, or to a plugin that they work on. */
const WITH_LINKS = [
  ...FOLDERS,
  ...`.zsh .vim .doom.d .oh-my-zsh/custom .vscode/extensions .cursor/extensions .vscode-oss/extensions .vscode-server/extensions
    .config/nvim .config/doom .config/fish/functions .config/tmux .bash_completion.d .local/share/bash-completion/completions
    .local/share/nvim/site/pack .local/share/gnome-shell/extensions .gnupg`.split(/\s+/),
];
/** What else is such a link itself. */
const OTHERS = [
  ...`.oh-my-zsh .emacs.d .spacemacs .psqlrc .sqliterc .npmrc .hammerspoon .gitconfig .hgrc .claude .codex .gemini .cursor
    .ssh/config .ssh/rc .aws/config .kube/config .docker/config.json .cargo/config.toml .m2/settings.xml .gradle/init.d
    .gradle/init.gradle .julia/config/startup.jl .ipython .jupyter .bash_completion .lessfilter .mailcap .muttrc .curlrc .wgetrc
    .xbindkeysrc .yabairc .skhdrc .xmonad`.split(/\s+/),
  ...`fish git direnv mise helix zed emacs alacritty kitty wezterm i3 sway hypr systemd opencode crush Code/User/settings.json
    Code/User/tasks.json Cursor/User/settings.json VSCodium/User/settings.json ghostty nushell powershell nix home-manager kak
    ranger vifm lf yazi mpv polybar waybar rofi dunst sxhkd bspwm awesome qtile yabai skhd sketchybar lazygit tig`
    .split(/\s+/).map((name) => `.config/${name}`),
];

/** What a machine starts at its times, whoever is at it, and whether its lines name a user (crontab(5)). Only root can read a person's own. */
const CRONTABS: readonly (readonly [place: string, names_user: boolean])[] = [
  ["etc/crontab", true],
  ["etc/cron.d", true],
  ["var/spool/cron/crontabs", false],
  ["var/spool/cron", false],
];
const TIMES = String.raw`^[ \t]*(?:@\w+|[\d*]\S*(?:[ \t]+\S+){4})[ \t]+`;

/** In each of these folders, the nearest first: further down there are plugins that someone else maintains. */
const MOST_ENTRIES = 200;
/** Files that are read, in all; each as long as a person's own. */
const MOST_TEXTS = 60, TEXT_CHARS = 64 * 1024;

/** How a place is meant: as what it is, only as a file (a folder is where somebody goes), or for the files right in it. */
export interface LedTo {
  readonly full: string;
  readonly as: "any" | "file" | "files_in";
}

/** A path from the root or the home folder, with variables; quoted, it may hold blanks. */
const PATH = String.raw`(?:~|\$\{?\w+\}?|%h)?/(?:[\w@+.,*?/-]|\$\{?\w+\}?)+`;
/** What stands before a file that is read or started: the beginning of a command, or a word of a shell, Vim, tmux, Emacs, systemd or a desktop. */
const BEFORE = String
  .raw`(?:^|[;&|(\x60]|(?<![\w.])(?:then|do|else|exec|exec_always|eval|env|command|nohup|setsid|source|source-file|so|luafile|dofile|loadfile` +
  String
    .raw`|load|load-file|run|run-shell|if-shell|(?:ba|z|da|k)?sh|python[\d.]*|node|ruby|perl|bun|deno run)(?:[ \t]+-\S+)*[ \t(]` +
  String
    .raw`|(?:^|[ \t;&|])\.[ \t]|\$include[ \t]|\b(?:Exec(?:Start|Stop|Reload)?(?:Pre|Post)?|command|PROMPT_COMMAND|BASH_ENV|ENV)[ \t]*=[@:+!-]*)`;
const STARTED = new RegExp(String.raw`${BEFORE}[ \t]*["'\[(]{0,2}$`);
/** `for f in ~/dot/*; do . "$f"; done`. */
const ALL_OF = /\bfor \w+ in (?:\S+ )*["']?$/;
/** No more of a line is looked at before a path. */
const PREFIX_CHARS = 200;
/** The plugin of Oh My Zsh that sources the `.env` of a folder at each `cd`, and asks at most once for it. */
const DOTENV =
  /^[ \t]*plugins\+?=\([^)]*(?<![\w-])dotenv(?![\w-])|\b(?:OMZP::|antigen bundle |plugins\/)dotenv\b/m;
/** A line that names a folder out of which code is loaded. */
const LOADS_FROM =
  /\b(?:fpath|rtp|runtimepath|packpath|Plug|load-path|package\.path|ZSH_CUSTOM|ZDOTDIR)\b/;
const ANY_PATH = new RegExp(String.raw`(?<![\w/])${PATH}`, "g");
const ASSIGNED = new RegExp(
  String
    .raw`^[ \t]*(?:export[ \t]+|set[ \t]+(?:-\w+[ \t]+)*|(?:local|typeset|declare)[ \t]+(?:-\w+[ \t]+)*)?(\w+)[= \t]["']?(${PATH})`,
  "gm",
);

/** Where in a workspace, by any of its names, a home folder leads. Costs some hundred looks: what is there when a run starts counts for all of it. */
export function led_to_by_home(
  home: string,
  workspaces: readonly string[],
  machine = "/",
): readonly LedTo[] {
  if (!home.startsWith("/")) return [];
  const found: LedTo[] = [];
  const add = (real: string, as: LedTo["as"]) => {
    if (workspaces.some((top) => is_inside(real, top) && real !== top)) {
      found.push({ full: real, as });
    }
  };
  const there = new Set([...TEXTS, ...WITH_LINKS, ...OTHERS].filter((name) => {
    const real = real_of(`${home}/${name}`);
    if (real !== null) add(real, "any");
    return real !== null;
  }));
  for (const top of WITH_LINKS.filter((name) => there.has(name))) {
    const folders = [`${home}/${top}`];
    let left = MOST_ENTRIES;
    for (const folder of folders) {
      for (const { name, isSymlink, isDirectory } of left > 0 ? entries_in(folder) : []) {
        left--;
        const real = isSymlink ? real_of(`${folder}/${name}`) : null;
        if (real !== null) add(real, "any");
        if (isDirectory) folders.push(`${folder}/${name}`);
      }
    }
  }
  const read = new Set<string>();
  const read_text = (file: string, commands_of = (text: string) => text) => {
    if (read.size >= MOST_TEXTS || read.has(file)) return;
    read.add(file);
    const text = commands_of(file_text(file));
    if (text.length > TEXT_CHARS) return;
    if (DOTENV.test(text)) workspaces.forEach((top) => add(`${top}/.env`, "file"));
    for (const { full, as } of named_in(text, home)) {
      add(real_place(full), as);
      // What it reads in turn; programs of the system name no workspace.
      if (as === "file" && is_inside(full, home)) read_text(full);
    }
  };
  TEXTS.filter((name) => there.has(name)).forEach((name) => read_text(`${home}/${name}`));
  for (const folder of FOLDERS.filter((name) => there.has(name))) {
    entries_in(`${home}/${folder}`).forEach(({ name }) => read_text(`${home}/${folder}/${name}`));
  }
  for (const [place, names_user] of CRONTABS) {
    const full = machine + place;
    for (const file of [full, ...entries_in(full).map(({ name }) => `${full}/${name}`)]) {
      read_text(file, (text) => commands_in(text, names_user));
    }
  }
  return found;
}

/** The commands of a crontab, a line each. */
function commands_in(crontab: string, names_user: boolean): string {
  return crontab.replace(new RegExp(TIMES + (names_user ? String.raw`\S+[ \t]+` : ""), "gm"), "")
    .replace(/\bcd[ \t]+([^\s;&]+)[ \t]*(?:&&|;)[ \t]*\.\//g, "$1/");
}

/** What a text of the home folder reads or starts, as far as its words tell; absolute. */
export function named_in(quoted: string, home: string): readonly LedTo[] {
  const text = quoted.replace(/"(\$\{?\w+\}?)"(?=\/)/g, "$1");
  const variables = new Map([["HOME", home]]);
  const full = (word: string): string | null => {
    const spelled = word.replace(/^(?:~|%h)(?=\/)/, home)
      .replace(/\$\{?(\w+)\}?/g, (all, name: string) => variables.get(name) ?? all);
    return spelled.startsWith("/") && !spelled.includes("$") ? path.resolve(spelled) : null;
  };
  for (const [, name = "", value = ""] of text.matchAll(ASSIGNED)) {
    const known = full(value);
    if (known !== null) variables.set(name, known);
  }
  const found: LedTo[] = [], seen = new Set<string>();
  const add = (word: string, as: LedTo["as"]) => {
    const place = full(word);
    if (place === null) return;
    if (seen.has(as + place)) return;
    seen.add(as + place);
    const pattern = place.search(/\/[^/]*[*?]/);
    if (pattern > 0) found.push({ full: place.slice(0, pattern), as: "files_in" });
    else if (pattern < 0) found.push({ full: place, as });
  };
  for (const { 0: word, index } of text.matchAll(ANY_PATH)) {
    const line = text.lastIndexOf("\n", index) + 1;
    const before = text.slice(Math.max(line, index - PREFIX_CHARS), index);
    if (LOADS_FROM.test(before)) add(word, "any");
    else if (STARTED.test(before) || ALL_OF.test(before)) add(word, "file");
  }
  return found;
}

/** The real path, also of what is not there yet. */
function real_place(full: string): string {
  const real = real_of(full);
  if (real !== null || full === "/") return real ?? full;
  return path.join(real_place(path.dirname(full)), path.basename(full));
}
