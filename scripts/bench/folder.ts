/** Where something is measured. */
export interface Folder {
  readonly cwd: string;
  readonly home: string;
}

/**
 * Gives a fresh workspace and HOME to `body`, and clears up after it. Not in the system's temporary folder: with a HOME in it that would
 * be on the way to something denied, and each of the hundreds of names that others have left there would cost each run a rule.
 */
export async function in_folder<T>(body: (folder: Folder) => Promise<T>): Promise<T> {
  const { XDG_CACHE_HOME, HOME } = Deno.env.toObject();
  const dir = XDG_CACHE_HOME ?? (HOME === undefined ? undefined : `${HOME}/.cache`);
  if (dir !== undefined) Deno.mkdirSync(dir, { recursive: true });
  const root = Deno.makeTempDirSync({
    prefix: "hamr_bench_",
    ...(dir === undefined ? {} : { dir }),
  });
  for (const name of ["ws", "home"]) Deno.mkdirSync(`${root}/${name}`);
  try {
    return await body({ cwd: `${root}/ws`, home: `${root}/home` });
  } finally {
    Deno.removeSync(root, { recursive: true });
  }
}
