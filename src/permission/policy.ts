import { or_throw } from "../config/attempt.ts";
import type { Settings } from "../config/keys.ts";
import { is_inside, real_or, short_name } from "../config/paths.ts";
import type { Policy } from "../sandbox/policy.ts";
import type { Mounts } from "../sandbox/scope/other_names.ts";
import { other_reach } from "../sandbox/scope/other_reach.ts";
import { type AskedToDeny, denied_paths, type DeniedPlace } from "./denied_paths.ts";
import {
  exists,
  expanded,
  missing,
  names_in,
  PermissionError,
  real_of,
  stat_or_null,
} from "./paths.ts";

/** What settings and flags say about permissions. Paths as people write them, `~` and all. */
export interface Permissions
  extends Readonly<Settings["permissions"]>, Pick<AskedToDeny, "more_denied"> {
  readonly sandbox: "auto" | "off";
  /** The workspace can't be written by anything, whatever `write` names. */
  readonly read_only: boolean;
}

const DEFAULT_PATH = "/usr/local/bin:/usr/bin:/bin";
/** Without `SHELL` bash looks it up: glibc asks a name server twice by a socket, and the supervisor answers each (1 ms a command). */
const DEFAULT_SHELL = "/bin/bash";

interface RunPlace extends Omit<DeniedPlace, "home"> {
  readonly session_id: string;
  /** What is mounted; absent: that is asked. */
  readonly mounts?: Mounts;
}

/**
 * The one value that says what tools may do. Looks at the disk only where a path was asked for by name: it is on the
 * way to the first request. The run's folders are named, not made; that is `settle`'s work.
 * @throws {PermissionError} on a path that is not there, a program that is not found, or a workspace that holds what must
 * not be read.
 */
export async function build_policy(asked: Permissions, place: RunPlace): Promise<Policy> {
  const { environ, workspace, session_id, data_dir } = place;
  const home = environ["HOME"] ?? "";
  const tmp = `${real_or(environ["TMPDIR"] || "/tmp")}/hamr-${session_id}`;
  const env: Record<string, string> = {};
  for (const [name, value] of Object.entries(environ)) {
    if (value === undefined) continue;
    // That of a proxy where they have all networks, and it holds no password.
    const passed = asked.env.includes(name) || PASSED.has(name) || name.startsWith("LC_") ||
      (asked.net === "all" && PROXY.test(name) && !value.includes("@"));
    if (passed) env[name] = value;
  }
  // `AGENT` lets scripts see who runs them, as other agents do.
  Object.assign(env, { TMPDIR: tmp, AGENT: "hamr" });
  env["PATH"] ??= DEFAULT_PATH;
  env["SHELL"] ??= DEFAULT_SHELL;
  const { sandbox } = asked;
  const named = typeof asked.net === "string" ? [] : asked.net;
  const net = typeof asked.net === "string"
    ? asked.net
    : named.includes("loopback")
    ? "loopback"
    : "own";
  const web = named.filter((host) => host !== "loopback");
  const shell = stat_or_null(DEFAULT_SHELL)?.isFile ? null : await other_shell(env["PATH"]);
  const listed = (list: "read" | "write", paths: readonly string[] | "all") =>
    paths === "all" ? paths : paths.map((path) => real(list, { path, home }));
  const policy: Policy = {
    workspace,
    tmp,
    spill: data_dir === null ? `${tmp}/output` : `${outputs_of(data_dir)}/${session_id}`,
    cache: data_dir === null ? `${tmp}/cache` : `${data_dir}/cache/${short_name(workspace)}`,
    git: null,
    read: asked.read.length === 0 ? "all" : listed("read", asked.read),
    deny_read: denied_paths(asked, { ...place, home }),
    ...(asked.more_denied.length === 0 ? {} : {
      denied_by_flag: denied_paths({ ...asked, read: "all" }, { ...place, home }),
    }),
    ...writable(listed("write", asked.write), { workspace, read_only: asked.read_only }),
    run: asked.run === "all" || asked.run.length === 0
      ? "all"
      // Loaded only where programs are listed.
      : (await import("./programs.ts")).executables([
        ...asked.run,
        ...(shell === null ? [] : [shell]),
      ], {
        home,
        path: env["PATH"],
      }),
    ...(shell === null ? {} : { shell }),
    net,
    ...(web.length === 0 ? {} : { web }),
    env,
    sandbox,
  };
  refuse_bad_workspace(policy, { home, mounts: place.mounts });
  return policy;
}

/** What may be written besides the run's own. The kernel can't except a part: if the workspace is read-only, so is what is in it or holds it. */
function writable(
  asked: readonly string[] | "all",
  { workspace, read_only }: { workspace: string; read_only: boolean },
): Pick<Policy, "write" | "read_only"> {
  if (!read_only) return { write: asked };
  const apart = (path: string) => !is_inside(path, workspace) && !is_inside(workspace, path);
  return { write: asked === "all" ? [] : asked.filter(apart), read_only };
}

/** @throws {PermissionError} where what must not be read is in the workspace, which is always readable, or around it. */
function refuse_bad_workspace(
  policy: Policy,
  { home, mounts: at }: { home: string; mounts: Mounts | undefined },
): void {
  const { workspace, deny_read, sandbox } = policy;
  if (sandbox === "off" || deny_read.length === 0) return;
  const real_home = home === "" ? null : real_or(home);
  const { names, mounts } = other_reach([workspace], at);
  const others = [...names, ...mounts];
  const denied = others.length === 0
    ? deny_read
    : [...new Set([...deny_read, ...deny_read.map((path) => real_of(path) ?? path)])];
  for (const place of [workspace, ...others]) {
    const called = place === workspace
      ? `the workspace ${workspace}`
      : `the workspace ${workspace} (to the kernel, ${place} is a part of it)`;
    if (real_home !== null && is_inside(real_home, place)) {
      throw new PermissionError(
        `${called} holds your home folder ${real_home}, with keys that must not be read; ` +
          "choose a folder in it with -C (in a container, set HOME to another folder)",
      );
    }
    for (const path of denied) {
      const bad = is_inside(place, path) || (is_inside(path, place) && exists(path));
      if (!bad) continue;
      throw new PermissionError(
        `${called} can't be used while ${path} must not be read: ` +
          "the kernel can't exclude a part of what it allows; choose another folder with -C",
      );
    }
  }
}

/** @throws {PermissionError} where nothing can run a command. */
async function other_shell(path: string): Promise<string> {
  const { shell_in } = await import("./programs.ts");
  const shell = shell_in(path);
  if (shell !== null) return shell;
  throw new PermissionError("no command can run: there is no bash in PATH and no /bin/sh");
}

function outputs_of(data_dir: string): string {
  return `${data_dir}/tool-output`;
}

/**
 * Removes kept outputs older than `days`; 0 keeps them forever. What cannot be removed stays, and what a session at work has: a chat may
 * be open for weeks, and a clock may jump.
 */
export async function prune_outputs(
  data_dir: string | null,
  days: number,
  is_at_work: (session_id: string) => boolean | Promise<boolean>,
): Promise<void> {
  if (data_dir === null || days === 0) return;
  const oldest = Date.now() - days * 86_400_000;
  const root = outputs_of(data_dir);
  for (const name of names_in(root)) {
    try {
      const folder = `${root}/${name}`;
      const time = Deno.lstatSync(folder).mtime?.getTime() ?? Date.now();
      if (time >= oldest || await is_at_work(name)) continue;
      Deno.removeSync(folder, { recursive: true });
    } catch {
      // Another run is clearing it too, or it is someone else's.
    }
  }
}

function real(list: "read" | "write", { path, home }: { path: string; home: string }): string {
  const fault = "there is no such file or folder; make it first";
  return or_throw(
    () => Deno.realPathSync(expanded(path, home) ?? path),
    () => missing({ list, name: path, fault }),
  );
}

/** Variables of the user's that commands see: what programs need to start and behave, and the places of toolchains. No keys. */
const USUAL = ["PATH", "HOME", "LANG", "TERM", "TZ", "USER", "SHELL", "CI"];

/** Whose commits are; without it git makes none where no file says so. */
const IDENTITY = ["AUTHOR", "COMMITTER"].flatMap((who) => [`GIT_${who}_NAME`, `GIT_${who}_EMAIL`]);

/** Variables that choose a toolchain (version managers, modules, profiles); not those that load code (`LD_PRELOAD`, `NODE_OPTIONS`). */
const TOOLCHAINS =
  `ANDROID_HOME ANDROID_SDK_ROOT GRADLE_HOME JAVA_HOME JDK_HOME M2_HOME MAVEN_HOME SDKMAN_DIR KOTLIN_HOME SCALA_HOME
  DOTNET_ROOT CONDA_DEFAULT_ENV CONDA_PREFIX PYENV_ROOT PYENV_VERSION PYTHONPATH VIRTUAL_ENV GEM_HOME GEM_PATH RBENV_ROOT
  RBENV_VERSION RUBYLIB FNM_DIR NODE_PATH NVM_BIN NVM_DIR VOLTA_HOME GOPATH GOROOT RUSTUP_TOOLCHAIN PERL5LIB
  PERL_LOCAL_LIB_ROOT R_HOME R_LIBS R_LIBS_SITE R_LIBS_USER JULIA_DEPOT_PATH LUA_CPATH LUA_PATH ERL_LIBS
  CAML_LD_LIBRARY_PATH OCAMLPATH OCAML_TOPLEVEL_PATH OPAM_SWITCH_PREFIX ASDF_DATA_DIR ASDF_DIR MISE_DATA_DIR NIX_PATH
  CUDA_HOME CUDA_PATH CC CFLAGS CPPFLAGS CXX CXXFLAGS FC FFLAGS LDFLAGS C_INCLUDE_PATH CPATH CPLUS_INCLUDE_PATH
  LD_LIBRARY_PATH LIBRARY_PATH ACLOCAL_PATH CMAKE_PREFIX_PATH MKLROOT PKG_CONFIG_PATH`.split(/\s+/);

/** Where authorities of a company's own are: without them nothing can be downloaded there. */
const AUTHORITIES =
  `CURL_CA_BUNDLE GIT_SSL_CAINFO NODE_EXTRA_CA_CERTS PIP_CERT REQUESTS_CA_BUNDLE SSL_CERT_DIR SSL_CERT_FILE`
    .split(/\s+/);

const PASSED: ReadonlySet<string> = new Set([
  ...USUAL,
  ...IDENTITY,
  ...TOOLCHAINS,
  ...AUTHORITIES,
]);
const PROXY = /^(?:all|http|https|no)_proxy$/i;
