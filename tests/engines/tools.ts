/** Programs of others that run hamr: `deno task test:engines`. What can't be had here is skipped, loudly. */
import { fileURLToPath } from "node:url";
import { PROGRAM } from "../support/hamr.ts";

/** For all that is fetched and built, together: it may take minutes on a slow machine. A later run goes on where this one stopped. */
const INSTALL_MS = 60_000;
const in_time = AbortSignal.timeout(INSTALL_MS);
const CACHE = `${Deno.env.get("XDG_CACHE_HOME") ?? `${Deno.env.get("HOME")}/.cache`}/hamr-engines`;

/** What a command came to. */
export interface Ran {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** Runs a command to its end. */
export async function run(
  command: readonly string[],
  options: Omit<Deno.CommandOptions, "args" | "stdout" | "stderr"> = {},
): Promise<Ran> {
  const [name = "", ...args] = command;
  try {
    const { code, stdout, stderr } = await new Deno.Command(name, {
      stdin: "null",
      ...options,
      args,
    }).output();
    const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
    return { code, out: text(stdout), err: text(stderr) };
  } catch (error) {
    return { code: 127, out: "", err: String(error) };
  }
}

/** Says that a test did not take place. */
export function skip(name: string, why: string): null {
  const words = `SKIP ${name}: ${why.trim().split("\n").at(-1)}`;
  // deno-lint-ignore no-console
  console.log(`${"#".repeat(78)}\n# ${words}\n${"#".repeat(78)}`);
  return null;
}

/** A program out of a Go module, built once and kept; null where it can't be had, and that was said. */
export async function go_program(module: string): Promise<string | null> {
  const name = module.replace(/@.*/, "").split("/").at(-1) ?? "";
  const path = `${CACHE}/${name}`;
  if (is_file(path)) return path;
  Deno.mkdirSync(CACHE, { recursive: true });
  const { code, err } = await run(["go", "install", module], {
    env: { GOBIN: CACHE },
    signal: in_time,
  });
  return code === 0 ? path : skip(name, err || `not built within ${INSTALL_MS / 1000} s`);
}

/** The folder of a Go module's files; null where it can't be had, and that was said. */
export async function go_module(module: string): Promise<string | null> {
  const { code, out, err } = await run(["go", "mod", "download", "-json", module], {
    cwd: CACHE,
    env: { GOFLAGS: "-modcacherw", GO111MODULE: "on" },
    signal: in_time,
  });
  if (code !== 0) return skip(module, err || out);
  return JSON.parse(out).Dir;
}

/** A program of a package of Debian; false where it can't be had, and that was said. */
export async function debian(program: string, name: string): Promise<boolean> {
  if ((await run(["which", program])).code === 0) return true;
  const { code, err } = await run(
    ["apt-get", "install", "-y", "-qq", "--no-install-recommends", name],
    { env: { DEBIAN_FRONTEND: "noninteractive" }, signal: in_time },
  );
  if (code !== 0) skip(program, err);
  return code === 0;
}

/** Puts a program `hamr` into a folder, which is what these tests try, and gives a `PATH` that begins with it. */
export function with_hamr(folder: string): string {
  Deno.mkdirSync(folder, { recursive: true });
  const words = PROGRAM.map((word) => `'${word}'`).join(" ");
  Deno.writeTextFileSync(`${folder}/hamr`, `#!/bin/sh\nexec ${words} "$@"\n`, { mode: 0o755 });
  return `${folder}:${Deno.env.get("PATH")}`;
}

/** The block of code in a page of `docs/` that has `mark` in it. */
export function block(page: string, mark: string): string {
  const path = fileURLToPath(new URL(`../../docs/${page}`, import.meta.url));
  const blocks = [...Deno.readTextFileSync(path).matchAll(/^```\w*\n([^]*?)^```$/gm)];
  const found = blocks.map(([, text = ""]) => text).filter((text) => text.includes(mark));
  if (found.length !== 1) throw new Error(`${found.length} blocks of ${page} have ${mark}`);
  return found[0] ?? "";
}

function is_file(path: string): boolean {
  try {
    return Deno.statSync(path).isFile;
  } catch {
    return false;
  }
}

/** A program out of an npm package, installed once and kept; null where it can't be had, and that was said. */
export async function npm_program(specifier: string): Promise<string | null> {
  const name = specifier.replace(/@[^@]*$/, "");
  const modules = await npm_modules([specifier], `.bin/${name}`);
  return modules === null ? null : `${modules}/.bin/${name}`;
}

/** The folder with npm packages, of which `file` tells that they are there; null where they can't be had, and that was said. */
export async function npm_modules(
  specifiers: readonly string[],
  file: string,
): Promise<string | null> {
  const modules = `${CACHE}/node_modules`;
  if (is_file(`${modules}/${file}`)) return modules;
  Deno.mkdirSync(CACHE, { recursive: true });
  const args = [
    "npm",
    "install",
    "--silent",
    "--ignore-scripts",
    "--no-audit",
    "--no-fund",
    "--prefix",
    CACHE,
  ];
  const { code, err } = await run([...args, ...specifiers], { signal: in_time });
  return code === 0 ? modules : skip(specifiers.join(", "), err);
}
