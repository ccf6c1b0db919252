/** What root's commands could read besides the user's own files: other people's keys, and the system's. On the tools worker. */
import { CALLED_SO, SECRET_PLACES, SYSTEM_SECRETS } from "../../config/secret_places.ts";
import { fits_one, is_inside } from "../../config/paths.ts";
import { type Libc, open_libc } from "../kernel/libc.ts";
import { own_folders, type Policy } from "../policy.ts";
import type { Listings } from "./listings.ts";
import { list_folder, read_text } from "../kernel/proc_fs.ts";

/** Homes that are looked into; a machine with more of them is a server for logins, and the rest are closed as a whole. */
const MOST_HOMES = 100;
/** Where people have theirs whom only a server knows (LDAP). */
const HOMES = "/home";

/** These paths, if they exist; none unless root runs hamr, or if the user denies nothing. What the user names may be read. */
export function others_secrets(policy: Policy, listings: Listings | null): string[] {
  const { read, deny_read, env } = policy;
  if (listings === null || deny_read.length === 0) return [];
  const libc = open_libc();
  if (libc.call("geteuid", []) !== 0) return [];
  const own = env["HOME"] ?? "/root";
  const denied = new Set(deny_read);
  // What the user has taken off the list is open in every home. Patterns stand there as what they are in the user's own.
  const listed_so = SECRET_PLACES.flatMap(({ paths }) => paths)
    .filter((path) => path.startsWith("~/"));
  const places = listed_so.filter((path) => denied.has(own + path.slice(1)))
    .map((path) => path.slice(2));
  const by_first = Map.groupBy(places, (place) => place.split("/")[0] ?? "");
  const by_folder = [...Map.groupBy(
    [...CALLED_SO, ...listed_so].filter((path) => /[*?]/.test(path) || CALLED_SO.has(path)),
    (path) => path.slice(2, path.lastIndexOf("/")),
  )].map(([folder, paths]) => ({
    folder,
    first: folder.split("/")[0] ?? "",
    fits: fits_one(paths.map((path) => path.slice(path.lastIndexOf("/") + 1))),
  }));
  const listed = list_folder(libc, HOMES).filter(({ is_file }) => !is_file)
    .map(({ name }) => `${HOMES}/${name}`);
  // Below one of the disk's top: a service whose home is /, /bin or /dev has none of its own.
  const known = (read_text(libc, "/etc/passwd") ?? "").split("\n")
    .map((row) => row.split(":")[5] ?? "").filter((home) => /^\/[^/]+\/[^/]/.test(home));
  const homes = [...new Set([...known, ...listed])].filter((home) => home !== own);
  const named = read === "all" ? [] : read;
  const works_in = (home: string) =>
    [...own_folders(policy), ...named].some((folder) => is_inside(folder, home));
  return [
    ...homes.flatMap((home, nth) => {
      if (nth >= MOST_HOMES && !works_in(home)) return [home];
      const listed = listings.entries(home).flatMap(({ name }) => by_first.get(name) ?? [])
        .map((place) => `${home}/${place}`);
      // Of most users there is no home, or next to nothing in it.
      const there = by_folder.filter(({ first }) =>
        first === "" || first.endsWith("*") || listings.kind_of(home, first) !== "missing"
      );
      return [...listed, ...called_so(libc, home, there)];
    }),
    ...SYSTEM_SECRETS.flatMap((path) => filled_in(libc, path)),
  ].filter((path) => !named.some((wanted) => is_inside(wanted, path)));
}

/** What is only called as secrets are. `by_folder`: relative to the home, of which the last name may be a pattern. */
function called_so(
  libc: Libc,
  home: string,
  by_folder: readonly { readonly folder: string; readonly fits: (name: string) => boolean }[],
): string[] {
  return by_folder.flatMap(({ folder, fits }) =>
    folder.split("/").filter((part) => part !== "").reduce<string[]>(
      (folders, part) =>
        folders.flatMap((one) =>
          part.endsWith("*") ? filled_in(libc, `${one}/${part}`) : [`${one}/${part}`]
        ),
      [home],
    ).flatMap((one) =>
      list_folder(libc, one).filter(({ name }) => fits(name)).map(({ name }) => `${one}/${name}`)
    )
  );
}

/** A `*` at the end stands for what is there. */
function filled_in(libc: Libc, path: string): string[] {
  if (!path.endsWith("*")) return [path];
  const at = path.lastIndexOf("/") + 1;
  const start = path.slice(at, -1);
  return list_folder(libc, path.slice(0, at)).filter(({ name }) => name.startsWith(start))
    .map(({ name }) => path.slice(0, at) + name);
}
