/** Clients inside the sandbox that try servers outside: what they are, and which of them got through. */
import type { Policy } from "../../../src/sandbox/policy.ts";
import type { Job, Outcome } from "./job.ts";
import { installed, on_linux, result_of, run_job, sh } from "./world.ts";
import { with_servers } from "./servers.ts";
import { type Who, with_world } from "./world.ts";

/** Where the clients can be run. */
export const able = on_linux && installed("python3");

/** Clients in Python, each of which prints "reached" once it has sent something, else the error's name. `F` is the servers' folder, `P` their port. */
export const CLIENTS: Readonly<Record<string, string>> = {
  tcp: `s = socket.create_connection(("127.0.0.1", P)); s.send(b"x")`,
  tcp6: `s = socket.socket(socket.AF_INET6); s.connect(("::1", P))`,
  udp: `s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); s.sendto(b"x", ("127.0.0.1", P))`,
  udp_plain: `s = without_flags(0); s.sendto(b"x", ("127.0.0.1", P))`,
  udp_plain_connected: `s = without_flags(17); s.connect(("127.0.0.1", P)); s.send(b"x")`,
  udp_connected:
    `s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); s.connect(("127.0.0.1", P)); s.send(b"x")`,
  listen: `s = socket.socket(); s.bind(("127.0.0.1", 0)); s.listen()`,
  fast_open: `s = socket.socket(); s.sendto(b"x", 0x20000000, ("127.0.0.1", P))`,
  raw: `s = socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_ICMP)`,
  packet: `s = socket.socket(socket.AF_PACKET, socket.SOCK_RAW)`,
  netlink: `s = socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 0)`,
  uevents: `s = socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 15)`,
  mptcp: `s = socket.socket(socket.AF_INET, socket.SOCK_STREAM, 262); s.connect(("127.0.0.1", P))`,
  sctp: `s = socket.socket(socket.AF_INET, socket.SOCK_STREAM, 132)`,
  ping: `s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM, socket.IPPROTO_ICMP)`,
  smc: `s = socket.socket(43, socket.SOCK_STREAM)`,
  xdp: `s = socket.socket(44, socket.SOCK_RAW)`,
  rds: `s = socket.socket(21, socket.SOCK_SEQPACKET)`,
  can: `s = socket.socket(socket.AF_CAN, socket.SOCK_RAW)`,
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

/** What came of all clients. */
export interface Reached {
  /** Those that say that they got through. */
  readonly clients: readonly string[];
  /** Who the servers say got through. */
  readonly log: string;
  readonly outcome: Outcome;
}

/** Runs the clients under a policy, beside the servers. */
export async function reached(
  who: Who,
  policy: Partial<Policy>,
  more: Pick<Job, "no_supervisor" | "makes_sockets" | "untold"> = {},
): Promise<Reached> {
  let answer: Reached | undefined;
  await with_world(who, (world) =>
    with_servers(world, async ({ folder, port, log }) => {
      Deno.writeTextFileSync(`${world.workspace}/clients.py`, script(folder, port));
      const steps = [
        { kind: "run", name: "python", argv: ["python3", "clients.py"] } as const,
        sh("bash_tcp", `exec 3<>/dev/tcp/127.0.0.1/${port} && echo reached`),
        sh("bash_udp", `echo x >/dev/udp/127.0.0.1/${port} && echo reached`),
        sh("node", installed("node") ? `node -e '${node_client(port)}'` : "true"),
      ];
      const outcome = await run_job(world, { policy, steps, ...more });
      const clients = (result_of(outcome, "python").stdout ?? "").split("\n")
        .filter((line) => line.endsWith(" reached")).map((line) => line.split(" ")[0] ?? "");
      const others = ["bash_tcp", "bash_udp", "node"].filter((name) =>
        /^reached$/m.test(result_of(outcome, name).stdout ?? "")
      );
      answer = { clients: [...clients, ...others], log: log(), outcome };
    }));
  return answer!;
}

function script(folder: string, port: number): string {
  const all = Object.entries(CLIENTS).map(([name, client]) =>
    `def client():\n  ${client}\n  return "reached"\nattempt("${name}", client)`
  );
  return `import ctypes, socket, sys
LIBC = ctypes.CDLL(None, use_errno=True)
def without_flags(protocol):
  fd = LIBC.socket(socket.AF_INET, socket.SOCK_DGRAM, protocol)
  if fd < 0: raise OSError(ctypes.get_errno(), "socket")
  return socket.socket(fileno=fd)
F, P = "${folder}", ${port}
def attempt(name, client):
  try: print(name, client(), flush=True)
  except SystemExit: print(name, "pointless")
  except OSError as error: print(name, type(error).__name__, error.errno, flush=True)
${all.join("\n")}`;
}

function node_client(port: number): string {
  return `require("net").connect(${port}, "127.0.0.1")` +
    `.on("connect", () => { console.log("reached"); process.exit() }).on("error", (e) => console.log(e.code))`;
}
