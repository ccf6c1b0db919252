/**
 * Programs that `hamr` itself starts: none that a command could have put there. `PATH` may lead into the workspace, such as to
 * `node_modules/.bin`.
 */
import { is_inside, real_or } from "../config/paths.ts";
import { own_writable, type Policy } from "../sandbox/policy.ts";

/** The real path of the first of this name that no command under the policy can write; null if there is none. */
export function own_program(name: string, policy: Policy): string | null {
  const reach = policy.write === "all" ? [] : [...own_writable(policy), ...policy.write];
  return first_beyond(reach, { name, path: policy.env["PATH"] ?? "" });
}

/** The same on the main thread, where nothing is known but the workspace. */
export function program_beyond(workspace: string, name: string): string | null {
  return first_beyond([real_or(workspace)], { name, path: Deno.env.get("PATH") ?? "" });
}

function first_beyond(
  reach: readonly string[],
  { name, path }: { readonly name: string; readonly path: string },
): string | null {
  for (const folder of path.split(":")) {
    if (!folder.startsWith("/")) continue;
    const file = `${real_or(folder)}/${name}`;
    try {
      const real = Deno.realPathSync(file);
      if (!Deno.statSync(real).isFile) continue;
      // By its name there, as one program may be several. A link that a command can write may lead elsewhere by then.
      if (!reach.some((place) => is_inside(file, place) || is_inside(real, place))) return file;
    } catch {
      // Not in this folder.
    }
  }
  return null;
}
