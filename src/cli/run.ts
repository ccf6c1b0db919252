/** `hamr run`: one task, headless, to a verdict. */
import type { Parsed } from "./args.ts";
import { ask_endpoint } from "./endpoint.ts";
import type { Io } from "./io.ts";
import { perform } from "./perform.ts";
import { place } from "./settings.ts";
import { read_task } from "./task.ts";

/** Runs the task that the arguments ask for; returns the exit code. */
export async function run(parsed: Parsed, io: Io): Promise<number> {
  const settings = await place(parsed, io);
  const task = await read_task(parsed.operands);
  const endpoint = ask_endpoint(settings, io);
  return await perform({ task, place: settings, flags: parsed.flags, io, endpoint });
}
