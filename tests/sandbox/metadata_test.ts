/** Owners, modes, set-id bits and priorities: what Landlock knows nothing about. */
import assert from "node:assert/strict";
import { everyone, installed, on_linux, own, result_of, run_job, sh } from "./support/world.ts";
import { with_world } from "./support/world.ts";

/** Each changes a file outside; `{OUT}` is the folder that it is in. */
const OUTSIDE_ATTACKS: Readonly<Record<string, string>> = {
  chmod: `chmod 666 {OUT}/f; chmod -R 777 {OUT}; cd {OUT} && chmod 666 f`,
  link: `ln -s {OUT}/f l; chmod 666 l; ln -s {OUT} d; chmod 777 d d/f`,
  dots: `chmod 666 ../../../../../../../../../../{OUT}/f; chmod 666 {OUT}/../{OUTNAME}/f`,
  proc:
    `chmod 666 /proc/self/cwd/../{OUTNAME}/f /proc/self/root{OUT}/f; exec 3< {OUT}/f; chmod 666 /dev/fd/3 /proc/self/fd/3`,
  owner:
    `chown $(id -u) {OUT}/f; chown nobody {OUT}/f; chgrp nogroup {OUT}/f; touch -d 2001-01-01 own; chown --reference own {OUT}/f`,
};

const PYTHON_OUTSIDE = `
import os
def attempt(f, *a, **k):
    try: f(*a, **k)
    except OSError: pass
out = "{OUT}/f"
fd = os.open(out, os.O_RDONLY)
folder = os.open("{OUT}", os.O_RDONLY)
attempt(os.fchmod, fd, 0o666)
attempt(os.fchown, fd, os.getuid(), os.getgid())
attempt(os.fchown, fd, 65534, 65534)
attempt(os.chmod, "f", 0o666, dir_fd=folder)
attempt(os.chown, "f", 65534, 65534, dir_fd=folder)
attempt(os.lchown, out, 65534, 65534)
os.chdir(folder)
attempt(os.chmod, "f", 0o666)
attempt(os.chmod, "/proc/self/fd/%d" % fd, 0o666)
import threading, ctypes
libc = ctypes.CDLL(None)
path = ctypes.create_string_buffer(b"{WS}/own" + b"\\0" * 4000)
stop = False
def swap():
    while not stop:
        path.value = out.encode()
        path.value = b"{WS}/own"
t = threading.Thread(target=swap); t.start()
for _ in range(200): libc.chmod(path, 0o600)
stop = True; t.join()
print("done")
`;

/** A file outside whose path ends as those of removed files do, and one whose path is longer than the kernel tells. */
const OUTSIDE_NAMES = `
import os
def attempt(f, *a):
    try: f(*a)
    except OSError: pass
for name in ("f (deleted)", "d (deleted)"):
    attempt(os.chmod, "{OUT}/" + name, 0o777)
    attempt(os.fchmod, os.open("{OUT}/" + name, os.O_RDONLY), 0o777)
    attempt(os.chown, "{OUT}/" + name, 65534, 65534)
os.chdir("{OUT}")
for _ in range(20): os.chdir("d" * 250)
attempt(os.chmod, "f", 0o777)
attempt(os.fchmod, os.open("f", os.O_RDONLY), 0o777)
print("done")
`;

/** What has no name, and what has one like those of removed files, where it may be written. */
const OWN_NAMES = `
import os, stat
def mode(fd): return stat.S_IMODE(os.fstat(fd).st_mode)
gone = os.open("gone", os.O_CREAT | os.O_RDWR, 0o600); os.unlink("gone")
memory = os.memfd_create("memory")
unnamed = os.open(".", os.O_TMPFILE | os.O_RDWR, 0o600)
named = os.open("f (deleted)", os.O_CREAT | os.O_RDWR, 0o600)
for fd in (gone, memory, unnamed, named, os.pipe()[0]):
    os.fchmod(fd, 0o640); assert mode(fd) == 0o640, fd
os.chmod("f (deleted)", 0o604); assert mode(named) == 0o604
os.mkdir("d (deleted)", 0o700); os.chmod("d (deleted)", 0o755)
print("done")
`;

Deno.test({
  name: "a file outside keeps its mode whatever its path looks like, and one's own is changed",
  ignore: !on_linux || !installed("python3"),
  fn: async (t) => {
    for (const who of everyone) {
      await t.step(`as ${who}`, async () => {
        await with_world(who, async (world) => {
          const out = world.outside;
          const make = "mkdir 'd (deleted)'; touch 'f (deleted)'; chmod 700 *; " +
            'n=$(printf "d%.0s" $(seq 250)); for i in $(seq 20); do mkdir $n; cd $n; done; touch f; chmod 700 f';
          const looked =
            'stat -c "%a %u" *; n=$(printf "d%.0s" $(seq 250)); for i in $(seq 20); do cd $n; done; stat -c "%a %u" f';
          const user = who === "nobody" ? { uid: 65534, gid: 65534 } : {};
          const run = (script: string) =>
            new TextDecoder().decode(
              new Deno.Command("bash", { args: ["-c", script], cwd: out, ...user }).outputSync()
                .stdout,
            );
          run(make);
          const before = run(looked);
          assert.deepEqual(before.match(/^700 /gm)?.length, 3, before);
          const steps = [
            {
              kind: "run",
              name: "outside",
              argv: ["python3", "-c", OUTSIDE_NAMES.replaceAll("{OUT}", out)],
            } as const,
            { kind: "run", name: "own", argv: ["python3", "-c", OWN_NAMES] } as const,
          ];
          const outcome = await run_job(world, { steps });
          assert.equal(result_of(outcome, "outside").stdout, "done\n");
          assert.equal(run(looked), before);
          const { stdout, stderr } = result_of(outcome, "own");
          assert.equal(stdout, "done\n", stderr);
        });
      });
    }
  },
});

Deno.test({
  name: "nothing outside gets another owner or mode, whatever leads to it",
  ignore: !on_linux,
  fn: async (t) => {
    for (const who of everyone) {
      await t.step(`as ${who}`, async () => {
        await with_world(who, async (world) => {
          const out = `${world.outside}/kept`;
          Deno.mkdirSync(out);
          Deno.writeTextFileSync(`${out}/f`, "x");
          Deno.chmodSync(`${out}/f`, 0o640);
          own(out, who);
          own(`${out}/f`, who);
          const before = ["", "/f"].map((name) => looks(out + name));
          const filled = (text: string) =>
            text.replaceAll("{OUT}", out).replaceAll("{OUTNAME}", "kept").replaceAll(
              "{WS}",
              world.workspace,
            );
          const steps = Object.entries(OUTSIDE_ATTACKS).map(([name, script]) =>
            sh(name, filled(script), world.workspace)
          );
          if (installed("python3")) {
            steps.push({
              kind: "run",
              name: "python",
              argv: ["python3", "-c", filled(`open("{WS}/own", "w").close()\n${PYTHON_OUTSIDE}`)],
            });
          }
          const outcome = await run_job(world, { steps });
          assert.deepEqual(["", "/f"].map((name) => looks(out + name)), before);
          if (installed("python3")) assert.match(result_of(outcome, "python").stdout ?? "", /done/);
        });
      });
    }
  },
});

const LEASE = `import fcntl, os
for kind in (0, 1):
  for name in ("{OUT}/f", "own"):
    try:
      fcntl.fcntl(os.open(name, os.O_RDONLY), fcntl.F_SETLEASE, kind)
      print("leased", name)
    except OSError as e: print(e.errno)
fcntl.flock(os.open("own", os.O_RDONLY), fcntl.LOCK_EX)`;

Deno.test({
  name: "no lease on a file holds up who opens it",
  ignore: !on_linux || !installed("python3"),
  fn: async (t) => {
    for (const who of everyone) {
      await t.step(`as ${who}`, async () => {
        await with_world(who, async (world) => {
          for (const file of [`${world.outside}/f`, `${world.workspace}/own`]) {
            Deno.writeTextFileSync(file, "x");
            own(file, who);
          }
          const argv = ["python3", "-c", LEASE.replaceAll("{OUT}", world.outside)];
          const steps = [{ kind: "run" as const, name: "lease", argv, cwd: world.workspace }];
          const outcome = await run_job(world, { steps });
          assert.equal(result_of(outcome, "lease").stdout, "22\n22\n22\n22\n");
        });
      });
    }
  },
});

/** Each makes a file `x` with a set-id bit, or tries to. */
const SET_ID_ATTACKS: Readonly<Record<string, string>> = {
  chmod: `cp /bin/true x; chmod u+s x; chmod 6755 x; chmod g+s x`,
  install: `install -m 4755 /bin/true x; install -m 2755 /bin/true x`,
  copy:
    `cp -p $(command -v su || command -v passwd) x; cp -a $(command -v passwd || command -v su) x`,
  tar: `mkdir t; cp /bin/true t/x; tar -C t --mode=4755 -cf t.tar x; tar -xpf t.tar`,
  python:
    `python3 -c 'import os; os.close(os.open("x", os.O_CREAT|os.O_WRONLY, 0o6755))'; python3 -c 'import os; os.mknod("x", 0o106755)'`,
};

Deno.test({
  name: "nothing gets a set-user-id or set-group-id bit",
  ignore: !on_linux,
  fn: async (t) => {
    for (const who of everyone) {
      await t.step(`as ${who}`, async () => {
        await with_world(who, async (world) => {
          const names = Object.keys(SET_ID_ATTACKS);
          for (const name of names) {
            Deno.mkdirSync(`${world.workspace}/${name}`);
            own(`${world.workspace}/${name}`, who);
          }
          await run_job(world, {
            steps: names.map((name) =>
              sh(name, `umask 0; ${SET_ID_ATTACKS[name]}`, `${world.workspace}/${name}`)
            ),
          });
          for (const name of names) {
            for (const entry of Deno.readDirSync(`${world.workspace}/${name}`)) {
              const { mode } = Deno.lstatSync(`${world.workspace}/${name}/${entry.name}`);
              assert.equal((mode ?? 0) & 0o6000, 0, `${name}/${entry.name}`);
            }
          }
        });
      });
    }
  },
});

/** A thread's name begins what the kernel says of it; it may hold what JavaScript takes for the end of a line. */
const FORGED_NAMES = `
import ctypes, os, threading
libc = ctypes.CDLL(None)
os.close(os.open("x", os.O_CREAT, 0o755)); os.chmod("x", 0o755)
def attempt(f, *a):
    try: f("x", *a); print("done", a)
    except OSError: pass
for end in (b"\\r", b"\\xe2\\x80\\xa8", b"\\xe2\\x80\\xa9", b"\\n", b"\\xc2\\x85"):
    for line in (b"Tgid:\\t{PID}", b"Uid:\\t0\\t0\\t0\\t0", b"Gid:\\t1\\t1\\t1\\t1", b"Groups:\\t1"):
        libc.prctl(15, end + line)
        attempt(os.chmod, 0o4755); attempt(os.chmod, 0o2755)
        attempt(os.chown, 1, -1); attempt(os.chown, -1, 1)
libc.prctl(15, b"\\rUid:\\t7\\t7\\t7\\t7")
os.chmod("x", 0o700); os.chown("x", os.getuid(), os.getgid())
print("own as ever", oct(os.stat("x").st_mode))
`;

for (const who of everyone) {
  Deno.test({
    name: `no name of a thread makes it another program, or another user's (as ${who})`,
    ignore: !on_linux || !installed("python3"),
    fn: async () => {
      await with_world(who, async (world) => {
        const argv = ["python3", "-c", FORGED_NAMES];
        const outcome = await run_job(world, { steps: [{ kind: "run", name: "forged", argv }] });
        const { stdout, stderr } = result_of(outcome, "forged");
        assert.equal(stdout, "own as ever 0o100700\n", stderr);
      });
    },
  });
}

/** Everyday work with owners and modes; each says `ok` where it did what it was to do. */
const WORK: Readonly<Record<string, string>> = {
  modes: `touch f; chmod 755 f; chmod a-w f; [ "$(stat -c %a f)" = 555 ] && echo ok`,
  relative: `mkdir d; touch d/f; cd d; chmod 700 f ../d && [ "$(stat -c %a f)" = 700 ] && echo ok`,
  link: `touch f; ln -s f l; chmod 600 l && [ "$(stat -c %a f)" = 600 ] && echo ok`,
  temporary: `touch $TMPDIR/f; chmod 600 $TMPDIR/f && echo ok`,
  recursive:
    `mkdir -p a/b; touch a/b/c; chmod -R u+rwX,go-rwx a && [ "$(stat -c %a a/b)" = 700 ] && echo ok`,
  group:
    `mkdir d; chmod 2775 d && [ "$(stat -c %a d)" = 2775 ] && touch d/f && [ ! -g d/f ] && echo ok; chmod 4775 d && echo bad`,
  shared:
    `command -v git > /dev/null || { echo ok; exit; }; git init -q --shared=group r && echo ok`,
  missing: `chmod 600 none 2>&1 | grep -q "No such file" && echo ok`,
  own: `touch f; chown $(id -u):$(id -g) f && echo ok`,
  copy: `cp /etc/passwd p && cp -p p q && cmp p q && echo ok`,
  tar:
    `mkdir t; echo x > t/x; chmod 751 t/x; tar -cf t.tar t && rm -r t && tar -xf t.tar && [ "$(stat -c %a t/x)" = 751 ] && echo ok`,
  install: `install -d i && install -m 755 /bin/true i/t && i/t && echo ok`,
  nice: `nice -n 5 true && echo ok`,
  affinity: `command -v taskset > /dev/null || { echo ok; exit; }; taskset -c 0 true && echo ok`,
  renice:
    `command -v renice > /dev/null || { echo ok; exit; }; sleep 5 & renice -n 19 -p $! > /dev/null && echo ok; kill $!`,
};

Deno.test({
  name: "honest work with owners, modes and priorities goes on as ever",
  ignore: !on_linux,
  fn: async (t) => {
    for (const who of everyone) {
      await t.step(`as ${who}`, async () => {
        await with_world(who, async (world) => {
          const names = Object.keys(WORK);
          for (const name of names) {
            Deno.mkdirSync(`${world.workspace}/${name}`);
            own(`${world.workspace}/${name}`, who);
          }
          const outcome = await run_job(world, {
            steps: names.map((name) => sh(name, WORK[name] ?? "", `${world.workspace}/${name}`)),
          });
          for (const name of names) {
            const { stdout = "", stderr = "" } = result_of(outcome, name);
            assert.match(stdout, /^ok$/m, `${name}: ${stderr}`);
            assert.doesNotMatch(stdout, /^bad$/m, name);
          }
        });
      });
    }
  },
});

for (const who of everyone) {
  Deno.test({
    name: `a program outside keeps its priority and its processors (as ${who})`,
    ignore: !on_linux,
    fn: async () => {
      const user = who === "nobody" ? { uid: 65534, gid: 65534 } : {};
      const options: Deno.CommandOptions = { args: ["60"], cwd: "/", stdout: "null", ...user };
      const other = new Deno.Command("sleep", options).spawn();
      try {
        const stat = () =>
          new TextDecoder().decode(
            new Deno.Command("sh", {
              args: [
                "-c",
                `cut -d' ' -f18,19,39,40,41 /proc/${other.pid}/stat; grep Cpus_allowed: /proc/${other.pid}/status`,
              ],
            }).outputSync().stdout,
          );
        const before = stat();
        const attack =
          `for p in ${other.pid} {PID} {TID}; do renice -n 19 -p $p; ionice -c 3 -p $p; chrt -i -p 0 $p; taskset -cp 0 $p; done; renice -n 19 -u $(id -u); renice -n 19 -g {PGID}`;
        await with_world(who, async (world) => {
          await run_job(world, { steps: [sh("renice", attack)] });
        });
        assert.equal(stat(), before);
      } finally {
        other.kill("SIGKILL");
        await other.status;
      }
    },
  });
}

function looks(path: string): string {
  const { mode, uid, gid } = Deno.lstatSync(path);
  return [mode, uid, gid].join(" ");
}

/** The folder of open files is each process's own: by a link, or by hamr's number, the supervisor could take its own for it. */
const OPEN_FILES = `
import os, socket
os.symlink("/proc/self/fd", "l"); own = set(os.listdir("l"))
got = set()
for folder in ("l", "/proc/self/cwd/l", ".//l", "/proc/{PID}/fd", "/proc/{PID}/task/{TID}/fd"):
  for nth in map(str, range(99)):
    if nth in own: continue
    for change in (lambda path: os.chmod(path, 0o700), lambda path: os.chown(path, -1, os.getgid())):
      try: change(f"{folder}/{nth}"); got.add(f"{folder}/{nth}")
      except OSError: pass
print("reached", got)
f = os.open("f", os.O_RDWR | os.O_CREAT); os.mkdir("d"); d = os.open("d", os.O_RDONLY); r, _ = os.pipe()
paths = f"/proc/self/fd/{f}", f"/proc/thread-self/fd/{f}", "/proc/self/cwd/f", f"/proc/self/root{os.getcwd()}/f", f"/dev/fd/{r}"
for path in paths: os.chmod(path, 0o600); os.chmod(path, 0o640)
servers = [socket.socket(socket.AF_UNIX) for _ in range(2)]
servers[0].bind("d/s"); servers[0].listen(); servers[1].connect(f"/proc/self/fd/{d}/s")
print("own files as ever")
`;

for (const who of everyone) {
  Deno.test({
    name: `no open file of hamr's changes its mode, by any path, and own ones do (as ${who})`,
    ignore: !on_linux || !installed("python3"),
    fn: () =>
      with_world(who, async (world) => {
        Deno.writeTextFileSync(`${world.workspace}/x.py`, OPEN_FILES);
        const steps = [sh("python", "python3 x.py")];
        const outcome = await run_job(world, { policy: { net: "own" }, steps });
        const { stdout, stderr } = result_of(outcome, "python");
        assert.equal(stdout, "reached set()\nown files as ever\n", stderr);
      }),
  });
}
