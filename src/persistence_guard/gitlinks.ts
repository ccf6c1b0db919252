/**
 * Repositories that git and editors enter by themselves wherever they lie, also where an ignore rule hides them: `git status` runs
 * in every repository that an index lists (mode 160000), and an editor in those right below the folder that it opens and in those
 * that `.gitmodules` names. Names are bytes here, and are looked up from an open folder: git takes every one that the kernel takes.
 */
import { attempt } from "../config/attempt.ts";
import { concat } from "../config/bytes.ts";
import { further_folders } from "../changes/further_folders.ts";
import { path } from "../config/path.ts";
import {
  EMPTY,
  FILE_TYPE,
  type Folders,
  INODE,
  MODE,
  name_bytes,
  STAT_WORDS,
} from "../changes/folders.ts";
import { node_fs } from "../config/node.ts";
import { real_or_null } from "../config/paths.ts";
import { one_line } from "../config/text.ts";
import { file_text, lstat_or_null, names_in } from "../permission/paths.ts";
import { read_regular } from "../sandbox/kernel/read_inside.ts";
import { may_write, type Policy } from "../sandbox/policy.ts";
import { data_lists, names_foreign_data, recorded_outside } from "./foreign_data.ts";
import { type Indexed, links_of, NO_LINKS } from "./index_links.ts";
import { from_folder } from "./places.ts";
import { kept_while_same, type KnownThing } from "../changes/known_looks.ts";
import { in_a_line, listed_names } from "./words.ts";

type Bytes = Uint8Array<ArrayBuffer>;

/** Linux takes no longer path (PATH_MAX); what is asked for in a repository is at most this long. */
const PATH_BYTES = 4096 - 300;
/** A look at a repository takes 0.1 ms, and there is one after every command. No project has as many submodules. */
const MOST = 10_000;
const FOLDER = 0o040000;
const DOTGIT = new TextEncoder().encode("/.git\0"), SLASH = new TextEncoder().encode("/");
/** Folders below those that a sparse index does not take apart and that are there all the same: each costs every look some 10 µs. */
const MOST_SPARSE = 1000;
/** Left out by editors (VS Code's `git.repositoryScanIgnoredFolders`). */
const NOT_SCANNED = "node_modules";
/** What runs something in a repository that can be named by no text; it is known by its looks. */
const LOOKED_AT = ["", "/config", "/config.worktree", "/commondir", "/hooks"];
/** Behind the name of an index that git must not see. */
const ASIDE = ".refused";
/** A listing of two million files; a larger one is named and not read. */
const INDEX_BYTES = 256 * 1024 * 1024;

/** In the place of an entry; no path has a NUL. */
const OTHER_TREES = "\0trees", NO_ANSWER = "\0no answer", FOREIGN = "\0foreign";
/** What is wrong with an index, or a list, in which that stands; any other entry is a path. */
const WRONG: Readonly<Record<string, string>> = {
  [OTHER_TREES]: "has git commit other files than it shows",
  [NO_ANSWER]: "may have git commit other files than it shows: git did not say",
  [FOREIGN]: "has git remove what is not this repository's",
  "": "shows one thing to git and another to other programs",
};
/** Indexes that a run makes and git is asked about; each takes some 10 ms. */
const MOST_MADE = 100;
/** How looks what is not there. */
const NOTHING = "nothing";

/** An index, or a part of a split one. */
const INDEX = /^(?:index$|sharedindex\.)/;

export class Gitlinks {
  /** Repositories and indexes that cannot be watched, by how they are called: how they looked. */
  readonly #unwatched = new Map<string, string>();
  #first: ReadonlyMap<string, string> | null = null;
  /** Indexes by which git would write elsewhere, by their paths: the first such entry. */
  readonly #astray = new Map<string, string>();
  readonly #resting = new Map<string, string>();
  /** The indexes of the start, and how each looked when git last said that it is well; and the last time that nobody could forge what git said. */
  readonly #compared = new Map<string, string>();
  readonly #settled = new Map<string, string>();
  #git_dirs: readonly string[] = [];
  readonly #indexes = new Map<string, KnownThing<Indexed | null>>();
  readonly #lists = new Map<string, KnownThing<boolean>>();
  readonly #words = new Uint32Array(STAT_WORDS);

  /** `first_astray`: what was wrong from the start; absent: all that is now. */
  constructor(
    private readonly policy: Policy,
    private readonly raw: Folders,
    private first_astray?: Map<string, string>,
  ) {}

  /** The `.git` of each; `heads`: folders of git with the folders from which paths in their index are counted. */
  dotgits(heads: ReadonlyMap<string, ReadonlySet<string>>): readonly string[] {
    const found = new Set<string>();
    this.#unwatched.clear();
    this.#astray.clear();
    this.#git_dirs = [...heads.keys()];
    for (const top of [this.policy.workspace, ...further_folders(this.policy)]) {
      this.#in(top, (fd) => {
        for (const folder of this.#scanned(fd)) this.#add({ top, fd }, folder, found);
      });
    }
    for (const [git_dir, tops] of heads) {
      const is_there = (file: string) => this.#looks(null, name_bytes(file)) !== NOTHING;
      for (const file of data_lists(git_dir, is_there)) {
        if (this.#is_foreign(file)) this.#astray.set(file, FOREIGN);
      }
      for (const top of is_there(`${git_dir}/MERGE_RR`) ? tops : []) {
        const outside = recorded_outside(git_dir, top);
        if (outside !== undefined) this.#astray.set(`${git_dir}/MERGE_RR`, in_a_line(outside));
      }
      if (tops.size === 0 && this.#is_as_it_was(git_dir)) continue;
      const { links, sparse } = this.#index(`${git_dir}/index`);
      for (const top of tops) {
        const named_links = places_in(file_text(`${top}/.gitmodules`)).map(text_bytes);
        this.#in(top, (fd) => {
          for (const link of [...named_links, ...links]) this.#add({ top, fd }, link, found);
          const repositories: Bytes[] = [];
          const left = { folders: MOST_SPARSE };
          for (const folder of sparse) {
            if (!this.raw.stat(fd, below(folder, ""), this.#words)) continue;
            if (this.#repositories_in(fd, folder, { found: repositories, left })) continue;
            const full = `${top}/${one_line(new TextDecoder().decode(folder))}`;
            this.#unwatched.set(full, "sparse");
          }
          for (const folder of repositories) this.#add({ top, fd }, folder, found);
        });
      }
    }
    return [...found];
  }

  /**
   * Looks for indexes by which git would commit other files than it shows: it believes an index what trees there are. While commands may
   * be alive they can keep git from answering, or have it answer well; `alone`: nobody is, and all that changed is looked at once more.
   */
  async compare_trees(
    are_others: (git_dir: string) => Promise<boolean | null>,
    { alone }: { alone: boolean },
  ): Promise<void> {
    const known = alone ? this.#settled : this.#compared;
    let made = 0;
    for (const git_dir of this.#git_dirs) {
      const file = `${git_dir}/index`;
      const before = known.get(file), now = this.#looks(null, name_bytes(file));
      if (before === now || now === NOTHING) continue;
      if (before === undefined && (!alone || ++made > MOST_MADE)) continue;
      const others = await are_others(git_dir);
      if (others !== false && (others || alone)) {
        this.#astray.set(file, others ? OTHER_TREES : NO_ANSWER);
      }
      if (others !== null) known.set(file, now);
    }
  }

  /** What cannot be watched, or put back, and is not as it was the first time: a line for each kind. */
  unwatched(): readonly string[] {
    for (const git_dir of this.#first === null ? this.#git_dirs : []) {
      const file = `${git_dir}/index`, looks = this.#looks(null, name_bytes(file));
      for (const known of [this.#compared, this.#settled]) known.set(file, looks);
    }
    const places = news(this.#unwatched, this.#first ?? this.#unwatched);
    const astray = news(this.#astray, this.first_astray ?? this.#astray);
    // Reported once for each look that they take on.
    this.#first = new Map([...this.#first ?? [], ...this.#unwatched]);
    this.first_astray ??= new Map(this.#astray);
    const lines = astray.map((file) => {
      const entry = this.#astray.get(file) ?? "";
      const aside = entry === NO_ANSWER ? null : set_aside(file);
      // One that was taken away may come back just as it was.
      if (aside === null) this.first_astray!.set(file, entry);
      const wrong = WRONG[entry] ??
        `lists ${entry}: git would read or write that outside the working tree, or in a .git`;
      const [made, do_first] = !INDEX.test(path.basename(file))
        ? ["", "remove it"]
        : [", and `git reset` makes a new one", "run `git reset` there"];
      return `${one_line(file)} ${wrong}; ` +
        (aside !== null
          ? `it is ${aside} now${made}`
          : `${do_first} before you use git in any other way`);
    });
    if (places.length > 0) lines.push(unwatched_line(places));
    return lines;
  }

  /** Whether the index of a working tree that is elsewhere is still the one of the start: to read each of them takes too long. */
  #is_as_it_was(git_dir: string): boolean {
    const looks = names_in(git_dir).filter((name) => INDEX.test(name))
      .map((name) => `${name} ${this.#looks(null, name_bytes(`${git_dir}/${name}`))}`).join();
    if (this.first_astray === undefined) this.#resting.set(git_dir, looks);
    return this.#resting.get(git_dir) === looks;
  }

  /** What can't be read counts as well, if it came to be so. */
  #is_foreign(file: string): boolean {
    const stat = lstat_or_null(file);
    const take = () => attempt(() => names_foreign_data(file), true);
    return stat !== null && kept_while_same(this.#lists, { path: file, stat, take });
  }

  /** With the other part of a split one. */
  #index(file: string): Pick<Indexed, "links" | "sparse"> {
    const one = this.#part(file);
    const other = one?.rest ?? null;
    const rest = other === null ? NO_LINKS : this.#part(path.resolve(file, "..", other));
    if (one === null || rest === null) {
      this.#unwatched.set(file, this.#looks(null, name_bytes(file)));
    }
    const astray = one?.astray ?? rest?.astray ?? null;
    if (astray !== null) this.#astray.set(file, in_a_line(astray));
    return {
      links: [...one?.links ?? [], ...rest?.links ?? []],
      sparse: [...one?.sparse ?? [], ...rest?.sparse ?? []],
    };
  }

  #part(file: string): Indexed | null {
    const stat = lstat_or_null(file);
    if (stat === null) return NO_LINKS;
    const take = () => {
      // A link, a pipe, too large, or closed to us.
      return attempt(() => {
        const bytes = read_regular(file, INDEX_BYTES);
        const indexed = links_of(bytes);
        // A large one would stay until its garbage is collected.
        bytes.buffer.transfer(0);
        return indexed;
      }, null);
    };
    return kept_while_same(this.#indexes, { path: file, stat, take });
  }

  /** Folders in which an editor that opens this one finds a repository. In a wide folder each costs a look and no more. */
  #scanned(fd: number): Bytes[] {
    const found: Bytes[] = [];
    for (const name of names_of(this.raw.list(fd)?.folders ?? EMPTY.subarray(1))) {
      if (!this.raw.stat(fd, concat([name, DOTGIT]), this.#words)) continue;
      if (new TextDecoder().decode(name) !== NOT_SCANNED) found.push(name);
    }
    return found;
  }

  /** All that git may enter of a folder that is there though its index does not take it apart; false where it can't be looked through. `folder`: from the open `top` with the number `fd`. */
  #repositories_in(
    fd: number,
    folder: Bytes,
    all: { found: Bytes[]; left: { folders: number } },
  ): boolean {
    if (all.left.folders-- <= 0) return false;
    // Behind a slash a link would be followed.
    const within = this.raw.open(fd, below(folder.subarray(0, -1), ""));
    if (within < 0) return false;
    const listing = this.raw.list(within);
    const is_repository = this.raw.stat(within, DOTGIT.subarray(1), this.#words);
    this.raw.close(within);
    if (is_repository) all.found.push(folder.subarray(0, -1));
    if (listing === null) return false;
    return [...names_of(listing.folders)].every((name) =>
      this.#repositories_in(fd, concat([folder, name, SLASH]), all)
    );
  }

  /** `fd`: of the open `top`. */
  #add({ top, fd }: { top: string; fd: number }, link: Bytes, found: Set<string>): void {
    if (!this.raw.stat(fd, below(link, "/.git"), this.#words)) return;
    const text = new TextDecoder("utf-8", { ignoreBOM: true }).decode(link);
    const folder = path.resolve(top, text);
    const is_text = text_bytes(text).toHex() === link.toHex() &&
      text_bytes(folder).length < PATH_BYTES;
    const place = is_text ? from_folder(top, text) : null;
    const real = place === null ? null : real_or_null(place);
    if (real !== null && found.size < MOST) {
      if (may_write(this.policy, real)) found.add(`${real}/.git`);
      return;
    }
    const looks = LOOKED_AT.map((name) => this.#looks(fd, below(link, `/.git${name}`)));
    this.#unwatched.set(one_line(folder), looks.join());
  }

  #looks(folder: number | null, name: Bytes): string {
    const words = this.#words;
    if (!this.raw.stat(folder, name, words)) return NOTHING;
    // The times of `.git` itself are left out: they change with every commit.
    const is_dotgit = new TextDecoder().decode(name).endsWith("/.git\0");
    return is_dotgit && (words[MODE]! & FILE_TYPE) === FOLDER
      ? `${words[MODE]}:${words[INODE]}`
      : words.join(":");
  }

  /** Null if the folder cannot be opened. */
  #in<T>(folder: string, work: (fd: number) => T): T | null {
    const fd = this.raw.open(null, name_bytes(folder));
    if (fd < 0) return null;
    try {
      return work(fd);
    } finally {
      this.raw.close(fd);
    }
  }
}

export function unwatched_line(places: readonly string[]): string {
  return `git runs in ${listed_names(places)} by itself, and hamr can't watch over that place: ` +
    "look at what it runs (`config` and `hooks` in its `.git`) before you use git here";
}

/** Where `.gitmodules` says that repositories are. Editors take a value with its quotes and blanks, or without: each way is one of them. */
function places_in(text: string): string[] {
  const values = [...text.matchAll(/(?<![\w-])path\s*=[ \t]*([^\r\n]*)/gi)].flatMap((
    [, value = ""],
  ) => [
    ...[value, value.trim(), value.replace(/^"|"$/g, ""), value.trim().replace(/^"|"$/g, "")],
    // As git does.
    value.replace(/^((?:[^"#;]|"(?:[^"\\]|\\.)*")*)[#;].*$/, "$1").trim().replace(/\\(.)|"/g, "$1"),
  ]);
  return [...new Set(values)].filter((value) => value.trim() !== "");
}

/** Takes an index away from git; gives its new name, null where that can't be. Nobody but an attacker has made it, but what was staged before is in it. */
function set_aside(file: string): string | null {
  return attempt(() => {
    const folder = path.dirname(file);
    if (real_or_null(folder) !== folder) return null;
    // One that was set aside before may have what was staged.
    let name = `${file}${ASIDE}`;
    for (let n = 2; lstat_or_null(name) !== null; n++) name = `${file}${ASIDE}-${n}`;
    node_fs().renameSync(file, name);
    return path.basename(name);
  }, null);
}

/** The names whose looks differ from the first ones. */
function news(now: ReadonlyMap<string, string>, first: ReadonlyMap<string, string>): string[] {
  return [...now].filter(([name, looks]) => first.get(name) !== looks).map(([name]) => name);
}

function text_bytes(text: string): Bytes {
  return new TextEncoder().encode(text);
}

/** As the calls take it. */
function below(name: Bytes, rest: string): Bytes {
  return concat([name, text_bytes(`${rest}\0`)]);
}

/** The names of a block, without their ends. */
function* names_of(block: Bytes): Generator<Bytes> {
  for (let at = 0, end; at < block.length; at = end + 1) {
    end = block.indexOf(0, at);
    yield block.slice(at, end);
  }
}
