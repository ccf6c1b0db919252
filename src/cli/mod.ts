/** From arguments to an exit code. Only the command that is asked for is loaded. */
import { json_line } from "../config/json.ts";
import { ConfigError, OutputError } from "../config/error.ts";
import { one_line } from "../config/text.ts";
import { parse, type Parsed, wants_result } from "./args/args.ts";
import { UsageError } from "./base/usage_error.ts";
import { type EarlyReason, StartError } from "../app/start_error.ts";
import { exit_code } from "../app/exit_codes.ts";
import { hear_of_children } from "../sandbox/processes/children.ts";
import { type Io, process_io } from "./base/io.ts";
import { VERSION } from "./args/commands.ts";

/**
 * Runs the program and returns its exit code. Arguments and settings that can't be used are one line on
 * standard error and 3; where a task was to give its result as JSON, that result is on standard output.
 *
 * @param io default: the streams and the environment of this process
 */
export async function main(argv: readonly string[], io: Io = process_io()): Promise<number> {
  hear_of_children();
  try {
    return await attempt(argv, io);
  } catch (error) {
    if (error instanceof OutputError) {
      io.err(`hamr: ${error.message}\n`);
      return exit_code("internal_error");
    }
    const said = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
    io.err(`hamr: internal error: ${one_line(said)}\n`);
    return exit_code("internal_error");
  }
}

async function attempt(argv: readonly string[], io: Io): Promise<number> {
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
    if (at_terminal) return await dispatch(parse(argv, "chat"), { io, argv });
    if (argv.length > 0) return await dispatch(parse(argv), { io, argv });
    const { help_text } = await import("./args/help.ts");
    io.err(await help_text());
  } catch (thrown) {
    const known = [UsageError, ConfigError, StartError].some((kind) => thrown instanceof kind);
    const error = known && thrown instanceof Error ? thrown : await of_database(thrown);
    io.err(`hamr: ${error.message}\n`);
    await tell_result(error, { argv, io });
    return exit_code(reason_of(error));
  }
  return exit_code("config_error");
}

/** SQLite's own error, of a database that could be opened; any other is thrown on. */
async function of_database(error: unknown): Promise<StartError> {
  const { sqlite_fault } = await import("../store/database.ts");
  const fault = sqlite_fault(error);
  if (fault === null) throw error;
  return new StartError(fault);
}

/** A run that never began has a result, too. */
async function tell_result(
  error: Error,
  { argv, io }: { argv: readonly string[]; io: Io },
): Promise<void> {
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

async function dispatch(
  parsed: Parsed,
  { io, argv }: { io: Io; argv: readonly string[] },
): Promise<number> {
  switch (parsed.command) {
    case "version":
      io.out(parsed.flags.output === "text" ? `hamr ${VERSION}\n` : version_json());
      return 0;
    case "help":
      return await (await import("./args/help.ts")).help(parsed, io);
    case "completions":
      return await (await import("./args/completions.ts")).completions(parsed, io);
    case "config path":
    case "config show":
    case "config init":
    case "config trust":
      return await (await import("./config.ts")).config(parsed, io);
    case "config import":
      return await (await import("./config_import.ts")).config_import(parsed, io);
    case "memory list":
    case "memory search":
    case "memory add":
    case "memory rm":
      return await (await import("./memory.ts")).memory(parsed, io);
    case "sessions list":
    case "sessions show":
    case "sessions export":
    case "sessions rename":
    case "sessions rm":
    case "sessions import":
      return await (await import("./sessions/sessions.ts")).sessions(parsed, io);
    case "sandbox":
      return await (await import("./sandbox.ts")).sandbox(parsed, io);
    case "doctor":
      return await (await import("./doctor.ts")).doctor(parsed, io);
    case "mcp list":
    case "mcp test":
      return await (await import("./mcp.ts")).mcp(parsed, io);
    case "context":
      return await (await import("./context.ts")).context(parsed, io);
    case "models":
      return await (await import("./models.ts")).models(parsed, io);
    case "demo":
      return await (await import("./demo.ts")).demo(parsed, io);
    case "diff":
      return await (await import("./sessions/diff.ts")).diff(parsed, io);
    case "undo":
      return await (await import("./sessions/undo.ts")).undo(parsed, io);
    case "replay":
      return await (await import("./replay/replay.ts")).replay(parsed, io);
    case "report":
      return await (await import("./report.ts")).report(parsed, io);
    case "run":
      return await (await import("./run.ts")).run_task(parsed, io);
    case "chat":
      return await (await import("./chat/chat.ts")).chat(parsed, io, argv);
    case "acp":
      return await (await import("./acp.ts")).acp(parsed, io);
    case "review":
      return await (await import("./review.ts")).review(parsed, io);
    case "resume":
      return await (await import("./run.ts")).resume(parsed, io);
    default:
      return parsed.command satisfies never;
  }
}

/** What an installer or a bug report wants to know. */
function version_json(): string {
  const { os, arch, standalone } = Deno.build;
  const about = { name: "hamr", version: VERSION, deno: Deno.version.deno, os, arch, standalone };
  return json_line({ type: "version", ...about });
}
