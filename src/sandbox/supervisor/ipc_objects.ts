/** System V objects (shared memory, semaphores, message queues), created here for programs so that none outlives the run. */
import { errno_of } from "../kernel/errno.ts";
import type { Libc } from "../kernel/libc.ts";
import type { Syscall } from "../kernel/syscalls.ts";
import { answer_notification, is_syscall, is_waiting, type Notification } from "./notification.ts";

const IPC_CREAT = 0o1000, IPC_EXCL = 0o2000, IPC_RMID = 0; // linux/ipc.h

/** Which argument holds the flags, and how an object is removed. */
interface Kind {
  readonly flags_at: number;
  remove(libc: Libc, id: number): void;
}

const KINDS: readonly (readonly [make: Syscall, kind: Kind])[] = [
  ["shmget", { flags_at: 2, remove: (libc, id) => void libc.call("shmctl", [id, IPC_RMID, 0]) }],
  ["semget", { flags_at: 2, remove: (libc, id) => void libc.call("semctl", [id, 0, IPC_RMID]) }],
  ["msgget", { flags_at: 1, remove: (libc, id) => void libc.call("msgctl", [id, IPC_RMID, 0]) }],
];

export class IpcObjects {
  readonly #made: (readonly [kind: Kind, id: number])[] = [];

  constructor(private readonly libc: Libc) {}

  makes(asked: Notification): boolean {
    return this.#made_by(asked) !== undefined;
  }

  #made_by(asked: Notification): (typeof KINDS)[number] | undefined {
    return KINDS.find(([name]) => is_syscall(this.libc, asked, name));
  }

  /** Makes one for the program: an error number, or null if the call is answered. */
  answer(asked: Notification, listener: number): number | null {
    const of = this.#made_by(asked);
    if (of === undefined) return errno_of("EPERM");
    const [name, kind] = of;
    const { libc } = this;
    const { id } = asked;
    if (!is_waiting(libc, listener, id)) return errno_of("EPERM");
    const args = asked.args.slice(0, kind.flags_at + 1)
      .map((word, at) => at === kind.flags_at ? word | BigInt(IPC_CREAT | IPC_EXCL) : word);
    const value = libc.call(name, args);
    if (value >= 0) {
      // A call that a signal has cut off is made again.
      if (answer_notification(libc, listener, { id, errno: 0, value })) {
        this.#made.push([kind, value]);
      } else kind.remove(libc, value);
      return null;
    }
    if (libc.errno() !== errno_of("EEXIST")) return libc.errno();
    // The kernel says whether this program may have it.
    answer_notification(libc, listener, { id, errno: 0, go_on: true });
    return null;
  }

  /** Nobody is left who could use them. What a program has removed is not there, and its number is no other's for long. */
  remove(): void {
    for (const [kind, id] of this.#made.splice(0)) kind.remove(this.libc, id);
  }
}
