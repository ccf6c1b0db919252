import { is_inside, real_or } from "../config/paths.ts";
import { read_where } from "../sandbox/kernel/read_inside.ts";
import { ANY_EXECUTE, exists, expanded, missing } from "./paths.ts";

/** How commands themselves are started; listed or not, without these there is no shell. */
const SHELL = ["/bin/bash", "/usr/bin/setsid"];
/** Folders of programs that a program starts as a part of itself. */
const PARTS: Readonly<Record<string, readonly string[]>> = {
  git: ["/usr/lib/git-core", "/usr/libexec/git-core"],
};
/** A script names another script, that one an interpreter; longer chains the kernel does not follow either. */
const MOST_INTERPRETERS = 5;
/** Where a program's first lines and its program headers stand. */
const AT_HEAD = { most: 4096, may: () => true };
/** `Elf64_Ehdr` and `Elf64_Phdr` of elf.h, little-endian. */
const ELF = { header_at: 0x20, entry_bytes: 0x36, entries: 0x38 } as const;
const PT_INTERP = 3;

/** What runs commands where there is no `/bin/bash`: bash from `PATH`, else `/bin/sh`; null if there is neither. */
export function shell_in(path: string): string | null {
  const bash = find("bash", { home: "", path });
  // By that name: it may be a program of many, which goes by what it is called.
  return bash ?? (find("/bin/sh", { home: "", path }) === null ? null : "/bin/sh");
}

/**
 * The files and folders that have to be executable for these programs to run (real paths): each program, found as a shell
 * would find it, with its loader and, for a script, its interpreter; a folder with all that is in it.
 * @throws {PermissionError} naming the program that is not there.
 */
export function executables(
  names: readonly string[],
  place: { readonly home: string; readonly path: string },
): string[] {
  const found = new Set<string>();
  for (const name of [...SHELL, ...names]) {
    const file = find(name, place);
    if (file === null) {
      // The shell's own helper is not there on every system; its absence is dealt with where it is used.
      if (SHELL.includes(name)) continue;
      throw missing({ list: "run", name, fault: "there is no such program or folder" });
    }
    add(file, { found, path: place.path, left: MOST_INTERPRETERS });
    for (const part of PARTS[name.slice(name.lastIndexOf("/") + 1)] ?? []) {
      if (exists(part)) found.add(real_or(part));
    }
  }
  return [...found].filter((file) =>
    ![...found].some((other) => other !== file && is_inside(file, other))
  );
}

/** The real path of what a name means; null if nothing of that name can be started. */
function find(name: string, { home, path }: { home: string; path: string }): string | null {
  const places = name.includes("/") || name.startsWith("~")
    ? [expanded(name, home)]
    : path.split(":").filter((folder) => folder.startsWith("/")).map((at) => `${at}/${name}`);
  for (const place of places) {
    if (place === null) continue;
    try {
      const real = Deno.realPathSync(place);
      const { isDirectory, isFile, mode } = Deno.statSync(real);
      if (name.includes("/") && isDirectory) return real;
      if (isFile && ((mode ?? 0) & ANY_EXECUTE) !== 0) return real;
    } catch {
      // Not in this folder.
    }
  }
  return null;
}

function add(
  file: string,
  to: { readonly found: Set<string>; readonly path: string; readonly left: number },
): void {
  const { found, path, left } = to;
  if (found.has(file) || left === 0) return;
  found.add(file);
  for (const name of interpreters(read_where(file, AT_HEAD) ?? new Uint8Array())) {
    const next = find(name, { home: "", path });
    if (next !== null) add(next, { ...to, left: left - 1 });
  }
}

/** What the kernel, or `env`, starts to run a file: its loader, or what its first line names. */
function interpreters(bytes: Uint8Array<ArrayBuffer>): string[] {
  if (bytes[0] === 0x23 && bytes[1] === 0x21) {
    const line = new TextDecoder().decode(bytes).split("\n")[0] ?? "";
    const [program = "", ...words] = line.slice(2).trim().split(/\s+/);
    const by_env = program.endsWith("/env")
      ? words.filter((word) => !word.startsWith("-") && !word.includes("=")).slice(0, 1)
      : [];
    return [program, ...by_env];
  }
  const loader = loader_of(bytes);
  return loader === null ? [] : [loader];
}

/** The loader that a 64-bit ELF file asks for; null for anything else, and for a static program. */
function loader_of(bytes: Uint8Array<ArrayBuffer>): string | null {
  const is_elf64 = bytes.length > ELF.entries + 2 &&
    new TextDecoder().decode(bytes.subarray(1, 4)) === "ELF" && bytes[4] === 2;
  if (!is_elf64) return null;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const start = Number(view.getBigUint64(ELF.header_at, true));
  const size = view.getUint16(ELF.entry_bytes, true);
  for (let i = 0; i < view.getUint16(ELF.entries, true); i++) {
    const at = start + i * size;
    if (at + size > bytes.length) return null;
    if (view.getUint32(at, true) !== PT_INTERP) continue;
    const offset = Number(view.getBigUint64(at + 8, true));
    const length = Number(view.getBigUint64(at + 32, true));
    return new TextDecoder().decode(bytes.subarray(offset, offset + length - 1));
  }
  return null;
}
