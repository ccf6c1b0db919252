/** Programs that hamr itself starts, from places that no command can write: `PATH` may lead into the workspace. */
import { is_inside, real_or } from "../config/paths.ts";
import { follow, real_of } from "./paths.ts";
import { own_writable, type Policy } from "../sandbox/policy.ts";
import { with_other_reach } from "../sandbox/scope/other_reach.ts";

/** The real path of the first of this name that no command under the policy can write; null if there is none. */
export function own_program(name: string, policy: Policy): string | null {
  const reach = policy.write === "all"
    ? []
    : [...own_writable(policy), ...policy.write, ...policy.also_written ?? []];
  return first_beyond(reach, { name, path: policy.env["PATH"] ?? "" });
}

/** The same on the main thread, where nothing is known but folders that commands work in. */
export function program_beyond(places: readonly string[], name: string): string | null {
  return first_beyond(with_other_reach(places.map(real_or)), {
    name,
    path: Deno.env.get("PATH") ?? "",
  });
}

/** Lists of places from which programs start others or load code, whatever they are asked to do. */
const SEARCHED = ["PATH", "LD_LIBRARY_PATH", "LD_PRELOAD", "LD_AUDIT", "PYTHONPATH", "NODE_PATH"]
  .concat(["PERL5LIB", "RUBYLIB"]);

/** These variables without these folders, for such a program, and for what it starts itself. */
export function search_beyond(places: readonly string[]): Record<string, string> {
  return search_outside(with_other_reach(places.map(real_or)));
}

/** The same where it is known what else they reach. */
export function search_outside(reach: readonly string[]): Record<string, string> {
  const outside = (list: string, between: RegExp) =>
    list.split(between).filter((place) =>
      place.startsWith("/") && !reach.some((folder) => is_inside(real_or(place), folder))
    ).join(":");
  return Object.fromEntries(SEARCHED.flatMap((name) => {
    const value = Deno.env.get(name);
    // The linker has more signs between its places than others.
    const between = name.startsWith("LD_") ? /[:;\s]/ : /:/;
    return value === undefined ? [] : [[name, outside(value, between)]];
  }));
}

function first_beyond(
  reach: readonly string[],
  { name, path }: { name: string; path: string },
): string | null {
  for (const folder of path.split(":")) {
    if (!folder.startsWith("/")) continue;
    const file = `${real_or(folder)}/${name}`;
    const real = real_of(file);
    if (real === null || !follow(real)?.isFile) continue;
    // By its name there, as one program may be several. A link that a command can write may lead elsewhere by then.
    if (!reach.some((place) => is_inside(file, place) || is_inside(real, place))) return file;
  }
  return null;
}
