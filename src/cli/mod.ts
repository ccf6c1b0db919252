/** From arguments to an exit code. Only the command that is asked for is loaded. */
import { first_thrown } from "../config/attempt.ts";
import { json_line } from "../config/json.ts";
import { ConfigError, type EarlyReason, OutputError, StartError } from "../config/error.ts";
import { one_line } from "../config/text.ts";
import { parse, type Parsed, wants_result } from "./args/args.ts";
import { exit_code } from "../app/exit_codes.ts";
import { ToolsError } from "../tools/failure.ts";
import { hear_of_children } from "../sandbox/processes/children.ts";
import { type Io, process_io } from "./base/io.ts";
import { hear_of_full_files } from "./base/signals.ts";
import { type CommandName, VERSION } from "./args/commands.ts";

/**
 * Runs the program and returns its exit code. Arguments and settings that can't be used are one line on
 * standard error and 3; where a task was to give its result as JSON, that result is on standard output.
 *
 * @param io default: the streams and the environment of this process
 */
export async function main(argv: readonly string[], io: Io = process_io()): Promise<number> {
  hear_of_full_files();
  hear_of_children();
  try {
    return await run_arguments(argv, io);
  } catch (thrown) {
    const error = first_thrown(thrown);
    if (error instanceof OutputError) {
      io.err(`hamr: ${error.message}\n`);
      return exit_code("internal_error");
    }
    const said = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
    io.err(`hamr: internal error: ${one_line(said)}\n`);
    return exit_code("internal_error");
  }
}

async function run_arguments(argv: readonly string[], io: Io): Promise<number> {
  try {
    if (argv[0] === "__complete") {
      const { print_candidates } = await import("./complete.ts");
      return await print_candidates(argv.slice(1), io);
    }
    // The process of one session of `hamr acp`.
    if (argv[0] === "__acp") {
      const { acp_session } = await import("./acp/session.ts");
      return await acp_session(io);
    }
    const at_terminal = Deno.stdin.isTerminal() && Deno.stdout.isTerminal();
    if (at_terminal) return await dispatch(parse(argv, "chat"), io, argv);
    return await dispatch(parse(argv.length > 0 ? argv : ["help"]), io, argv);
  } catch (thrown) {
    const first = first_thrown(thrown);
    const error = first instanceof ConfigError ? first : await as_start_error(first);
    io.err(`hamr: ${error.message}\n`);
    await tell_result(error, argv, io);
    return exit_code(reason_of(error));
  }
}

/** What a command can't start without: its tools, or a database that could be opened. Any other error is thrown on. */
async function as_start_error(error: unknown): Promise<StartError> {
  if (error instanceof StartError) return error;
  if (error instanceof ToolsError) return new StartError(error.message);
  const { sqlite_fault } = await import("../store/database.ts");
  const fault = sqlite_fault(error);
  if (fault === null) throw error;
  return new StartError(fault);
}

async function tell_result(error: Error, argv: readonly string[], io: Io): Promise<void> {
  const format = wants_result(argv);
  // What a run itself has met GitHub knows already.
  const github = io.command !== undefined && !(error instanceof StartError);
  if (format === null && !github) return;
  const { early_result, result_never_begun } = await import("./result.ts");
  const why = { message: error.message, reason: reason_of(error) };
  if (format !== null) io.out(early_result({ format, ...why }));
  if (!github) return;
  const { tell_github } = await import("./reports.ts");
  tell_github(result_never_begun(why), io);
}

function reason_of(error: Error): EarlyReason {
  return error instanceof StartError ? error.reason : "config_error";
}

type FirstWord = CommandName extends infer Name
  ? Name extends `${infer Word} ${string}` ? Word : Name
  : never;
type RunCommand = (parsed: Parsed, io: Io, argv: readonly string[]) => Promise<number>;

const COMMANDS: Readonly<Record<FirstWord, () => Promise<RunCommand>>> = {
  acp: async () => (await import("./acp.ts")).acp,
  chat: async () => (await import("./chat/chat.ts")).chat,
  completions: async () => (await import("./args/completions.ts")).completions,
  config: async () => (await import("./config.ts")).config,
  context: async () => (await import("./context.ts")).context,
  demo: async () => (await import("./demo.ts")).demo,
  diff: async () => (await import("./sessions/diff.ts")).diff,
  doctor: async () => (await import("./doctor.ts")).doctor,
  help: async () => (await import("./args/help.ts")).help,
  mcp: async () => (await import("./mcp.ts")).mcp,
  memory: async () => (await import("./memory.ts")).memory,
  models: async () => (await import("./models.ts")).models,
  replay: async () => (await import("./replay/replay.ts")).replay,
  report: async () => (await import("./report.ts")).report,
  resume: async () => (await import("./run.ts")).resume,
  review: async () => (await import("./review.ts")).review,
  run: async () => (await import("./run.ts")).run_task,
  sandbox: async () => (await import("./sandbox.ts")).sandbox,
  sessions: async () => (await import("./sessions/sessions.ts")).sessions,
  undo: async () => (await import("./sessions/undo.ts")).undo,
  version: () => Promise.resolve(version),
};

async function dispatch(parsed: Parsed, io: Io, argv: readonly string[]): Promise<number> {
  const [word] = parsed.command.split(" ") as [FirstWord];
  const run = await COMMANDS[word]();
  return await run(parsed, io, argv);
}

function version({ flags }: Parsed, io: Io): Promise<number> {
  const { os, arch, standalone } = Deno.build;
  const about = { name: "hamr", version: VERSION, deno: Deno.version.deno, os, arch, standalone };
  io.out(flags.output === "text" ? `hamr ${VERSION}\n` : json_line({ type: "version", ...about }));
  return Promise.resolve(0);
}
