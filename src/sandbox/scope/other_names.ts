/** Other ways to denied bytes: a second mount of the file system (WSL, ostree), layers of an overlay (live systems), the disk in /dev. */
import { is_inside } from "../../config/paths.ts";
import type { Libc } from "../kernel/libc.ts";
import { read_text } from "../kernel/proc_fs.ts";
import { look_at } from "../kernel/statx.ts";

interface Mount {
  /** Which file system; two mounts of one have the same. */
  readonly device: string;
  /** The folder of the file system that is shown. */
  readonly shown: string;
  readonly at: string;
  /** The folders that an overlay is made of, as they were named when it was mounted. */
  readonly layers: readonly string[];
}

/** What is mounted, the nearest to a path to be found by its place. */
export type Mounts = ReadonlyMap<string, Mount>;

/** What leads to where two paths with the same end lead. */
interface Look {
  readonly mounts: Mounts;
  /** Whether two paths with the same end lead to one place. */
  readonly is_same: (one: string, other: string) => boolean;
}

/** A name that is no UTF-8 has this in it, and can't be asked for. */
const NO_UTF8 = "\ufffd";
/** Options of an overlay that name its layers; in their values a colon that is part of a name has a backslash before it. */
const LAYERS = /(?:^|,)(?:lowerdir\+?|upperdir|datadir\+?)=((?:\\.|[^,\\])*)/g;

/** What is mounted, where something may be reached by two ways; empty where it can't, as on most machines. */
export function doubled_mounts(libc: Libc): Mounts {
  const mounts = mounts_of(read_text(libc, "/proc/self/mountinfo") ?? "");
  const all = [...mounts.values()];
  // In a chroot the root is no mount, and so part of a file system that may be mounted somewhere.
  const is_doubled = !mounts.has("/") ||
    new Set(all.map(({ device }) => device)).size !== all.length ||
    all.some(({ layers }) => layers.some((layer) => look_at(libc, layer) !== null));
  if (!is_doubled) return new Map();
  const device = look_at(libc, "/")?.identity.replace(/:\d+$/, "") ?? "";
  return mounts.has("/")
    ? mounts
    : new Map([...mounts, ["/", { device, shown: NO_UTF8, at: "/", layers: [] }]]);
}

/** Paths that lead to what is denied, besides those given (real paths). */
export function other_names(libc: Libc, given: readonly string[], mounts: Mounts): string[] {
  if (mounts.size === 0) return [];
  const look: Look = { mounts, is_same: (one, other) => leads_to_same(libc, one, other) };
  const inner = [...mounts.keys()].flatMap((at) =>
    given.filter((path) => at !== path && is_inside(at, path)).flatMap((path) =>
      // The whole disk, shown in it, is not denied with it.
      paths_on_other_mounts(at, look).filter((other) => !is_inside(path, other))
    )
  );
  const layers = given.flatMap((path) => {
    const own = mount_of(path, mounts);
    if (own === undefined) return [];
    const inner = join(own.shown, below(path, own.at) ?? "");
    return own.layers.filter((layer) => look_at(libc, layer) !== null)
      .map((layer) => join(layer, inner.slice(1)));
  });
  return [
    ...inner,
    ...layers,
    ...[...given, ...layers].flatMap((path) => paths_on_other_mounts(path, look)),
  ];
}

/** Reads /proc/self/mountinfo (proc_pid_mountinfo(5)). What lies under a later mount can't be reached, and is left out. */
export function mounts_of(text: string): Mounts {
  const all = new Map(
    text.split("\n").flatMap((line) => {
      const [id, parent, device, shown, at] = line.split(" ");
      if (id === undefined || parent === undefined || device === undefined) return [];
      if (shown === undefined || at === undefined) return [];
      const layers = line.split(" - ")[1]?.includes("overlay") ? layers_of(line) : [];
      const mount: Mount = { device, shown: mount_path(shown), at: mount_path(at), layers };
      return [[id, { parent, mount }]];
    }),
  );
  const children = Map.groupBy(all.values(), ({ parent }) => parent);
  const places = new Map([...children].map(([parent, mounts]) => {
    return [parent, new Set(mounts.map(({ mount }) => mount.at))];
  }));
  /** Whether another was mounted, in the same one, on a folder above. */
  const is_hidden = (id: string | undefined): boolean => {
    const one = all.get(id ?? "");
    if (one === undefined || one.parent === id) return false;
    const beside = places.get(one.parent);
    return folders_above(one.mount.at).some((folder) => beside?.has(folder)) ||
      is_hidden(one.parent);
  };
  // If several are mounted in one place, the last is on top.
  return new Map(
    [...all].filter(([id]) => !is_hidden(id)).map(([, { mount }]) => [mount.at, mount]),
  );
}

function layers_of(line: string): string[] {
  return [...line.slice(line.lastIndexOf(" ") + 1).matchAll(LAYERS)].flatMap(([, value = ""]) =>
    [...mount_path(value).matchAll(/(?:\\.|[^:\\])+/g)].map(([layer]) =>
      layer.replace(/\\(.)/g, "$1")
    )
  ).filter((layer) => layer.startsWith("/"));
}

/** Where a path of one mount is found below the others of its file system. */
export function paths_on_other_mounts(path: string, { mounts, is_same }: Look): string[] {
  const own = mount_of(path, mounts);
  if (own === undefined) return [];
  const same = [...mounts.values()].filter(({ at, device }) =>
    device === own.device && at !== own.at
  );
  // Nobody can tell where in the file system a chroot lies; that it is in it, where all of it is shown.
  if (own.shown === NO_UTF8) return same.filter(({ shown }) => shown === "/").map(({ at }) => at);
  const inner = join(own.shown, below(path, own.at) ?? "");
  return same.flatMap((mount) => {
    // A part of what is denied is shown there, whole.
    if (mount.shown !== inner && below(mount.shown, inner) !== null) return [mount.at];
    const rest = below(inner, mount.shown);
    if (rest === null) return [];
    const other = join(mount.at, rest);
    const is_unknown = [path, other].some((name) => name.includes(NO_UTF8));
    // Another mount may hide it.
    return is_unknown || is_same(path, other) ? [other] : [];
  });
}

function mount_of(path: string, mounts: Mounts): Mount | undefined {
  const at = [path, ...folders_above(path).reverse()].find((folder) => mounts.has(folder));
  return at === undefined ? undefined : mounts.get(at);
}

export function folders_above(path: string): string[] {
  const folders = path === "/" ? [] : ["/"];
  for (let at = path.indexOf("/", 1); at > 0; at = path.indexOf("/", at + 1)) {
    folders.push(path.slice(0, at));
  }
  return folders;
}

/** What follows a folder in a path, "" for the folder itself; null if the path is elsewhere. */
function below(path: string, folder: string): string | null {
  return is_inside(path, folder) ? path.slice(folder === "/" ? 1 : folder.length + 1) : null;
}

function join(folder: string, rest: string): string {
  return rest === "" ? folder : `${folder === "/" ? "" : folder}/${rest}`;
}

/** Where neither is there yet, their nearest folders are asked. */
function leads_to_same(libc: Libc, one: string, other: string): boolean {
  const [a, b] = [look_at(libc, one), look_at(libc, other)];
  if (a !== null || b !== null) return a?.identity === b?.identity;
  const up = (path: string) => path.slice(0, path.lastIndexOf("/")) || "/";
  return one !== "/" && other !== "/" && leads_to_same(libc, up(one), up(other));
}

/** What a name stands for where that may have other names (hard links); null where it has none, or is not there. */
export function shared_identity_of(libc: Libc, path: string): string | null {
  const look = look_at(libc, path);
  return look === null || look.links === 1 ? null : look.identity;
}

/** A path of /proc/self/mountinfo: spaces and the like are octal numbers there. */
export function mount_path(text: string): string {
  return text.replace(/\\([0-7]{3})/g, (_, code) => String.fromCharCode(parseInt(code, 8)));
}
