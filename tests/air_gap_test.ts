/** docs/air-gap.md: hamr in a network namespace with loopback only, and in one whose packets are dropped and never answered. */
import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { skip } from "./support/skip.ts";

const INSIDE = fileURLToPath(new URL("./support/air_gap.ts", import.meta.url));
/** A way to everywhere that ends nowhere. IPv6 would announce itself. */
const DROPPED = `ip link add nowhere type veth peer name other &&
  for i in nowhere other; do echo 1 > /proc/sys/net/ipv6/conf/$i/disable_ipv6; done &&
  ip addr add 10.213.0.2/24 dev nowhere && ip link set other up && ip link set nowhere arp off up &&
  ip route add default via 10.213.0.1 dev nowhere`;
/** How many were sent on it. */
const PACKETS = "awk '/nowhere:/ { print $11 }' /proc/net/dev";

/** What a shell printed that has the network to itself; null where the machine gives none. */
async function apart(script: string): Promise<{ code: number; out: string; err: string }> {
  const { code, stdout, stderr } = await new Deno.Command("unshare", {
    args: [...(Deno.uid() === 0 ? [] : ["-r"]), "-n", "sh", "-ec", script],
    stdin: "null",
  }).output();
  const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
  return { code, out: text(stdout), err: text(stderr) };
}

async function can(script: string): Promise<boolean> {
  if (Deno.build.os !== "linux") return false;
  return await apart(script).then(({ code }) => code === 0, () => false);
}

// Deno itself asks its makers for a newer one, once a day; a binary does not.
const inside = `DENO_NO_UPDATE_CHECK=1 '${Deno.execPath()}' run -A --no-check '${INSIDE}'`;

function judge(printed: string): void {
  const { tried, asked, server }: {
    readonly tried: Record<string, [number, string]>;
    readonly asked: readonly string[] | null;
    readonly server: string;
  } = JSON.parse(printed);
  // Whoever asked: hamr, its threads, its commands.
  if (asked === null) {
    skip("there is no python3 here; who asks whom on this machine was not recorded");
  } else assert.deepEqual(asked, [server]);
  // What a command tried is told, and never left the machine.
  assert.match(tried["run"]![1], /the sandbox refused a connection to 198\.51\.100\.7:443/);
  const codes = Object.entries(tried).map(([name, [code]]) => [name, code]);
  assert.deepEqual(Object.fromEntries(codes), {
    ...{ demo: 0, run: 0, resume: 0, doctor: 0, mcp: 0, "no model": 3 },
  }, printed);
  assert.match(tried["mcp"]![1], /own: \d+ tools?/);
  assert.match(tried["no model"]![1], /no model found/);
  const network = tried["doctor"]![1].split("\n").filter((line) => line.includes("network:"));
  assert.equal(network.length, 2, network.join("\n"));
  assert.match(network[0]!, /contacted now: 127\.0\.0\.1:\d+$/);
}

Deno.test({
  name:
    "with nothing but loopback: demo, run, resume, doctor, MCP; and a run without a model says so",
  ignore: !await can("ip link set lo up"),
  async fn() {
    const { code, out, err } = await apart(`ip link set lo up; ${inside}`);
    assert.equal(code, 0, err);
    judge(out);
  },
});

Deno.test({
  name: "where packets are dropped and never answered, none is sent",
  ignore: !await can(`ip link set lo up && ${DROPPED}`),
  async fn() {
    const { code, out, err } = await apart(
      // That what is sent is counted is seen first; DNS would be seen, too.
      `ip link set lo up; ${DROPPED}; ${PACKETS}
       bash -c 'echo x > /dev/udp/198.51.100.1/53'; ${PACKETS}; ${inside}; ${PACKETS}`,
    );
    assert.equal(code, 0, err);
    const [before, seen, printed = "", after] = out.trim().split("\n");
    assert.equal(Number(seen), Number(before) + 1);
    judge(printed);
    assert.equal(after, seen, "hamr has sent something");
  },
});
