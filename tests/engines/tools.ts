/**
 * Programs of others that run hamr: `deno task test:engines`. What is not available here is skipped, loudly. Run by itself, this gets
 * them all beforehand, beside other work.
 */
import { fileURLToPath } from "node:url";
import { PROGRAM } from "../support/hamr.ts";
import { skip as skip_loudly } from "../support/skip.ts";

/** For what one file of tests fetches and builds, in all: it may take minutes on a slow machine. A later run goes on where this one stopped. */
const INSTALL_MS = 120_000;
let left_ms = INSTALL_MS;
const CACHE = `${Deno.env.get("XDG_CACHE_HOME") ?? `${Deno.env.get("HOME")}/.cache`}/hamr-engines`;

/** What `deno task test:engines` takes, by its one version. */
export const act = () => go_program("github.com/nektos/act@v0.2.89");
export const nfpm = () => go_program("github.com/goreleaser/nfpm/v2/cmd/nfpm@v2.43.1");
export const kubeconform = () => go_program("github.com/yannh/kubeconform/cmd/kubeconform@v0.7.0");
export const kubernetes = () => go_module("k8s.io/kubernetes@v1.34.1");
/** The last version that is JavaScript alone: later ones compile a library for more than a minute. */
export const gitlab = () => npm_program("gitlab-ci-local@4.55.0");
/** The everyday programs of Node that few machines have for all. */
export const node_tools = () =>
  npm_modules(["jest@30.2.0", "typescript@5.9.3", "vite@7.2.4"], ".bin/vite");
const DEBIAN = [
  // For `tests/report_test.ts` and `scripts/release/release_test.ts`.
  ...[["xmllint", "libxml2-utils"], ["shellcheck", "shellcheck"]] as const,
  ...[["parallel", "parallel"], ["rsync", "rsync"], ["rpm", "rpm"], [
    "chromium",
    "chromium",
  ]] as const,
] as const;

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

/** Runs a command that fetches or builds something. */
async function install(
  command: readonly string[],
  options: Parameters<typeof run>[1] = {},
): Promise<Ran> {
  const began = performance.now();
  const signal = AbortSignal.timeout(Math.max(left_ms, 1));
  const ran = await run(command, { ...options, signal });
  left_ms -= performance.now() - began;
  if (!signal.aborted) return ran;
  return {
    ...ran,
    err: `${ran.err}\nnot there within ${INSTALL_MS / 1000} s; the next try goes on`,
  };
}

/** Says that a test did not take place. */
export function skip(name: string, why: string): null {
  return skip_loudly(`${name}: ${why.trim().split("\n").at(-1)}`);
}

/** Neither optimized nor for a debugger: building takes two thirds of the processor time, and these run for moments. */
const QUICK = ["-ldflags=-s -w", "-gcflags=all=-N -l -dwarf=false"];

/** A program out of a Go module, built once and kept; null where it is not available, which was reported. */
export async function go_program(module: string): Promise<string | null> {
  const name = module.replace(/@.*/, "").split("/").at(-1) ?? "";
  const path = `${CACHE}/${name}`;
  if (is_file(path)) return path;
  Deno.mkdirSync(CACHE, { recursive: true });
  const { code, err } = await install(["go", "install", ...QUICK, module], {
    env: { GOBIN: CACHE },
  });
  return code === 0 ? path : skip(name, err);
}

/** The folder of a Go module's files; null where it is not available, which was reported. */
export async function go_module(module: string): Promise<string | null> {
  Deno.mkdirSync(CACHE, { recursive: true });
  const { code, out, err } = await install(["go", "mod", "download", "-json", module], {
    cwd: CACHE,
    env: { GOFLAGS: "-modcacherw", GO111MODULE: "on" },
  });
  if (code !== 0) return skip(module, err || out);
  return JSON.parse(out).Dir;
}

/** A program of a package of Debian; false where it is not available, which was reported. */
export async function debian(program: string, name: string): Promise<boolean> {
  if ((await run(["which", program])).code === 0) return true;
  const apt = (...args: string[]) =>
    install(["apt-get", ...args, "-qq"], { env: { DEBIAN_FRONTEND: "noninteractive" } });
  const packages = ["install", "-y", "--no-install-recommends", name];
  let { code, err } = await apt(...packages);
  // The lists of a fresh machine are old, or empty.
  if (code !== 0 && (await apt("update")).code === 0) ({ code, err } = await apt(...packages));
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

/** A program out of an npm package, installed once and kept; null where it is not available, which was reported. */
export async function npm_program(specifier: string): Promise<string | null> {
  const name = specifier.replace(/@[^@]*$/, "");
  const modules = await npm_modules([specifier], `.bin/${name}`);
  return modules === null ? null : `${modules}/.bin/${name}`;
}

/** The folder with npm packages, of which `file` tells that they are there; null where they are not available, which was reported. */
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
  const { code, err } = await install([...args, ...specifiers]);
  return code === 0 ? modules : skip(specifiers.join(", "), err);
}

if (import.meta.main) {
  left_ms = 3 * INSTALL_MS;
  for (const [program, name] of DEBIAN) await debian(program, name);
  for (const get of [node_tools, act, kubernetes, kubeconform, nfpm, gitlab]) await get();
}
