/** `hamr` and `hamr chat`: a conversation on the terminal, one task after another on one session. */
import type { Flags } from "../../app/flags.ts";
import { enforceable_policy } from "../../app/policy.ts";
import { reopen } from "../../app/reopen.ts";
import { load_settings } from "../../app/settings.ts";
import { StartError } from "../../app/start_error.ts";
import { ConfigError } from "../../config/error.ts";
import { origin, type Override } from "../../config/load.ts";
import { type Parsed } from "../args/args.ts";
import { type Io } from "../base/io.ts";
import { restarter } from "../base/restart.ts";
import { as_variable, do_first, type First, taken_first } from "./first.ts";
import { with_agent } from "../args/with_agent.ts";
import { checked_flags } from "../base/run_flags.ts";
import { Chat, type ChatSetup } from "./live.ts";

/** Lives a conversation; returns the exit code. Throws `StartError` where it can't begin. */
export async function chat(
  given: Parsed,
  io: Io,
  argv: readonly string[],
): Promise<number> {
  if (!Deno.stdin.isTerminal() || !Deno.stdout.isTerminal()) {
    throw new StartError('hamr chat needs a terminal; without one: hamr run "task"');
  }
  const goes_on = [given.flags.resume, given.flags.fork].some((id) => id !== undefined) ||
    given.flags.continue;
  const parsed = goes_on || given.flags.agent === undefined ? given : await with_agent(given, io);
  const first = taken_first();
  const place = await load_settings(parsed, io);
  const flags = await checked_flags(parsed.flags, place);
  // Before the session is this process's own.
  const done = first === null ? null : await do_first(first);
  // Somebody is there to be asked.
  const asks = origin(place, "agent.confirm").source === "default"
    ? [{ key: "agent.confirm", value: "sensitive", where: "hamr chat" }]
    : [];
  const asked = {
    flags: { ...flags, directory: place.workspace },
    overrides: [...parsed.overrides, ...asks],
  };
  try {
    const { opened, settings, begun } = await begin(asked, { io, first });
    const chat = new Chat({ opened, settings, begun, argv, done, first, io });
    return await chat.live(parsed.operands.join(" "));
  } catch (error) {
    const known = error instanceof StartError || error instanceof ConfigError;
    if (!known || first?.otherwise === undefined) throw error;
    restarter(io.environ())?.(["chat", ...first.otherwise], as_variable({ say: error.message }));
    throw error;
  }
}

/** Opens the session that is to go on, if one is. */
async function begin(
  asked: { readonly flags: Flags; readonly overrides: readonly Override[] },
  { io, first }: { readonly io: Io; readonly first: First | null },
): Promise<Pick<ChatSetup, "opened" | "settings" | "begun">> {
  const { flags } = asked;
  const wants = flags.resume !== undefined || flags.continue || flags.fork !== undefined;
  const tell = (line: string) => io.err(`hamr: ${line}\n`);
  const fork = flags.fork === undefined
    ? null
    : first?.until === undefined
    ? {}
    : { before: first.until };
  const id = flags.fork ?? flags.resume ?? null;
  // What was asked for on the way has to hold.
  if (first?.otherwise !== undefined) {
    const place = await load_settings(asked, io);
    await enforceable_policy(place, { flags, io, session_id: crypto.randomUUID() });
  }
  const opened = wants ? await reopen(asked, io, { id, tell, fork }) : asked;
  const settings = await load_settings(opened, io);
  return { opened, settings, begun: wants && fork === null };
}
