import { createHash } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import type { Policy } from "../sandbox/policy.ts";
import { Refusal, ToolFailure } from "./failure.ts";

/** An open regular file, or a folder. */
export type Opened =
  | {
    readonly kind: "file";
    readonly fd: number;
    /** Bytes. */
    readonly size: number;
    readonly mode: number;
    readonly real: string;
  }
  | { readonly kind: "folder"; readonly real: string };

/** Linux refuses longer paths (PATH_MAX). */
const PATH_BYTES = 4096;

/** Kernel views, not files: `/proc/self/environ` holds the keys of `hamr` itself. */
const KERNEL_VIEWS = ["/proc", "/sys", "/dev"];

/**
 * The file access of the tools. Only synchronous calls: these run on the restricted thread itself, so that
 * the kernel judges each of them; an async call would run on another thread and escape the sandbox.
 */
export class Files {
  /** What each file looked like when it was last read or written here, by real path. */
  readonly #seen = new Map<string, string>();

  constructor(private readonly policy: Policy) {}

  /** The absolute path that a model's `path` means: relative to the workspace, `~` is the home folder. */
  locate(given: string): string {
    if (given.includes("\0")) throw new ToolFailure("the path has a NUL byte");
    const home = this.policy.env["HOME"];
    const expanded = home !== undefined && /^~(\/|$)/.test(given) ? home + given.slice(1) : given;
    const full = path.resolve(this.policy.workspace, expanded);
    if (new TextEncoder().encode(full).length >= PATH_BYTES) {
      throw new ToolFailure(`the path is longer than ${PATH_BYTES} bytes`);
    }
    return full;
  }

  /** How a path is shown: relative where it lies in the workspace. */
  shown(full: string): string {
    const relative = path.relative(this.policy.workspace, full);
    return relative === "" ? "." : relative.startsWith("..") ? full : relative;
  }

  /** Opens for reading. Never waits: a pipe or a device is refused, not read. The caller closes `fd`. */
  open(full: string): Opened {
    const fd = this.#try(
      full,
      () => fs.openSync(full, fs.constants.O_RDONLY | fs.constants.O_NONBLOCK),
    );
    try {
      const stat = fs.fstatSync(fd);
      const real = opened_path(fd, full);
      if (KERNEL_VIEWS.some((view) => real === view || real.startsWith(`${view}/`))) {
        throw new Refusal(
          `${given_name(full)} is the kernel's or another program's, not a file of the project`,
        );
      }
      if (stat.isDirectory()) {
        fs.closeSync(fd);
        return { kind: "folder", real };
      }
      if (!stat.isFile()) throw new ToolFailure(`${given_name(full)} is not a regular file`);
      return { kind: "file", fd, size: stat.size, mode: stat.mode, real };
    } catch (error) {
      try {
        fs.closeSync(fd);
      } catch {
        // Closed above already.
      }
      throw error;
    }
  }

  /** A whole file of at most `limit` bytes. */
  read(
    full: string,
    limit: number,
  ): { readonly bytes: Uint8Array; readonly real: string; readonly mode: number } {
    const opened = this.open(full);
    if (opened.kind === "folder") throw new ToolFailure(`${given_name(full)} is a folder`);
    try {
      if (opened.size > limit) {
        throw new ToolFailure(
          `${given_name(full)} has ${opened.size} bytes; at most ${limit} can be edited: use bash`,
        );
      }
      const bytes = new Uint8Array(fs.readFileSync(opened.fd));
      return { bytes, real: opened.real, mode: opened.mode };
    } finally {
      this.close(opened);
    }
  }

  /** Bytes from a place in an open file; fewer than asked for only at its end. */
  read_at(opened: { readonly fd: number }, into: Uint8Array, position: number): number {
    return fs.readSync(opened.fd, into, 0, into.length, position);
  }

  close(opened: { readonly fd: number }): void {
    fs.closeSync(opened.fd);
  }

  /** Whether anything of that name exists, a dangling link included. */
  exists(full: string): boolean {
    return this.#try(full, () => fs.lstatSync(full, { throwIfNoEntry: false }) !== undefined);
  }

  /** Content hash as the ledger has it. */
  hash(bytes: Uint8Array): string {
    return hash(bytes);
  }

  /** Where a write to `full` would really go, symlinks followed. Refused where the policy does not reach. */
  target(full: string): string {
    const real = this.#try(full, () => real_of(full));
    const { write, workspace, tmp, spill } = this.policy;
    if (write === "all") return real;
    const allowed = [workspace, tmp, spill, ...write];
    if (allowed.some((root) => real === root || real.startsWith(root === "/" ? "/" : `${root}/`))) {
      return real;
    }
    throw new Refusal(
      `${given_name(full)} lies outside what may be written` +
        (real === full ? "" : ` (it leads to ${real})`) +
        `; the person can allow it with --allow-write=${path.dirname(real)}`,
    );
  }

  /**
   * Puts `bytes` in place of a file, or makes it, its folders too. The old content stays until the new one
   * is whole on the disk. `mode` is that of the file replaced.
   */
  replace(real: string, bytes: Uint8Array, mode: number | null): void {
    this.#try(real, () => {
      fs.mkdirSync(path.dirname(real), { recursive: true });
      const old = mode === null ? null : fs.statSync(real);
      const beside = path.join(
        path.dirname(real),
        `.${path.basename(real).slice(0, 200)}.hamr-${crypto.randomUUID().slice(0, 8)}`,
      );
      try {
        write_new(beside, bytes);
        if (old !== null) keep_owner_and_mode(beside, old);
        fs.renameSync(beside, real);
      } catch (error) {
        fs.rmSync(beside, { force: true });
        // A single file may be allowed in a folder that is not: then it can only be written in place.
        if (mode === null || !is_denied(error)) throw error;
        fs.writeFileSync(real, bytes);
      }
    });
    this.saw(real);
  }

  /** Notes that the model knows the content of this file as it is now. */
  saw(real: string): void {
    this.#seen.set(real, looks(real));
  }

  /** Whether the model has seen this file, and whether it is still as it was then. */
  seen(real: string): "never" | "changed" | "same" {
    const then = this.#seen.get(real);
    return then === undefined ? "never" : then === looks(real) ? "same" : "changed";
  }

  #try<T>(full: string, work: () => T): T {
    try {
      return work();
    } catch (error) {
      throw this.#explained(error, full);
    }
  }

  #explained(error: unknown, full: string): unknown {
    const name = given_name(full);
    const code = code_of(error);
    switch (code) {
      case "ENOENT":
        return new ToolFailure(`${name} does not exist`);
      case "ENOTDIR":
        return new ToolFailure(`a part of the path of ${name} is not a folder`);
      case "EISDIR":
        return new ToolFailure(`${name} is a folder`);
      case "ELOOP":
        return new ToolFailure(`${name} is a symbolic link that leads to itself`);
      case "ENAMETOOLONG":
        return new ToolFailure(`a part of the path of ${name} is too long`);
      case "ENOSPC":
      case "EDQUOT":
        return new ToolFailure(`the disk is full: ${name} was left as it was`);
      case "EROFS":
        return new ToolFailure(`${name} is on a read-only file system`);
    }
    if (is_denied(error)) return new Refusal(`no permission to open ${name}`);
    return error;
  }
}

/** Content hash as the ledger has it. */
export function hash(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}

function given_name(full: string): string {
  return full.length > 200 ? `${full.slice(0, 100)}…${full.slice(-80)}` : full;
}

/** The real path of what exists of `full`, and the rest of it. A dangling link is where it points. */
function real_of(full: string, depth = 0): string {
  // Linux follows at most 40 links.
  if (depth > 40) throw Object.assign(new Error("too many links"), { code: "ELOOP" });
  try {
    return fs.realpathSync(full);
  } catch (error) {
    if (code_of(error) !== "ENOENT") throw error;
  }
  const parent = path.dirname(full);
  const link = link_target(full);
  if (link !== null) return real_of(path.resolve(real_of(parent, depth + 1), link), depth + 1);
  return parent === full ? full : path.join(real_of(parent, depth), path.basename(full));
}

/** What an open file really is: asked of the descriptor, so that nothing can be swapped in between. */
function opened_path(fd: number, full: string): string {
  try {
    return fs.readlinkSync(`/proc/self/fd/${fd}`);
  } catch {
    // No /proc (macOS): the path is all there is.
    return fs.realpathSync(full);
  }
}

function link_target(full: string): string | null {
  try {
    return fs.readlinkSync(full);
  } catch {
    return null;
  }
}

function write_new(file: string, bytes: Uint8Array): void {
  const fd = fs.openSync(file, "wx", 0o666);
  try {
    let at = 0;
    while (at < bytes.length) at += fs.writeSync(fd, bytes, at);
  } finally {
    fs.closeSync(fd);
  }
}

function keep_owner_and_mode(file: string, old: fs.Stats): void {
  const now = fs.statSync(file);
  if (now.uid !== old.uid || now.gid !== old.gid) fs.chownSync(file, old.uid, old.gid);
  fs.chmodSync(file, old.mode & 0o7777);
}

function looks(real: string): string {
  try {
    const stat = fs.statSync(real);
    return `${stat.ino}:${stat.size}:${stat.mtimeMs}:${stat.ctimeMs}`;
  } catch {
    return "gone";
  }
}

function code_of(error: unknown): string {
  return error instanceof Error && "code" in error && typeof error.code === "string"
    ? error.code
    : "";
}

function is_denied(error: unknown): boolean {
  return ["EACCES", "EPERM"].includes(code_of(error)) || error instanceof Deno.errors.NotCapable ||
    error instanceof Deno.errors.PermissionDenied;
}
