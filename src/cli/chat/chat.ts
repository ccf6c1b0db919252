/** `hamr` and `hamr chat`: a conversation on the terminal, one task after another on one session. */
import { exit_code } from "../../app/exit_codes.ts";
import type { Flags } from "../../app/flags.ts";
import type { AskedRun } from "../../app/saved_flags.ts";
import { load_settings, places_written, type RunSettings } from "../../app/settings.ts";
import { ConfigError, StartError } from "../../config/error.ts";
import { origin } from "../../config/load.ts";
import { EarlyFrame, hello } from "../../ui/chat/early.ts";
import { wants_ascii } from "../../ui/signs.ts";
import { type Parsed } from "../args/args.ts";
import { type Io, writer } from "../base/io.ts";
import { restarter } from "../base/restart.ts";
import { type AfterRestart, as_variable, do_first, taken_first } from "./after_restart.ts";
import { checked_flags } from "../base/run_flags.ts";
import type { ChatSetup } from "./setup.ts";

/** Lives a conversation; returns the exit code. Throws `StartError` where it can't begin. */
export async function chat(given: Parsed, io: Io, argv: readonly string[]): Promise<number> {
  if (!Deno.stdin.isTerminal()) {
    throw new StartError('hamr chat needs a terminal; without one: hamr run "task"');
  }
  const goes_on = [given.flags.resume, given.flags.fork].some((id) => id !== undefined) ||
    given.flags.continue;
  const parsed = goes_on || given.flags.agent === undefined
    ? given
    : await (await import("../args/with_agent.ts")).with_agent(given, io);
  const first = taken_first();
  const place = await load_settings(parsed, io);
  const { workspace = place.workspace } = first ?? {};
  if (workspace !== place.workspace) {
    throw new StartError(`${workspace} is a link to ${place.workspace} now: not started there`);
  }
  const flags = await checked_flags(parsed.flags, place);
  const look = look_of(place, flags);
  const early = new EarlyFrame(writer(Deno.stdout, { quiet: true }));
  if (first === null && !goes_on && !look.plain) {
    early.draw(hello(place.workspace, place.environ["HOME"]), {
      color: look.theme !== "none",
      ascii: look.ascii,
    });
  }
  // Before the session is this process's own.
  const done = first === null
    ? null
    : await do_first(first, { argv, asked: places_written(place) });
  if (!look.plain) early.take_keys();
  // Somebody is there to be asked.
  const asks = origin(place, "agent.confirm").source === "default"
    ? [{ key: "agent.confirm", value: "sensitive", where: "hamr chat" }]
    : [];
  // A session that is named has a folder of its own.
  const named = flags.resume !== undefined || flags.fork !== undefined;
  const asked = {
    flags: named && flags.directory === undefined
      ? flags
      : { ...flags, directory: place.workspace },
    overrides: [...parsed.overrides, ...asks],
  };
  const all = async () => {
    const { opened, settings, begun } = await begin(asked, { io, first });
    const { live } = await import("./live.ts");
    const setup = { opened, settings, begun, argv, done, first, io, look, early };
    return await live(setup, parsed.operands.join(" "));
  };
  try {
    return await Promise.race([all(), early.ended.then(() => exit_code("user_interrupt"))]);
  } catch (error) {
    early.clear({ leave: true });
    const known = error instanceof StartError || error instanceof ConfigError;
    if (!known || first?.otherwise === undefined) throw error;
    const { theme, otherwise } = first;
    const next = { say: error.message, ...(theme === undefined ? {} : { theme }) };
    const over = { variable: () => as_variable(next), over: () => false };
    await restarter(io.environ(), places_written(place))?.(["chat", ...otherwise], over);
    throw error;
  }
}

function look_of({ settings: { chat }, environ }: RunSettings, flags: Flags): ChatSetup["look"] {
  const colorless = flags.no_color || environ["NO_COLOR"] !== undefined ||
    environ["TERM"] === "dumb";
  return {
    theme: colorless ? "none" : chat.theme,
    ascii: chat.ascii === "on" || (chat.ascii === "auto" && wants_ascii(environ)),
    // A screen can't be drawn into a pipe.
    plain: !Deno.stdout.isTerminal() || chat.plain === "on" ||
      (chat.plain === "auto" && environ["TERM"] === "dumb"),
  };
}

async function begin(
  asked: AskedRun,
  { io, first }: { io: Io; first: AfterRestart | null },
): Promise<Pick<ChatSetup, "opened" | "settings" | "begun">> {
  const { flags } = asked;
  const wants = flags.resume !== undefined || flags.continue || flags.fork !== undefined;
  const fork = flags.fork === undefined
    ? null
    : first?.until === undefined
    ? {}
    : { before: first.until };
  const id = flags.fork ?? flags.resume ?? null;
  // What was asked for on the way has to hold.
  if (first?.widens) {
    const { enforceable_policy } = await import("../../app/policy.ts");
    const place = await load_settings(asked, io);
    await enforceable_policy(place, { flags, io, session_id: crypto.randomUUID() });
  }
  const tell = (line: string) => io.err(`hamr: ${line}\n`);
  const opened = wants
    ? await (await import("../../app/reopen.ts")).reopen(asked, io, { id, tell, fork })
    : asked;
  const settings = await load_settings(opened, io);
  // No task of it could be done, and nothing that is typed changes that.
  const { unknown_provider } = await import("../../model/server/provider.ts");
  const { wish_of } = await import("../../app/endpoint.ts");
  const unknown = unknown_provider(wish_of(settings));
  if (unknown !== null) throw new StartError(unknown);
  return { opened, settings, begun: wants && fork === null };
}
