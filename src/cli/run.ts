/** `hamr run`: one task, headless, to a verdict. */
import type { Steering } from "../agent/steering.ts";
import type { Image } from "../model/message.ts";
import type { Parsed } from "./args/args.ts";
import { ask_endpoint } from "../app/endpoint.ts";
import type { Flags } from "../app/flags.ts";
import type { Io } from "./base/io.ts";
import { lazy } from "../lazy.ts";
import { perform } from "./perform.ts";
import { load_settings } from "../app/settings.ts";
import type { Resumed } from "../app/start_options.ts";
import { read_more, read_task } from "./task.ts";

/** Runs the task that the arguments ask for; returns the exit code. */
export async function run(parsed: Parsed, io: Io): Promise<number> {
  const { flags } = parsed;
  if (flags.resume !== undefined || flags.continue) {
    const { resume } = await resuming();
    const more = await read_more(parsed.operands, flags);
    return await resume(parsed, io, { id: flags.resume ?? null, more, perform: perform_in });
  }
  return await perform_in(parsed, io, {});
}

/** `hamr resume [ID] ["more"] [-]`. */
export async function resume(parsed: Parsed, io: Io): Promise<number> {
  const { resume, wanted_of } = await resuming();
  const { id, words } = wanted_of(parsed.operands);
  const more = words.includes("-") ? await read_more(words, parsed.flags) : words.join(" ");
  return await resume(parsed, io, { id, more, perform: perform_in });
}

/** Runs a task, or continues with a session; without `task`, it is what the arguments and standard input say. */
export async function perform_in(
  parsed: Parsed,
  io: Io,
  more: { readonly task?: string; readonly resumed?: Resumed },
): Promise<number> {
  const settings = await load_settings(parsed, io);
  const flags = await with_texts(parsed.flags);
  const task = more.task ?? await read_task(parsed.operands, flags);
  const images = flags.images.length === 0 ? {} : { images: await shown(flags.images) };
  const endpoint = ask_endpoint(settings, task);
  const steering = flags.steer ? { steering: await steered() } : {};
  const { overrides } = parsed;
  return await perform({
    ...{ ...more, task, ...images, place: settings, flags, overrides, io, endpoint },
    ...steering,
  });
}

function resuming(): Promise<typeof import("./resume.ts")> {
  return lazy<typeof import("./resume.ts")>("./resume.ts", import.meta.url);
}

async function shown(paths: readonly string[]): Promise<readonly Image[]> {
  const { read_images } = await lazy<typeof import("./images.ts")>("./images.ts", import.meta.url);
  return await read_images(paths);
}

async function steered(): Promise<Steering> {
  const { steered_by_stdin } = await lazy<typeof import("./steer.ts")>(
    "./steer.ts",
    import.meta.url,
  );
  return steered_by_stdin();
}

/** The flags with texts in the place of their files' names. */
export async function with_texts(flags: Flags): Promise<Flags> {
  const { rubric, system } = flags;
  if (rubric === undefined && system === undefined) return flags;
  const { read_text_flag } = await lazy<typeof import("./text_flag.ts")>(
    "./text_flag.ts",
    import.meta.url,
  );
  return {
    ...flags,
    ...(rubric === undefined ? {} : { rubric: read_text_flag("--rubric", rubric) }),
    ...(system === undefined ? {} : { system: read_text_flag("--system", system) }),
  };
}
