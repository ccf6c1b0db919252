/** From arguments to an exit code. Only the command that is asked for is loaded. */
import { ConfigError } from "../config/error.ts";
import { one_line } from "../config/text.ts";
import { parse, type Parsed, wants_result } from "./args/args.ts";
import { UsageError } from "./base/usage_error.ts";
import { StartError } from "../app/start_error.ts";
import { exit_code } from "../app/exit_codes.ts";
import { type Io, process_io } from "./base/io.ts";
import { lazy } from "../lazy.ts";
import { VERSION } from "./args/commands.ts";

/**
 * Runs the program and returns its exit code. Arguments and settings that can't be used are one line on
 * standard error and 3; where a task was to give its result as JSON, that result is on standard output.
 *
 * @param io default: the streams and the environment of this process
 */
export async function main(argv: readonly string[], io: Io = process_io()): Promise<number> {
  try {
    return await attempt(argv, io);
  } catch (error) {
    const said = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
    io.err(`hamr: internal error: ${one_line(said)}\n`);
    return exit_code("internal_error");
  }
}

async function attempt(argv: readonly string[], io: Io): Promise<number> {
  try {
    if (argv[0] === "__complete") {
      const { complete } = await lazy<typeof import("./complete.ts")>(
        "./complete.ts",
        import.meta.url,
      );
      return await complete(argv.slice(1), io);
    }
    // The process of one session of `hamr acp`.
    if (argv[0] === "__acp") {
      const { acp_session } = await lazy<typeof import("./acp/session.ts")>(
        "./acp/session.ts",
        import.meta.url,
      );
      return await acp_session(io);
    }
    const at_terminal = Deno.stdin.isTerminal() && Deno.stdout.isTerminal();
    if (at_terminal) return await dispatch(parse(argv, "chat"), { io, argv });
    if (argv.length > 0) return await dispatch(parse(argv), { io, argv });
    const { help_text } = await lazy<typeof import("./args/help.ts")>(
      "./args/help.ts",
      import.meta.url,
    );
    io.err(await help_text());
  } catch (error) {
    const known = [UsageError, ConfigError, StartError].some((kind) => error instanceof kind);
    if (!known || !(error instanceof Error)) throw error;
    io.err(`hamr: ${error.message}\n`);
    await tell_result(error, { argv, io });
    return exit_code(reason_of(error));
  }
  return exit_code("config_error");
}

/** Whoever reads the result is told of a run that never began, too. */
async function tell_result(
  error: Error,
  { argv, io }: { readonly argv: readonly string[]; readonly io: Io },
): Promise<void> {
  const format = wants_result(argv);
  // What a run itself has met GitHub knows already.
  const github = io.command !== undefined && !(error instanceof StartError);
  if (format === null && !github) return;
  const { early_result, result_never_begun } = await lazy<typeof import("./result.ts")>(
    "./result.ts",
    import.meta.url,
  );
  const why = { message: error.message, reason: reason_of(error) };
  if (format !== null) io.out(early_result({ format, ...why }));
  if (!github) return;
  const { tell_github } = await lazy<typeof import("./reports.ts")>(
    "./reports.ts",
    import.meta.url,
  );
  tell_github(result_never_begun(why), io);
}

function reason_of(error: Error): "config_error" | "auth_error" {
  return error instanceof StartError ? error.reason : "config_error";
}

async function dispatch(
  parsed: Parsed,
  { io, argv }: { readonly io: Io; readonly argv: readonly string[] },
): Promise<number> {
  switch (parsed.command) {
    case "version":
      io.out(parsed.flags.output === "text" ? `hamr ${VERSION}\n` : version_json());
      return 0;
    case "help":
      return await (await lazy<typeof import("./args/help.ts")>("./args/help.ts", import.meta.url))
        .help(
          parsed,
          io,
        );
    case "completions":
      return await (await lazy<typeof import("./args/completions.ts")>(
        "./args/completions.ts",
        import.meta.url,
      )).completions(
        parsed,
        io,
      );
    case "config path":
    case "config show":
    case "config init":
    case "config trust":
      return await (await lazy<typeof import("./config.ts")>("./config.ts", import.meta.url))
        .config(parsed, io);
    case "config import":
      return await (await lazy<typeof import("./config_import.ts")>(
        "./config_import.ts",
        import.meta.url,
      )).config_import(parsed, io);
    case "memory list":
    case "memory search":
    case "memory add":
    case "memory rm":
      return await (await lazy<typeof import("./memory.ts")>("./memory.ts", import.meta.url))
        .memory(parsed, io);
    case "sessions list":
    case "sessions show":
    case "sessions export":
    case "sessions rename":
    case "sessions rm":
    case "sessions import":
      return await (await lazy<typeof import("./sessions/sessions.ts")>(
        "./sessions/sessions.ts",
        import.meta.url,
      ))
        .sessions(parsed, io);
    case "sandbox":
      return await (await lazy<typeof import("./sandbox.ts")>("./sandbox.ts", import.meta.url))
        .sandbox(parsed, io);
    case "doctor":
      return await (await lazy<typeof import("./doctor.ts")>("./doctor.ts", import.meta.url))
        .doctor(parsed, io);
    case "mcp list":
    case "mcp test":
      return await (await lazy<typeof import("./mcp.ts")>("./mcp.ts", import.meta.url))
        .mcp(parsed, io);
    case "context":
      return await (await lazy<typeof import("./context.ts")>("./context.ts", import.meta.url))
        .context(parsed, io);
    case "models":
      return await (await lazy<typeof import("./models.ts")>("./models.ts", import.meta.url))
        .models(parsed, io);
    case "demo":
      return await (await lazy<typeof import("./demo.ts")>("./demo.ts", import.meta.url)).demo(
        parsed,
        io,
      );
    case "diff":
      return await (await lazy<typeof import("./sessions/diff.ts")>(
        "./sessions/diff.ts",
        import.meta.url,
      ))
        .diff(parsed, io);
    case "undo":
      return await (await lazy<typeof import("./sessions/undo.ts")>(
        "./sessions/undo.ts",
        import.meta.url,
      ))
        .undo(parsed, io);
    case "replay":
      return await (await lazy<typeof import("./replay/replay.ts")>(
        "./replay/replay.ts",
        import.meta.url,
      ))
        .replay(parsed, io);
    case "report":
      return await (await lazy<typeof import("./report.ts")>("./report.ts", import.meta.url))
        .report(parsed, io);
    case "run":
      return await (await import("./run.ts")).run(parsed, io);
    case "chat":
      return await (await lazy<typeof import("./chat/chat.ts")>("./chat/chat.ts", import.meta.url))
        .chat(parsed, io, argv);
    case "acp":
      return await (await lazy<typeof import("./acp.ts")>("./acp.ts", import.meta.url))
        .acp(parsed, io);
    case "review":
      return await (await lazy<typeof import("./review.ts")>("./review.ts", import.meta.url))
        .review(parsed, io);
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
  return `${JSON.stringify({ type: "version", ...about })}\n`;
}
