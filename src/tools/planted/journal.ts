/**
 * What a run found at its start, kept where its commands cannot reach, so that the next run can put it back should this one be
 * killed. On the main thread: the file is opened while that may still write, and is written to later.
 */
import { is_inside } from "../../config/paths.ts";
import { c_string, type Libc, linux_libc } from "../../sandbox/libc.ts";
import { own_writable, type Policy } from "../../sandbox/policy.ts";
import { look_at } from "../../sandbox/process_tree.ts";
import { decode, encode, type Read, type Writer } from "./journal_format.ts";
import type { Saved } from "./saved.ts";

const ENDING = ".journal";
/** Hooks and settings of a few hundred repositories; a larger file is not one of ours. */
const MOST_BYTES = 64 * 1024 * 1024;

// asm-generic/fcntl.h
const AT_FDCWD = -100;
const O_RDWR = 2, O_CLOEXEC = 0x80000;
const LOCK_EX = 2, LOCK_NB = 4;
const EWOULDBLOCK = 11;

/** Another run's journal. */
interface Other {
  readonly path: string;
  readonly file: Deno.FsFile;
  /** Ours: whoever wrote it is gone, and no third run deals with it, too. Unknown: the system has no such locks. */
  readonly lock: "ours" | "theirs" | "unknown";
  release(): void;
}

/** The journal of this run, and what those of others say. */
export class Journal {
  /** Of runs in this workspace that were cut off. */
  readonly stale: readonly Saved[];
  /** Of a run in this workspace that is still alive; the oldest of them. */
  readonly live: Saved | null;
  readonly #dealt_with: readonly Other[];
  readonly #libc: Libc | null;
  readonly #writer: Writer;
  #written = false;

  private constructor(
    private readonly own: { readonly path: string; readonly file: Deno.FsFile },
    from: {
      readonly libc: Libc | null;
      readonly others: readonly Other[];
      readonly writer: Writer;
    },
    warn: (message: string) => void,
  ) {
    this.#libc = from.libc;
    this.#writer = from.writer;
    const stale: Saved[] = [], live: Read[] = [], dealt_with: Other[] = [];
    for (const other of from.others) {
      const read = read_journal(other);
      const ours = typeof read === "object" && is_about(read.writer, from.writer);
      if (is_alive(other, { read, libc: from.libc })) {
        if (ours) live.push(read);
        other.release();
      } else if (typeof read === "object" && !ours && is_there(read.writer)) {
        other.release();
      } else {
        dealt_with.push(other);
        if (ours) stale.push(read.saved);
        if (read === "broken") {
          warn(`${other.path} cannot be read: what a run that was cut off changed is not put back`);
        }
      }
    }
    this.stale = stale;
    this.live = live.sort((a, b) => a.written - b.written)[0]?.saved ?? null;
    this.#dealt_with = dealt_with;
  }

  /** Null where there is no place that commands cannot reach, or where nothing can be planted or put back: the run only reads. */
  static open(
    policy: Policy,
    options: { readonly data_dir: string | null; readonly warn: (message: string) => void },
  ): Journal | null {
    const { data_dir, warn } = options;
    if (data_dir === null || policy.read_only) return null;
    const folder = `${data_dir}/journal`;
    const reach = [...own_writable(policy), ...(policy.write === "all" ? [] : policy.write)];
    try {
      Deno.mkdirSync(folder, { recursive: true, mode: 0o700 });
      if (reach.some((path) => is_inside(Deno.realPathSync(folder), path))) return null;
      const libc = linux_libc();
      const others = [...Deno.readDirSync(folder)].filter(({ name }) => name.endsWith(ENDING))
        .map(({ name }) => other_at(`${folder}/${name}`, libc)).filter((other) => other !== null);
      const writer: Writer = {
        pid: Deno.pid,
        started: libc === null ? null : look_at(libc, Deno.pid)?.started ?? null,
        workspace: policy.workspace,
        inode: Deno.statSync(policy.workspace).ino,
      };
      return new Journal(make(folder, libc), { libc, others, writer }, warn);
    } catch {
      return null; // The folder cannot be written.
    }
  }

  /** Writes down what was found at the start, all before any command runs. Throws where the disk has no room. */
  begin(saved: Saved): void {
    this.#written = true;
    for (const piece of encode(this.#writer, saved)) {
      for (let at = 0; at < piece.length;) at += this.own.file.writeSync(piece.subarray(at));
    }
  }

  /** What the stale journals said was put back. */
  restored(): void {
    for (const { path, file } of this.#dealt_with) this.#remove(path, file);
  }

  /** The run has ended. `clean`: everything is as it was, and nothing is left for the next one to do. */
  end({ clean }: { readonly clean: boolean }): void {
    if (clean || !this.#written) this.#remove(this.own.path, this.own.file);
  }

  /** By then this thread may write only to files that are open already, and call the C library. */
  #remove(path: string, file: Deno.FsFile): void {
    try {
      file.truncateSync(0);
      this.#libc?.call("unlinkat", [AT_FDCWD, c_string(path), 0]);
      file.close();
    } catch {
      // Left behind empty; the next run takes it away.
    }
  }
}

/** It gets its name once it is locked, so that nobody takes it for one that was left behind. */
function make(
  folder: string,
  libc: Libc | null,
): { readonly path: string; readonly file: Deno.FsFile } {
  const name = `${folder}/${crypto.randomUUID()}`;
  const file = Deno.openSync(name, { write: true, createNew: true, mode: 0o600 });
  if (libc !== null) take_lock(name, libc);
  Deno.renameSync(name, name + ENDING);
  return { path: name + ENDING, file };
}

/** Null where it is gone by now, or cannot be opened. */
function other_at(path: string, libc: Libc | null): Other | null {
  try {
    if (!Deno.lstatSync(path).isFile) return null;
    const file = Deno.openSync(path, { read: true, write: true });
    const { lock, fd } = libc === null
      ? { lock: "unknown" as const, fd: -1 }
      : take_lock(path, libc);
    return {
      path,
      file,
      lock,
      release() {
        file.close();
        if (fd >= 0) libc?.call("close", [fd]);
      },
    };
  } catch {
    return null;
  }
}

/** Takes a file's lock until this process ends, however it ends: programs that it starts do not inherit it. */
function take_lock(
  path: string,
  libc: Libc,
): { readonly lock: Other["lock"]; readonly fd: number } {
  const fd = libc.call("openat", [AT_FDCWD, c_string(path), O_RDWR | O_CLOEXEC]);
  if (fd < 0) return { lock: "unknown", fd };
  if (libc.call("flock", [fd, LOCK_EX | LOCK_NB]) === 0) return { lock: "ours", fd };
  const lock = libc.errno() === EWOULDBLOCK ? "theirs" : "unknown";
  libc.call("close", [fd]);
  return { lock, fd: -1 };
}

function read_journal({ file }: Other): Read | "empty" | "broken" {
  const { size } = file.statSync();
  if (size === 0) return "empty";
  if (size > MOST_BYTES) return "broken";
  const bytes = new Uint8Array(size);
  let at = 0;
  for (let got; at < size && (got = file.readSync(bytes.subarray(at))) !== null;) at += got;
  return decode(bytes.subarray(0, at)) ?? "broken";
}

/** A folder that was made anew under the same name is another one. */
function is_about(writer: Writer, own: Writer): boolean {
  return writer.workspace === own.workspace && writer.inode === own.inode;
}

/** Whether the workspace of another run still is what it was. */
function is_there({ workspace, inode }: Writer): boolean {
  try {
    return Deno.statSync(workspace).ino === inode;
  } catch {
    return false;
  }
}

function is_alive(
  { lock }: Other,
  { read, libc }: { readonly read: Read | "empty" | "broken"; readonly libc: Libc | null },
): boolean {
  if (lock !== "unknown") return lock === "theirs";
  // Of a file that says nothing nobody knows whether it is about to be written.
  if (typeof read === "string") return true;
  const { pid, started } = read.writer;
  if (libc !== null) return look_at(libc, pid)?.started === started;
  return began_at(pid) <= read.written;
}

/** When a process began, in milliseconds since 1970; later than anything where there is none. macOS has no `/proc`. */
function began_at(pid: number): number {
  const { success, stdout } = new Deno.Command("/bin/ps", {
    args: ["-o", "lstart=", "-p", String(pid)],
    env: { LC_ALL: "C" },
    stdin: "null",
    stderr: "null",
  }).outputSync();
  return success ? Date.parse(new TextDecoder().decode(stdout).trim()) : Infinity;
}
