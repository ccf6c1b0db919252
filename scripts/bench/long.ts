/**
 * A run of thousands of steps with a small window, so that its history is compacted again and again: what one run keeps of
 * each step shows here as time or as memory. All figures are ratios within the run.
 */
import { environment } from "../../tests/support/hamr.ts";
import {
  ANSWER,
  bash,
  call,
  type Recorded,
  type Reply,
  say,
  serve_model,
} from "../../tests/support/model_server.ts";
import { type Figure, median } from "./figures.ts";
import type { Folder } from "./folder.ts";

/** Steps of a run (issue 5), how often it is made, tokens of the model's window, and steps of each kind of work in turn. */
const STEPS = 5000;
const RUNS = 3;
const WINDOW = 16_384;
const ROUND = 5;
/** Steps looked at, before and after those of the issue: in all some six compactions, 40 rounds. */
const AROUND = 100;
/** The run is compared with itself at these steps. */
const TIME_AT = { early: 500, late: 4900 };
const MEMORY_AT = { early: 1000, late: 4900 };
/** Limits: flat, except for the noise of a machine. A run that compacts less often than every hundred steps shows nothing. */
const LIMIT = { time: 1.3, memory: 1.2, fewest_compactions: STEPS / 100 };
/** Files that the steps write, read and edit in turn, and lines of each. */
const FILES = 20;
const LINES = 40;

/** What a run of so many steps has shown. */
interface Seen {
  /** Milliseconds between the end of a reply and the next request, by step. */
  readonly step_ms: readonly number[];
  /** Resident memory when the request of a step came, by step. */
  readonly rss_mb: readonly number[];
  readonly compactions: number;
  readonly summaries: number;
}

/** Time and memory of a step late in a long run beside an early one; throws if the run does not do what it should. */
export async function long_run_figures(
  program: readonly string[],
  { name, tell, in_folder }: {
    readonly name: string;
    readonly tell: (text: string) => void;
    /** Gives a fresh workspace and HOME. */
    readonly in_folder: <T>(body: (folder: Folder) => Promise<T>) => Promise<T>;
  },
): Promise<Figure[]> {
  const runs: Seen[] = [];
  for (let i = 0; i < RUNS; i++) {
    const seen = await in_folder((folder) => watch(program, folder));
    const { compactions, summaries } = seen;
    tell(`${STEPS} steps, ${compactions} compactions, ${summaries} requests for a summary`);
    if (compactions < LIMIT.fewest_compactions) throw new Error("the history was hardly compacted");
    runs.push(seen);
  }
  const time = (step: number) =>
    median(runs.map(({ step_ms }) => median(rounds(around(step_ms, step)))));
  const memory = (step: number) => median(runs.map(({ rss_mb }) => median(around(rss_mb, step))));
  return [{
    what: `${name}: a step around step ${TIME_AT.late} / around step ${TIME_AT.early}`,
    measured: time(TIME_AT.late),
    baseline: time(TIME_AT.early),
    unit: "ms",
    limit: LIMIT.time,
  }, {
    what: `${name}: memory around step ${MEMORY_AT.late} / around step ${MEMORY_AT.early}`,
    measured: memory(MEMORY_AT.late),
    baseline: memory(MEMORY_AT.early),
    unit: "MB",
    limit: LIMIT.memory,
  }];
}

/** Runs the program to its end and looks at it from the server. */
async function watch(
  [command, ...args]: readonly string[],
  { cwd, home }: Folder,
): Promise<Seen> {
  // The first request of each step, and all of them: a summary is asked for between two steps.
  const begins: number[] = [];
  const rss_mb: number[] = [];
  let pid = 0;
  let [messages, compactions, summaries] = [0, 0, 0];
  const server = serve_model((request, n) => {
    forget(server.requests[n - 1]);
    if (request.body.tools === undefined) {
      summaries++;
      return say("Task: count. Done: some of it. Next: go on.");
    }
    const { length } = request.body.messages;
    if (length < messages) compactions++;
    messages = length;
    rss_mb.push(resident_mb(pid));
    begins.push(n);
    return begins.length <= STEPS ? work(begins.length) : say(ANSWER);
  }, { validate: false });
  const child = new Deno.Command(command!, {
    args: [...args, "run", "--quiet", "--mode", "ask", "--context-window", `${WINDOW}`, "Count."],
    cwd,
    clearEnv: true,
    env: environment(home, {
      HAMR_BASE_URL: server.url,
      HAMR_MODEL: "scripted",
      HAMR_AGENT_MAX_MODEL_STEPS: "0",
      HAMR_AGENT_MAX_TOOL_CALLS: "0",
    }),
    stdin: "null",
    stdout: "null",
    stderr: "piped",
  }).spawn();
  pid = child.pid;
  const { code, stderr } = await child.output();
  await server.close();
  if (code !== 0 || begins.length !== STEPS + 1) {
    const words = new TextDecoder().decode(stderr);
    throw new Error(`exit ${code} after ${begins.length - 1} of ${STEPS} steps\n${words}`);
  }
  const gaps = server.requests.map(({ at }, n) => at - (server.requests[n - 1]?.sent ?? NaN));
  const step_ms = begins.slice(1).map((end, step) =>
    gaps.slice(begins[step]! + 1, end + 1).reduce((total, ms) => total + ms, 0)
  );
  return { step_ms, rss_mb, compactions, summaries };
}

/** What the model does in a step: commands, and files that are written, read and edited, no two of them alike. */
function work(step: number): Reply {
  const path = `file_${Math.floor(step / ROUND) % FILES}.txt`;
  switch (step % ROUND) {
    case 0:
      return call("write", { path, content: lines(step) });
    case 1:
      return call("read", { path });
    case 2:
      return call("edit", { path, old: `line 7 of ${step - 2}\n`, new: `line seven of ${step}\n` });
    case 3:
      return bash(`echo ${step} >> ${path}; tail -n 20 ${path}`);
    default:
      return bash(`seq ${step} ${step + 800}`);
  }
}

function lines(step: number): string {
  return Array.from({ length: LINES }, (_, at) => `line ${at} of ${step}\n`).join("");
}

/** All requests together are more than all else here; the time they take to be collected would be counted. */
function forget(request: Recorded | undefined): void {
  if (request !== undefined) Object.assign(request, { raw: "", body: null });
}

function resident_mb(pid: number): number {
  try {
    const status = Deno.readTextFileSync(`/proc/${pid}/status`);
    return Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1] ?? NaN) / 1024;
  } catch {
    return NaN; // No /proc here: what could not be measured keeps no limit.
  }
}

function around(values: readonly number[], step: number): number[] {
  return values.slice(step - AROUND, step + AROUND);
}

/** The milliseconds of a step, by rounds: steps of one kind of work take longer than those of another. */
function rounds(step_ms: readonly number[]): number[] {
  return Array.from({ length: Math.floor(step_ms.length / ROUND) }, (_, round) => {
    const of_round = step_ms.slice(round * ROUND, (round + 1) * ROUND);
    return of_round.reduce((total, ms) => total + ms, 0) / ROUND;
  });
}
