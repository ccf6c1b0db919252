import assert from "node:assert/strict";
import type { Policy } from "../../src/sandbox/policy.ts";
import type { Outcome } from "./support/job.ts";
import { everyone, installed, on_linux, result_of, run_job, sh } from "./support/world.ts";
import { type Who, with_world } from "./support/world.ts";

const able = on_linux && installed("python3");

/** Clients in Python, each of which prints "reached" once it has sent something, else the error's name. `F` is the servers' folder, `P` their port. */
const CLIENTS: Readonly<Record<string, string>> = {
  tcp: `s = socket.create_connection(("127.0.0.1", P)); s.send(b"x")`,
  tcp6: `s = socket.socket(socket.AF_INET6); s.connect(("::1", P))`,
  udp: `s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); s.sendto(b"x", ("127.0.0.1", P))`,
  udp_connected:
    `s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); s.connect(("127.0.0.1", P)); s.send(b"x")`,
  listen: `s = socket.socket(); s.bind(("127.0.0.1", 0)); s.listen()`,
  fast_open: `s = socket.socket(); s.sendto(b"x", 0x20000000, ("127.0.0.1", P))`,
  raw: `s = socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_ICMP)`,
  packet: `s = socket.socket(socket.AF_PACKET, socket.SOCK_RAW)`,
  netlink: `s = socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 0)`,
  uevents: `s = socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 15)`,
  vsock: `s = socket.socket(socket.AF_VSOCK, socket.SOCK_STREAM)`,
  crypto: `s = socket.socket(socket.AF_ALG, socket.SOCK_SEQPACKET)`,
  unix_stream: `s = socket.socket(socket.AF_UNIX); s.connect(F + "/stream")`,
  unix_packet: `s = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET); s.connect(F + "/packet")`,
  unix_abstract: `s = socket.socket(socket.AF_UNIX); s.connect("\\0" + F)`,
  unix_datagram:
    `s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM); s.sendto(b"x", F + "/datagram")`,
  unix_raw: `s = socket.socket(socket.AF_UNIX, socket.SOCK_RAW); s.sendto(b"x", F + "/datagram")`,
  pair_sendmsg:
    `s = socket.socketpair(type=socket.SOCK_DGRAM)[0]; s.sendmsg([b"x"], [], 0, F + "/datagram")`,
  pair_raw:
    `s = socket.socketpair(type=socket.SOCK_RAW)[0]; s.sendmsg([b"x"], [], 0, F + "/datagram")`,
  pair_packet_sendmsg:
    `s = socket.socketpair(type=socket.SOCK_SEQPACKET)[0]; s.sendmsg([b"x"], [], 0, F + "/packet"); sys.exit()`,
  pair_stream_sendmsg:
    `s = socket.socketpair()[0]; s.sendmsg([b"x"], [], 0, F + "/stream"); sys.exit()`,
  pair_reconnect: `s, t = socket.socketpair(); t.close(); s.shutdown(2); s.connect(F + "/stream")`,
};

async function reached(
  who: Who,
  policy: Partial<Policy>,
): Promise<{ clients: string[]; log: string; outcome: Outcome }> {
  let answer: { clients: string[]; log: string; outcome: Outcome } | undefined;
  await with_world(who, async (world) => {
    const folder = `${world.root}/servers`;
    Deno.mkdirSync(folder);
    const servers = new Deno.Command("python3", {
      args: [new URL("./support/servers.py", import.meta.url).pathname, folder],
      stdin: "piped",
      stdout: "piped",
    }).spawn();
    const reader = servers.stdout.getReader();
    const port = Number(new TextDecoder().decode((await reader.read()).value));
    const all = Object.entries(CLIENTS).map(([name, client]) =>
      `def client():\n  ${client}\n  return "reached"\nattempt("${name}", client)`
    );
    const script = `import socket, sys
F, P = "${folder}", ${port}
def attempt(name, client):
  try: print(name, client(), flush=True)
  except SystemExit: print(name, "pointless")
  except OSError as error: print(name, type(error).__name__, error.errno, flush=True)
${all.join("\n")}`;
    Deno.writeTextFileSync(`${world.workspace}/clients.py`, script);
    const outcome = await run_job(world, {
      policy,
      steps: [
        { kind: "run", name: "python", argv: ["python3", "clients.py"] },
        sh("bash_tcp", `exec 3<>/dev/tcp/127.0.0.1/${port} && echo reached`),
        sh("bash_udp", `echo x >/dev/udp/127.0.0.1/${port} && echo reached`),
        sh(
          "node",
          installed("node")
            ? `node -e 'require("net").connect(${port}, "127.0.0.1").on("connect", () => { console.log("reached"); process.exit() }).on("error", (e) => console.log(e.code))'`
            : "true",
        ),
      ],
    });
    await servers.stdin.close();
    await reader.cancel();
    await servers.status;
    const clients = (result_of(outcome, "python").stdout ?? "").split("\n")
      .filter((line) => line.endsWith(" reached")).map((line) => line.split(" ")[0] ?? "");
    answer = { clients, log: Deno.readTextFileSync(`${folder}/log`), outcome };
  });
  return answer!;
}

for (const who of everyone) {
  Deno.test({
    name: `net none: no server is reached, of any family (as ${who})`,
    ignore: !able,
    fn: async () => {
      const { clients, log, outcome } = await reached(who, { net: "none" });
      assert.deepEqual(clients, []);
      assert.equal(log, "");
      const python = result_of(outcome, "python").stdout ?? "";
      assert.equal(python.trim().split("\n").length, Object.keys(CLIENTS).length, python);
      // Programs shall say "Permission denied", not something that sends their user looking elsewhere.
      for (const name of ["tcp", "tcp6", "udp", "listen", "unix_stream", "unix_datagram"]) {
        assert.match(python, new RegExp(`^${name} PermissionError 13$`, "m"));
      }
      assert.match(result_of(outcome, "bash_tcp").stderr ?? "", /Permission denied/);
      for (const name of ["bash_tcp", "bash_udp", "node"]) {
        assert.doesNotMatch(result_of(outcome, name).stdout ?? "", /reached/);
      }
    },
  });
}

Deno.test({
  name: "net all: the internet, but none of this machine's unix sockets",
  ignore: !able,
  fn: async () => {
    const { clients, log, outcome } = await reached("self", { net: "all" });
    const internet = ["tcp", "udp", "udp_connected", "listen", "fast_open", "netlink"];
    // No IPv6 server runs, so tcp6 is refused by its absence.
    assert.deepEqual(clients, internet);
    assert.doesNotMatch(log, /servers/);
    for (const name of ["bash_tcp", "bash_udp"]) {
      assert.match(result_of(outcome, name).stdout ?? "", /reached/, name);
    }
  },
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

Deno.test({
  name: "net none: a tmux server outside does not run commands for what is inside",
  ignore: !on_linux || !installed("tmux"),
  fn: () =>
    with_world("self", async (world) => {
      const socket = `${world.root}/tmux`;
      const tmux = (...args: string[]) =>
        new Deno.Command("tmux", { args: ["-S", socket, "-f", "/dev/null", ...args] }).output();
      await tmux("new-session", "-d", "-s", "main", "sleep 60");
      try {
        const outcome = await run_job(world, {
          steps: [
            sh(
              "tmux",
              `tmux -S ${socket} new-window 'echo pwned > ${world.outside}/new'; sleep 0.3`,
            ),
          ],
        });
        assert.match(result_of(outcome, "tmux").stderr ?? "", /Permission denied/);
        assert.deepEqual([...Deno.readDirSync(world.outside)], []);
      } finally {
        await tmux("kill-server");
      }
    }),
});
