/** Tells why the sandbox would refuse a path, by the policy and by what is on the disk; null if it would not. */
import { is_inside } from "../config/paths.ts";
import { flag_with } from "../config/text.ts";
import { own_folders, own_writable, type Policy } from "../sandbox/policy.ts";
import {
  is_denied_by_flag,
  is_key_place,
  is_readable,
  key_place_in,
  real_of_missing,
} from "../sandbox/scope/read_scope.ts";
import { LATER_JOBS, SYSTEM_PACKAGES } from "./hint_words.ts";
import { is_program, stat_or_null } from "./paths.ts";

/** A hint, and what it stands for: of several with the same key one is enough. */
export interface Hint {
  readonly key: string;
  readonly text: string;
}

/** Rights of a file's owner, and of its group and all others, as in its mode. */
const MAY_READ = { own: 0o400, other: 0o044 };
const MAY_WRITE = { own: 0o200, other: 0o022 };

/** Executing it. `path` is absolute; a program may stand with its arguments behind it. */
export function run_refusal(path: string, policy: Policy): Hint | null {
  const file = stat_or_null(path) === null ? path.split(" ")[0] ?? path : path;
  const { run } = policy;
  if (run === "all" || !is_program(file)) return null;
  if (run.some((root) => is_inside(real_of_missing(file), root))) return null;
  const name = file.slice(file.lastIndexOf("/") + 1);
  return run_hint(find_program(name, policy) === file ? name : file);
}

/** Executing what a bare name means. */
export function program_refusal(name: string, policy: Policy): Hint | null {
  const file = policy.run === "all" ? null : find_program(name, policy);
  return file === null ? null : run_refusal(file, policy);
}

function run_hint(name: string): Hint {
  const flag = flag_with("--allow-run", name);
  return {
    key: flag,
    text: `the sandbox does not allow running ${name}; the user can allow it with ${flag}`,
  };
}

export function read_refusal(path: string, policy: Policy): Hint | null {
  // To bash this is an address, and no file: what was refused is a connection.
  if (/^\/dev\/(?:tcp|udp)\//.test(path)) return null;
  const real = real_of_missing(path);
  if (LATER_JOBS.some((folder) => is_inside(real, folder))) return later_job();
  if (!is_readable(policy, real)) {
    if (is_inside(real, "/dev/pts")) {
      return {
        key: "terminal",
        text: "the sandbox opens no terminal by its name (it could be the user's); " +
          "openpty, script and tmux make new ones",
      };
    }
    if (!system_allows(real, MAY_READ, policy.tmp)) return null;
    if (is_denied_by_flag(policy, real)) {
      return { key: "denied", text: `the user has denied reading ${path} with --deny-read` };
    }
    const denied = is_key_place(policy, real);
    const flag = flag_with("--allow-read", denied ? real : folder_to_allow(real, policy));
    return {
      key: flag,
      text: denied
        ? `the sandbox does not allow reading ${path}, as keys are kept there; the user can allow it with ${flag}`
        : `the sandbox does not allow reading ${path}; the user can allow it with ${flag}`,
    };
  }
  return list_refusal(path, policy);
}

/** A folder on the way to something denied can't be listed: Landlock can't leave out what is in it. */
export function list_refusal(path: string, policy: Policy): Hint | null {
  const real = real_of_missing(path);
  if (own_folders(policy).some((root) => is_inside(real, root))) return null;
  const held = key_place_in(policy, real);
  if (held === undefined || stat_or_null(real)?.isDirectory !== true) return null;
  return {
    key: "list",
    text: `the sandbox does not list ${path}, because it holds what must not be read (${held}); ` +
      "name what you need there, or the user can allow reading everything with --allow-read",
  };
}

/** Writing, making or removing it. */
export function write_refusal(path: string, policy: Policy): Hint | null {
  if (policy.write === "all") return null;
  const real = real_of_missing(path);
  const allowed = [...own_writable(policy), ...policy.write, "/dev", "/proc", "/sys"];
  if (allowed.some((root) => is_inside(real, root))) return null;
  if (policy.read_only && own_folders(policy).some((root) => is_inside(real, root))) {
    return { key: "read-only", text: "the workspace is read-only in this run; use $TMPDIR" };
  }
  if (LATER_JOBS.some((folder) => is_inside(real, folder))) return later_job();
  if (!system_allows(real, MAY_WRITE, policy.tmp)) return null;
  if (SYSTEM_PACKAGES.some((folder) => is_inside(real, folder))) {
    return {
      key: "packages",
      text: "the sandbox installs no system packages; leave that to the user",
    };
  }
  const named = folder_to_allow(real, policy);
  const flag = flag_with("--allow-write", named);
  // A flag has to name what is there.
  const first = stat_or_null(named) === null ? "make it and then " : "";
  return {
    key: flag,
    text: `the sandbox does not allow writing ${path}; ` +
      `use $TMPDIR${
        policy.read_only ? "" : " or the workspace"
      }, or the user can ${first}allow it with ${flag}`,
  };
}

/** cron and at would start such a job with all of the user's rights. */
function later_job(): Hint {
  return {
    key: "later",
    text: "cron and at jobs would run outside the sandbox; leave them to the user",
  };
}

/** What to name in a flag: never the whole disk or the whole home, as a person may do as they are told. */
export function folder_to_allow(path: string, policy: Policy): string {
  const folder = path.slice(0, Math.max(1, path.lastIndexOf("/")));
  const kept = ["/", policy.env["HOME"]];
  const above = folder.slice(0, folder.lastIndexOf("/")) || "/";
  // A flag has to name what is there.
  if (stat_or_null(folder) === null && !kept.includes(folder) && !kept.includes(above)) {
    return folder_to_allow(folder, policy);
  }
  return folder === "/" || folder === policy.env["HOME"] ? path : folder;
}

/** Whether the system itself lets this user do it, by the mode alone of the file or of the folder in which it would be made. */
function system_allows(path: string, bits: typeof MAY_READ, ours: string): boolean {
  const uid = stat_or_null(ours)?.uid ?? 0;
  if (uid === 0) return true;
  const allows = (of: Deno.FileInfo | null) =>
    of !== null && ((of.mode ?? 0) & (of.uid === uid ? bits.own : bits.other)) !== 0;
  if (bits === MAY_READ) return allows(stat_or_null(path));
  for (let at = path;; at = at.slice(0, at.lastIndexOf("/"))) {
    const stat = stat_or_null(at === "" ? "/" : at);
    if (stat === null && at !== "") continue;
    // Removing and renaming take the right to the folder, not to the file.
    return allows(stat) ||
      (at === path && allows(stat_or_null(at.slice(0, at.lastIndexOf("/")) || "/")));
  }
}

function find_program(name: string, policy: Policy): string | null {
  return (policy.env["PATH"] ?? "").split(":").map((folder) => `${folder}/${name}`)
    .find(is_program) ?? null;
}
