import assert from "node:assert/strict";
import type { Step } from "./support/job.ts";
import { everyone, installed, on_linux, own, result_of, run_job, sh } from "./support/world.ts";
import { with_world, type World } from "./support/world.ts";

/**
 * Ways out of the workspace, in bash. Each has its own folder outside ($O) with a file `victim`, and its own in the workspace, where it starts
 * and where `planted` is a link to $O. Each is judged by what is outside afterwards, or by its saying "reached".
 */
const ATTACKS: Readonly<Record<string, string>> = {
  absolute: `echo pwned > $O/victim; echo pwned >> $O/victim; echo pwned > $O/new`,
  dot_dot: `echo pwned > ../../outside/dot_dot/victim; cp /etc/hostname ../../outside/dot_dot/new`,
  link_to_file: `ln -s $O/victim l; echo pwned > l; cp /etc/hostname l`,
  link_to_folder: `ln -s $O d; echo pwned > d/victim; echo pwned > d/new; mkdir d/new2`,
  planted_link: `echo pwned > planted/victim; echo pwned > planted/new; rm -f planted/victim`,
  dangling_link: `ln -s $O/new l; echo pwned > l; cp /etc/hostname l`,
  move_out: `echo pwned > f; mv f $O/new; mv -f f $O/victim; mkdir d; mv d $O/new`,
  move_in: `mv $O/victim .; mv -T $O . `,
  hard_link_out: `echo pwned > f; ln f $O/new`,
  hard_link_in: `ln $O/victim l && echo pwned > l`,
  truncate: `truncate -s 0 $O/victim; : > $O/victim; >| $O/victim`,
  remove: `rm -f $O/victim; unlink $O/victim; rm -rf $O`,
  make: `mkdir $O/a; mkfifo $O/b; ln -s x $O/c; mknod $O/d p; touch $O/e; mktemp -p $O`,
  proc_root: `echo pwned > /proc/self/root$O/victim; echo pwned > /proc/{PID}/root$O/victim`,
  proc_cwd: `echo pwned > /proc/{PID}/cwd/proc_cwd/victim; ls /proc/{PID}/cwd/ && echo reached`,
  descriptor: `exec 3< $O/victim; echo pwned > /proc/self/fd/3; echo pwned > /dev/fd/3`,
  folder_descriptor: `cd $O; echo pwned > victim; echo pwned > ./new`,
  deep: `p=$(printf 'a/../%.0s' {1..400}); mkdir -p a; echo pwned > $p../../outside/deep/victim`,
  shell_tools:
    `sed -i s/safe/pwned/ $O/victim; dd if=/etc/hostname of=$O/victim; tee $O/new < /dev/null`,
  archive: `echo pwned > victim; tar cf x.tar victim; tar xf x.tar -C $O; tar xPf x.tar -C $O`,
  git: `git init -q $O/new; git clone -q . $O/new2`,
  background: `(sleep 0.05; echo pwned > $O/victim) & wait`,
  fresh_name:
    `mkdir d; for i in 1 2 3 4 5 6 7 8 9; do rmdir d 2>/dev/null; ln -sfn $O d; echo pwned > d/new; done`,
  inode_flags: `chattr +d $O/victim && echo reached`,
  terminal: `for t in /dev/tty /dev/ttyS0 /dev/pts/*; do echo pwned > $t && echo reached; done`,
  disk: `for d in /dev/vda /dev/sda /dev/loop0 /dev/zram0; do (exec 3<> $d) && echo reached; done`,
  kernel: `for f in /proc/sysrq-trigger /proc/sys/kernel/core_pattern /proc/{PID}/oom_score_adj ` +
    `/sys/fs/cgroup/x; do (exec 3>> $f) && echo reached; done`,
};

/** The same, where it takes a system call that bash has no word for. */
const PYTHON_ATTACKS: Readonly<Record<string, string>> = {
  py_truncate: `os.truncate(f"{O}/victim", 0)`,
  py_read_truncate: `os.open(f"{O}/victim", os.O_RDONLY | os.O_TRUNC)`,
  py_nameless: `os.open(O, os.O_TMPFILE | os.O_RDWR); print("reached")`,
  py_exchange: `open("f", "w").write("pwned"); ctypes.CDLL(None).renameat2(-100, b"f", -100, ` +
    `f"{O}/victim".encode(), 2)`,
  py_socket: `s = socket.socket(socket.AF_UNIX); s.bind(f"{O}/new")`,
  py_attribute: `os.setxattr(f"{O}/victim", "user.hamr", b"pwned"); print("reached")`,
  py_folder: `d = os.open(O, os.O_RDONLY); os.open("new", os.O_CREAT | os.O_WRONLY, dir_fd=d)`,
  py_by_link: `os.link(f"/proc/self/fd/{os.open(O + '/victim', os.O_PATH)}", "l"); ` +
    `open("l", "w").write("pwned")`,
};

function attack_steps(world: World): Step[] {
  const steps: Step[] = [];
  const add = (name: string, argv: (outside: string) => string[]) => {
    const outside = `${world.outside}/${name}`;
    const inside = `${world.workspace}/${name}`;
    for (const folder of [outside, inside]) {
      Deno.mkdirSync(folder);
      own(folder, world.who);
    }
    Deno.writeTextFileSync(`${outside}/victim`, "safe");
    own(`${outside}/victim`, world.who);
    Deno.symlinkSync(outside, `${inside}/planted`);
    steps.push({ kind: "run", name, argv: argv(outside), cwd: inside });
  };
  for (const [name, script] of Object.entries(ATTACKS)) {
    add(name, (outside) => ["bash", "-c", `O=${outside}\n${script}`]);
  }
  if (installed("python3")) {
    const imports = "import os, socket, ctypes, sys";
    for (const [name, script] of Object.entries(PYTHON_ATTACKS)) {
      add(name, (outside) => ["python3", "-c", `${imports}\nO = "${outside}"\n${script}`]);
    }
  }
  for (const name of ["sync", "sync_new", "sync_link"]) {
    add(name, () => []);
    const planted = `${world.workspace}/${name}/planted`;
    const path = {
      sync: `${world.outside}/sync/victim`,
      sync_new: `${world.outside}/sync_new/new`,
      sync_link: `${planted}/victim`,
    }[name]!;
    steps[steps.length - 1] = { kind: "write", name, path };
  }
  return steps;
}

/** The attacks that changed something outside, or said that they could have. */
function successes(
  world: World,
  outcome: Awaited<ReturnType<typeof run_job>>,
): string[] {
  return outcome.results.filter(({ name, stdout, wrote }) => {
    try {
      const names = [...Deno.readDirSync(`${world.outside}/${name}`)].map((entry) => entry.name);
      const content = Deno.readTextFileSync(`${world.outside}/${name}/victim`);
      return names.join() !== "victim" || content !== "safe" ||
        /^reached/m.test(stdout ?? "") || wrote === "ok";
    } catch {
      return true;
    }
  }).map(({ name }) => name);
}

for (const who of everyone) {
  Deno.test({
    name: `nothing outside is written, made, moved or removed (as ${who})`,
    ignore: !on_linux,
    fn: () =>
      with_world(who, async (world) => {
        const outcome = await run_job(world, { steps: attack_steps(world) });
        assert.equal(outcome.refused, undefined);
        assert.deepEqual(successes(world, outcome), []);
        assert.equal(result_of(outcome, "sync_link").wrote, "PermissionDenied");
      }),
  });
}

Deno.test({
  name: "the same on a kernel with the oldest Landlock",
  ignore: !on_linux,
  fn: () =>
    with_world("self", async (world) => {
      const outcome = await run_job(world, { abi: 1, steps: attack_steps(world) });
      assert.deepEqual(successes(world, outcome), []);
    }),
});

Deno.test({
  name: "without the sandbox these attacks do succeed, so they prove something",
  ignore: !on_linux,
  fn: () =>
    with_world("self", async (world) => {
      const dangerous = ["disk", "kernel", "terminal", "inode_flags", "py_attribute"];
      const steps = attack_steps(world).filter(({ name }) => !dangerous.includes(name));
      const outcome = await run_job(world, { policy: { sandbox: "off" }, steps });
      assert.deepEqual(outcome.layers, []);
      const failed = steps.map(({ name }) => name)
        .filter((name) => !successes(world, outcome).includes(name));
      // A hard link to the victim's descriptor needs AT_SYMLINK_FOLLOW, which Python does not pass on every version.
      assert.deepEqual(failed.filter((name) => name !== "py_by_link"), []);
    }),
});

Deno.test({
  name: "the workspace, the temporary folder, the spill and what the policy names can be written",
  ignore: !on_linux,
  fn: () =>
    with_world("self", async (world) => {
      const { workspace, outside } = world;
      const { tmp, spill } = world.policy;
      Deno.mkdirSync(`${outside}/folder`);
      Deno.writeTextFileSync(`${outside}/file`, "");
      const outcome = await run_job(world, {
        policy: { write: [`${outside}/folder`, `${outside}/file`] },
        steps: [
          sh(
            "all",
            `set -e; for d in ${workspace} ${tmp} ${spill} ${outside}/folder; do cd $d; mkdir -p a/b; ` +
              `echo x > a/b/f; mv a/b/f a/g; ln a/g a/h; ln -s g a/l; mkfifo a/p; rm -r a; done; ` +
              `echo y > ${outside}/file; truncate -s 1 ${outside}/file; mktemp; echo x >/dev/null; ` +
              `dd if=/dev/zero of=/dev/zero bs=1 count=1 status=none`,
          ),
          sh("beside", `echo x > ${outside}/other; rm ${outside}/file`),
          { kind: "write", name: "sync", path: `${outside}/folder/f` },
        ],
      });
      const all = result_of(outcome, "all");
      assert.equal(all.code, 0, all.stderr);
      assert.notEqual(result_of(outcome, "beside").code, 0);
      assert.equal(result_of(outcome, "sync").wrote, "ok");
      assert.equal(Deno.readTextFileSync(`${outside}/file`), "y");
    }),
});

Deno.test({
  name: "write: all lifts the write scope and nothing else",
  ignore: !on_linux,
  fn: () =>
    with_world("self", async (world) => {
      const outcome = await run_job(world, {
        policy: { write: "all" },
        steps: [
          sh(
            "write",
            `echo x > ${world.outside}/f && mkdir d && mv ${world.outside}/f d/ && mv d ${world.outside}`,
          ),
          sh("signal", "kill -0 {PID}"),
          sh("net", "exec 3<>/dev/tcp/127.0.0.1/9"),
          sh("device", `mknod ${world.outside}/null c 1 3`),
        ],
      });
      const codes = outcome.results.map(({ name, code }) => [name, code === 0]);
      assert.deepEqual(codes, [
        ["write", true],
        ["signal", false],
        ["net", false],
        ["device", false],
      ]);
    }),
});

Deno.test({
  name: "a path that does not exist is an error that names it, and the flag that goes on without",
  ignore: !on_linux,
  fn: () =>
    with_world("self", async (world) => {
      const missing = `${world.outside}/missing`;
      const { refused } = await run_job(world, { policy: { write: [missing] }, steps: [] });
      assert.match(refused ?? "", new RegExp(`${missing}.*ENOENT \\(2\\).*--sandbox off`));
    }),
});

Deno.test({
  name: "known gap: times of files outside can be changed, and files read",
  ignore: !on_linux,
  fn: () =>
    with_world("self", async (world) => {
      const file = `${world.outside}/file`;
      Deno.writeTextFileSync(file, "text");
      const outcome = await run_job(world, {
        steps: [sh("gap", `touch -d @1000 ${file} && cat ${file}`)],
      });
      // When a kernel closes this, `describe` must stop saying otherwise.
      assert.equal(result_of(outcome, "gap").stdout, "text");
      assert.equal(Deno.statSync(file).mtime?.getTime(), 1_000_000);
    }),
});

for (const who of everyone) {
  Deno.test({
    name:
      `nothing becomes writable by a link that somebody puts in the place of the workspace, or of what is on its way (as ${who})`,
    ignore: !on_linux,
    fn: () =>
      with_world(who, async (world) => {
        const { root, workspace, outside } = world;
        for (const [link, to] of [["ws", outside], ["way", root]] as const) {
          Deno.symlinkSync(to, `${root}/${link}`);
        }
        const inside = workspace.slice(root.length);
        for (
          const policy of [{ workspace: `${root}/ws` }, { workspace: `${root}/way${inside}` }, {
            write: [`${root}/ws`],
          }]
        ) {
          const { refused } = await run_job(world, { policy, steps: [sh("none", "true")] });
          assert.match(
            refused ?? "",
            /to allow it, failed with ELOOP .* has just put a link there/,
          );
        }
      }),
  });
}
