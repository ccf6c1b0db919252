/**
 * Runs a task in the process of the test: arguments, settings, tools worker, sandbox and output are the program's own, and
 * what it has printed is held to the contract. No process is started for it, and none gives up its rights.
 */
import { resolve } from "node:path";
import { environment, type Outcome, outcome_of, type StartOptions } from "./hamr.ts";
import { program } from "./program.ts";

const {
  agented,
  ask_endpoint,
  Lifecycle,
  load_settings,
  parse,
  read_images,
  read_task,
  reopen,
  subscribe,
  wanted_of,
  with_texts,
} = program;

/** What is looked for from the folder that a run starts in, which is not that of this process. */
const PLACES = ["-C", "--image"];

/** `hamr run …` or `hamr resume …` to its end. What is said to a session that goes on stands in the arguments. */
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
  const parsed = await agented(parse([...placed, ...there]), io);
  const { task: said, resumed, flags: given, overrides } = await going_on(parsed, io);
  const place = await load_settings({ flags: given, overrides }, io);
  const flags = await with_texts(given, place);
  const task = said ?? await read_task(parsed.operands, { ...flags, io });
  const images = flags.images.length === 0 ? undefined : await read_images(flags.images, place);
  const { result } = await new Lifecycle({
    ...{ place, flags, overrides, io, task, images, resumed, embedded: true, ask: null },
    endpoint: ask_endpoint(place, task),
    session_id: resumed?.reopened?.info.uuid ?? flags.session_id ?? crypto.randomUUID(),
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

/** What is said to which session, where one goes on. */
async function going_on(
  { command, flags, overrides, operands }: ReturnType<typeof parse>,
  io: Parameters<typeof reopen>[1] & { err(text: string): void },
): Promise<
  & Pick<ReturnType<typeof parse>, "flags" | "overrides">
  & { task?: string; resumed?: Awaited<ReturnType<typeof reopen>>["resumed"] }
> {
  const named = flags.fork ?? flags.resume;
  if (command !== "resume" && named === undefined && !flags.continue) return { flags, overrides };
  const { id, words } = command === "resume"
    ? wanted_of(operands)
    : { id: named ?? null, words: operands };
  const task = words.join(" ");
  const tell = (line: string) => io.err(`hamr: ${line}\n`);
  const fork = flags.fork === undefined ? null : {};
  return { task, ...await reopen({ flags, overrides }, io, { id, said: task, tell, fork }) };
}
