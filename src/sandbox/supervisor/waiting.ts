/** Ways for a thread to wait, and not to. */
import { buffer_of, c_string, type Libc } from "../kernel/libc.ts";
import { syscall_number } from "../kernel/syscalls.ts";

export interface Waiting {
  /**
   * Waits on another thread until a file can be read (`in`) or written (`out`), at most `ms` milliseconds; null: no limit (poll.h).
   * One wait at a time, for at most `MOST_WATCHED` files.
   */
  poll(files: readonly Watched[], ms: number | null): Promise<readonly number[]>;
  /** Works on a file that other processes share. A call that waits though it should not (O_NONBLOCK can be taken off) ends with EINTR soon. */
  briefly<T>(work: () => T): T;
  /** Frees its memory, when nothing waits any longer. */
  close(): void;
}

export interface Watched {
  readonly fd: number;
  readonly for: "in" | "out";
}

/** asm-generic/poll.h */
export const POLLIN = 1, POLLOUT = 4, POLLHUP = 16, POLLNVAL = 32;

/** More files are not waited for at once. */
export const MOST_WATCHED = 1024;

const POLL_ENTRY_BYTES = 8, TIME_BYTES = 16;
/** No call that does not wait takes as long, and nobody notices such a pause. */
const BRIEF_MS = 20;
/** A real-time signal that neither C library nor Deno uses for itself (32 to 34 and the low ones). */
const SIGNAL = 60;
const SIGEV_THREAD_ID = 4; // asm-generic/siginfo.h
const CLOCK_MONOTONIC = 1; // linux/time.h
/** `struct sigaction` of both C libraries on both processors: handler, mask of 128 bytes, flags, restorer. */
const SIGACTION_BYTES = 152;
/** glibc had dlsym in a library of its own before 2.34. */
const OLD_DLSYM = "libdl.so.2";

/** Opens what is needed to wait. Before `ffi` is given up, and on the thread that will work briefly. */
export function open_waiting(libc: Libc): Waiting {
  const symbols = {
    syscall: {
      parameters: ["i64", "i64", "i64", "i64", "i64", "i64", "i64"],
      result: "i32",
      nonblocking: true,
    },
    calloc: { parameters: ["usize", "usize"], result: "pointer" },
    free: { parameters: ["pointer"], result: "void" },
  } as const;
  const { syscall, calloc, free } = Deno.dlopen(libc.library, symbols).symbols;
  const number = BigInt(syscall_number("ppoll", libc.arch) ?? -1);
  // A buffer of this thread's would be freed with it, and the kernel would write its answer into what is then someone else's.
  const room = MOST_WATCHED * POLL_ENTRY_BYTES + TIME_BYTES;
  const memory = calloc(1n, BigInt(room));
  if (memory === null) throw new Error("no memory to wait with");
  const bytes = new Uint8Array(Deno.UnsafePointerView.getArrayBuffer(memory, room));
  const address = libc.address(bytes);
  const alarm = open_alarm(libc);
  return {
    async poll(files, ms) {
      put_poll_entries(bytes, files, ms);
      const until = ms === null ? 0n : address + BigInt(files.length * POLL_ENTRY_BYTES);
      await syscall(number, address, BigInt(files.length), until, 0n, 0n, 0n);
      return ready_events(bytes, files.length);
    },
    briefly: alarm.briefly,
    close() {
      free(memory);
      alarm.close();
    },
  };
}

export function ready_now(libc: Libc, file: Watched): number {
  const bytes = buffer_of(POLL_ENTRY_BYTES + TIME_BYTES);
  put_poll_entries(bytes, [file], 0);
  libc.call("ppoll", [bytes, 1, buffer_of(TIME_BYTES), 0, 0]);
  return ready_events(bytes, 1)[0] ?? 0;
}

/** Each a `struct pollfd` (i32 fd, i16 events, i16 revents); a `struct timespec` behind them. */
function put_poll_entries(
  bytes: Uint8Array<ArrayBuffer>,
  files: readonly Watched[],
  ms: number | null,
): void {
  const view = new DataView(bytes.buffer);
  files.forEach(({ fd, for: wanted }, nth) => {
    view.setInt32(nth * POLL_ENTRY_BYTES, fd, true);
    view.setInt16(nth * POLL_ENTRY_BYTES + 4, wanted === "in" ? POLLIN : POLLOUT, true);
    view.setInt16(nth * POLL_ENTRY_BYTES + 6, 0, true);
  });
  put_time(view, { at: files.length * POLL_ENTRY_BYTES, ms: ms ?? 0 });
}

function ready_events(bytes: Uint8Array<ArrayBuffer>, count: number): readonly number[] {
  const view = new DataView(bytes.buffer);
  return Array.from({ length: count }, (_, nth) => view.getInt16(nth * POLL_ENTRY_BYTES + 6, true));
}

/** `struct timespec`: seconds and nanoseconds. */
function put_time(view: DataView, { at, ms }: { at: number; ms: number }): void {
  view.setBigUint64(at, BigInt(Math.floor(ms / 1000)), true);
  view.setBigUint64(at + 8, BigInt(ms % 1000) * 1_000_000n, true);
}

/** A timer that signals this thread again and again while work is done. The signal does nothing but end the call that waits. */
function open_alarm(libc: Libc): Pick<Waiting, "briefly" | "close"> {
  handle_quietly(libc);
  const event = buffer_of(64);
  const view = new DataView(event.buffer);
  view.setInt32(8, SIGNAL, true);
  view.setInt32(12, SIGEV_THREAD_ID, true);
  view.setInt32(16, libc.call("gettid", []), true);
  const id = buffer_of(4);
  if (libc.call("timer_create", [CLOCK_MONOTONIC, event, id]) !== 0) {
    throw new Error(`no timer could be made (errno ${libc.errno()})`);
  }
  const timer = new DataView(id.buffer).getInt32(0, true);
  const [on, off] = [timer_setting(BRIEF_MS), timer_setting(0)];
  return {
    briefly(work) {
      libc.call("timer_settime", [timer, 0, on, 0]);
      try {
        return work();
      } finally {
        libc.call("timer_settime", [timer, 0, off, 0]);
      }
    },
    close: () => void libc.call("timer_delete", [timer]),
  };
}

/** `struct itimerspec`: how often, and when first. */
function timer_setting(ms: number): Uint8Array<ArrayBuffer> {
  const bytes = buffer_of(2 * TIME_BYTES);
  const view = new DataView(bytes.buffer);
  put_time(view, { at: 0, ms });
  put_time(view, { at: TIME_BYTES, ms });
  return bytes;
}

/** Gives the signal a handler: a function of the C library that does nothing. Without SA_RESTART, so that calls end. */
function handle_quietly(libc: Libc): void {
  const { sigaction } = Deno.dlopen(libc.library, {
    sigaction: { parameters: ["i32", "buffer", "usize"], result: "i32" },
  }).symbols;
  const action = buffer_of(SIGACTION_BYTES);
  new DataView(action.buffer).setBigUint64(0, address_of_abs(libc), true);
  if (sigaction(SIGNAL, action, 0n) !== 0) throw new Error("no signal could be handled");
}

function address_of_abs({ library }: Libc): bigint {
  const symbols = { dlsym: { parameters: ["usize", "buffer"], result: "usize" } } as const;
  const open = (name: string) => Deno.dlopen(name, symbols).symbols.dlsym;
  let dlsym: ReturnType<typeof open>;
  try {
    dlsym = open(library);
  } catch {
    dlsym = open(OLD_DLSYM);
  }
  return BigInt(dlsym(0n, c_string("abs")));
}
