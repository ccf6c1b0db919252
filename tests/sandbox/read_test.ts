import assert from "node:assert/strict";
import type { Policy } from "../../src/sandbox/policy.ts";
import type { Outcome, Step } from "./support/job.ts";
import { everyone, installed, on_linux, own, result_of, run_job, sh } from "./support/world.ts";
import { start_job, text_of, with_world, type World } from "./support/world.ts";

/** What no attack may print. */
const CONTENT = "the-content-of-what-is-denied";

/**
 * Ways to read what is denied, in bash: the folder $O/keys with a file `key`, the files $O/key, $O/program and $O/key.c. `$O/door` is
 * a link to the folder, made before. Each starts in a folder of its own in the workspace.
 */
const ATTACKS: Readonly<Record<string, string>> = {
  cat:
    `cat $O/keys/key $O/key; head -c 99 < $O/key; tail $O/keys/key; dd if=$O/key status=none; od -c $O/key`,
  builtin: `read x < $O/key; echo "$x"; mapfile y < $O/keys/key; echo "$y"; echo "$(< $O/key)"`,
  list: `ls $O/keys | sed 's/^key$/${CONTENT}/'; echo $O/keys/* | grep -v '[*]' && echo ${CONTENT}`,
  search: `grep -rh . $O/keys; find $O/keys -type f -exec cat {} +; grep -h . $O/key`,
  folder: `cd $O/keys && cat key; cd $O && cat key keys/key; cat ../../outside/keys/key`,
  dots: `cat ../../outside/key ../../outside/./keys/../keys/key`,
  door: `cat $O/door/key; cd $O/door && cat key`,
  link: `ln -s $O/key l; cat l; ln -s $O/keys d; cat d/key; ls d/ | sed 's/^key$/${CONTENT}/'`,
  hard_link: `ln $O/key l && cat l; ln $O/keys/key m && cat m`,
  move: `mv $O/key k && cat k; mv $O/keys d && cat d/key`,
  copy: `cp $O/key k; cp -r $O/keys d; cp -l $O/key j; cp --reflink=auto $O/key i; cat k d/key j i`,
  archive: `tar cf - $O/keys $O/key | tar xOf -; cpio -o <<< $O/key; zip -q - $O/key | cat`,
  proc_root: `cat /proc/self/root$O/key /proc/$$/root$O/keys/key /proc/{PID}/root$O/key`,
  proc_cwd: `cat /proc/{PID}/cwd/key; cd $O; cat /proc/self/cwd/key /proc/self/cwd/keys/key`,
  device: `exec 3< $O/key && cat /dev/fd/3; cat /dev/fd/../root$O/key`,
  run:
    `$O/program; . $O/program; bash $O/program; bash -c "exec $O/program"; /usr/bin/env $O/program`,
  include: `gcc -E $O/key.c; echo '#include "'$O/key.c'"' | gcc -E -; python3 $O/key.c`,
  git:
    `git init -q r && cd r && git hash-object -w $O/key && git --git-dir=.git --work-tree=$O add key && git show :key;
    git diff --no-index /dev/null $O/key`,
  mount:
    `mkdir m; mount --bind $O/keys m; unshare -m mount --bind $O/keys m; unshare -Ur cat $O/key; cat m/key`,
  root: `chroot $O cat key; unshare -r --root=$O /key`,
  background: `(setsid cat $O/key &); sleep 0.05; nohup cat $O/keys/key; timeout 1 cat $O/key`,
};

/** The same, where it takes a system call that bash has no word for. */
const PYTHON_ATTACKS: Readonly<Record<string, string>> = {
  py_handle:
    `d = os.open(O + "/keys", os.O_PATH); print(open(f"/proc/self/fd/{os.open('key', os.O_PATH, dir_fd=d)}").read())`,
  py_folder:
    `d = os.open(O, os.O_PATH); print(os.read(os.open("keys/key", os.O_RDONLY, dir_fd=d), 99))`,
  py_change: `os.fchdir(os.open(O + "/keys", os.O_PATH)); print(open("key").read())`,
  py_flags:
    `[print(os.read(os.open(O + "/key", os.O_RDONLY | f), 99)) for f in (os.O_NOATIME, os.O_DIRECT, os.O_NONBLOCK)]`,
  py_write: `print(os.read(os.open(O + "/key", os.O_RDWR), 99))`,
  py_map: `import mmap; print(mmap.mmap(os.open(O + "/key", os.O_RDONLY), 0, prot=1)[:])`,
  py_link:
    `libc.linkat(os.open(O + "/key", os.O_PATH), b"", -100, b"l", 0x1000); print(open("l").read())`,
  py_descriptor:
    `libc.linkat(-100, f"/proc/self/fd/{os.open(O + '/key', os.O_PATH)}".encode(), -100, b"l", 0x400); ` +
    `print(open("l").read())`,
  py_exchange:
    `open("k", "w"); libc.renameat2(-100, b"k", -100, (O + "/key").encode(), 2); print(open("k").read())`,
  py_thread:
    `import threading; t = threading.Thread(target=lambda: print(open(O + "/key").read())); t.start(); t.join()`,
};

function attack_steps(world: World): Step[] {
  const { outside, workspace, who } = world;
  Deno.mkdirSync(`${outside}/keys`);
  const files = { "keys/key": "", key: "", "key.c": "", program: "#!/bin/bash\n# " };
  for (const [name, start] of Object.entries(files)) {
    const code = name === "program" ? `echo ${CONTENT}\n` : `${CONTENT}\n`;
    Deno.writeTextFileSync(`${outside}/${name}`, start + code);
    Deno.chmodSync(`${outside}/${name}`, 0o755);
    own(`${outside}/${name}`, who);
  }
  Deno.writeTextFileSync(`${outside}/program`, `#!/bin/bash\necho ${CONTENT}\n`);
  Deno.writeTextFileSync(`${outside}/plain`, "plain\n");
  own(`${outside}/keys`, who);
  Deno.symlinkSync(`${outside}/keys`, `${outside}/door`);
  const steps: Step[] = [];
  const add = (name: string, argv: readonly string[]) => {
    Deno.mkdirSync(`${workspace}/${name}`);
    own(`${workspace}/${name}`, who);
    steps.push({ kind: "run", name, argv, cwd: `${workspace}/${name}` });
  };
  for (const [name, script] of Object.entries(ATTACKS)) {
    add(name, ["bash", "-c", `O=${outside}\n${script}`]);
  }
  const start = `import ctypes, os\nO, libc = "${outside}", ctypes.CDLL(None)\n`;
  for (const [name, script] of installed("python3") ? Object.entries(PYTHON_ATTACKS) : []) {
    add(name, ["python3", "-c", start + script]);
  }
  steps.push({ kind: "read", name: "sync", path: `${outside}/key` });
  steps.push({ kind: "read", name: "sync_link", path: `${outside}/door/key` });
  return steps;
}

function denied(world: World): Pick<Policy, "deny_read"> {
  const names = ["keys", "key", "key.c", "program", "none"];
  return { deny_read: names.map((name) => `${world.outside}/${name}`) };
}

/** The attacks that printed something of it. */
function successes(outcome: Outcome): string[] {
  return outcome.results.filter(({ stdout, stderr }) => `${stdout}${stderr}`.includes(CONTENT))
    .map(({ name }) => name);
}

const plain = (world: World) => sh("plain", `cat ${world.outside}/plain`);

for (const who of everyone) {
  Deno.test({
    name: `what is denied is not read, by any way (as ${who})`,
    ignore: !on_linux,
    fn: () =>
      with_world(who, async (world) => {
        const steps = [...attack_steps(world), plain(world)];
        const outcome = await run_job(world, { policy: { ...denied(world), net: "own" }, steps });
        assert.equal(outcome.refused, undefined);
        assert.deepEqual(successes(outcome), []);
        assert.equal(result_of(outcome, "plain").stdout, "plain\n");
        assert.equal(result_of(outcome, "sync").stdout, "PermissionDenied");
        assert.match(result_of(outcome, "run").stderr ?? "", /program: Permission denied/);
      }),
  });

  for (const write of ["folder", "all"] as const) {
    Deno.test({
      name: `who may write ${
        write === "all" ? "everywhere" : "its folder"
      } can't move what is denied to where it is read (as ${who})`,
      ignore: !on_linux,
      fn: () =>
        with_world(who, async (world) => {
          const steps = attack_steps(world);
          Deno.mkdirSync(`${world.outside}/open`);
          own(`${world.outside}/open`, who);
          const near =
            `cd ${world.outside}; mkdir open/new; mv keys open/; ln key open/l; mv key open/;
            cp -l key open/c; cat open/* open/keys/* keys/* other/* || mv keys other; cat other/key;
            python3 -c 'import ctypes; ctypes.CDLL(None).renameat2(-100, b"keys", -100, b"open", 2)'; cat open/key`;
          const outcome = await run_job(world, {
            policy: { ...denied(world), write: write === "all" ? "all" : [world.outside] },
            steps: [...steps, sh("near", near)],
          });
          assert.equal(outcome.refused, undefined);
          assert.deepEqual(successes(outcome), []);
        }),
    });
  }

  Deno.test({
    name: `with a list, that is read, programs start, and nothing else is read (as ${who})`,
    ignore: !on_linux,
    fn: () =>
      with_world(who, async (world) => {
        const programs: Readonly<Record<string, string>> = {
          bash: "echo works | cat",
          python3:
            `python3 -c 'import json, ssl, subprocess; print(subprocess.getoutput("echo works"))'`,
          node: `node -e 'require("https"); console.log("works")'`,
          git:
            "git init -q r && cd r && git -c user.name=n -c user.email=e commit -q --allow-empty -m works && " +
            "git log --format=%s",
          gcc:
            `printf '#include <stdio.h>\\nint main(void){puts("works");return 0;}' > a.c && gcc -o a a.c && ./a`,
          make: `printf 'all:\\n\\t@echo works\\n' > Makefile && make -s`,
        };
        const chosen = Object.keys(programs).filter(installed);
        Deno.mkdirSync(`${world.outside}/listed`);
        Deno.writeTextFileSync(`${world.outside}/listed/file`, "listed\n");
        const outcome = await run_job(world, {
          policy: { read: [`${world.outside}/listed`] },
          steps: [
            ...attack_steps(world),
            ...chosen.map((name) => sh(`start ${name}`, programs[name] ?? "")),
            sh("listed", `cat ${world.outside}/listed/file`),
            plain(world),
            sh("others", `ls / /root /home /tmp /var ${world.root}; cat ${world.root}/job.json`),
          ],
        });
        assert.deepEqual(successes(outcome), []);
        for (const name of chosen) {
          const { stdout, stderr } = result_of(outcome, `start ${name}`);
          assert.equal(stdout, "works\n", `${name}: ${stderr}`);
        }
        assert.equal(result_of(outcome, "listed").stdout, "listed\n");
        assert.equal(result_of(outcome, "plain").stdout, "");
        assert.equal(result_of(outcome, "others").stdout, "");
      }),
  });
}

const unmountable = not_mountable();

Deno.test({
  name: "without the sandbox these attacks do read it, so they prove something",
  ignore: !on_linux,
  fn: () =>
    with_world("self", async (world) => {
      const steps = attack_steps(world);
      const mounts = unmountable === "" ? { mounts: [] } : {};
      const outcome = await run_job(world, { policy: { sandbox: "off" }, steps, ...mounts });
      const names = successes(outcome);
      // Those that a kernel, a file system or a missing program can stop by itself, or that an earlier one has moved away.
      const maybe = ["mount", "root", "archive", "include", "git", "py_link", "py_flags"];
      const before = Object.keys(ATTACKS).slice(0, Object.keys(ATTACKS).indexOf("move") + 1);
      assert.deepEqual(before.filter((name) => !names.includes(name) && !maybe.includes(name)), []);
    }),
});

Deno.test({
  name: "another mount of the same folder does not open what is denied" + unmountable,
  ignore: !on_linux || unmountable !== "",
  fn: () =>
    with_world("self", async (world) => {
      const steps = attack_steps(world);
      const [part = "", whole = "", all = ""] = ["part", "whole", "all"]
        .map((name) => `${world.root}/${name}`);
      for (const path of [part, whole, all]) Deno.mkdirSync(path);
      const cat =
        `cat ${part}/key ${whole}/key ${whole}/keys/key ${all}${world.outside}/key; ls ${part}`;
      const outcome = await run_job(world, {
        policy: denied(world),
        mounts: [[`${world.outside}/keys`, part], [world.outside, whole], ["/", all]],
        steps: [
          ...steps,
          sh("mounted", cat),
          sh("beside", `cat ${whole}/plain ${all}${world.outside}/plain`),
        ],
      });
      assert.deepEqual(successes(outcome), []);
      assert.equal(result_of(outcome, "mounted").stdout, "");
      // Where they are on the disk that is mounted once more.
      const disks = new Set(["/", world.outside].map((path) => Deno.statSync(path).dev));
      assert.equal(result_of(outcome, "beside").stdout, "plain\n".repeat(3 - disks.size));
    }),
});

Deno.test({
  name: "a second name beside what is denied does not open it",
  ignore: !on_linux,
  fn: () =>
    with_world("self", async (world) => {
      const steps = attack_steps(world);
      Deno.linkSync(`${world.outside}/key`, `${world.outside}/second`);
      const outcome = await run_job(world, {
        policy: denied(world),
        steps: [...steps, sh("second", `cat ${world.outside}/second ${world.outside}/key`)],
      });
      assert.deepEqual(successes(outcome), []);
    }),
});

const devices = on_linux ? [...Deno.readDirSync("/dev")].map(({ name }) => `/dev/${name}`) : [];
const disks = devices.filter(is_disk);
const secret = ["/dev/tty1", "/dev/vcs1", "/dev/mem", "/dev/kmsg", "/dev/fuse"];
const closed = [...disks, ...secret.filter((path) => devices.includes(path))];

Deno.test({
  name: "root can't read the disk past the files on it, nor keyboards, screens and memory" +
    (disks.length === 0 || Deno.uid() !== 0 ? " (no disk, or not root)" : ""),
  ignore: disks.length === 0 || Deno.uid() !== 0,
  fn: () =>
    with_world("self", async (world) => {
      const steps = [
        sh("closed", `for d in ${closed.join(" ")}; do (exec 3< $d); done`),
        sh("open", "head -c 2 /dev/zero | wc -c; head -c 2 /dev/urandom | wc -c; ls /dev/shm >&2"),
      ];
      for (const policy of [denied(world), { read: [world.outside] }]) {
        const outcome = await run_job(world, { policy, steps });
        // A container may say "Operation not permitted" by itself.
        const lines = (result_of(outcome, "closed").stderr ?? "").trim().split("\n");
        assert.deepEqual(lines.filter((line) => !line.endsWith("Permission denied")), []);
        assert.equal(lines.length, closed.length);
        assert.equal(result_of(outcome, "open").stdout, "2\n2\n");
        assert.equal(result_of(outcome, "open").code, 0);
      }
      // A device that the user names is to be used, where root could.
      const usable = closed.find(can_open);
      if (usable === undefined) return;
      const named = await run_job(world, {
        policy: { ...denied(world), write: [usable] },
        steps: [sh("named", `(exec 3< ${usable}) && echo open`)],
      });
      assert.equal(result_of(named, "named").stdout, "open\n");
    }),
});

Deno.test({
  name:
    "known limit: a folder on the way to what is denied can't be listed, nor what appears in it later be read",
  ignore: !on_linux,
  fn: () =>
    with_world("self", async (world) => {
      attack_steps(world);
      const { outside, workspace } = world;
      const wait = "until [ -e go ]; do sleep 0.02; done";
      const host = start_job(world, {
        policy: denied(world),
        steps: [
          sh("list", `ls ${outside}`),
          sh("later", `echo > ready; ${wait}; cat ${outside}/later; cat ${outside}/plain`),
        ],
      });
      const finished = host.output();
      await text_of(`${workspace}/ready`);
      Deno.writeTextFileSync(`${outside}/later`, "later\n");
      Deno.writeTextFileSync(`${workspace}/go`, "");
      const outcome = JSON.parse(new TextDecoder().decode((await finished).stdout)) as Outcome;
      assert.match(result_of(outcome, "list").stderr ?? "", /Permission denied/);
      assert.equal(result_of(outcome, "later").stdout, "plain\n");
    }),
});

function is_disk(path: string): boolean {
  try {
    return Deno.lstatSync(path).isBlockDevice ?? false;
  } catch {
    return false;
  }
}

/** Without a capability that the sandbox takes. */
function can_open(path: string): boolean {
  const open = ["--bounding-set=-all", "--inh-caps=-all", "sh", "-c", `exec 3< ${path}`];
  return new Deno.Command("setpriv", { args: open, stderr: "null" }).outputSync().success;
}

/** Why nothing can be mounted here, for the name of a test; "" where it can. */
function not_mountable(): string {
  if (!on_linux || Deno.uid() !== 0) return " (not root)";
  const args = ["-m", "--", "mount", "--bind", "/tmp", "/tmp"];
  const { success } = new Deno.Command("unshare", { args, stderr: "null" }).outputSync();
  return success ? "" : " (mounting is forbidden here)";
}
