/** How a test removes the folder that it worked in. */

/** What was just killed has stopped writing by then, however busy the machine is. */
const HANG_MS = 30_000;

/**
 * Removes a folder and all that is in it, also one in which something that was just ended still writes: its parent is
 * told of the end before its threads and children are gone.
 *
 * @throws {Error} Something is mounted below it: that is somebody else's.
 */
export async function remove(folder: string): Promise<void> {
  const mounts = Deno.build.os === "linux" ? Deno.readTextFileSync("/proc/self/mountinfo") : "";
  if (mounts.includes(` ${folder}/`)) {
    throw new Error(`${folder} is left: there are mounts below it`);
  }
  for (const end = performance.now() + HANG_MS;;) {
    try {
      return Deno.removeSync(folder, { recursive: true });
    } catch (error) {
      if (!/not empty/i.test(String(error)) || performance.now() > end) throw error;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }
}
