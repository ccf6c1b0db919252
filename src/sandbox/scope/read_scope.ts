/**
 * What may be read, as Landlock can say it. It can only allow, and what it allows of a folder it allows of all that is in it. So
 * "everything but these" is spelled out: of every folder on the way to something denied, each other entry by name.
 *
 * It follows that such a folder can't be listed itself, and that what appears in it later can't be read in this run.
 */
import { is_inside, real_or_null } from "../../config/paths.ts";
import { type Libc, open_libc } from "../kernel/libc.ts";
import { Listings } from "./listings.ts";
import { doubled_mounts, folders_above, other_names, shared_identity_of } from "./other_names.ts";
import { others_secrets } from "./others_secrets.ts";
import { own_folders, type Policy } from "../policy.ts";
import { real_path } from "../kernel/proc_fs.ts";
import { look_at } from "../kernel/statx.ts";

/** What programs need to start, where a list says what may be read. Not all of them are there on every system. */
const SYSTEM = [
  ...["/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/etc", "/opt"],
  // Where Nix, Guix and snaps keep programs; then the kernel's views.
  ...["/nix", "/gnu", "/run/current-system", "/snap", "/proc", "/sys"],
  // The name server's address, where /etc/resolv.conf leads there.
  ...["/run/systemd/resolve", "/run/resolvconf", "/run/NetworkManager"],
];
/** What programs need of /dev. The rest is terminals, input devices, disks, screens, message queues or other programs' huge pages; /dev/fd and /dev/stdin need no grant. */
const DEVICES = [
  ...["null", "zero", "full", "random", "urandom", "tty", "ptmx", "shm"],
].map((name) => `/dev/${name}`);
/** A program in PREFIX/bin has its parts beside it. */
const BESIDE_BIN = ["lib", "lib64", "libexec", "share"];
/** More entries than this in one folder on the way to something denied, and the rest of them can't be read. */
const MOST_ENTRIES = 20_000;

/** How deep and how wide a denied folder is searched for links; keys lie near its top. */
const MOST_DEPTH = 3;
const MOST_LOOKED_AT = 500;

export interface ReadScope {
  /** Files and folders, each with all that is in it (real paths). */
  readonly paths: readonly string[];
  /** Which of them were seen to be files. */
  readonly files: ReadonlySet<string>;
  /** Whether every folder may be listed: no person has denied anything. */
  readonly lists_all: boolean;
}

/** The read scope of a policy, as the disk is now. */
export function readable(policy: Policy, listings = new Listings(open_libc())): ReadScope {
  const libc = open_libc();
  const places = denied_by(policy, listings);
  const mounts = doubled_mounts(libc);
  const others = [...other_names(libc, [...places.names], mounts), "/dev"];
  const there = [
    ...places.there,
    ...others.filter((path) => kind_of(path, listings) !== "missing"),
  ];
  const ways = new Set([...places.ways, ...others.flatMap(folders_above)]);
  const denied = {
    paths: new Set([...places.there, ...others]),
    ways,
    folders: new Set(
      mounts.size === 0 ? [] : [...ways].map((path) => look_at(libc, path)?.identity ?? ""),
    ),
    files: new Set(
      there.filter((path) => kind_of(path, listings) !== "folder")
        .flatMap((path) => shared_identity_of(libc, path) ?? []),
    ),
  };
  const wanted = policy.read === "all" ? everything(listings, policy) : listed(policy);
  const files = new Set<string>();
  const found = new Set<string>([...own_folders(policy), ...devices_of(policy)]);
  for (const path of wanted) {
    const there = real_path(libc, path);
    const real = there === null ? null : listings.spelled(there);
    if (real === null || folders_above(real).some((folder) => denied.paths.has(folder))) continue;
    spell_out({ path: real }, { libc, listings, denied, found, files });
  }
  return {
    paths: [...found],
    files,
    lists_all: policy.read === "all" && policy.deny_read.length === 0,
  };
}

/** The whole disk; where its top can't be listed, at least what programs need. */
function everything(listings: Listings, policy: Policy): string[] {
  const top = listings.entries("/").length > 0;
  return ["/", ...(top ? [] : [...SYSTEM, ...program_folders(policy.env)])];
}

/** Whether a real path may be read, by its name; for the tools' own files, before the kernel is asked. */
export function is_readable(policy: Policy, path: string): boolean {
  if (own_folders(policy).some((root) => is_inside(path, root))) return true;
  if (is_key_place(policy, path)) return false;
  if (is_inside(path, "/dev")) return devices_of(policy).some((root) => is_inside(path, root));
  return policy.read === "all" || listed(policy).some((root) => is_inside(path, root));
}

/** Whether a real path is kept from being read as a place of keys. */
export function is_key_place(policy: Policy, path: string): boolean {
  const { names } = denied_by(policy);
  return names.has(path) || folders_above(path).some((folder) => names.has(folder));
}

/** Whether the user's own `--deny-read` names it, which no flag takes back. */
export function is_denied_by_flag({ denied_by_flag = [] }: Policy, path: string): boolean {
  return denied_by_flag.some((root) => is_inside(path, root));
}

/** The first place of keys in a folder (a real path), which so can't be listed. */
export function key_place_in(policy: Policy, folder: string): string | undefined {
  return [...denied_by(policy).names].find((place) => is_inside(place, folder));
}

/** The devices that programs need, and those that the user has named. */
function devices_of({ read, write }: Policy): string[] {
  const named = [read, write].flatMap((paths) => paths === "all" ? [] : paths);
  return [...DEVICES, ...named.filter((path) => path !== "/dev" && is_inside(path, "/dev"))];
}

/** What a policy denies, as the disk is now. */
interface Places {
  /** Each as given and where it really lies: the way to it may lead through links, or it may be one. */
  readonly names: ReadonlySet<string>;
  /** Those of them that may be there. Of a thousand most are not, and below a folder that is missing nothing is asked. */
  readonly there: readonly string[];
  /** Each folder that may be there on the way to one of them. */
  readonly ways: ReadonlySet<string>;
}

/** What was found out of a policy: it is asked for every file. */
const known = new WeakMap<Policy, Places>();

function denied_by(policy: Policy, listings?: Listings): Places {
  const before = known.get(policy);
  if (before !== undefined) return before;
  const at_hand = listings ?? (Deno.build.os === "linux" ? new Listings(open_libc()) : null);
  const asked = [...policy.deny_read, ...others_secrets(policy, at_hand)];
  const folders = new Map<string, Lie>();
  const names = new Set<string>();
  const there = new Set<string>();
  const ways = new Set<string>();
  const reals: string[] = [];
  for (const path of asked) {
    const { real, spelled, folder } = lie_of(path, folders, at_hand);
    for (const name of path === real && real === spelled ? [path] : [path, real, spelled]) {
      names.add(name);
      if (folder === null) there.add(name);
      if (folder === null || name !== real) add_ways(name, ways);
    }
    if (folder === null) reals.push(real);
    else add_ways(`${folder}/`, ways);
  }
  for (const target of linked(reals, policy, at_hand)) {
    names.add(target);
    there.add(target);
    add_ways(target, ways);
  }
  const denied = { names, there: [...there], ways };
  known.set(policy, denied);
  return denied;
}

/** Adds the folders above a path, up to one that is known. */
function add_ways(path: string, ways: Set<string>): void {
  for (let at = path.lastIndexOf("/"); at >= 0; at = path.lastIndexOf("/", at - 1)) {
    const folder = at === 0 ? "/" : path.slice(0, at);
    if (ways.has(folder)) return;
    ways.add(folder);
    if (at === 0) return;
  }
}

/** Where links in a denied folder lead within the home, as settings in a repository (~/.ssh); not if that is the workspace. */
function linked(there: readonly string[], policy: Policy, listings: Listings | null): string[] {
  const home = real(policy.env["HOME"] ?? "");
  if (listings === null || home === "") return [];
  const own = own_folders(policy);
  const folders = there.filter((path) => kind_of(path, listings) !== "file");
  return folders.flatMap((path) => links_in(path, MOST_DEPTH, listings)).map(real).filter((
    target,
  ) =>
    target !== home && is_inside(target, home) &&
    !own.some((folder) => is_inside(target, folder) || is_inside(folder, target))
  );
}

function links_in(folder: string, depth: number, listings: Listings): string[] {
  if (depth === 0) return [];
  const entries = listings.entries(folder).slice(0, MOST_LOOKED_AT);
  return entries.flatMap(({ name, is_link, is_folder }) => {
    const path = `${folder}/${name}`;
    return is_link ? [path] : is_folder ? links_in(path, depth - 1, listings) : [];
  });
}

function listed({ read, env }: Policy): string[] {
  return read === "all" ? [] : [...read, ...SYSTEM, ...program_folders(env)];
}

/** What the folder around a path (real but for what is missing of it) says of it. */
function kind_of(path: string, listings: Listings): ReturnType<Listings["kind_of"]> {
  const at = path.lastIndexOf("/");
  return listings.kind_of(path.slice(0, at) || "/", path.slice(at + 1));
}

/** What is denied, to be asked of each entry of a folder. */
interface Denied {
  readonly paths: ReadonlySet<string>;
  /** Every folder on the way to one of them. */
  readonly ways: ReadonlySet<string>;
  /** The denied folders by identity, for file systems mounted twice: the kernel goes up through the mounts, so another name would allow all of it. */
  readonly folders: ReadonlySet<string>;
  /** The denied files with several names, by identity: the kernel notes files, so another name of one (a hard link) would allow both. */
  readonly files: ReadonlySet<string>;
}

/** Adds a path that is in nothing denied, or what of it is not denied. */
function spell_out(
  { path, is_folder = false, is_file = false }: {
    path: string;
    is_folder?: boolean;
    is_file?: boolean;
  },
  to: {
    readonly libc: Libc;
    readonly listings: Listings;
    readonly denied: Denied;
    readonly found: Set<string>;
    readonly files: Set<string>;
  },
): void {
  const { libc, listings, denied, found, files } = to;
  if (denied.paths.has(path)) return;
  const is_way = denied.ways.has(path) || (!is_file && denied.folders.size > 0 &&
    denied.folders.has(look_at(libc, path)?.identity ?? ""));
  if (!is_way) {
    if (!is_folder && denied.files.size > 0) {
      if (denied.files.has(shared_identity_of(libc, path) ?? "")) return;
    }
    found.add(path);
    if (is_file) files.add(path);
    return;
  }
  const base = path === "/" ? "/" : `${path}/`;
  // Not by Deno's own calls: these want every permission for /etc, /dev and the like.
  const entries = listings.entries(path);
  // A link is judged where it leads: its own name grants nothing.
  const names = entries.slice(0, MOST_ENTRIES).filter((entry) => !entry.is_link);
  // What can't be listed (a /home that is closed to its users) can still be gone through, to what is denied.
  const way = entries.length > 0 ? [] : [...denied.paths].filter((other) => other.startsWith(base))
    .map((other) => ({ name: other.slice(base.length).split("/")[0] ?? "", is_folder: true }));
  // Many ways begin with the same name.
  const next = new Map([...way, ...names].map((entry) => [entry.name, entry]));
  for (const { name, ...kind } of next.values()) spell_out({ ...kind, path: base + name }, to);
}

interface Lie {
  /** The real path of what there is, and the rest as it is named. */
  readonly real: string;
  /** The same as the folders list it. */
  readonly spelled: string;
  /** Where nothing is there for sure: the nearest folder that may be. */
  readonly folder: string | null;
}

/** Where a path really lies, and what is not there as it is named. */
export function real_of_missing(
  path: string,
  known = new Map<string, Lie>(),
  listings: Listings | null = null,
): string {
  return lie_of(path, known, listings).real;
}

function lie_of(path: string, known: Map<string, Lie>, listings: Listings | null): Lie {
  const before = known.get(path);
  if (before !== undefined) return before;
  const at = path.lastIndexOf("/");
  const above = at < 0 ? null : lie_of(path.slice(0, at), known, listings);
  const found = lie_in(above, { path, at, listings });
  known.set(path, found);
  return found;
}

function lie_in(
  above: Lie | null,
  { path, at, listings }: { path: string; at: number; listings: Listings | null },
): Lie {
  // Where the folder's listing tells, the kernel need not be asked.
  const kind = above === null || listings === null
    ? "unsure"
    : above.folder !== null
    ? "missing"
    : listings.kind_of(above.real, path.slice(at + 1));
  const in_folder = (folder: string) =>
    at > 0 && path.startsWith(folder) && folder.length === at
      ? path
      : `${folder === "/" ? "" : folder}${path.slice(at)}`;
  const joined = above === null ? path : in_folder(above.real);
  if (kind === "unsure") {
    const found = real(path || "/") || joined;
    return { real: found, spelled: listings?.spelled(found) ?? found, folder: null };
  }
  const spelled = above === null || above.spelled === above.real
    ? joined
    : listings!.spelled(joined);
  return {
    real: joined,
    spelled,
    folder: kind === "missing" ? above!.folder ?? above!.real : null,
  };
}

function program_folders({ PATH = "", HOME }: Policy["env"]): string[] {
  return PATH.split(":").filter((folder) => folder.startsWith("/")).flatMap((folder) => {
    const prefix = /^(.*)\/s?bin\/?$/s.exec(folder)?.[1];
    // ~/.local/share holds a person's mail and keyrings, besides what programs in ~/.local/bin need.
    const parts = prefix === `${HOME}/.local` ? ["lib"] : BESIDE_BIN;
    return [folder, ...(prefix === undefined ? [] : parts.map((name) => `${prefix}/${name}`))];
  });
}

/** Empty if there is nothing. */
function real(path: string): string {
  // No file has such a name; to the C library it would be another, shorter one.
  if (path === "" || path.includes("\0")) return "";
  // An error of Deno's own costs ten times as much, and most of what is denied is not there.
  if (Deno.build.os === "linux") return real_path(open_libc(), path) ?? "";
  return real_or_null(path) ?? "";
}
