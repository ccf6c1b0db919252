/** Permissions that cannot be given as asked; the message is one line for the person. Exit 3. */
export class PermissionError extends Error {}

/** Whether a path is another or lies below it; by its name alone. */
export function is_inside(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder === "/" ? "/" : `${folder}/`);
}

/** As people write paths: `~`, or relative to the current folder; null where there is no home to expand. */
export function absolute(path: string, home: string): string | null {
  if (/^~(\/|$)/.test(path)) return home === "" ? null : tidy(home + path.slice(1));
  return tidy(path.startsWith("/") ? path : `${Deno.cwd()}/${path}`);
}

function tidy(path: string): string {
  const parts: string[] = [];
  for (const part of path.split("/")) {
    if (part === "..") parts.pop();
    else if (part !== "" && part !== ".") parts.push(part);
  }
  return `/${parts.join("/")}`;
}

/** The real path, or the path itself where nothing is there. */
export function real_or(path: string): string {
  try {
    return Deno.realPathSync(path);
  } catch {
    return path;
  }
}

/** Whether anything of that name is there, a dangling link included. */
export function exists(path: string): boolean {
  try {
    Deno.lstatSync(path);
    return true;
  } catch {
    return false;
  }
}

/** A file that says where things are is a page long; what is larger is another kind of file. */
const MOST_BYTES = 16 * 1024 * 1024;

/** The text of a file of the workspace; empty where there is none, and for a pipe or a device, which would never end. */
export function text_of(file: string): string {
  try {
    const { isFile, size } = Deno.statSync(file);
    return isFile && size <= MOST_BYTES ? Deno.readTextFileSync(file) : "";
  } catch {
    return "";
  }
}

/**
 * The home folder that the system knows of; empty where it knows none. A service, a container or `env -i` may say another one in
 * HOME, or none, and the keys lie here all the same.
 */
export function passwd_home(): string {
  const uid = Deno.build.os === "windows" ? null : Deno.uid();
  const line = text_of("/etc/passwd").split("\n").find((row) => row.split(":")[2] === `${uid}`);
  return line?.split(":")[5] ?? "";
}
