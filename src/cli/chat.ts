/** `hamr` and `hamr chat`: a conversation on the terminal, one task after another on one session. */
import process from "node:process";
import { Agent } from "../app/agent.ts";
import { reopen } from "../app/reopen.ts";
import { load_settings, permissions_of } from "../app/settings.ts";
import { StartError } from "../app/start_error.ts";
import { exit_code } from "../app/exit_codes.ts";
import { origin } from "../config/load.ts";
import type { Mode } from "../guards/rule.ts";
import { completions } from "../ui/chat/complete.ts";
import { ChatScreen } from "../ui/chat/screen.ts";
import type { Parsed } from "./args/args.ts";
import { type Io, writer } from "./base/io.ts";
import { restarter, sleeper } from "./base/restart.ts";
import { CHAT_COMMANDS, type ChatState, run_command } from "./chat_commands.ts";
import { branch_of, workspace_files } from "./chat_files.ts";
import { with_texts } from "./run.ts";

/** The modes that shift-tab goes through. */
const MODES: readonly Mode[] = ["auto", "plan", "ask"];

/** Lives a conversation; returns the exit code. Throws `StartError` where it can't begin. */
export async function chat(parsed: Parsed, io: Io): Promise<number> {
  if (!Deno.stdin.isTerminal() || !Deno.stdout.isTerminal()) {
    throw new StartError('hamr chat needs a terminal; without one: hamr run "task"');
  }
  const place = await load_settings(parsed, io);
  const flags = await with_texts(parsed.flags, place);
  // Somebody is there to be asked.
  const asks = origin(place, "agent.confirm").source === "default"
    ? [{ key: "agent.confirm", value: "sensitive", where: "hamr chat" }]
    : [];
  const asked = {
    flags: { ...flags, directory: place.workspace },
    overrides: [...parsed.overrides, ...asks],
  };
  const wants = flags.resume !== undefined || flags.continue;
  const tell = (line: string) => io.err(`hamr: ${line}\n`);
  const opened = wants ? await reopen(asked, io, { id: flags.resume ?? null, tell }) : asked;
  const now = await load_settings(opened, io);
  const environ = io.environ();
  const color = !flags.no_color && environ["NO_COLOR"] === undefined && environ["TERM"] !== "dumb";
  const { promise: over, resolve: quit } = Promise.withResolvers<number>();
  const restart = restarter(environ);
  const sleep = sleeper();
  let mode = now.settings.agent.mode;
  let working: Promise<void> | null = null;
  /** The mode that was asked for while a task was under way. */
  let wanted: Mode | null = null;
  let begun = wants;

  // The library looks there while it draws; by then this thread may not.
  Object.defineProperty(process, "env", { value: environ });
  const screen = new ChatScreen({
    submit: (text) => void submit(text),
    steer: (text) => agent.steer(text),
    interrupt: () => agent.interrupt(),
    next_mode: () =>
      void set_mode(MODES[(MODES.indexOf(wanted ?? mode) + 1) % MODES.length] ?? "auto"),
    sleep() {
      if (sleep === null) return;
      screen.stop();
      sleep();
    },
    quit: () => quit(0),
  }, {
    color,
    verbose: flags.verbose,
    facts: () => ({ mode, permissions, branch: branch_of(now.workspace) }),
    // Escape sequences are the screen's own: whatever others say was made harmless before.
    write: writer(Deno.stdout, { quiet: true }),
  });
  const permissions = words_of(permissions_of(now, flags));
  const agent: Agent = new Agent({
    ...opened,
    io: { environ: () => environ },
    embedded: false,
    ask: now.settings.agent.confirm === "refuse" ? null : screen.asking.leave,
    clarify: screen.asking.words,
  });
  const state: ChatState = {
    agent,
    screen,
    settings: now,
    mode: () => mode,
    set_mode: (next) => set_mode(next),
    restart: (args) => again(args),
    quit: () => quit(0),
  };

  /** Ends this conversation, and begins another one in its place. */
  async function again(args: readonly string[]): Promise<void> {
    if (restart === null) {
      return screen.log.note("that takes a new start here: quit, and run hamr again");
    }
    screen.stop();
    await agent.close();
    const config = flags.config === undefined ? [] : ["--config", flags.config];
    restart(["chat", "-C", now.workspace, ...config, ...args]);
    quit(exit_code("internal_error"));
  }

  async function set_mode(next: Mode): Promise<void> {
    if (working !== null) {
      wanted = next;
      return note(`mode ${next} once the task has ended`);
    }
    // The kernel holds a plan to reading, and gives nothing back.
    if (begun && (next === "plan") !== (mode === "plan")) {
      return await again(["--resume", agent.sessionId, "--mode", next]);
    }
    mode = next;
    agent.setMode(next);
    note(`mode ${next}`);
  }

  function note(text: string): void {
    screen.log.note(text);
    screen.render();
  }

  async function submit(text: string): Promise<void> {
    if (text.startsWith("/")) {
      await run_command(text, state);
      return screen.render();
    }
    working = work(text);
    await working;
    working = null;
    const next = wanted;
    wanted = null;
    if (next !== null && next !== mode) await set_mode(next);
  }

  async function work(text: string): Promise<void> {
    for (let next: string | undefined = text; next !== undefined;) {
      screen.begin(next);
      const run = agent.run(next, { talks: true });
      for await (const event of run) screen.hear(event);
      const { steps } = await run.result;
      begun ||= steps > 0;
      next = screen.end();
    }
  }

  const leave = () => quit(exit_code("user_interrupt"));
  const awake = () => screen.awake();
  const signals = ["SIGTERM", "SIGHUP", "SIGINT"] as const;
  signals.forEach((name) => Deno.addSignalListener(name, leave));
  Deno.addSignalListener("SIGCONT", awake);
  screen.status.names(now.settings.provider.model);
  screen.editor.setAutocompleteProvider(
    completions(CHAT_COMMANDS, workspace_files(now.workspace)),
  );
  screen.log.note(
    wants
      ? `Session ${agent.sessionId.slice(0, 8)} goes on.`
      : "hamr: type a task. ? lists the keys, / the commands.",
  );
  screen.start();
  const first = parsed.operands.join(" ");
  if (first !== "") void submit(first);
  const code = await over;
  screen.stop();
  await agent.close();
  if (begun) io.err(`To continue: hamr chat --resume ${agent.sessionId.slice(0, 8)}\n`);
  return code;
}

/** What commands may do, in a few words. */
function words_of(
  { net, sandbox, read_only }: Pick<
    ReturnType<typeof permissions_of>,
    "net" | "sandbox" | "read_only"
  >,
): string {
  if (sandbox === "off") return "sandbox off";
  return [read_only ? "read-only" : "workspace", ...(net === "own" ? [] : [`net ${net}`])].join(
    ", ",
  );
}
