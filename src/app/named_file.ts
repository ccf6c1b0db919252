/** Files that a flag names: the user means that file, not a key that a link in the workspace turns it into. */
import { is_inside, real_or } from "../config/paths.ts";
import { denied_paths } from "../permission/denied_paths.ts";
import { way_of } from "../permission/untrusted_links.ts";
import { read_where } from "../sandbox/kernel/read_inside.ts";
import { places_written, type RunSettings } from "./settings.ts";

/**
 * A regular file that a flag names, from the current folder.
 * @throws {Error} where it is none, has more than `most` bytes or can't be read, or `refuse_astray` refuses it.
 */
export function read_named(
  path: string,
  { most, place }: { most: number; place: RunSettings },
): Uint8Array<ArrayBuffer> {
  // A pipe would be waited for.
  const { isFile, size } = Deno.statSync(path);
  if (!isFile) throw new Error("not a regular file");
  if (size > most) throw new Error(`it has ${size} bytes; at most ${most} are allowed`);
  const bytes = read_where(path, {
    most,
    may: (real) => {
      refuse_astray(path, { real, place });
      return true;
    },
  });
  if (bytes !== null) return bytes;
  Deno.openSync(path).close(); // Says why.
  throw new Error("not a regular file");
}

/** Throws if a link that a command or the repository may have made leads to what commands may not read. `real`: what was opened. */
function refuse_astray(path: string, { real, place }: { real: string; place: RunSettings }): void {
  const way = way_of(path, places_written(place));
  if (way.link === null && way.place === real) return;
  const { workspace, environ, settings: { permissions }, paths: { data_dir, config_file } } = place;
  const home = environ["HOME"] ?? "";
  const denied = denied_paths({ ...permissions, more_denied: [] }, {
    ...{ workspace, environ, data_dir, config_file, home },
  });
  if (denied.every((one) => !is_inside(real, one) && !is_inside(real, real_or(one)))) return;
  const link = way.link?.is_anothers ? "another user's link" : "a link in the workspace";
  throw new Error(`${link} leads to what must not be read; name that file itself`);
}
