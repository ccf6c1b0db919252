import { is_inside, real_or_null, why } from "../../config/paths.ts";
import { follow, look } from "../../permission/paths.ts";
import { type Sink, write_all } from "../../ui/log_file.ts";
import type { Io } from "./io.ts";
import { UsageError } from "./usage_error.ts";

/** A flag that names a file or folder to be written. */
export type FileFlag = "--log-file" | "-o" | "--junit" | "--code-quality" | "--artifacts";

/** A file of a flag, the workspace of the run, and its streams. */
export interface NamedFile {
  readonly path: string;
  readonly workspace: string;
  readonly io: Pick<Io, "out" | "err">;
}

/** What is not where a flag wants it. */
export interface Lost {
  readonly words: string;
  /** Whether it could not be written at all. */
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

/**
 * Opens the file of a flag to be written, a log at its end. Throws `UsageError` for what can't be opened, for a pipe, which would
 * wait for a reader, and for what `refuse_links` refuses.
 */
export function open_file(flag: FileFlag, named: NamedFile): Sink {
  if (named.path === "-") throw new UsageError(`${flag} -: name a file; /dev/stdout is one`);
  const stream = STREAMS[named.path];
  if (stream === undefined) return opened(flag, named);
  return {
    writeSync: (bytes) => {
      named.io[stream](new TextDecoder().decode(bytes));
      return bytes.length;
    },
  };
}

function opened(flag: FileFlag, named: NamedFile): Deno.FsFile {
  refuse_links(flag, named);
  const { path } = named;
  const refuse = (words: string) => new UsageError(`${flag} ${path}: ${words}`);
  const target = follow(path) ?? look(path);
  if (target !== null && !target.isFile && !target.isCharDevice && !is_device(path)) {
    throw refuse("not a regular file");
  }
  try {
    const append = flag === "--log-file" || is_device(path);
    return Deno.openSync(path, { create: true, ...(append ? { append } : { write: true }) });
  } catch (error) {
    throw refuse(why(error));
  }
}

/** What the system names by itself, such as a descriptor: others write there, too. */
function is_device(path: string): boolean {
  return /^\/(?:dev|proc)\//.test(path);
}

/** A file of a flag that is written at the end of a run, and open from its start: by then this thread may open none. */
export class OutputFile {
  readonly #sink: Sink;
  /** The same, where what it holds is replaced. Asked at the start: of a device this thread learns nothing by the end, either. */
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
      write_all(this.#sink, new TextEncoder().encode(text));
    } catch (error) {
      return { words: `${path} can't be written: ${why(error)}`, is_unwritten: true };
    }
    const words = this.#regular === null ? null : lost(this.#regular, path);
    return words === null ? null : { words, is_unwritten: false };
  }
}

/**
 * Throws `UsageError` where a link in the workspace is on the way to a path that hamr is to write: whoever put it there, the
 * repository or an earlier run, says what is written where.
 */
export function refuse_links(
  flag: FileFlag,
  { path, workspace }: Omit<NamedFile, "io">,
): void {
  let folder = path.startsWith("/") ? "/" : Deno.cwd();
  const parts = path.split("/").filter((part) => part !== "");
  for (const [nth, part] of parts.entries()) {
    const next = `${folder === "/" ? "" : folder}/${part}`;
    if (look(next)?.isSymlink && is_inside(folder, workspace)) {
      throw new UsageError(
        nth === parts.length - 1
          ? `${flag} ${path}: a link in the workspace; name the file itself`
          : `${flag} ${path}: ${part} is a link in the workspace; name the folder itself`,
      );
    }
    const real = real_or_null(next);
    // From here on nothing is there.
    if (real === null) return;
    folder = real;
  }
}

/** What became of a file that was open during a run, where it is not what `path` names anymore; null if it is. */
function lost(file: Deno.FsFile, path: string): string | null {
  const [ours, there] = [file.statSync(), follow(path)];
  if (!ours.isFile || (there !== null && ours.dev === there.dev && ours.ino === there.ino)) {
    return null;
  }
  return there === null
    ? `${path} was removed during the run: what hamr wrote is gone with it`
    : `${path} was replaced during the run: what it holds is not from hamr`;
}
