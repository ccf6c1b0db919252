/**
 * Runs a task in the process of the test: arguments, settings, tools worker, sandbox and output are the program's own, and
 * what it has printed is held to the contract. No process is started for it, and none gives up its rights.
 */
import { resolve } from "node:path";
import { environment, type Outcome, outcome_of, type StartOptions } from "./hamr.ts";
import { program } from "./program.ts";

const {
  ask_endpoint,
  Lifecycle,
  load_settings,
  parse,
  read_images,
  read_task,
  subscribe,
  with_texts,
} = program;

/** What is looked for from the folder that a run starts in, which is not that of this process. */
const PLACES = ["-C", "--image"];

/** `hamr run …` to its end. */
export async function inside(args: readonly string[], options: StartOptions): Promise<Outcome> {
  const began = performance.now();
  const text = { out: "", err: "" };
  const environ = environment(options.home, options.env);
  const io = {
    out: (more: string) => void (text.out += more),
    err: (more: string) => void (text.err += more),
    env: (name: string) => environ[name] || undefined,
    environ: () => environ,
  };
  const placed = args.map((arg, n) =>
    PLACES.includes(args[n - 1] ?? "") ? resolve(options.cwd, arg) : arg
  );
  const there = args.includes("-C") ? [] : ["-C", options.cwd];
  const { flags: given, overrides, operands } = parse([...placed, ...there]);
  const place = await load_settings({ flags: given, overrides }, io);
  const flags = await with_texts(given, place);
  const task = await read_task(operands, { ...flags, io });
  const images = flags.images.length === 0 ? undefined : await read_images(flags.images, place);
  const { result } = await new Lifecycle({
    ...{ place, flags, overrides, io, task, images, embedded: true, ask: null },
    endpoint: ask_endpoint(place, task),
    session_id: crypto.randomUUID(),
    interrupt: new AbortController().signal,
    leave: new Promise<never>(() => {}),
    subscribe: () => {
      const terminal = { dumb: false, ascii: false, colorless: true };
      const screen = { asking: () => false, end_line: () => false };
      const shown = { io, terminal, screen, log: null };
      return Promise.resolve(subscribe(flags, shown));
    },
  }).run();
  const ms = performance.now() - began;
  const raw = { code: result.exit_code, ms, peak_kb: 0, stdout: text.out, stderr: text.err };
  return outcome_of(args, raw);
}
