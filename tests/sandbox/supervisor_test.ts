import assert from "node:assert/strict";
import type { Policy } from "../../src/sandbox/policy.ts";
import { support_file, with_servers } from "./support/servers.ts";
import { everyone, installed, on_linux, result_of, run_job, sh } from "./support/world.ts";
import { type Who, with_world } from "./support/world.ts";

const able = on_linux && installed("python3");
const own = { policy: { net: "own" } } as const;

/** Since Linux 6.9 a thread can be looked at by itself. */
function sees_threads(): boolean {
  const [major = 0, minor = 0] = Deno.osRelease().split(".").map(Number);
  return major > 6 || (major === 6 && minor >= 9);
}

function has_ipv6(): boolean {
  try {
    return / lo$/m.test(Deno.readTextFileSync("/proc/net/if_inet6"));
  } catch {
    return false;
  }
}

/** What own.py prints where that is not "reached". */
const OTHERWISE: Readonly<Record<string, string>> = {
  unix_none: "FileNotFoundError 2",
  abstract_none: "ConnectionRefusedError 111",
  nobody: "ConnectionRefusedError 111",
  device: "lo",
  device_of_client: "lo",
  undo_name: "refused 1",
  undo_index: "refused 1",
  ...(sees_threads() ? {} : { thread_files: "OSError 9" }),
};

for (const who of everyone) {
  for (const told of [{}, { untold: true }] as const) {
    const how = "untold" in told ? "by /proc/net" : "as the kernel tells";
    Deno.test({
      name: `net own: servers of the run are reached, whatever they are called (${how}, as ${who})`,
      ignore: !able,
      fn: () =>
        with_world(who, async (world) => {
          Deno.copyFileSync(support_file("own.py"), `${world.workspace}/own.py`);
          const steps = [{ kind: "run", name: "own", argv: ["python3", "own.py"] }] as const;
          const outcome = await run_job(world, { ...own, ...told, steps });
          const { stdout = "", stderr } = result_of(outcome, "own");
          const lines = stdout.trim().split("\n").map((line) => line.split(/ (.*)/));
          const unexpected = lines.filter(([name = "", came]) =>
            came !== (OTHERWISE[name] ?? "reached")
          );
          assert.deepEqual(unexpected, [], stderr);
          assert.ok(lines.length >= 26, stdout);
          assert.deepEqual(outcome.refusals, []);
        }),
    });
  }
}

Deno.test({
  name:
    "net own: a server of node's, and one of Python's, are reached by node, curl and wget (those installed)",
  ignore: !able,
  fn: () =>
    with_world("self", async (world) => {
      Deno.writeTextFileSync(`${world.workspace}/hello`, "hello\n");
      // A file for each: the port of the server before is of no use.
      const python = `port=$(mktemp); python3 -u -m http.server 0 --bind 127.0.0.1 > $port & ` +
        `until p=$(grep -oE 'port [0-9]+' $port); do sleep 0.02; done; p=\${p#port }; ` +
        `trap 'kill %1' EXIT; `;
      const node_get = "http://127.0.0.1:'+process.argv[1]+'/hello";
      const clients: Readonly<Record<string, readonly [program: string, script: string]>> = {
        curl: ["curl", `${python} curl -sS http://localhost:$p/hello`],
        wget: ["wget", `${python} wget -qO- http://127.0.0.1:$p/hello`],
        node: [
          "node",
          `${python} node -e "fetch('${node_get}').then(async (r) => process.stdout.write(await r.text()))" $p`,
        ],
        node_both: [
          "node",
          `node -e "const s = require('net').createServer((c) => c.end('hello\\n')).listen(0, () =>
            require('net').connect(s.address().port).on('data', (d) => { process.stdout.write(d); s.close() }))"`,
        ],
        node_unix: [
          "node",
          `node -e "const s = require('net').createServer((c) => c.end('hello\\n')).listen('sock', () =>
            require('net').connect('sock').on('data', (d) => { process.stdout.write(d); s.close() }))"`,
        ],
        bash: [
          "bash",
          `${python} exec 3<>/dev/tcp/127.0.0.1/$p; printf 'GET /hello HTTP/1.0\\r\\n\\r\\n' >&3; tail -1 <&3`,
        ],
      };
      const chosen = Object.entries(clients).filter(([, [program]]) => installed(program));
      const steps = chosen.map(([name, [, script]]) => sh(name, script));
      const outcome = await run_job(world, { ...own, steps });
      for (const [name] of chosen) {
        const { stdout, stderr } = result_of(outcome, name);
        assert.equal(stdout, "hello\n", `${name}: ${stderr}`);
      }
    }),
});

/**
 * Ways to a TCP server outside (127.0.0.1:P, 127.0.0.53:P, both willing to share) past a judgement of its address. Each has a
 * server of its own where that makes the address look like the run's. In Python; whatever is received is printed.
 */
const WAYS: Readonly<Record<string, string>> = {
  plain: `get(socket.AF_INET, ("127.0.0.1", P))`,
  mapped: `get(socket.AF_INET6, ("::ffff:127.0.0.1", P))`,
  mapped_any: `get(socket.AF_INET6, ("::ffff:0.0.0.0", P))`,
  // The kernel takes "any" for the address that the socket is bound to.
  any:
    `serve(socket.AF_INET, ("127.0.0.2", P)); get(socket.AF_INET, ("0.0.0.0", P), ("127.0.0.53", 0))`,
  any6:
    `serve(socket.AF_INET6, ("::1", P)); get(socket.AF_INET6, ("::", P), ("::ffff:127.0.0.1", 0))`,
  any_mapped:
    `serve(socket.AF_INET6, ("::1", P)); get(socket.AF_INET6, ("::ffff:0.0.0.0", P), ("::ffff:127.0.0.53", 0))`,
  beside: `serve(socket.AF_INET, ("127.0.0.2", P)); get(socket.AF_INET, ("127.0.0.1", P))`,
  share: `serve(socket.AF_INET, ("127.0.0.1", P)); print("shared")`,
  share_all: `serve(socket.AF_INET, ("0.0.0.0", P)); print("shared")`,
  share_v6: `serve(socket.AF_INET6, ("::", P)); print("shared")`,
  // A short address leaves the rest to what lay there before.
  short:
    `s = socket.socket(); libc.connect(s.fileno(), struct.pack("=HHI", 2, socket.htons(P), 0x0100007f), 8); ` +
    `print(s.recv(10))`,
  long: `s = socket.socket(); a = struct.pack("=HHI120x", 2, socket.htons(P), 0x0100007f); ` +
    `libc.connect(s.fileno(), a, len(a)); print(s.recv(10))`,
  huge: `s = socket.socket(); a = struct.pack("=HHI4096x", 2, socket.htons(P), 0x0100007f); ` +
    `libc.connect(s.fileno(), a, len(a)); print(s.recv(10))`,
  family: `s = socket.socket(socket.AF_INET6); libc.connect(s.fileno(), ` +
    `struct.pack("=HHI8x", 2, socket.htons(P), 0x0100007f), 16); print(s.recv(10))`,
  again:
    `serve(socket.AF_INET, ("127.0.0.1", 0)); s = socket.create_connection(servers[-1].getsockname()); ` +
    `libc.connect(s.fileno(), struct.pack("=H14x", 0), 16); s.connect(("127.0.0.1", P)); print(s.recv(10))`,
  fast_open: `s = socket.socket(); s.sendto(b"x", 0x20000000, ("127.0.0.1", P)); print(s.recv(10))`,
  fast_message:
    `s = socket.socket(); s.sendmsg([b"x"], [], 0x20000000, ("127.0.0.1", P)); print(s.recv(10))`,
  fast_connect:
    `s = socket.socket(); s.setsockopt(6, 30, 1); s.connect(("127.0.0.1", P)); s.send(b"x"); print(s.recv(10))`,
  message: `s = socket.socket(); s.sendmsg([b"x"], [], 0, ("127.0.0.1", P)); print(s.recv(10))`,
  multipath: `s = socket.socket(2, 1, 262); s.connect(("127.0.0.1", P)); print(s.recv(10))`,
  route:
    `s = socket.socket(); s.setsockopt(0, 4, bytes([131, 7, 4, 127, 0, 0, 1, 0])); print("routed")`,
  route6: `s = socket.socket(socket.AF_INET6); s.setsockopt(41, 57, bytes(24)); print("routed")`,
  device:
    `s = socket.socket(); s.setsockopt(1, 25, b"eth0"); s.connect(("127.0.0.1", P)); print(s.recv(10))`,
  fork:
    `print(subprocess.run(["bash", "-c", f"exec 3<>/dev/tcp/127.0.0.1/{P}; cat <&3"], capture_output=True).stdout)`,
  child_of_thread:
    `t = threading.Thread(target=lambda: get(socket.AF_INET, ("127.0.0.1", P))); t.start(); t.join()`,
};

/** Those that lead there on every kernel where nobody judges. */
const WORKING = [
  ...["plain", "mapped", "mapped_any", "any", "any6", "any_mapped", "beside"],
  ...["share", "share_all", "share_v6", "long", "again", "route", "fork", "child_of_thread"],
];

/** Tries the ways, and says which of them led through. */
async function led_through(
  who: Who,
  job: { readonly policy: Partial<Policy>; readonly names: readonly string[] },
): Promise<{ readonly names: readonly string[]; readonly log: string }> {
  let came: { names: readonly string[]; log: string } | undefined;
  await with_world(who, (world) =>
    with_servers(world, async ({ port, log }) => {
      const start = `import ctypes, socket, struct, subprocess, sys, threading
P, servers, libc = ${port}, [], ctypes.CDLL(None)
def serve(family, address):
  s = socket.socket(family)
  if family == socket.AF_INET6 and address[0] != "::": s.setsockopt(41, 26, 1)
  s.setsockopt(1, 15, 1); s.setsockopt(1, 2, 1)
  servers.append(s); s.bind(address); s.listen(8)
def get(family, address, bound=None):
  s = socket.socket(family)
  if family == socket.AF_INET6: s.setsockopt(41, 26, 0)
  if bound: s.bind(bound)
  s.connect(address); s.settimeout(5); print(s.recv(10))
`;
      const steps = job.names.map((name) => ({
        kind: "run" as const,
        name,
        argv: ["python3", "-c", start + WAYS[name]],
      }));
      const outcome = await run_job(world, { policy: job.policy, steps });
      assert.equal(outcome.results.length, steps.length);
      const names = outcome.results.filter(({ stdout }) =>
        /foreign|routed|shared/.test(stdout ?? "")
      ).map(({ name }) => name);
      came = { names, log: log() };
    }));
  return came!;
}

for (const who of everyone) {
  Deno.test({
    name: `net own: no way to name a TCP server outside leads to it (as ${who})`,
    ignore: !able,
    fn: async () => {
      const came = await led_through(who, { policy: { net: "own" }, names: Object.keys(WAYS) });
      assert.deepEqual(came, { names: [], log: "" });
    },
  });
}

/** What programs expect of a socket from its making to its end. */
const LIFE = `
import socket, sys
REUSE = (socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
def bound(port=0):
  made = socket.socket()
  made.setsockopt(*REUSE)
  made.bind(("127.0.0.1", port))
  return made
probe = bound()
port = probe.getsockname()[1]
probe.close()
server = bound(port)
server.listen(1)
server.listen(5)
client = socket.create_connection(("127.0.0.1", port))
peer, _ = server.accept()
client.sendall(b"x")
print("bytes", peer.recv(9))
client.close()
peer.settimeout(20)
print("end", peer.recv(1))
server.close()
try: socket.create_connection(("127.0.0.1", port))
except OSError as error: print("closed", type(error).__name__)
retried = socket.socket()
print("refused", retried.connect_ex(("127.0.0.1", port)))
bound(port).listen()
crowd = [socket.socket() for _ in range(200)]
del crowd
crowd = [socket.socket() for _ in range(200)]
print("flags", socket.socket(type=socket.SOCK_STREAM | socket.SOCK_NONBLOCK).getblocking(), crowd[0].get_inheritable())
try: hoard = [socket.socket() for _ in range(600)]
except OSError as error: print("hoard", error.errno)
`;

for (const more of [{}, { makes_sockets: true }] as const) {
  const who_makes = "makes_sockets" in more ? "the supervisor" : "a program";
  Deno.test({
    name: `a socket that ${who_makes} makes lives and ends as programs expect`,
    ignore: !able,
    fn: () =>
      with_world("self", async (world) => {
        const steps = [
          { kind: "run", name: "life", argv: ["python3", "-c", LIFE] },
          { kind: "run", name: "later", argv: ["python3", "-c", LIFE] },
        ] as const;
        const outcome = await run_job(world, { ...own, ...more, steps });
        for (const { name } of steps) {
          const { stdout, stderr } = result_of(outcome, name);
          const lines = [
            ...["bytes b'x'", "end b''", "closed ConnectionRefusedError", "refused 111"],
            "flags False False",
            // One program can't use up hamr's own files.
            ...("makes_sockets" in more ? ["hoard 24"] : []),
          ];
          assert.equal(stdout, lines.map((line) => `${line}\n`).join(""), stderr);
        }
      }),
  });
}

Deno.test({
  name: "without the sandbox these ways do lead there, so they prove something",
  ignore: !able || !has_ipv6(),
  fn: async () => {
    // A route of its own takes rights (CAP_NET_RAW).
    const ways = WORKING.filter((name) => name !== "route" || Deno.uid() === 0);
    const { names } = await led_through("self", { policy: { sandbox: "off" }, names: ways });
    assert.deepEqual(names, ways);
  },
});
