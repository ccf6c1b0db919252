/** How a test removes the folder that it worked in. */

/** What was just killed has stopped writing by then, however busy the machine is. */
const HANG_MS = 30_000;
/** Between two tries. */
const AGAIN_MS = 20;

/**
 * Removes a folder and all that is in it, also one in which something that was just ended still writes: its parent is
 * told of the end before its threads and children are gone.
 *
 * @throws {Error} Something is mounted below it: that is somebody else's.
 */
export async function remove(folder: string): Promise<void> {
  const end = performance.now() + HANG_MS;
  while (!is_removed(folder, end)) await new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
}

/** The same at the end of a process, which waits for nothing anymore. */
export function remove_now(folder: string): void {
  const end = performance.now() + HANG_MS;
  const sleeper = new Int32Array(new SharedArrayBuffer(4));
  while (!is_removed(folder, end)) Atomics.wait(sleeper, 0, 0, AGAIN_MS);
}

/** Folders that a test has closed keep an ordinary user from removing what is in them. */
function open(folder: string): void {
  new Deno.Command("chmod", { args: ["-R", "u+rwX", folder], stderr: "null" }).outputSync();
}

/** Tries it; throws once it is `end`, and at once what will not change. */
function is_removed(folder: string, end: number): boolean {
  const mounts = Deno.build.os === "linux" ? Deno.readTextFileSync("/proc/self/mountinfo") : "";
  if (mounts.includes(` ${folder}/`)) {
    throw new Error(`${folder} is left: there are mounts below it`);
  }
  try {
    Deno.removeSync(folder, { recursive: true });
    return true;
  } catch (error) {
    if (error instanceof Deno.errors.PermissionDenied) open(folder);
    else if (!/not empty/i.test(String(error))) throw error;
    if (performance.now() > end) throw error;
    return false;
  }
}
