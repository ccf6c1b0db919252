import { attempt } from "../../config/attempt.ts";
import { c_string, LIBRARIES, open_libc } from "../../sandbox/kernel/libc.ts";
import { end_descendants } from "../../sandbox/processes/processes.ts";

/** How long the main thread may be held up by processes that will not end. */
const END_MS = 1000;
const SYMBOLS = { rmdir: { parameters: ["buffer"], result: "i32" } } as const;

/** What the main thread can still do for the end of a run after it has given up its rights. */
export interface LastResort {
  /** Ends every process below `hamr`, blocking. For when the tools worker is lost or hangs. */
  end_processes(): void;
  /** Removes a folder if it is empty. The sandboxed worker can't: that takes the right to write the folder above. */
  remove_empty(folder: string): void;
}

/** Before the rights are given up, and of a program that keeps them: its other processes are left alone. */
export const WITH_RIGHTS: LastResort = {
  end_processes() {},
  remove_empty(folder) {
    remove(folder, { recursive: false });
  },
};

/** Removes a folder of tools that could not start, with what was put there for them. */
export function remove_unused(folder: string): void {
  remove(folder, { recursive: true });
}

function remove(folder: string, how: { readonly recursive: boolean }): void {
  // Once that right is given up, Deno would ask for it on a terminal.
  if (Deno.permissions.querySync({ name: "write", path: folder }).state !== "granted") return;
  // Something is in it, or it is gone.
  attempt(() => Deno.removeSync(folder, how));
}

/** Opens what is needed while that is still allowed; does nothing if there is no such library. */
export function last_resort(): LastResort {
  const rmdir = open_rmdir();
  return {
    end_processes() {
      // Not Linux, or the library was not opened before the rights were given up.
      attempt(() => end_descendants({ limit_ms: END_MS }));
    },
    remove_empty(folder) {
      rmdir?.(c_string(folder));
    },
  };
}

function open_rmdir(): ((path: Uint8Array<ArrayBuffer>) => number) | null {
  if (Deno.build.os !== "linux") return null;
  // Then `end_processes` does nothing.
  attempt(() => open_libc());
  for (const library of LIBRARIES) {
    try {
      return Deno.dlopen(library, SYMBOLS).symbols.rmdir;
    } catch {
      // The other one.
    }
  }
  return null;
}
