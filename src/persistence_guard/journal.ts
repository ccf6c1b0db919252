/** What a run found at its start, and its mark, out of reach of commands: after a kill the next run ends its processes and puts things back. */
import { at_end, attempt } from "../config/attempt.ts";
import { AT_FDCWD } from "../sandbox/kernel/fcntl.ts";
import { write_on } from "../permission/put_beside.ts";
import { type Libc, linux_libc } from "../sandbox/kernel/libc.ts";
import { is_in_reach, is_unwritable, type Policy } from "../sandbox/policy.ts";
import { read_process } from "../sandbox/processes/process_tree.ts";
import type { RunMark } from "../sandbox/processes/run_mark.ts";
import { encode_saved, encode_writer, type ReadJournal, type Writer } from "./journal_format.ts";
import { LeftRunning } from "./left_running.ts";
import {
  ENDING,
  found_beside,
  is_there,
  known_journals,
  type KnownJournal,
  type Other,
  take_lock,
  take_turn,
} from "./other_journals.ts";
import { type Baseline, split_by_reach } from "./saved.ts";

// asm-generic/fcntl.h

/** How long what a killed run found is kept for its workspace, if that is not there: a disk that is not mounted, another container. */
const KEEP_MS = 30 * 24 * 60 * 60 * 1000;

interface OwnJournal {
  readonly path: string;
  readonly file: Deno.FsFile;
  release(): void;
  /** Where what was found is written, behind whose it is. */
  readonly saved_at: number;
}

/** What is to become of another's journal, once what it says was put back. */
interface DealtWith {
  readonly other: Other;
  /** This many bytes stay. */
  readonly keep: number;
  /** What was found where this run does not reach, to stay behind them. */
  readonly rest: Baseline | null;
}

export class Journal {
  /** Of runs that were cut off, in this workspace or where it reaches: in another worktree, in a folder around it or below. */
  readonly stale: readonly Baseline[];
  /** Of runs that are still alive, as they were when this one began; the oldest last. */
  readonly #live: readonly Baseline[];
  /** How many processes of runs that were killed could not be ended. */
  readonly survivors: number;
  readonly #dealt_with: readonly DealtWith[];
  readonly #libc: Libc | null;
  #written = false;
  #is_restored = false;

  private constructor(
    private readonly own: OwnJournal,
    from: {
      readonly libc: Libc | null;
      readonly others: readonly KnownJournal[];
      readonly mark: RunMark | null;
      readonly policy: Policy;
    },
    warn: (message: string) => void,
  ) {
    this.#libc = from.libc;
    const stale: Baseline[] = [], live: ReadJournal[] = [];
    const dealt_with: DealtWith[] = [];
    const left = new LeftRunning(from.libc, from.mark);
    for (const { other, read, is_alive, is_ours } of from.others) {
      if (is_alive) {
        if (typeof read === "object") live.push(read);
        other.release();
        continue;
      }
      const saved = typeof read === "object" ? read.saved : read;
      const { within, beyond } = typeof saved === "object"
        ? split_by_reach(saved, from.policy)
        : { within: null, beyond: null };
      const reaches = is_ours || (within?.things.size ?? 0) > 0;
      if (typeof read === "object" && !reaches && is_there(read.writer)) {
        other.release();
        continue;
      }
      const is_over = typeof read !== "object" || left.end(read.writer.mark, { is_ours: reaches });
      if (typeof saved === "object") {
        stale.push(...is_ours ? [saved] : reaches && within ? [within] : []);
      }
      // What is named is named where that run was.
      const rest = is_ours && beyond !== null ? { ...beyond, named: undefined } : beyond;
      const is_kept = typeof read === "object" && rest !== null &&
        (rest.things.size > 0 || rest.named !== undefined) && Date.now() - read.written < KEEP_MS;
      if (is_kept && !reaches) other.release();
      else {
        const keep = typeof read === "object" && (is_kept || !is_over) ? read.saved_at : 0;
        dealt_with.push({ other, keep, rest: is_kept ? rest : null });
      }
      if (saved === "broken") {
        warn(`${other.path} cannot be read: what a run that was cut off changed is not put back`);
      }
    }
    for (const line of left.notes()) warn(line);
    this.survivors = left.survivors;
    this.stale = stale;
    this.#live = live.sort((a, b) => b.written - a.written).map(({ saved }) => saved)
      .filter((saved) => typeof saved === "object");
    this.#dealt_with = dealt_with;
  }

  /** Null if there is no place that commands cannot reach, or where nothing can be planted or put back: the run only reads. */
  static open(policy: Policy, options: {
    readonly data_dir: string | null;
    readonly warn: (message: string) => void;
    /** What the processes of this run carry; null if they carry nothing. */
    readonly mark: RunMark | null;
  }): Journal | null {
    const { data_dir, warn, mark } = options;
    if (data_dir === null || is_unwritable(policy)) return null;
    const folder = `${data_dir}/journal`;
    try {
      Deno.mkdirSync(folder, { recursive: true, mode: 0o700 });
      const named = policy.write === "all" ? [] : policy.write;
      if (is_in_reach({ ...policy, write: named }, Deno.realPathSync(folder))) return null;
      const libc = linux_libc();
      const writer: Writer = {
        pid: Deno.pid,
        started: libc === null ? null : read_process(libc, Deno.pid)?.started ?? null,
        workspace: policy.workspace,
        inode: Deno.statSync(policy.workspace).ino,
        mark,
      };
      const end_turn = take_turn(folder, libc);
      using _ = at_end(end_turn);
      const others = known_journals(folder, { libc, site: writer });
      return new Journal(make(folder, { libc, writer }), { libc, others, mark, policy }, warn);
    } catch {
      return null; // The folder cannot be written.
    }
  }

  /** What living runs found at their start, the oldest last. Asked whenever this run has looked at more, as they may have planted it. */
  beside(): readonly Baseline[] {
    if (this.#libc === null) return this.#live;
    const { path } = this.own;
    const folder = path.slice(0, path.lastIndexOf("/"));
    try {
      const known = [path, ...this.#dealt_with.map(({ other }) => other.path)];
      return found_beside({ except: known, folder, libc: this.#libc });
    } catch {
      return this.#live;
    }
  }

  /** Replaces what is written down by what was found, before any command runs; null: nothing is to be put back. Throws if the disk is full. */
  begin(saved: Baseline | null): void {
    const { file, saved_at } = this.own;
    this.#written = true;
    write_saved(file, saved_at, saved);
  }

  /** What the stale journals said was put back. Counts once. */
  restored(): void {
    if (this.#is_restored) return;
    this.#is_restored = true;
    for (const { other, keep, rest } of this.#dealt_with) {
      if (keep === 0) this.#remove(other);
      else write_saved(other.file, keep, rest);
      other.release();
    }
  }

  /** The run has ended. `clean`: everything is as it was, and nothing is left for the next one to do. */
  end({ clean }: { clean: boolean }): void {
    if (clean || !this.#written) this.#remove(this.own);
    this.own.release();
    if (!this.#is_restored) { for (const { other } of this.#dealt_with) other.release(); }
  }

  /** This thread may now write only to files that are open already, and call the C library. */
  #remove({ path, file }: Pick<OwnJournal, "path" | "file">): void {
    // Left behind empty; the next run takes it away.
    attempt(() => {
      file.truncateSync(0);
      this.#libc?.call("unlinkat", [AT_FDCWD, path, 0]);
    });
  }
}

/** It gets its name once it is locked and says whose it is, so that nobody takes it for one that was left behind. */
function make(folder: string, { libc, writer }: { libc: Libc | null; writer: Writer }): OwnJournal {
  const name = `${folder}/${crypto.randomUUID()}`, path = name + ENDING;
  const head = encode_writer(writer);
  const begin = (name: string) => {
    const file = Deno.openSync(name, { write: true, createNew: true, mode: 0o600 });
    const lock = libc === null ? -1 : take_lock(name, libc).fd;
    write_on(file, head);
    const release = () => {
      file.close();
      if (lock >= 0) libc?.call("close", [lock]);
    };
    return { path, file, release, saved_at: head.length };
  };
  const own = begin(name);
  try {
    Deno.renameSync(name, path);
    return own;
  } catch {
    // Not every file system can do that (some of containers, of clouds): then it is this run's turn alone that keeps others away.
    own.release();
    Deno.removeSync(name);
    return begin(path);
  }
}

function write_saved(file: Deno.FsFile, at: number, saved: Baseline | null): void {
  file.truncateSync(at);
  file.seekSync(at, Deno.SeekMode.Start);
  if (saved !== null) write_on(file, encode_saved(saved));
}
