/** What exists but cannot be looked at: that can be said, and what comes into sight later is not mistaken for new. */
import { is_gone } from "../config/paths.ts";
import { is_denied } from "../permission/file_faults.ts";

/** They are named, and nobody reads more. */
const MOST = 1000;

/** That of one tree; paths are relative to its top, folders with `/` at the end. */
export class Unreadable {
  readonly #closed = new Set<string>();
  /** Those not simply closed to us from the start: they were open before, or the system failed. */
  readonly #failed = new Set<string>();
  readonly #told = new Set<string>();

  constructor(private readonly top: string) {}

  /** Something could not be looked at; false if it is gone. `at_once`: it was so from the start, which is a way to keep programs out. */
  add(path: string, at_once: boolean, why = this.#why(path)): boolean {
    if (why === null) {
      this.gone(path);
      return false;
    }
    if (!at_once && !this.#closed.has(path)) this.#tell(path);
    if (!at_once || why === "failed") this.#failed.add(path);
    this.#closed.add(path);
    return true;
  }

  has(path: string): boolean {
    return this.#closed.has(path);
  }

  covers(path: string): boolean {
    return [...this.#closed].some((one) =>
      one === "" || (one.endsWith("/") && path.startsWith(one))
    );
  }

  /** It has been looked at. True if the last time it could not be. */
  open(path: string): boolean {
    if (this.#closed.size === 0) return false;
    this.#failed.delete(path);
    const was_closed = this.#closed.delete(path);
    if (was_closed) this.#tell(path);
    return was_closed;
  }

  gone(path: string): void {
    const found = path.endsWith("/")
      ? [...this.#closed].filter((one) => one.startsWith(path))
      : [path];
    for (const one of found) {
      this.#closed.delete(one);
      this.#failed.delete(one);
    }
  }

  /** What could be looked at, or should have been, and cannot. */
  failed(): readonly string[] {
    return uppermost(this.#failed);
  }

  take(): readonly string[] {
    const told = uppermost(this.#told);
    this.#told.clear();
    return told;
  }

  #tell(path: string): void {
    if (this.#told.size < MOST) this.#told.add(path);
  }

  /** Null if it is gone; the top can't be. */
  #why(path: string): "closed" | "failed" | null {
    const is_folder = path === "" || path.endsWith("/");
    const full = `${this.top}/${path}`.replace(/\/$/, "");
    try {
      // A link that has taken the place of the top leads to nothing that was looked at.
      if (Deno.lstatSync(full).isDirectory !== is_folder) return path === "" ? "failed" : null;
      // With the dot no pipe is waited for that has taken its place.
      if (is_folder) Deno.openSync(`${full}/.`).close();
      return "failed";
    } catch (error) {
      if (is_gone(error) && path !== "") return null;
      return is_denied(error) ? "closed" : "failed";
    }
  }
}

/** Without what lies in another one of them. */
function uppermost(paths: ReadonlySet<string>): readonly string[] {
  let above = "\0";
  return [...paths].sort().filter((path) => {
    if (path.startsWith(above)) return false;
    if (path === "" || path.endsWith("/")) above = path;
    return true;
  });
}
