import type { Environ } from "../config/paths.ts";
import type { Policy } from "../sandbox/policy.ts";

/** What settings and flags say about permissions. */
export interface Permissions {
  readonly write: readonly string[] | "all";
  readonly net: "none" | "all";
  /** Names of variables that children get besides the usual ones. */
  readonly env: readonly string[];
  readonly sandbox: "auto" | "off";
}

/** Permissions that cannot be given as asked; the message is one line for the person. Exit 3. */
export class PermissionError extends Error {}

/** Variables that programs need to start and behave; no key is among them (issue: flags as in Deno). */
const PASSED = ["PATH", "HOME", "LANG", "TERM", "TZ", "USER", "SHELL", "CI"];

/**
 * The one value that says what tools may do. Makes the run's own folders: `tmp` under the system's, `spill`
 * under `data_dir`, or under `tmp` where there is no such folder.
 */
export function build_policy(
  asked: Permissions,
  place: {
    readonly workspace: string;
    readonly environ: Environ;
    readonly data_dir: string | null;
    readonly session_id: string;
  },
): Policy {
  const { environ } = place;
  const tmp = Deno.realPathSync(Deno.makeTempDirSync({ prefix: "hamr-" }));
  const spill = spill_folder(place.data_dir, place.session_id) ?? make(`${tmp}/output`);
  remove_if_unused([spill, tmp]);
  const write = asked.write === "all"
    ? "all"
    : asked.write.map((path) => real(path, environ["HOME"] ?? ""));
  const env: Record<string, string> = {};
  for (const [name, value] of Object.entries(environ)) {
    const passed = PASSED.includes(name) || name.startsWith("LC_") || asked.env.includes(name);
    if (passed && value !== undefined) env[name] = value;
  }
  // `AGENT` lets scripts see who runs them, as other agents do.
  Object.assign(env, { TMPDIR: tmp, AGENT: "hamr" });
  env["PATH"] ??= "/usr/local/bin:/usr/bin:/bin";
  const { net, sandbox } = asked;
  return { workspace: place.workspace, tmp, spill, write, net, env, sandbox };
}

/** Where long outputs are kept, by session. */
function outputs_of(data_dir: string): string {
  return `${data_dir}/tool-output`;
}

/** Removes kept outputs older than `days`; 0 keeps them for ever. What cannot be removed stays. */
export function prune_outputs(data_dir: string | null, days: number): void {
  if (data_dir === null || days === 0) return;
  const oldest = Date.now() - days * 86_400_000;
  const root = outputs_of(data_dir);
  for (const name of names_in(root)) {
    try {
      const folder = `${root}/${name}`;
      const time = Deno.lstatSync(folder).mtime?.getTime() ?? Date.now();
      if (time < oldest) Deno.removeSync(folder, { recursive: true });
    } catch {
      // Another run is clearing it too, or it is somebody else's.
    }
  }
}

function names_in(folder: string): string[] {
  try {
    return [...Deno.readDirSync(folder)].map(({ name }) => name);
  } catch {
    return []; // There is no such folder yet.
  }
}

/** Should the program end before its tools were ever started, its empty folders do not stay behind. */
function remove_if_unused(folders: readonly string[]): void {
  globalThis.addEventListener("unload", () => {
    for (const folder of folders) {
      try {
        Deno.removeSync(folder);
      } catch {
        // In use, or gone with the tools; then the right to remove it is gone too.
      }
    }
  });
}

function spill_folder(data_dir: string | null, session_id: string): string | null {
  if (data_dir === null) return null;
  try {
    return make(`${outputs_of(data_dir)}/${session_id}`);
  } catch {
    return null; // A home that is read-only or full: outputs last as long as the run.
  }
}

function make(folder: string): string {
  Deno.mkdirSync(folder, { recursive: true, mode: 0o700 });
  return Deno.realPathSync(folder);
}

function real(path: string, home: string): string {
  const expanded = /^~(\/|$)/.test(path) ? home + path.slice(1) : path;
  try {
    return Deno.realPathSync(expanded);
  } catch {
    throw new PermissionError(
      `--allow-write=${path}: there is no such file or folder; make it first`,
    );
  }
}
