/** What the tests of settings share. */
import { strictEqual } from "node:assert/strict";
import { ConfigError } from "./error.ts";
import type { Loaded, LoadOptions } from "./load.ts";

/** A fresh home and workspace with these files of settings. */
export async function with_files<T>(
  files: { user?: string | Uint8Array; workspace?: string },
  work: (place: { home: string; workspace: string; options: LoadOptions }) => Promise<T>,
): Promise<T> {
  const root = Deno.realPathSync(Deno.makeTempDirSync());
  const [home, workspace] = [`${root}/home`, `${root}/work`];
  try {
    Deno.mkdirSync(home);
    Deno.mkdirSync(`${workspace}/.hamr`, { recursive: true });
    if (typeof files.user === "string") Deno.writeTextFileSync(`${home}/config.toml`, files.user);
    else if (files.user) Deno.writeFileSync(`${home}/config.toml`, files.user);
    if (files.workspace !== undefined) {
      Deno.writeTextFileSync(`${workspace}/.hamr/config.toml`, files.workspace);
    }
    return await work({ home, workspace, options: { workspace, environ: { HAMR_HOME: home } } });
  } finally {
    Deno.removeSync(root, { recursive: true });
  }
}

/** The message of the refusal, which must be a `ConfigError` of one line. */
export async function refusal(attempt: Promise<Loaded>): Promise<string> {
  try {
    await attempt;
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    strictEqual(/\p{Cc}/u.test(error.message), false, error.message);
    return error.message;
  }
  throw new Error("no error");
}
