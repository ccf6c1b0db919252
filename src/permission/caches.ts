/** Where tools keep caches while they may not write to HOME, and which of the user's own caches stay readable. */
import type { Lent, Policy } from "../sandbox/policy.ts";
import { hash } from "../config/hash.ts";
import {
  BESIDE,
  type CacheRow,
  CARGO,
  FROM_CACHE,
  NO_RETRIES,
  type Part,
  ROWS,
} from "./cache_table.ts";
import { exists, file_text, names_in } from "./paths.ts";
import { is_inside, real_or } from "../config/paths.ts";
import { is_readable } from "../sandbox/scope/read_scope.ts";

export interface Caches {
  readonly env: Readonly<Record<string, string>>;
  readonly lent: readonly Lent[];
  /** To be written before anything runs, in the run's own temporary folder. */
  readonly files: readonly { readonly path: string; readonly text: string }[];
}

/** The variables for a policy, and what has to be lent; makes nothing. The user's own are left alone, and all if everything may be written. */
export function caches(
  policy: Policy,
  environ: ReadVariable = (name) => Deno.env.get(name),
): Caches {
  if (policy.sandbox === "off" || policy.write === "all") return { env: {}, lent: [], files: [] };
  const place = cache_place(policy, environ);
  const parts = ROWS.map((row) => of_row(row, place));
  const env: Record<string, string> = {
    ...Object.assign({}, ...parts.map((part) => part.env)),
    ...go_variables(place),
    ...maven_variables(place),
    ...tmp_variables(place),
    ...pnpm_variables(place),
    ...daemon_variables(place),
    ...(place.closed ? NO_RETRIES : {}),
    ...(policy.net === "own" || policy.net === "none" ? FROM_CACHE : {}),
  };
  const cargo = of_cargo(place);
  const copies = settings_copies(place).filter(({ variable }) => !place.is_passed(variable));
  for (const { variable, path } of copies) env[variable] = path;
  return {
    env: Object.fromEntries(
      Object.entries({ ...env, ...cargo.env }).filter(([name]) => !place.is_passed(name)),
    ),
    lent: [...parts, cargo].flatMap(({ lent }) => lent),
    files: [maven_settings(place), ...copies].filter((file) => file !== null)
      .map(({ path, text }) => ({ path, text })),
  };
}

/** Where the user's own is: as their environment says, or the tool's usual place. Null if no home folder is known. */
function theirs_of(row: CacheRow, { environ, home, cache }: CachePlace): string | null {
  const said = environ(row.variable);
  if (said) return said;
  const [base, rest] = row.theirs.startsWith("~")
    ? [home, row.theirs.slice(1)]
    : [cache, row.theirs.slice("$cache".length)];
  return base === null ? null : base + rest;
}

function of_row(row: CacheRow, place: CachePlace): Pick<Caches, "env" | "lent"> {
  const { policy, closed, is_lendable, is_writable } = place;
  if (place.is_passed(row.variable)) return { env: {}, lent: [] };
  const own = `${policy.cache}/${row.own}`;
  const theirs = theirs_of(row, place);
  if (theirs === null) return { env: { [row.variable]: own }, lent: [] };
  // Named, as the XDG folder that it is in may have moved.
  if (is_writable(theirs)) return { env: { [row.variable]: theirs }, lent: [] };
  if (row.whole) {
    const stays = closed && !exists(own) && is_lendable(theirs);
    return { env: { [row.variable]: stays ? theirs : own }, lent: [] };
  }
  const each = (parts: readonly Part[] | undefined, as: Lent["as"]) =>
    (parts ?? []).flatMap((part) => filled_in(theirs, part))
      .map((name): Lent => ({ at: `${own}/${name}`, from: `${theirs}/${name}`, as }));
  const lent = !is_lendable(theirs) ? [] : [
    ...each(row.lent, closed ? "link" : "nothing"),
    ...each(row.always_lent, "link"),
    ...each(row.copied?.map((name) => [name]), closed ? "copy" : "nothing"),
  ];
  const beside = BESIDE[row.variable];
  const extra = beside === undefined ? "" : `${theirs}/${beside.path}`.replace(/\/$/, "");
  return {
    env: {
      [row.variable]: own,
      ...(beside !== undefined && is_lendable(extra) ? { [beside.variable]: extra } : {}),
      ...(lent.some((part) => part.as === "link") ? row.with_lent : {}),
    },
    lent,
  };
}

/** The paths below a folder that a part means and that are there. */
function filled_in(folder: string, part: Part): string[] {
  return part.reduce<string[]>((found, step) =>
    found.flatMap((at) => {
      const names = typeof step === "string"
        ? exists(`${folder}/${at}${step}`) ? [step] : []
        : names_in(`${folder}/${at}`).filter((name) => step.test(name));
      return names.map((name) => `${at}${name}/`);
    }), [""]).map((path) => path.slice(0, -1));
}

/** cargo recompiles everything if its folder changes, in the user's next build, too: theirs is used read-only while it has all that is needed. */
function of_cargo(place: CachePlace): Pick<Caches, "env" | "lent"> {
  const { policy, environ, home, closed, is_lendable, is_writable } = place;
  const toolchains = environ("RUSTUP_HOME");
  // cargo itself is started by rustup, which looks for it there.
  const rustup: Record<string, string> = toolchains ? { RUSTUP_HOME: toolchains } : {};
  const theirs = environ("CARGO_HOME") || (home === null ? null : `${home}/.cargo`);
  const stays = theirs !== null && !place.is_passed("CARGO_HOME") &&
    (is_writable(theirs) ||
      closed && is_lendable(`${theirs}/registry`) && cargo_can_do_with(theirs, policy.workspace));
  if (stays) return { env: { ...rustup, CARGO_HOME: theirs }, lent: [] };
  const own = of_row(CARGO, place);
  return { env: { ...rustup, ...own.env }, lent: own.lent };
}

/**
 * tmux, Nx and Java don't follow TMPDIR (Java prints a line about it on stderr), and Ansible and PM2 use HOME. Ansible's remote folder is
 * this machine's only where no other host can be reached. Nx removes its own folder when it ends.
 */
function tmp_variables(place: CachePlace): Record<string, string> {
  const { policy, home, closed, is_writable } = place;
  const is_theirs = (folder: string) => home !== null && is_writable(`${home}/${folder}`);
  const of_home = {
    ...(is_theirs(".pm2") ? {} : { PM2_HOME: `${policy.tmp}/pm2` }),
    ...(is_theirs(".ansible") ? {} : {
      ANSIBLE_LOCAL_TEMP: policy.tmp,
      ...(closed ? { ANSIBLE_REMOTE_TEMP: policy.tmp } : {}),
    }),
  };
  if (is_writable("/tmp")) return of_home;
  const java = { JAVA_TOOL_OPTIONS: `-Djava.io.tmpdir=${policy.tmp}` };
  return {
    ...of_home,
    TMUX_TMPDIR: policy.tmp,
    NX_SOCKET_DIR: `${policy.tmp}/nx`,
    ...(/\s/.test(policy.tmp) ? {} : java),
  };
}

/** Ports for a daemon of the run's own: below those that kernels hand out by themselves. */
const FIRST_PORT = 24_000, PORTS = 4000;

/** sccache and Erlang start a daemon unless one serves its port. Nothing of the run may reach the user's: it gets a port of its own. */
function daemon_variables({ policy }: CachePlace): Record<string, string> {
  if (policy.net !== "own") return {};
  const port = FIRST_PORT + 2 * (hash(policy.tmp) % PORTS);
  return { SCCACHE_SERVER_PORT: String(port), ERL_EPMD_PORT: String(port + 1) };
}

/** pnpm writes to its store at each install, and insists on the one `node_modules` came from. Offline it installs nothing. */
function pnpm_variables({ policy, closed }: CachePlace): Record<string, string> {
  if (closed) return {};
  const own = `${policy.cache}/pnpm`;
  const made_from = file_text(`${policy.workspace}/node_modules/.modules.yaml`);
  return made_from === "" || made_from.includes(own) ? { PNPM_HOME: own } : {};
}

/** As cargo writes them; anything else in the file is not about where a package comes from. */
const PACKAGE =
  /^name = "([^"]+)"\nversion = "([^"]+)"\nsource = "(registry|sparse|git)\+[^"#]*(?:#([0-9a-f]*))?"/gm;
/** A checkout's folder has so many digits of its commit. */
const SHORT_COMMIT = 7;

/** Whether a cargo folder has all of `Cargo.lock` unpacked, so that cargo need not write there. False if the file names nothing. */
function cargo_can_do_with(folder: string, workspace: string): boolean {
  const packages = [...file_text(`${workspace}/Cargo.lock`).matchAll(PACKAGE)];
  const registries = below(`${folder}/registry/src`);
  const checkouts = below(`${folder}/git/checkouts`);
  return packages.length > 0 &&
    packages.every(([, name, version, kind, commit = ""]) =>
      kind === "git"
        ? checkouts.some((at) => exists(`${at}/${commit.slice(0, SHORT_COMMIT)}/.cargo-ok`))
        : registries.some((at) => exists(`${at}/${name}-${version}/.cargo-ok`))
    );
}

function below(folder: string): string[] {
  return names_in(folder).map((name) => `${folder}/${name}`);
}

/** Where go asks if nobody says otherwise (`go help environment`). */
const USUAL_PROXY = "https://proxy.golang.org,direct";

/** Where modules are read and unpacked: the user's in place, until the workspace has its own; then theirs is the first proxy. */
function go_variables(place: CachePlace): Record<string, string> {
  const { policy, environ, home, closed, is_lendable, is_writable } = place;
  if (place.is_passed("GOMODCACHE")) return {};
  const settings = settings_of(place);
  const said = (name: string) => environ(name) || settings.get(name);
  const own = `${policy.cache}/go-mod`;
  const path = said("GOPATH")?.split(":")[0] ?? (home === null ? undefined : `${home}/go`);
  const theirs = said("GOMODCACHE") ?? (path === undefined ? undefined : `${path}/pkg/mod`);
  if (theirs === undefined) return { GOMODCACHE: own };
  const lendable = is_lendable(theirs);
  if (is_writable(theirs) || closed && lendable && !exists(own)) return { GOMODCACHE: theirs };
  if (!lendable) return { GOMODCACHE: own };
  const proxy = `file://${encodeURI(theirs)}/cache/download,${said("GOPROXY") ?? USUAL_PROXY}`;
  return { GOMODCACHE: own, GOPROXY: proxy };
}

/** What `go env -w` has kept. */
function settings_of({ environ, home }: CachePlace): Map<string, string> {
  const habit = Deno.build.os === "darwin" ? "Library/Application Support" : ".config";
  const folder = environ("XDG_CONFIG_HOME") || (home === null ? "" : `${home}/${habit}`);
  const text = file_text(environ("GOENV") || `${folder}/go/env`);
  return new Map(
    [...text.matchAll(/^(\w+)=(.*)$/gm)].map(([, name = "", value = ""]) => [name, value]),
  );
}

/** Maven 3.9 reads `MAVEN_ARGS`, and a second repository behind its own. Before that only one: theirs, until the workspace has its own. */
function maven_variables(place: CachePlace): Record<string, string> {
  const { policy, closed, is_lendable, is_writable } = place;
  const theirs = repository_of(place);
  const own = `${policy.cache}/maven`;
  const own_of_old = `${policy.cache}/maven-3.8`;
  // The launcher takes both variables apart at blanks.
  if (/\s/.test(`${own}${theirs}`) || theirs !== null && is_writable(theirs)) return {};
  const lent = theirs !== null && is_lendable(theirs) ? theirs : null;
  const old = closed && lent !== null && !exists(own_of_old) ? lent : own_of_old;
  const tail = lent === null ? "" : ` -Dmaven.repo.local.tail=${lent}`;
  const settings = maven_settings(place);
  const [args, home] = settings === null
    ? ["", ""]
    : [`-s ${settings.path} `, ` -Duser.home=${policy.tmp}/maven`];
  return {
    MAVEN_ARGS: `${args}-Dmaven.repo.local=${own}${tail}`,
    MAVEN_OPTS: `-Dmaven.repo.local=${old}${home}`,
  };
}

/** What opens something, in settings of Maven: the servers' section, and what is in addresses or for a proxy. */
const SECRETS = [
  /<servers>.*?<\/servers>/gs,
  /<(password|passphrase|privateKey|username)>.*?<\/\1>/gs,
  /(?<=:\/\/)[^/@\s<]+@/g,
];

/** The user's Maven settings without keys, as Maven does not start without, and needs their mirrors. Null if readable or absent. */
function maven_settings(
  { policy, home, is_lendable }: CachePlace,
): { readonly path: string; readonly text: string } | null {
  const theirs = `${home}/.m2/settings.xml`;
  // The launcher takes the variable apart at blanks.
  if (home === null || !exists(theirs) || is_lendable(theirs) || /\s/.test(policy.tmp)) return null;
  const text = SECRETS.reduce((text, secret) => text.replaceAll(secret, ""), file_text(theirs));
  // Where older versions look for it, below `user.home`.
  return { path: `${policy.tmp}/maven/.m2/settings.xml`, text };
}

function repository_of({ home }: CachePlace): string | null {
  if (home === null) return null;
  const settings = file_text(`${home}/.m2/settings.xml`).replaceAll(/<!--.*?-->/gs, "");
  const said = /<localRepository>\s*([^<\s]+)\s*<\/localRepository>/.exec(settings)?.[1];
  return said?.replaceAll(/\$\{(?:user\.home|env\.HOME)\}/g, home) ?? `${home}/.m2/repository`;
}

interface ToolSettings {
  readonly variable: string;
  /** Where they are, below HOME; the first that is there counts. */
  readonly usual: readonly string[];
  readonly keeps: (line: string) => boolean;
}

const TABLE: readonly ToolSettings[] = [
  {
    // pnpm, Yarn 1 and bun go by it as well. What is said for one registry begins with its address (npmrc).
    variable: "npm_config_userconfig",
    usual: [".npmrc"],
    keeps: (line) =>
      !/^\s*\/\/|^[^=]*(?:_auth|_password|username|email|certfile|keyfile)|^\s*["']?(?:key|cert|otp)(?:\[\])?["']?\s*=/i
        .test(line),
  },
  {
    variable: "PIP_CONFIG_FILE",
    usual: [".config/pip/pip.conf", ".pip/pip.conf"],
    keeps: (line) => !/^\s*client-cert\s*[=:]/i.test(line),
  },
  {
    // Everything else is a host, with what opens it (bundle-config(1)): also on a line of its own, below a quoted name.
    variable: "BUNDLE_USER_CONFIG",
    usual: [".bundle/config"],
    keeps: (line) =>
      /^(?:---)?\s*$/.test(line) || /^BUNDLE_\w+:\s*["']?(?:true|false|\d+)["']?\s*$/.test(line) ||
      /^BUNDLE_(?:BIN|BUILD__|CACHE_|DEFAULT|FORCE_RUBY|GEMFILE|LOCAL__|MIRROR__|PATH|WITH)/.test(
        line,
      ),
  },
];

/** A user and a password in an address, and in that of a proxy, which may lack its scheme. */
const IN_ADDRESS = /(?<=:\/\/|proxy["']?[ \t]*[=:][ \t]*["']?)[^/\s"']+@/gi;

/** Settings that tools need but that hold keys: commands get a copy without them, by a variable, and the originals are denied. The copies, to be written before anything runs, and the variables that lead to them. */
function settings_copies(
  { policy, environ, home, is_lendable }: CachePlace,
): readonly { readonly variable: string; readonly path: string; readonly text: string }[] {
  return TABLE.flatMap(({ variable, usual, keeps }) => {
    const named = environ(variable) || environ(variable.toUpperCase());
    const places = named ? [named] : home === null ? [] : usual.map((path) => `${home}/${path}`);
    const theirs = places.find(exists);
    if (theirs === undefined || is_lendable(theirs)) return [];
    const text = file_text(theirs).split("\n").filter(keeps).join("\n").replaceAll(IN_ADDRESS, "");
    return [{ variable, path: `${policy.tmp}/settings/${variable}`, text }];
  });
}

type ReadVariable = (name: string) => string | undefined;

/** Where the user's caches lie, and what commands may do there. */
interface CachePlace {
  readonly policy: Policy;
  readonly environ: ReadVariable;
  readonly home: string | null;
  /** The user's cache folder, by the XDG specification or the system's habit. */
  readonly cache: string | null;
  /** Whether the network is closed, so that a cache is only read. */
  readonly closed: boolean;
  /** Whether the user passes a variable themselves. */
  readonly is_passed: (name: string) => boolean;
  /** Whether something is there and may be read under the policy. */
  readonly is_lendable: (path: string) => boolean;
  readonly is_writable: (path: string) => boolean;
}

/** The place for a policy that does not allow everything to be written. */
function cache_place(policy: Policy, environ: ReadVariable): CachePlace {
  const home = policy.env["HOME"] || null;
  const habit = Deno.build.os === "darwin" ? "Library/Caches" : ".cache";
  // npm takes its variables in capitals, too.
  const passed = new Set(Object.keys(policy.env).map((name) => name.toUpperCase()));
  const written = policy.write === "all" ? ["/"] : policy.write;
  return {
    policy,
    environ,
    home,
    cache: environ("XDG_CACHE_HOME") || (home === null ? null : `${home}/${habit}`),
    closed: policy.net !== "all",
    is_passed: (name) => passed.has(name.toUpperCase()),
    is_lendable: (path) => exists(path) && may_read(real_or(path), policy),
    is_writable: (path) =>
      written.length > 0 && written.some((root) => is_inside(real_or(path), root)),
  };
}

/** By names alone where nearly all may be read: looking where each denied path leads takes longer than all else here. */
function may_read(path: string, policy: Policy): boolean {
  return policy.read === "all"
    ? !policy.deny_read.some((other) => is_inside(path, other))
    : is_readable(policy, path);
}
