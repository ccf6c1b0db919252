/** Files that tools start by themselves (`direnv`, editors, `npm`, CI): a step may change them, and the result names them. */
import type { Folders } from "../changes/folders.ts";
import { path } from "../config/path.ts";
import { is_inside, real_or } from "../config/paths.ts";
import { entries_in, file_text, lstat_or_null, names_in, real_of } from "../permission/paths.ts";
import type { FolderScan } from "./folder_scan.ts";
import { git_folders, Leads, type LeadsPolicy } from "./leads.ts";
import {
  ANY,
  as_asked_for,
  group_of,
  is_option_or_command,
  NO_FOLDER,
  runs_later,
} from "./names_that_run.ts";
import { digest_of, is_package } from "./run_digest.ts";
import type { Baseline, Digest, NamedBefore } from "./saved.ts";
import { ACTIVATES } from "./started.ts";
import { OPEN_MODE } from "./thing.ts";
import { in_a_line, listed_by_kind, listed_names, nearest_first, workspace_path } from "./words.ts";

/** A folder of workflows or hooks has fewer files. */
const MOST_FILES = 500;
const DEEPEST = 4;
/** More files in all are not looked at: each costs a run 0.3 ms of CPU, and a workspace of a thousand packages has fewer. */
const MOST_RUN_LATER = 5000;

/** Where what people start writes nothing. */
const OF_THE_SYSTEM = /^\/(?:usr|lib\w*|s?bin|nix|gnu|opt|proc|sys|dev|snap)\//;

const OTHER_CONTROL = /^(?:.*\/)?(?:\.(?:bzr|hg|jj|pijul|sl|svn)|_darcs)\//;
/** What these empty is right in their folder or in one of it; deeper lies content, and much of it. */
const OTHER_CONTROL_DEPTH = 2;

/** In quotes it is seen. */
const ENDS_UNSEEN = /\s$|\n/;

/** The interpreter of an environment, and where it is. */
const IN_BIN = /(?:^|\/)bin\/[^/\0]+\0.*\/bin\/[^/]+$/;

/** What such files were before the run could change them: the digest of each, null if there was none. */
export class Named {
  readonly #first: Map<string, Digest | null>;
  #looked: boolean;
  #has_more = false;
  /** Those of the start: what the run makes has no history of the user's. */
  #git_folders: readonly string[] = [];
  /** How all was, as far as it is known. */
  before: NamedBefore;
  readonly #leads: Leads;
  readonly #led_to = new Set<string>();

  /** `saved`: what is put back; what it leads to is named. `before`: how all was before a run that was cut off. */
  constructor(
    private readonly policy: LeadsPolicy,
    private readonly from: {
      readonly raw: Folders;
      readonly sights: FolderScan;
      readonly saved: Baseline;
    },
    before: NamedBefore | null = null,
  ) {
    this.#leads = new Leads(policy, from.sights);
    this.#first = new Map(before?.files);
    const nothing = { replaced: new Map(), led_out: new Map(), unseen: true } as const;
    this.before = { ...(before ?? nothing), files: this.#first };
    this.#looked = before !== null && before.unseen !== true;
    if (before !== null) this.#git_folders = git_folders(from.saved.scope);
  }

  /** A tool is about to write this file. Whether more is known of what was before. */
  expect(path: string): boolean {
    const { size } = this.#first;
    // Once a command has run these are known, and looked for again at the end.
    const led_to = this.#looked ? [] : this.#leads.places(this.from.saved);
    led_to.forEach((place) => this.#led_to.add(place));
    const is_led_to = this.#led_to.values().some((place) => is_inside(`/${path}`, `/${place}`));
    if (runs_later(path) || is_led_to) this.#note(path);
    const other = as_asked_for(path);
    if (other !== path && runs_later(other)) this.#note(other);
    return this.#first.size > size;
  }

  /** The first command is about to run: everything is as it was until now, except for what tools wrote. Whether more is known now. */
  see(): boolean {
    if (this.#looked) return false;
    this.#looked = true;
    for (const path of this.#now()) this.#note(path);
    this.#git_folders = git_folders(this.from.saved.scope);
    const [replaced, led_out] = [replaced_in(this.#git_folders), this.#leading_out()];
    this.before = { files: this.#first, replaced, led_out };
    return true;
  }

  lines(): readonly string[] {
    return [this.changed(), this.#more(), this.replaced(), this.led_out()].filter((line) =>
      line !== null
    );
  }

  /** The line for what is not looked at, where a command may have changed it. */
  #more(): string | null {
    return this.#looked && this.#has_more
      ? "too many files here run later outside the sandbox to check them all: " +
        "changes to the rest are not listed"
      : null;
  }

  /** The line for what git no longer shows as it was committed; null if there is nothing new of that. */
  replaced(): string | null {
    if (!this.#looked) return null;
    const places = [...replaced_in(this.#git_folders)]
      .filter(([place, says]) => this.before.replaced.get(place) !== says)
      .map(([place]) => workspace_path(place, this.policy.workspace));
    if (places.length === 0) return null;
    return "git now shows other content or history than was committed, because of " +
      listed_names(places);
  }

  /** The line for links by which the user's next `npm ci` or build empties, or a log is written into, what is elsewhere; null if there is none that is new. */
  led_out(): string | null {
    if (!this.#looked) return null;
    const links = [...this.#leading_out()].filter(([name, to]) =>
      this.before.led_out.get(name) !== to
    );
    if (links.length === 0) return null;
    return "links lead out of the workspace, and what empties or writes them does so there: " +
      listed_names(links.map(([name, to]) => `${in_a_line(name)} (${in_a_line(to)})`).sort());
  }

  #leading_out(): Map<string, string> {
    const found = new Map<string, string>();
    const links = [...this.from.sights.links, ...this.#of_other_control()];
    this.#has_more ||= links.length > MOST_RUN_LATER;
    for (const name of links.slice(0, MOST_RUN_LATER)) {
      const to = real_of(path.resolve(this.policy.workspace, name));
      const is_outside = to !== null && !OF_THE_SYSTEM.test(to) && !IN_BIN.test(`${name}\0${to}`) &&
        ![this.policy.tmp, this.policy.cache].some((own) => is_inside(to, own));
      if (is_outside && this.#leads.relative(to) === null) found.set(name, to);
    }
    return found;
  }

  /** Links in the folders of version control other than git, which no look enters: `svn cleanup` empties `.svn/tmp`, `darcs optimize clean` `_darcs/patches`. */
  *#of_other_control(): Iterable<string> {
    const folders = this.from.sights.named.map((place) => OTHER_CONTROL.exec(place)?.[0] ?? "");
    for (const folder of new Set(folders)) {
      if (folder !== "") yield* links_in(this.policy.workspace, folder, OTHER_CONTROL_DEPTH);
    }
  }

  /** The line for the result; null if no such file differs from the start. */
  changed(): string | null {
    if (!this.#looked && this.#first.size === 0) return null;
    const now = this.#looked ? this.#now() : new Set<string>();
    const paths = [...new Set([...this.#first.keys(), ...now])].sort()
      .filter((name) => is_other(this.#first.get(name) ?? null, this.#digest(name)))
      .filter((name) => !this.#comes_with_more(name));
    if (paths.length === 0) return null;
    const listed = listed_by_kind(paths, {
      group_of,
      words: (name) =>
        is_package(name)
          ? `${name} (scripts)`
          : ENDS_UNSEEN.test(name)
          ? JSON.stringify(name)
          : name,
    });
    return `changed files that run later outside the sandbox: ${listed}`;
  }

  /** A worktree, or a clone, that the run has made has the files of the workspace once more, as they were. */
  #comes_with_more(name: string): boolean {
    const now = (this.#first.get(name) ?? null) === null ? this.#digest(name) : null;
    if (now !== null && ACTIVATES.test(name)) return true;
    return now !== null && this.from.sights.dotgits.some((dotgit) => {
      const folder = dotgit.slice(0, -path.basename(dotgit).length);
      return folder !== "" && name.startsWith(folder) &&
        !is_other(this.#first.get(name.slice(folder.length)) ?? null, now);
    });
  }

  #note(path: string): void {
    if (!this.#first.has(path)) this.#first.set(path, this.#digest(path));
  }

  #digest(place: string): Digest | null {
    const full = path.resolve(this.policy.workspace, place);
    const of = digest_of(this.from.raw, full, this.#led_to.has(place));
    const stat = lstat_or_null(full);
    if (of !== null) {
      return { of, inode: stat?.ino ?? null, is_shared: stat?.isFile === true && stat.nlink !== 1 };
    }
    // What is in it runs by its name, and nobody sees it come; or its name alone does something.
    return is_closed(stat) || runs_by_name(stat, place)
      ? { of: "closed", inode: stat?.ino ?? null, is_shared: false }
      : null;
  }

  #now(): Set<string> {
    const known = new Set<string>();
    const led_to = this.#leads.places(this.from.saved);
    led_to.forEach((place) => this.#led_to.add(place));
    // What somebody has many of leaves room for what the person's own settings start.
    for (const place of [...led_to, ...nearest_first(this.#leads.named())]) {
      const slash = place.lastIndexOf("/") + 1;
      if (place.startsWith(NO_FOLDER, slash)) {
        const file = place.slice(0, slash) + place.slice(slash + NO_FOLDER.length);
        if (!lstat_or_null(path.resolve(this.policy.workspace, file))?.isDirectory) {
          this.#add(file, known);
        }
        continue;
      }
      if (!place.startsWith(ANY, slash)) {
        this.#add(place, known);
        continue;
      }
      const folder = place.slice(0, slash), end = place.slice(slash + ANY.length);
      const names = names_in(path.resolve(this.policy.workspace, folder));
      for (const name of this.#first_of(names.filter((name) => name.endsWith(end)))) {
        this.#add(folder + name, known);
      }
    }
    return known;
  }

  #first_of(names: readonly string[]): readonly string[] {
    this.#has_more ||= names.length > MOST_FILES;
    return names.toSorted().slice(0, MOST_FILES);
  }

  #add(place: string, known: Set<string>, depth = 0): void {
    if (known.has(place)) return;
    if (known.size === MOST_RUN_LATER) {
      this.#has_more = true;
      return;
    }
    const full = path.resolve(this.policy.workspace, place);
    const stat = lstat_or_null(full);
    if (stat?.isFile || stat?.isSymlink || is_closed(stat) || runs_by_name(stat, place)) {
      known.add(place);
    }
    // What it leads to is what runs.
    const real = stat === null || depth === DEEPEST ? null : real_of(full);
    const inside = real !== null && real !== full ? this.#leads.relative(real) : null;
    if (inside !== null) this.#add(inside, known, depth + 1);
    else if (stat?.isDirectory && depth < DEEPEST) {
      for (const name of this.#first_of(names_in(full))) {
        this.#add(`${place}/${name}`, known, depth + 1);
      }
    }
  }
}

function is_closed(stat: Deno.FileInfo | null): boolean {
  return stat?.isDirectory === true && ((stat.mode ?? OPEN_MODE) & OPEN_MODE) !== OPEN_MODE;
}

function runs_by_name(stat: Deno.FileInfo | null, place: string): boolean {
  return stat !== null && is_option_or_command(path.basename(place));
}

function is_other(first: Digest | null, now: Digest | null): boolean {
  return first?.of !== now?.of || (now?.is_shared === true && first?.inode !== now.inode);
}

/** `folder` ends in a slash. */
function* links_in(top: string, folder: string, depth: number): Iterable<string> {
  for (const { name, isSymlink, isDirectory } of entries_in(path.resolve(top, folder))) {
    if (isSymlink) yield folder + name;
    else if (isDirectory && depth > 1) yield* links_in(top, `${folder}${name}/`, depth - 1);
  }
}

/** Where `git pack-refs` moves them: `ID refs/replace/ID`. */
const PACKED = /^([0-9a-f]+) (refs\/replace\/[0-9a-f]+)$/gm;

/** Refs that git takes where somebody names a branch, or one of a remote's (gitrevisions(7)): `refs/heads/origin/main`, a tag `main`, a file `.git/main`. Packed or not, they are called the same. */
function refs_in_front(folder: string, packed: string): string[] {
  const all = [...packed.matchAll(/ refs\/(heads|tags|remotes)\/(.+)$/gm)];
  const is_file = (name: string) => lstat_or_null(`${folder}/${name}`)?.isFile === true;
  const listed = (kind: string) =>
    names_in(`${folder}/refs/${kind}`)
      .filter((name) => kind === "remotes" || is_file(`refs/${kind}/${name}`))
      .concat(all.filter((ref) => ref[1] === kind).map(([, , name = ""]) => name));
  const [branches, tags] = [new Set(listed("heads")), new Set(listed("tags"))];
  const remotes = new Set(listed("remotes").map((name) => name.split("/", 1)[0] ?? ""));
  const is_there = (ref: string) =>
    lstat_or_null(`${folder}/${ref}`) !== null || packed.includes(` ${ref}/`);
  return [
    ...[...remotes].flatMap((name) => [`refs/heads/${name}`, `refs/tags/${name}`, name])
      .filter(is_there),
    ...[...tags].filter((name) => branches.has(name)).map((name) => `refs/tags/${name}`),
    ...[...branches].filter(is_file),
  ];
}

/**
 * What makes git show other content or history than was committed, by its path, with what it says: replaced objects (git-replace(1)), grafts
 * and where a history is cut off (gitrepository-layout(5)), beyond which the next `git gc` deletes it. Deepened, it is only cut off elsewhere.
 */
function replaced_in(git_folders: readonly string[]): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const folder of new Set(git_folders.map((one) => real_or(one)))) {
    const packed = file_text(`${folder}/packed-refs`);
    for (const [, id = "", ref = ""] of packed.matchAll(PACKED)) found.set(`${folder}/${ref}`, id);
    for (const ref of refs_in_front(folder, packed)) found.set(`${folder}/${ref}`, "");
    const loose = names_in(`${folder}/refs/replace`).map((name) => `refs/replace/${name}`);
    for (const name of [...loose, "info/grafts"]) {
      const text = file_text(`${folder}/${name}`).trim();
      if (text !== "") found.set(`${folder}/${name}`, text);
    }
    if (lstat_or_null(`${folder}/shallow`) !== null) found.set(`${folder}/shallow`, "");
  }
  return found;
}
