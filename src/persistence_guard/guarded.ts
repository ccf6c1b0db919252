/** Protects what commands can reach and what runs later outside the sandbox: hooks, Git settings and `.hamr`. Synchronous calls only. */
import { attempt } from "../config/attempt.ts";
import { is_inside } from "../config/paths.ts";
import { message_of } from "../config/text.ts";
import type { Policy } from "../sandbox/policy.ts";
import { DENO_TICK_MS as TICK_MS, type Folders } from "../changes/folders.ts";
import { path } from "../config/path.ts";
import { exists, lstat_or_null } from "../permission/paths.ts";
import { Gitlinks, unwatched_line } from "./gitlinks.ts";
import { PersistenceJudge } from "./judge.ts";
import { Nameless } from "./nameless.ts";
import { allowed, own_place, WorkspaceScan } from "./places.ts";
import { is_closed, keep_copy, put_back } from "./put_back.ts";
import { type Baseline, type Scope, split_by_reach, type WatchedPlace } from "./saved.ts";
import { agreed, common_scope, repositories_beyond, same_things, watched_scope } from "./scope.ts";
import { type FolderScan, MOST_REPOSITORIES } from "./folder_scan.ts";
import { file_at, Lens, path_changed_at, same, type SharedFile, type Thing } from "./thing.ts";
import { type Change, in_a_line, type Notes, put_back_words, workspace_path } from "./words.ts";

/** What was closed to us is seen after it was opened; who plants in a loop is met again at the next look. */
const ROUNDS = 4;
const COMES_INTO_SIGHT =
  "has come into git's sight, and may run something: look at it before you use git there";
/** An address and a few words. */
const LINE_CHARS = 400;

/** What comes into sight and has not changed since `oldest` was there before; what has since `named` stays as well, but is named where it runs something. */
interface Belief {
  readonly oldest: number;
  readonly named?: number;
}
const ALL: Belief = { oldest: Infinity };

interface GuardOptions {
  readonly sights: FolderScan;
  readonly raw: Folders;
}

export class Guarded {
  readonly #lens: Lens;
  readonly #judge: PersistenceJudge;
  #things: Map<string, WatchedPlace>;
  /** How everything was when it was last found to be well. */
  #last = new Map<string, WatchedPlace>();
  /** What has not changed since then was there before the run. */
  readonly #began = Date.now() - TICK_MS;
  /** The same of hamr's first run, which made the folder of all caches: since then one may have made what nobody watched until git came to enter it. */
  readonly #first: number;
  #warnings: string[] = [];
  #violation: string | null = null;
  /** Lines of what may stay that were said. */
  readonly #noted = new Set<string>();
  #under_way: Promise<unknown> = Promise.resolve();
  readonly #sights: FolderScan | null;
  readonly #links: Gitlinks;
  readonly #shared = new SharedFiles();
  readonly #nameless: Nameless;
  /** No command has run yet. */
  #untouched = true;
  #told: Scope;
  /** Since then nothing of the run's has been alive, until its next command. */
  #rested = Infinity;
  /** What stays and is named, where it runs something. */
  readonly #doubtful = new Set<string>();
  /** The workspace of a run that was cut off: repositories elsewhere were not in its sight. */
  readonly #within: string | null;

  private constructor(private readonly policy: Policy, private scope: Scope, from: {
    readonly things: Baseline["things"];
    readonly lens: Lens;
    readonly sights: FolderScan | null;
    readonly links: Gitlinks;
    readonly nameless: Nameless;
    readonly within?: string;
  }) {
    this.#told = scope;
    this.#within = from.within ?? null;
    const first = lstat_or_null(path.dirname(policy.cache))?.birthtime?.getTime() ?? Infinity;
    this.#first = Math.min(this.#began, first - TICK_MS);
    this.#sights = from.sights;
    this.#links = from.links;
    this.#nameless = from.nameless;
    this.#things = new Map(from.things);
    this.#lens = from.lens;
    this.#judge = new PersistenceJudge({
      ...{ policy, lens: from.lens, sights: from.sights },
      note: (text) => this.#note(text),
      watch: (places) => this.#widen(places, this.#seen_later()),
    });
  }

  /** Takes the state of now as the one to keep. */
  static start(policy: Policy, { sights, raw }: GuardOptions): Guarded {
    const lens = new Lens(raw);
    const links = new Gitlinks(policy, raw);
    let asked = watched_scope(policy, sights);
    const scan = (scope: Scope) => new WorkspaceScan(scope, { lens, known: null, policy });
    let first = scan(asked);
    for (
      let more;
      (more = repositories_beyond(asked, { look: first, links, policy })).length > 0;
    ) {
      asked = { ...asked, dotgits: [...asked.dotgits, ...more] };
      first = scan(asked);
    }
    links.unwatched();
    const scope = { ...asked, skipped: [...asked.skipped, ...first.too_large] };
    const { found: things, shared, nameless: folders } = scan(scope);
    const nameless = new Nameless(raw);
    nameless.know(folders);
    const guarded = new Guarded(policy, scope, { things, lens, sights, links, nameless });
    guarded.#shared.know(shared.values());
    guarded.#warnings = first.too_large.map((place) =>
      `${
        workspace_path(place, policy.workspace)
      } holds too much to be watched: changes in it are not put back`
    );
    return guarded;
  }

  /** Puts back what an earlier run, which was cut off, had let change. Says what it did; nothing is a violation. */
  static async restore(policy: Policy, saved: Baseline, raw: Folders): Promise<readonly string[]> {
    const { scope: theirs, things } = split_by_reach(saved, policy).within;
    const own = own_place(policy);
    // It knew nothing of another workspace's settings.
    const unknown = theirs.own === own ? [] : [own];
    const skipped = [...theirs.skipped, ...allowed(policy), ...unknown];
    const [links, nameless] = [new Gitlinks(policy, raw, new Map()), new Nameless(raw)];
    const within = path.dirname(theirs.own.replace(/\/\.hamr\/config\.toml$/, "/.hamr"));
    const from = { things, lens: new Lens(raw), sights: null, links, nameless, within };
    const guarded = new Guarded(policy, { ...theirs, own, skipped }, from);
    await guarded.check({ alone: true });
    const { warnings, violation } = guarded.take();
    return violation === null ? warnings : [...warnings, violation];
  }

  get saved(): Baseline {
    return { scope: this.scope, things: this.#things };
  }

  /** Other runs that are alive know better how it was, the oldest (the last of them) best; gives whether anything is news. */
  heed(live: readonly Baseline[]): boolean {
    const { scope, things } = this.saved;
    for (const theirs of live.map((one) => split_by_reach(one, this.policy).within)) {
      this.scope = common_scope(this.scope, theirs.scope);
      this.#things = agreed(this.saved, theirs);
    }
    return JSON.stringify(scope) !== JSON.stringify(this.scope) ||
      !same_things(things, this.#things);
  }

  /** Nothing of the run's has been alive since `rested`, when all was well: what has changed since is the person's, and stays. */
  renew(rested: number): void {
    this.#look(ALL);
    const { found, shared, nameless } = this.#scan(null);
    for (const full of new Set([...this.#last.keys(), ...found.keys()])) {
      const now = found.get(full);
      if (same(this.#last.get(full)?.thing ?? null, now?.thing ?? null)) continue;
      if (now === undefined) this.#things.delete(full);
      else this.#things.set(full, now);
    }
    this.#shared.know(shared.values());
    this.#nameless.know(nameless);
    this.#rested = rested;
  }

  /** Watches repositories that came into sight; whether there are new ones. What was in them before the run is kept, too. */
  watch(): boolean {
    const belief = this.#untouched ? ALL : this.#seen_later();
    if (this.#sights !== null) this.#widen(watched_scope(this.policy, this.#sights), belief);
    if (this.#untouched) this.#look(ALL);
    this.#untouched = false;
    this.#rested = Infinity;
    const is_news = this.scope !== this.#told;
    this.#told = this.scope;
    return is_news;
  }

  #seen_later(): Belief {
    return { oldest: this.#began, named: this.#first };
  }

  #widen(
    { dotgits, git_dirs }: Pick<Scope, "dotgits" | "git_dirs">,
    { oldest, named = Infinity }: Belief,
  ): void {
    const old = this.scope;
    const new_dotgits = dotgits.filter((dotgit) => !old.dotgits.includes(dotgit));
    const new_dirs = git_dirs.filter((dir) => !old.git_dirs.includes(dir));
    if (new_dotgits.length + new_dirs.length === 0) return;
    this.scope = {
      ...old,
      dotgits: [...old.dotgits, ...new_dotgits],
      git_dirs: [...old.git_dirs, ...new_dirs],
    };
    const is_persons = (at: number) => at > this.#rested && at !== Infinity;
    const is_others = (full: string) => {
      const at = path_changed_at(full);
      return at < oldest || is_persons(at);
    };
    const was_there = [...new_dotgits, ...new_dirs].filter(is_others);
    if (was_there.length === 0) return;
    for (const [full, what] of this.#scan(null).found) {
      if (!was_there.some((place) => is_inside(full, place)) || !is_others(full)) continue;
      const at = path_changed_at(full);
      if (at < named || is_persons(at)) this.#things.set(full, what);
      else this.#doubtful.add(full);
    }
  }

  /** Puts back what must not change, with a line each for the model and for `take`. If nothing changed it only looks at each place. `alone`: nothing of the run's is alive. `first`: done when no other look is under way. */
  check(
    { alone = false, first = () => {} }: { alone?: boolean; first?: () => void } = {},
  ): Promise<readonly string[]> {
    // The end of the run may not wait for the step under way, and looks for itself.
    const said = this.#under_way.then(() => (first(), this.#check(alone)));
    this.#under_way = said.catch(() => {});
    return said;
  }

  async #check(alone: boolean): Promise<readonly string[]> {
    const done = new Map<string, Change>();
    for (let round = 0; round < ROUNDS; round++) {
      const { scope } = this;
      const changes = await this.#round();
      for (const change of changes) done.set(change.path, change);
      if (changes.length === 0 && scope === this.scope) break;
    }
    const are_others = (git_dir: string) => this.#judge.has_other_trees(git_dir);
    await this.#links.compare_trees(are_others, { alone });
    this.#warnings.push(...this.#links.unwatched());
    if (this.#sights?.has_more_repositories) {
      this.#note(
        `this workspace has more than ${MOST_REPOSITORIES} repositories, and hamr watches no more: ` +
          "look at what the others run (`config` and `hooks` in each `.git`) before you use git there",
      );
    }
    if (done.size === 0) return [];
    const { warnings, violation } = put_back_words([...done.values()], this.policy);
    this.#warnings.push(...warnings);
    this.#violation ??= violation;
    return violation === null ? warnings : [...warnings, violation];
  }

  /** What there is to say, once. A violation stays. */
  take(): Notes {
    return { warnings: this.#warnings.splice(0), violation: this.#violation };
  }

  async #round(): Promise<Change[]> {
    const look = this.#look(
      this.#within === null ? { oldest: this.#first } : { ...ALL, named: -Infinity },
    );
    const now = look.found;
    this.#violation ??= this.#shared.separate(look.shared.values());
    const { removed, unwatched } = this.#nameless.check(look.nameless);
    if (unwatched.length > 0) this.#note(unwatched_line(unwatched));
    if (same_things(now, this.#last)) return [...removed];
    const after = new Map(now);
    const changes: Change[] = [...removed];
    const closed: string[] = [];
    for (const full of [...new Set([...this.#things.keys(), ...now.keys()])].sort()) {
      // What was in a thing that is gone, or was put back, is not looked at again in this round.
      if (closed.some((folder) => full.startsWith(folder))) {
        after.delete(full);
        continue;
      }
      const verdict = await this.#judge.judge(full, {
        known: this.#things.get(full),
        found: now.get(full),
        last: this.#last.get(full),
        look,
      });
      const found = now.get(full);
      if (this.#doubtful.delete(full) && found !== undefined) {
        this.#things.set(full, found);
        const name = workspace_path(full, this.policy.workspace);
        if (verdict.kind === "back") this.#note(`${name} ${COMES_INTO_SIGHT}`);
        continue;
      }
      if (verdict.kind === "fine") continue;
      if (verdict.kind === "gone" || verdict.thing?.kind !== "folder") closed.push(`${full}/`);
      if (verdict.kind === "gone") continue;
      const { thing, keys = [] } = verdict;
      const role = (now.get(full) ?? this.#things.get(full))?.role ?? "whole";
      const is_mode = role !== "closed" && thing?.kind === "folder" &&
        now.get(full)?.thing.kind === "folder";
      const failure = this.#put(full, thing);
      changes.push({ path: full, role, keys, failure, is_mode });
      if (thing === null) after.delete(full);
      else after.set(full, { role, thing });
      if (thing?.kind === "folder" && this.#is_closed(full)) closed.push(`${full}/`);
    }
    this.#last = after;
    return changes;
  }

  #scan(known: Baseline["things"] | null): WorkspaceScan {
    return new WorkspaceScan(this.scope, { lens: this.#lens, known, policy: this.policy });
  }

  /** Also into what git enters by itself from there. */
  #look(belief: Belief): WorkspaceScan {
    for (;;) {
      const look = this.#scan(this.#things);
      const more = repositories_beyond(this.scope, {
        look,
        links: this.#links,
        policy: this.policy,
      })
        .filter((dotgit) => this.#within === null || is_inside(dotgit, this.#within));
      if (more.length === 0) return look;
      this.#widen({ dotgits: more, git_dirs: [] }, belief);
    }
  }

  /** Says so: what is in it was not known at the start either. */
  #is_closed(folder: string): boolean {
    const [closed, name] = [is_closed(folder), workspace_path(folder, this.policy.workspace)];
    if (closed) {
      this.#note(`${name} is closed, as it was: look at what is in it before you open it`);
    }
    return closed;
  }

  #note(text: string): void {
    const line = in_a_line(text, LINE_CHARS);
    if (!this.#noted.has(line)) this.#warnings.push(line);
    this.#noted.add(line);
  }

  /** Why it could not be done; null if it was. */
  #put(full: string, thing: Thing | null): string | null {
    try {
      // It may be the user's, of before the run or since one that was cut off: what is put back stays to be seen.
      const { spill } = this.policy;
      const is_older = path_changed_at(full) < this.#began;
      const copy = keep_copy(full, { thing: this.#lens.thing(full), spill });
      put_back(full, thing);
      if (is_older && copy !== null) {
        this.#note(`some of what was put back is older than this run: it is kept in ${spill}`);
      }
      return null;
    } catch (error) {
      return thing?.kind === "file" ? this.#taken_away(full, thing, error) : message_of(error);
    }
  }

  /** Commands can fill a disk: then what was planted goes all the same, which also makes room for the next round. */
  #taken_away(full: string, thing: Thing, error: unknown): string {
    const why = message_of(error);
    attempt(() => put_back(full, null));
    if (exists(full)) return why;
    const copy = keep_copy(`${full}.before`, { thing, spill: this.policy.spill });
    return `${why}; it was taken away${copy === null ? "" : `, and is kept in ${copy}`}`;
  }
}

/** Reflogs and packed refs are smaller. */
const MOST_BYTES = 64 * 1024 * 1024;

/** Hard links: a file of git's with another name, such as `.envrc`, would change with that. It gets a copy of its own, unless it was so before the run. */
class SharedFiles {
  #before: ReadonlyMap<string, number> = new Map();

  know(files: Iterable<SharedFile>): void {
    this.#before = new Map([...files].map(({ path, inode }) => [path, inode]));
  }

  /** Gives all others a file of their own; says which could not be, null if none. */
  separate(files: Iterable<SharedFile>): string | null {
    for (const { path, inode } of files) {
      if (this.#before.get(path) === inode) continue;
      try {
        put_back(path, file_at(path, MOST_BYTES));
      } catch (error) {
        return `${path} has another name by now (a hard link), and what is written there ` +
          `later is written here: ${message_of(error)}`;
      }
    }
    return null;
  }
}
