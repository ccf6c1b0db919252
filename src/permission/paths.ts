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
