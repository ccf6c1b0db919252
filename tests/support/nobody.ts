/** A run as an ordinary user, where root runs the tests. */
import assert from "node:assert/strict";
import { environment, type StartOptions } from "./hamr.ts";
import type { Stage } from "./stage.ts";

/** The user that owns nothing. */
export const NOBODY = 65534;

/** How `hamr` is started on a stage as nobody, or somebody else, who owns the workspace and HOME from now on. Takes root. */
export async function as_nobody(s: Stage, uid = NOBODY): Promise<Partial<StartOptions>> {
  // Deno asks access(2) about its packages, where capabilities do not count. A bundle has them in itself.
  const packages = Deno.env.has("HAMR_BIN") || Deno.env.has("HAMR_BUNDLE")
    ? "none"
    : `${environment(s.home.path)["DENO_DIR"]}/npm`;
  const cache = s.home.at("deno");
  const prepare = 'mkdir "$1" && { [ ! -d "$0" ] || cp -r "$0" "$1/npm"; } && ' +
    'chown -R "$4:$4" "$2" "$3" && chmod 755 "$2/.."';
  const { success } = await new Deno.Command("sh", {
    args: ["-c", prepare, packages, cache, s.home.path, s.ws.path, `${uid}`],
  }).output();
  assert.ok(success);
  return {
    // The program, not its children, may reach what it is made of.
    wrapper: [
      ...["setpriv", `--reuid=${uid}`, `--regid=${uid}`, "--clear-groups"],
      ...["--inh-caps=+dac_override", "--ambient-caps=+dac_override", "--"],
    ],
    env: { ...s.env, DENO_DIR: cache },
  };
}
