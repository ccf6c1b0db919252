import assert from "node:assert/strict";
import { SCENARIOS } from "../_client_scenarios.ts";
import { probe } from "../../sandbox/kernel/probe.ts";
import { remove } from "../../../tests/support/remove.ts";

/** What is not waited for would take a minute, or ten; a busy machine takes less. */
const HANG_MS = 30_000;

/** The key that no child and no model may ever see. */
const SECRET = "hamr-test-secret-key";

/** All run at once, each in a process of its own; their tests wait for them in turn. */
const running = new Map<string, Promise<Played>>();
const sandboxed = probe().kind !== "none";

/** What a scenario printed. */
interface Played {
  readonly out: string;
  readonly err: string;
}

function start(): void {
  if (running.size > 0) return;
  for (const name of Object.keys(SCENARIOS)) {
    if (name !== "close_at_once") running.set(name, play(name));
  }
}

async function play(name: string): Promise<Played> {
  const root = Deno.realPathSync(Deno.makeTempDirSync({ prefix: `client-${name}-` }));
  const module = new URL("../_client_scenarios.ts", import.meta.url).pathname;
  const child = new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--quiet", module, name, root],
    env: { HAMR_API_KEY: SECRET },
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  const err = child.stderr.text();
  let out = "";
  for await (const piece of child.stdout.pipeThrough(new TextDecoderStream())) {
    out += piece;
    if (out.endsWith("\n")) break;
  }
  // It has said all it has to; threads of it that are still busy are not waited for.
  try {
    child.kill("SIGKILL");
  } catch {
    // It has ended by itself.
  }
  await child.status;
  await remove(root);
  return { out, err: await err };
}

/** Registers the test that judges what a scenario printed. */
function judge<T>(what: string, name: string, work: (result: T, out: string) => void): void {
  Deno.test({
    name: what,
    ignore: !sandboxed,
    fn: async () => {
      start();
      const done = await running.get(name);
      assert.ok(done !== undefined && done.out !== "", `${name}: ${done?.err}`);
      work(JSON.parse(done.out), done.out);
    },
    // The others are under way in the meantime.
    sanitizeOps: false,
    sanitizeResources: false,
  });
}

function alive(pid: string): boolean {
  try {
    return !/^\d+ \(.*\) [ZX]/.test(Deno.readTextFileSync(`/proc/${pid}/stat`));
  } catch {
    return false;
  }
}

/** Process ids in an output. */
const ids = (text: string) => text.match(/^\d+$/gm) ?? [];

if (!sandboxed) {
  Deno.stderr.writeSync(
    new TextEncoder().encode("SKIP the tools client: no sandbox on this machine\n"),
  );
}

type Tries = Record<"run" | "write" | "ffi" | "env" | "sys" | "read", string>;

judge<{ before: Tries; after: Tries; worker: string; inside: Record<string, string> }>(
  "once the worker is ready, the main thread can read and no more, and children see nothing",
  "rights",
  ({ before, after, worker, inside }, out) => {
    assert.deepEqual(new Set(Object.values(before)), new Set(["allowed"]));
    const gone = "NotCapable";
    assert.deepEqual(after, {
      run: gone,
      write: gone,
      ffi: gone,
      env: gone,
      sys: gone,
      read: "allowed",
    });
    assert.equal(worker, gone, "nor can it make a worker that may");
    assert.ok(!out.includes(SECRET) && !out.includes("HAMR_API_KEY"), out);
    // The last where `/proc` hides what may not be looked at (`hidepid`).
    assert.match(inside["environ"] ?? "", /Permission denied|not permitted|No such file/);
    assert.match(inside["signal"] ?? "", /not permitted|denied|\n1$/);
    assert.match(inside["network"] ?? "", /Permission denied[^]*\n1\n/);
    assert.match(inside["outside"] ?? "", /Permission denied[^]*\n1\n/);
    assert.match(inside["proc"] ?? "", /not a file of the project/);
    assert.match(inside["link"] ?? "", /not a file of the project|policy does not allow/);
  },
);

interface Ordered {
  done: string[];
  results: { first: string[]; second: string[]; verified: Record<string, unknown> };
  found: { kind: string; path?: string }[][];
  later: { kind: string; path?: string }[];
  changes: { files: Record<string, unknown>[]; overflow: boolean };
}

judge<Ordered>("calls are answered in the order in which they were asked", "order", (result) => {
  assert.deepEqual(result.done, ["first", "second", "third"]);
  assert.deepEqual(result.results.first, ["1", "2"]);
  const [read, none, no_such, write] = result.results.second;
  assert.deepEqual([read, none], ["1:2", "Error: none does not exist"]);
  assert.match(no_such ?? "", /there is no tool no_such/);
  assert.equal(write, "created g (2 bytes)");
  const { exit_code, output, ending } = result.results.verified;
  assert.deepEqual([exit_code, output, ending], [4, "3\n", "exit code 4"]);
  const told = (facts: Ordered["later"]) => facts.map(({ kind, path = "" }) => `${kind} ${path}`);
  assert.deepEqual(result.found.map(told), [
    ["command "],
    ["file f", "command "],
    [],
    [],
    [],
    ["file g"],
  ]);
  assert.deepEqual(told(result.later), ["file g", "file h", "command "]);
  assert.equal(result.changes.overflow, false);
  assert.deepEqual(result.changes.files, [
    { path: "f", status: "added", added: 1, removed: 0 },
    { path: "h", status: "added", added: 3, removed: 0 },
  ]);
});

judge<{ results: string[][]; ms: number; too_late: string[]; again: string; files: string[] }>(
  "cancel ends the call under way, and what is behind it is not run",
  "cancel",
  ({ results, ms, too_late, again, files }) => {
    const not_run = "Error: not run, the run was stopped";
    assert.deepEqual(results, [
      ["begun\n[ended: the run was stopped]", not_run],
      [not_run],
    ]);
    assert.ok(ms < HANG_MS, `${ms} ms`);
    assert.deepEqual(too_late, [not_run]);
    assert.equal(again, "works");
    assert.deepEqual(files, ["environ"]);
  },
);

judge<{ pids: string; first: string; failures: string[]; ms: number }>(
  "a worker that dies ends the run, and what it had started",
  "lost",
  ({ pids, first, failures, ms }) => {
    assert.ok(["none", failures[0]].includes(first), first);
    for (const failure of failures) {
      assert.match(failure, /^internal_error: the tools worker stopped/);
    }
    assert.ok(ms < HANG_MS, `${ms} ms`);
    assert.ok(ids(pids).length > 0 && !ids(pids).some(alive), pids);
  },
);

judge<{ failures: string[]; ms: number; still: string; left: boolean }>(
  "a policy that cannot be enforced is a config error, and nothing is given up or left",
  "refused",
  ({ failures, ms, still, left }) => {
    for (const failure of failures) assert.match(failure, /^config_error: .*\/none/);
    assert.ok(ms < HANG_MS, `${ms} ms`);
    assert.deepEqual([still, left], ["allowed", false]);
  },
);

judge<{ pids: string; ms: number; left: string[] }>(
  "close ends every descendant, detached or not, and takes the folders away",
  "close",
  ({ pids, ms, left }) => {
    assert.equal(ids(pids).length, 3, pids);
    assert.deepEqual(ids(pids).filter(alive), []);
    assert.ok(ms < HANG_MS, `${ms} ms`);
    assert.deepEqual(left, []);
  },
);

judge<{ zombies: string }>(
  "what ended in the background does not stay in the process table",
  "orphans",
  ({ zombies }) => assert.equal(zombies, "0\n[exit code 1]"),
);

judge<{ pid: string; ms: number; spilled: number }>(
  "close ends a command that will not end, and keeps what was spilled",
  "close_busy",
  ({ pid, ms, spilled }) => {
    assert.ok(!alive(pid.trim()));
    assert.ok(ms < HANG_MS, `${ms} ms`);
    assert.equal(spilled, 1);
  },
);

Deno.test({
  name: "close at once does not wait for a command that will not end",
  ignore: !sandboxed,
  fn: async () => {
    const slow: number[] = [];
    // A busy machine takes long, too, but not each time; who asks a command to end gives it two seconds.
    while (slow.length < 5) {
      const { out, err } = await play("close_at_once");
      assert.notEqual(out, "", err);
      const { pid, ms } = JSON.parse(out);
      assert.ok(!alive(pid.trim()));
      if (ms < 1500) return;
      slow.push(ms);
    }
    assert.fail(`${slow} ms`);
  },
});

judge<{ pid: string; ms: number }>(
  "close does not wait for a worker that hears nothing, and ends what it had started",
  "close_hung",
  ({ pid, ms }) => {
    assert.ok(!alive(pid.trim()));
    assert.ok(ms < HANG_MS, `${ms} ms`);
  },
);

judge<{ texts: string[]; content: string; names: string[] }>(
  "a single file that may be written is, and nothing beside it",
  "one_file",
  ({ texts, content, names }) => {
    assert.match(texts[0] ?? "", /^changed 1 place/);
    assert.match(texts[1] ?? "", /^changed 1 place/);
    for (const text of texts.slice(2)) assert.match(text, /--allow-write=/);
    assert.equal(content, "a=1000\n");
    assert.deepEqual(names, ["a.ini", "b.ini"]);
  },
);

type Said = [command: string, text: string][];

judge<{ write: Said; net: Said; none: Said; verified: string }>(
  "what programs here really say of a refusal is understood, and other failures are not claimed",
  "words",
  ({ write, net, none, verified }) => {
    assert.ok(write.length > 3 && net.length > 1);
    for (const [command, text] of write) {
      assert.match(
        text,
        /\[the sandbox does not allow writing \/.*--allow-write=\/.*\]/,
        `${command}: ${text}`,
      );
    }
    for (const [command, text] of net) {
      assert.match(text, /\[the sandbox allows no network.*--allow-net\]/, command);
    }
    for (const [command, text] of none) assert.doesNotMatch(text, /the sandbox/, command);
    assert.match(verified, /\[the sandbox allows no network/);
  },
);
