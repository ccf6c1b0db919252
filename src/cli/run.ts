/** `hamr run`: one task, headless, to a verdict. */
import type { Parsed } from "./args/args.ts";
import { ask_endpoint } from "../app/endpoint.ts";
import type { Fork } from "../app/reopen.ts";
import type { Flags } from "../app/flags.ts";
import type { Io } from "./base/io.ts";
import { type Job, run_job } from "./job.ts";
import { confirm_of, load_settings, type RunSettings } from "../app/settings.ts";
import type { Resumed } from "../app/run_options.ts";
import { read_more, read_task } from "./task.ts";
import { UsageError } from "../config/error.ts";

/** Runs the task that the arguments ask for; returns the exit code. */
export async function run_task(parsed: Parsed, io: Io): Promise<number> {
  const { flags } = parsed;
  if (flags.task_file !== undefined || flags.index !== undefined) {
    const { one_of_many } = await import("./tasks/one_of_many.ts");
    return await one_of_many(parsed, io);
  }
  if (flags.resume !== undefined || flags.continue || flags.fork !== undefined) {
    if (flags.command !== undefined) {
      throw new UsageError("--command is for a new session; this one keeps its own task");
    }
    const { refuse_for_new } = await import("./base/run_flags.ts");
    refuse_for_new(flags);
    const said = await read_more(parsed.operands, { ...flags, io });
    const fork = flags.fork === undefined ? null : {};
    return await go_on(parsed, io, { id: flags.fork ?? flags.resume ?? null, said, fork });
  }
  if (flags.command === undefined) return await begin(await agented(parsed, io), io, {});
  const { commanded } = await import("./commanded.ts");
  const { parsed: meant, task } = await commanded(parsed, io);
  return await begin(await agented(meant, io), io, { task });
}

export async function agented(parsed: Parsed, io: Io): Promise<Parsed> {
  if (parsed.flags.agent === undefined) return parsed;
  const { with_agent } = await import("./args/with_agent.ts");
  return await with_agent(parsed, io);
}

export async function resume(parsed: Parsed, io: Io): Promise<number> {
  const { wanted_of } = await import("./resume.ts");
  const { id, words } = wanted_of(parsed.operands);
  const said = words.includes("-")
    ? await read_more(words, { ...parsed.flags, io })
    : words.join(" ");
  return await go_on(parsed, io, { id, said });
}

/** Goes on with a session: the one whose ID begins so, or the newest of the workspace. Throws `StartError`, `UsageError` and `ConfigError`. */
async function go_on(
  parsed: Parsed,
  io: Io,
  { id, said, fork }: { id: string | null; said: string; fork?: Fork | null },
): Promise<number> {
  const tell = (line: string) => io.err(`hamr: ${line}\n`);
  const { reopen } = await import("../app/reopen.ts");
  const { flags, overrides, resumed, give_up } = await reopen(parsed, io, { id, said, tell, fork });
  try {
    return await begin({ ...parsed, flags, overrides }, io, { task: said, resumed });
  } catch (error) {
    // No run has begun that could say it.
    give_up().forEach(tell);
    throw error;
  }
}

/** Begins a task, or continues with a session; without `task`, it is what the arguments and standard input say. */
async function begin(
  parsed: Parsed,
  io: Io,
  more: { readonly task?: string; readonly resumed?: Resumed },
): Promise<number> {
  const place = await load_settings(parsed, io);
  const flags = await with_texts(parsed.flags, place);
  const task = more.task ?? await read_task(parsed.operands, { ...flags, io });
  const images = flags.images.length === 0
    ? {}
    : { images: await (await import("./base/images.ts")).read_images(flags.images, place) };
  const endpoint = ask_endpoint(place, task);
  const steering = flags.steer ? await steered(place, { flags, io }) : {};
  const { overrides } = parsed;
  const warn = (words: string) => io.err(`hamr: warning: ${words}\n`);
  // What the resources of MCP servers hold that it names.
  const context = task.includes("@")
    ? await (await import("./servers/mcp_resources.ts"))
      .named_resources(task, { place, flags, io, running: null, warn })
    : "";
  return await run_job({
    ...{ ...more, task, ...images, ...(context === "" ? {} : { context }) },
    ...{ place, flags, overrides, io, endpoint },
    ...steering,
  });
}

/** A person who speaks over standard input is asked there, too, if somebody is to be asked and can hear it. */
async function steered(
  settings: RunSettings,
  { flags: { output }, io }: { flags: Flags; io: Io },
): Promise<Pick<Job, "steering" | "ask" | "clarify">> {
  const { steered_by_stdin } = await import("./steer.ts");
  const { steering, leave, words } = steered_by_stdin((fault) => io.err(`hamr: ${fault}\n`));
  const confirm = confirm_of(settings);
  const asks = output === "jsonl" && (confirm === "sensitive" || confirm === "all");
  return asks ? { steering, ask: leave, clarify: words } : { steering };
}

/** The flags with the text of a file in the place of its name, once all they name is there. */
export async function with_texts(flags: Flags, place: RunSettings): Promise<Flags> {
  const { rubric, system, output_schema, only_tools, session_id } = flags;
  const given = [rubric, system, output_schema, only_tools, session_id];
  if (given.every((one) => one === undefined)) return flags;
  return await (await import("./base/run_flags.ts")).checked_flags(flags, place);
}
