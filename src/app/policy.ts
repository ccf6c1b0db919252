/** From settings and flags to a policy that can be enforced here. */
import { known_homes, unmatched } from "../permission/denied_paths.ts";
import { PermissionError } from "../permission/paths.ts";
import { build_policy } from "../permission/policy.ts";
import type { Policy } from "../sandbox/policy.ts";
import { probe, type Support } from "../sandbox/kernel/probe.ts";
import { StartError } from "./start_error.ts";
import type { Flags } from "./flags.ts";
import { type Environment, permissions_of, type RunSettings } from "./settings.ts";

/** A policy, and what this machine can do to keep it. */
export interface Enforced {
  readonly policy: Policy;
  readonly support: Support;
  /** What the user asked for by default and does not get here, a line each. */
  readonly warnings: readonly string[];
}

/** The policy of a run. Asks the kernel, and makes nothing. Throws `StartError` for what can't be enforced. */
export async function enforceable_policy(
  place: RunSettings,
  options: {
    readonly flags: Pick<Flags, "sandbox" | "deny_read" | "read_only" | "add_dir">;
    readonly io: Environment;
    readonly session_id: string;
  },
): Promise<Enforced> {
  const { flags, io, session_id } = options;
  const support = probe();
  if (flags.sandbox === "auto" && support.kind === "none") {
    throw new StartError(
      `the sandbox cannot be enforced here: ${support.reason}; --sandbox off runs without it`,
    );
  }
  const asked = permissions_of(place, flags);
  if (asked.read_only && flags.sandbox === "off") {
    const what = flags.read_only ? "--read-only" : "--mode plan";
    throw new StartError(`${what} and --sandbox off contradict each other: the kernel enforces it`);
  }
  let policy: Policy;
  try {
    policy = await build_policy(asked, {
      workspace: place.workspace,
      environ: io.environ(),
      data_dir: place.paths.data_dir,
      config_file: place.paths.config_file,
      session_id,
    });
  } catch (error) {
    throw error instanceof PermissionError ? new StartError(error.message) : error;
  }
  const shell = policy.shell === undefined
    ? []
    : [`there is no /bin/bash: commands run in ${policy.shell}`];
  if (flags.sandbox === "off") {
    return {
      policy,
      support,
      warnings: [...shell, "the sandbox is off: commands can do anything you can"],
    };
  }
  const home = io.environ()["HOME"] ?? "";
  const unkept = known_homes(home).length === 0 && place.settings.permissions.read !== "all"
    ? ["no home folder is known (HOME, /etc/passwd): your keys are not protected from being read"]
    : [];
  const left_out =
    policy.read_only && (asked.write === "all" || policy.write.length < asked.write.length)
      ? [
        "the workspace is read-only, so --allow-write for everything, for it or for a folder around it is ignored",
      ]
      : [];
  return supervised({
    policy,
    support,
    warnings: [...shell, ...unkept, ...left_out, ...unmatched(flags.deny_read, home)],
  });
}

/** Without a supervisor there is no telling one port from another: what was asked for is an error, the default gives way. */
function supervised(enforced: Enforced): Enforced {
  const { policy, support } = enforced;
  const reason = support.kind === "none" ? null : support.no_supervisor;
  if (reason === null || policy.net === "none" || policy.net === "all") return enforced;
  if (policy.net === "loopback" && support.kind === "macos") return enforced;
  if (policy.net === "loopback") {
    throw new StartError(
      `--allow-net=loopback cannot be enforced here: ${reason}; --allow-net allows every network`,
    );
  }
  return {
    support,
    policy: { ...policy, net: "none" },
    warnings: [
      ...enforced.warnings,
      `commands have no network at all, not even servers of their own: ${reason}; --allow-net allows all`,
    ],
  };
}
