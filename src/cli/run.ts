/** `hamr run`: one task, headless, to a verdict. */
import type { Parsed } from "./args.ts";
import { ask_endpoint } from "./endpoint.ts";
import type { Flags } from "./flag.ts";
import type { Io } from "./io.ts";
import { lazy } from "../lazy.ts";
import { perform } from "./perform.ts";
import { place } from "./settings.ts";
import { read_task } from "./task.ts";

/** Runs the task that the arguments ask for; returns the exit code. */
export async function run(parsed: Parsed, io: Io): Promise<number> {
  const settings = await place(parsed, io);
  const flags = await with_rubric(parsed.flags);
  const task = await read_task(parsed.operands);
  const endpoint = ask_endpoint(settings, io);
  return await perform({ task, place: settings, flags, io, endpoint });
}

/** The flags with the rubric's text in the place of its file's name. */
async function with_rubric(flags: Flags): Promise<Flags> {
  if (flags.rubric === undefined) return flags;
  const { read_rubric } = await lazy<typeof import("./rubric.ts")>("./rubric.ts", import.meta.url);
  return { ...flags, rubric: read_rubric(flags.rubric) };
}
