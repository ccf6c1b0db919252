import { attempt } from "../../config/attempt.ts";
import { judge_connection, type WantedAddress } from "./connect.ts";
import { errno_of } from "../kernel/errno.ts";
import { O_NONBLOCK } from "../kernel/fcntl.ts";
import { type Libc, open_libc } from "../kernel/libc.ts";
import { link_of } from "../kernel/proc_fs.ts";
import { GivenSockets } from "./given_sockets.ts";
import { Listeners } from "./listeners.ts";
import {
  answer_notification,
  answer_with_file,
  is_syscall,
  is_waiting,
  type Notification,
  receive,
} from "./notification.ts";
import { duplicated_fd, memory_of, socket_fault } from "./other_process.ts";
import type { Policy } from "../policy.ts";
import type { FilterListener } from "../kernel/seccomp.ts";
import { parse_address, with_loopback } from "./socket_address.ts";
import {
  ADDRESS_BYTES,
  fd_flags,
  INT_BYTES,
  is_udp,
  keep_to_loopback,
  set_flags,
  set_number,
  SOCK_DGRAM,
  socket_error,
  socket_kind,
  type SocketKind,
} from "./socket_options.ts";
import type { Syscall } from "../kernel/syscalls.ts";
import {
  open_waiting,
  POLLHUP,
  POLLIN,
  POLLNVAL,
  POLLOUT,
  ready_now,
  type Waiting,
  type Watched,
} from "./waiting.ts";
import {
  is_inside_sandbox,
  may_trace,
  PRIORITY_CALLS,
  SIGNAL_CALLS,
  signal_fault,
} from "./priorities.ts";
import { change_owner_or_mode } from "./owner_and_mode.ts";
import { open_other_end } from "./terminals.ts";
import { IpcObjects } from "./ipc_objects.ts";
import { is_lookup, NO_LOOKUP } from "./lookups.ts";
import { open_mute_socket } from "./mute_socket.ts";

/** linux/net.h */
const SOCK_TYPE_MASK = 0xf, SOCK_CLOEXEC = 0x80000;

interface Pending {
  readonly id: bigint;
  /** Null: a unix server whose queue is full. The only way to learn that it has room is to try. */
  readonly watched: Watched | null;
  /** How it ended; null if it goes on. */
  look(): number | null;
  close(): void;
}

/** Without end, what connects to servers that take nobody could use up this process's files. Further programs get EAGAIN. */
const MOST_PENDING = 512;
/** A connection that takes long is looked at this often: whoever asked may be gone. */
const LOOK_MS = 100;
/** A server that takes nobody now is asked again after this. */
const RETRY_MS = 5;
/** After so much work the rest of the program gets its turn. */
const TURN_MS = 10;
/** Refusals kept until someone asks; more are repetitions. */
const MOST_REFUSALS = 16;
/** Nobody gets another file in a socket's place by accident; who tries it that often is after something. */
const MOST_SWAPPED = 16;

/**
 * Answers what the filter asks for everything inside the sandbox, on the main thread, which is not restricted. A `connect` or
 * `listen` is never let through: its address is copied, judged, and the call is made here, on a copy of the socket, with that copy of the
 * address; what another thread of the program does to its memory in the meantime changes nothing. Servers are held to this
 * machine's loopback device, unless every network is allowed.
 */
export class Supervisor {
  private readonly options: {
    readonly listener: number;
    readonly policy: Policy;
    readonly waiting: Waiting;
  };
  readonly #listeners: Listeners;
  readonly #ipc: IpcObjects;
  readonly #refusals = new Set<string>();
  /** Null where programs make their sockets themselves. */
  readonly #given: GivenSockets | null;
  #refused_lookup = false;
  #pending: Pending[] = [];
  #swapped = 0;

  constructor(
    private readonly libc: Libc,
    { listener, ...options }: { listener: FilterListener; policy: Policy; waiting: Waiting },
  ) {
    this.options = { ...options, listener: listener.fd };
    this.#listeners = new Listeners(libc);
    this.keep(options.policy.asked_ports);
    this.#ipc = new IpcObjects(libc);
    this.#given = listener.takes_sockets
      ? null
      : new GivenSockets(libc, (socket) => this.#close(socket));
  }

  /** Answers until nothing is left inside the sandbox. */
  async run(): Promise<void> {
    const { listener, waiting } = this.options;
    const asked: Watched = { fd: listener, for: "in" };
    for (;;) {
      const watched = this.#pending.flatMap(({ watched }) => watched ?? []);
      const [ready = 0] = await waiting.poll([asked, ...watched], this.#patience());
      // Not POLLERR: the listener says that where a signal comes while it looks.
      if ((ready & (POLLHUP | POLLNVAL)) !== 0) break;
      const end = performance.now() + TURN_MS;
      this.#look_after_pending(end);
      // At least one, however long the others took.
      do {
        if (ready_now(this.libc, asked) !== POLLIN) break;
        const notification = receive(this.libc, listener);
        if (notification !== null) this.#answer(notification);
      } while (performance.now() < end);
    }
    for (const pending of this.#pending) pending.close();
    this.#given?.forget_closed();
    this.#close(listener);
    waiting.close();
  }

  /** Ports where hamr asks: nobody takes one over whose server listens there by now. */
  keep(asked: readonly number[] = []): void {
    this.#listeners.keep(asked);
  }

  /** What was refused since this was last asked, a line each, with the flag that would allow it; `lookups`: those of names, too. */
  take_refusals(lookups = false): string[] {
    const refusals = [...this.#refusals, ...(lookups && this.#refused_lookup ? [NO_LOOKUP] : [])];
    this.#refusals.clear();
    this.#refused_lookup = false;
    return refusals;
  }

  /** When all that the run has started has ended: what it made that would stay. */
  clear(): void {
    this.#ipc.remove();
  }

  #refuse(what: string | undefined): void {
    if (what !== undefined && this.#refusals.size < MOST_REFUSALS) this.#refusals.add(what);
  }

  #patience(): number | null {
    if (this.#pending.length === 0) return null;
    return this.#pending.some(({ watched }) => watched === null) ? RETRY_MS : LOOK_MS;
  }

  /** Those that had no turn this time come first the next. */
  #look_after_pending(end: number): void {
    const { libc, options } = this;
    const go_on: Pending[] = [];
    let seen = 0;
    for (const pending of this.#pending) {
      if (performance.now() > end) break;
      seen++;
      const errno = is_waiting(libc, options.listener, pending.id)
        ? pending.look()
        : errno_of("EPERM");
      if (errno === null) {
        go_on.push(pending);
        continue;
      }
      pending.close();
      answer_notification(libc, options.listener, { id: pending.id, errno });
    }
    this.#pending = [...this.#pending.slice(seen), ...go_on];
  }

  #answer(asked: Notification): void {
    const { libc, options } = this;
    let errno: number | null = errno_of("EPERM");
    const is = (call: Syscall) => is_syscall(libc, asked, call);
    const traced = is("ptrace"), binds = is("bind"), signals = SIGNAL_CALLS.some(is);
    if (traced || binds || signals || PRIORITY_CALLS.some(is)) {
      if (binds) this.#given?.forget_closed();
      const may = () => binds || (traced ? may_trace : is_inside_sandbox)(libc, asked);
      const fault = signals ? signal_fault(libc, asked) : may() ? 0 : errno;
      const go_on = fault === 0 && is_waiting(libc, options.listener, asked.id);
      const reply = { id: asked.id, errno: go_on ? 0 : fault || errno };
      answer_notification(libc, options.listener, go_on ? { ...reply, go_on } : reply);
      return;
    }
    // Whatever a program managed to break here: it gets no connection, and the run goes on.
    attempt(() =>
      errno = is("ioctl")
        ? this.#open_terminal(asked)
        : is("socket")
        ? this.#give_socket(asked)
        : this.#ipc.makes(asked)
        ? this.#ipc.answer(asked, options.listener)
        : this.#perform(asked)
    );
    if (errno !== null) answer_notification(libc, options.listener, { id: asked.id, errno });
  }

  #open_terminal(asked: Notification): number | null {
    if (this.#swapped >= MOST_SWAPPED) return errno_of("EPERM");
    const { errno, swapped } = open_other_end(this.libc, asked, this.options);
    if (swapped) this.#swapped++;
    return errno;
  }

  /** Where the kernel can't do it, the answer is the one that there is without a supervisor. */
  #give_socket({ id, args, tid }: Notification): number | null {
    const { libc, options } = this;
    const [family = 0, type = 0, protocol = 0] = args.map((word) =>
      Number(BigInt.asIntN(32, word))
    );
    const udp = (type & SOCK_TYPE_MASK) === SOCK_DGRAM;
    if (udp && (type & ~SOCK_CLOEXEC) !== SOCK_DGRAM) {
      this.#refused_lookup ||= is_lookup(type, link_of(libc, `/proc/${tid}/exe`));
      return errno_of("EACCES");
    }
    if (this.#given?.has_room() === false) return errno_of("EMFILE");
    const fd = udp
      ? open_mute_socket(libc, family)
      : libc.call("socket", [family, type | SOCK_CLOEXEC, protocol]);
    if (fd === null) return errno_of("EACCES");
    if (fd < 0) return libc.errno();
    const cloexec = (type & SOCK_CLOEXEC) !== 0;
    const given = answer_with_file(libc, options.listener, { id, fd, cloexec });
    if (given && this.#given !== null) this.#given.keep(fd);
    else this.#close(fd);
    return given ? null : errno_of("EACCES");
  }

  /** Makes the call for the one who asked: 0, an error number, or null if it takes longer. */
  #perform(asked: Notification): number | null {
    const { libc, options } = this;
    const changed = change_owner_or_mode(libc, asked, {
      policy: options.policy,
      is_waiting: () => is_waiting(libc, options.listener, asked.id),
      pid: Deno.pid,
    });
    if (changed !== null) {
      this.#refuse(changed.refused);
      return changed.errno;
    }
    const [fd] = asked.args;
    const connects = is_syscall(libc, asked, "connect");
    // Only a socket: a copy of a file, closed again, would take hamr's own locks on that file along.
    const fault = socket_fault(libc, asked.tid, fd);
    if (fault !== 0) return fault;
    if (this.#swapped >= MOST_SWAPPED) return errno_of("EPERM");
    const taken = this.#given === null
      ? { fd: duplicated_fd(libc, asked.tid, fd), let_go: () => {} }
      : this.#given.take(asked.tid, fd);
    if (taken === null) return connects ? errno_of("EISCONN") : 0;
    const socket = taken.fd;
    if (socket < 0) return libc.errno();
    const kind = socket_kind(libc, socket);
    if (kind === null) {
      // Swapped since it was looked at, and left open on purpose.
      this.#swapped++;
      return errno_of("ENOTSOCK");
    }
    let close: (() => void) | null = () => this.#close(socket);
    try {
      if (is_syscall(libc, asked, "setsockopt")) {
        return is_udp(kind) ? 0 : this.#set_option(socket, asked);
      }
      const wanted = connects ? this.#read_address(asked, kind) : null;
      // What was read belongs to this caller only if it still waits.
      if (!is_waiting(libc, options.listener, asked.id)) return errno_of("EPERM");
      const confined = kind.inet && options.policy.net !== "all";
      if (confined && !keep_to_loopback(libc, socket)) return errno_of("EACCES");
      if (!connects) {
        const errno = this.#listen(socket, { asked, kind });
        if (errno === 0) taken.let_go();
        return errno;
      }
      if (wanted === null) return errno_of("EFAULT");
      const pending = this.#make_connection(socket, wanted, asked.id);
      const begun = [0, errno_of("EINPROGRESS")];
      if (typeof pending !== "number" || begun.includes(pending)) taken.let_go();
      if (typeof pending === "number") return pending;
      this.#pending.push(pending);
      close = null;
      return null;
    } finally {
      close?.();
    }
  }

  #read_address({ args, tid }: Notification, kind: SocketKind): WantedAddress | null {
    const [, address, length] = args;
    const bytes_wanted = Number(BigInt.asUintN(32, length));
    // Longer than any: the kernel says EINVAL, this EFAULT; no program minds.
    if (bytes_wanted > ADDRESS_BYTES) return null;
    const given = memory_of(this.libc, tid, { address, length: bytes_wanted });
    if (given === null) return null;
    const bytes = this.options.policy.net === "all" ? given : with_loopback(given);
    return { bytes, address: parse_address(bytes), kind, tid };
  }

  /** SO_REUSEADDR and SO_REUSEPORT: the rules ask about no others. */
  #set_option(socket: number, { args, id, tid }: Notification): number {
    const { libc, options } = this;
    const [, level, name, address, length] = args;
    if (BigInt.asIntN(32, length) < BigInt(INT_BYTES)) return errno_of("EINVAL");
    const bytes = memory_of(libc, tid, { address, length: INT_BYTES });
    if (bytes === null) return errno_of("EFAULT");
    if (!is_waiting(libc, options.listener, id)) return errno_of("EPERM");
    const value = new DataView(bytes.buffer).getInt32(0, true);
    const option = [level, name].map((word) => Number(BigInt.asIntN(32, word)));
    const [of = 0, which = 0] = option;
    return set_number(libc, socket, [of, which, value]) ? 0 : libc.errno();
  }

  #listen(socket: number, { asked, kind }: { asked: Notification; kind: SocketKind }): number {
    const { libc, options: { policy: { net } } } = this;
    if (kind.inet && this.#listeners.takes_from_others(socket, { confined: net !== "all" })) {
      return errno_of("EADDRINUSE");
    }
    const backlog = Number(BigInt.asIntN(32, asked.args[1]));
    if (libc.call("listen", [socket, backlog]) !== 0) return libc.errno();
    this.#listeners.add(socket);
    return 0;
  }

  #make_connection(socket: number, wanted: WantedAddress, id: bigint): number | Pending {
    const { libc, options } = this;
    const { policy } = options;
    const judgement = judge_connection(libc, wanted, { policy, listeners: this.#listeners });
    if (judgement.kind === "no") {
      this.#refuse(judgement.refused);
      return judgement.errno;
    }
    const { address, close } = judgement;
    // The flag belongs to the program as well as to this thread: it is put back as it was.
    const flags = fd_flags(libc, socket);
    const waits = (flags & O_NONBLOCK) === 0;
    const connect = () => {
      if (waits) set_flags(libc, socket, flags | O_NONBLOCK);
      return options.waiting.briefly(() =>
        libc.call("connect", [socket, address, address.length]) === 0 ? 0 : libc.errno()
      );
    };
    const done = () => {
      if (waits) set_flags(libc, socket, flags);
      close();
    };
    const first = connect();
    const takes_longer = first === errno_of("EINPROGRESS") || first === errno_of("EAGAIN");
    if (!waits || !takes_longer || this.#pending.length >= MOST_PENDING) {
      done();
      return waits && first === errno_of("EINPROGRESS") ? errno_of("EAGAIN") : first;
    }
    const ended = () => {
      done();
      this.#close(socket);
    };
    if (first === errno_of("EAGAIN")) {
      const look = () => {
        const errno = connect();
        return errno === errno_of("EAGAIN") ? null : errno;
      };
      return { id, watched: null, look, close: ended };
    }
    const watched: Watched = { fd: socket, for: "out" };
    const look = () =>
      (ready_now(libc, watched) & POLLOUT) === 0 ? null : socket_error(libc, socket);
    return { id, watched, look, close: ended };
  }

  /** Where the program has closed its own copy, this is the last one, and may have to linger. */
  #close(socket: number): void {
    this.options.waiting.briefly(() => this.libc.call("close", [socket]));
  }
}

/** Answers what `listener` hears from now on. Needs the right to open a library. */
export function supervise(
  { listener, policy }: { listener: FilterListener; policy: Policy },
  libc = open_libc(),
): Supervisor {
  const supervisor = new Supervisor(libc, { listener, policy, waiting: open_waiting(libc) });
  void supervisor.run();
  return supervisor;
}
