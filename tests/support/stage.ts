/** A stage for one run: a scripted model, a workspace and a HOME of its own, gone afterwards. */
import assert from "node:assert/strict";
import { hamr, type Outcome, type Running, start, type StartOptions, until } from "./hamr.ts";
import {
  ANSWER,
  type Call,
  type ModelServer,
  say,
  type Script,
  serve_model,
  type ServerOptions,
} from "./model_server.ts";
import { remove } from "./remove.ts";

/** What a stage is set up with. */
export interface StageOptions extends ServerOptions {
  /** Default: one plain answer. */
  readonly script?: Script;
  /** Files of the workspace by path; a path that ends in `/` is an empty folder. */
  readonly files?: Readonly<Record<string, string | Uint8Array>>;
  readonly env?: Readonly<Record<string, string>>;
  /** True: the test judges `server.violations` itself. */
  readonly violations?: boolean;
  /** True: its runs take place in the process of the test (`inside.ts`), which costs half as much. What else is asked of `hamr` starts it. */
  readonly inside?: boolean;
  /** False: its runs in the process of the test have no sandbox, which halves what they cost. */
  readonly walls?: false;
}

/** A workspace, or any other folder, by paths relative to it. */
export interface Folder {
  /** Real path. */
  readonly path: string;
  at(name: string): string;
  read(name: string): string;
  write(name: string, content: string | Uint8Array): void;
  exists(name: string): boolean;
}

/** Everything a test needs. */
export interface Stage {
  readonly server: ModelServer;
  /** The workspace: the current folder of the program. */
  readonly ws: Folder;
  /** HOME of the program. */
  readonly home: Folder;
  /** A folder beside the workspace that nothing was said about. */
  readonly outside: Folder;
  readonly env: Readonly<Record<string, string>>;
  /** `hamr ARGS` in the workspace. */
  hamr(args: readonly string[], more?: Partial<StartOptions>): Promise<Outcome>;
  start(args: readonly string[], more?: Partial<StartOptions>): Running;
  /** `hamr run …` or `hamr resume …`, where `run` and `events` take place, too. */
  here(args: readonly string[], more?: Partial<StartOptions>): Promise<Outcome>;
  /** `hamr run …` in the process of the test, unless it is a binary that is to be tested. */
  inside(args: readonly string[], more?: Partial<StartOptions>): Promise<Outcome>;
  /** `hamr run --output json TASK FLAGS`. A later `--output` wins. */
  run(task: string, ...flags: string[]): Promise<Outcome>;
  /** The same with `--output jsonl`. */
  events(task: string, ...flags: string[]): Promise<Outcome>;
}

/** A folder that is there. */
export function folder(path: string): Folder {
  const at = (name: string) => `${path}/${name}`;
  return {
    path,
    at,
    read: (name) => Deno.readTextFileSync(at(name)),
    write(name, content) {
      const file = at(name);
      Deno.mkdirSync(file.slice(0, file.lastIndexOf("/")), { recursive: true });
      if (name.endsWith("/")) return;
      if (typeof content === "string") Deno.writeTextFileSync(file, content);
      else Deno.writeFileSync(file, content);
    },
    exists(name) {
      try {
        Deno.lstatSync(at(name));
        return true;
      } catch {
        return false;
      }
    },
  };
}

/** Sets a stage, plays `body` on it, and looks afterwards whether the model's server was served well. */
export async function stage<T>(
  options: StageOptions,
  body: (stage: Stage) => Promise<T>,
): Promise<T> {
  const root = Deno.realPathSync(Deno.makeTempDirSync({ prefix: "hamr_test_" }));
  const part = (name: string) => {
    Deno.mkdirSync(`${root}/${name}`);
    return folder(`${root}/${name}`);
  };
  const [ws, home, outside] = [part("ws"), part("home"), part("outside")];
  for (const [name, content] of Object.entries(options.files ?? {})) ws.write(name, content);
  const server = serve_model(options.script ?? [say(ANSWER)], options);
  const env = { HAMR_BASE_URL: server.url, HAMR_MODEL: "scripted", ...options.env };
  const base = { cwd: ws.path, home: home.path, env };
  const inside: typeof hamr = async (args, options) =>
    (await import("./inside.ts")).inside(args, options);
  const within = Deno.env.has("HAMR_BIN") ? hamr : inside;
  const run = options.inside ? inside : hamr;
  const walls = options.inside && options.walls === false ? ["--sandbox", "off"] : [];
  const set: Stage = {
    server,
    ws,
    home,
    outside,
    env,
    hamr: (args, more) => hamr(args, { ...base, ...more }),
    start: (args, more) => start(args, { ...base, ...more }),
    here: (args, more) => run(args, { ...base, ...more }),
    inside: (args, more) => within(args, { ...base, ...more }),
    run: (task, ...flags) => run(["run", "--output", "json", ...walls, ...flags, task], base),
    events: (task, ...flags) => run(["run", "--output", "jsonl", ...walls, ...flags, task], base),
  };
  try {
    const value = await body(set);
    if (!options.violations) {
      assert.deepEqual(server.violations, [], "a strict server refuses this");
    }
    return value;
  } finally {
    await server.close();
    await remove(root);
  }
}

/** A stage whose runs take place in the process of the test, unless it is a binary that is to be tested, or the options say otherwise. */
export function inside_stage<T>(
  options: StageOptions,
  body: (stage: Stage) => Promise<T>,
): Promise<T> {
  return stage({ inside: !Deno.env.has("HAMR_BIN"), ...options }, body);
}

/** The same without the sandbox: for what a model says and is told, where no wall has a part in it. A binary keeps it. */
export function open_stage<T>(
  options: StageOptions,
  body: (stage: Stage) => Promise<T>,
): Promise<T> {
  return inside_stage({ walls: false, ...options }, body);
}

/** What tools gave back. */
export interface Results {
  /** What the model got to read, a text a call. */
  readonly texts: readonly string[];
  readonly run: Outcome;
  /** The `tool_result` events, an event a call. */
  readonly events: Outcome["events"];
  readonly stage: Stage;
}

/** Lets the model make calls, one a step, in a run that is content with whatever comes of them. */
export async function tools(
  set: Stage,
  ...flags: string[]
): Promise<Results> {
  // A dry run verifies nothing.
  const content = flags.includes("--dry-run") ? [] : ["--verify", "true"];
  const run = await set.events("Do as you were told.", ...content, ...flags);
  const texts = set.server.results();
  const events = run.events.filter((event) => event.type === "tool_result");
  return { texts, run, events, stage: set };
}

/** A script that makes `calls`, one a step, and then answers. */
export function steps(...calls: (Call | [string, Call["args"]])[]): Script {
  return [
    ...calls.map((call) => ({
      calls: [Array.isArray(call) ? { name: call[0], args: call[1] } : call],
    })),
    say(ANSWER),
  ];
}

let marks = 0;

/** A number of seconds that no other process sleeps for: finds the sleeper again among all processes. */
export function mark(): string {
  return `31${Deno.pid}.${String(++marks).padStart(4, "0")}1`;
}

/** Every process: its id and its command line. */
export function processes(): [number, string][] {
  if (Deno.build.os !== "linux") {
    const ps = new Deno.Command("ps", { args: ["-A", "-o", "pid=,command="] }).outputSync();
    return new TextDecoder().decode(ps.stdout).split("\n").map((line) => line.trim())
      .map((line) => [parseInt(line), line.replace(/^\d+\s+/, "")]);
  }
  const out: [number, string][] = [];
  for (const { name } of Deno.readDirSync("/proc")) {
    if (!/^\d+$/.test(name)) continue;
    try {
      const line = Deno.readTextFileSync(`/proc/${name}/cmdline`);
      out.push([Number(name), line.replaceAll("\0", " ").trim()]);
    } catch {
      // It has ended in the meantime.
    }
  }
  return out;
}

/** Whether a process sleeps for as many seconds as `mark()` gave. */
export function asleep(seconds: string): boolean {
  return processes().some(([, line]) => line === `sleep ${seconds}`);
}

/** Waits until nobody sleeps for as many seconds anymore. Fails if it takes long, and ends them. */
export async function gone(seconds: string): Promise<void> {
  try {
    await until("the children are gone", () => !asleep(seconds));
  } finally {
    const left = processes().filter(([pid, line]) => pid !== Deno.pid && line.includes(seconds));
    for (const [pid] of left) {
      try {
        Deno.kill(pid, "SIGKILL");
      } catch {
        // It has ended in the meantime.
      }
    }
  }
}
