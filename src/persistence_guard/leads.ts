/** Paths in a workspace that the user's and Git's settings point to. */
import { further_folders } from "../changes/further_folders.ts";
import { path } from "../config/path.ts";
import { is_inside, real_or } from "../config/paths.ts";
import { git_folder } from "../permission/git_folder.ts";
import {
  file_text,
  is_program,
  lstat_or_null,
  names_in,
  stat_or_null,
} from "../permission/paths.ts";
import type { Policy } from "../sandbox/policy.ts";
import { other_reach } from "../sandbox/scope/other_reach.ts";
import type { FolderScan } from "./folder_scan.ts";
import { led_to_by_home, type LedTo } from "./home.ts";
import { dotgit_target, git_dirs_in } from "./places.ts";
import { WAITING } from "./run_digest.ts";
import type { Baseline } from "./saved.ts";
import { Lens } from "./thing.ts";
import {
  files_started_by,
  in_git_settings,
  in_library_path,
  in_path,
  included_by_make,
  included_files,
  linked_in_path,
  sourced_in,
  user_settings,
  with_included,
} from "./started.ts";
import { started_by_scripts_in, starter_of } from "./started_by_settings.ts";

/** A folder of hooks has fewer files. */
const MOST_FILES = 500;
/** Steps of a rebase that was left unfinished may be commands; `info/attributes` says which filters run; Lazygit, Sapling and GitLab's glab have settings here, transcrypt its program. The next commit brings a `MERGE_AUTOSTASH` into the working tree. */
const IN_GIT = ["rebase-merge/git-rebase-todo", "info/attributes", "sl/config", "lazygit.yml"]
  .concat(["glab-cli/config.yml", "glab-cli/aliases.yml", "crypt/transcrypt", "MERGE_AUTOSTASH"]);
/** What a shell or an editor reads for a file that it is given: zsh prefers a compiled one, Emacs adds an extension. */
const ENDS = ["", ".zwc", ".el", ".elc"];

export type LeadsPolicy = Pick<Policy, "workspace" | "git" | "write" | "env" | "tmp" | "cache">;

/** Finds what leads into one workspace, and where else its run works. */
export class Leads {
  readonly #home: string;
  #by_home: readonly LedTo[] | null = null;
  #names: readonly string[] | null = null;
  #others: readonly string[] | null = null;
  #projects: readonly string[] | null = null;

  constructor(
    private readonly policy: LeadsPolicy,
    private readonly sights: Pick<FolderScan, "named">,
  ) {
    this.#home = policy.env["HOME"] ?? "";
  }

  /** A path relative to the workspace, by whichever of its names, or absolute where else the run works; null if it is outside, or such a folder itself. */
  relative(full: string): string | null {
    const is_in = (folder: string) => is_inside(full, folder) && full !== folder;
    const top = this.#workspaces().find(is_in);
    if (top !== undefined) return path.relative(top, full);
    return this.#further().some(is_in) ? full : null;
  }

  /** Files that run later by their names: in a folder besides only where that is a repository, no cache full of other people's. */
  named(): readonly string[] {
    const projects = this.#projects ??= further_folders(this.policy)
      .filter((folder) => is_project(folder, this.#home));
    return this.sights.named.filter((place) =>
      !place.startsWith("/") || projects.some((folder) => is_inside(place, folder))
    );
  }

  /** Paths in the workspace that git's hooks and settings, a `PATH` folder or a setting of the user's lead to. `saved`: git's files as put back. */
  places(saved: Baseline): readonly string[] {
    const places = [...this.#of_user(), ...this.#of_named(), ...this.#of_git(saved)]
      .map((full) => this.relative(full));
    return places.filter((place) => place !== null);
  }

  /** The workspace by all its names: where it is mounted twice, the user's files may lead to it by another. */
  #workspaces(): readonly string[] {
    const { workspace } = this.policy;
    return this.#names ??= [workspace, ...other_reach([workspace]).names];
  }

  /** Where else commands may write for good: git's folder of a worktree, and what the user has named. */
  #further(): readonly string[] {
    const { git } = this.policy;
    return this.#others ??= [...(git === null ? [] : [git]), ...further_folders(this.policy)];
  }

  *#of_user(): Iterable<string> {
    const { workspace, env } = this.policy;
    const search = env["PATH"] ?? "";
    const home = this.#home;
    const workspaces = [...this.#workspaces(), ...this.#further()];
    yield* [...in_path(search, workspaces), ...linked_in_path(search, { home, workspaces })]
      .filter(is_program);
    yield* workspaces.flatMap(sourced_in);
    yield* in_library_path(env["LD_LIBRARY_PATH"] ?? "", workspaces);
    for (const file of user_settings(home)) yield* settings(file, { top: workspace, home });
    for (const { full, as } of this.#by_home ??= led_to_by_home(home, workspaces)) {
      if (as === "files_in") yield* names_in(full).flatMap((name) => forms_of(`${full}/${name}`));
      else if (as === "file") yield* forms_of(full);
      else yield full;
    }
  }

  *#of_named(): Iterable<string> {
    const { workspace } = this.policy;
    for (const place of this.named()) {
      const starts = starter_of(place);
      if (starts === null) continue;
      const full = path.resolve(workspace, place), top = path.resolve(workspace, starts.top);
      if (stat_or_null(full)?.isDirectory) yield* scripts(full, top, starts.starter);
      else yield* script(full, top, starts.starter);
    }
  }

  *#of_git(saved: Baseline): Iterable<string> {
    const { scope, things } = saved;
    const home = this.#home;
    const trees = trees_of(saved);
    const tops_of = (folder: string) => [path.dirname(folder), ...trees.get(folder) ?? []];
    for (const folder of git_folders(scope)) {
      yield* [...IN_GIT, ...WAITING].map((name) => `${folder}/${name}`);
    }
    for (const [full, { role, thing }] of things) {
      const tops = tops_of(path.dirname(full));
      if (role === "hooks") { for (const top of tops) yield* scripts(full, top); }
      if (thing.kind === "link") yield path.resolve(path.dirname(full), thing.to);
      if ((role !== "config" && role !== "module_config") || thing.kind !== "file") continue;
      const text = new TextDecoder().decode(thing.bytes);
      for (const top of tops) {
        yield* started(text, { top, home });
        for (const other of included_files(text, { file: full, home })) {
          yield other;
          yield* settings(other, { top, home });
        }
      }
    }
  }
}

/** Whether a folder is a repository or a part of one, other than of a whole home folder, in which caches lie. */
function is_project(folder: string, home: string): boolean {
  const around = git_folder(folder);
  return lstat_or_null(`${folder}/.git`) !== null || (around !== null && around !== `${home}/.git`);
}

/** Where a program is started, and whose `~` it is. */
interface Where {
  readonly top: string;
  readonly home: string;
}

/** What is read where a shell or an editor is to read this file. */
function forms_of(full: string): readonly string[] {
  return ENDS.map((end) => full + end).filter((form) => !stat_or_null(form)?.isDirectory);
}

/** A shell's script, or what `make` reads: what these start or take in runs as well. */
const STARTS_MORE = /(?:\.(?:ba|z|fi)?sh|\/[^./]+|\.mk)$/;
const OF_MAKE = /(?:\/(?:GNUm|m|M)akefile|\.mk)$/;
const MOST_STEPS = 4;

/** A script that is a link, and the files that it starts, with what these start. */
function* script(
  file: string,
  top: string,
  starts = files_started_by,
  steps = 0,
): Iterable<string> {
  if (lstat_or_null(file)?.isSymlink) yield real_or(file);
  if (!stat_or_null(file)?.isFile) return;
  const text = file_text(file);
  const of_package = started_by_scripts_in(text, () => file_text(path.join(top, "package.json")));
  const words = [...starts(text), ...of_package];
  const files = new Set([top, path.dirname(file)].flatMap((folder) => files_of(words, folder)));
  yield* files;
  for (const other of steps === MOST_STEPS ? [] : files) {
    if (other === file || !STARTS_MORE.test(other)) continue;
    yield* script(other, top, OF_MAKE.test(other) ? included_by_make : files_started_by, steps + 1);
  }
}

function* scripts(folder: string, top: string, starts = files_started_by): Iterable<string> {
  // Git never runs samples, and each new repository has a dozen.
  const names = names_in(folder).filter((name) => !name.endsWith(".sample"));
  for (const name of names.slice(0, MOST_FILES)) {
    yield* script(path.join(folder, name), top, starts);
  }
}

function* started(text: string, { top, home }: Where): Iterable<string> {
  const { hooks, words } = in_git_settings(text, home);
  for (const folder of hooks) {
    const full = path.resolve(top, folder);
    yield full;
    yield* scripts(full, top);
  }
  yield* files_of(words, top);
}

/** What a file of git's settings leads to, with those that it includes. */
function* settings(file: string, where: Where): Iterable<string> {
  for (const [read, text] of with_included(file, where.home)) {
    // What a link of theirs leads to, too.
    yield real_or(read);
    yield* started(text, where);
  }
}

/** The files among words of a command; a folder is not something that a command starts. */
function files_of(words: readonly string[], top: string): readonly string[] {
  return words.map((word) => path.resolve(top, word)).filter((full) => stat_or_null(full)?.isFile);
}

/** Where the working trees of git's folders are, those of worktrees for the common one, too: there git starts hooks, and looks for what settings name. */
function trees_of({ scope, things }: Baseline): ReadonlyMap<string, ReadonlySet<string>> {
  const trees = new Map<string, Set<string>>();
  for (const dotgit of scope.dotgits) {
    const thing = things.get(dotgit)?.thing ?? null;
    const own = thing === null || thing.kind === "folder" ? null : dotgit_target(dotgit, thing);
    if (own === null) continue;
    const common = /^(.*)\/worktrees\/[^/]+$/s.exec(own)?.[1];
    for (const folder of common === undefined ? [own] : [own, common]) {
      trees.set(folder, (trees.get(folder) ?? new Set()).add(path.dirname(dotgit)));
    }
  }
  return trees;
}

/** Git's folders, with those of worktrees and submodules. */
export function git_folders({ dotgits, git_dirs }: Baseline["scope"]): string[] {
  const own = [...dotgits, ...git_dirs];
  const lens = new Lens();
  const inner = ["worktrees", "modules"].flatMap((kind) =>
    own.flatMap((folder) => [...git_dirs_in(`${folder}/${kind}`, lens)])
  );
  return [...own, ...inner];
}
