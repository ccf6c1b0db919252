import assert from "node:assert/strict";
import type { Stage } from "./stage.ts";

/** Runs a command of the person's in the workspace; it has to work. */
export function sh(s: Stage, command: string): void {
  const { success, stderr } = new Deno.Command("bash", {
    args: ["-ec", command],
    cwd: s.ws.path,
    env: { HOME: s.home.path, GIT_CONFIG_NOSYSTEM: "1" },
  }).outputSync();
  assert.ok(success, new TextDecoder().decode(stderr));
}

/** Makes a repository of the folder, with all in it in one commit. */
export const COMMIT =
  "git init -q; git add .; git -c user.name=t -c user.email=t@localhost commit -qm begin";
