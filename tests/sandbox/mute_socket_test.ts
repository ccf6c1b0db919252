import assert from "node:assert/strict";
import { able } from "./support/clients.ts";
import { with_servers } from "./support/servers.ts";
import { everyone, result_of, run_job, with_world } from "./support/world.ts";

/** Ways to send with a UDP socket, and to undo what keeps it from it; and what has to work. */
const TRIES = String.raw`
import array, ctypes, fcntl, os, socket, struct, sys
libc = ctypes.CDLL(None, use_errno=True)
P = int(sys.argv[1]); SHARED = int(sys.argv[2]); TO = ("127.0.0.1", P)
def make(family=2):
  fd = libc.socket(family, 2, 0)
  if fd < 0: raise OSError(ctypes.get_errno(), "socket")
  return socket.socket(fileno=fd)
def address(port): return struct.pack("=HH4s8x", 2, socket.htons(port), bytes([127, 0, 0, 1]))
def check(result):
  if result < 0: raise OSError(ctypes.get_errno(), "call")
def plain(s): s.sendto(b"x", TO)
def empty(s): s.sendto(b"", TO)
def sendmsg(s): s.sendmsg([b"x"], [], 0, TO)
def pktinfo(s): s.sendmsg([b"x"], [(0, 8, struct.pack("I4s4s", 1, bytes([127,0,0,1]), bytes(4)))], 0, TO)
def gso(s): s.setsockopt(17, 103, 4); s.sendto(b"x" * 16, TO)
def cork(s):
  s.setsockopt(17, 1, 1)
  try: s.sendto(b"x", TO)
  finally: s.setsockopt(17, 1, 0)
def more(s):
  try: s.sendto(b"x", 0x8000, TO)
  except OSError: pass
  s.sendto(b"x", TO)
def zerocopy(s): s.setsockopt(1, 60, 1); s.sendto(b"x" * 20000, 0x4000000, TO)
def sendmmsg(s):
  name = ctypes.create_string_buffer(address(P)); data = ctypes.create_string_buffer(b"x")
  iov = ctypes.create_string_buffer(struct.pack("QQ", ctypes.addressof(data), 1))
  head = struct.pack("QI4xQQQQI4x", ctypes.addressof(name), 16, ctypes.addressof(iov), 1, 0, 0, 0) + bytes(8)
  check(libc.sendmmsg(s.fileno(), ctypes.create_string_buffer(head), 1, 0))
def unspec_then_send(s):
  libc.connect(s.fileno(), ctypes.create_string_buffer(bytes(16)), 16); s.sendto(b"x", TO)
def connected(s): s.connect(TO); s.send(b"x")
def written(s):
  libc.connect(s.fileno(), ctypes.create_string_buffer(address(P)), 16); os.write(s.fileno(), b"x")
def spliced(s):
  libc.connect(s.fileno(), ctypes.create_string_buffer(address(P)), 16)
  r, w = os.pipe(); os.write(w, b"x"); check(libc.splice(r, None, s.fileno(), None, 1, 0))
def filed(s):
  libc.connect(s.fileno(), ctypes.create_string_buffer(address(P)), 16)
  os.sendfile(s.fileno(), os.open(sys.argv[0], os.O_RDONLY), 0, 1)
def reopened(s):
  for how in (0, 1, 2): libc.shutdown(s.fileno(), how)
  s.sendto(b"x", TO)
def duplicated(s): socket.socket(fileno=os.dup(s.fileno())).sendto(b"x", TO)
def forked(s):
  pid = os.fork()
  if pid == 0:
    try: s.sendto(b"x", TO); os._exit(0)
    except OSError as e: os._exit(e.errno)
  code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
  if code: raise OSError(code, "child")
def passed(s):
  a, b = socket.socketpair(); socket.send_fds(a, [b"x"], [s.fileno()])
  socket.socket(fileno=socket.recv_fds(b, 1, 1)[1][0]).sendto(b"x", TO)
def broadcast(s): s.setsockopt(1, 6, 1); s.sendto(b"x", ("255.255.255.255", P))
def other_device(s): s.setsockopt(1, 25, b"\0"); s.sendto(b"x", TO)
def any_device(s): s.setsockopt(1, 62, 0)
def multicast(s): s.setsockopt(0, 35, socket.inet_aton("239.1.2.3") + socket.inet_aton("127.0.0.1"))
def listening(s): s.bind(("127.0.0.1", 0)); s.listen()
def detach(s): s.setsockopt(1, 27, 0)
def unlock(s): s.setsockopt(1, 44, 0)
def taken(s): s.bind(TO)
def shared(s):
  for option in (2, 15): s.setsockopt(1, option, 1)
  s.bind(("127.0.0.1", SHARED))
def shared_everywhere(s):
  for option in (2, 15): s.setsockopt(1, option, 1)
  s.bind(("0.0.0.0", SHARED))
def six(s):
  t = make(10); t.sendto(b"x", ("::ffff:127.0.0.1", P))
def six_to_four(s):
  t = make(10); libc.connect(t.fileno(), ctypes.create_string_buffer(bytes(28)), 28); t.setsockopt(41, 1, 2); t.sendto(b"x", TO)
for attack in (plain, empty, sendmsg, pktinfo, gso, cork, more, zerocopy, sendmmsg, unspec_then_send, connected, written, spliced, filed,
    reopened, duplicated, forked, passed, broadcast, other_device, any_device, multicast, listening, detach, unlock, taken, shared,
    shared_everywhere, six, six_to_four):
  try: attack(make()); print("DONE", attack.__name__)
  except OSError as error: print("refused", attack.__name__, error.errno)
s = socket.socket(type=2)
for call in (lambda: s.connect(("192.0.2.1", 1)), lambda: s.connect(TO), lambda: s.sendto(b"x", TO)):
  try: call(); print("DONE python")
  except OSError as e: print("python", e.errno, s.get_inheritable())
try: socket.socket(type=2 | socket.SOCK_NONBLOCK); print("DONE resolver")
except OSError as e: print("resolver", e.errno)
s = make(); s.bind(("127.0.0.1", 0)); print("port", s.getsockname()[1] > 0)
room = array.array("B", bytes(4096)); head = struct.pack("iP", 4096, room.buffer_info()[0])
print("interfaces", struct.unpack("iP", fcntl.ioctl(s.fileno(), 0x8912, head))[0] > 0)
t = socket.socket(); t.setsockopt(1, 2, 1); print("tcp", t.getsockopt(1, 2), t.getsockopt(1, 15))
t.setsockopt(1, 15, 1); t.setsockopt(1, 2, 0); print("tcp", t.getsockopt(1, 2), t.getsockopt(1, 15))
print("bad", libc.setsockopt(t.fileno(), 1, 2, None, 4), ctypes.get_errno(), libc.setsockopt(t.fileno(), 1, 2, b"abcd", 3), ctypes.get_errno())
`;

/** A program of the person's that lets others share its port. */
const SHARING = `import socket, sys
s = socket.socket(type=socket.SOCK_DGRAM)
for option in (2, 15): s.setsockopt(1, option, 1)
s.bind(("127.0.0.1", 0)); print(s.getsockname()[1], flush=True); sys.stdin.read()`;

for (const who of everyone) {
  Deno.test({
    name: `a UDP socket of the run tells addresses, and nothing is sent with it (as ${who})`,
    ignore: !able,
    fn: () =>
      with_world(who, (world) =>
        with_servers(world, async ({ port, log }) => {
          await using sharing = new Deno.Command("python3", {
            args: ["-c", SHARING],
            stdin: "piped",
            stdout: "piped",
          }).spawn();
          const reader = sharing.stdout.getReader();
          const shared = new TextDecoder().decode((await reader.read()).value).trim();
          Deno.writeTextFileSync(`${world.workspace}/tries.py`, TRIES);
          const argv = ["python3", "tries.py", String(port), shared];
          const steps = [{ kind: "run", name: "tries", argv } as const];
          for (const net of ["own", "loopback"] as const) {
            const outcome = await run_job(world, { policy: { net }, steps });
            const lines = (result_of(outcome, "tries").stdout ?? "").trim().split("\n");
            assert.deepEqual(lines.filter((line) => line.startsWith("DONE")), []);
            assert.equal(lines.filter((line) => line.startsWith("refused")).length, 30);
            assert.ok(lines.includes("refused plain 32"), lines.join("\n"));
            assert.ok(lines.includes("refused shared 98"), lines.join("\n"));
            assert.deepEqual(lines.slice(-9), [
              ...["python 13 False", "python 13 False", "python 32 False", "resolver 13"],
              "port True",
              "interfaces True",
              "tcp 1 0",
              "tcp 0 1",
              "bad -1 14 -1 22",
            ]);
          }
          assert.equal(log(), "");
          // As it is done where the network is allowed, it is the sandbox that refused.
          const outcome = await run_job(world, { policy: { net: "all" }, steps });
          const said = result_of(outcome, "tries").stdout ?? "";
          for (const name of ["plain", "sendmmsg", "gso", "cork", "spliced", "shared"]) {
            assert.match(said, new RegExp(`^DONE ${name}$`, "m"));
          }
          assert.notEqual(log(), "");
          await reader.cancel();
          await sharing.stdin.close();
        })),
  });
}
