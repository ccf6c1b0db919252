/** Sockets made by the supervisor where pidfd_getfd is forbidden (Docker's default). It keeps a copy of each until it is used. */
import type { Libc } from "../kernel/libc.ts";
import { link_of, list_ids } from "../kernel/proc_fs.ts";
import { link_of_theirs } from "./other_process.ts";
import { scan_below } from "../processes/process_tree.ts";

const F_DUPFD_CLOEXEC = 1030; // linux/fcntl.h
/** Kept at most. A program that has more of them neither connected nor listening gets EMFILE. */
const MOST_KEPT = 256;

interface SocketCopy {
  /** Negative where there was no room for it. */
  readonly fd: number;
  /** The program has what it wanted, and shall be the only one to have the socket: its `close` is to end the connection. */
  let_go(): void;
}

export class GivenSockets {
  /** By their names in /proc, `socket:[NUMBER]`. */
  readonly #kept = new Map<string, number>();

  constructor(private readonly libc: Libc, private readonly close: (fd: number) => void) {}

  has_room(): boolean {
    if (this.#kept.size >= MOST_KEPT) this.forget_closed();
    return this.#kept.size < MOST_KEPT;
  }

  keep(fd: number): void {
    const name = link_of(this.libc, `/proc/self/fd/${fd}`);
    if (name === null) this.close(fd);
    else this.#kept.set(name, fd);
  }

  /** A copy of a thread's socket; null where none is kept: it is connected, or listens. */
  take(tid: number, fd: bigint): SocketCopy | null {
    const name = link_of_theirs(this.libc, tid, fd) ?? "";
    const kept = this.#kept.get(name);
    if (kept === undefined) return null;
    const copy = this.libc.call("fcntl", [kept, F_DUPFD_CLOEXEC, 0]);
    return { fd: copy, let_go: () => this.#drop(name) };
  }

  /** Closes those that no program has any more: a port would stay taken. */
  forget_closed(): void {
    if (this.#kept.size === 0) return;
    const { libc } = this;
    const open = new Set(
      scan_below(libc, Deno.pid).flatMap(({ pid }) =>
        list_ids(libc, `/proc/${pid}/fd`).map((fd) => link_of(libc, `/proc/${pid}/fd/${fd}`))
      ),
    );
    for (const name of this.#kept.keys()) if (!open.has(name)) this.#drop(name);
  }

  #drop(name: string): void {
    const fd = this.#kept.get(name);
    this.#kept.delete(name);
    if (fd !== undefined) this.close(fd);
  }
}
