/** The ports at which local model servers are looked for, for one test at a time. */
import { tmpdir } from "node:os";
import { skip } from "./skip.ts";

export const STANDARD_PORTS: readonly number[] = [11434, 8080, 9931, 1234, 8000];

function is_free(port: number): boolean {
  try {
    Deno.listen({ hostname: "127.0.0.1", port }).close();
    return true;
  } catch {
    return false;
  }
}

/**
 * Does `body` while no other test on this machine uses these ports, whichever checkout and process it is of. On a machine with a
 * model server of its own there is nothing to show: that is said, loudly.
 */
export async function on_standard_ports(body: () => Promise<void>): Promise<void> {
  using file = Deno.openSync(`${tmpdir()}/hamr_test_ports.lock`, { create: true, write: true });
  await file.lock(true);
  const taken = STANDARD_PORTS.filter((port) => !is_free(port));
  if (taken.length === 0) return await body();
  skip(`port ${taken.join(", ")} is in use. WHAT IS FOUND THERE WAS NOT TESTED.`);
}
