/** Temporary folders for one sandbox test, and the host program started on them. */
import { installed as is_in_path } from "../../support/installed.ts";
import type { Policy } from "../../../src/sandbox/policy.ts";
import { test_policy } from "../../../src/sandbox/_testing.ts";
import { attempt } from "../../../src/config/attempt.ts";
import { deno_dir, until } from "../../support/hamr.ts";
import { remove, remove_now } from "../../support/remove.ts";
import type { Job, Outcome, Step, StepResult } from "./job.ts";

/** Whom the host runs as. */
export type Who = "self" | "nobody";

/** The user that owns nothing. */
const NOBODY = 65534;
/** What the host's environment holds and no child may find. */
export const SECRET = "sk-test-5f2c";

const is_root = Deno.build.os === "linux" && Deno.uid() === 0;

/** True if the tests can run at all; elsewhere they are ignored. */
export const on_linux = Deno.build.os === "linux";
/** As root, everything is tried as nobody as well. */
export const everyone: readonly Who[] = is_root ? ["self", "nobody"] : ["self"];

/** One test's folders. */
export interface World {
  readonly root: string;
  readonly workspace: string;
  readonly outside: string;
  readonly who: Who;
  readonly policy: Policy;
}

/** Makes the folders, lets `use` work in them and removes them. */
export async function with_world(who: Who, use: (world: World) => Promise<void>): Promise<void> {
  const root = Deno.realPathSync(Deno.makeTempDirSync({ prefix: "hamr-sandbox-" }));
  try {
    Deno.chmodSync(root, 0o755);
    const folder = (name: string) => {
      const path = `${root}/${name}`;
      Deno.mkdirSync(path);
      own(path, who);
      return path;
    };
    const workspace = folder("workspace");
    const tmp = folder("tmp");
    const policy = test_policy({
      workspace,
      tmp,
      spill: folder("spill"),
      cache: folder("cache"),
      env: {
        PATH: "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin",
        HOME: folder("home"),
        TMPDIR: tmp,
        LANG: "C.UTF-8",
      },
    });
    await use({ root, workspace, outside: folder("outside"), who, policy });
  } finally {
    await remove(root);
  }
}

/** Gives a file or folder to whom the host runs as. */
export function own(path: string, who: Who): void {
  if (who === "nobody") Deno.chownSync(path, NOBODY, NOBODY);
}

let nobodys: string | undefined;

/** Deno's cache for hosts that are nobody: without one that stays, each compiles all of its source once more. */
function cache_of_nobody(): string {
  if (nobodys === undefined) {
    const folder = Deno.makeTempDirSync({ prefix: "hamr-sandbox-deno-" });
    Deno.chmodSync(folder, 0o755);
    own(folder, "nobody");
    globalThis.addEventListener("unload", () => remove_now(folder));
    nobodys = folder;
  }
  return nobodys;
}

/** A bash script as a step. */
export function sh(name: string, script: string, cwd?: string): Step {
  return { kind: "run", name, argv: ["bash", "-c", script], ...(cwd === undefined ? {} : { cwd }) };
}

/** Whether a program is installed where the world's PATH finds it. */
export function installed(program: string): boolean {
  return is_in_path(program, "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin");
}

type Asked = Omit<Job, "policy"> & {
  readonly policy?: Partial<Policy>;
  /** Folders that the host sees at other places, too: from, to. What is mounted there nobody else sees. Takes root. */
  readonly mounts?: readonly (readonly [string, string])[];
};

/** In a mount namespace of its own: mounted where the test is, what is removed at its end would be the machine's own files. */
function mounted(pairs: readonly (readonly [string, string])[]): string[] {
  const script =
    'n=$1; shift; while [ "$n" -gt 0 ]; do mount --bind "$1" "$2" || exit 1; shift 2; n=$((n - 1)); done; ' +
    'exec "$@"';
  return ["unshare", "-m", "--", "sh", "-c", script, "sh", String(pairs.length), ...pairs.flat()];
}

/**
 * Starts the host on a job, in the outside folder. It is started with one file more than usual open for writing (9), as an
 * editor or `make -j` may do.
 */
export function start_job(world: World, job: Asked): Deno.ChildProcess {
  const path = `${world.root}/job.json`;
  const { mounts, ...asked } = job;
  const whole: Job = { ...asked, policy: { ...world.policy, ...asked.policy } };
  Deno.writeTextFileSync(path, JSON.stringify(whole));
  const leak = ["sh", "-c", 'exec 9>>"$0"; exec "$@"', `${world.root}/leak`];
  const own = mounts === undefined ? [] : mounted(mounts);
  const argv = [...leak, ...own, ...as_user(world.who), ...host(world), path];
  return new Deno.Command(argv[0] ?? "", {
    args: argv.slice(1),
    cwd: world.outside,
    env: {
      PATH: whole.policy.env.PATH ?? "",
      HOME: world.root,
      HAMR_SECRET: SECRET,
      DENO_DIR: world.who === "nobody" ? cache_of_nobody() : deno_dir(),
    },
    clearEnv: world.who === "nobody",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
}

/** Starts the host on a job and waits for its outcome. */
export async function run_job(world: World, job: Asked): Promise<Outcome> {
  const { stdout, stderr, success } = await start_job(world, job).output();
  const text = new TextDecoder();
  if (!success) throw new Error(`the host failed: ${text.decode(stderr)}`);
  return JSON.parse(text.decode(stdout)) as Outcome;
}

/** The result of the step with this name. */
export function result_of(outcome: Outcome, name: string): StepResult {
  const found = outcome.results.find((result) => result.name === name);
  if (found === undefined) {
    throw new Error(`no result for ${name}; apply said: ${outcome.refused ?? "nothing"}`);
  }
  return found;
}

/** The host from source, or the compiled one that `HAMR_SANDBOX_HOST` names. */
function host(world: World): string[] {
  const compiled = Deno.env.get("HAMR_SANDBOX_HOST");
  if (compiled !== undefined) return [reachable(compiled, world)];
  const source = new URL("./host.ts", import.meta.url).pathname;
  const deno = reachable(Deno.execPath(), world);
  return [deno, "run", "-A", "--quiet", "--no-lock", "--no-remote", source];
}

/** A program in a folder that only root may enter gets a second name in the world. */
function reachable(program: string, world: World): string {
  if (world.who === "self") return program;
  const copy = `${world.root}/host`;
  try {
    Deno.linkSync(program, copy);
  } catch (error) {
    if (!(error instanceof Deno.errors.AlreadyExists)) Deno.copyFileSync(program, copy);
  }
  return copy;
}

function as_user(who: Who): string[] {
  if (who === "self") return [];
  return ["setpriv", `--reuid=${NOBODY}`, `--regid=${NOBODY}`, "--clear-groups", "--"];
}

/** The text of a file once it is there and ends with a line. */
export async function text_of(path: string): Promise<string> {
  let text = "";
  await until(`${path} is there`, () => {
    text = attempt(() => Deno.readTextFileSync(path), "");
    return text.endsWith("\n");
  }, 60_000);
  return text;
}
