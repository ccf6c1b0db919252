/**
 * Repositories that git and editors enter by themselves wherever they lie, also where an ignore rule hides them: `git status` runs
 * in every repository that an index lists (mode 160000), and an editor in those right below the folder that it opens and in those
 * that `.gitmodules` names. Names are bytes here, and are looked up from an open folder: git takes every one that the kernel takes.
 */
import { path } from "../config/path.ts";
import { EMPTY, type Folders, INODE, MODE, name_of, WORDS } from "../changes/folders.ts";
import { folded } from "../config/folded.ts";
import { node_fs } from "../config/node.ts";
import { real_or_null } from "../config/paths.ts";
import { one_line } from "../config/text.ts";
import { look, text_of } from "../permission/paths.ts";
import { read_regular } from "../sandbox/kernel/read_inside.ts";
import { may_write, type Policy } from "../sandbox/policy.ts";
import { from_folder } from "./places.ts";
import { type KnownThing, recall } from "./thing.ts";
import { in_a_line, listed_names } from "./words.ts";

type Bytes = Uint8Array<ArrayBuffer>;

// gitformat-index(5)
const SIGNATURE = 0x44495243; // DIRC
const HEADER_BYTES = 12, STAT_BYTES = 40, EXTENDED = 0x4000, NAME_LENGTH = 0xfff;
/** The kind in a mode: git looks at no other bit of it, so 160644 is a repository, too. In the upper half of the second last byte. */
const MODE_AT = 26, KIND = 0xf0, GITLINK = 0xe0, FOLDER = 0x40;
/** SHA-1, and SHA-256. */
const ID_BYTES = [20, 32];
/** The extension of a split index, whose other part is beside it. */
const SPLIT = "link";
/** Extensions by which several threads of git read the entries: it believes them, so they have to say what one thread finds. */
const ENTRIES_END = "EOIE", OFFSETS = "IEOT";
/** Linux takes no longer path (PATH_MAX); what is asked for in a repository is at most this long. */
const PATH_BYTES = 4096 - 300;
/** A look at a repository takes 0.1 ms, and there is one after every command. No project has as many submodules. */
const MOST = 10_000;
/** Of a path in an index, bytes: no other can be opened by its name. And of all that are kept of one. */
const MOST_NAME = 4096, MOST_TAKEN = 16 * 1024 * 1024;
const DOTGIT = new TextEncoder().encode("/.git\0");
/** Left out by editors (VS Code's `git.repositoryScanIgnoredFolders`). */
const NOT_SCANNED = "node_modules";
/** What runs something in a repository that can be named by no text; it is known by its looks. */
const LOOKED_AT = ["", "/config", "/config.worktree", "/commondir", "/hooks"];
/** Behind the name of an index that git must not see. */
const ASIDE = ".refused";
/** A listing of two million files; a larger one is named and not read. */
const INDEX_BYTES = 256 * 1024 * 1024;
const NOTHING: Indexed = { links: [], sparse: [], astray: null, rest: null };
const TWO_FACED: Indexed = { ...NOTHING, astray: "" };
const SLASH = 0x2f, DOT = 0x2e, TILDE = 0x7e, SMALL_G = 0x67, LOWER = 0x20, BEYOND_ASCII = 0x80;

/** What an index says. */
export interface Indexed {
  /** Paths of mode 160000, and folders that a sparse index does not take apart. */
  readonly links: readonly Bytes[];
  readonly sparse: readonly Bytes[];
  /**
   * The first path of a file that git would write elsewhere than into the working tree, or into a `.git`; empty if git may read
   * other entries than this; null if there is none.
   */
  readonly astray: string | null;
  /** The file that holds the rest, a name; null if there is none. */
  readonly rest: string | null;
}

/** Takes an index apart; null if it is none, is damaged, is of a newer kind, or lists more than can be watched. */
export function links_of(bytes: Bytes): Indexed | null {
  const read: Indexed[] = [];
  for (const id_bytes of ID_BYTES) {
    try {
      read.push(take_apart(bytes, id_bytes));
    } catch (error) {
      if (error instanceof OtherEntries) return TWO_FACED;
      if (!(error instanceof RangeError)) throw error;
    }
  }
  // With ids of both kinds: which one git reads, its settings say.
  return read.length > 1 ? TWO_FACED : read[0] ?? null;
}

/** Git's threads would read others. */
class OtherEntries extends RangeError {}

/** Where git's threads begin to read entries, and how many each reads; empty if one reads all. `end`: of the entries. */
function blocks_of(
  bytes: Bytes,
  id_bytes: number,
): { readonly end: number | null; readonly blocks: readonly (readonly [number, number])[] } {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const named = (at: number) => String.fromCharCode(...bytes.subarray(at, at + 4));
  const last = bytes.length - id_bytes - (8 + 4 + id_bytes);
  if (last < HEADER_BYTES || named(last) !== ENTRIES_END) return { end: null, blocks: [] };
  const end = view.getUint32(last + 8);
  const blocks: (readonly [number, number])[] = [];
  for (let at = end; at < last; at += 8 + view.getUint32(at + 4)) {
    if (named(at) !== OFFSETS) continue;
    for (let one = at + 12; one + 8 <= at + 8 + view.getUint32(at + 4); one += 8) {
      blocks.push([view.getUint32(one), view.getUint32(one + 4)]);
    }
    break;
  }
  return { end, blocks };
}

function take_apart(bytes: Bytes, id_bytes: number): Indexed {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const version = view.getUint32(4);
  if (view.getUint32(0) !== SIGNATURE || version < 2 || version > 4) throw new RangeError("kind");
  const links: Bytes[] = [], sparse: Bytes[] = [];
  // Only of version 4: there a name is told from the one before, and a small file may have a long name for each of its entries.
  const last = new Uint8Array(MOST_NAME);
  let astray: string | null = null;
  let at = HEADER_BYTES, taken = 0, name: Bytes = EMPTY.subarray(1);
  const { end: end_of_entries, blocks } = blocks_of(bytes, id_bytes);
  let block = 0, left_in_block = 0;
  for (let left = view.getUint32(8); left > 0; left--) {
    const was_in = block;
    while (left_in_block === 0 && block < blocks.length) {
      const [from, entries] = blocks[block++]!;
      if (from !== at) throw new OtherEntries();
      left_in_block = entries;
    }
    left_in_block--;
    // By bytes, and no name becomes text that is not needed: a listing may have 100,000 entries.
    const start = at;
    let length: number;
    at += STAT_BYTES + id_bytes;
    if (at + 2 > bytes.length) throw new RangeError("end");
    const kind = (bytes[start + MODE_AT] as number) & KIND;
    const flags = (bytes[at] as number) << 8 | (bytes[at + 1] as number);
    at += (flags & EXTENDED) === 0 ? 2 : 4;
    if (version === 4) {
      let byte = view.getUint8(at++), cut = byte & 127;
      while (byte & 128) {
        byte = view.getUint8(at++);
        cut = ((cut + 1) << 7) + (byte & 127);
      }
      const end = bytes.indexOf(0, at), kept = name.length - cut;
      if (kept !== 0 && block !== was_in) throw new OtherEntries();
      if (end < 0 || kept < 0 || kept + end - at > MOST_NAME) throw new RangeError("path");
      last.set(bytes.subarray(at, end), kept);
      length = kept + end - at;
      name = last.subarray(0, length);
      at = end + 1;
    } else {
      const short = flags & NAME_LENGTH;
      const end = short < NAME_LENGTH ? at + short : bytes.indexOf(0, at + short);
      if (end < at || bytes[end] !== 0) throw new RangeError("path");
      length = end - at;
      name = bytes.subarray(at, end);
      at = end + 8 - ((end - start) % 8);
    }
    if ((flags & NAME_LENGTH) !== Math.min(length, NAME_LENGTH)) throw new RangeError("path");
    if (kind !== GITLINK && astray === null && is_astray(name)) {
      astray = new TextDecoder().decode(name);
    }
    if (kind !== GITLINK && kind !== FOLDER) continue;
    // In a split index an entry without a name is another's, with the mode changed.
    if (length === 0) throw new RangeError("an entry without a name");
    if ((taken += length) > MOST_TAKEN) throw new RangeError("more than is kept");
    (kind === GITLINK ? links : sparse).push(name.slice());
  }
  if (blocks.length > 0 && (block < blocks.length || left_in_block !== 0)) {
    throw new OtherEntries();
  }
  if (end_of_entries !== null && end_of_entries !== at) throw new OtherEntries();
  let rest: string | null = null;
  while (at + 8 <= bytes.length - id_bytes) {
    const kind = String.fromCharCode(...bytes.subarray(at, at + 4));
    if (kind === SPLIT) rest = bytes.subarray(at + 8, at + 8 + id_bytes).toHex();
    at += 8 + view.getUint32(at + 4);
  }
  if (at !== bytes.length - id_bytes) throw new RangeError("end");
  const other = rest === null || /^0+$/.test(rest) ? null : `sharedindex.${rest}`;
  return { links, sparse, astray, rest: other };
}

/**
 * Whether a path is absolute, or a part of it is `.`, `..` or `.git`: git lists none, but believes an index that does. Some file systems
 * take more for `.git`: FAT and NTFS its short name.
 */
function is_astray(name: Bytes): boolean {
  if (name[0] === SLASH) return true;
  for (let at = 0; at >= 0 && at < name.length; at = name.indexOf(SLASH, at) + 1 || -1) {
    const first = name[at]!;
    const is_short = (first | LOWER) === SMALL_G && name[at + 3] === TILDE;
    if (first !== DOT && first < BEYOND_ASCII && !is_short) continue;
    const end = name.indexOf(SLASH, at);
    const part = new TextDecoder().decode(name.subarray(at, end < 0 ? name.length : end));
    if (/^(?:\.|\.\.|\.git|git~1)$/.test(folded(part))) return true;
  }
  return false;
}

/** Finds them for one run. */
export class Gitlinks {
  /** Repositories and indexes that cannot be watched, by how they are called: how they looked. */
  readonly #unwatched = new Map<string, string>();
  #first: ReadonlyMap<string, string> | null = null;
  /** Indexes by which git would write elsewhere, by their paths: the first such entry. */
  readonly #astray = new Map<string, string>();
  #first_astray: Map<string, string> | null = null;
  readonly #indexes = new Map<string, KnownThing<Indexed | null>>();
  readonly #words = new Uint32Array(WORDS);

  constructor(private readonly policy: Policy, private readonly raw: Folders) {}

  /** The `.git` of each; `heads`: folders of git with the folders from which paths in their index are counted. */
  dotgits(heads: ReadonlyMap<string, ReadonlySet<string>>): readonly string[] {
    const found = new Set<string>();
    this.#unwatched.clear();
    this.#astray.clear();
    const { workspace } = this.policy;
    this.#in(workspace, (fd) => {
      for (const folder of this.#scanned(fd)) this.#add({ top: workspace, fd }, folder, found);
    });
    for (const [git_dir, tops] of heads) {
      const { links, sparse } = this.#index(`${git_dir}/index`);
      for (const top of tops) {
        const named_links = places_in(text_of(`${top}/.gitmodules`)).map(text_bytes);
        this.#in(top, (fd) => {
          for (const link of [...named_links, ...links]) this.#add({ top, fd }, link, found);
          for (const folder of sparse) {
            if (!this.raw.stat(fd, below(folder, ""), this.#words)) continue;
            const full = `${top}/${one_line(new TextDecoder().decode(folder))}`;
            this.#unwatched.set(full, "sparse");
          }
        });
      }
    }
    return [...found];
  }

  /** What cannot be watched, or put back, and is not as it was the first time: a line for each kind. */
  unwatched(): readonly string[] {
    const places = news(this.#unwatched, this.#first ?? this.#unwatched);
    const astray = news(this.#astray, this.#first_astray ?? this.#astray);
    // Said once for each look that they take on.
    this.#first = new Map([...this.#first ?? [], ...this.#unwatched]);
    this.#first_astray ??= new Map(this.#astray);
    const lines = astray.map((file) => {
      const entry = this.#astray.get(file) ?? "";
      const aside = set_aside(file);
      // One that was taken away may come back just as it was.
      if (aside === null) this.#first_astray!.set(file, entry);
      const listed = one_line(file) +
        (entry === ""
          ? " is made to list one thing to git and another to others; "
          : ` lists ${entry}: git would write that outside the working tree, or into a .git; `);
      return listed +
        (aside !== null
          ? `it is ${aside} now, and \`git reset\` makes a new one`
          : "run `git reset` there before you use git in any other way");
    });
    if (places.length > 0) {
      lines.push(
        `git runs in ${listed_names(places)} by itself, and hamr can't watch over that place: ` +
          "look at what it runs (`config` and `hooks` in its `.git`) before you use git here",
      );
    }
    return lines;
  }

  /** With the other part of a split one. */
  #index(file: string): Pick<Indexed, "links" | "sparse"> {
    const one = this.#part(file);
    const other = one?.rest ?? null;
    const rest = other === null ? NOTHING : this.#part(path.resolve(file, "..", other));
    if (one === null || rest === null) this.#unwatched.set(file, this.#looks(null, name_of(file)));
    const astray = one?.astray ?? rest?.astray ?? null;
    if (astray !== null) this.#astray.set(file, in_a_line(astray));
    return {
      links: [...one?.links ?? [], ...rest?.links ?? []],
      sparse: [...one?.sparse ?? [], ...rest?.sparse ?? []],
    };
  }

  #part(file: string): Indexed | null {
    const stat = look(file);
    if (stat === null) return NOTHING;
    const take = () => {
      try {
        const bytes = read_regular(file, INDEX_BYTES);
        const indexed = links_of(bytes);
        // A large one would stay until its garbage is collected.
        bytes.buffer.transfer(0);
        return indexed;
      } catch {
        return null; // A link, a pipe, too large, or closed to us.
      }
    };
    return recall(this.#indexes, { path: file, stat, take });
  }

  /** Folders in which an editor that opens this one finds a repository. In a wide folder each costs a look and no more. */
  #scanned(fd: number): Bytes[] {
    const block = this.raw.list(fd)?.folders ?? EMPTY.subarray(1);
    const found: Bytes[] = [];
    const dotgit = new Uint8Array(block.length + DOTGIT.length);
    for (let at = 0, end; at < block.length; at = end + 1) {
      end = block.indexOf(0, at);
      const name = block.subarray(at, end);
      dotgit.set(name);
      dotgit.set(DOTGIT, name.length);
      if (!this.raw.stat(fd, dotgit, this.#words)) continue;
      if (new TextDecoder().decode(name) !== NOT_SCANNED) found.push(name.slice());
    }
    return found;
  }

  /** `fd`: of the open `top`. */
  #add(
    { top, fd }: { readonly top: string; readonly fd: number },
    link: Bytes,
    found: Set<string>,
  ): void {
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
    if (!this.raw.stat(folder, name, words)) return "nothing";
    // Of `.git` itself: its times change with every commit.
    const is_dotgit = new TextDecoder().decode(name).endsWith("/.git\0");
    return is_dotgit && (words[MODE]! & FOLDER) !== 0
      ? `${words[MODE]}:${words[INODE]}`
      : words.join(":");
  }

  /** Null if the folder cannot be opened. */
  #in<T>(folder: string, work: (fd: number) => T): T | null {
    const fd = this.raw.open(null, name_of(folder));
    if (fd < 0) return null;
    try {
      return work(fd);
    } finally {
      this.raw.close(fd);
    }
  }
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
  try {
    const folder = path.dirname(file);
    if (real_or_null(folder) !== folder) return null;
    // One that was set aside before may have what was staged.
    let name = `${file}${ASIDE}`;
    for (let n = 2; look(name) !== null; n++) name = `${file}${ASIDE}-${n}`;
    node_fs().renameSync(file, name);
    return path.basename(name);
  } catch {
    return null;
  }
}

/** The names whose looks are others than at first. */
function news(now: ReadonlyMap<string, string>, first: ReadonlyMap<string, string>): string[] {
  return [...now].filter(([name, looks]) => first.get(name) !== looks).map(([name]) => name);
}

function text_bytes(text: string): Bytes {
  return new TextEncoder().encode(text);
}

/** As the calls take it. */
function below(name: Bytes, rest: string): Bytes {
  const whole = new Uint8Array(name.length + rest.length + 1);
  whole.set(name);
  whole.set(text_bytes(rest), name.length);
  return whole;
}
