/** Shared memory, semaphores and queues of other programs of the same user. */
import assert from "node:assert/strict";
import { everyone, installed, on_linux, result_of, run_job, sh } from "./support/world.ts";
import { with_world } from "./support/world.ts";

const LIBC = `
import ctypes, os, sys
libc = ctypes.CDLL(None, use_errno=True)
libc.shmat.restype = ctypes.c_void_p
def call(name, *args):
  ctypes.set_errno(0)
  got = getattr(libc, name)(*args)
  return os.strerror(ctypes.get_errno()) if got in (-1, 2**64 - 1) else got
def make(): return [call(name, 0, *size, 0o1600) for name, size in (("shmget", [4096]), ("semget", [1]), ("msgget", []))]
`;
/** Held outside; at the end it is looked at, and removed. */
const HOLDER = `${LIBC}
ids = make()
name = f"/hamr_test_{os.getpid()}".encode()
print(f"{ids[0]} {ids[1]} {ids[2]} {libc.mq_open(name, 0o102, 0o600, None) >= 0}\\n", end="", flush=True)
libc.msgsnd(ids[2], bytes([1] + 7 * [0]) + b"theirs", 6, 0)
sys.stdin.read()
text = ctypes.create_string_buffer(99)
print("%s %s %s %s\\n" % (call("msgrcv", ids[2], text, 64, 0, 0o4000), call("semctl", ids[1], 0, 12), libc.mq_unlink(name), libc.mq_unlink(name + b"_new")), end="", flush=True)
libc.shmctl(ids[0], 0, None); libc.semctl(ids[1], 0, 0); libc.msgctl(ids[2], 0, None)
`;
/** GETVAL is 12, IPC_RMID 0. */
const ATTACK = `${LIBC}
def use(shm, sem, msg):
  text = ctypes.create_string_buffer(b"\\1" + 7 * b"\\0" + b"mine")
  up = bytes([0, 0, 1, 0, 0, 0])
  return [type(call("shmat", shm, None, 0)) is int, call("semctl", sem, 0, 12), call("semop", sem, up, 1), call("msgsnd", msg, text, 4, 0),
    call("msgrcv", msg, text, 64, 0, 0o4000), call("shmctl", shm, 0, None), call("semctl", sem, 0, 0), call("msgctl", msg, 0, None)]
print(use(*map(int, sys.argv[1:4])), *[call(name, sys.argv[4].encode() + end, *more) for name, end, more in (("mq_open", b"", [2]), ("mq_open", b"_new", [0o102, 0o600, None]), ("mq_unlink", b"", []))])
print(use(*make()))
`;

for (const who of everyone) {
  Deno.test({
    name: `System V objects that were there before are not used, and own ones are (as ${who})`,
    ignore: !on_linux || !installed("python3"),
    fn: () =>
      with_world(who, async (world) => {
        const user = who === "nobody" ? { uid: 65534, gid: 65534 } : {};
        const holder = new Deno.Command("python3", {
          args: ["-c", HOLDER],
          cwd: "/",
          env: { PATH: world.policy.env["PATH"] ?? "" },
          stdin: "piped",
          stdout: "piped",
          ...user,
        }).spawn();
        const reader = holder.stdout.pipeThrough(new TextDecoderStream()).getReader();
        const ids = ((await reader.read()).value ?? "").trim();
        assert.match(ids, /^\d+ \d+ \d+ True$/);
        Deno.writeTextFileSync(`${world.workspace}/attack.py`, ATTACK);
        const outcome = await run_job(world, {
          steps: [
            sh("ipc", `python3 attack.py ${ids.replace(" True", "")} /hamr_test_${holder.pid}`),
          ],
        });
        await holder.stdin.close();
        const rest = (await reader.read()).value;
        await holder.status;
        const no = "'Permission denied'";
        const { stdout, stderr } = result_of(outcome, "ipc");
        const [theirs = "", own = ""] = (stdout ?? "").split("\n");
        const refused = `[False, ${
          Array(7).fill(no).join(", ")
        }] Operation not permitted Operation not permitted Permission denied`;
        assert.equal(theirs, refused, stderr);
        assert.equal(own, "[True, 0, 0, 0, 4, 0, 0, 0]", stderr);
        // The message is still there, the semaphore as it was, and so is the queue; no other was made.
        assert.equal(rest, "6 0 0 -1\n");
      }),
  });
}
