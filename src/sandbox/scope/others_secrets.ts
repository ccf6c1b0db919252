/** What root's commands could read besides the user's own files: other people's keys, and the system's. On the tools worker. */
import { CALLED, PROGRAM_PLACES, SYSTEM_SECRETS } from "../../config/secret_places.ts";
import { fits_one, is_inside } from "../../config/paths.ts";
import { type Libc, open_libc } from "../kernel/libc.ts";
import { own_folders, type Policy } from "../policy.ts";
import type { Listings } from "./listings.ts";
import { read_text } from "../kernel/proc_fs.ts";
import { look_at } from "../kernel/statx.ts";

/** Homes that are looked into; a machine with more of them is a server for logins, and the rest are closed as a whole. */
const MOST_HOMES = 100;
/** Where people have theirs whom only a server knows (LDAP). */
const HOMES = "/home";
/** Where services have their settings and data: at most so deep in folders of their own, and what lists more than this are records. */
const OF_SERVICES = ["/etc", "/var/lib"];
const DEEPEST = 2;
const MOST_LISTED = 100;
/** What others may do with a file, and with a folder (linux/stat.h). */
const READ = 0o4, READ_OR_ENTER = 0o5;

/** These paths, if they exist; none unless root runs hamr, or if the user denies nothing. What the user names may be read. */
export function others_secrets(policy: Policy, listings: Listings | null): string[] {
  const { read, deny_read, env } = policy;
  if (listings === null || deny_read.length === 0) return [];
  const libc = open_libc();
  if (libc.call("geteuid", []) !== 0) return [];
  const own = env["HOME"] ?? "/root";
  const listed = listings.entries(HOMES).filter(({ is_file }) => !is_file)
    .map(({ name }) => `${HOMES}/${name}`);
  // Below one of the disk's top: a service whose home is /, /bin or /dev has none of its own.
  const known = (read_text(libc, "/etc/passwd") ?? "").split("\n")
    .map((row) => row.split(":")[5] ?? "").filter((home) => /^\/[^/]+\/[^/]/.test(home));
  const homes = [...new Set([...known, ...listed])].filter((home) => home !== own);
  const named = read === "all" ? [] : read;
  const open = [...own_folders(policy), ...named];
  const works_in = (home: string) => open.some((folder) => is_inside(folder, home));
  const looked_into = homes.filter((home, nth) => nth < MOST_HOMES || works_in(home));
  const closed = homes.filter((home) => !looked_into.includes(home));
  return [
    ...closed,
    ...places_in(looked_into, { own, denied: new Set(deny_read), listings }),
    ...SYSTEM_SECRETS.flatMap((path) => filled_in(path, listings)),
    ...services_own(policy, { libc, listings }).filter((path) => !works_in(path)),
  ].filter((path) => !named.some((wanted) => is_inside(wanted, path)));
}

/** What belongs to another account, and everybody but root is kept from: keys and data of services. Not what may be written. */
function services_own(
  { write }: Policy,
  { libc, listings }: { libc: Libc; listings: Listings },
): string[] {
  if (write === "all") return [];
  const in_folder = (folder: string, depth: number): string[] => {
    const entries = listings.entries(folder);
    if (depth > 0 && entries.length > MOST_LISTED) return [];
    return entries.filter((entry) => entry.is_folder || entry.is_file).flatMap((entry) => {
      const path = `${folder}/${entry.name}`;
      const found = look_at(libc, path);
      if (found === null || write.some((root) => is_inside(path, root) || is_inside(root, path))) {
        return [];
      }
      if (found.uid === 0 && found.gid === 0) return [];
      if ((found.mode & (entry.is_folder ? READ_OR_ENTER : READ)) === 0) return [path];
      return entry.is_folder && depth < DEEPEST ? in_folder(path, depth + 1) : [];
    });
  };
  return OF_SERVICES.flatMap((folder) => in_folder(folder, 0));
}

function places_in(homes: readonly string[], { own, denied, listings }: {
  own: string;
  denied: ReadonlySet<string>;
  listings: Listings;
}): string[] {
  // Of most users there is no home, or next to nothing in it.
  const there = new Set(homes.flatMap((home) => listings.entries(home).map(({ name }) => name)));
  const listed_so = PROGRAM_PLACES.flatMap(({ paths }) => paths)
    .filter((path) => path.startsWith("~/"));
  // What the user has taken off the list is open in every home. Patterns stand there as what they are in the user's own.
  const by_first = Map.groupBy(
    listed_so.filter((path) => there.has(first_of(path)) && denied.has(own + path.slice(1))),
    first_of,
  );
  const by_folder = [
    ...CALLED,
    ...Map.groupBy(
      listed_so.filter((path) => /[*?]/.test(path)),
      (path) => path.slice(0, path.lastIndexOf("/")),
    ).entries().map(([folder, paths]) => ({
      folders: [folder],
      names: paths.map((path) => path.slice(folder.length + 1)),
    })),
  ].map(({ folders, names }) => ({ folders, fits: fits_one(names) }));
  return homes.flatMap((home) => {
    const may_be_there = (first: string) =>
      first === "" || first.endsWith("*") || listings.kind_of(home, first) !== "missing";
    return [
      ...listings.entries(home).flatMap(({ name }) => by_first.get(name) ?? [])
        .map((place) => home + place.slice(1)),
      ...by_folder.flatMap(({ folders, fits }) =>
        folders.filter((folder) => may_be_there(first_of(folder)))
          .flatMap((folder) => called_so(home + folder.slice(1), { fits, listings }))
      ),
    ];
  });
}

/** The first name in a home of what begins with `~/`. */
function first_of(path: string): string {
  return path.split("/", 2)[1] ?? "";
}

/** What is only called as secrets are, in a folder of whose names any may be a pattern. */
function called_so(
  folder: string,
  { fits, listings }: { fits: (name: string) => boolean; listings: Listings },
): string[] {
  return folders_like(folder, listings).flatMap((one) =>
    listings.entries(one).filter(({ name }) => fits(name)).map(({ name }) => `${one}/${name}`)
  );
}

function folders_like(folder: string, listings: Listings): string[] {
  if (!folder.includes("*")) return [folder];
  return folder.slice(1).split("/").reduce<string[]>(
    (folders, name) => folders.flatMap((one) => filled_in(`${one}/${name}`, listings)),
    [""],
  );
}

/** A `*` at the end stands for what is there. */
function filled_in(path: string, listings: Listings): string[] {
  if (!path.endsWith("*")) return [path];
  const at = path.lastIndexOf("/");
  const start = path.slice(at + 1, -1);
  return listings.entries(path.slice(0, at) || "/").filter(({ name }) => name.startsWith(start))
    .map(({ name }) => `${path.slice(0, at)}/${name}`);
}
