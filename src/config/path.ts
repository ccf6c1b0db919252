/** The part of `node:path` that is used here, for this system's paths. */
import { node_path } from "./node.ts";

type PathFunctions = Pick<
  typeof import("node:path"),
  "basename" | "dirname" | "join" | "relative" | "resolve"
>;

/** The names in a path, without `.`, `..` and empty ones; a relative path may lead above where it starts. */
function names_in(path: string): string[] {
  const names: string[] = [];
  for (const name of path.split("/")) {
    if (name === "" || name === ".") continue;
    if (name !== "..") names.push(name);
    else if (names.length > 0 && names.at(-1) !== "..") names.pop();
    else if (!path.startsWith("/")) names.push(name);
  }
  return names;
}

/** `node:path/posix`, but that no slash stays at the end. */
export const POSIX: PathFunctions = {
  resolve(...paths) {
    const from = paths.findLastIndex((path) => path.startsWith("/"));
    const given = from < 0 ? [Deno.cwd(), ...paths] : paths.slice(from);
    return `/${names_in(given.join("/")).join("/")}`;
  },
  join(...paths) {
    const path = paths.filter((part) => part !== "").join("/");
    return (path.startsWith("/") ? "/" : "") + names_in(path).join("/") || ".";
  },
  dirname(path) {
    const at = path.replace(/\/+$/, "").lastIndexOf("/");
    return at < 0 ? path.startsWith("/") ? "/" : "." : path.slice(0, at).replace(/\/+$/, "") || "/";
  },
  basename(path) {
    const whole = path.replace(/\/+$/, "");
    return whole.slice(whole.lastIndexOf("/") + 1);
  },
  relative(from, to) {
    const [ours = [], theirs = []] = [from, to].map((path) => names_in(POSIX.resolve(path)));
    const other = ours.findIndex((name, at) => name !== theirs[at]);
    const shared = other < 0 ? ours.length : other;
    return [...ours.slice(shared).map(() => ".."), ...theirs.slice(shared)].join("/");
  },
};

export const path: PathFunctions = Deno.build.os === "windows" ? node_path() : POSIX;
