/** Files that tools wrote where no comparison sees them, such as ignored ones: what a command does to them is a change, too. */
import { lstat_or_null as stat_of } from "../permission/paths.ts";
import type { Policy } from "../sandbox/policy.ts";
import { type FileState, type FileStep, same_state } from "../store/file_state.ts";
import type { Folders } from "./folders.ts";
import { kept_while_same, type KnownThing } from "./known_looks.ts";
import { full_path } from "./file_names.ts";
import type { Root } from "./roots.ts";
import { content_now } from "./read_state.ts";

export class UnwatchedWrites {
  /** As they were when the last command began, or had ended. */
  readonly #then = new Map<string, FileState | null>();
  readonly #known = new Map<string, KnownThing<Promise<string | null>>>();

  constructor(
    private readonly by: {
      readonly policy: Policy;
      readonly raw: Folders;
      /** Keeps a content; gives its hash. */
      readonly keep: (bytes: Uint8Array) => Promise<string | null>;
    },
    /** What the session has written, by earlier runs, too. */
    private readonly written: Set<string>,
  ) {}

  add(path: string): void {
    this.written.add(path);
  }

  /** A command is about to run, and `roots` were looked at: how the files are, where that was not known. */
  async begin(roots: readonly Root[]): Promise<readonly FileStep[]> {
    const steps: FileStep[] = [];
    for (const path of this.written) {
      const is_seen = roots.some(({ look, prefix }) =>
        path.startsWith(prefix) &&
        look.tree.place(path.slice(prefix.length), { places: new Map() }) !== null
      );
      if (is_seen) {
        this.written.delete(path);
        this.#then.delete(path);
        continue;
      }
      const known = this.#then.get(path);
      const now = await this.#state(path);
      this.#then.set(path, now);
      const before = known === undefined ? now : known;
      if (known === undefined ? now !== null : !same_state(known, now)) {
        steps.push({ path, before, after: now });
      }
    }
    return steps;
  }

  /** What the command made others, except for those that a look has found to be `seen`. */
  async changed(seen: ReadonlySet<string>) {
    const steps = [];
    for (const [path, before] of this.#then) {
      if (seen.has(path)) continue;
      const after = await this.#state(path);
      const is_known = before?.hash !== null && after?.hash !== null;
      if (!is_known || same_state(before, after)) continue;
      steps.push({ path, before, after });
      this.#then.set(path, after);
    }
    return steps;
  }

  async #state(path: string): Promise<FileState | null> {
    const full = full_path(this.by.policy, path);
    const stat = stat_of(full);
    if (stat === null) return null;
    // Twice a command, up to 10 MB each: ten such files took 0.9 s.
    const take = async () => {
      const bytes = content_now(this.by.raw, full);
      return bytes && await this.by.keep(bytes);
    };
    return { mode: stat.mode ?? 0, hash: await kept_while_same(this.#known, { path, stat, take }) };
  }
}
