/** What tests of `hamr undo` and `hamr diff` share. */
import assert from "node:assert/strict";
import type { Stage } from "./stage.ts";

/** What a command does until `ready` is taken away: with a run that is killed it goes on. */
export const WAIT = "while test -e ready; do sleep 0.02; done";

/** Everything in a folder: content, mode, where a link leads; except for git's own. */
export function all_of(folder: string, below = ""): Record<string, string> {
  const found: Record<string, string> = {};
  for (const { name, isDirectory, isSymlink } of Deno.readDirSync(`${folder}/${below}`)) {
    const path = `${below}${name}`;
    const full = `${folder}/${path}`;
    if (path === ".git") continue;
    const mode = (Deno.lstatSync(full).mode ?? 0).toString(8);
    if (isDirectory) Object.assign(found, { [`${path}/`]: "" }, all_of(folder, `${path}/`));
    else if (isSymlink) found[path] = `-> ${Deno.readLinkSync(full)}`;
    else found[path] = `${mode} ${Deno.readTextFileSync(full)}`;
  }
  return found;
}

/**
 * `hamr undo` or `hamr diff`: exit code, lines of standard output without the places of copies, standard error without the line
 * that names the session.
 */
export async function told(s: Stage, ...args: string[]): Promise<[number, string[], string]> {
  const { code, stdout, stderr } = await s.hamr(args);
  const lines = stdout.split("\n").filter((line) => line !== "");
  if (code !== 3 && lines.length > 0) assert.match(stderr, NAMED);
  return [code, lines.map((line) => line.replace(COPY, "")), stderr.replace(NAMED, "")];
}

const COPY = /: a copy is in \/.*$/;
export const NAMED = /^hamr: session [0-9a-f-]{36}: Do it\.\n/m;
