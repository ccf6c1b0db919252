/** Files that tools wrote where no look sees them, such as ignored ones: what a command makes of one is a change, too. */
import { look as stat_of } from "../permission/paths.ts";
import type { Policy } from "../sandbox/policy.ts";
import { type FileState, same_state } from "../store/file_state.ts";
import type { Folders } from "./folders.ts";
import { full_path } from "./names.ts";
import type { Root } from "./roots.ts";
import { content_of } from "./state.ts";

/** Remembers them. */
export class Followed {
  /** Written since a look was asked for them. */
  readonly #written = new Set<string>();
  /** As they were when the last command began. */
  readonly #then = new Map<string, FileState | null>();

  constructor(
    private readonly by: {
      readonly policy: Policy;
      readonly raw: Folders;
      /** Keeps a content; gives its hash. */
      readonly keep: (bytes: Uint8Array) => Promise<string | null>;
    },
  ) {}

  /** A tool has written it. */
  add(path: string): void {
    this.#written.add(path);
  }

  /** A command is about to run, and `roots` were looked at. */
  async begin(roots: readonly Root[]): Promise<void> {
    for (const path of this.#written) {
      const is_seen = roots.some(({ look, prefix }) =>
        path.startsWith(prefix) &&
        look.tree.place(path.slice(prefix.length), { places: new Map() }) !== null
      );
      if (!is_seen) this.#then.set(path, null);
    }
    this.#written.clear();
    for (const path of this.#then.keys()) this.#then.set(path, await this.#state(path));
  }

  /** What the command made others, except for those that a look has found to be `seen`. */
  async changed(seen: ReadonlySet<string>) {
    const steps = [];
    for (const [path, before] of this.#then) {
      if (seen.has(path)) continue;
      const after = await this.#state(path);
      const is_known = before?.hash !== null && after?.hash !== null;
      if (is_known && !same_state(before, after)) steps.push({ path, before, after });
    }
    return steps;
  }

  async #state(path: string): Promise<FileState | null> {
    const full = full_path(this.by.policy, path);
    const stat = stat_of(full);
    if (stat === null) return null;
    const bytes = content_of(this.by.raw, full);
    return { mode: stat.mode ?? 0, hash: bytes && await this.by.keep(bytes) };
  }
}
