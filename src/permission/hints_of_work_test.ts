/** Words of everyday work that the sandbox refuses, and the same words where it was not the sandbox. */
import assert from "node:assert/strict";
import { test_policy } from "../sandbox/_testing.ts";
import { hints } from "./hints.ts";

/** `tmp`: its owner is whom commands run as. */
function said(output: string, policy: Parameters<typeof test_policy>[0] = {}): string[] {
  const whole = test_policy({ workspace: "/ws", env: { HOME: "/home/me" }, net: "own", ...policy });
  return hints({ command: "./program", exit_code: 1, output }, whole);
}

Deno.test("a build folder that CMake can't make, which stands in the line after", () => {
  const cmake = (folder: string) =>
    `CMake Error: Unable to (re)create the private pkgRedirects directory:\n${folder}/CMakeFiles/pkgRedirects\n`;
  assert.match(
    said(cmake("/tmp/b"))[0] ?? "",
    /does not allow writing \/tmp\/b\/CMakeFiles\/pkgRedirects; use \$TMPDIR/,
  );
  assert.deepEqual(said(cmake("/ws/build")), []);
});

Deno.test("a push to a repository on this machine that can't be written", () => {
  const push = (to: string) =>
    `error: remote unpack failed: unable to create temporary object directory\nTo ${to}\n` +
    " ! [remote rejected] main -> main (unpacker error)\n";
  assert.match(said(push("/srv/git/a.git"))[0] ?? "", /does not allow writing \/srv\/git\/a\.git/);
  for (const to of ["/ws/a.git", "example.com:a.git", "https://example.com/a.git"]) {
    assert.deepEqual(said(push(to)), [], to);
  }
});

Deno.test("a file for another user: root is told what does without, anybody else nothing", () => {
  const lines = [
    "tar: t/a: Cannot change ownership to uid 1001, gid 1001: Operation not permitted",
    "cp: failed to preserve ownership for './apt/term.log': Operation not permitted",
    'rsync: [receiver] chown "/ws/r/.hostname.SjtapG" failed: Operation not permitted (1)',
    "chgrp: changing group of 'cg': Operation not permitted",
    "chown: changing ownership of 'cg': Operation not permitted",
    "2026/11/24 16:48:00 chown a.txt: operation not permitted",
    "Error: EPERM: operation not permitted, chown 'a.txt'",
  ];
  const root = Deno.statSync("/").uid === 0;
  const own = Deno.makeTempDirSync();
  try {
    for (const line of lines) {
      if (root) {
        assert.match(
          said(line, { tmp: "/" })[0] ?? "",
          /can't give files .* --no-same-owner/,
          line,
        );
      }
      if (Deno.uid() !== 0) assert.deepEqual(said(line, { tmp: own }), [], line);
    }
  } finally {
    Deno.removeSync(own);
  }
  assert.deepEqual(said("kill: (1) - Operation not permitted", { tmp: "/" }), []);
});

Deno.test("counters of the kernel, and words of ss that cost nothing", () => {
  const lua = "lua5.4: a.lua:1: unable to generate a unique filename";
  assert.match(said(`${lua}\n`)[0] ?? "", / --allow-write=\/tmp$/);
  const perf = "No permission to enable task-clock event.";
  assert.deepEqual(said(`Error:\n${perf}\n`), [
    "the sandbox allows no performance counters (perf); only --sandbox off does",
  ]);
  const ss = "Cannot open netlink socket: Address family not supported by protocol";
  assert.deepEqual(said(ss), []);
  const pip = "× pip subprocess to install build dependencies did not run successfully.";
  assert.match(said(pip, { net: "none" })[0] ?? "", /allows no network/);
  assert.match(said(ss, { net: "none" })[0] ?? "", /allows no network/);
});

Deno.test("java's datagrams are called that, its other sockets are not", () => {
  const trace = (where: string) =>
    'Exception in thread "main" java.net.BindException: Permission denied\n' +
    `\tat java.base/sun.nio.ch.Net.socket0(Native Method)\n\tat java.base/sun.nio.ch.${where}(x.java:1)\n`;
  assert.match(said(trace("DatagramChannelImpl.<init>"))[0] ?? "", /datagrams can't be sent/);
  assert.deepEqual(said(trace("ServerSocketChannelImpl.bind")), []);
});

Deno.test("jobs of cron and at are the user's", () => {
  const lines = [
    "Cannot open lockfile /var/spool/cron/atjobs/.SEQ: Permission denied",
    "/var/spool/cron/: mkstemp: Permission denied",
  ];
  for (const line of lines) {
    assert.deepEqual(
      said(line),
      ["cron and at jobs would run outside the sandbox; leave them to the user"],
      line,
    );
  }
});

Deno.test("where no flag or another one helps, that is said: mounts, PHP's server, socat, Xvfb", () => {
  const never = [/no namespaces or mounts/];
  const cases: [line: string, command: string, code: number | null, says: RegExp[]][] = [
    ["mount: /w/m: permission denied.", "mount -t tmpfs none m", 32, never],
    ["PermissionError: [Errno 13] Permission denied: '/dev/fuse'", "python3 a.py", 1, never],
    ["losetup: a: failed to set up loop device: Permission denied", "losetup -f a", 1, never],
    [
      "Tue Nov 24 19:54:33 2026 (25894): Fatal Error Unable to create lock file: Permission denied (13)",
      "php -S localhost:8000",
      254,
      [/-d opcache\.lockfile_path=\$TMPDIR/],
    ],
    [
      'Kernel pid terminated (application_controller) ({auth,{"Error when reading /h/.erlang.cookie: eacces",[...]}})',
      "rebar3 ct --sname a",
      1,
      [/^an Erlang node needs .*-setcookie NAME/],
    ],
    [
      "{error_info,{error,\"Failed to create cookie file '/h/.erlang.cookie': eacces\",[...]}}",
      "erl -sname a",
      1,
      [/-setcookie NAME/],
    ],
    ["Error when reading /h/.erlang.cookie: enoent", "erl -sname a", 1, []],
    ["*** bit out of range 0 - FD_SETSIZE on fd_set ***: terminated", "socat A B", 134, [/nc -l/]],
    ["*** bit out of range 0 - FD_SETSIZE on fd_set ***: terminated", "./server", 134, []],
    ["", "xvfb-run npm test", null, [/^Xvfb does not start/]],
    ["", "npm ci; xvfb-run npm test", 134, [/^Xvfb does not start/]],
    ["", "npm test", null, []],
    [
      "There was an error while trying to write to `/var/lib/gems/3.1.0`. " +
      "It is likely that you need to grant write permissions for that path.",
      "bundle install",
      23,
      [/--allow-write=\/var\/lib/],
    ],
  ];
  for (const [output, command, exit_code, says] of cases) {
    const policy = test_policy({ workspace: "/ws", env: { HOME: "/home/me" }, net: "own" });
    const told = hints({ command, exit_code, output }, policy);
    assert.equal(told.length, says.length, `${command}: ${told}`);
    says.forEach((words, n) => assert.match(told[n] ?? "", words));
  }
});

Deno.test("bits of a mode, and what only root could do: each with what works; other refusals are not the sandbox's", () => {
  const told = (command: string, output: string, tmp: string) =>
    hints({ command, exit_code: 1, output }, test_policy({ workspace: "/ws", tmp }))[0] ?? "";
  const chmod = "chmod: changing permissions of 'a': Operation not permitted";
  const shared = "fatal: Could not make /ws/r.git/hooks/ writable by group";
  const bits = /^the sandbox can't set set-user-id /;
  assert.match(told("git init --bare --shared r.git", shared, "/"), bits);
  for (const mode of ["g+s", "u=rwx,g=rxs", "2755", "04755", "-R +s"]) {
    assert.match(told(`cd b && chmod ${mode} a`, chmod, "/"), bits, mode);
  }
  const install = "install: cannot change permissions of 't': Operation not permitted";
  assert.match(told("install -m 4755 s t", install, "/"), bits);
  for (const mode of ["755", "+x", "1777", "0755", "u+rws.txt"]) {
    assert.equal(told(`chmod ${mode} a`, chmod, "/"), "", mode);
  }
  const only_root = [
    "mknod: dev: Operation not permitted",
    "chrt: failed to set pid 0's policy: Operation not permitted",
    "nice: cannot set niceness: Permission denied",
    'sysctl: permission denied on key "vm.swappiness"',
    "useradd: cannot lock /etc/passwd; try again later.",
    "date: cannot set date: Operation not permitted",
  ];
  const own = Deno.makeTempDirSync();
  try {
    for (const line of only_root) {
      if (Deno.statSync("/").uid === 0) assert.match(told("x", line, "/"), /^the sandbox /, line);
      if (Deno.uid() !== 0) assert.equal(told("x", line, own), "", line);
    }
  } finally {
    Deno.removeSync(own);
  }
});

Deno.test("a file that is not there is to be made before a flag can name it", () => {
  const [home, tmp] = [Deno.realPathSync(Deno.makeTempDirSync()), Deno.makeTempDirSync()];
  try {
    Deno.writeTextFileSync(`${home}/.profile`, "");
    const policy = { env: { HOME: home }, tmp };
    const [missing] = said(`bash: ${home}/.bashrc: Permission denied`, policy);
    assert.match(
      missing ?? "",
      /the user can make it and then allow it with --allow-write=\S+\.bashrc$/,
    );
    const [present] = said(`bash: ${home}/.profile: Permission denied`, policy);
    assert.match(present ?? "", /the user can allow it with --allow-write=\S+\.profile$/);
  } finally {
    Deno.removeSync(home, { recursive: true });
    Deno.removeSync(tmp);
  }
});
