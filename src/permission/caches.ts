/** Where tools keep caches while they may not write to HOME, and which of the user's own caches stay readable. */
import type { Lent, Policy } from "../sandbox/policy.ts";
import { hash } from "../config/hash.ts";
import { cache_place, type CachePlace, type ReadVariable } from "./cache_place.ts";
import {
  BESIDE,
  type CacheRow,
  CARGO,
  FROM_CACHE,
  NO_RETRIES,
  type Part,
  ROWS,
} from "./cache_table.ts";
import { cargo_can_do_with } from "./cargo_lock.ts";
import { go_variables } from "./go_caches.ts";
import { maven_settings, maven_variables } from "./maven_caches.ts";
import { exists, names_in, text_of } from "./paths.ts";
import { settings_copies } from "./settings_copies.ts";

/** What tools need to work without HOME. */
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
  const lent = is_lendable(theirs) ? lent_of(row, { own, theirs, closed }) : [];
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

function lent_of(
  row: CacheRow,
  { own, theirs, closed }: { own: string; theirs: string; closed: boolean },
): Lent[] {
  const each = (parts: readonly Part[] | undefined, as: Lent["as"]) =>
    (parts ?? []).flatMap((part) => filled_in(theirs, part))
      .map((name): Lent => ({ at: `${own}/${name}`, from: `${theirs}/${name}`, as }));
  return [
    ...each(row.lent, closed ? "link" : "nothing"),
    ...each(row.always_lent, "link"),
    ...each(row.copied?.map((name) => [name]), closed ? "copy" : "nothing"),
  ];
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

/** Of the ports that a daemon of the run's own may get: below those that kernels hand out by themselves. */
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
  const made_from = text_of(`${policy.workspace}/node_modules/.modules.yaml`);
  return made_from === "" || made_from.includes(own) ? { PNPM_HOME: own } : {};
}
