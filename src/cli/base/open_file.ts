import { at_end, or_throw } from "../../config/attempt.ts";
import {
  AT_FDCWD,
  O_CLOEXEC,
  O_DIRECTORY,
  O_NOFOLLOW,
  O_PATH,
} from "../../sandbox/kernel/fcntl.ts";
import { why } from "../../config/paths.ts";
import { lstat_or_null, stat_or_null } from "../../permission/paths.ts";
import { type Sink, write_on } from "../../permission/put_beside.ts";
import { is_anothers, is_device, way_of } from "../../permission/untrusted_links.ts";
import { errno_of } from "../../sandbox/kernel/errno.ts";
import { linux_libc } from "../../sandbox/kernel/libc.ts";
import { openat2, RESOLVE } from "../../sandbox/kernel/openat2.ts";
import { link_of } from "../../sandbox/kernel/proc_fs.ts";
import type { Io } from "./io.ts";
import { UsageError } from "../../config/error.ts";

type FileFlag = "--log-file" | "-o" | "--junit" | "--code-quality" | "--artifacts";

export interface NamedFile {
  readonly path: string;
  /** Where commands may write, real paths, the workspace first: who put a link there is not known. */
  readonly written: readonly string[];
  readonly io: Pick<Io, "out" | "err">;
}

export interface Lost {
  readonly words: string;
  readonly is_unwritten: boolean;
}

/** Streams of this process: opened by name, a file behind one would be written from its start, and past what a CI log may not be told. */
const STREAMS: Readonly<Record<string, "out" | "err">> = {
  "/dev/stdout": "out",
  "/dev/fd/1": "out",
  "/proc/self/fd/1": "out",
  "/dev/stderr": "err",
  "/dev/fd/2": "err",
  "/proc/self/fd/2": "err",
};

/** Opens a flag's file to write at its end, or `emptied`. Throws `UsageError` for a pipe, what can't be opened, and what `place_of` refuses. */
export function open_file(
  flag: FileFlag,
  named: NamedFile,
  { emptied = false }: { emptied?: boolean } = {},
): Sink {
  if (named.path === "-") throw new UsageError(`${flag} -: name a file; /dev/stdout is one`);
  const stream = STREAMS[named.path];
  if (stream === undefined) {
    const file = opened(flag, named);
    if (emptied && file.statSync().isFile) file.truncateSync(0);
    return file;
  }
  return {
    writeSync: (bytes) => {
      named.io[stream](new TextDecoder().decode(bytes));
      return bytes.length;
    },
  };
}

function opened(flag: FileFlag, named: NamedFile): Deno.FsFile {
  const { path } = named;
  const place = real_file_place(flag, named);
  const refuse = (words: string) => new UsageError(`${flag} ${path}: ${words}`);
  const target = stat_or_null(place) ?? lstat_or_null(place);
  const as_file = target === null ? !path.endsWith("/") : target.isFile || target.isCharDevice;
  if (!as_file && !is_device(place)) throw refuse("not a regular file");
  const how = flag === "--log-file" || is_device(place) ? { append: true } : { write: true };
  let file: Deno.FsFile;
  try {
    if (is_device(place)) return Deno.openSync(place, how);
    file = open_at(place, how);
  } catch (error) {
    throw refuse(why(error));
  }
  const folder = place.slice(0, place.lastIndexOf("/"));
  if (!is_anothers(file.statSync(), folder)) return file;
  file.close();
  throw refuse(`another user's file in ${folder}, where everybody can create files; name another`);
}

/**
 * Opens a file at a path without links, or makes it there, with the folders above it. Whatever a command puts in its place
 * meanwhile, no file elsewhere is given, and none is made through a link.
 * @throws {Error} where that can't be done.
 */
export function open_at(place: string, how: Deno.OpenOptions): Deno.FsFile {
  const file = open_or_create(place, how);
  if (is_at(file, place)) return file;
  file.close();
  throw new Error("another file was put in its place while it was opened");
}

function open_or_create(place: string, how: Deno.OpenOptions): Deno.FsFile {
  try {
    return Deno.openSync(place, how);
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
    make_folder_at(place.slice(0, place.lastIndexOf("/")));
    return Deno.openSync(place, { ...how, createNew: true });
  }
}

/** Whether that file is the one of a path without links, as the kernel finds it. */
function is_at(file: Deno.FsFile, place: string): boolean {
  const libc = linux_libc();
  if (libc === null) return true;
  const flags = O_PATH | O_CLOEXEC | O_NOFOLLOW;
  let fd = openat2(libc, AT_FDCWD, { path: place, flags, resolve: RESOLVE.no_links });
  // So do filters of containers that are older than the call; then its real path tells, which may be spelled otherwise on some disks.
  const is_refused = fd < 0 && libc.errno() === errno_of("EPERM");
  if (is_refused) fd = libc.call("openat", [AT_FDCWD, place, flags]);
  if (fd < 0) return false;
  const opened = `/proc/self/fd/${fd}`;
  const [ours, there] = [file.statSync(), stat_or_null(opened)];
  const elsewhere = is_refused && link_of(libc, opened) !== place;
  libc.call("close", [fd]);
  return !elsewhere && there !== null && ours.dev === there.dev && ours.ino === there.ino;
}

/**
 * Makes a folder at a path without links, and those above it. Whatever a command puts in their place meanwhile, none is made elsewhere.
 * @throws {Error} where that can't be done.
 */
export function make_folder_at(place: string): void {
  const libc = linux_libc();
  if (libc === null || is_device(place)) return Deno.mkdirSync(place, { recursive: true });
  const open = (from: number, name: string) =>
    libc.call("openat", [from, name, O_PATH | O_CLOEXEC | O_NOFOLLOW | O_DIRECTORY]);
  let at = open(AT_FDCWD, "/");
  using _ = at_end(() => libc.call("close", [at]));
  for (const name of place.split("/").filter((name) => name !== "")) {
    let next = open(at, name);
    if (next < 0) {
      try {
        Deno.mkdirSync(`/proc/self/fd/${at}/${name}`);
      } catch (error) {
        if (!(error instanceof Deno.errors.AlreadyExists)) throw error;
      }
      next = open(at, name);
    }
    if (next < 0) throw new Error(`${name} is not a folder`);
    libc.call("close", [at]);
    at = next;
  }
}

/** A file of a flag that is written at the end of a run, and open from its start: by then this thread may open none. */
export class OutputFile {
  readonly #sink: Sink;
  /** The file, where what it holds is replaced. Asked at the start: of a device this thread learns nothing by the end, either. */
  readonly #regular: Deno.FsFile | null;

  /** @throws {UsageError} as `open_file()` does. */
  constructor(flag: FileFlag, private readonly named: NamedFile) {
    this.#sink = open_file(flag, named);
    this.#regular = this.#sink instanceof Deno.FsFile && !is_device(named.path) &&
        this.#sink.statSync().isFile
      ? this.#sink
      : null;
  }

  /** Writes all of the text, instead of what it held. Gives why others won't find it there; null if they will. */
  put(text: string): Lost | null {
    const { path } = this.named;
    try {
      this.#regular?.truncateSync(0);
      write_on(this.#sink, new TextEncoder().encode(text));
    } catch (error) {
      return { words: `${path} can't be written: ${why(error)}`, is_unwritten: true };
    }
    const words = this.#regular === null ? null : lost(this.#regular, path);
    return words === null ? null : { words, is_unwritten: false };
  }
}

/** The path without links; nothing need be there. Throws `UsageError` for a link of the repository, a command or another user on the way. */
export function real_file_place(
  flag: FileFlag | "/export",
  { path, written }: Omit<NamedFile, "io">,
): string {
  const refuse = (words: string) => new UsageError(`${flag} ${path}: ${words}`);
  const way = or_throw(() => way_of(path, written), (error) => refuse(why(error)));
  if (way.link === null) return way.place;
  const { name, folder, is_last } = way.link;
  const where = way.link.is_anothers
    ? `${folder}, and another user's`
    : folder === written[0]
    ? "the workspace"
    : `${folder}, where commands may write`;
  throw refuse(
    is_last
      ? `a link in ${where}; name the file itself`
      : `${name} is a link in ${where}; name the folder itself`,
  );
}

/** What became of a file that was open during a run, where it is not what `path` names anymore; null if it is. */
function lost(file: Deno.FsFile, path: string): string | null {
  const [ours, there] = [file.statSync(), stat_or_null(path)];
  if (!ours.isFile || (there !== null && ours.dev === there.dev && ours.ino === there.ino)) {
    return null;
  }
  return there === null
    ? `${path} was removed during the run: what hamr wrote is gone with it`
    : `${path} was replaced during the run: what it holds is not from hamr`;
}
