import { at_end, attempt, or_throw } from "../../../config/attempt.ts";
import { path } from "../../../config/path.ts";
import { DENO_TICK_MS } from "../../../changes/folders.ts";
import { KERNEL_VIEWS } from "../../../changes/roots.ts";
import { ChangedSince } from "../../../changes/replace_file.ts";
import { is_inside } from "../../../config/paths.ts";
import { flag_with } from "../../../config/text.ts";
import { own_writable, type Policy } from "../../../sandbox/policy.ts";
import { folder_to_allow } from "../../../permission/refused_path.ts";
import { exists } from "../../../permission/paths.ts";
import { open_plain, type PlainFile } from "../../../sandbox/kernel/read_inside.ts";
import { is_denied_by_flag, is_readable } from "../../../sandbox/scope/read_scope.ts";
import { NothingToChange, Refusal, ToolFailure } from "../../failure.ts";
import { guarded_place } from "../../../persistence_guard/places.ts";
import { put_in_place, put_new } from "./write_whole.ts";
import { content_looks, type Outdated, Seen } from "../../seen.ts";
import { code_of, is_denied } from "../../../permission/file_faults.ts";

export type Opened =
  | {
    readonly kind: "file";
    readonly file: PlainFile;
    /** Bytes. */
    readonly size: number;
    readonly mode: number;
    readonly real: string;
    /** What the file looked like when it was opened; for `saw`. */
    readonly looks: string;
    /** All that the file system tells of it: while that is the same, so is the content. */
    readonly version: string;
    /** Whether it had changed only just before, so that after one more change it could look the same. */
    readonly young: boolean;
    /** What is read in its place. Absent: the file itself. */
    readonly text?: Uint8Array;
  }
  | { readonly kind: "folder"; readonly real: string };

/** Linux refuses longer paths (PATH_MAX). */
const PATH_BYTES = 4096;
const MOST_LINKS = 40;

/** Why nothing in the workspace can be written, in a run that was started so. */
const READ_ONLY = "the workspace is read-only in this run";

/** What projects show of their `.env`. */
const ENV_EXAMPLES = /^\.env\.(example|sample|template|dist)$/;
/** Where models write scripts that nobody keeps. */
const TEMPORARY = ["/tmp", "/var/tmp"];
/** A folder of plain files in memory, though below `/dev`. */
const SHARED_MEMORY = "/dev/shm";

/** The file access of the tools. Only synchronous calls, which the kernel judges on this thread: an async call would escape the sandbox. */
export class Files {
  /** What the model knows of their contents, by real path. */
  readonly seen = new Seen();

  constructor(private readonly policy: Policy) {}

  /** The absolute path that a model's `path` means: relative to the workspace, or to a folder in it; `~` is the home folder. */
  locate(given: string, folder = "."): string {
    if (given.includes("\0")) throw new ToolFailure("the path has a NUL byte");
    // The system would be given U+FFFD for it, which is the name of another file.
    if (!given.isWellFormed()) {
      throw new ToolFailure("the path has half of a character (a lone surrogate)");
    }
    const home = this.policy.env["HOME"];
    const expanded = home !== undefined && /^~(\/|$)/.test(given) ? home + given.slice(1) : given;
    const full = path.resolve(this.policy.workspace, folder, expanded);
    if (new TextEncoder().encode(full).length >= PATH_BYTES) {
      throw new ToolFailure(`the path is longer than ${PATH_BYTES} bytes`);
    }
    return full;
  }

  /** How a path is shown: relative where it is in the workspace. */
  shown(full: string): string {
    return this.inside(full) ?? full;
  }

  /** The path relative to the workspace, `.` for the workspace itself; null if it is elsewhere. */
  inside(full: string): string | null {
    const relative = path.relative(this.policy.workspace, full);
    if (relative === "") return ".";
    return relative === ".." || relative.startsWith("../") ? null : relative;
  }

  /** Opens for reading. Never waits: a pipe or a device is refused, not read. The caller closes `fd`. */
  open(full: string): Opened {
    return this.#try(full, () => {
      if (is_kernel_view(full)) throw kernel_view(this.#name(full));
      const real = Deno.realPathSync(full);
      if (is_kernel_view(real)) throw kernel_view(this.#name(full));
      this.#refuse_secret(real, full);
      // Looked at before it is opened: opening a pipe already wakes the program at its other end.
      const before = Deno.statSync(real);
      if (before.isDirectory) return { kind: "folder", real };
      if (!before.isFile) throw not_a_file(before, this.#name(full));
      const file = open_plain(real);
      // And again now: between the two looks a program may have put something else there.
      if (!file.isFile) {
        file.close();
        throw not_a_file(file, this.#name(full));
      }
      const { size, mode, identity, mtime, ctime } = file;
      const young = (ctime?.getTime() ?? 0) > Date.now() - DENO_TICK_MS;
      const version = `${identity}:${size}:${mtime?.getTime()}:${ctime?.getTime()}`;
      return { kind: "file", file, size, mode, real, looks: content_looks(file), version, young };
    });
  }

  /** A whole file of at most `limit` bytes. */
  read(full: string, limit: number): {
    readonly bytes: Uint8Array;
    readonly real: string;
    readonly mode: number;
    readonly looks: string;
  } {
    const opened = this.open(full);
    if (opened.kind === "folder") throw new NothingToChange(`${this.#name(full)} is a folder`);
    using _ = at_end(() => this.close(opened));
    if (opened.size > limit) {
      throw new ToolFailure(
        `${this.#name(full)} has ${opened.size} bytes, too many for this tool (${limit}): use bash`,
      );
    }
    // No more than it had: a program may be making it larger all the time.
    const bytes = this.#try(full, () => {
      const into = new Uint8Array(opened.size);
      return into.subarray(0, this.read_at(opened, into, 0));
    });
    return { bytes, real: opened.real, mode: opened.mode, looks: opened.looks };
  }

  /** Whether the content of a file may be shown: the policy lets it be read, and it is not a file of keys. */
  shows(real: string): boolean {
    return is_readable(this.policy, real) && !is_secret(real, this.policy);
  }

  /** Bytes from a place in an open file; fewer than asked for only at its end. */
  read_at(
    { file, text }: { file: PlainFile; text?: Uint8Array },
    into: Uint8Array<ArrayBuffer>,
    position: number,
  ): number {
    if (text === undefined) return file.read(into, position);
    const part = text.subarray(position, position + into.length);
    into.set(part);
    return part.length;
  }

  close({ file }: { readonly file: PlainFile }): void {
    file.close();
  }

  exists(full: string): boolean {
    return this.#try(full, () => {
      try {
        Deno.lstatSync(full);
        return true;
      } catch (error) {
        if (code_of(error) === "ENOENT") return false;
        throw error;
      }
    });
  }

  /** Where a write to `full` would really go, symlinks followed. Refused where the policy does not reach. */
  target(full: string): string {
    const real = this.#try(full, () => real_of(full));
    const { write, read_only, workspace } = this.policy;
    if (read_only && is_inside(real, workspace)) {
      throw new Refusal(`${this.#name(full)} can't be written: ${READ_ONLY}`);
    }
    const guarded = guarded_place(real, this.policy);
    if (guarded !== null) {
      throw new Refusal(
        `${this.#name(full)} runs, or decides what runs, later and outside the sandbox; ` +
          `the user can allow it with ${flag_with("--allow-write", guarded)}`,
      );
    }
    if (write === "all") return real;
    const allowed = [...own_writable(this.policy), ...write];
    if (allowed.some((root) => is_inside(real, root))) return real;
    if (is_kernel_view(real) && !is_inside(real, "/dev")) throw kernel_view(this.#name(full));
    const outside = `${this.#name(full)} is outside what may be written` +
      (real === full ? "" : ` (it leads to ${real})`);
    const named = folder_to_allow(real, this.policy);
    const is_there = exists(named);
    // Models take the place where they were trained for the workspace: /repo, /testbed, /app.
    if (!is_there && path.dirname(named) === "/") {
      throw new Refusal(`${outside}, and there is no ${named}; the workspace is ${workspace}`);
    }
    const flag = flag_with("--allow-write", named);
    const first = is_there ? "" : "make it and then ";
    const scratch = TEMPORARY.some((folder) => is_inside(real, folder));
    throw new Refusal(`${outside}; the user can ${first}allow it with ${flag}`, flag, scratch);
  }

  /**
   * Puts `bytes` in place of a file, or makes it, its folders too. The old content stays until the new one
   * is whole on the disk. `old` is the file replaced as it was read, null for a new one: what someone else has
   * saved there since stays. Other names of the same file (hard links) keep the old content: they may be outside
   * the workspace.
   */
  replace(
    real: string,
    bytes: Uint8Array,
    old: { readonly bytes: Uint8Array; readonly mode: number } | null,
  ): void {
    this.#try(real, () => {
      if (old !== null) this.refuse_protected(real, old.mode);
      try {
        if (old === null) put_new(real, bytes);
        else put_in_place(real, bytes, old.bytes);
      } catch (error) {
        if (!(error instanceof ChangedSince)) throw error;
        throw new ToolFailure(
          `${this.shown(real)} has just been changed by somebody else; read it again`,
        );
      }
    });
  }

  /** Throws a `ToolFailure` for a file that nobody may write: it was protected by someone. */
  refuse_protected(real: string, mode: number): void {
    if ((mode & 0o222) !== 0) return;
    throw new ToolFailure(`${this.shown(real)} is read-only; if that is wrong, use chmod first`);
  }

  remove(real: string): void {
    this.#try(real, () => Deno.removeSync(real));
  }

  set_mode(real: string, mode: number): void {
    this.#try(real, () => Deno.chmodSync(real, mode & 0o777));
  }

  /** Files that are no longer as the model has read them: of those that it read last. */
  outdated(): readonly Outdated[] {
    return this.seen.outdated().map((file) => ({ ...file, path: this.#name(file.path) }));
  }

  #refuse_secret(real: string, full: string): void {
    if (!is_readable(this.policy, real)) {
      const why = is_denied_by_flag(this.policy, real)
        ? "the user has denied it with --deny-read"
        : `the user can allow it with ${flag_with("--allow-read", real)}`;
      throw new Refusal(`${this.#name(full)} may not be read; ${why}`);
    }
    if (is_secret(real, this.policy)) {
      throw new Refusal(
        `${this.#name(full)} is not shown: files named .env* hold keys (.env.example is fine); ` +
          `the user can allow it with ${flag_with("--allow-read", real)}`,
      );
    }
  }

  /** A path in a message: relative where it is in the workspace, and never without end. */
  #name(full: string): string {
    const shown = this.shown(full);
    return shown.length > 200 ? `${shown.slice(0, 100)}…${shown.slice(-80)}` : shown;
  }

  #try<T>(full: string, work: () => T): T {
    return or_throw(work, (error) => explained(error, this.#name(full)));
  }
}

/** `.env`, `.env.local`, `.envrc`: keys, unless the user names the file or it is there to be copied. */
function is_secret(real: string, { read }: Policy): boolean {
  const name = path.basename(real);
  if (!name.startsWith(".env") || ENV_EXAMPLES.test(name)) return false;
  return read === "all" || !read.includes(real);
}

/** Whether a path is the kernel's own, where nothing is searched. */
export function is_kernel_view(real: string): boolean {
  return !is_inside(real, SHARED_MEMORY) && KERNEL_VIEWS.some((view) => is_inside(real, view));
}

function kernel_view(name: string): Refusal {
  return new Refusal(
    `${name} is the kernel's or another program's, not a file of the project`,
  );
}

function not_a_file(
  { isFifo, isSocket = false }: Pick<Deno.FileInfo, "isFifo"> & { isSocket?: boolean | null },
  name: string,
): ToolFailure {
  const kind = isFifo ? "a pipe" : isSocket ? "a socket" : "a device";
  return new ToolFailure(`${name} is ${kind}, not a regular file`);
}

/** The real path of what exists of `full`, and the rest of it. A dangling link is where it points. */
function real_of(full: string, links = 0): string {
  if (links > MOST_LINKS) throw Object.assign(new Error("too many links"), { code: "ELOOP" });
  try {
    return Deno.realPathSync(full);
  } catch (error) {
    if (code_of(error) !== "ENOENT") throw error;
  }
  const parent = path.dirname(full);
  const link = attempt(() => Deno.readLinkSync(full), null);
  if (link !== null) return real_of(path.resolve(real_of(parent, links + 1), link), links + 1);
  return parent === full ? full : path.join(real_of(parent, links), path.basename(full));
}

const full = (name: string) => `the disk is full: ${name} was left unchanged`;

const FAULTS: Readonly<Record<string, (name: string) => string>> = {
  ENOENT: (name) => `${name} does not exist`,
  ENOTDIR: (name) => `a part of the path of ${name} is not a folder`,
  EISDIR: (name) => `${name} is a folder`,
  ELOOP: (name) => `${name} is a symbolic link that leads to itself`,
  ENAMETOOLONG: (name) => `a part of the path of ${name} is too long`,
  ENOSPC: full,
  EDQUOT: full,
  EFBIG: (name) => `${name} would be larger than is allowed; it was left unchanged`,
  EROFS: (name) => `${name} is on a read-only file system`,
  ETXTBSY: (name) => `${name} is a program that is running`,
};

/** The failure that the model is told about for an error of a file call; anything unknown stays as it is. */
function explained(error: unknown, name: string): unknown {
  if (error instanceof ToolFailure || error instanceof Refusal) return error;
  // Deno's own rights, which are those of the policy.
  if (error instanceof Deno.errors.NotCapable) {
    return new Refusal(`the policy does not allow opening ${name}`);
  }
  const code = code_of(error) ?? "";
  if (Object.hasOwn(FAULTS, code)) return new ToolFailure(FAULTS[code]?.(name) ?? "");
  return is_denied(error) ? new ToolFailure(`no permission to open ${name}`) : error;
}
