import { attempt } from "../config/attempt.ts";
import type { Policy } from "../sandbox/policy.ts";
import { caches } from "./caches.ts";
import { git_folder } from "./git_folder.ts";

/**
 * Makes the run's own folders, leads the caches of tools into one of them, and finds what else belongs to the workspace: git's
 * common folder. Where the data folder can't be written (a home that is read-only or full), outputs and caches last as long as the run.
 * @throws where not even the temporary folder can be made.
 */
export function settle(policy: Policy): Policy {
  return lead_caches(make_folders(policy));
}

/**
 * Makes the run's own folders, and finds git's common one.
 * @throws where not even the temporary folder can be made.
 */
export function make_folders(policy: Policy): Policy {
  const tmp = make(policy.tmp, { fresh: true });
  const spill = make_or_null(policy.spill) ?? make(`${tmp}/output`);
  const cache = make_or_null(policy.cache) ?? make(`${tmp}/cache`);
  // The caches stay: another run of this workspace may be about to use them.
  remove_if_unused([spill, `${tmp}/output`, `${tmp}/cache`, tmp]);
  return { ...policy, tmp, spill, cache, git: git_folder(policy.workspace) };
}

/** Leads the caches of tools into the folder that is there for them. */
export function lead_caches(settled: Policy): Policy {
  const { env, lent, files } = caches(settled);
  for (const { path, text } of files) {
    Deno.mkdirSync(path.slice(0, path.lastIndexOf("/")), { recursive: true, mode: 0o700 });
    Deno.writeTextFileSync(path, text, { mode: 0o600 });
  }
  return { ...settled, lent, env: { ...env, ...settled.env, TMPDIR: settled.tmp } };
}

/** Should the program end before its tools were ever started, its empty folders do not stay behind. */
function remove_if_unused(folders: readonly string[]): void {
  globalThis.addEventListener("unload", () => {
    for (const path of folders) {
      // Once that right is given up, Deno would ask for it on a terminal, and the program would hang.
      if (Deno.permissions.querySync({ name: "write", path }).state !== "granted") continue;
      // It may be in use, or gone with the tools.
      attempt(() => Deno.removeSync(path));
    }
  });
}

function make_or_null(folder: string): string | null {
  return attempt(() => make(folder), null);
}

function make(folder: string, { fresh = false } = {}): string {
  // A folder that is there already is someone else's.
  Deno.mkdirSync(folder, { recursive: !fresh, mode: 0o700 });
  const real = Deno.realPathSync(folder);
  const [, around = "", name = ""] = /^(.*)\/([^/]*)$/s.exec(folder) ?? [];
  if (fresh && real !== `${Deno.realPathSync(around || "/").replace(/\/$/, "")}/${name}`) {
    throw new Error(`${folder} is not the folder that was made: somebody else can write ${around}`);
  }
  return real;
}
