/** Home folders that a person has on the system around this one, and that are shown here. */
import { mount_path } from "../sandbox/scope/other_names.ts";
import { linux_libc } from "../sandbox/kernel/libc.ts";
import { read_text } from "../sandbox/kernel/proc_fs.ts";
import { entries_in } from "./paths.ts";

/** A drive of Windows in WSL, in /proc/self/mountinfo: its kind, its source or an option says so, whatever carries it. */
const DRIVE = /^\S+ \S+ \S+ \S+ (\S+) .* - (?:drvfs |\S+ drvfs|9p .*\baname=drvfs)/gm;
/** Where Lima and OrbStack show what a Mac has, by its own name or below `/mnt`. */
const OF_MAC = ["Users", "mnt/mac/Users"];
const NOBODYS = /^(?:Public|Default(?: User)?|All Users|Shared|WsiAccount)$/;

/** Of Windows in WSL, and of a Mac in its virtual machine; absolute. `machine`: what is `/`. */
export function host_homes(machine = "/", mounts?: string): readonly string[] {
  const libc = linux_libc();
  if (libc === null) return [];
  const known = mounts ?? read_text(libc, "/proc/self/mountinfo") ?? "";
  const drives = [...known.matchAll(DRIVE)].map(([, at = ""]) => mount_path(at));
  return [...drives.map((at) => `${at}/Users`), ...OF_MAC.map((name) => machine + name)]
    .flatMap((folder) =>
      entries_in(folder).filter(({ name, isDirectory }) => isDirectory && !NOBODYS.test(name))
        .map(({ name }) => `${folder}/${name}`)
    );
}
