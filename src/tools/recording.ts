/**
 * Has the main thread write down how the workspace was and what each step changes. Loaded by the tools worker where the run is
 * saved.
 */
import { new_content, type NewContent } from "../store/content.ts";
import { type FileState, type FileStep, same_state, SOMETHING } from "../store/file_state.ts";
import type { RecordAnswer, RecordRequest } from "../store/recorder.ts";
import type { Policy } from "../sandbox/policy.ts";
import { Baseline } from "./baseline.ts";
import { hash } from "./files.ts";
import { GitIndex } from "./git_index.ts";
import { content_of, KEEP_FILE_BYTES, looks_of } from "./snapshot.ts";
import type { Changed, Tracker } from "./tracker.ts";
import type { Version } from "./unified_diff.ts";

/** Sent at once; the next ones are read when these are stored. */
const BATCH_BYTES = 1024 * 1024;

/** Most files are no larger. */
const BUFFER_BYTES = 64 * 1024;

type Ask = (request: RecordRequest) => Promise<RecordAnswer>;

/** What one run has written down. */
export class Recording {
  /** Null once it is written down. */
  #baseline: Baseline | null;
  /** How each file was that has been told to have changed. */
  readonly #told = new Map<string, FileState | null>();
  #begun: Promise<void> | null = null;
  #is_begun = false;
  /** Something could not be written down: nothing is from then on. */
  #off = false;
  #batch: NewContent[] = [];
  #batch_bytes = 0;
  #files: FileStep[] = [];

  constructor(private readonly policy: Policy, private readonly ask: Ask) {
    this.#baseline = new Baseline(GitIndex.of(policy));
  }

  /** For the tracker, which takes the first contents. */
  get baseline(): Baseline | null {
    return this.#baseline;
  }

  /** Resolves when all of the start is on the disk, or nothing will be. The tracker has kept all it can. Never rejects. */
  begin(tracker: Tracker): Promise<void> {
    return this.#begun ??= this.#begin(tracker);
  }

  /** Takes note of what has become of a file since it was last told. */
  async saw({ path, full, before, after, hash }: Changed, tracker: Tracker): Promise<void> {
    if (this.#off) return;
    const now = after === null ? null : await this.#state(after, {
      hash,
      bytes: () => {
        const looks = looks_of(full);
        return looks === null ? null : content_of(full, looks);
      },
    });
    const then = this.#told.get(path) ?? null;
    this.#tell(path, this.#told.has(path) ? then : await this.#first(path, before, tracker), now);
  }

  /** The same of a file that nobody watches, as `edit` and `write` know it. Elsewhere only its name counts. */
  async wrote(path: string, before: Version | null, after: Version | null): Promise<void> {
    if (this.#off) return;
    if (path.startsWith("/")) return this.#note(path, before && SOMETHING, after && SOMETHING);
    const state = (version: Version) => this.#state(version, { hash: null, bytes: () => null });
    // Somebody else may have changed it since it was told.
    this.#note(path, before && await state(before), after && await state(after));
  }

  /** Writes down what has been seen since the last time, as the step's. `last`: the run has ended. */
  async end_step(step: number, last: boolean): Promise<void> {
    const files = this.#files.splice(0);
    if (this.#is_begun) {
      await this.#flush();
      if (files.length > 0 || last) await this.#send({ kind: "changes", step, files, last });
    } else if (last) {
      // Nothing was called that can change anything: nobody waits for the start to be written down.
      this.stop();
    }
  }

  /** Nothing is written down from here on: the run has ended. */
  stop(): void {
    this.#off = true;
  }

  async #begin(tracker: Tracker): Promise<void> {
    const baseline = this.#baseline as Baseline;
    const { copies } = baseline;
    const listing = baseline.listing(tracker.passed.empty);
    const { unknown } = await this.#send({
      kind: "unknown",
      hashes: [listing.hash, ...copies.keys()],
    });
    // One for all: thousands of them would be there until somebody collects them.
    const buffer = new Uint8Array(BUFFER_BYTES);
    for (const hash of unknown) {
      if (this.#off) return;
      const at = copies.get(hash);
      const bytes = at === undefined ? listing.bytes : tracker.contents.read(at, buffer);
      if (bytes === null) return void await this.#send({ kind: "lost" });
      await this.#add(hash, bytes);
    }
    await this.#flush();
    const { write: elsewhere } = this.policy;
    const row = { listing: listing.hash, overflow: tracker.overflow, elsewhere };
    this.#is_begun = (await this.#send({ kind: "baseline", row })).ok;
    this.#baseline = null;
  }

  /** A file's state; its content is stored, where there is not too much of it. */
  async #state(
    { mode, bytes: known }: Version,
    more: { readonly hash: string | null; readonly bytes: () => Uint8Array | null },
  ): Promise<FileState> {
    const bytes = known ?? more.bytes();
    if (bytes === null || bytes.length > KEEP_FILE_BYTES) return { mode, hash: more.hash };
    const own = hash(bytes);
    await this.#add(own, bytes);
    return { mode, hash: own };
  }

  /** How a file was at the start. Where not all are watched, one that comes into sight may always have been there. */
  async #first(
    path: string,
    before: Version | null,
    tracker: Tracker,
  ): Promise<FileState | null> {
    if (before === null) return tracker.overflow ? SOMETHING : null;
    return await this.#state({ mode: before.mode, bytes: null }, {
      hash: tracker.first_hash(path),
      bytes: () => tracker.first(path)?.bytes ?? null,
    });
  }

  #tell(path: string, before: FileState | null, after: FileState | null): void {
    this.#told.set(path, after);
    if (!same_state(before, after)) this.#files.push({ path, before, after });
  }

  #note(path: string, before: FileState | null, after: FileState | null): void {
    this.#files.push({ path, before, after, unwatched: true });
  }

  async #add(hash: string, bytes: Uint8Array): Promise<void> {
    if (this.#off) return;
    // Nobody shares memory here.
    const content = await new_content(hash, bytes as Uint8Array<ArrayBuffer>);
    this.#batch.push(content);
    this.#batch_bytes += content.body.length;
    if (this.#batch_bytes >= BATCH_BYTES) await this.#flush();
  }

  async #flush(): Promise<void> {
    const contents = this.#batch.splice(0);
    this.#batch_bytes = 0;
    if (contents.length > 0) await this.#send({ kind: "contents", contents });
  }

  async #send(request: RecordRequest): Promise<RecordAnswer> {
    if (this.#off) return { ok: false, unknown: [] };
    const answer = await this.ask(request);
    if (!answer.ok) this.#off = true;
    return answer;
  }
}
