/** One task of one agent on the scripted server, and what it came to. */
import { in_folder } from "../folder.ts";
import type { Agent } from "./agents.ts";
import { type Behavior, serve } from "./server.ts";

/** A run that is at it for longer, or has asked more often, is ended. */
const LIMIT_MS = 60_000;
const MOST_REQUESTS = 60;

/** What a run came to. */
export interface Driven {
  /** From the start of the program to its first request with tools; NaN where there was none. */
  readonly first_ms: number;
  readonly first_bytes: number;
  /** From a reply that calls a tool to the request with its result. */
  readonly steps_ms: readonly number[];
  /** The most that its processes had in memory when they asked last, added up; NaN where `/proc` does not say. */
  readonly peak_mb: number;
  readonly total_ms: number;
  readonly requests: number;
  /** Null where it had to be ended. */
  readonly code: number | null;
  /** The end of what it printed. */
  readonly printed: string;
}

/** Gives an agent one task. `refused`: nobody listens. */
export async function drive(agent: Agent, behavior: Behavior | "refused"): Promise<Driven> {
  return await in_folder(async ({ cwd, home }) => {
    Deno.writeTextFileSync(`${cwd}/a.txt`, "a\n");
    let leader = 0;
    let peak_mb = NaN;
    let asked_often = () => {};
    const server = serve(behavior === "refused" ? "500" : behavior, () => {
      peak_mb = peak_of(leader);
      if (server.asked.length >= MOST_REQUESTS) asked_often();
    });
    if (behavior === "refused") await server.close();
    const { command: [program = "", ...args], env } = agent.start({ cwd, home, url: server.url });
    const began = performance.now();
    // A session of its own: all that it starts can be found, and ended.
    const child = new Deno.Command("setsid", {
      args: [program, ...args],
      ...{ cwd, env, clearEnv: true },
      ...{ stdin: "null", stdout: "piped", stderr: "piped" },
    }).spawn();
    leader = child.pid;
    let ended = false;
    const end = () => {
      ended = true;
      for (const pid of session(leader)) {
        try {
          Deno.kill(pid, "SIGKILL");
        } catch { /* It has ended. */ }
      }
    };
    asked_often = end;
    const timer = setTimeout(end, LIMIT_MS);
    const { code, stdout, stderr } = await child.output();
    const total_ms = performance.now() - began;
    clearTimeout(timer);
    // What it leaves behind is no other run's burden.
    for (const pid of session(leader)) Deno.kill(pid, "SIGKILL");
    if (behavior !== "refused") await server.close();
    const text = new TextDecoder().decode(stdout) + new TextDecoder().decode(stderr);
    const own = server.asked.filter(({ has_tools }) => has_tools);
    return {
      first_ms: (own[0]?.at ?? NaN) - began,
      first_bytes: own[0]?.bytes ?? NaN,
      steps_ms: own.slice(1).map(({ at }, n) => at - (own[n]?.sent ?? NaN)),
      ...{ peak_mb, total_ms },
      requests: server.asked.length,
      code: ended ? null : code,
      printed: text.slice(-2000),
    };
  });
}

/** The processes of a session. */
function session(leader: number): number[] {
  return [...Deno.readDirSync("/proc")].map(({ name }) => Number(name)).filter((pid) => {
    try {
      // Behind the name, which may have anything in it: state, parent, group, session.
      const stat = Deno.readTextFileSync(`/proc/${pid}/stat`);
      return Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[3]) === leader;
    } catch {
      return false;
    }
  });
}

/** NaN where `/proc` hides the program from its own user (`hidepid`): hamr can't be looked at. */
function peak_of(leader: number): number {
  const of = (pid: number) => {
    try {
      const status = Deno.readTextFileSync(`/proc/${pid}/status`);
      return Number(/^VmHWM:\s+(\d+)/m.exec(status)?.[1] ?? 0);
    } catch {
      return 0;
    }
  };
  return session(leader).reduce((sum, pid) => sum + of(pid), 0) / 1024 || NaN;
}
