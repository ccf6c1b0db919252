import { judge, type Judgement, type Wanted } from "./connect.ts";
import { errno_of } from "./errno.ts";
import { buffer_of, c_string, type Libc } from "./libc.ts";
import { Listeners } from "./listeners.ts";
import { answer, is_waiting, type Notification, receive } from "./notification.ts";
import { file_of, memory_of, process_of } from "./other_process.ts";
import type { Policy } from "./policy.ts";
import { parse_address } from "./socket_address.ts";
import { syscall_number } from "./syscalls.ts";

/** Calls that would hold up this thread, made on another one; without an error number. */
export interface Waiting {
  /** Waits until a file is ready for `events` (poll.h) or `ms` milliseconds are over, 0 for ever; what it is ready for. */
  poll(fd: number, options: { readonly events: number; readonly ms: number }): Promise<number>;
}

const SOL_SOCKET = 1, SO_ERROR = 4, SO_BINDTODEVICE = 25, SO_DOMAIN = 39; // asm-generic/socket.h
const AF_INET = 2, AF_INET6 = 10; // linux/socket.h
const F_GETFL = 3, F_SETFL = 4, O_NONBLOCK = 0x800; // asm-generic/fcntl.h
const POLLIN = 1, POLLOUT = 4, POLLHUP = 0x10; // asm-generic/poll.h
/** `struct sockaddr_storage`: no address is longer. */
const ADDRESS_BYTES = 128;
/** Behind a `struct pollfd`. */
const TIME_AT = 8;
/** Where st_ino stands in `struct stat`, which is at most this long. */
const STAT = { inode: 8, bytes: 256 } as const;
/** A connection that takes long is looked at this often: whoever asked may be gone. */
const LOOK_MS = 100;
/** A server that takes nobody now is asked again after this. */
const RETRY_MS = 5;
/** poll(2) passes over it: only the time counts. */
const NO_FILE = -1;
/** After so many answers in a row the rest of the program gets its turn. */
const BURST = 64;
/** Refusals kept until somebody asks; more are repetitions. */
const MOST_REFUSALS = 16;

/**
 * Answers `connect` and `listen` for everything inside the sandbox, on the main thread, which is not restricted. A call is never
 * let through: its address is copied, judged, and the call is made here, on a copy of the socket, with that copy of the
 * address; what another thread of the program does to its memory meanwhile changes nothing. Servers are held to this
 * machine's loopback device, unless every network is allowed.
 */
export class Supervisor {
  readonly #listeners: Listeners;
  readonly #numbers: { readonly connect: number | null; readonly listen: number | null };
  readonly #refusals = new Set<string>();

  constructor(
    private readonly libc: Libc,
    private readonly options: {
      readonly listener: number;
      readonly policy: Policy;
      readonly waiting: Waiting;
    },
  ) {
    this.#listeners = new Listeners(libc);
    const number = (name: "connect" | "listen") => syscall_number(name, libc.arch);
    this.#numbers = { connect: number("connect"), listen: number("listen") };
  }

  /** Answers until nothing is left inside the sandbox. */
  async run(): Promise<void> {
    const { listener, waiting } = this.options;
    for (;;) {
      const ready = await waiting.poll(listener, { events: POLLIN, ms: 0 });
      if ((ready & POLLIN) === 0 && ready !== 0) return;
      for (let burst = 0; burst < BURST && this.#is_asked(); burst++) {
        const asked = receive(this.libc, listener);
        if (asked !== null) void this.#answer(asked);
      }
    }
  }

  /** What was refused since this was last asked, a line each, with the flag that would allow it. */
  take_refusals(): string[] {
    const refusals = [...this.#refusals];
    this.#refusals.clear();
    return refusals;
  }

  #is_asked(): boolean {
    const { libc, options } = this;
    const wanted = poll_entry(options.listener, POLLIN);
    return libc.call("ppoll", [wanted, 1, buffer_of(16), 0, 0]) > 0 &&
      (ready_events(wanted) & (POLLIN | POLLHUP)) === POLLIN;
  }

  async #answer(asked: Notification): Promise<void> {
    const { libc, options } = this;
    let errno = errno_of("EPERM");
    try {
      errno = await this.#perform(asked);
    } finally {
      answer(libc, options.listener, { id: asked.id, errno });
    }
  }

  /** Makes the call for the one who asked: 0, or the error number it is answered with. */
  async #perform(asked: Notification): Promise<number> {
    const { libc, options } = this;
    const pid = process_of(libc, asked.tid);
    if (pid === null) return errno_of("EPERM");
    const socket = file_of(libc, pid, asked.args[0]);
    if (socket < 0) return libc.errno();
    try {
      const inet = is_inet(libc, socket);
      const wanted = asked.call === this.#numbers.connect ? this.#read_address(asked, pid) : null;
      // What was read belongs to this caller only if it still waits.
      if (!is_waiting(libc, options.listener, asked.id)) return errno_of("EPERM");
      if (inet && options.policy.net !== "all" && !keep_to_loopback(libc, socket)) {
        return errno_of("EACCES");
      }
      if (asked.call === this.#numbers.listen) return this.#listen(socket, asked);
      if (wanted === null) return errno_of("EFAULT");
      return await this.#connect(socket, { wanted, id: asked.id });
    } finally {
      libc.call("close", [socket]);
    }
  }

  #read_address(asked: Notification, pid: number): Wanted | null {
    const [, address, length] = asked.args;
    const bytes_wanted = Number(BigInt.asUintN(32, length));
    // Longer than any: the kernel says EINVAL, this EFAULT; no program minds.
    if (bytes_wanted > ADDRESS_BYTES) return null;
    const bytes = memory_of(this.libc, pid, { address, length: bytes_wanted });
    return bytes === null ? null : { bytes, address: parse_address(bytes), tid: asked.tid };
  }

  #listen(socket: number, asked: Notification): number {
    const { libc } = this;
    const backlog = Number(BigInt.asIntN(32, asked.args[1]));
    if (libc.call("listen", [socket, backlog]) !== 0) return libc.errno();
    const stat = buffer_of(STAT.bytes);
    if (libc.call("fstat", [socket, stat]) === 0) {
      this.#listeners.add(Number(new DataView(stat.buffer).getBigUint64(STAT.inode, true)));
    }
    return 0;
  }

  async #connect(
    socket: number,
    { wanted, id }: { readonly wanted: Wanted; readonly id: bigint },
  ): Promise<number> {
    const { policy } = this.options;
    const judgement = judge(this.libc, wanted, { policy, listeners: this.#listeners });
    if (judgement.kind === "no") {
      if (judgement.refused !== undefined && this.#refusals.size < MOST_REFUSALS) {
        this.#refusals.add(judgement.refused);
      }
      return judgement.errno;
    }
    try {
      return await this.#make_connection(socket, { judgement, id });
    } finally {
      judgement.close();
    }
  }

  /** A blocking socket is made non-blocking for the while, so that this thread does not wait; the caller still does. */
  async #make_connection(
    socket: number,
    { judgement, id }: { readonly judgement: Judgement & { kind: "go" }; readonly id: bigint },
  ): Promise<number> {
    const { libc } = this;
    const flags = libc.call("fcntl", [socket, F_GETFL, 0]);
    if (flags < 0) return libc.errno();
    const connect = () =>
      libc.call("connect", [socket, judgement.address, judgement.address.length]) === 0
        ? 0
        : libc.errno();
    if ((flags & O_NONBLOCK) !== 0) return connect();
    libc.call("fcntl", [socket, F_SETFL, flags | O_NONBLOCK]);
    try {
      let result = connect();
      // A unix server whose queue is full.
      while (result === errno_of("EAGAIN") && await this.#still_waiting(id, NO_FILE)) {
        result = connect();
      }
      if (result !== errno_of("EINPROGRESS")) return result;
      while (await this.#still_waiting(id, socket)) {
        if (is_ready(libc, socket)) return option_of(libc, socket, SO_ERROR);
      }
      return errno_of("EPERM");
    } finally {
      libc.call("fcntl", [socket, F_SETFL, flags]);
    }
  }

  /** Waits for the socket for a moment; false where nobody waits for the answer any more. */
  async #still_waiting(id: bigint, socket: number): Promise<boolean> {
    const ms = socket === NO_FILE ? RETRY_MS : LOOK_MS;
    await this.options.waiting.poll(socket, { events: POLLOUT, ms });
    return is_waiting(this.libc, this.options.listener, id);
  }
}

/** `struct pollfd`: i32 fd, i16 events, i16 revents; and room for a `struct timespec` behind it. */
function poll_entry(fd: number, events: number): Uint8Array<ArrayBuffer> {
  const bytes = buffer_of(TIME_AT + 16);
  const view = new DataView(bytes.buffer);
  view.setInt32(0, fd, true);
  view.setInt16(4, events, true);
  return bytes;
}

function ready_events(entry: Uint8Array<ArrayBuffer>): number {
  return new DataView(entry.buffer).getInt16(6, true);
}

function is_ready(libc: Libc, socket: number): boolean {
  return libc.call("ppoll", [poll_entry(socket, POLLOUT), 1, buffer_of(16), 0, 0]) > 0;
}

function option_of(libc: Libc, socket: number, option: number): number {
  const value = buffer_of(4);
  const length = Uint8Array.of(4, 0, 0, 0);
  if (libc.call("getsockopt", [socket, SOL_SOCKET, option, value, length]) !== 0) return -1;
  return new DataView(value.buffer).getInt32(0, true);
}

function is_inet(libc: Libc, socket: number): boolean {
  const domain = option_of(libc, socket, SO_DOMAIN);
  return domain === AF_INET || domain === AF_INET6;
}

/**
 * Nothing but this machine's own loopback device: no peer elsewhere reaches a server of the run, whatever address it
 * listens on, and no source route leads a connection away. Taking it off again needs CAP_NET_RAW, which nobody inside has.
 */
function keep_to_loopback(libc: Libc, socket: number): boolean {
  const name = c_string("lo");
  const set = () =>
    libc.call("setsockopt", [socket, SOL_SOCKET, SO_BINDTODEVICE, name, name.length]);
  if (set() === 0) return true;
  const device = buffer_of(16);
  const length = Uint8Array.of(16, 0, 0, 0);
  return libc.call("getsockopt", [socket, SOL_SOCKET, SO_BINDTODEVICE, device, length]) === 0 &&
    new TextDecoder().decode(device).startsWith("lo\0");
}

/** Opens what the supervisor needs to wait on another thread. Before `ffi` is given up. */
export function open_waiting(libc: Libc): Waiting {
  const symbols = {
    syscall: {
      parameters: ["i64", "i64", "i64", "i64", "i64", "i64", "i64"],
      result: "i32",
      nonblocking: true,
    },
  } as const;
  const { syscall } = Deno.dlopen(libc.library, symbols).symbols;
  const number = BigInt(syscall_number("ppoll", libc.arch) ?? -1);
  return {
    async poll(fd, { events, ms }) {
      const entry = poll_entry(fd, events);
      const view = new DataView(entry.buffer);
      view.setBigUint64(TIME_AT, BigInt(Math.floor(ms / 1000)), true);
      view.setBigUint64(TIME_AT + 8, BigInt(ms % 1000) * 1_000_000n, true);
      const address = libc.address(entry);
      const until = ms === 0 ? 0n : address + BigInt(TIME_AT);
      await syscall(number, address, 1n, until, 0n, 0n, 0n);
      return ready_events(entry);
    },
  };
}
