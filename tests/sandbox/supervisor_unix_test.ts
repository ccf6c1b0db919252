import assert from "node:assert/strict";
import type { Policy } from "../../src/sandbox/policy.ts";
import { with_servers } from "./support/servers.ts";
import { everyone, installed, on_linux, result_of, run_job } from "./support/world.ts";
import { type Who, with_world } from "./support/world.ts";

const able = on_linux && installed("python3");

/**
 * Ways to a unix socket outside (F/stream, and the abstract name F), in Python. Each starts in a folder of its own; whatever is
 * received is printed.
 */
const WAYS: Readonly<Record<string, string>> = {
  plain: `get(F + "/stream")`,
  dots: `get(os.getcwd() + "/../../servers/stream")`,
  relative: `get("../../servers/stream")`,
  folder: `os.chdir(F); get("stream")`,
  link: `os.symlink(F + "/stream", "l"); get("l")`,
  linked_folder: `os.symlink(F, "l"); get("l/stream")`,
  link_to_link: `os.symlink(F, "a"); os.symlink("a/stream", "b"); get("b")`,
  hard_link: `os.link(F + "/stream", "l"); get("l")`,
  moved: `os.rename(F + "/stream", "l"); get("l")`,
  exchanged:
    `open("l", "w"); libc.renameat2(-100, b"l", -100, (F + "/stream").encode(), 2); get("l")`,
  own_root: `get("/proc/self/root" + F + "/stream")`,
  other_root: `get(f"/proc/{P}/root{F}/stream")`,
  own_folder: `os.chdir(F); get("/proc/self/cwd/stream")`,
  descriptor: `d = os.open(F, os.O_PATH); get(f"/proc/self/fd/{d}/stream")`,
  descriptor_itself: `d = os.open(F + "/stream", os.O_PATH); get(f"/proc/self/fd/{d}")`,
  device: `d = os.open(F + "/stream", os.O_PATH); get(f"/dev/fd/{d}")`,
  deep: `os.makedirs("d/" * 9); os.chdir("d/" * 9); get("../" * 11 + "servers/stream")`,
  thread: `t = threading.Thread(target=lambda: get(F + "/stream")); t.start(); t.join()`,
  packet:
    `s = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET); s.connect(F + "/packet"); print(s.recv(9))`,
  type:
    `s = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET); s.connect(F + "/stream"); print(s.recv(9))`,
  passed: `a, b = socket.socketpair(); m = socket.socket(socket.AF_UNIX); ` +
    `socket.send_fds(a, [b"x"], [m.fileno()]); s = socket.socket(fileno=socket.recv_fds(b, 1, 1)[1][0]); ` +
    `s.connect(F + "/stream"); print(s.recv(9))`,
  no_end: `raw((F + "/stream").encode())`,
  abstract: `get("\\0" + F)`,
  abstract_padded: `raw(b"\\0" + F.encode() + b"\\0"); raw(b"\\0" + F.encode())`,
  // Names of another type are names of their own: the run's own does not make the foreign one the run's.
  abstract_type:
    `s = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET); s.bind("\\0" + F); s.listen(); get("\\0" + F)`,
  // In a listing of lines, this name is one more line, which says that the foreign name is the run's own.
  abstract_line: `s = socket.socket(socket.AF_UNIX); s.bind("\\0x"); s.listen(); ` +
    `i = os.stat(s.fileno()).st_ino; t = socket.socket(socket.AF_UNIX); ` +
    `t.bind(f"\\0\\n0: 00000002 00000000 00010000 0001 01 {i} @{F[:40]}"); t.listen(); get("\\0" + F)`,
};

/** A server of the run's own among the others: what it says is no word of theirs. */
const OWN = `s = socket.socket(socket.AF_UNIX); s.bind(F + "/own"); s.listen()
c = socket.socket(socket.AF_UNIX); c.connect(F + "/own"); print("foreign? no, own")`;

async function led_through(
  who: Who,
  job: {
    readonly policy: Partial<Policy>;
    readonly write_servers?: true;
    /** Everybody writes their folder, or the workspace around it. */
    readonly shared?: "folder" | "around";
    readonly untold?: true;
  },
): Promise<{ readonly names: readonly string[]; readonly log: string }> {
  let came: { names: readonly string[]; log: string } | undefined;
  await with_world(who, (world) =>
    with_servers(world, async ({ folder, log }) => {
      const start = `import ctypes, os, socket, struct, threading
F, libc = "${folder}", ctypes.CDLL(None)
def get(path):
  s = socket.socket(socket.AF_UNIX); s.settimeout(5); s.connect(path); print(s.recv(9))
def raw(name):
  s = socket.socket(socket.AF_UNIX); a = struct.pack("=H", 1) + name
  if libc.connect(s.fileno(), a, len(a)) == 0: print(s.recv(9))
`;
      const ways = job.shared ? { own_there: OWN, ...WAYS } : WAYS;
      // Each in a process of its own, with the parent of the first one: to start Python for each would take most of the time.
      const script = `${start}P = os.getppid()
ways = ${JSON.stringify(ways)}
for name in ways:
  os.mkdir(name)
  pid = os.fork()
  if pid == 0:
    os.chdir(name)
    try: exec(ways[name])
    except Exception as error: print(error)
    finally: print("end of", name, flush=True); os._exit(0)
  os.waitpid(pid, 0)
`;
      const steps = [{ kind: "run" as const, name: "all", argv: ["python3", "-c", script] }];
      if (job.shared) Deno.chmodSync(job.shared === "folder" ? folder : world.root, 0o1777);
      const around = job.shared === "around" ? { workspace: world.root } : {};
      const write = job.write_servers ? { write: [folder] } : {};
      const told = job.untold ? { untold: true } as const : {};
      const policy = { ...job.policy, ...write, ...around };
      const outcome = await run_job(world, { policy, steps, ...told });
      const { stdout = "", stderr = "" } = result_of(outcome, "all");
      const told_of = [...stdout.matchAll(/([^]*?)^end of (\w+)\n/gm)];
      assert.deepEqual(told_of.map(([, , name]) => name), Object.keys(ways), stderr);
      const names = told_of.filter(([, text = ""]) => /foreign/.test(text))
        .map(([, , name = ""]) => name);
      came = { names, log: log() };
    }));
  return came!;
}

for (const who of everyone) {
  for (const net of ["own", "all"] as const) {
    Deno.test({
      name: `net ${net}: no way to name a unix socket outside leads to it (as ${who})`,
      ignore: !able,
      fn: async () => {
        assert.deepEqual(await led_through(who, { policy: { net } }), { names: [], log: "" });
        const untold = await led_through(who, { policy: { net }, untold: true });
        assert.deepEqual(untold, { names: [], log: "" }, "by /proc/net");
      },
    });
  }
}

Deno.test({
  name: "sockets in what may be written are reached, by their path",
  ignore: !able,
  fn: async () => {
    const { names } = await led_through("self", { policy: { net: "own" }, write_servers: true });
    const wanted = ["plain", "dots", "relative", "folder", "link", "linked_folder"];
    assert.deepEqual(wanted.filter((name) => !names.includes(name)), []);
    assert.deepEqual(names.filter((name) => name.startsWith("abstract")), []);
  },
});

for (const who of everyone) {
  Deno.test({
    name: `other programs' sockets are not reached by a folder that everybody writes (as ${who})`,
    ignore: !able,
    fn: async () => {
      const folder = { policy: {}, write_servers: true, shared: "folder" } as const;
      assert.deepEqual(await led_through(who, folder), { names: ["own_there"], log: "" });
      const around = { policy: {}, shared: "around" } as const;
      const { names, log } = await led_through(who, around);
      // A server that the run may make there at all.
      assert.deepEqual([names.filter((name) => name !== "own_there"), log], [[], ""]);
    },
  });
}

Deno.test({
  name: "without the sandbox these ways do lead there, so they prove something",
  ignore: !able,
  fn: async () => {
    const { names } = await led_through("self", { policy: { sandbox: "off" } });
    // One moves the socket away; what comes after it finds nothing by the old path.
    const unlike = ["exchanged", "type", "descriptor", "descriptor_itself", "device", "other_root"];
    const before = Object.keys(WAYS).slice(0, Object.keys(WAYS).indexOf("moved") + 1);
    const wanted = [...before, "packet", "abstract", "abstract_type", "abstract_line"];
    assert.deepEqual(wanted.filter((name) => !names.includes(name) && !unlike.includes(name)), []);
  },
});

Deno.test({
  name:
    "what is refused is said, each thing once, with the flag that allows it, and can't draw on a terminal",
  ignore: !able,
  fn: () =>
    with_world("self", async (world) => {
      const tries = `import socket
def tcp(host, port, family=socket.AF_INET):
  try: socket.socket(family).connect((host, port))
  except OSError as error: print(error.errno)
def unix(name):
  try: socket.socket(socket.AF_UNIX).connect(name)
  except OSError as error: print(error.errno)
s = socket.socket(); s.bind(("127.0.0.1", 0))
for _ in range(3): tcp("10.1.2.3", 80)
tcp("2001:db8::1", 443, socket.AF_INET6)
unix("${world.outside}/s\\x1b[31m\\n]x")
unix("\\0${world.outside}")
`;
      // One for each kind, so that someone listens where a foreign one has to be.
      const listeners = `import socket, sys
t = socket.socket(); t.bind(("127.0.0.1", 0)); t.listen()
u = socket.socket(socket.AF_UNIX); u.bind("${world.outside}/s\\x1b[31m\\n]x"); u.listen()
a = socket.socket(socket.AF_UNIX); a.bind("\\0${world.outside}"); a.listen()
print(t.getsockname()[1], flush=True); sys.stdin.read()`;
      const foreign = new Deno.Command("python3", {
        args: ["-c", listeners],
        stdin: "piped",
        stdout: "piped",
      }).spawn();
      const reader = foreign.stdout.getReader();
      try {
        const port = Number(new TextDecoder().decode((await reader.read()).value));
        const script = `${tries}tcp("127.0.0.1", ${port})\n`;
        const outcome = await run_job(world, {
          policy: { net: "own" },
          steps: [{ kind: "run", name: "tries", argv: ["python3", "-c", script] }],
        });
        assert.equal(result_of(outcome, "tries").stdout, "13\n".repeat(7));
        const socket = `${world.outside}/s\ufffd[31m\ufffd]x`;
        const text = "the sandbox refused a connection to ";
        assert.deepEqual(outcome.refusals, [
          `${text}10.1.2.3:80; the user can allow it with --allow-net`,
          `${text}[2001:db8::1]:443; the user can allow it with --allow-net`,
          `${text}${socket}; the user can allow it with --allow-write='${socket}'`,
          `${text}@${world.outside}, as no process of this run serves it; only --sandbox off allows it`,
          `${text}127.0.0.1:${port}, as no process of this run serves it; ` +
          "the user can allow it with --allow-net=loopback",
        ]);
      } finally {
        await foreign.stdin.close();
        await reader.cancel();
        await foreign.status;
      }
    }),
});
