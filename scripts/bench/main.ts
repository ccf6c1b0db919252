/**
 * What the harness costs, each figure beside a baseline measured in the same run, A B A B.
 *
 *     deno task bench [start|steps|memory|sandbox|long|crash|scale|large|chat|stream|peers] [--binary FILE] [--rounds N]
 *
 * `long`, `crash`, `scale`, `large`, `chat`, `stream` and `peers` take minutes, and run only where they are named. Without `--binary` (or
 * HAMR_BIN) only the source is measured. Exit code 1 where a limit is missed. `peers` stands alone: docs/benchmarks.md.
 */
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { compile, V8_FLAGS } from "../compile.ts";
import { environment, start } from "../../tests/support/hamr.ts";
import {
  ANSWER,
  bash,
  type ModelServer,
  say,
  serve_model,
} from "../../tests/support/model_server.ts";
import { chat_figures } from "./chat.ts";
import { crash } from "./crash.ts";
import { crash_commands } from "./crash_commands.ts";
import { type Figure, holds, median, table } from "./figures.ts";
import { type Folder, in_folder } from "./folder.ts";
import { large_figures, LARGE_ROUNDS, make_large_places } from "./large.ts";
import { long_run_figures } from "./long.ts";
import { memory_figures, session_figures } from "./scale.ts";
import { with_settings } from "./servers.ts";
import { sandbox_figures } from "./sandbox_cost.ts";
import { stream_figures } from "./stream.ts";

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));

/** How often a start is measured. */
const START_ROUNDS = 15;
const PEER_ROUNDS = 7;
/** Issue 7. */
const KILLS = 300;
/** Steps of a long run: enough for a window of 21 around step 400. */
const STEPS = 410;
const LONG_ROUNDS = 3;
/** They are started beside the first request; what is left is to read a longer file. */
const TEN_SERVERS = 1.2;

/** Limits of a run. */
interface Limits {
  readonly start: number;
  readonly step: number;
  readonly growth: number;
  readonly peak_mb: number;
  /** Null: measured for what people install alone. */
  readonly first_call_ms: number | null;
  readonly exit_ms: number | null;
  readonly size_mb: number | null;
}

const OF_SOURCE: Limits = {
  ...{ start: 3, step: 2.5, growth: 1.3, peak_mb: 115 },
  ...{ first_call_ms: null, exit_ms: null, size_mb: null },
};
const OF_BINARY: Limits = {
  // The start takes more since no compiled code is kept in the temporary folder, where others could put theirs.
  ...{ start: 2, step: 2, growth: 1.2, peak_mb: 95 },
  ...{ first_call_ms: 60, exit_ms: 40, size_mb: 6 },
};

/** A way to run the program, and the emptiest program that is run the same way. */
interface Subject {
  readonly name: string;
  readonly program: readonly string[];
  /** The same with the V8 flags of the binary: without, V8 takes thousands of steps to come to the memory it is content with. */
  readonly lean: readonly string[];
  readonly empty: readonly string[];
  readonly limits: Limits;
}

interface Long {
  /** Milliseconds between the end of a reply and the next request, by step. */
  readonly gaps: readonly number[];
  readonly peak_mb: number;
}

function say_on_stderr(text: string): void {
  Deno.stderr.writeSync(new TextEncoder().encode(text + "\n"));
}

const ARGS = ["run", "--quiet", "--mode", "ask"];

function variables(server: ModelServer): Record<string, string> {
  return { HAMR_BASE_URL: server.url, HAMR_MODEL: "scripted" };
}

/** Starts a program with nothing to read and nobody to read it, and waits for its end. */
async function bare(
  [command, ...args]: readonly string[],
  options: { readonly cwd?: string; readonly env: Record<string, string> },
): Promise<{ readonly began: number; readonly ended: number }> {
  const began = performance.now();
  const silent = { stdin: "null", stdout: "null", stderr: "null", clearEnv: true } as const;
  await new Deno.Command(command!, { args, ...silent, ...options }).spawn().status;
  return { began, ended: performance.now() };
}

/** Milliseconds from the start of the program to its first request; in a `folder`, that of the session that is saved there. */
function first_request(subject: Subject, folder?: Folder): Promise<number> {
  if (folder === undefined) return in_folder((fresh) => until_asked(subject, fresh, ARGS));
  const whole = {
    HAMR_AGENT_CONTEXT_BUDGET_TOKENS: "0",
    HAMR_PROVIDER_CONTEXT_WINDOW: "100000000",
  };
  return until_asked(subject, folder, ["resume", ...ARGS.slice(1)], whole);
}

/** The same, where there are settings, with ten MCP servers in them or with none. */
function with_servers(subject: Subject, servers: boolean): Promise<number> {
  return in_folder((fresh) => {
    with_settings(fresh.home, { servers });
    return until_asked(subject, fresh, ARGS);
  });
}

async function until_asked(
  subject: Subject,
  { cwd, home }: Folder,
  ...[args, more]: [readonly string[], Record<string, string>?]
): Promise<number> {
  const server = serve_model([say(ANSWER)], { validate: false });
  const env = environment(home, { ...variables(server), ...more });
  const { began } = await bare([...subject.program, ...args, "Count."], { cwd, env });
  await server.close();
  return (server.requests[0]?.at ?? NaN) - began;
}

/** Milliseconds in which the empty program starts and ends. */
async function empty_program(subject: Subject): Promise<number> {
  const { began, ended } = await bare(subject.empty, { env: environment("/") });
  return ended - began;
}

/** Milliseconds from a reply that comes at once to the request with its call's result, and from the last reply to the exit. */
async function first_call({ program }: Subject): Promise<{ call: number; exit: number }> {
  return await in_folder(async ({ cwd, home }) => {
    const server = serve_model((_, n) => n === 0 ? bash("true") : say(ANSWER), { validate: false });
    const env = environment(home, variables(server));
    const { ended } = await bare([...program, ...ARGS, "Count."], { cwd, env });
    await server.close();
    const [first, second] = server.requests;
    return {
      call: (second?.at ?? NaN) - (first?.sent ?? NaN),
      exit: ended - (second?.sent ?? NaN),
    };
  });
}

async function start_figures(subject: Subject, rounds: number): Promise<Figure[]> {
  const { name, limits } = subject;
  const ours: number[] = [];
  const ten: number[] = [];
  const none: number[] = [];
  const empty: number[] = [];
  await first_request(subject);
  await empty_program(subject);
  for (let i = 0; i < rounds; i++) {
    ours.push(await first_request(subject));
    empty.push(await empty_program(subject));
    ten.push(await with_servers(subject, true));
    none.push(await with_servers(subject, false));
  }
  const figures: Figure[] = [{
    what: `${name}: start to first request / empty program`,
    measured: median(ours),
    baseline: median(empty),
    unit: "ms",
    limit: limits.start,
  }, {
    what: `${name}: start to first request with ten MCP servers / with none`,
    measured: median(ten),
    baseline: median(none),
    unit: "ms",
    limit: TEN_SERVERS,
  }];
  const absolute = (what: string, measured: number, limit: number, unit: "ms" | "MB") =>
    figures.push({ what: `${name}: ${what}`, measured, baseline: null, unit, limit });
  if (limits.first_call_ms !== null && limits.exit_ms !== null) {
    const runs: { call: number; exit: number }[] = [];
    for (let i = 0; i < rounds; i++) runs.push(await first_call(subject));
    const of = (kind: "call" | "exit") => median(runs.map((run) => run[kind]));
    absolute(
      "a reply that comes at once to its call's result",
      of("call"),
      limits.first_call_ms,
      "ms",
    );
    absolute("last reply to exit", of("exit"), limits.exit_ms, "ms");
  }
  if (limits.size_mb !== null) {
    const size = ([path = ""]: readonly string[]) => Deno.statSync(path).size / 1_000_000;
    const more = size(subject.program) - size(subject.empty);
    absolute("larger than an empty program", more, limits.size_mb, "MB");
  }
  return figures;
}

async function long_run(subject: Subject): Promise<Long> {
  const server = serve_model(
    (_, n) => n < STEPS ? bash(`echo ${n}`) : say(ANSWER),
    { validate: false },
  );
  const limits = ["--max-steps", "1000", "--max-tool-calls", "1000"];
  const outcome = await in_folder(({ cwd, home }) => {
    const { program } = subject;
    const running = start([...ARGS, ...limits, "Count."], {
      cwd,
      home,
      program,
      env: variables(server),
    });
    return running.done;
  });
  if (outcome.code !== 0) {
    throw new Error(`${subject.name}: exit ${outcome.code}\n${outcome.stderr}`);
  }
  await server.close();
  const { requests } = server;
  if (requests.length !== STEPS + 1) {
    throw new Error(`${subject.name}: ${requests.length} requests instead of ${STEPS + 1}`);
  }
  const gaps = requests.slice(1).map((request, i) => request.at - (requests[i]?.sent ?? NaN));
  return { gaps, peak_mb: outcome.peak_kb / 1024 };
}

/** Milliseconds of each of as many bare commands. */
async function bare_commands(): Promise<number[]> {
  const { stdout } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", here("spawn.ts"), String(STEPS)],
    stderr: "inherit",
  }).output();
  return JSON.parse(new TextDecoder().decode(stdout));
}

async function long_figures(subject: Subject, wanted: ReadonlySet<string>): Promise<Figure[]> {
  const runs: Long[] = [];
  const bare: number[] = [];
  for (let i = 0; i < LONG_ROUNDS; i++) {
    runs.push(await long_run(subject));
    if (wanted.has("steps")) bare.push(median(await bare_commands()));
  }
  const around = (step: number) =>
    median(runs.map((run) => median(run.gaps.slice(step - 11, step + 10))));
  const out: Figure[] = [];
  if (wanted.has("steps")) {
    out.push({
      what: `${subject.name}: a step with one command / bare spawn and drain`,
      measured: median(runs.map((run) => median(run.gaps))),
      baseline: median(bare),
      unit: "ms",
      limit: subject.limits.step,
    }, {
      what: `${subject.name}: around step 400 / around step 20`,
      measured: around(400),
      baseline: around(20),
      unit: "ms",
      limit: subject.limits.growth,
    });
  }
  if (wanted.has("memory")) {
    out.push({
      what: `${subject.name}: peak memory of ${STEPS} steps`,
      measured: Math.max(...runs.map((run) => run.peak_mb)) || NaN,
      baseline: null,
      unit: "MB",
      limit: subject.limits.peak_mb,
    });
  }
  return out;
}

/** The source, and the binary where there is one, with an empty program compiled beside it. */
async function subjects(binary: string | undefined, folder: string): Promise<Subject[]> {
  const deno = [Deno.execPath(), "run", "-A"];
  const main = here("../../main.ts");
  const source: Subject = {
    name: "source",
    program: [...deno, main],
    lean: [...deno, `--v8-flags=${V8_FLAGS.join(",")}`, main],
    empty: [...deno, here("empty.ts")],
    limits: OF_SOURCE,
  };
  if (binary === undefined) return [source];
  const empty = `${folder}/empty`;
  if (await compile(here("empty.ts"), empty) !== 0) throw new Error("the empty binary failed");
  const program = [Deno.realPathSync(binary)];
  return [source, { name: "binary", program, lean: program, empty: [empty], limits: OF_BINARY }];
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    binary: { type: "string" },
    rounds: { type: "string" },
  },
});
const quick = ["start", "steps", "memory", "sandbox"];
const parts = [...quick, "long", "crash", "scale", "large", "chat", "stream", "peers"];
const wanted = new Set(positionals.length > 0 ? positionals : quick);
const unknown = [...wanted].filter((name) => !parts.includes(name));
const binary = values.binary ?? Deno.env.get("HAMR_BIN");
if (unknown.length > 0) {
  say_on_stderr(`unknown part ${unknown.join(", ")}: one of ${parts.join(", ")}`);
  Deno.exitCode = 3;
} else if (wanted.has("peers")) {
  const { peers } = await import("./peers/mod.ts");
  const { version } = JSON.parse(Deno.readTextFileSync(here("../../deno.json")));
  const source = [Deno.execPath(), "run", "-A", "--no-check", here("../../main.ts")];
  Deno.exitCode = await peers(binary === undefined ? source : [Deno.realPathSync(binary)], {
    version: binary === undefined ? `${version}, source` : version,
    rounds: Number(values.rounds ?? PEER_ROUNDS),
  });
} else {
  const folder = Deno.makeTempDirSync();
  const figures: Figure[] = [];
  const of_runs = parts.some((part) => part !== "sandbox" && wanted.has(part));
  const places = wanted.has("large") ? await make_large_places(folder) : null;
  for (const subject of of_runs ? await subjects(binary, folder) : []) {
    say_on_stderr(`measuring the ${subject.name}`);
    if (wanted.has("start")) {
      figures.push(...await start_figures(subject, Number(values.rounds ?? START_ROUNDS)));
    }
    if (wanted.has("steps") || wanted.has("memory")) {
      figures.push(...await long_figures(subject, wanted));
    }
    if (wanted.has("scale")) {
      const of_session = await session_figures({
        in_folder,
        first_request: (folder) => first_request(subject, folder),
      });
      figures.push(...of_session.map((one) => ({ ...one, what: `${subject.name}: ${one.what}` })));
    }
    if (wanted.has("chat")) {
      const { name, program } = subject;
      const asked = () => first_request(subject);
      figures.push(...await chat_figures(program, { name, in_folder, first_request: asked }));
    }
    if (wanted.has("stream")) {
      figures.push(...await stream_figures(subject.lean, { name: subject.name, in_folder }));
    }
    if (places !== null) {
      const home = () => Deno.makeTempDirSync({ dir: folder });
      const rounds = Number(values.rounds ?? LARGE_ROUNDS);
      const { name, program } = subject;
      figures.push(...await large_figures(program, { name, places, rounds, home }));
    }
    if (wanted.has("crash")) {
      const kills = Number(values.rounds ?? KILLS);
      const done = await crash(subject.program, { kills, in_folder });
      say_on_stderr(
        `${subject.name}: ${done.kills} kills in ${done.tasks} tasks of 40 steps: every task was done, each step once ` +
          `(${done.resumed} times resumed, ${done.begun_again} times begun again, ${done.cut_off} calls cut off)`,
      );
      if (Deno.build.os === "linux") {
        const killed = await crash_commands(subject.program, { kills, in_folder });
        say_on_stderr(
          `${subject.name}: ${killed.kills} kills around a command: ${killed.left} left processes behind, ` +
            `${killed.by_limit} times ended by the time limit, ${killed.by_next} times by whoever came next`,
        );
      }
    }
    if (wanted.has("long")) {
      const tell = (text: string) => say_on_stderr(`${subject.name}: ${text}`);
      figures.push(
        ...await long_run_figures(subject.lean, { name: subject.name, tell, in_folder }),
      );
    }
  }
  if (wanted.has("scale")) figures.push(...await memory_figures({ in_folder }));
  if (wanted.has("sandbox")) figures.push(...await sandbox_figures());
  Deno.removeSync(folder, { recursive: true });
  Deno.stdout.writeSync(new TextEncoder().encode(table(figures) + "\n"));
  if (binary === undefined) say_on_stderr("no binary was given: only the source was measured");
  Deno.exitCode = figures.every(holds) ? 0 : 1;
}
