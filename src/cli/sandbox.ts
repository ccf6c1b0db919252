/** `hamr sandbox -- CMD`: a command under the policy, so that people can try it. */
import { ToolsClient } from "../tools/worker/client.ts";
import { NO_RESULTS } from "../tools/limits.ts";
import { quote } from "../config/text.ts";
import type { Parsed } from "./args/args.ts";
import type { Io } from "./base/io.ts";
import { sleeper } from "./base/sleep.ts";
import { ending_signals } from "./base/signals.ts";
import { command_policy } from "../app/command_policy.ts";
import { load_settings } from "../app/settings.ts";
import { UsageError } from "../config/error.ts";

/** 128 and the number of SIGTERM. */
const TERMINATED = 143;
const MORE_ALLOWED =
  "if the sandbox refused that: --allow-write=PATH, --allow-read=PATH and --allow-net allow more";

/** Runs the command on this terminal and returns its exit code, or 128 plus its signal. Ends what it leaves running. Throws `StartError`, `UsageError`. */
export async function sandbox(parsed: Parsed, io: Io): Promise<number> {
  if (parsed.operands.length === 0) {
    throw new UsageError("sandbox needs a command: hamr sandbox -- ls -l");
  }
  const hosts = parsed.overrides.find(({ key }) => key === "permissions.net")?.value;
  if (Array.isArray(hosts)) {
    throw new UsageError(
      "--allow-net: the kernel sees addresses, not names: a command can't be given a host, " +
        `such as ${quote(hosts[0])}`,
    );
  }
  const settings = await load_settings(parsed, io);
  const given = { flags: parsed.flags, io };
  const { policy, warnings } = await command_policy("sandbox", settings, given);
  for (const line of [...settings.warnings, ...warnings]) io.err(`hamr: ${line}\n`);
  // Said once all has ended and was put back: a command can have its terminal stop whoever else writes to it.
  const said: string[] = [];
  // The terminal sends these keys' signals to the command as well, which says which keys they are; this program waits for its end.
  const wait = () => {};
  let end: (code: number) => void = () => {};
  const ended = new Promise<number>((resolve) => end = resolve);
  const leave = () => end(TERMINATED);
  const listeners = ending_signals().map((name) =>
    [name, ["SIGINT", "SIGQUIT"].includes(name) ? wait : leave] as const
  );
  for (const listener of listeners) Deno.addSignalListener(...listener);
  const tools_client = new ToolsClient(policy, {
    limits: NO_RESULTS,
    bash_timeout_s: 0,
    watch: {
      data_dir: settings.paths.data_dir,
      warn: (line) => void said.push(line),
    },
  });
  // Before the prompt is back. A command can make any key one that stops us (VSUSP).
  const sleep = sleeper((on) => tools_client.stand_still(on));
  const rest = () => void sleep?.();
  if (sleep !== null) Deno.addSignalListener("SIGTSTP", rest);
  try {
    const done = tools_client.execute(parsed.operands).then(({ refusals, ...result }) => {
      said.push(...refusals.map((line) => line.replace("the user can allow", "allow")));
      if (result.kind === "not_started") {
        said.push(`${quote(parsed.operands[0])} could not be started: ${result.why}`);
      }
      const { code } = result;
      // What the kernel refuses, the command has said to the terminal; nobody else was told.
      const tries = policy.sandbox !== "off" && refusals.length === 0 && result.kind === "ended";
      if (tries && code !== 0 && Deno.stderr.isTerminal()) said.push(MORE_ALLOWED);
      return code;
    });
    return await Promise.race([done, ended]);
  } finally {
    await tools_client.close(true);
    if (tools_client.violation !== null) said.push(tools_client.violation);
    for (const line of said) io.err(`hamr: ${line}\n`);
    for (const listener of listeners) Deno.removeSignalListener(...listener);
    if (sleep !== null) Deno.removeSignalListener("SIGTSTP", rest);
  }
}
