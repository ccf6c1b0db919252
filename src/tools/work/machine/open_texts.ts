/** Unsaved text in the editor that hamr was started from. On the tools worker. */
import { Shell } from "../shell/shell.ts";
import type { Policy } from "../../../sandbox/policy.ts";
import { Files } from "./files.ts";
import { is_inside } from "../../../config/paths.ts";
import { runs_below } from "../../../sandbox/processes/processes.ts";
import type { EditorFiles, EditorRequest } from "../../editor.ts";
import { ToolFailure } from "../../failure.ts";

/** A larger file is not asked for: all of its text goes through two pipes. As for `edit`. */
const ASKED_BYTES = 20 * 1024 * 1024;
const MARK = "\ufeff";

interface Around {
  readonly policy: Policy;
  readonly files: Files;
  readonly shell: Shell;
  readonly signal: AbortSignal;
}

export interface Unsaved {
  /** Of the file, links followed. */
  readonly real: string;
  /** As the editor has it: some leave out the mark at the beginning, carriage returns, the last line end. */
  readonly text: string;
  /** A text of the editor's as its file would have it. */
  saved(text: string): Uint8Array<ArrayBuffer>;
}

export class OpenTexts {
  readonly #waiting = new Map<number, (answer: string | null) => void>();
  /** What the model has read and the disk does not have, by real path. */
  readonly #shown = new Map<string, string>();
  #next = 1;

  constructor(
    private readonly editor: Pick<EditorFiles, "writes">,
    private readonly post: (id: number, request: EditorRequest) => void,
  ) {}

  take({ id, answer }: { id: number; answer: string | null }): void {
    this.#waiting.get(id)?.(answer);
    this.#waiting.delete(id);
  }

  /** What the editor has of a file that differs from the disk; null: nothing, or it is not asked. Throws as opening the file does. */
  async unsaved(full: string, machine: Around): Promise<Unsaved | null> {
    const file = this.#asked(full, machine);
    if (file === null) return null;
    const { real, text: disk } = file;
    const started = machine.shell.sessions.size;
    const text = await this.#ask({ path: real }, machine.signal);
    // What has run in the meantime may have led the editor elsewhere.
    if (started !== machine.shell.sessions.size || !is_alone(machine)) return null;
    if (text === null || same(text, disk)) {
      this.#shown.delete(real);
      return null;
    }
    return { real, text, saved: (text) => as_in(disk, text) };
  }

  showed({ real, text }: Unsaved): void {
    this.#shown.set(real, text);
  }

  /** Throws a `ToolFailure` where the editor has anything else than the model was shown. */
  refuse_unseen(path: string, { real, text }: Unsaved): void {
    if (this.#shown.get(real) === text) return;
    throw new ToolFailure(
      `${path} has unsaved changes in the user's editor that you have not seen; read it again`,
    );
  }

  /** Has the editor replace its text and save it; returns what is then on the disk. Throws a `ToolFailure` if it did not. */
  async put(
    unsaved: Unsaved,
    after: string,
    machine: Around,
  ): Promise<{ readonly bytes: Uint8Array; readonly exactly: boolean }> {
    const { real } = unsaved;
    const name = machine.files.shown(real);
    // Other names of the file may be outside the workspace.
    const is_shared = (Deno.lstatSync(real).nlink ?? 1) > 1;
    if (!this.editor.writes || is_shared || this.#asked(real, machine) === null) {
      throw new ToolFailure(
        `${name} has unsaved changes in the user's editor, so it was not changed; ask the user to save it first`,
      );
    }
    const before = machine.files.read(real, ASKED_BYTES).bytes;
    const answer = await this.#ask({ path: real, content: after }, machine.signal);
    const { bytes } = machine.files.read(real, ASKED_BYTES);
    const now = new TextDecoder().decode(bytes);
    const exactly = same(now, after);
    if (!exactly && (answer === null || same(now, new TextDecoder().decode(before)))) {
      throw new ToolFailure(
        `${name} has unsaved changes in the user's editor, and the editor did not save yours; ` +
          "ask the user to save the file, then read it again",
      );
    }
    this.#shown.delete(real);
    return { bytes, exactly };
  }

  /** A file that the editor may be asked for, with its text: in the workspace, openable, and nothing runs that could swap a folder. */
  #asked(full: string, machine: Around): { readonly real: string; readonly text: string } | null {
    const { files, policy: { workspace } } = machine;
    const opened = files.open(full);
    if (opened.kind === "folder") return null;
    try {
      const { real, size } = opened;
      if (!is_inside(real, workspace) || size > ASKED_BYTES) return null;
      const bytes = new Uint8Array(size);
      files.read_at(opened, bytes, 0);
      // Since nothing runs that could change it, the path leads where it has led.
      if (bytes.includes(0) || !is_alone(machine) || !is_at(opened, files)) return null;
      const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
      return { real, text: decoder.decode(bytes) };
    } catch (error) {
      if (error instanceof TypeError) return null; // No UTF-8.
      throw error;
    } finally {
      files.close(opened);
    }
  }

  async #ask(request: EditorRequest, signal: AbortSignal): Promise<string | null> {
    const id = this.#next++;
    const { promise, resolve } = Promise.withResolvers<string | null>();
    const leave = () => resolve(null);
    this.#waiting.set(id, resolve);
    signal.addEventListener("abort", leave, { once: true });
    this.post(id, request);
    try {
      return signal.aborted ? null : await promise;
    } finally {
      signal.removeEventListener("abort", leave);
      this.#waiting.delete(id);
    }
  }
}

/** Whether nothing runs but `hamr` and what keeps its time limits. */
function is_alone({ shell: { reaper } }: Around): boolean {
  return !runs_below((pid) => pid !== reaper);
}

/** Whether an open file is what is at its path, no link on the way. */
function is_at({ real, version }: { real: string; version: string }, files: Files): boolean {
  const again = files.open(real);
  if (again.kind === "folder") return false;
  files.close(again);
  return again.real === real && again.version === version;
}

function same(one: string, other: string): boolean {
  const plain = (text: string) =>
    text.replace(MARK, "").replaceAll("\r\n", "\n").replace(/\n$/, "");
  return plain(one) === plain(other);
}

/** A text with what an editor leaves out of it, where the file has that. */
function as_in(disk: string, text: string): Uint8Array<ArrayBuffer> {
  const mark = disk.startsWith(MARK) && !text.startsWith(MARK) ? MARK : "";
  const end = /\n$/.test(disk) && text !== "" && !text.endsWith("\n") ? "\n" : "";
  const lines = mark + text + end;
  const returns = disk.includes("\r\n") && !text.includes("\r\n");
  return new TextEncoder().encode(returns ? lines.replaceAll("\n", "\r\n") : lines);
}
