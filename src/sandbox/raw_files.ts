/**
 * Folders and files by descriptor, for walks over a hundred thousand of them. Deno's own calls check every path for links
 * before they do anything (455,031 `readlink` calls for 100,000 files); these cost what the kernel takes.
 */
import { errno_of } from "./errno.ts";
import { type Argument, buffer_of, c_string, type Libc, linux_libc } from "./libc.ts";
import type { Syscall } from "./syscalls.ts";

/** An entry of a folder. */
export interface RawEntry {
  /** Bytes that are no UTF-8 stand as U+DC80 to U+DCFF, so that any name can be opened again. */
  readonly name: string;
  /** Some file systems do not say what an entry is. */
  readonly kind: "file" | "folder" | "link" | "other" | "unknown";
}

/** What the kernel tells of a file. */
export interface RawStat {
  /** Type and permissions, as in `st_mode`. */
  mode: number;
  /** Bytes. */
  size: number;
  ino: number;
  /** Of the device, as one number. */
  dev: number;
  /** Seconds and nanoseconds apart: together they do not fit into a number. */
  mtime_s: number;
  mtime_ns: number;
  ctime_s: number;
  ctime_ns: number;
}

/** These take numbers and buffers only, so that they go on working after the `ffi` permission was revoked. */
const SYMBOLS = {
  openat: { parameters: ["i32", "buffer", "i32", "u32"], result: "i32" },
  getdents64: { parameters: ["i32", "buffer", "u32"], result: "i32" },
  statx: { parameters: ["i32", "buffer", "i32", "u32", "buffer"], result: "i32" },
  read: { parameters: ["i32", "usize", "usize"], result: "i32" },
  close: { parameters: ["i32"], result: "i32" },
} as const;

type Symbols = Deno.DynamicLibrary<typeof SYMBOLS>["symbols"];

const AT_FDCWD = -100;
const O_CLOEXEC = 0x80000;
const O_NONBLOCK = 0x800;
/** O_DIRECTORY and O_NOFOLLOW have other numbers on ARM (arch/arm64/include/uapi/asm/fcntl.h). */
const [O_DIRECTORY, O_NOFOLLOW] = Deno.build.arch === "aarch64"
  ? [0x4000, 0x8000]
  : [0x10000, 0x20000];
/** linux/fcntl.h */
const AT_SYMLINK_NOFOLLOW = 0x100, AT_NO_AUTOMOUNT = 0x800, AT_EMPTY_PATH = 0x1000;
/** linux/stat.h: all that `stat` has; and where `struct statx` has it. */
const STATX_BASIC_STATS = 0x7ff;
const STATX_BYTES = 256;
/** PATH_MAX of linux/limits.h. */
const PATH_BYTES = 4096;
/** A listing comes in pieces of at most this: some thousand names. */
const PIECE_BYTES = 64 * 1024;
/** Offsets in `struct linux_dirent64`: the entry's length, its type, and its name. */
const ENTRY = { length: 16, type: 18, name: 19 } as const;
/** dirent.h */
const KINDS = new Map<number, RawEntry["kind"]>([
  [0, "unknown"],
  [4, "folder"],
  [8, "file"],
  [10, "link"],
]);
const HIGH_BYTE = 0x80, ESCAPED = 0xdc00;

const EMPTY = c_string("");

let opened: RawFiles | null | undefined;

/**
 * The calls, opened once for this thread's isolate (under a millisecond); null where there are none. To be opened before the
 * thread gives up `ffi`.
 */
export function raw_files(): RawFiles | null {
  return opened ??= open();
}

function open(): RawFiles | null {
  const libc = linux_libc();
  if (libc === null) return null;
  try {
    return new RawFiles(libc, Deno.dlopen(libc.library, SYMBOLS).symbols);
  } catch {
    return null; // A C library without one of them.
  }
}

/**
 * Makes the calls on this thread, so that the kernel judges each by its sandbox. No link is followed but in `open_folder` without
 * a folder. What fails gives a negative number, that of the error.
 */
export class RawFiles {
  readonly #name = buffer_of(PATH_BYTES);
  readonly #piece = buffer_of(PIECE_BYTES);
  readonly #statx = buffer_of(STATX_BYTES);
  readonly #view = new DataView(this.#statx.buffer);
  readonly #stat: RawStat = {
    mode: 0,
    size: 0,
    ino: 0,
    dev: 0,
    mtime_s: 0,
    mtime_ns: 0,
    ctime_s: 0,
    ctime_ns: 0,
  };

  constructor(private readonly libc: Libc, private readonly symbols: Symbols) {}

  /** Opens a folder: by its absolute path, the last part of it may be a link; or by its name in a folder, where it may not. */
  open_folder(name: string, folder?: number): number {
    const flags = O_DIRECTORY | O_CLOEXEC | (folder === undefined ? 0 : O_NOFOLLOW);
    return this.#open(folder ?? AT_FDCWD, name, flags);
  }

  /** Opens a file of a folder for reading. Never waits, not even for a pipe; whether it is a regular file has to be asked. */
  open_file(folder: number, name: string): number {
    return this.#open(folder, name, O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC);
  }

  close(fd: number): void {
    this.symbols.close(fd);
  }

  /** What is in a folder, without `.` and `..`, in the order of the file system; up to where it fails. */
  entries(folder: number): RawEntry[] {
    const piece = this.#piece;
    const found: RawEntry[] = [];
    let length: number;
    while ((length = this.symbols.getdents64(folder, piece, PIECE_BYTES)) > 0) {
      // Decoding all of them at once takes a tenth of the time; most names are ASCII.
      const text = latin1.decode(piece.subarray(0, length));
      for (let at = 0; at < length;) {
        const name = name_at(piece, at + ENTRY.name, text);
        if (name !== "." && name !== "..") {
          found.push({ name, kind: KINDS.get(piece[at + ENTRY.type] ?? 0) ?? "other" });
        }
        at += (piece[at + ENTRY.length] ?? 0) | ((piece[at + ENTRY.length + 1] ?? 0) << 8);
      }
    }
    return found;
  }

  /**
   * What is there, a link for itself; `gone` where nothing is, `closed` where it can't be told. The same object each time: copy
   * what is to be kept.
   */
  stat(folder: number, name: string): Readonly<RawStat> | "gone" | "closed" {
    if (!this.#put(name)) return "gone";
    return this.#ask(folder, this.#name, AT_SYMLINK_NOFOLLOW | AT_NO_AUTOMOUNT);
  }

  /** What an open file is now. The same object as that of `stat`. */
  stat_open(fd: number): Readonly<RawStat> | "gone" | "closed" {
    return this.#ask(fd, EMPTY, AT_EMPTY_PATH);
  }

  /** The next bytes of an open file, `into` at `at` and on, as many as there is room for or at most `most`; 0 at its end. */
  read(fd: number, into: RawBuffer, at = 0, most = Infinity): number {
    const room = Math.min(into.bytes.length - at, most);
    return this.symbols.read(fd, into.address + BigInt(at), BigInt(room));
  }

  /** A buffer to read into. */
  buffer(length: number): RawBuffer {
    const bytes = buffer_of(length);
    return { bytes, address: this.libc.address(bytes) };
  }

  #open(folder: number, name: string, flags: number): number {
    if (!this.#put(name)) return -errno_of("ENAMETOOLONG");
    const fd = this.symbols.openat(folder, this.#name, flags, 0);
    if (fd >= 0) return fd;
    return this.#again("openat", [folder, this.#name, flags, 0]);
  }

  /** Makes a call that failed once more: its error number may be gone by now, and `libc.ts` keeps that of its own. */
  #again(name: Syscall, args: readonly Argument[]): number {
    const result = this.libc.call(name, args);
    return result >= 0 ? result : -this.libc.errno();
  }

  #ask(
    folder: number,
    name: Uint8Array<ArrayBuffer>,
    flags: number,
  ): RawStat | "gone" | "closed" {
    if (this.symbols.statx(folder, name, flags, STATX_BASIC_STATS, this.#statx) !== 0) {
      const args = [folder, name, flags, STATX_BASIC_STATS, this.#statx];
      const failed = this.#again("statx", args);
      if (failed === -errno_of("ENOENT") || failed === -errno_of("ENOTDIR")) return "gone";
      if (failed < 0) return "closed";
    }
    const view = this.#view;
    const stat = this.#stat;
    stat.mode = view.getUint16(28, true);
    stat.ino = wide(view, 32);
    stat.size = wide(view, 40);
    stat.ctime_s = wide(view, 96);
    stat.ctime_ns = view.getUint32(104, true);
    stat.mtime_s = wide(view, 112);
    stat.mtime_ns = view.getUint32(120, true);
    stat.dev = view.getUint32(136, true) * 2 ** 20 + view.getUint32(140, true);
    return stat;
  }

  /** Puts a name where the kernel reads it; false where it is too long. */
  #put(name: string): boolean {
    const to = this.#name;
    if (name.length >= PATH_BYTES) return false;
    let at = 0;
    for (; at < name.length; at++) {
      const unit = name.charCodeAt(at);
      if (unit >= HIGH_BYTE) return this.#put_wide(name);
      to[at] = unit;
    }
    to[at] = 0;
    return true;
  }

  #put_wide(name: string): boolean {
    const pieces = name.split(ESCAPES);
    let at = 0;
    for (const piece of pieces) {
      const unit = piece.charCodeAt(0);
      if (piece.length === 1 && unit >= ESCAPED && unit <= ESCAPED + 0xff) {
        this.#name[at++] = unit - ESCAPED;
        continue;
      }
      const { read, written } = encoder.encodeInto(piece, this.#name.subarray(at));
      if (read < piece.length) return false;
      at += written;
    }
    if (at >= PATH_BYTES) return false;
    this.#name[at] = 0;
    return true;
  }
}

/** Bytes, and where they lie. */
export interface RawBuffer {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly address: bigint;
}

const latin1 = new TextDecoder("latin1");
const strict = new TextDecoder("utf-8", { fatal: true });
const encoder = new TextEncoder();
/** Each by itself; the second half of a character of two units is none. */
const ESCAPES = /((?<![\ud800-\udbff])[\udc80-\udcff])/;

/** The NUL-terminated name at this place; `text` has the same bytes as characters. */
function name_at(bytes: Uint8Array, start: number, text: string): string {
  let end = start;
  let high = 0;
  for (let byte = bytes[end]; byte; byte = bytes[++end]) high |= byte;
  if (high < HIGH_BYTE) return text.slice(start, end);
  const name = bytes.subarray(start, end);
  try {
    return strict.decode(name);
  } catch {
    const escaped = (byte: number) => byte < HIGH_BYTE ? byte : ESCAPED + byte;
    return String.fromCharCode(...Array.from(name, escaped));
  }
}

/** A number of 64 bits; exact up to 2^53. */
function wide(view: DataView, at: number): number {
  return view.getInt32(at + 4, true) * 2 ** 32 + view.getUint32(at, true);
}
