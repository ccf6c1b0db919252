/**
 * Other ways to the same bytes than the path that is denied: a second mount of the same file system (WSL shows all of / below
 * /mnt/wslg/distro, ostree below /sysroot). The disk under it, which root can read as a file, is in /dev.
 */
import { is_inside } from "../../config/paths.ts";
import type { Libc } from "../kernel/libc.ts";
import { read_text } from "../kernel/proc_fs.ts";
import { look_at } from "../kernel/statx.ts";

/** A mount as this process sees it. */
export interface Mount {
  /** Which file system; two mounts of one have the same. */
  readonly device: string;
  /** The folder of the file system that is shown. */
  readonly shown: string;
  readonly at: string;
}

/** What is mounted, where a file system is mounted twice; [] where none is, as on most machines. */
export function doubled_mounts(libc: Libc): readonly Mount[] {
  const mounts = mounts_of(read_text(libc, "/proc/self/mountinfo") ?? "");
  return new Set(mounts.map(({ device }) => device)).size === mounts.length ? [] : mounts;
}

/** Paths that lead to what is denied, besides those given (real paths). */
export function other_names(
  libc: Libc,
  given: readonly string[],
  mounts: readonly Mount[],
): string[] {
  const is_same = (one: string, other: string) => leads_to_same(libc, one, other);
  return given.flatMap((path) => elsewhere(path, { mounts, is_same }));
}

/** Reads /proc/self/mountinfo (proc_pid_mountinfo(5)); later mounts are on top of earlier ones. */
export function mounts_of(text: string): Mount[] {
  return text.split("\n").flatMap((line) => {
    const [, , device, shown, at] = line.split(" ");
    return device === undefined || shown === undefined || at === undefined
      ? []
      : [{ device, shown: plain(shown), at: plain(at) }];
  });
}

/** Where a path of one mount is found below the others of its file system. */
export function elsewhere(
  path: string,
  { mounts, is_same }: {
    readonly mounts: readonly Mount[];
    /** Whether two paths with the same end lead to one place. */
    readonly is_same: (one: string, other: string) => boolean;
  },
): string[] {
  const own = mounts.reduce<Mount | null>(
    (found, mount) =>
      below(path, mount.at) !== null && mount.at.length >= (found?.at.length ?? 0) ? mount : found,
    null,
  );
  if (own === null) return [];
  const inner = join(own.shown, below(path, own.at) ?? "");
  return mounts.filter(({ device }) => device === own.device).flatMap((mount) => {
    // A part of what is denied is shown there, whole.
    if (mount.shown !== inner && below(mount.shown, inner) !== null) return [mount.at];
    const rest = below(inner, mount.shown);
    const other = rest === null ? path : join(mount.at, rest);
    // Another mount may hide it.
    return other !== path && is_same(path, other) ? [other] : [];
  });
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

/** Spaces and the like are octal numbers. */
function plain(text: string): string {
  return text.replace(/\\([0-7]{3})/g, (_, code) => String.fromCharCode(parseInt(code, 8)));
}
