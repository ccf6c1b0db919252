/** Real tools on small real projects: what they need, and what they did. */
import assert from "node:assert/strict";
import { ANSWER, bash, say } from "./model_server.ts";
import { type Stage, stage } from "./stage.ts";

/** How the tool is asked whether it is there. */
const ASK: Readonly<Record<string, string>> = { go: "go version", java: "java -version" };

/** Why a test can't run here; null if it can. */
export function missing(...programs: readonly string[]): string | null {
  if (Deno.build.os !== "linux") return "Linux is not what runs here";
  // Some (those that rustup puts before its toolchains) want something of the user's home, and the tests have homes of their own.
  const home = Deno.makeTempDirSync();
  const RUSTUP_HOME = Deno.env.get("RUSTUP_HOME") ?? `${Deno.env.get("HOME")}/.rustup`;
  try {
    for (const program of programs) {
      const [name = "", ...args] = (ASK[program] ?? `${program} --version`).split(" ");
      const options = {
        args,
        env: { HOME: home, RUSTUP_HOME },
        stdout: "null",
        stderr: "null",
      } as const;
      try {
        const { success } = new Deno.Command(name, options).outputSync();
        if (!success) return `${program} does not start with another HOME`;
      } catch {
        return `${program} is not installed`;
      }
    }
    return null;
  } finally {
    Deno.removeSync(home, { recursive: true });
  }
}

/** A project, and a home that only what was prepared is in. */
export interface Project extends Stage {
  /** A run in which the model gives one command, which has to succeed: what it printed. */
  does(command: string, ...flags: string[]): Promise<string>;
  /** The same for a command that may fail. */
  tries(command: string, ...flags: string[]): Promise<string>;
  /** A command of the user's own: in the workspace, with the same home and no sandbox. */
  prepare(command: string, env?: Readonly<Record<string, string>>): Promise<string>;
  /** The workspace's cache folder. */
  cache(): string;
}

/** Registers a test, which says so in its name where it can't run. */
export function toolchain(
  name: string,
  options: {
    /** Why it can't run here, if it can't. */
    readonly lacks: string | null;
    readonly files: Readonly<Record<string, string>>;
    /** Variables of `hamr`'s own environment. */
    readonly env?: Readonly<Record<string, string>>;
  },
  work: (project: Project) => Promise<void>,
): void {
  const { lacks, files, env = {} } = options;
  Deno.test({
    name: lacks === null ? name : `${name} (NOT TESTED HERE: ${lacks})`,
    ignore: lacks !== null,
    fn: () => with_project({ files, env }, work),
  });
}

async function with_project(
  options: {
    readonly files: Readonly<Record<string, string>>;
    readonly env: Readonly<Record<string, string>>;
  },
  work: (project: Project) => Promise<void>,
): Promise<void> {
  let command = "";
  const { files, env } = options;
  const script: Parameters<typeof stage>[0]["script"] = ({ body }) =>
    body.messages.some(({ role }) => role === "tool") ? say(ANSWER) : bash(command);
  // Each run is a conversation of its own.
  await stage({ script, files, env, violations: true }, async (s) => {
    async function tries(wanted: string, ...flags: string[]): Promise<[string, boolean]> {
      command = wanted;
      const before = everything(s.home.path);
      const run = await s.events("Do it.", "--verify", "true", ...flags);
      assert.equal(run.code, 0, run.stderr);
      assert.deepEqual(everything(s.home.path), before, "the home was written to");
      assert.deepEqual([...Deno.readDirSync(s.outside.path)], []);
      const done = run.events.find(({ type }) => type === "tool_result");
      return [s.server.results().at(-1) ?? "", done?.["ok"] === true];
    }
    await work({
      ...s,
      tries: async (wanted, ...flags) => (await tries(wanted, ...flags))[0],
      does: async (wanted, ...flags) => {
        const [text, ok] = await tries(wanted, ...flags);
        assert.ok(ok, `${wanted}\n${text}`);
        return text;
      },
      prepare: (wanted, more = {}) => sh(wanted, { s, env: { ...env, ...more } }),
      cache: () => {
        const folder = s.home.at(".local/share/hamr/cache");
        const [only, ...others] = [...Deno.readDirSync(folder)];
        assert.ok(only !== undefined && others.length === 0);
        return `${folder}/${only.name}`;
      },
    });
  });
}

async function sh(
  command: string,
  { s, env }: { s: Stage; env: Readonly<Record<string, string>> },
): Promise<string> {
  // The tests may be run by npm itself (npx), whose settings are handed on as npm_config_*.
  const own = Object.entries(Deno.env.toObject()).filter(([name]) => !/^npm_/i.test(name));
  const { success, stdout, stderr } = await new Deno.Command("bash", {
    args: ["-euc", command],
    cwd: s.ws.path,
    env: { ...Object.fromEntries(own), ...env, HOME: s.home.path },
    clearEnv: true,
  }).output();
  const [out, error] = [stdout, stderr].map((bytes) => new TextDecoder().decode(bytes));
  assert.ok(success, `${command}\n${out}${error}`);
  return out ?? "";
}

/** Each file of a home with its size and time, except for what `hamr` keeps itself. */
function everything(home: string): string[] {
  const found: string[] = [];
  const walk = (folder: string) => {
    for (const { name, isDirectory } of Deno.readDirSync(folder)) {
      const path = `${folder}/${name}`;
      if (path === `${home}/.local`) continue;
      const { size, mtime } = Deno.lstatSync(path);
      found.push(`${path} ${isDirectory ? "" : size} ${mtime?.getTime()}`);
      if (isDirectory) walk(path);
    }
  };
  walk(home);
  return found.sort();
}

/** A server of packages on this machine, for the time in which a person's cache is filled. */
export async function serving<T>(
  files: (origin: string) => Readonly<Record<string, string | Uint8Array<ArrayBuffer>>>,
  work: (origin: string) => Promise<T>,
): Promise<T> {
  let pages: ReturnType<typeof files> = {};
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, (request) => {
    const page = pages[new URL(request.url).pathname];
    return page === undefined ? new Response("", { status: 404 }) : new Response(page);
  });
  const origin = `http://127.0.0.1:${server.addr.port}`;
  pages = files(origin);
  try {
    return await work(origin);
  } finally {
    await server.shutdown();
  }
}

/** In lower-case hexadecimal. */
export async function sha(
  kind: "SHA-1" | "SHA-256",
  bytes: Uint8Array<ArrayBuffer>,
): Promise<string> {
  return new Uint8Array(await crypto.subtle.digest(kind, bytes)).toHex();
}
