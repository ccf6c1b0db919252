/** `hamr run`: one task, headless, to a verdict. */
import type { Parsed } from "./args/args.ts";
import { ask_endpoint } from "../app/endpoint.ts";
import type { Flags } from "../app/flags.ts";
import type { Io } from "./base/io.ts";
import { type Job, perform } from "./perform.ts";
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
    const { resume_session } = await import("./resume.ts");
    const more = await read_more(parsed.operands, { ...flags, io });
    const fork = flags.fork === undefined ? null : {};
    const id = flags.fork ?? flags.resume ?? null;
    return await resume_session(parsed, io, { id, more, fork, perform: perform_in });
  }
  if (flags.command === undefined) return await perform_in(await agented(parsed, io), io, {});
  const { commanded } = await import("./commanded.ts");
  const { parsed: meant, task } = await commanded(parsed, io);
  return await perform_in(await agented(meant, io), io, { task });
}

export async function agented(parsed: Parsed, io: Io): Promise<Parsed> {
  if (parsed.flags.agent === undefined) return parsed;
  const { with_agent } = await import("./args/with_agent.ts");
  return await with_agent(parsed, io);
}

export async function resume(parsed: Parsed, io: Io): Promise<number> {
  const { resume_session, wanted_of } = await import("./resume.ts");
  const { id, words } = wanted_of(parsed.operands);
  const more = words.includes("-")
    ? await read_more(words, { ...parsed.flags, io })
    : words.join(" ");
  return await resume_session(parsed, io, { id, more, perform: perform_in });
}

/** Runs a task, or continues with a session; without `task`, it is what the arguments and standard input say. */
async function perform_in(
  parsed: Parsed,
  io: Io,
  more: { readonly task?: string; readonly resumed?: Resumed },
): Promise<number> {
  const settings = await load_settings(parsed, io);
  const flags = await with_texts(parsed.flags, settings);
  const task = more.task ?? await read_task(parsed.operands, { ...flags, io });
  const images = flags.images.length === 0
    ? {}
    : { images: await (await import("./base/images.ts")).read_images(flags.images, settings) };
  const endpoint = ask_endpoint(settings, task);
  const steering = flags.steer ? await steered(settings, { flags, io }) : {};
  const { overrides } = parsed;
  const at = { place: settings, flags, io, running: null };
  const warn = (words: string) => io.err(`hamr: warning: ${words}\n`);
  // What the resources of MCP servers hold that it names.
  const context = task.includes("@")
    ? await (await import("./servers/mcp_resources.ts")).named_resources(task, { ...at, warn })
    : "";
  return await perform({
    ...{ ...more, task, ...images, ...(context === "" ? {} : { context }) },
    ...{ place: settings, flags, overrides, io, endpoint },
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
