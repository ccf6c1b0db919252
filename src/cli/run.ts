/** `hamr run`: one task, headless, to a verdict. */
import type { Parsed } from "./args.ts";
import { endpoint_of } from "./endpoint.ts";
import type { Io } from "./io.ts";
import { place } from "./settings.ts";
import { read_task } from "./task.ts";

/** Runs the task that the arguments ask for; returns the exit code. */
export async function run(parsed: Parsed, io: Io): Promise<number> {
  const settings = await place(parsed, io);
  const task = await read_task(parsed.operands);
  // The server is asked while the rest of the program is loaded: on a quick machine that takes as long.
  const endpoint = endpoint_of(settings, io);
  endpoint.catch(() => {});
  const { perform } = await import("./perform.ts");
  return await perform({ task, place: settings, flags: parsed.flags, io, endpoint });
}
