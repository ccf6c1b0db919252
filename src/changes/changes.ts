/** Finds what each call of a run changes: from the tool itself, and for a command by comparing before and after. On the tools worker. */
import { sha256 } from "../permission/content_hash.ts";
import { is_inside } from "../config/paths.ts";
import { lstat_or_null as stat_of } from "../permission/paths.ts";
import { type Policy, reaches_further } from "../sandbox/policy.ts";
import { type ChangeRow, type FileState, type FileStep, same_state } from "../store/file_state.ts";
import type { Looked, PathFact } from "./uncounted_paths.ts";
import { OtherChanges } from "./other_changes.ts";
import { UnwatchedWrites } from "./unwatched_writes.ts";
import { contents_in_git, type InGit } from "./git_blobs.ts";
import type { GitIndex } from "./git_index.ts";
import { KEEP_FILE_BYTES, KeptContents, type WriteDown } from "./content_keeper.ts";
import type { Different, FolderListener, Gaps, Ignoring } from "./look_types.ts";
import { listing_of } from "./listing.ts";
import { Chain } from "./remaining_changes.ts";
import type { Look } from "./look.ts";
import { type Folders, NO_TEXT } from "./folders.ts";
import { full_path, is_own_output, name_in } from "./file_names.ts";
import { FileAges } from "./file_ages.ts";
import type { RefFact } from "./refs.ts";
import { type Root, roots_of, trusted_index } from "./roots.ts";
import { Stash } from "./stash.ts";
import { file_state, hash_of, read_whole } from "./read_state.ts";
import type { Sides, Version } from "./unified_diff.ts";

export interface FileFact {
  readonly kind: "file";
  /** Relative to the workspace where it is inside. */
  readonly path: string;
  /** Content hashes (hex); null if there is no file. */
  readonly before: string | null;
  readonly after: string | null;
}

export type ChangeFact = FileFact | RefFact | PathFact;

interface ChangesOptions {
  readonly policy: Policy;
  readonly raw: Folders;
  /** The rules of a folder, its path absolute. */
  readonly ignoring: (folder: string) => Ignoring;
  /** Hears the names in the folders of the workspace. */
  readonly listener?: FolderListener & { readonly dotgits: readonly string[] };
  /** What earlier runs of the session have made where nobody looks; this one adds to it. */
  readonly made?: Set<string>;
  /** What tools have written in it; this run adds to it, and takes out what is seen anyway. */
  readonly written?: Set<string>;
  readonly write_down: WriteDown | null;
}

/** Where a content is not known. That such a file changed is seen by its looks alone. */
const UNKNOWN = "not kept";
/** Read before the first command besides what is stashed, and after each, to be compared: what is larger in all is not known. Half a second of work. */
const READ_BYTES = 512 * 1024 * 1024;
/** Of all files together, before the first command, that git does not have: the limit of the undo store in the issue on sessions. */
const FIRST_BYTES = 200 * 1024 * 1024;
/** What a command starts in an ignored folder: `.venv/bin/python`. Only at the beginning of a word: 300 kB of base64 took two minutes. */
const STARTED = /(?<!\S)\S*\/\.?bin\/\S+/g;
const COMPARE_BYTES = 2 * 1024 * 1024;
/** Of a file that is made, with the usual mask; another one is seen when it is there. */
const NEW_MODE = 0o100644;

export class Changes {
  readonly #kept: KeptContents;
  readonly #chain = new Chain();
  readonly #stash: Stash;
  #room = FIRST_BYTES;
  /** Left to be read before the first command, in bytes: a folder of data may hold more than anyone waits for. */
  #readable = READ_BYTES;
  readonly #others: OtherChanges;
  readonly #unwatched: UnwatchedWrites;
  #index: GitIndex | null = null;
  #roots: readonly Root[] | null = null;
  /** What the last look found rewritten, with the same content as before. */
  touched: string[] = [];
  /** What tools wrote since the last look. */
  readonly #written = new Map<string, FileState | null>();
  readonly #ages: FileAges;
  /** What calls did since that was last asked. */
  #news: FileStep[] = [];
  /** A command has begun, and what it did is not told yet. */
  #under_way = false;
  /** The last one that began, and whether something that has no name came or went with it. */
  #command = "";
  #begun = 0;
  #has_unnamed = false;
  readonly #unnamed = new Set<string>();

  constructor(private readonly options: ChangesOptions) {
    this.#kept = new KeptContents(options.policy.spill, options.write_down);
    this.#stash = new Stash(this.#kept);
    this.#ages = new FileAges(options.made);
    this.#others = new OtherChanges(options);
    const keep = (bytes: Uint8Array) => this.#keep(bytes);
    this.#unwatched = new UnwatchedWrites({ ...options, keep }, options.written ?? new Set());
  }

  /** Lets a tool write one known file by `act`, after what it was and will be is on the disk. Returns the facts; none if nothing differs. */
  async write(
    call: string,
    real: string,
    { before, after, act: write }: {
      before: { bytes: Uint8Array; mode: number } | null;
      /** Null: the file goes. */
      after: Uint8Array | null;
      act: () => void | Promise<Uint8Array>;
    },
  ): Promise<readonly ChangeFact[]> {
    const path = name_in(this.options.policy, real);
    const act = () => this.#ages.written(real, write);
    if (this.#is_of_run(real)) {
      await act();
      const became = after === null ? "deleted" : before === null ? "added" : "modified";
      return [{ kind: "path", path, became }];
    }
    const was = before && { mode: before.mode, hash: await this.#keep(before.bytes) };
    const now = after &&
      { mode: before?.mode ?? NEW_MODE, hash: await this.#keep(after) };
    const made = before === null ? this.#made(real) : undefined;
    const step = { path, before: was, after: now, ...(made === undefined ? {} : { made }) };
    if (same_state(was, now)) {
      await act();
      return [];
    }
    await this.#wrote(call, step);
    let put: Uint8Array | void;
    try {
      put = await act();
    } catch (error) {
      await this.#wrote(call, { path, before: now, after: was });
      throw error;
    }
    const mode = stat_of(real)?.mode ?? now?.mode ?? 0;
    const as_it_is = now && { mode, hash: put ? await this.#keep(put) : now.hash };
    if (!same_state(as_it_is, now)) await this.#wrote(call, { path, before: now, after: as_it_is });
    const done = { ...step, after: as_it_is };
    this.#add([done]);
    this.#unwatched.add(path);
    if (this.#roots !== null) this.#written.set(path, as_it_is);
    return [fact_of(done)];
  }

  /** A command is about to run: what differs from the last look is not a call's. */
  async begin(call: string, command = ""): Promise<void> {
    const first = this.#roots === null;
    this.#command = command;
    this.#begun = Date.now();
    this.#under_way = true;
    const looked = await this.#look();
    const files = [...looked, ...await this.#unwatched.begin(this.#roots!)];
    const listing = first && this.#kept.is_recorded ? { listing: await this.#list() } : {};
    const at = Math.min(Date.now(), this.#roots![0]!.look.latest || Infinity);
    const written = this.#kept.row({ kind: "begin", call, at, files, ...listing });
    this.#others.look(this.#roots!, this.#index, command);
    await written;
  }

  /** The command has ended: what differs is its doing. */
  async end(call: string): Promise<readonly ChangeFact[]> {
    const looked = await this.#look();
    const unwatched = await this.#unwatched.changed(new Set(looked.map(({ path }) => path)));
    const files = [...looked, ...unwatched];
    const more = this.#others.look(this.#roots!, this.#index, this.#command)
      .filter((fact) => !unwatched.some(({ path }) => fact.kind === "path" && fact.path === path));
    this.#ages.made(this.#others.made(this.#begun));
    this.#add(files);
    const beyond = more.filter((fact) => fact.kind === "path").map(({ path }) => path)
      .filter((path) => !this.#is_of_run(path));
    const unnamed = this.#roots!.flatMap(({ look }) => look.unnamed);
    this.#has_unnamed = unnamed.length > 0;
    for (const path of unnamed) if (path.includes(NO_TEXT)) this.#unnamed.add(path);
    const told = [...beyond, ...unnamed];
    const elsewhere = told.length === 0 ? {} : { beyond: told };
    const over = this.#roots!.some(({ look }) => look.overflow) ? { overflow: true as const } : {};
    const row = { kind: "done", call, files, ...elsewhere, ...over } as const;
    // Nobody waits for what names no content: it is sent along with the result.
    if (files.length > 0) await this.#kept.row(row);
    else this.#kept.add(row);
    this.#under_way = false;
    return [...files.map(fact_of), ...more];
  }

  /** Rows that are to be written down before what the commands came to is heard. */
  rows(): readonly ChangeRow[] {
    return this.#kept.rows();
  }

  step_ended(step: number): void {
    this.#kept.mark(step);
  }

  gaps(): Gaps {
    const roots = this.#roots ?? [];
    return {
      overflow: roots.some(({ look }) => look.overflow),
      closed: roots.flatMap(({ look, prefix }) =>
        look.unreadable.failed().map((path) => `${prefix}${path}` || ".")
      ),
      lost: this.#chain.left().filter(({ before }) => before?.hash === null)
        .map(({ path }) => path),
      unnamed: [...this.#unnamed],
    };
  }

  looked(): Looked {
    const { overflow, closed } = this.gaps();
    if (overflow || closed.length > 0 || this.#has_unnamed) return "in part";
    const { is_cut } = this.#others;
    const cut = is_cut ? this.#others.ignored(this.#roots ?? []) : [];
    const command = this.#command.replaceAll(STARTED, "");
    const names = (path: string) => command.includes(path.replace(/\/$/, "").replace(/.*\//s, ""));
    if (cut.some(names)) return "in part";
    return is_cut || reaches_further(this.options.policy) ? "here" : "everywhere";
  }

  /** What calls changed since this was last asked, each file once, with what it was before that and is after it. */
  take(): readonly (Sides & { readonly path: string })[] {
    const news = new Chain();
    for (const step of this.#news.splice(0)) news.add(step);
    return news.left().map(({ path, before, after }) => ({
      path,
      before: this.#version(before),
      after: this.#version(after),
    }));
  }

  /** What calls of the run have changed, and nobody has put back since. */
  net(): readonly string[] {
    return this.#chain.left().filter(({ path, before }) =>
      !same_state(file_state(this.options.raw, full_path(this.options.policy, path)), before)
    ).map(({ path }) => path);
  }

  /** Whether calls of the run made this file, not out of one that was there before, and it is as they left it. */
  is_own(real: string): boolean {
    const { policy, raw } = this.options;
    const { before, after, doubt } = this.#chain.get(name_in(policy, real)) ?? {};
    return before === null && doubt === null && typeof after?.hash === "string" &&
      same_state(file_state(raw, real), after) &&
      !this.#chain.left().some((other) => other.before?.hash === after.hash);
  }

  /** A file before the first change by a call, and after the last; contents of at most `most` bytes. */
  sides(path: string, most = COMPARE_BYTES): Sides {
    const { before, after } = this.#chain.get(path) ?? { before: null, after: null };
    return { before: this.#version(before, most), after: this.#version(after, most) };
  }

  /** The run has ended. Where a command was cut off, what was there before it is still needed. */
  async finish(): Promise<void> {
    await this.#kept.write({ last: true });
    if (!this.#under_way) await this.#kept.end();
  }

  [Symbol.dispose](): void {
    this.#kept[Symbol.dispose]();
  }

  /** Whether a file is where runs keep what they need on their way: nobody misses it, or wants it back. */
  #is_of_run(full: string): boolean {
    const { tmp, spill, cache } = this.options.policy;
    return [tmp, spill, cache].some((own) => is_inside(full, own));
  }

  #add(steps: readonly FileStep[]): void {
    // One by one: a command may have made more files than a call has room for arguments.
    for (const step of steps) {
      this.#chain.add(step);
      this.#news.push(step);
    }
  }

  async #wrote(call: string, step: FileStep): Promise<void> {
    await this.#kept.row({ kind: "wrote", call, files: [step] });
  }

  async #keep(bytes: Uint8Array): Promise<string | null> {
    if (bytes.length > KEEP_FILE_BYTES) return sha256(bytes);
    return await this.#kept.put(bytes as Uint8Array<ArrayBuffer>); // Nobody shares memory here.
  }

  /** The uppermost folder that has to be made for a file, `/` at the end. */
  #made(real: string): string | undefined {
    let made: string | undefined;
    for (let at = real.lastIndexOf("/"); at > 0; at = real.lastIndexOf("/", at - 1)) {
      if (stat_of(real.slice(0, at)) !== null) break;
      made = `${name_in(this.options.policy, real.slice(0, at))}/`;
    }
    return made;
  }

  /** What has become another since the last look; the first time nothing has. */
  async #look(): Promise<readonly FileStep[]> {
    const found: FileStep[] = [];
    this.touched = [];
    if (this.#roots === null) {
      this.#roots = await this.#begin();
      for (const { look } of this.#roots) {
        look.look();
        look.release();
      }
      await this.#stash.finish();
    } else {
      const looked = this.#roots.map((root) => ({ root, different: root.look.look() }));
      for (const { root: { look } } of looked) this.#ages.left(look.left());
      for (const { root, different } of looked) {
        for (const step of await this.#compare(root, different)) found.push(step);
      }
    }
    this.#written.clear();
    return found.sort((a, b) => a.path < b.path ? -1 : 1);
  }

  async #begin(): Promise<readonly Root[]> {
    this.#index = await trusted_index(this.options.policy);
    const first = (file: Different, look: Look) => this.#stash_one(file, look);
    return roots_of({ ...this.options, first }, this.#index);
  }

  /** Before the first command: what git does not have is kept. */
  #stash_one({ path, mode, size, place }: Different, look: Look): void {
    if (mode === null) return;
    const fits = size <= Math.min(KEEP_FILE_BYTES, this.#room);
    const nth = fits
      ? this.#stash.take(size, (take) => look.read(path, { mode, size, take }))
      : null;
    if (nth !== null) this.#room -= size;
    const read = nth === null && size <= this.#readable;
    if (read) this.#readable -= size;
    look.know(place, nth ?? (read ? hash_of(look, path, { mode, size }) : null));
  }

  async #compare({ look, prefix }: Root, different: readonly Different[]): Promise<FileStep[]> {
    let room = READ_BYTES;
    const steps: FileStep[] = [];
    const in_git: InGit[] = [];
    for (const file of different) {
      const { path: name, was, mode, size, only_young, learned, place } = file;
      const path = prefix + name;
      if (is_own_output(this.options.policy, path)) continue;
      const known = was?.known ?? { kind: "nothing" };
      const old = known.kind === "stashed" ? this.#stash.read(known.nth) : null;
      // Before what has come: there may be no room for both.
      const stashed = old && await this.#keep(old);
      let bytes: Uint8Array<ArrayBuffer> | null = null;
      let hash: string | null = null;
      if (mode !== null && size <= room) {
        room -= size;
        if (size <= KEEP_FILE_BYTES) bytes = read_whole(look, name, { mode, size });
        hash = bytes === null ? hash_of(look, name, { mode, size }) : await this.#keep(bytes);
      }
      const after = mode === null ? null : { mode, hash };
      if (after !== null) look.know(place, hash);
      const is_same = known.kind === "git" && bytes !== null &&
        this.#index!.has(known.entry, bytes);
      const then = known.kind === "hash" ? known.hash : is_same ? hash : stashed;
      const written = this.#written.get(path);
      const before = written === undefined ? was && { mode: was.mode, hash: then } : written;
      const is_known = (before?.hash ?? null) !== null && hash !== null;
      if (hash !== null && same_state(before, after)) this.touched.push(path);
      if (learned || same_state(before, after) || (only_young && !is_known)) continue;
      if (written === undefined && known.kind === "git" && !is_same) {
        in_git.push({ nth: steps.length, id: this.#index!.id(known.entry), size: was?.size ?? 0 });
      }
      const made = before === null ? look.made(name) : null;
      steps.push({
        ...{ path, before, after },
        ...(made === null ? {} : { made: prefix + made }),
        ...(this.#ages.is_before(file) ? { moved: true } : {}),
      });
    }
    look.release();
    for await (const { nth, bytes } of contents_in_git(this.options.policy, in_git)) {
      const step = steps[nth]!;
      const hash = await this.#keep(bytes);
      steps[nth] = { ...step, before: step.before && { ...step.before, hash } };
    }
    return steps;
  }

  /** The workspace as it is now, stored; gives its hash. */
  async #list(): Promise<string> {
    const listing = listing_of(this.#roots![0]!.look, { index: this.#index, stash: this.#stash });
    const bytes = new TextEncoder().encode(JSON.stringify(listing));
    const hash = this.#kept.keep(bytes);
    await this.#kept.store_packs([hash]);
    return hash;
  }

  #version(state: FileState | null, most = COMPARE_BYTES): Version | null {
    if (state === null) return null;
    const bytes = this.#kept.get(state.hash);
    return { mode: state.mode, bytes: bytes === null || bytes.length > most ? null : bytes };
  }
}

function fact_of({ path, before, after }: FileStep): FileFact {
  const hash = (state: FileState | null) => state === null ? null : state.hash ?? UNKNOWN;
  return { kind: "file", path, before: hash(before), after: hash(after) };
}
