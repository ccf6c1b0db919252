import assert from "node:assert/strict";
import { POLICY, said } from "./_hints.ts";
import { hints } from "./hints.ts";
import { stat_or_null } from "./paths.ts";

const NO_NETWORK = "the sandbox allows no network; the user can allow it with --allow-net";

const write_hint = (path: string, flag: string) =>
  `the sandbox does not allow writing ${path}; use $TMPDIR or the workspace, ` +
  `or the user can ${
    stat_or_null(flag) ? "" : "make it and then "
  }allow it with --allow-write=${flag}`;

// The words below were printed by these programs inside the sandbox (Debian 12, node 20, go 1.2x, java 17).

Deno.test("a refused write is told by the words of many programs", () => {
  const lines = [
    "touch: cannot touch '/opt/x': Permission denied",
    "/bin/bash: line 1: /opt/x: Permission denied",
    "/bin/sh: 1: cannot create /opt/x: Permission denied",
    "mkdir: cannot create directory ‘/opt/x’: Permission denied",
    "mv: cannot move '/etc/hostname' to '/opt/x': Permission denied",
    "ln: failed to create symbolic link '/opt/x': Permission denied",
    "tee: /opt/x: Permission denied",
    "dd: failed to open '/opt/x': Permission denied",
    "tar: /opt/x: Cannot open: Permission denied",
    "truncate: cannot open '/opt/x' for writing: Permission denied",
    "sort: open failed: /opt/x: Permission denied",
    "sed: couldn't open temporary file /opt/x: Permission denied",
    "mktemp: failed to create file via template ‘/opt/x’: Permission denied",
    "PermissionError: [Errno 13] Permission denied: '/opt/x'",
    "PermissionError: [Errno 13] Permission denied: '/etc/hostname' -> '/opt/x'",
    "Error: EACCES: permission denied, open '/opt/x'",
    "/opt/x: Permission denied at -e line 1.",
    "fatal: cannot mkdir /opt/x: Permission denied",
    "/usr/bin/ld: cannot open output file /opt/x: Permission denied",
    'Exception in thread "main" java.io.FileNotFoundException: /opt/x (Permission denied)',
    "2026/11/22 04:37:58 open /opt/x: permission denied",
    "E: Could not open lock file /opt/x - open (13: Permission denied)",
    "couldn't create directory /opt/x (Permission denied)",
    'error: couldn\'t create a temp dir: Permission denied (os error 13) at path "/opt/x"',
    "listen EACCES: permission denied /opt/x",
    "error: failed to open: /opt/x\n\nCaused by:\n  Permission denied (os error 13)",
    "npm error code EACCES\nnpm error syscall mkdir\nnpm error path /opt/x\nnpm error errno -13",
  ];
  for (const line of lines) {
    assert.deepEqual(said(`before\n${line}\nafter\n`), [write_hint("/opt/x", "/opt")], line);
  }
});

Deno.test("the flag that is named is never the whole disk or the whole home", () => {
  assert.deepEqual(said("touch: cannot touch '/x': Permission denied"), [write_hint("/x", "/x")]);
  assert.deepEqual(
    said("error: could not lock config file /home/me/.gitconfig: Permission denied"),
    [write_hint("/home/me/.gitconfig", "/home/me/.gitconfig")],
  );
  assert.deepEqual(
    said(
      "failed to initialize build cache at /home/me/.cache/go-build: " +
        "mkdir /home/me/.cache/go-build: permission denied",
    ),
    [write_hint("/home/me/.cache/go-build", "/home/me/.cache")],
  );
});

Deno.test("names without a path are those of the folder that the command went to", () => {
  const line = "touch: cannot touch 'x': Permission denied";
  assert.deepEqual(said(line, { command: "cd /opt && touch x" }), [write_hint("/opt/x", "/opt")]);
  assert.deepEqual(said("/bin/bash: line 1: ../x: Permission denied", { command: "echo > ../x" }), [
    write_hint("/x", "/x"),
  ]);
  assert.deepEqual(said(line, { command: "cd sub && touch x" }), []);
  assert.deepEqual(said(line, { command: "cd /srv/shared; touch x" }), []);
});

Deno.test("of Node's error that was cut in two, the end is enough, once", () => {
  const end =
    "    at node:fs:1 {\n  errno: -13,\n  code: 'EACCES',\n  syscall: 'mkdir',\n  path: '/opt/x'\n}\n";
  const tail = { command: "npm test 2>&1 | tail -9", code: 0 };
  assert.deepEqual(said(end, tail), [write_hint("/opt/x", "/opt")]);
  assert.deepEqual(
    said(end.replace("path: '/opt/x'", "address: '127.0.0.1',\n  port: 80"), tail),
    [],
  );
  assert.deepEqual(said(end.replace("/opt/x", "/ws/x"), tail), []);
  assert.deepEqual(said(`Error: EACCES: permission denied, mkdir '/ws/y'\n${end}`, tail), []);
  assert.deepEqual(said(end, { command: "npm test", code: 0 }), []);
});

Deno.test("a socket that was to be made in /tmp is a refused write", () => {
  for (
    const line of [
      "Error: listen EACCES: permission denied /tmp/x.sock\n    at Server.setupListenHandle (node:net:1821:21)",
      'Traceback (most recent call last):\n  File "/w/a.py", line 3, in <module>\n' +
      '    s.bind("/tmp/x.sock")\nPermissionError: [Errno 13] Permission denied',
    ]
  ) assert.deepEqual(said(line), [write_hint("/tmp/x.sock", "/tmp")], line);
});

Deno.test("a terminal that is opened by its name gets the way that works, and no flag", () => {
  const [hint, ...more] = said("panic: open /dev/pts/3: permission denied");
  assert.match(
    hint ?? "",
    /^the sandbox opens no terminal by its name .*; openpty, script and tmux/,
  );
  assert.deepEqual(more, []);
});

Deno.test("what gains no rights is told so, root with its own words", () => {
  const told = "no program gains rights in the sandbox, so sudo does not work; " +
    "try the command without it, or leave that to the user";
  const lines = [
    'sudo: The "no new privileges" flag is set, which prevents sudo from running as root.\n' +
    "sudo: If sudo is running in a container, you may need to adjust the container configuration.",
    "sudo: unable to open /etc/sudoers: Permission denied\n" +
    "sudo: no valid sudoers sources found, quitting",
    "sudo: effective uid is not 0, is /usr/bin/sudo on a file system with the 'nosuid' option set?",
    "doas: not installed setuid",
  ];
  for (const line of lines) assert.deepEqual(said(line, { command: "sudo make install" }), [told]);
});

Deno.test("words that name neither file nor address get a cautious hint", () => {
  const line =
    "called `Result::unwrap()` on an `Err` value: Os { code: 13, kind: PermissionDenied, " +
    'message: "Permission denied" }';
  assert.match(
    said(line)[0] ?? "",
    /only in the workspace and \$TMPDIR, and no network; if it was/,
  );
});

Deno.test("other failures are not claimed", () => {
  const lines = [
    "/bin/bash: line 1: ./s.sh: Permission denied",
    "cat: Makefile: Permission denied",
    "/bin/bash: line 1: sub/run.sh: Permission denied",
    "Error: EACCES: permission denied, open '/ws/locked/socket.json'",
    "PermissionError: [Errno 13] Permission denied: '/ws/a'",
    "open /tmp/run/x: permission denied",
    "touch: cannot touch '/srv/shared/x': Permission denied",
    "touch: cannot touch '/mnt/x': Read-only file system",
    "chown: changing ownership of '/opt/x': Operation not permitted",
    "AssertionError: expected 'connection refused' to equal 'ok'",
    "Error: connect ECONNREFUSED 127.0.0.1:5432",
    "FAIL test/net.test.js: should retry when the network is unreachable",
    "not ok 3 - rejects a socket that is not connected",
    "remote: Permission to a/b.git denied to me.",
    "HTTP 403: permission denied for user",
    "psql: error: FATAL: permission denied for table users",
    "git@github.com: Permission denied (publickey).",
    "Cannot open: Permission denied at -e line 1.",
    "test permission_denied_is_reported ... FAILED",
    "see https://example.com/permission denied",
    "",
  ];
  for (const line of lines) assert.deepEqual(said(`${line}\n`), [], line);
});

Deno.test("what was only read in a file is not claimed", () => {
  const output = "log.txt:3:touch: cannot touch '/opt/x': Permission denied\n" +
    "curl: (6) Could not resolve host: example.com\n";
  const reading = [
    "grep -rn denied .",
    "cat log.txt",
    "cd logs && tail -n 50 log.txt | head",
    "git log -p | head -100",
    "git --no-pager diff",
    "sed -n 1,50p log.txt; false",
    "find . -name '*.log' 2>/dev/null",
  ];
  for (const command of reading) {
    assert.deepEqual(said(output, { command, code: 0 }), [], command);
    assert.deepEqual(said(output, { command, code: 1 }), [], command);
  }
  for (const command of ["make test", "npm test && echo ok"]) {
    assert.deepEqual(said(output, { command, code: 0 }), [], `${command}: it went well`);
    assert.equal(said(output, { command }).length, 2, command);
  }
});

Deno.test("a part that failed is not hidden by the exit code of another", () => {
  const output = "curl: (6) Could not resolve host: example.com\n";
  const masking = [
    "curl https://example.com | tail -5",
    "curl https://example.com || true",
    "curl https://example.com; echo done",
    "npm install 2>&1 | grep -i error",
    "npx vite build 2>&1 | tail -3; ls dist | wc -l",
    "bash scripts/setup.sh --all",
    "npm test &",
    "grep -n curl a.sh; curl https://example.com 2>&1 | tail -n 3",
  ];
  for (const command of masking) {
    assert.deepEqual(said(output, { command, code: 0 }), [NO_NETWORK], command);
  }
  for (
    const command of [
      "npm test | tail; cat log",
      "cat log; npm test | tail",
      "npm test; cat log | tail -3",
    ]
  ) {
    assert.deepEqual(said(output, { command, code: 0 }), [], command);
  }
  const shown = { command: "cat log; npm test | tail -2", code: 0 };
  assert.deepEqual(said(`${output}2 passed\n0 failed\n`, shown), [], "not of the last two lines");
});

Deno.test("a program of the command speaks for itself, also where files are shown and all ended well", () => {
  const output = "a.txt\ntouch: cannot touch '/opt/x': Permission denied\nb.txt\n";
  for (
    const command of ["touch /opt/x; ls", "ls\n/usr/bin/touch /opt/x\nls", "touch /opt/x & wait"]
  ) {
    assert.deepEqual(said(output, { command, code: 0 }), [write_hint("/opt/x", "/opt")], command);
  }
  for (
    const command of ["ls; cat log", "npm test && cat log", "grep touch log; make", "cat touch"]
  ) {
    assert.deepEqual(said(output, { command, code: 0 }), [], command);
  }
});

Deno.test("a reader that writes is judged as any other", () => {
  for (const command of ["cat > /opt/x <<END\nEND", "echo x >> /opt/x", "sort -o /opt/x y"]) {
    const output = "/bin/bash: line 1: /opt/x: Permission denied\n";
    assert.deepEqual(said(output, { command }), [write_hint("/opt/x", "/opt")], command);
  }
});

Deno.test("one hint a flag, three at most, and none without a sandbox", () => {
  const denied = (path: string) => `touch: cannot touch '${path}': Permission denied\n`;
  const many = ["/a/1", "/a/2", "/b/1", "/d/1", "/e/1"].map(denied).join("");
  assert.deepEqual(said(many), [
    write_hint("/a/1", "/a"),
    write_hint("/b/1", "/b"),
    write_hint("/d/1", "/d"),
  ]);
  const ended = { command: "x", exit_code: 1, output: many + "Could not resolve host: x\n" };
  assert.deepEqual(hints(ended, { ...POLICY, sandbox: "off" }), []);
  assert.deepEqual(hints(ended, { ...POLICY, write: "all" }), [NO_NETWORK]);
  assert.deepEqual(hints(ended, { ...POLICY, write: "all", net: "all" }), []);
  assert.deepEqual(said("x\n".repeat(10_000) + denied("/a/1"), { code: null }), [
    write_hint("/a/1", "/a"),
  ]);
});

Deno.test("what the system itself would refuse this user is not the sandbox's", () => {
  if (Deno.uid() !== 0) return;
  const tmp = Deno.makeTempDirSync();
  Deno.chownSync(tmp, 65534, 65534);
  const ended = {
    command: "x",
    exit_code: 1,
    output: "touch: cannot touch '/etc/hostname': Permission denied\n",
  };
  assert.deepEqual(hints(ended, { ...POLICY, tmp }), []);
  const open = { ...ended, output: "touch: cannot touch '/var/tmp/x': Permission denied\n" };
  assert.deepEqual(hints(open, { ...POLICY, tmp }), [write_hint("/var/tmp/x", "/var/tmp")]);
  Deno.removeSync(tmp);
});

Deno.test("limits are told in words and by the signal", () => {
  const given = (output: string, signal: string | null = null) =>
    hints({ command: "make", exit_code: signal === null ? 1 : null, signal, output }, POLICY);
  assert.match(given("", "SIGXFSZ")[0] ?? "", /a file larger than 10 GiB/);
  for (
    const line of [
      "/bin/bash: line 1: 17779 File size limit exceededtruncate -s 10737418241 more",
      "/bin/bash: line 1:    42 File size limit exceeded head -c 1 /dev/zero > x",
      "truncate: failed to truncate 'x' at 10737418241 bytes: File too large",
      "Error: EFBIG: file too large, write",
    ]
  ) assert.match(given(line)[0] ?? "", /a file larger than 10 GiB/, line);
  assert.match(
    given("/bin/bash: fork: retry: Resource temporarily unavailable\n")[0] ?? "",
    /4096 processes and threads beyond/,
  );
});
