/** Runs the program as a person would: source, the bundle of it that `deno task test` makes, or the binary that `HAMR_BIN` names. */
import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { check_events, check_result, type Event, type Result } from "./output.ts";

export type { Event, Result };

const MAIN = Deno.env.get("HAMR_BUNDLE") ??
  fileURLToPath(new URL("../../main.ts", import.meta.url));
/** `deno task test` fetches all packages first. Otherwise Deno may ask for one in mid-run; `--quiet` keeps that off the program's stderr. */
const FETCHED = Deno.env.has("HAMR_BUNDLE") || Deno.env.has("HAMR_SOURCE") ? ["--cached-only"] : [];
/** The flags of V8 that the binary has. */
const FLAGS = (Deno.env.get("HAMR_BUNDLE_FLAGS") ?? "").split(" ").filter((flag) => flag !== "");
/**
 * Where the program starts itself again, it has none of these arguments. What V8 has compiled it takes only under the same flags:
 * that start would compile all once more, and the next one again.
 */
const SAME_FLAGS: Readonly<Record<string, string>> = FLAGS.length === 0 || Deno.env.has("HAMR_BIN")
  ? {}
  : { DENO_V8_FLAGS: FLAGS.map((flag) => flag.replace("--v8-flags=", "")).join(",") };
/** The command to run: program and first arguments. */
export const PROGRAM: readonly string[] = Deno.env.get("HAMR_BIN")
  ? [Deno.realPathSync(Deno.env.get("HAMR_BIN") ?? "")]
  : [Deno.execPath(), "run", "--quiet", ...FETCHED, ...FLAGS, "-A", MAIN];

/** No run of a test takes this long, not even a compiler on a busy machine; one that does hangs. */
const HANG_MS = 180_000;

/** Between two looks at the memory that a run has taken. Only what it takes in its last moment goes unseen. */
const LOOK_MS = 50;

/** How a program is started. */
export interface StartOptions {
  readonly cwd: string;
  readonly home: string;
  /** On top of `PATH`, `HOME` and Deno's cache folder. */
  readonly env?: Readonly<Record<string, string>>;
  /** Text that is sent and closed; `"open"`: a pipe that stays open; default: no input. */
  readonly stdin?:
    | string
    | Uint8Array
    | { readonly open: true }
    | ReadableStream<Uint8Array<ArrayBuffer>>;
  /** Another program than `PROGRAM`. */
  readonly program?: readonly string[];
  /** Put before the program, as `unshare` is. */
  readonly wrapper?: readonly string[];
}

/** What a run left behind. */
export interface Outcome {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
  /** The result object, where the output was `json` or `jsonl`. Its shape has been checked. */
  readonly result: Result;
  /** The events of `jsonl`. Their order and shape have been checked. */
  readonly events: readonly Event[];
  readonly ms: number;
  /** Highest resident memory seen while it ran, in kB; 0 where `/proc` is missing. */
  readonly peak_kb: number;
}

/** A program that runs. */
export interface Running {
  readonly pid: number;
  /** Standard output and standard error so far. */
  stdout(): string;
  stderr(): string;
  kill(signal: Deno.Signal): void;
  readonly done: Promise<Outcome>;
}

/** Deno's cache of packages and of what it has compiled, which a fresh HOME would hide from a run of the source. */
export function deno_dir(): string {
  const own = Deno.env.get("DENO_DIR");
  if (own !== undefined) return own;
  const home = Deno.env.get("HOME") ?? "/";
  const cache = Deno.env.get("XDG_CACHE_HOME") ??
    (Deno.build.os === "darwin" ? `${home}/Library/Caches` : `${home}/.cache`);
  return `${cache}/deno`;
}

/** The whole environment of a run. */
export function environment(home: string, more: StartOptions["env"] = {}): Record<string, string> {
  return {
    PATH: Deno.env.get("PATH") ?? "/usr/bin:/bin",
    HOME: home,
    DENO_DIR: deno_dir(),
    // Once a day Deno itself would ask its makers, also through a proxy that a test set up.
    DENO_NO_UPDATE_CHECK: "1",
    ...SAME_FLAGS,
    ...more,
  };
}

async function collect(stream: ReadableStream<Uint8Array>, add: (text: string) => void) {
  const decoder = new TextDecoder();
  for await (const chunk of stream) add(decoder.decode(chunk, { stream: true }));
}

function peak_of(pid: number): number {
  try {
    const status = Deno.readTextFileSync(`/proc/${pid}/status`);
    return Number(/^VmHWM:\s+(\d+)/m.exec(status)?.[1] ?? 0);
  } catch {
    return 0;
  }
}

/** Starts the program. Its outcome is parsed by the output format that the arguments ask for. */
export function start(args: readonly string[], options: StartOptions): Running {
  const [command, ...rest] = [
    ...(options.wrapper ?? []),
    ...(options.program ?? PROGRAM),
    ...args,
  ];
  const began = performance.now();
  const child = new Deno.Command(command!, {
    args: rest,
    cwd: options.cwd,
    clearEnv: true,
    env: environment(options.home, options.env),
    stdin: options.stdin === undefined ? "null" : "piped",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  const text = { out: "", err: "" };
  let peak_kb = 0;
  const watch = setInterval(() => peak_kb = Math.max(peak_kb, peak_of(child.pid)), LOOK_MS);
  const hang = setTimeout(() => {
    text.err += `\n[test] killed after ${HANG_MS} ms`;
    child.kill("SIGKILL");
  }, HANG_MS);

  async function feed() {
    if (options.stdin === undefined) return;
    const writer = child.stdin.getWriter();
    try {
      const { stdin } = options;
      if (typeof stdin === "string") await writer.write(new TextEncoder().encode(stdin));
      else if (stdin instanceof Uint8Array) await writer.write(stdin);
      else if (stdin instanceof ReadableStream) {
        const to = new WritableStream({ write: (part) => writer.write(part) });
        await Promise.race([stdin.pipeTo(to), child.status]);
      } else await child.status;
      await writer.close();
    } catch {
      // A program may end without reading its input.
    }
  }

  async function finish(): Promise<Outcome> {
    try {
      const [status] = await Promise.all([
        child.status,
        collect(child.stdout, (part) => text.out += part),
        collect(child.stderr, (part) => text.err += part),
        feed(),
      ]);
      const ms = performance.now() - began;
      return outcome_of(args, {
        code: status.code,
        ms,
        peak_kb,
        stdout: text.out,
        stderr: text.err,
      });
    } finally {
      clearInterval(watch);
      clearTimeout(hang);
    }
  }

  return {
    pid: child.pid,
    stdout: () => text.out,
    stderr: () => text.err,
    kill(signal) {
      try {
        child.kill(signal);
      } catch {
        // It has ended in the meantime.
      }
    },
    done: finish(),
  };
}

/** Starts the program and waits for it. */
export function hamr(args: readonly string[], options: StartOptions): Promise<Outcome> {
  return start(args, options).done;
}

/** What a run left behind, as it stands. */
export type Raw = Omit<Outcome, "result" | "events">;

/** What the flags make of standard output. */
function format(args: readonly string[]): "text" | "json" | "jsonl" {
  let found: "text" | "json" | "jsonl" = "text";
  args.forEach((arg, i) => {
    const value = arg === "--output" ? args[i + 1] : arg.replace(/^--output=/, "");
    if (arg === "--json") found = "json";
    else if (arg.startsWith("--output") && (value === "json" || value === "jsonl")) found = value;
  });
  return found;
}

/** Commands that give the result of a run, whatever happens. What others give is text for the harness, unless it is one. */
const RUNS = ["run", "resume", "review", "demo"];

/** Parses standard output, and holds it to the contract whatever the test is about. */
export function outcome_of(args: readonly string[], raw: Raw): Outcome {
  const kind = RUNS.includes(args[0] ?? "") || /^\{"type":"result",/m.test(raw.stdout)
    ? format(args)
    : "text";
  const told = `exit ${raw.code}\n--- stdout\n${raw.stdout}\n--- stderr\n${raw.stderr}`;
  const unparsed = { ...raw, events: [] };
  if (kind === "text") {
    return {
      ...unparsed,
      get result(): Result {
        throw new Error("a run with text output has no result object");
      },
    };
  }
  let events: Event[];
  try {
    const lines = kind === "json" ? [raw.stdout] : raw.stdout.trimEnd().split("\n");
    events = lines.map((line) => JSON.parse(line) as Event);
  } catch (error) {
    throw new Error(`standard output is not ${kind}: ${error}\n${told}`);
  }
  try {
    if (kind === "jsonl") check_events(events);
    const result = events.at(-1) as unknown as Result;
    check_result(result, raw.code);
    return { ...raw, events: kind === "jsonl" ? events : [], result };
  } catch (error) {
    if (error instanceof assert.AssertionError) error.message += `\n${told}`;
    throw error;
  }
}

/** Waits for something to become true. Fails after `limit_ms`, and then says what it was, as it is by then. */
export async function until(
  what: string | (() => string),
  test: () => boolean | Promise<boolean>,
  limit_ms = 30_000,
): Promise<void> {
  const end = performance.now() + limit_ms;
  // Soon again at first, then less often: a look at all processes is not for nothing.
  for (let wait_ms = 5; !await test(); wait_ms = Math.min(wait_ms * 1.2, 50)) {
    if (performance.now() > end) {
      const told = typeof what === "string" ? what : what();
      throw new Error(`after ${limit_ms} ms still not: ${told}`);
    }
    await pause(wait_ms);
  }
}

/** Milliseconds in which nothing happens. */
export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/** Runs that are worth starting together on a small machine. */
export const TOGETHER = 3;

/** Does `work` for each item, at most `TOGETHER` at once, and gives the results in order. */
export async function each<T, R>(
  items: readonly T[],
  work: (item: T, i: number) => Promise<R>,
): Promise<R[]> {
  const out: R[] = [];
  let next = 0;
  const lane = async () => {
    while (next < items.length) {
      const i = next++;
      out[i] = await work(items[i]!, i);
    }
  };
  await Promise.all(Array.from({ length: TOGETHER }, lane));
  return out;
}
