/** Reads /proc by system calls: Deno's functions want every permission for it ("Requires all access to "/proc""), which the worker lacks. */
import { attempt } from "../../config/attempt.ts";
import { AT_FDCWD, O_CLOEXEC, O_NONBLOCK, O_PATH } from "./fcntl.ts";
import { buffer_of, type Libc } from "./libc.ts";

/** What is taken for a folder may be a pipe, whose opening would wait for a writer. */
const READ = O_CLOEXEC | O_NONBLOCK;
/** A listing or a file of /proc comes in pieces of at most this. */
const PIECE_BYTES = 32 * 1024;
/** Offsets in `struct linux_dirent64`: the entry's length, its type, and its name. */
const ENTRY = { length: 16, type: 18, name: 19 } as const;
/** dirent.h */
const DT_UNKNOWN = 0, DT_DIR = 4, DT_REG = 8, DT_LNK = 10;
/** PATH_MAX of linux/limits.h. */
const PATH_BYTES = 4096;
/** A name may begin with what is a byte order mark elsewhere. */
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
/** One character a byte; those above 0x7f are not what they look like. */
const single = new TextDecoder("latin1");
const BEYOND_ASCII = /[\u0080-\uffff]/;
const strict = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
/** A file that comes in one piece is decoded at once, by what is there already: a process is read in half the time. */
const DECODERS = { "utf-8": new TextDecoder(), latin1: single };

const piece = buffer_of(PIECE_BYTES);
const piece_view = new DataView(piece.buffer);

export interface FolderEntry {
  readonly name: string;
  readonly is_link: boolean;
  /** Some file systems do not say what an entry is; then none of these is true. */
  readonly is_folder: boolean;
  readonly is_file: boolean;
}

/** What is in a folder, without `.` and `..`; [] where it can't be listed. A name that is no UTF-8 is `left_out`. */
export function list_folder(
  libc: Libc,
  folder: string,
  left_out: () => void = () => {},
): FolderEntry[] {
  const entries: FolderEntry[] = [];
  each_entry(libc, folder, (at, bytes) => {
    const name = name_at(at + ENTRY.name, bytes());
    if (name === null) return left_out();
    if (name === "." || name === "..") return;
    const type = piece[at + ENTRY.type];
    // Some file systems leave the type out.
    const is_link = type === DT_LNK ||
      (type === DT_UNKNOWN && link_of(libc, `${folder}/${name}`) !== null);
    entries.push({ name, is_link, is_folder: type === DT_DIR, is_file: type === DT_REG });
  });
  return entries;
}

/** The names in a folder that are numbers, such as process or thread ids; [] where it can't be listed. */
export function list_ids(libc: Libc, folder: string): number[] {
  const ids: number[] = [];
  each_entry(libc, folder, (at) => {
    const id = decimal(at + ENTRY.name);
    if (id !== null) ids.push(id);
  });
  return ids;
}

/** Where a link leads, as it is written in it; null for anything else. */
export function link_of(libc: Libc, path: string): string | null {
  const target = buffer_of(PATH_BYTES);
  const length = libc.call("readlinkat", [AT_FDCWD, path, target, PATH_BYTES]);
  return length <= 0 || length === PATH_BYTES ? null : decoder.decode(target.subarray(0, length));
}

/** The real path of what is there, links followed; null if nothing is. */
export function real_path(libc: Libc, path: string): string | null {
  const fd = libc.call("openat", [AT_FDCWD, path, O_PATH | O_CLOEXEC]);
  if (fd < 0) return null;
  const real = link_of(libc, `/proc/self/fd/${fd}`);
  libc.call("close", [fd]);
  return real;
}

/** `bytes` gives what is in the piece, a character a byte: names are cut out of it. */
function each_entry(
  libc: Libc,
  folder: string,
  take: (at: number, bytes: () => string) => void,
): void {
  with_open(libc, {
    path: folder,
    use: (fd) => {
      let length: number;
      while ((length = libc.call("getdents64", [fd, piece, PIECE_BYTES])) > 0) {
        let text: string | null = null;
        const bytes = () => text ??= single.decode(piece.subarray(0, length));
        for (let at = 0; at < length; at += piece_view.getUint16(at + ENTRY.length, true)) {
          take(at, bytes);
        }
      }
    },
  });
}

/** A whole file, or null if it can't be opened (the process has ended, or the kernel was built without it). */
export function read_text(
  libc: Libc,
  path: string,
  encoding: keyof typeof DECODERS = "utf-8",
): string | null {
  let text: string | null = null;
  with_open(libc, {
    path,
    use: (fd) => {
      const decoder = DECODERS[encoding];
      let [before, used, length] = ["", 0, 0];
      while ((length = libc.call("read", [fd, piece.subarray(used), PIECE_BYTES - used])) > 0) {
        used += length;
        if (used < PIECE_BYTES) continue;
        before += decoder.decode(piece, { stream: true });
        used = 0;
      }
      text = before + decoder.decode(piece.subarray(0, used));
    },
  });
  return text;
}

/** A field of `/proc/ID/status`; null if absent. The first line is a name that may hold CR or U+2028: only a line feed ends it. */
export function status_line(status: string, name: string): string | null {
  const start = `${name}:\t`;
  return status.split("\n").find((line) => line.startsWith(start))?.slice(start.length) ?? null;
}

function with_open(libc: Libc, options: { path: string; use: (fd: number) => void }): void {
  const fd = libc.call("openat", [AT_FDCWD, options.path, READ]);
  if (fd < 0) return;
  try {
    options.use(fd);
  } finally {
    libc.call("close", [fd]);
  }
}

/** The NUL-terminated name at this place of the piece; null if it is no UTF-8. */
function name_at(start: number, bytes: string): string | null {
  const end = bytes.indexOf("\0", start);
  const name = bytes.slice(start, end);
  if (!BEYOND_ASCII.test(name)) return name;
  return attempt(() => strict.decode(piece.subarray(start, end)), null);
}

/** The NUL-terminated decimal number at this place of the piece, or null. */
function decimal(start: number): number | null {
  let value = 0;
  let at = start;
  for (; piece[at] !== 0; at++) {
    const digit = (piece[at] ?? 0) - 48;
    if (digit < 0 || digit > 9) return null;
    value = value * 10 + digit;
  }
  return at === start ? null : value;
}
