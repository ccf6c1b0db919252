/** Programs that hamr itself starts, only from places that no command can write: `PATH` may lead into the workspace. */
import { type Environ, is_inside, real_or } from "../config/paths.ts";
import { expanded, real_of, stat_or_null } from "./paths.ts";
import { own_writable, type Policy } from "../sandbox/policy.ts";
import { with_other_reach } from "../sandbox/scope/other_reach.ts";

/** The real path of the first of this name that no command under the policy can write; null if there is none. */
export function own_program(name: string, policy: Policy): string | null {
  return first_beyond(written(policy), name, policy.env["PATH"] ?? "");
}

/** What it is to see of the variables that commands see: they may lead to a library that forges its answers. */
export function own_variables(policy: Policy): Record<string, string> {
  return environment_outside(written(policy), policy.env);
}

function written(policy: Policy): readonly string[] {
  return policy.write === "all"
    ? []
    : [...own_writable(policy), ...policy.write, ...policy.also_written ?? []];
}

/** The same on the main thread, where nothing is known but folders that commands work in. */
export function program_beyond(places: readonly string[], name: string): string | null {
  return first_beyond(with_other_reach(places.map(real_or)), name, Deno.env.get("PATH") ?? "");
}

/** Lists of places from which programs start others or load code, whatever they are asked to do. */
const SEARCHED: ReadonlySet<string> = new Set(
  ["PATH", "LD_LIBRARY_PATH", "LD_PRELOAD", "LD_AUDIT", "PYTHONPATH", "NODE_PATH", "PERL5LIB"]
    .concat(["RUBYLIB", "GCONV_PATH", "GEM_PATH", "CLASSPATH"]),
);
/** Options and files by which they load code besides (`NODE_OPTIONS=--require /work/.pnp.cjs`, as `yarn run` sets it). */
const BESIDES =
  /^(?:(?:BASH_)?ENV|NODE_OPTIONS|PERL5(?:OPT|DB)|RUBYOPT|PYTHON(?:HOME|STARTUP)|(?:JAVA_TOOL|JDK_JAVA|_JAVA)_OPTIONS|OPENSSL_(?:CONF|MODULES|ENGINES)|GIT_(?:SSH|SSH_COMMAND|ASKPASS|EXEC_PATH|TEMPLATE_DIR|PROXY_COMMAND)|SSH_ASKPASS)$/;

/** An environment without what lies in these folders, for such a program, and for what it starts itself. */
export function environment_beyond(
  places: readonly string[],
  environ: Environ = Deno.env.toObject(),
): Record<string, string> {
  return environment_outside(with_other_reach(places.map(real_or)), environ);
}

/** An environment without what lies in `reach`. */
export function environment_outside(
  reach: readonly string[],
  environ: Environ,
): Record<string, string> {
  const is_within = (path: string) => reach.some((folder) => is_inside(real_or(path), folder));
  const is_led_there = (value: string) =>
    value.split(/[\s"',:;=]+/).some((word) => {
      const path = word.includes("/") ? expanded(word, environ["HOME"] ?? "") : null;
      return path !== null && is_within(path);
    });
  const outside = (list: string, between: RegExp) =>
    list.split(between).filter((place) => place.startsWith("/") && !is_within(place)).join(":");
  return Object.fromEntries(
    Object.entries(environ).flatMap(([name, value]): [string, string][] => {
      if (value === undefined || (BESIDES.test(name) && is_led_there(value))) return [];
      // The linker has more signs between its places than others.
      const between = name.startsWith("LD_") ? /[:;\s]/ : /:/;
      return [[name, SEARCHED.has(name) ? outside(value, between) : value]];
    }),
  );
}

function first_beyond(reach: readonly string[], name: string, path: string): string | null {
  for (const folder of path.split(":")) {
    if (!folder.startsWith("/")) continue;
    const file = `${real_or(folder)}/${name}`;
    const real = real_of(file);
    if (real === null || !stat_or_null(real)?.isFile) continue;
    // By its name there, as one program may be several. A link that a command can write may lead elsewhere by then.
    if (!reach.some((place) => is_inside(file, place) || is_inside(real, place))) return file;
  }
  return null;
}
