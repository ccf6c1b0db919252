/**
 * The program is killed at every moment around a command: before it starts, in the middle, as it ends. Either its time limit is
 * kept although nobody is there to keep it, or whoever works there next ends what is left before anything else.
 */
import { carried_by, left_of } from "../../tests/support/carried.ts";
import { environment, pause, until } from "../../tests/support/hamr.ts";
import { ANSWER, bash, say, serve_model } from "../../tests/support/model_server.ts";
import type { Folder } from "./folder.ts";

/** Ways to have something running; `D` is how long. */
const COMMANDS = [
  "sleep D",
  "sleep D > /dev/null 2>&1 & sleep D",
  "trap '' TERM; sleep D; sleep D",
  "setsid sleep D > /dev/null 2>&1 & sleep D",
  "env -i setsid bash -c 'trap \"\" TERM; while sleep 0.1; do :; done' > /dev/null 2>&1 & sleep D",
];
/** Some go on beyond their limit, some end in the time in which the kills fall. */
const BRIEF_S = "0.02", LONG_S = "60";
/** Seconds a command may take (issue 12). */
const LIMIT_S = 3;
/** Two of three kills fall in this time after its first deed: in the middle, as it ends. The others come before that. */
const RUNNING_MS = 60;
/** The limit, the time between SIGTERM and SIGKILL, and five seconds in which a watcher may look away. */
const OVER_MS = (LIMIT_S + 2 + 5) * 1000;
/** How many are waited for at once. */
const LANES = 4;

/** What the kills have shown. */
export interface KilledCommands {
  /** Kills; and how many of them left processes behind. */
  readonly kills: number;
  readonly left: number;
  /** How often the time limit ended these, and how often whoever came next. */
  readonly by_limit: number;
  readonly by_next: number;
}

type Next = "nobody" | "undo" | "resume" | "sandbox";
const NEXT: readonly Next[] = ["nobody", "undo", "resume", "sandbox"];
const ARGS: Readonly<Record<Exclude<Next, "nobody">, readonly string[]>> = {
  undo: ["undo", "--force"],
  resume: ["resume", "--quiet"],
  sandbox: ["sandbox", "--", "true"],
};

/** Kills a run `kills` times. Throws at the first process that is there when it must not be. */
export async function crash_commands(
  program: readonly string[],
  { kills: wanted, in_folder }: {
    readonly kills: number;
    /** Gives a fresh workspace and HOME. */
    readonly in_folder: <T>(body: (folder: Folder) => Promise<T>) => Promise<T>;
  },
): Promise<KilledCommands> {
  const sum = { kills: 0, left: 0, by_limit: 0, by_next: 0 };
  let n = 0;
  // From the reply to the first deed of its command, by the slowest so far.
  let starting_ms = 0;
  const lane = async () => {
    while (sum.kills < wanted) {
      const next = NEXT[n % NEXT.length]!;
      const command = COMMANDS[n % COMMANDS.length]!;
      const duration = n % 7 === 6 ? BRIEF_S : LONG_S;
      const shape = {
        command: command.replaceAll("D", duration),
        next,
        // Once it is known how long that takes.
        kill_within_ms: n % 3 === 0 && starting_ms > 0 ? starting_ms : null,
      };
      n++;
      const { left, started_ms } = await in_folder((folder) => one(program, { ...shape, folder }));
      starting_ms = Math.max(starting_ms, started_ms);
      if (left === null) continue;
      sum.kills++;
      if (left === 0) continue;
      sum.left++;
      if (next === "nobody") sum.by_limit++;
      else sum.by_next++;
    }
  };
  await Promise.all(Array.from({ length: LANES }, lane));
  return sum;
}

interface Left {
  /** Processes of commands that the kill left behind; null if the run was quicker. */
  readonly left: number | null;
  /** How long the command took to start; 0 if it was killed before. */
  readonly started_ms: number;
}

async function one(
  program: readonly string[],
  { command, next, folder: { cwd, home }, kill_within_ms }: {
    readonly command: string;
    readonly next: Next;
    readonly folder: Folder;
    /** From the reply on; null: after the first deed. */
    readonly kill_within_ms: number | null;
  },
): Promise<Left> {
  const asked = bash(`touch ready; ${command}`, LIMIT_S);
  const server = serve_model((_, n) => n === 0 ? asked : say(ANSWER), {
    one_conversation: false,
  });
  const env = environment(home, { HAMR_BASE_URL: server.url, HAMR_MODEL: "scripted" });
  const start = (args: readonly string[]) =>
    new Deno.Command(program[0]!, {
      args: [...program.slice(1), ...args],
      ...{ cwd, env, clearEnv: true, stdin: "null", stdout: "null", stderr: "piped" },
    }).spawn();
  try {
    const run = start(["run", "--quiet", "Do it."]);
    await until("the model was asked", () => server.requests[0]?.sent !== undefined);
    let started_ms = 0;
    if (kill_within_ms !== null) await pause(Math.random() * kill_within_ms);
    else {
      await until("the command has started", () => exists(`${cwd}/ready`));
      started_ms = performance.now() - (server.requests[0]?.sent ?? NaN);
      await pause(Math.random() * RUNNING_MS);
    }
    const carried = carried_by(run.pid);
    try {
      run.kill("SIGKILL");
    } catch {
      // It had just ended.
    }
    // Nothing of it holds its standard error open.
    const { signal } = await run.output();
    if (signal !== "SIGKILL" || carried === null) return { left: null, started_ms };
    const left = left_of(carried).commands;
    const what = `${command}, then ${next}`;
    if (next !== "nobody") {
      const { code, stderr } = await start(ARGS[next]).output();
      const said = new TextDecoder().decode(stderr);
      // Nothing runs before the session is on disk; then there is nothing to undo or to resume.
      const is_unsaved = code === 3 && left === 0;
      if (code !== 0 && !is_unsaved) throw new Error(`${what}: ended in ${code}: ${said}`);
    } else await until(`gone: ${what}`, () => left_of(carried).all === 0, OVER_MS);
    // A session that was not saved has nothing to be ended by: its commands never ran.
    const still = next === "nobody" ? left_of(carried).all : left_of(carried).commands;
    if (still > 0) throw new Error(`${what}: ${still} processes are still there`);
    return { left, started_ms };
  } finally {
    await server.close();
  }
}

function exists(path: string): boolean {
  try {
    Deno.lstatSync(path);
    return true;
  } catch {
    return false;
  }
}
