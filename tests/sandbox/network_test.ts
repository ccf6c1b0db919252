import assert from "node:assert/strict";
import type { Policy } from "../../src/sandbox/policy.ts";
import { able, CLIENTS, reached } from "./support/clients.ts";
import { everyone, installed, on_linux, result_of, run_job } from "./support/world.ts";
import { with_world } from "./support/world.ts";

/** Clients that depend on what else the kernel was built with. */
const MAYBE = ["tcp6", "mptcp", "sctp", "ping"];
const INTERNET = [
  ...["tcp", "udp", "udp_connected", "listen", "fast_open", "netlink"],
  ...["bash_tcp", "bash_udp", "node"],
];
const LOOPBACK = ["tcp", "listen", "netlink", "bash_tcp", "node"];

const NOBODY = "no server outside is";

/** Who gets through to servers outside. */
const ROWS: readonly {
  readonly says: string;
  readonly net: Policy["net"];
  readonly no_supervisor?: true;
  readonly through: readonly string[];
}[] = [
  { says: NOBODY, net: "none", through: [] },
  { says: NOBODY, net: "none", no_supervisor: true, through: [] },
  { says: NOBODY, net: "own", through: ["listen", "netlink"] },
  { says: NOBODY, net: "own", no_supervisor: true, through: [] },
  { says: "only TCP servers on loopback are", net: "loopback", through: LOOPBACK },
  { says: "no unix socket outside is", net: "all", through: INTERNET },
  { says: "no unix socket outside is", net: "all", no_supervisor: true, through: INTERNET },
];

for (const who of everyone) {
  for (const { says, net, through, ...more } of ROWS) {
    const without = more.no_supervisor ? " without a supervisor" : "";
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
        for (const name of ["tcp", "udp", "unix_stream", "unix_datagram"]) {
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
