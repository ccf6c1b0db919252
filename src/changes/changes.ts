/** What each call of a run changes: found by what the tool knows, and around a command by a look before and after. On the tools worker. */
import { is_inside } from "../config/paths.ts";
import { look as stat_of } from "../permission/paths.ts";
import type { Policy } from "../sandbox/policy.ts";
import { type FileState, type FileStep, same_state } from "../store/file_state.ts";
import { Beyond, type PathFact } from "./beyond.ts";
import { Chain } from "./chain.ts";
import { contents_in_git, type InGit } from "./git_blobs.ts";
import { git_place, GitIndex, type GitPlace } from "./git_index.ts";
import { type Ask, KEEP_FILE_BYTES, Kept, sha256 } from "./kept.ts";
import type { Different, Ignoring, Listener } from "./known.ts";
import { listing_of } from "./listing.ts";
import type { Folders } from "./folders.ts";
import { type RefFact, Refs } from "./refs.ts";
import { type Root, roots_of, trusts_git } from "./roots.ts";
import { Stash } from "./stash.ts";
import { hash_of, read_whole, state_of } from "./state.ts";
import type { Sides, Version } from "./unified_diff.ts";

/** A file that a call changed. `before` and `after` as in the ledger. */
export interface FileFact {
  readonly kind: "file";
  readonly path: string;
  readonly before: string | null;
  readonly after: string | null;
}

/** Something that a call changed. */
export type ChangeFact = FileFact | RefFact | PathFact;

/** What a run works with. */
export interface ChangesOptions {
  readonly policy: Policy;
  readonly raw: Folders;
  /** The rules of a folder, its path absolute. */
  readonly ignoring: (folder: string) => Ignoring;
  /** Hears the names in the folders of the workspace. */
  readonly listener?: Listener & { readonly dotgits: readonly string[] };
  /** Writes things down; null where nobody does. */
  readonly ask: Ask | null;
}

/** Where a content is not known. That such a file changed is seen by its looks alone. */
const UNKNOWN = "not kept";
/** Read after one command at most, to be compared: what is larger in all is not known. Half a second of work. */
const READ_BYTES = 512 * 1024 * 1024;
/** Of all files together, before the first command, that git does not have: the limit of the undo store in the issue on sessions. */
const FIRST_BYTES = 200 * 1024 * 1024;
/** Contents of a larger file are not compared line by line. */
const COMPARE_BYTES = 2 * 1024 * 1024;
/** Of a file that is made, with the usual mask; another one is seen when it is there. */
const NEW_MODE = 0o100644;

const NOTHING = { kind: "nothing" } as const;

/** The changes of one run. */
export class Changes {
  readonly #kept: Kept;
  readonly #chain = new Chain();
  readonly #stash: Stash;
  readonly #refs: Refs;
  readonly #beyond: Beyond;
  #index: GitIndex | null = null;
  #roots: readonly Root[] | null = null;
  /** What tools wrote since the last look. */
  readonly #written = new Map<string, FileState | null>();
  /** What calls did since that was last asked. */
  #news: FileStep[] = [];
  /** A command has begun, and what it did is not told yet. */
  #under_way = false;

  constructor(private readonly options: ChangesOptions) {
    this.#kept = new Kept(options.policy.spill, options.ask);
    this.#stash = new Stash(this.#kept);
    this.#refs = new Refs(options.raw);
    this.#beyond = new Beyond(options.raw);
  }

  /**
   * Lets a tool write one file that it knows, by `act`. What the file was and will be is on the disk before. Gives the facts; none
   * where nothing is different.
   */
  async write(
    call: string,
    real: string,
    { before, after, act }: {
      readonly before: { readonly bytes: Uint8Array; readonly mode: number } | null;
      /** Null: the file goes. */
      readonly after: Uint8Array | null;
      readonly act: () => void;
    },
  ): Promise<readonly ChangeFact[]> {
    const path = this.#name(real);
    const { policy: { tmp, spill, cache } } = this.options;
    if ([tmp, spill, cache].some((own) => is_inside(real, own))) {
      act();
      const became = after === null ? "deleted" : before === null ? "added" : "modified";
      return [{ kind: "path", path, became }];
    }
    const was = before && { mode: before.mode, hash: await this.#keep(before.bytes) };
    const now = after &&
      { mode: before?.mode ?? NEW_MODE, hash: await this.#keep(after) };
    const made = before === null ? this.#made(real) : undefined;
    const step = { path, before: was, after: now, ...(made === undefined ? {} : { made }) };
    if (same_state(was, now)) {
      act();
      return [];
    }
    await this.#wrote(call, step);
    try {
      act();
    } catch (error) {
      await this.#wrote(call, { path, before: now, after: was });
      throw error;
    }
    const mode = stat_of(real)?.mode ?? now?.mode ?? 0;
    const as_it_is = now && { ...now, mode };
    if (mode !== (now?.mode ?? 0)) await this.#wrote(call, { path, before: now, after: as_it_is });
    this.#add([{ ...step, after: as_it_is }]);
    if (this.#roots !== null) this.#written.set(path, as_it_is);
    return [fact_of(step)];
  }

  /** Looks around before and after `work`, which may change anything. Gives what it came to, and what it changed. */
  async around<T>(
    call: string,
    work: () => Promise<T>,
  ): Promise<{ readonly of: T; readonly facts: readonly ChangeFact[] }> {
    await this.begin(call);
    const of = await work();
    return { of, facts: await this.end(call) };
  }

  /** A command is about to run: what differs from the last look is no call's. */
  async begin(call: string): Promise<void> {
    const first = this.#roots === null;
    this.#under_way = true;
    const files = await this.#look();
    this.#look_beyond();
    if (!this.#kept.is_recorded) return;
    const listing = first ? { listing: await this.#list() } : {};
    await this.#kept.row({ kind: "begin", call, at: Date.now(), files, ...listing });
  }

  /** The command has ended: what differs is its doing. */
  async end(call: string): Promise<readonly ChangeFact[]> {
    const files = await this.#look();
    const more = this.#look_beyond();
    this.#add(files);
    const beyond = more.filter((fact) => fact.kind === "path").map(({ path }) => path);
    const unnamed = this.#roots!.flatMap(({ look }) => look.unnamed);
    const told = [...beyond, ...unnamed];
    await this.#kept.row({
      kind: "done",
      call,
      files,
      ...(told.length === 0 ? {} : { beyond: told }),
    });
    this.#under_way = false;
    return [...files.map(fact_of), ...more];
  }

  /** Whether there are more files than are watched. */
  get overflow(): boolean {
    return this.#roots?.some(({ look }) => look.overflow) ?? false;
  }

  /** What calls changed since this was last asked, each file once, with what it was before that and is after it. */
  take(): readonly (Sides & { readonly path: string })[] {
    const news = new Chain();
    for (const step of this.#news.splice(0)) news.add(step);
    return news.paths.map((path) => {
      const { first, last } = news.get(path)!;
      return { path, before: this.#version(first), after: this.#version(last) };
    });
  }

  /** What calls of the run have changed, and nobody has put back since. */
  net(): readonly string[] {
    return this.#chain.paths.filter((path) => {
      const { first } = this.#chain.get(path)!;
      return !same_state(state_of(this.options.raw, this.#full(path)), first);
    });
  }

  /** A file before the first change by a call, and after the last. */
  sides(path: string): Sides {
    const { first, last } = this.#chain.get(path) ?? { first: null, last: null };
    return { before: this.#version(first), after: this.#version(last) };
  }

  /** The run has ended. Where a command was cut off, what was there before it is still needed. */
  async finish(): Promise<void> {
    if (!this.#under_way) await this.#kept.end();
  }

  /** Lets go of all contents; nothing can be asked afterwards. */
  [Symbol.dispose](): void {
    this.#kept[Symbol.dispose]();
  }

  #add(steps: readonly FileStep[]): void {
    for (const step of steps) this.#chain.add(step);
    this.#news.push(...steps);
  }

  async #wrote(call: string, step: FileStep): Promise<void> {
    await this.#kept.row({ kind: "wrote", call, files: [step] });
  }

  async #keep(bytes: Uint8Array): Promise<string | null> {
    return bytes.length > KEEP_FILE_BYTES
      ? sha256(bytes)
      : await this.#kept.put(bytes, { store: true });
  }

  /** How a path is called: relative where it lies in the workspace. */
  #name(real: string): string {
    const { workspace } = this.options.policy;
    return is_inside(real, workspace) ? real.slice(workspace.length).replace(/^\//, "") : real;
  }

  #full(path: string): string {
    const { workspace } = this.options.policy;
    return path.startsWith("/") ? path : `${workspace === "/" ? "" : workspace}/${path}`;
  }

  /** The uppermost folder that has to be made for a file, `/` at the end. */
  #made(real: string): string | undefined {
    let made: string | undefined;
    for (let at = real.lastIndexOf("/"); at > 0; at = real.lastIndexOf("/", at - 1)) {
      if (stat_of(real.slice(0, at)) !== null) break;
      made = `${this.#name(real.slice(0, at))}/`;
    }
    return made;
  }

  /** What has become another since the last look; the first time nothing has. */
  async #look(): Promise<readonly FileStep[]> {
    const found: FileStep[] = [];
    if (this.#roots === null) {
      this.#roots = this.#begin();
      for (const root of this.#roots) await this.#stash_all(root, root.look.look());
      await this.#stash.finish();
    } else {
      for (const root of this.#roots) {
        for (const step of await this.#compare(root, root.look.look())) found.push(step);
      }
    }
    this.#written.clear();
    return found.sort((a, b) => a.path < b.path ? -1 : 1);
  }

  #begin(): readonly Root[] {
    const { policy } = this.options;
    this.#index = trusts_git(policy) ? GitIndex.of(git_place(policy)) : null;
    return roots_of(this.options, this.#index);
  }

  /** Before the first command: what git does not have is kept. */
  async #stash_all({ look }: Root, different: readonly Different[]): Promise<void> {
    let room = FIRST_BYTES;
    for (const { path, mode, size, place } of different) {
      if (mode === null) continue;
      const fits = size <= Math.min(KEEP_FILE_BYTES, room);
      const nth = fits
        ? await this.#stash.take(size, (take) => look.read(path, { mode, size, take }))
        : null;
      if (nth !== null) {
        look.stashed(place, nth);
        room -= size;
      } else if (size <= READ_BYTES) look.know(path, hash_of(look, path, { mode, size }));
    }
    look.release();
  }

  async #compare({ look, prefix }: Root, different: readonly Different[]): Promise<FileStep[]> {
    let room = READ_BYTES;
    const steps: FileStep[] = [];
    const in_git: InGit[] = [];
    for (const { path: name, was, mode, size, only_young, place } of different) {
      const path = prefix + name;
      const bytes = mode === null || size > Math.min(KEEP_FILE_BYTES, room)
        ? null
        : read_whole(look, name, { mode, size });
      const hash = bytes !== null
        ? await this.#keep(bytes)
        : mode !== null && size <= room
        ? hash_of(look, name, { mode, size })
        : null;
      const { known } = was ?? { known: NOTHING };
      const state = (hash: string | null) => was && { mode: was.mode, hash };
      let before: FileState | null = state(known.kind === "hash" ? known.hash : null);
      const written = this.#written.get(path);
      if (written !== undefined) before = written;
      else if (known.kind === "stashed") {
        const old = this.#stash.read(known.nth);
        before = state(old === null ? null : await this.#keep(old));
      } else if (known.kind === "git") {
        if (bytes !== null && this.#index!.has(known.entry, bytes)) before = state(hash);
        else {in_git.push({
            nth: steps.length,
            id: this.#index!.id(known.entry),
            size: was?.size ?? 0,
          });}
      }
      if (mode !== null) {
        room -= size;
        look.forget(place);
        look.know(name, hash);
      }
      const after = mode === null ? null : { mode, hash };
      if (same_state(before, after) || (only_young && (before?.hash ?? hash) === null)) continue;
      const made = before === null ? look.made(name) : null;
      steps.push({ path, before, after, ...(made === null ? {} : { made: prefix + made }) });
    }
    look.release();
    for await (const { nth, bytes } of contents_in_git(this.options.policy, in_git)) {
      const step = steps[nth]!;
      const hash = await this.#keep(bytes);
      steps[nth] = { ...step, before: step.before && { ...step.before, hash } };
    }
    return steps;
  }

  #look_beyond(): readonly (RefFact | PathFact)[] {
    const { policy, listener } = this.options;
    const { workspace } = policy;
    const places = new Map<string, GitPlace>();
    const own = git_place(policy);
    if (own !== null) places.set("", own);
    for (const dotgit of listener?.dotgits ?? []) {
      const full = this.#full(dotgit);
      if (dotgit !== ".git" && stat_of(full)?.isDirectory) {
        places.set(`${dotgit.slice(0, -".git".length)}`, { own: full, common: full, below: "" });
      }
    }
    const tops = [
      ...this.#roots!.flatMap(({ look, prefix }) =>
        [...look.ignored()].filter((path) => !/(^|\/)\.git\/?$/.test(path))
          .map((path) => this.#full(prefix + path))
      ),
      `${policy.tmp}/`,
      `${policy.cache}/`,
    ];
    const paths = this.#beyond.look(tops).filter(({ path }) =>
      path !== `${policy.tmp}/` && path !== `${policy.cache}/`
    );
    return [
      ...this.#refs.look(places, this.#index),
      ...paths.map((fact) => ({
        ...fact,
        path: is_inside(fact.path, workspace) ? fact.path.slice(workspace.length + 1) : fact.path,
      })),
    ];
  }

  /** The workspace as it is now, stored; gives its hash. */
  async #list(): Promise<string> {
    const listing = listing_of(this.#roots![0]!.look, { index: this.#index, stash: this.#stash });
    const bytes = new TextEncoder().encode(JSON.stringify(listing));
    return await this.#kept.put(bytes, { store: true });
  }

  #version(state: FileState | null): Version | null {
    if (state === null) return null;
    const bytes = this.#kept.get(state.hash);
    return {
      mode: state.mode,
      bytes: bytes === null || bytes.length > COMPARE_BYTES ? null : bytes,
    };
  }
}

function fact_of({ path, before, after }: FileStep): FileFact {
  const hash = (state: FileState | null) => state === null ? null : state.hash ?? UNKNOWN;
  return { kind: "file", path, before: hash(before), after: hash(after) };
}
