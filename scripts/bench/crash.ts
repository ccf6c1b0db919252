/**
 * The program is killed at random moments of a task of 40 steps, and resumed until the task is done. Nothing may have been done
 * twice or not at all, and the database must be whole.
 */
import { DatabaseSync } from "node:sqlite";
import { environment } from "../../tests/support/hamr.ts";
import {
  ANSWER,
  bash,
  call,
  type Recorded,
  type Reply,
  say,
  serve_model,
  type WireMessage,
} from "../../tests/support/model_server.ts";
import type { Folder } from "./folder.ts";

/** Steps of the task (issue 7). */
const STEPS = 40;
/** Kills in one task at most: a resumed run is killed as well, the last one is left alone. */
const MOST_KILLS = 3;
const ARGS = ["--quiet", "--max-steps", "200"];

/** What the kills have shown. */
export interface Crashes {
  /** Tasks, and kills in them. */
  readonly tasks: number;
  readonly kills: number;
  /** How often a session went on, and how often it had not begun by then. */
  readonly resumed: number;
  readonly begun_again: number;
  /** How often a call was found cut off. */
  readonly cut_off: number;
}

/** Does the task again and again, until it was killed `kills` times. Throws at the first thing that is not as it must be. */
export async function crash(
  program: readonly string[],
  { kills: wanted, in_folder }: {
    readonly kills: number;
    /** Gives a fresh workspace and HOME. */
    readonly in_folder: <T>(body: (folder: Folder) => Promise<T>) => Promise<T>;
  },
): Promise<Crashes> {
  const { ms } = await in_folder((folder) => task(program, { folder, kill_after: [] }));
  const sum = { tasks: 0, kills: 0, resumed: 0, begun_again: 0, cut_off: 0 };
  while (sum.kills < wanted) {
    const kill_after = Array.from({ length: MOST_KILLS }, () => Math.random() * ms);
    sum.tasks++;
    const done = await in_folder((folder) => task(program, { folder, kill_after }));
    sum.kills += done.kills;
    sum.resumed += done.resumed;
    sum.begun_again += done.begun_again;
    sum.cut_off += done.cut_off;
  }
  return sum;
}

async function task(
  program: readonly string[],
  { folder, kill_after }: { readonly folder: Folder; readonly kill_after: readonly number[] },
): Promise<Omit<Crashes, "tasks"> & { readonly ms: number }> {
  const { cwd, home } = folder;
  Deno.writeTextFileSync(`${cwd}/count.txt`, "n=0\n");
  const server = serve_model(next, { one_conversation: false });
  const env = environment(home, { HAMR_BASE_URL: server.url, HAMR_MODEL: "scripted" });
  const began = performance.now();
  const seen = { kills: 0, resumed: 0, begun_again: 0 };
  let args = ["run", ...ARGS, "Do it."];
  for (let at = 0;; at++) {
    const limit = kill_after[at];
    const code = await run([...program, ...args], { cwd, env, kill_ms: limit });
    if (code === 0) break;
    if (code !== "killed") throw new Error(`hamr ${args[0]} ended in ${code}: ${cwd}`);
    seen.kills++;
    if (has_begun(home)) {
      seen.resumed++;
      args = ["resume", ...ARGS];
    } else {
      seen.begun_again++;
      if (server.requests.some(({ body }) => body.messages.length > 2)) {
        throw new Error("a step was done, and nothing of it was saved");
      }
    }
  }
  const ms = performance.now() - began;
  judge(cwd, home);
  const doctor = await run([...program, "doctor"], { cwd, env, kill_ms: undefined });
  if (doctor !== 0) throw new Error(`doctor ended in ${doctor}`);
  await server.close();
  if (server.violations.length > 0) throw new Error(server.violations.join("\n"));
  const cut_off = new Set(
    server.requests.flatMap(({ body }) => body.messages.filter(is_cut_off))
      .map(({ tool_call_id }) => tool_call_id),
  ).size;
  return { ...seen, cut_off, ms };
}

/** The exit code, or that it was killed. */
async function run(
  [command, ...args]: readonly string[],
  { cwd, env, kill_ms }: {
    readonly cwd: string;
    readonly env: Record<string, string>;
    readonly kill_ms: number | undefined;
  },
): Promise<number | "killed"> {
  const child = new Deno.Command(command!, {
    ...{ args, cwd, env, clearEnv: true, stdin: "null", stdout: "null", stderr: "null" },
  }).spawn();
  let killed = false;
  const timer = kill_ms === undefined ? undefined : setTimeout(() => {
    killed = true;
    try {
      child.kill("SIGKILL");
    } catch {
      // It had just ended.
    }
  }, kill_ms);
  const status = await child.status;
  clearTimeout(timer);
  return killed && !status.success ? "killed" : status.code;
}

/** Whether a step of the session was saved. */
function has_begun(home: string): boolean {
  const begun = "SELECT count(*) AS n FROM sessions WHERE state <> ''";
  return Number(with_database(home, (db) => db.prepare(begun).get()?.["n"])) > 0;
}

function with_database<T>(home: string, ask: (db: DatabaseSync) => T): T | null {
  const file = `${home}/.local/share/hamr/hamr.db`;
  let db: DatabaseSync;
  try {
    if (Deno.statSync(file).size === 0) return null;
    db = new DatabaseSync(file);
  } catch {
    return null;
  }
  try {
    return ask(db);
  } catch (error) {
    if (String(error).includes("no such table")) return null;
    throw error;
  } finally {
    db.close();
  }
}

/** What a model that looks before it repeats does next, by what it was told. */
function next({ body: { messages } }: Recorded): Reply {
  let step = 0;
  let looking = false;
  for (const [at, message] of messages.entries()) {
    if (message.role !== "tool") continue;
    const name = call_of(messages, { at, id: message.tool_call_id ?? "" });
    if (looking && name === "read") {
      looking = false;
      if (is_done(step, message.content ?? "")) step++;
    } else if (is_cut_off(message)) looking = true;
    else if (name !== "read") step++;
  }
  if (looking) return call("read", { path: file_of(step).folder, search: file_of(step).mark });
  return step < STEPS ? deed(step) : say(ANSWER);
}

/** The name of the tool that a result is of. */
function call_of(
  messages: readonly WireMessage[],
  { at, id }: { readonly at: number; readonly id: string },
): string {
  const before = messages.slice(0, at).findLast(({ role }) => role === "assistant");
  return before?.tool_calls?.find((one) => one.id === id)?.function.name ?? "";
}

function is_cut_off({ role, content }: WireMessage): boolean {
  return role === "tool" && (content ?? "").includes("cut off during this call");
}

/** Each kind of change in turn; none can be made twice without a trace. */
function deed(step: number): Reply {
  const count = Math.floor(step / 4);
  switch (step % 4) {
    case 0:
      return bash(`echo step-${step}- >> log.txt`);
    case 1:
      return call("write", { path: `made/f${step}.txt`, content: `step-${step}-\n` });
    case 2:
      return bash(`sed -i '$ a step-${step}-' log.txt; true`);
    default:
      return call("edit", { path: "count.txt", old: `n=${count}\n`, new: `n=${count + 1}\n` });
  }
}

/** Where a step leaves its trace. */
function file_of(step: number): { readonly folder: string; readonly mark: string } {
  const mark = step % 4 === 3 ? `n=${Math.floor(step / 4) + 1}` : `step-${step}-`;
  return { folder: ".", mark };
}

/** Whether a search has found the trace of a step. */
function is_done(step: number, found: string): boolean {
  const { mark } = file_of(step);
  return found.split("\n").some((line) => line.trimEnd().endsWith(mark));
}

/** Everything was done once. Throws if it was not. */
function judge(cwd: string, home: string): void {
  const log = Array.from({ length: STEPS }, (_, step) => step).filter((step) => step % 2 === 0);
  expect("log.txt", Deno.readTextFileSync(`${cwd}/log.txt`), log.map(line_of).join(""));
  expect("count.txt", Deno.readTextFileSync(`${cwd}/count.txt`), `n=${STEPS / 4}\n`);
  for (let step = 1; step < STEPS; step += 4) {
    const file = `made/f${step}.txt`;
    expect(file, Deno.readTextFileSync(`${cwd}/${file}`), line_of(step));
  }
  const whole = with_database(home, (db) => db.prepare("PRAGMA integrity_check").get());
  expect("integrity_check", String(whole?.["integrity_check"]), "ok");
}

function line_of(step: number): string {
  return `step-${step}-\n`;
}

function expect(what: string, found: string, wanted: string): void {
  if (found !== wanted) throw new Error(`${what} is not as it must be:\n${found}`);
}
