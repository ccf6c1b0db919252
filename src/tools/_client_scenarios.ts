/**
 * What can only be seen from a program of its own: a tools client takes the rights of the process that starts it, and ends
 * all that is below it.
 *
 *     deno run -A src/tools/_client_scenarios.ts NAME FOLDER
 *
 * Prints one line of JSON, which the test of that name judges.
 */
import type { Policy } from "../sandbox/policy.ts";
import { staged_policy } from "../sandbox/_testing.ts";
import { ToolsError } from "./failure.ts";
import { ToolsClient } from "./worker/client.ts";
import type { CheckedCall } from "./protocol.ts";
import type { ToolResult } from "./tool.ts";

const LIMITS = { lines: 2000, bytes: 51_200, bash_bytes: 10_000, read_bytes: 16_000 };
const NEVER = new AbortController().signal;

/** What a scenario works with. */
interface Stage {
  readonly root: string;
  readonly policy: Policy;
  /** Starts the tools client; everything on the disk must be ready by then. */
  open(change?: Partial<Policy>): ToolsClient;
}

const bash = (command: string): CheckedCall => ({ id: "b", tool: "bash", args: { command } });
const call = (tool: string, args: unknown): CheckedCall => ({ id: tool, tool, args });

async function text(tools_client: ToolsClient, made: CheckedCall): Promise<string> {
  const [result] = await tools_client.run([made], NEVER);
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
    return error instanceof ToolsError ? `${error.cause_of_end}: ${error.message}` : String(error);
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
  for (let tries = 0; tries < 1200; tries++) {
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
    const tools_client = open();
    await tools_client.ready;
    const after = tries();
    const worker = attempt(() =>
      new Worker(import.meta.url, { type: "module", deno: { permissions: { run: true } } })
    );
    const inside = {
      environ: await text(tools_client, bash("cat /proc/$PPID/environ 2>&1 | head -c 200")),
      signal: await text(tools_client, bash("kill -9 $PPID; echo $?")),
      network: await text(tools_client, bash("echo > /dev/tcp/127.0.0.1/9; echo $?")),
      outside: await text(tools_client, bash(`echo x > ${root}/outside; echo $?`)),
      proc: await text(tools_client, call("read", { path: "/proc/self/environ" })),
      link: await text(tools_client, call("read", { path: "environ" })),
      secret: await text(tools_client, bash("env")),
    };
    await tools_client.close();
    return { before, after, worker, inside };
  },

  async order({ open, policy }) {
    const tools_client = open();
    const first = tools_client.run([bash("sleep 0.3; echo 1"), bash("echo 2 > f; echo 2")], NEVER);
    const second = tools_client.run([
      call("read", { path: "f" }),
      call("read", { path: "none" }),
      call("no_such", {}),
      call("write", { path: "g", content: "3\n" }),
    ], NEVER);
    const third = tools_client.verify("cat g; exit 4", { timeout_s: 9, signal: NEVER });
    const done: string[] = [];
    first.then(() => done.push("first"));
    second.then(() => done.push("second"));
    third.then(() => done.push("third"));
    const verified = await third;
    const results = { first: texts(await first), second: texts(await second), verified };
    const found = [...await first, ...await second].map(({ facts = [] }) => facts);
    const [later] = await tools_client.run([bash("seq 3 > h; rm g")], NEVER);
    const changes = await tools_client.changes();
    await tools_client.close();
    return { done, results, found, later: later?.facts, changes, workspace: policy.workspace };
  },

  async cancel({ open, policy }) {
    const tools_client = open();
    await tools_client.ready;
    const stop = new AbortController();
    const running = tools_client.run([
      bash('echo begun; touch "$TMPDIR/begun"; sleep 60'),
      call("write", { path: "after", content: "x" }),
    ], stop.signal);
    const queued = tools_client.run([call("write", { path: "queued", content: "x" })], stop.signal);
    while (![...Deno.readDirSync(policy.tmp)].some(({ name }) => name === "begun")) {
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    const start = performance.now();
    stop.abort();
    const results = [texts(await running), texts(await queued)];
    const ms = ms_since(start);
    const too_late = texts(await tools_client.run([bash("touch late")], stop.signal));
    const again = await text(tools_client, bash("echo works"));
    const files = [...Deno.readDirSync(policy.workspace)].map(({ name }) => name);
    await tools_client.close();
    return { results, ms, too_late, again, files };
  },

  async lost({ open }) {
    const tools_client = open();
    const pids = await text(
      tools_client,
      bash("sleep 600 >/dev/null 2>&1 & echo $!; setsid -f sleep 601"),
    );
    const pending = failure(tools_client.changes());
    const broken = failure(tools_client.run(null as unknown as [], NEVER));
    const failures = [await broken, await failure(tools_client.run([bash("true")], NEVER))];
    const start = performance.now();
    await tools_client.close();
    return { pids, first: await pending, failures, ms: ms_since(start) };
  },

  async refused({ open, root, policy }) {
    const tools_client = open({ write: [`${root}/none`] });
    const failures = [
      await failure(tools_client.ready),
      await failure(tools_client.run([bash("true")], NEVER)),
    ];
    const start = performance.now();
    await tools_client.close();
    const still = attempt(() => Deno.writeTextFileSync(`${root}/main`, "x"));
    const left = attempt(() => Deno.statSync(policy.tmp)) === "allowed";
    return { failures, ms: ms_since(start), still, left };
  },

  async close({ open, policy }) {
    const tools_client = open();
    const pids = await text(
      tools_client,
      bash(
        "sleep 600 & echo $!; setsid -f bash -c 'echo $$ > pid1; exec sleep 601' ; " +
          "(setsid bash -c '(sleep 602 & echo $! > pid2) &' &) ; nohup sleep 603 >/dev/null 2>&1 & " +
          "until [ -s pid1 ] && [ -s pid2 ]; do sleep 0.02; done; cat pid1 pid2; mkdir -p $TMPDIR/a/b; echo x > $TMPDIR/a/b/c",
      ),
    );
    const start = performance.now();
    await tools_client.close();
    const ms = ms_since(start);
    const left = [policy.tmp, policy.spill].filter((folder) =>
      attempt(() => Deno.statSync(folder)) === "allowed"
    );
    return { pids, ms, left };
  },

  async orphans({ open }) {
    const tools_client = open();
    for (let n = 0; n < 16; n++) await text(tools_client, bash("(setsid true &); sleep 0.05"));
    const zombies = await text(
      tools_client,
      bash('cat /proc/[0-9]*/stat 2> /dev/null | grep -c ") Z $PPID "'),
    );
    await tools_client.close();
    return { zombies };
  },

  async close_busy({ open, policy }) {
    const tools_client = open();
    await text(tools_client, bash("seq 5000"));
    const running = tools_client.run(
      [bash("trap '' TERM; sleep 600 & echo $! > pid; wait")],
      NEVER,
    );
    running.catch(() => {});
    const pid = await written(`${policy.workspace}/pid`);
    const start = performance.now();
    await tools_client.close();
    return { pid, ms: ms_since(start), spilled: [...Deno.readDirSync(policy.spill)].length };
  },

  async close_at_once({ open, policy }) {
    const tools_client = open();
    tools_client.run([bash("trap '' TERM; sleep 600 & echo $! > pid; wait")], NEVER).catch(
      () => {},
    );
    const pid = await written(`${policy.workspace}/pid`);
    const start = performance.now();
    await tools_client.close(true);
    return { pid, ms: ms_since(start) };
  },

  async close_hung({ open }) {
    const tools_client = open();
    const pid = await text(tools_client, bash("sleep 600 >/dev/null 2>&1 & echo $!"));
    // The worker's thread hears nothing while it looks through a whole disk.
    tools_client.run([call("read", { path: "/", search: "\u2603 none such" })], NEVER).catch(
      () => {},
    );
    await new Promise((resolve) => setTimeout(resolve, 200));
    const start = performance.now();
    await tools_client.close();
    return { pid, ms: ms_since(start) };
  },

  async one_file({ open, root }) {
    const [file, link] = [`${root}/conf/a.ini`, `${root}/conf/b.ini`];
    Deno.mkdirSync(`${root}/conf`);
    Deno.writeTextFileSync(file, "a=1\nb=2\n");
    Deno.writeTextFileSync(link, "b\n");
    const tools_client = open({ write: [file] });
    const results = await tools_client.run([
      call("edit", { path: file, old: "a=1", new: "a=1000" }),
      call("edit", { path: file, old: "b=2\n", new: "" }),
      call("edit", { path: link, old: "b", new: "c" }),
      call("write", { path: `${root}/conf/new.ini`, content: "x" }),
    ], NEVER);
    await tools_client.close();
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
    const tools_client = open();
    const hints = async (commands: readonly string[]) => {
      const found: [string, string][] = [];
      for (const command of commands) {
        const said = await text(tools_client, bash(command));
        // Not installed here.
        if (!command.startsWith("no_such") && /: command not found/.test(said)) continue;
        found.push([command, said]);
      }
      return found;
    };
    const result = { write: await hints(write), net: await hints(net), none: await hints(none) };
    const verified = await tools_client.verify("echo > /dev/tcp/127.0.0.1/9", {
      timeout_s: 9,
      signal: NEVER,
    });
    await tools_client.close();
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
      new ToolsClient({ ...policy, ...change }, { limits: LIMITS, bash_timeout_s: 60 }),
  });
  Deno.stdout.writeSync(new TextEncoder().encode(`${JSON.stringify(result)}\n`));
}
