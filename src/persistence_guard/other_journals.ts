/** The journals of other runs: whose they are, whether those runs are alive, and what they have left running. */
import { at_end, attempt } from "../config/attempt.ts";
import { AT_FDCWD, O_CLOEXEC, O_RDWR } from "../sandbox/kernel/fcntl.ts";
import { stat_or_null } from "../permission/paths.ts";
import { type Libc, linux_libc } from "../sandbox/kernel/libc.ts";
import { read_process } from "../sandbox/processes/process_tree.ts";
import { decode_journal, type ReadJournal, type Writer } from "./journal_format.ts";
import { LeftRunning } from "./left_running.ts";
import type { Baseline } from "./saved.ts";
import { sleep_sync } from "../config/within.ts";

export const ENDING = ".journal";
/** Hooks and settings of a few hundred repositories; a larger file is not one of ours. */
const MOST_BYTES = 64 * 1024 * 1024;

const LOCK_EX = 2, LOCK_NB = 4;
const EWOULDBLOCK = 11;
/** Longer than another run needs to end what was left of one that was killed. */
const TURN_MS = 6000;
const PAUSE_MS = 20;

export interface Other {
  readonly path: string;
  readonly file: Deno.FsFile;
  /** Ours: whoever wrote it is gone, and no third run deals with it, too. Unknown: the system has no such locks. */
  readonly lock: "ours" | "theirs" | "unknown";
  release(): void;
}

type Site = Pick<Writer, "workspace" | "inode">;

export interface KnownJournal {
  readonly other: Other;
  readonly read: ReadJournal | "empty" | "broken";
  readonly is_alive: boolean;
  /** It is about this workspace. */
  readonly is_ours: boolean;
}

/** Throws if the folder cannot be read. */
export function known_journals(
  folder: string,
  { libc, site }: { libc: Libc | null; site: Site },
): readonly KnownJournal[] {
  return [...Deno.readDirSync(folder)].filter(({ name }) => name.endsWith(ENDING))
    .map(({ name }) => other_at(`${folder}/${name}`, libc)).filter((other) => other !== null)
    .map((other) => {
      const read = read_journal(other.file);
      // A folder that was made again under the same name is another one.
      const is_ours = typeof read === "object" && read.writer.workspace === site.workspace &&
        read.writer.inode === site.inode;
      return { other, read, is_alive: is_alive(other, { read, libc }), is_ours };
    });
}

/** Ends what killed runs have left running in this workspace, before all else. Files are left to who opens a {@link Journal}. Returns what to say. */
export function end_killed_runs(
  { data_dir, workspace }: { data_dir: string; workspace: string },
): readonly string[] {
  const libc = linux_libc();
  const folder = `${data_dir}/journal`;
  const left = new LeftRunning(libc, null);
  // No folder, or no workspace: nothing was left in it.
  attempt(() => {
    const site = { workspace, inode: Deno.statSync(workspace).ino };
    const end_turn = take_turn(folder, libc);
    using _ = at_end(end_turn);
    for (const { other, read, is_alive, is_ours } of known_journals(folder, { libc, site })) {
      if (!is_alive && is_ours && typeof read === "object") left.end(read.writer.mark);
      other.release();
    }
  });
  return left.ended;
}

/** What other runs that are alive found at their start, the oldest last, in any workspace. Throws if the folder can't be read. */
export function found_beside(
  { except, folder, libc }: { except: readonly string[]; folder: string; libc: Libc },
): readonly Baseline[] {
  const end_turn = take_turn(folder, libc);
  using _ = at_end(end_turn);
  return [...Deno.readDirSync(folder)].map(({ name }) => `${folder}/${name}`)
    .filter((other) => other.endsWith(ENDING) && !except.includes(other))
    .map((other) => read_if_alive(other, libc)).filter((read) => read !== null)
    .sort((a, b) => b.written - a.written)
    .map(({ saved }) => saved).filter((saved) => typeof saved === "object");
}

function read_if_alive(path: string, libc: Libc): ReadJournal | null {
  const { lock, fd } = take_lock(path, libc);
  try {
    if (!Deno.lstatSync(path).isFile) return null;
    using file = Deno.openSync(path);
    const read = read_journal(file);
    return typeof read === "object" && is_alive({ lock }, { read, libc }) ? read : null;
  } catch {
    return null; // It is gone by now.
  } finally {
    if (fd >= 0) libc.call("close", [fd]);
  }
}

/** Runs look at leftovers one at a time: the second finds them done, not a journal in use. Returns what ends the turn. */
export function take_turn(folder: string, libc: Libc | null): () => void {
  const fd = libc?.call("openat", [AT_FDCWD, folder, O_CLOEXEC]) ?? -1;
  if (libc === null || fd < 0) return () => {};
  const until = performance.now() + TURN_MS;
  while (libc.call("flock", [fd, LOCK_EX | LOCK_NB]) !== 0) {
    // No such locks on this file system, or whoever has it was stopped.
    if (libc.errno() !== EWOULDBLOCK || performance.now() > until) break;
    sleep_sync(PAUSE_MS);
  }
  return () => libc.call("close", [fd]);
}

/** Null if it is gone by now, or cannot be opened. */
function other_at(path: string, libc: Libc | null): Other | null {
  return attempt(() => {
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
  }, null);
}

/** Takes a file's lock until this process ends, however it ends: programs that it starts do not inherit it. */
export function take_lock(
  path: string,
  libc: Libc,
): { readonly lock: Other["lock"]; readonly fd: number } {
  const fd = libc.call("openat", [AT_FDCWD, path, O_RDWR | O_CLOEXEC]);
  if (fd < 0) return { lock: "unknown", fd };
  if (libc.call("flock", [fd, LOCK_EX | LOCK_NB]) === 0) return { lock: "ours", fd };
  const lock = libc.errno() === EWOULDBLOCK ? "theirs" : "unknown";
  libc.call("close", [fd]);
  return { lock, fd: -1 };
}

function read_journal(file: Deno.FsFile): ReadJournal | "empty" | "broken" {
  const { size } = file.statSync();
  if (size === 0) return "empty";
  if (size > MOST_BYTES) return "broken";
  const bytes = new Uint8Array(size);
  let at = 0;
  for (let got; at < size && (got = file.readSync(bytes.subarray(at))) !== null;) at += got;
  return decode_journal(bytes.subarray(0, at)) ?? "broken";
}

export function is_there({ workspace, inode }: Writer): boolean {
  return stat_or_null(workspace)?.ino === inode;
}

function is_alive(
  { lock }: Pick<Other, "lock">,
  { read, libc }: { read: ReadJournal | "empty" | "broken"; libc: Libc | null },
): boolean {
  if (lock !== "unknown") return lock === "theirs";
  // An empty file may be about to be written: nobody knows.
  if (typeof read === "string") return true;
  const { pid, started } = read.writer;
  if (libc !== null) return read_process(libc, pid)?.started === started;
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
