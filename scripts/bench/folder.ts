/** Where something is measured. */
export interface Folder {
  readonly cwd: string;
  readonly home: string;
}

/** Gives a fresh workspace and HOME to `body`, and clears up after it. */
export async function in_folder<T>(body: (folder: Folder) => Promise<T>): Promise<T> {
  const root = Deno.makeTempDirSync({ prefix: "hamr_bench_" });
  for (const name of ["ws", "home"]) Deno.mkdirSync(`${root}/${name}`);
  try {
    return await body({ cwd: `${root}/ws`, home: `${root}/home` });
  } finally {
    Deno.removeSync(root, { recursive: true });
  }
}
