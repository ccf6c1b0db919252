import assert from "node:assert/strict";
import type { Policy } from "../../src/sandbox/policy.ts";
import { able, CLIENTS, reached } from "./support/clients.ts";
import { everyone, installed, on_linux, result_of, run_job } from "./support/world.ts";
import { with_world } from "./support/world.ts";

/** Clients that depend on what else the kernel was built with. */
const MAYBE = ["tcp6", "mptcp", "sctp", "ping"];
const INTERNET = [
  ...[
    "tcp",
    "udp",
    "udp_plain",
    "udp_plain_connected",
    "udp_connected",
    "listen",
    "fast_open",
    "netlink",
  ],
  ...["bash_tcp", "bash_udp", "node"],
];
const LOOPBACK = ["tcp", "listen", "netlink", "bash_tcp", "node"];

const NOBODY = "no server outside is";

/** Who gets through to servers outside. */
const ROWS: readonly {
  readonly says: string;
  readonly net: Policy["net"];
  readonly no_supervisor?: true;
  readonly makes_sockets?: true;
  readonly untold?: true;
  readonly through: readonly string[];
}[] = [
  { says: NOBODY, net: "none", through: [] },
  { says: NOBODY, net: "none", no_supervisor: true, through: [] },
  { says: NOBODY, net: "own", through: ["listen", "netlink"] },
  { says: NOBODY, net: "own", no_supervisor: true, through: [] },
  { says: NOBODY, net: "own", makes_sockets: true, through: ["listen", "netlink"] },
  { says: NOBODY, net: "own", untold: true, through: ["listen", "netlink"] },
  { says: "only TCP servers on loopback are", net: "loopback", through: LOOPBACK },
  {
    ...{ says: "only TCP servers on loopback are", net: "loopback" },
    ...{ makes_sockets: true, through: LOOPBACK },
  },
  { says: "no unix socket outside is", net: "all", through: INTERNET },
  { says: "no unix socket outside is", net: "all", no_supervisor: true, through: INTERNET },
];

for (const who of everyone) {
  for (const { says, net, through, ...more } of ROWS) {
    const without = more.no_supervisor
      ? " without a supervisor"
      : more.makes_sockets
      ? " with sockets that the supervisor makes"
      : more.untold
      ? " with a kernel that does not tell who listens"
      : "";
    Deno.test({
      name: `net ${net}${without}: ${says} reached (as ${who})`,
      ignore: !able,
      fn: async () => {
        const { clients, log, outcome } = await reached(who, { net }, more);
        const expected = through.filter((name) => name !== "node" || installed("node"));
        const certain = clients.filter((name) => net !== "all" || !MAYBE.includes(name));
        assert.deepEqual(certain, expected);
        assert.doesNotMatch(log, /servers/, "a unix socket was reached");
        const reaching = expected.filter((name) => !["listen", "netlink"].includes(name));
        assert.equal(log === "", reaching.length === 0, log);
        const python = result_of(outcome, "python").stdout ?? "";
        assert.equal(python.trim().split("\n").length, Object.keys(CLIENTS).length, python);
        // Programs shall say "Permission denied", not something that sends their user looking elsewhere.
        for (const name of ["tcp", "unix_stream", "unix_datagram"]) {
          if (through.includes(name)) continue;
          assert.match(python, new RegExp(`^${name} PermissionError 13$`, "m"));
        }
      },
    });
  }
}

Deno.test({
  name: "net loopback without a supervisor is an error that says why",
  ignore: !on_linux,
  fn: () =>
    with_world("self", async (world) => {
      const policy = { net: "loopback" } as const;
      const { refused } = await run_job(world, { policy, no_supervisor: true, steps: [] });
      assert.match(refused ?? "", /--allow-net=loopback needs a supervisor/);
    }),
});

Deno.test({
  name: "without the sandbox these clients do reach their servers, so they prove something",
  ignore: !able,
  fn: async () => {
    const { clients } = await reached("self", { sandbox: "off" });
    const wanted = ["tcp", "udp", "unix_stream", "unix_packet", "unix_abstract", "unix_datagram"];
    const more = ["unix_raw", "pair_sendmsg", "pair_raw"];
    assert.deepEqual([...wanted, ...more].filter((name) => !clients.includes(name)), []);
  },
});

/** Joins groups in every way there is, on the loopback device, which tells nobody. */
const JOIN = `
import socket, struct
v4 = lambda a: struct.pack("HH4s", 2, 0, socket.inet_aton(a)) + bytes(120)
v6 = lambda a: struct.pack("HHI16sI", 10, 0, 0, socket.inet_pton(10, a), 0) + bytes(100)
lo, ip = struct.pack("Ixxxx", 1), socket.inet_aton
near, other = ip("127.0.0.1"), ip("127.0.0.2")
ways = [(2, 0, name, value) for name, value in (
  (35, ip("239.1.2.3") + near), (39, ip("239.1.2.4") + near + other), (42, lo + v4("239.1.2.6")), (46, lo + v4("239.1.2.7") + v4("127.0.0.2")),
  (41, ip("239.1.2.8") + near + struct.pack("II", 1, 1) + other), (48, lo + v4("239.1.2.9") + struct.pack("II", 1, 1) + v4("127.0.0.2")))]
ways += [(10, 0, 42, lo + v4("239.1.2.10"))]
ways += [(10, 41, name, value) for name, value in (
  (20, socket.inet_pton(10, "ff02::1:20") + struct.pack("I", 1)), (42, lo + v6("ff02::1:42")), (46, lo + v6("ff3e::1:46") + v6("::1")),
  (27, socket.inet_pton(10, "fd00::27") + struct.pack("I", 1)))]
joined = []
for family, level, name, value in ways:
  try: made = socket.socket(family)
  except OSError: continue
  try:
    made.setsockopt(level, name, value); joined.append(f"{family}.{level}.{name}")
  except OSError: pass
print(*joined)
`;

for (const who of everyone) {
  Deno.test({
    name: `no packet leaves by joining a group (as ${who})`,
    ignore: !on_linux || !installed("python3"),
    fn: () =>
      with_world(who, async (world) => {
        const joined = async (policy: Partial<Policy>) => {
          const steps = [{ kind: "run", name: "join", argv: ["python3", "-c", JOIN] } as const];
          return result_of(await run_job(world, { policy, steps }), "join").stdout;
        };
        assert.equal(await joined({ net: "own" }), "\n");
        assert.equal(await joined({ net: "loopback" }), "\n");
        // As they are joined where the network is allowed, it is the sandbox that refused.
        assert.match(await joined({ net: "all" }) ?? "", /\b2\.0\.42\b/);
      }),
  });
}
