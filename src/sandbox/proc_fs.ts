/**
 * Reads /proc by system calls. Deno's own file functions want every permission for anything in /proc
 * (measured with 2.9.6: `Requires all access to "/proc"`), which the tools worker never has.
 */
import { buffer_of, c_string, type Libc } from "./libc.ts";

const AT_FDCWD = -100;
const O_RDONLY_CLOEXEC = 0x80000;
/** A listing or a file of /proc comes in pieces of at most this. */
const PIECE_BYTES = 32 * 1024;
/** Offsets in `struct linux_dirent64`: the entry's length, and its name. */
const ENTRY = { length: 16, name: 19 } as const;

const piece = buffer_of(PIECE_BYTES);
const piece_view = new DataView(piece.buffer);

/** The names in a folder that are numbers, such as process or thread ids; [] where it can't be listed. */
export function list_ids(libc: Libc, folder: string): number[] {
  const ids: number[] = [];
  with_open(libc, {
    path: folder,
    use: (fd) => {
      let length: number;
      while ((length = libc.call("getdents64", [fd, piece, PIECE_BYTES])) > 0) {
        for (let at = 0; at < length; at += piece_view.getUint16(at + ENTRY.length, true)) {
          const id = decimal(at + ENTRY.name);
          if (id !== null) ids.push(id);
        }
      }
    },
  });
  return ids;
}

/** A whole file, or null where it can't be opened (the process has ended, or the kernel was built without it). */
export function read_text(
  libc: Libc,
  path: string,
  encoding: "utf-8" | "latin1" = "utf-8",
): string | null {
  const decoder = new TextDecoder(encoding);
  let text: string | null = null;
  with_open(libc, {
    path,
    use: (fd) => {
      text = "";
      let length: number;
      while ((length = libc.call("read", [fd, piece, PIECE_BYTES])) > 0) {
        text += decoder.decode(piece.subarray(0, length), { stream: true });
      }
    },
  });
  return text;
}

function with_open(libc: Libc, options: { path: string; use: (fd: number) => void }): void {
  const fd = libc.call("openat", [AT_FDCWD, c_string(options.path), O_RDONLY_CLOEXEC]);
  if (fd < 0) return;
  try {
    options.use(fd);
  } finally {
    libc.call("close", [fd]);
  }
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
