/** Turns settings and flags into a policy that can be enforced on this machine. */
import { known_homes, unmatched } from "../permission/denied_paths.ts";
import { expanded, PermissionError, stat_or_null } from "../permission/paths.ts";
import { build_policy, type Permissions } from "../permission/policy.ts";
import { origin } from "../config/load.ts";
import { path } from "../config/path.ts";
import { is_inside, real_or } from "../config/paths.ts";
import { one_line } from "../config/text.ts";
import { is_in_reach, may_write, type Policy } from "../sandbox/policy.ts";
import { probe, type Support, unseeing } from "../sandbox/kernel/probe.ts";
import { mounts_now, other_reach } from "../sandbox/scope/other_reach.ts";
import type { Mounts } from "../sandbox/scope/other_names.ts";
import { hear_of_children } from "../sandbox/processes/children.ts";
import { too_few } from "../sandbox/processes/rlimits.ts";
import { own_data, own_output } from "./own_output.ts";
import type { Flags } from "./flags.ts";
import { type Environment, permissions_of, type RunSettings } from "./settings.ts";
import { StartError } from "../config/error.ts";

export interface Enforced {
  readonly policy: Policy;
  readonly support: Support;
  /** What the user asked for by default and does not get here, a line each. */
  readonly warnings: readonly string[];
}

/** Throws `StartError` where the verify command can't pass, whatever the run does: its program is nowhere. */
export async function refuse_missing_verify(
  { settings: { agent, verify: { command } } }: Pick<RunSettings, "settings">,
  { policy, dry_run }: { policy: Policy; dry_run: boolean },
): Promise<void> {
  if (agent.mode !== "verify" || command === "" || dry_run) return;
  const { missing_program } = await import("../permission/missing_program.ts");
  const name = await missing_program(command, policy);
  if (name === null) return;
  const where = name.includes("/") ? "there is no" : "PATH has no program";
  throw new StartError(
    `the verify command can't start: ${where} ${name}, and the run may not create it; see --verify`,
  );
}

/** Folders to work in beside the workspace, by their real paths. */
export function added_folders(given: readonly string[], { env }: Policy): readonly string[] {
  return given.map((path) => real_or(expanded(path, env["HOME"] ?? "") ?? path));
}

/** What can't be given, by the name that the user gave it: a flag, a variable, or a line of a file. */
function told(
  { message, missing }: PermissionError,
  { place, flags }: { place: RunSettings; flags: Pick<Flags, "add_dir"> },
): string {
  if (missing === null) return message;
  const { list, name, fault } = missing;
  if (flags.add_dir.includes(name)) return `--add-dir ${name}: ${fault}`;
  const { source, where } = origin(place, `permissions.${list}`);
  return source !== "default" && source !== "flag"
    ? `${where}: permissions.${list}: ${name}: ${fault}`
    : message;
}

interface PolicyOptions {
  readonly flags:
    & Pick<Flags, "sandbox" | "deny_read" | "read_only" | "add_dir" | "config" | "mcp_config">
    & Parameters<typeof own_output>[0];
  readonly io: Environment;
  readonly session_id: string;
}

/** The policy of a run. Asks the kernel, and makes nothing. Throws `StartError` for what can't be enforced. */
export async function enforceable_policy(
  place: RunSettings,
  options: PolicyOptions,
): Promise<Enforced> {
  const { flags, io } = options;
  hear_of_children();
  const unfit = too_few() ?? unseeing();
  if (unfit !== null) throw new StartError(unfit);
  const support = probe();
  if (flags.sandbox === "auto" && support.kind === "none") {
    throw new StartError(
      `the sandbox cannot be enforced here: ${support.reason}; --sandbox off runs without it`,
    );
  }
  const asked = permissions_of(place, flags);
  const home = io.environ()["HOME"] ?? "";
  refuse_contradictions(asked, { place, flags, home });
  const mounts = mounts_now();
  const policy = await built(place, { ...options, asked, mounts });
  const shell = policy.shell === undefined
    ? []
    : [`there is no /bin/bash: commands run in ${policy.shell}`];
  if (flags.sandbox === "off") {
    const off = "the sandbox is off: commands can do anything you can";
    return { policy, support, warnings: [...shell, off] };
  }
  const unkept = known_homes(home).length === 0 && place.settings.permissions.read !== "all"
    ? ["no home folder is known (HOME, /etc/passwd): your keys are not protected from being read"]
    : [];
  const left_out =
    policy.read_only && (asked.write === "all" || policy.write.length < asked.write.length)
      ? [
        "the workspace is read-only, so --allow-write for everything, for it or for a folder around it is ignored",
      ]
      : [];
  const others = [
    ...unmatched(flags.deny_read, home),
    ...reached(policy, { ...place.paths, mounts }),
    ...led_out(asked.write, { policy, home }),
  ];
  return supervised({ policy, support, warnings: [...shell, ...unkept, ...left_out, ...others] });
}

/** Throws `StartError` for flags that nothing could enforce together. */
function refuse_contradictions(
  { read_only, net, run, read }: Permissions,
  { place, flags, home }: { place: RunSettings; flags: PolicyOptions["flags"]; home: string },
): void {
  // Of a setting the user has said that it is not to hold now; of a flag beside it, that it is.
  const narrowed = Object.entries({ net: net === "none", run: run !== "all", read: read !== "all" })
    .flatMap(([name, narrows]) => narrows ? [origin(place, `permissions.${name}`)] : [])
    .flatMap(({ source, where }) => source === "flag" ? [where] : []);
  const kept_out = !read_only ? [] : [flags.read_only ? "--read-only" : "--mode plan"];
  const [what] = [...kept_out, ...narrowed];
  if (what !== undefined && flags.sandbox === "off") {
    throw new StartError(`${what} and --sandbox off contradict each other: the kernel enforces it`);
  }
  for (const path of flags.add_dir) {
    if (stat_or_null(expanded(path, home) ?? path)?.isDirectory === false) {
      throw new StartError(`--add-dir ${path}: not a folder; --allow-write gives a file`);
    }
  }
}

async function built(
  place: RunSettings,
  { flags, io, session_id, asked, mounts }: PolicyOptions & { asked: Permissions; mounts: Mounts },
): Promise<Policy> {
  const { workspace, paths: { system_files, data_dir, config_file } } = place;
  try {
    const at = { workspace, environ: io.environ(), data_dir, config_file, session_id, mounts };
    const policy = await build_policy(asked, at);
    const outputs = [...own_output(flags), ...own_data(data_dir, policy)];
    const files = [system_files, config_file ?? [], flags.config ?? [], flags.mcp_config].flat();
    const given = files.map((file) => expanded(file, "") ?? file)
      .flatMap((file) => [file, real_or(file)]).filter((file) => may_write(policy, file));
    return {
      ...{ ...policy, outputs, ...also_written(policy, mounts) },
      ...(given.length === 0 ? {} : { given: [...new Set(given)] }),
    };
  } catch (error) {
    throw error instanceof PermissionError ? new StartError(told(error, { place, flags })) : error;
  }
}

/** What may be written is found there, too: the same folders, and what is mounted below them. */
function also_written(
  { workspace, write, read_only, sandbox }: Policy,
  at: Mounts,
): Partial<Policy> {
  if (write === "all" || sandbox === "off") return {};
  const { names, mounts } = other_reach([...read_only ? [] : [workspace], ...write], at);
  return names.length + mounts.length === 0 ? {} : { also_written: [...names, ...mounts] };
}

/** What commands can write besides the policy, and hamr's own files that later runs read. Not for `write = "all"`; `.hamr` is watched. */
function reached(
  policy: Policy,
  { system_files, config_file, data_dir, mounts }: RunSettings["paths"] & { mounts: Mounts },
): readonly string[] {
  const { write } = policy;
  if (write === "all") return [];
  const other = other_reach([policy.workspace, ...write], mounts);
  const own = [...system_files, config_file, data_dir].filter((place) => place !== null).filter(
    (place) => {
      const real = real_or(place), folder = place === data_dir ? real : path.dirname(real);
      return !is_inside(real, `${policy.workspace}/.hamr`) &&
        (is_in_reach(policy, real) || write.some((part) => is_inside(part, folder)));
    },
  );
  return [
    ...other.mounts.length === 0 ? [] : [
      `commands can also reach what is mounted at ${
        one_line(other.mounts.join(", "))
      }: the folder ` +
      "around it is, by another name, the workspace or one that they may write",
    ],
    ...own.length === 0 ? [] : [
      `commands can write hamr's own settings or data (${one_line(own.join(", "))}), which later ` +
      "runs rely on; set HAMR_HOME to a folder that no command can write",
    ],
  ];
}

/** What a link in the workspace leads out of it, and commands may write: the person may have meant the link, which others make, too. */
function led_out(
  asked: Permissions["write"],
  { policy: { workspace, write }, home }: { policy: Policy; home: string },
): readonly string[] {
  if (asked === "all" || write === "all") return [];
  return asked.flatMap((name) => {
    const path = expanded(name, home) ?? name;
    const real = real_or(path);
    if (!is_inside(path, workspace) || !write.includes(real) || is_inside(real, workspace)) {
      return [];
    }
    return [one_line(`${name} is led out of the workspace by a link: commands can write ${real}`)];
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
