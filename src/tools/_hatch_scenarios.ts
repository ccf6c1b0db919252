/**
 * What can only be seen from a program of its own: a hatch takes the rights of the process that opens it, and ends
 * all that is below it.
 *
 *     deno run -A src/tools/_hatch_scenarios.ts NAME FOLDER
 *
 * Prints one line of JSON, which the test of that name judges.
 */
import type { Policy } from "../sandbox/policy.ts";
import { staged_policy } from "../sandbox/_testing.ts";
import { HatchError } from "./failure.ts";
import { Hatch } from "./hatch.ts";
import type { CheckedCall } from "./protocol.ts";
import type { ToolResult } from "./tool.ts";

const LIMITS = { lines: 2000, bytes: 51_200, bash_bytes: 10_000, read_bytes: 16_000 };
const NEVER = new AbortController().signal;

/** What a scenario works with. */
interface Stage {
  readonly root: string;
  readonly policy: Policy;
  /** Opens the hatch; everything on the disk must be ready by then. */
  open(change?: Partial<Policy>): Hatch;
}

const bash = (command: string): CheckedCall => ({ id: "b", tool: "bash", args: { command } });
const call = (tool: string, args: unknown): CheckedCall => ({ id: tool, tool, args });

async function text(hatch: Hatch, made: CheckedCall): Promise<string> {
  const [result] = await hatch.run([made], NEVER);
  return result?.text ?? "";
}

const texts = (results: readonly ToolResult[]) => results.map((result) => result.text);

function ms_since(start: number): number {
  return Math.round(performance.now() - start);
}

async function failure(work: Promise<unknown>): Promise<string> {
  try {
    await work;
    return "none";
  } catch (error) {
    return error instanceof HatchError ? `${error.cause_of_end}: ${error.message}` : String(error);
  }
}

function attempt(work: () => unknown): string {
  try {
    work();
    return "allowed";
  } catch (error) {
    return error instanceof Error ? error.name : String(error);
  }
}

/** The text of a file once there is one. */
async function written(file: string): Promise<string> {
  for (let tries = 0; tries < 400; tries++) {
    if (attempt(() => Deno.statSync(file)) === "allowed") {
      const content = Deno.readTextFileSync(file);
      if (content.endsWith("\n")) return content;
    }
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
  throw new Error(`${file} was never written`);
}

/** The scenarios, by name. */
export const SCENARIOS: Readonly<Record<string, (stage: Stage) => Promise<unknown>>> = {
  async rights({ open, root, policy }) {
    const tries = () => ({
      run: attempt(() => new Deno.Command("/bin/true").outputSync()),
      write: attempt(() => Deno.writeTextFileSync(`${policy.workspace}/main`, "x")),
      ffi: attempt(() => Deno.dlopen("libc.so.6", {})),
      env: attempt(() => Deno.env.get("HOME")),
      sys: attempt(() => Deno.hostname()),
      read: attempt(() => Deno.readTextFileSync("/etc/hostname")),
    });
    const before = tries();
    const hatch = open();
    await hatch.ready;
    const after = tries();
    const worker = attempt(() =>
      new Worker(import.meta.url, { type: "module", deno: { permissions: { run: true } } })
    );
    const inside = {
      environ: await text(hatch, bash("cat /proc/$PPID/environ 2>&1 | head -c 200")),
      signal: await text(hatch, bash("kill -9 $PPID; echo $?")),
      network: await text(hatch, bash("echo > /dev/tcp/127.0.0.1/9; echo $?")),
      outside: await text(hatch, bash(`echo x > ${root}/outside; echo $?`)),
      proc: await text(hatch, call("read", { path: "/proc/self/environ" })),
      link: await text(hatch, call("read", { path: "environ" })),
      secret: await text(hatch, bash("env")),
    };
    await hatch.close();
    return { before, after, worker, inside };
  },

  async order({ open, policy }) {
    const hatch = open();
    const first = hatch.run([bash("sleep 0.3; echo 1"), bash("echo 2 > f; echo 2")], NEVER);
    const second = hatch.run([
      call("read", { path: "f" }),
      call("read", { path: "none" }),
      call("no_such", {}),
      call("write", { path: "g", content: "3\n" }),
    ], NEVER);
    const third = hatch.verify("cat g; exit 4", { timeout_s: 9, signal: NEVER });
    const done: string[] = [];
    first.then(() => done.push("first"));
    second.then(() => done.push("second"));
    third.then(() => done.push("third"));
    const verified = await third;
    const results = { first: texts(await first), second: texts(await second), verified };
    const found = [...await first, ...await second].map(({ facts = [] }) => facts);
    const [later] = await hatch.run([bash("seq 3 > h; rm g")], NEVER);
    const changes = await hatch.changes();
    await hatch.close();
    return { done, results, found, later: later?.facts, changes, workspace: policy.workspace };
  },

  async cancel({ open, policy }) {
    const hatch = open();
    await hatch.ready;
    const stop = new AbortController();
    const start = performance.now();
    const running = hatch.run([
      bash("echo begun; sleep 60"),
      call("write", { path: "after", content: "x" }),
    ], stop.signal);
    const queued = hatch.run([call("write", { path: "queued", content: "x" })], stop.signal);
    setTimeout(() => stop.abort(), 400);
    const results = [texts(await running), texts(await queued)];
    const ms = ms_since(start);
    const too_late = texts(await hatch.run([bash("touch late")], stop.signal));
    const again = await text(hatch, bash("echo works"));
    const files = [...Deno.readDirSync(policy.workspace)].map(({ name }) => name);
    await hatch.close();
    return { results, ms, too_late, again, files };
  },

  async lost({ open }) {
    const hatch = open();
    const pids = await text(
      hatch,
      bash("sleep 600 >/dev/null 2>&1 & echo $!; setsid -f sleep 601"),
    );
    const pending = failure(hatch.changes());
    const broken = failure(hatch.run(null as unknown as [], NEVER));
    const failures = [await broken, await failure(hatch.run([bash("true")], NEVER))];
    const start = performance.now();
    await hatch.close();
    return { pids, first: await pending, failures, ms: ms_since(start) };
  },

  async refused({ open, root }) {
    const hatch = open({ write: [`${root}/none`] });
    const failures = [await failure(hatch.ready), await failure(hatch.run([bash("true")], NEVER))];
    const start = performance.now();
    await hatch.close();
    const still = attempt(() => Deno.writeTextFileSync(`${root}/main`, "x"));
    return { failures, ms: ms_since(start), still };
  },

  async close({ open, policy }) {
    const hatch = open();
    const pids = await text(
      hatch,
      bash(
        "sleep 600 & echo $!; setsid -f bash -c 'echo $$ > pid1; exec sleep 601' ; " +
          "(setsid bash -c '(sleep 602 & echo $! > pid2) &' &) ; nohup sleep 603 >/dev/null 2>&1 & " +
          "sleep 0.3; cat pid1 pid2; mkdir -p $TMPDIR/a/b; echo x > $TMPDIR/a/b/c",
      ),
    );
    const start = performance.now();
    await hatch.close();
    const ms = ms_since(start);
    const left = [policy.tmp, policy.spill].filter((folder) =>
      attempt(() => Deno.statSync(folder)) === "allowed"
    );
    return { pids, ms, left };
  },

  async orphans({ open }) {
    const hatch = open();
    for (let n = 0; n < 16; n++) await text(hatch, bash("(setsid true &); sleep 0.05"));
    const zombies = await text(hatch, bash("ps -o stat= --ppid $PPID | grep -c Z"));
    await hatch.close();
    return { zombies };
  },

  async close_busy({ open, policy }) {
    const hatch = open();
    await text(hatch, bash("seq 5000"));
    const running = hatch.run([bash("trap '' TERM; sleep 600 & echo $! > pid; wait")], NEVER);
    running.catch(() => {});
    const pid = await written(`${policy.workspace}/pid`);
    const start = performance.now();
    await hatch.close();
    return { pid, ms: ms_since(start), spilled: [...Deno.readDirSync(policy.spill)].length };
  },

  async close_at_once({ open, policy }) {
    const hatch = open();
    hatch.run([bash("trap '' TERM; sleep 600 & echo $! > pid; wait")], NEVER).catch(() => {});
    const pid = await written(`${policy.workspace}/pid`);
    const start = performance.now();
    await hatch.close(true);
    return { pid, ms: ms_since(start) };
  },

  async close_hung({ open }) {
    const hatch = open();
    const pid = await text(hatch, bash("sleep 600 >/dev/null 2>&1 & echo $!"));
    // The worker's thread hears nothing while it looks through a whole disk.
    hatch.run([call("read", { path: "/", search: "\u2603 none such" })], NEVER).catch(() => {});
    await new Promise((resolve) => setTimeout(resolve, 200));
    const start = performance.now();
    await hatch.close();
    return { pid, ms: ms_since(start) };
  },

  async one_file({ open, root }) {
    const [file, link] = [`${root}/conf/a.ini`, `${root}/conf/b.ini`];
    Deno.mkdirSync(`${root}/conf`);
    Deno.writeTextFileSync(file, "a=1\nb=2\n");
    Deno.writeTextFileSync(link, "b\n");
    const hatch = open({ write: [file] });
    const results = await hatch.run([
      call("edit", { path: file, old: "a=1", new: "a=1000" }),
      call("edit", { path: file, old: "b=2\n", new: "" }),
      call("edit", { path: link, old: "b", new: "c" }),
      call("write", { path: `${root}/conf/new.ini`, content: "x" }),
    ], NEVER);
    await hatch.close();
    const names = [...Deno.readDirSync(`${root}/conf`)].map(({ name }) => name).sort();
    return { texts: texts(results), content: Deno.readTextFileSync(file), names };
  },

  async words({ open, root }) {
    const out = `${root}/outside`;
    Deno.mkdirSync(out);
    const write = [
      `touch ${out}/x`,
      `echo x > ${out}/x`,
      `mkdir -p ${out}/x/y`,
      `cd ${out} && touch x`,
      `python3 -c 'open("${out}/x", "w")'`,
      `node -e 'fs.writeFileSync("${out}/x", "")'`,
      `git init -q ${out}/x`,
      `go build -o ${out}/x cmd/nosuch 2>&1; go env -w GOFLAGS=-v`,
      `cargo init -q --name x ${out}/x`,
      `printf 'all:\\n\\ttouch ${out}/x\\n' > Makefile; make`,
    ];
    const net = [
      "curl -sS http://127.0.0.1:9/",
      "curl -sS http://example.com/",
      "git clone -q http://127.0.0.1:9/x",
      "python3 -c 'import socket; socket.create_connection((\"127.0.0.1\", 9))'",
      'node -e \'require("net").connect(9, "127.0.0.1")\'',
      "psql -h 127.0.0.1 -c 'select 1'",
      "echo > /dev/tcp/127.0.0.1/9",
    ];
    const none = [
      "printf '#!/bin/sh\\n' > s.sh; ./s.sh",
      `echo "touch: cannot touch '/opt/x': Permission denied" > log; grep -n denied log`,
      "cat log; false",
      `printf 'echo "expected: connection refused"; exit 1' > t.sh; bash t.sh`,
      "no_such_program",
    ];
    const hatch = open();
    const hints = async (commands: readonly string[]) => {
      const found: [string, string][] = [];
      for (const command of commands) {
        const said = await text(hatch, bash(command));
        // Not installed here.
        if (!command.startsWith("no_such") && /: command not found/.test(said)) continue;
        found.push([command, said]);
      }
      return found;
    };
    const result = { write: await hints(write), net: await hints(net), none: await hints(none) };
    const verified = await hatch.verify("curl -sS http://127.0.0.1:9/", {
      timeout_s: 9,
      signal: NEVER,
    });
    await hatch.close();
    return { ...result, verified: verified.output };
  },
};

if (import.meta.main) {
  const [name = "", root = ""] = Deno.args;
  const policy = staged_policy(root, { home: Deno.env.get("HOME") ?? "/" });
  Deno.symlinkSync("/proc/self/environ", `${policy.workspace}/environ`);
  const result = await SCENARIOS[name]?.({
    root,
    policy,
    open: (change = {}) =>
      new Hatch({ ...policy, ...change }, { limits: LIMITS, bash_timeout_s: 60 }),
  });
  Deno.stdout.writeSync(new TextEncoder().encode(`${JSON.stringify(result)}\n`));
}
