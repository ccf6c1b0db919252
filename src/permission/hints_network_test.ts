import assert from "node:assert/strict";
import type { Policy } from "../sandbox/policy.ts";
import { POLICY, said } from "./_hints.ts";
import { hints } from "./hints.ts";

const NO_NETWORK = "the sandbox allows no network; the user can allow it with --allow-net";

// The words below were printed by these programs inside the sandbox (Debian 12, node 20, go 1.2x, java 17).

Deno.test("a refused connection is told by the words of many programs", () => {
  const lines = [
    "curl: (6) Could not resolve host: example.com",
    "curl: (7) Failed to connect to 127.0.0.1 port 9 after 0 ms: Couldn't connect to server",
    "wget: unable to resolve host address ‘example.com’",
    "Connecting to 127.0.0.1:1... failed: Permission denied.",
    "fatal: unable to access 'https://github.com/a/b/': Could not resolve host: github.com",
    "127.0.0.1[0: 127.0.0.1]: errno=Permission denied",
    "ssh: Could not resolve hostname github.com: Temporary failure in name resolution",
    '  File "/usr/lib/python3.11/socket.py", line 232, in __init__\n' +
    "    _socket.socket.__init__(self, family, type, proto, fileno)\n" +
    "PermissionError: [Errno 13] Permission denied",
    "urllib.error.URLError: <urlopen error [Errno 13] Permission denied>",
    "socket.gaierror: [Errno -3] Temporary failure in name resolution",
    'requests.exceptions.ConnectionError: (Caused by NameResolutionError("Failed to resolve ' +
    "'example.com' ([Errno -2] Name or service not known)\"))",
    "Failed to establish a new connection: [Errno 13] Permission denied",
    "  [cause]: Error: getaddrinfo EAI_AGAIN example.com",
    "Error: listen EACCES: permission denied 0.0.0.0",
    "Error: connect EACCES 127.0.0.1:5432 - Local (undefined:undefined)",
    "Error: queryA ECONNREFUSED example.com",
    'psql: error: connection to server at "localhost" (127.0.0.1), port 5432 failed: ' +
    "could not create socket: Permission denied",
    "/bin/bash: socket: Permission denied",
    "/bin/bash: line 1: example.com: Temporary failure in name resolution",
    "IO::Socket::INET: Permission denied at -e line 1.",
    "npm error request to https://registry.npmjs.org/x failed, reason: getaddrinfo EAI_AGAIN x",
    "hint: Packages were unavailable because the network was disabled. When the network is disabled, x",
    "  [6] Could not resolve hostname (Could not resolve host: index.crates.io)",
    'go: module golang.org/x/text: Get "https://proxy.golang.org/golang.org/x/text/@v/list": dial ' +
    "tcp: lookup proxy.golang.org on 10.0.0.1:53: dial udp 10.0.0.1:53: socket: permission denied",
    "2026/11/22 04:37:39 listen tcp :0: socket: permission denied",
    'Exception in thread "main" java.net.SocketException: Permission denied',
    "Cannot open netlink socket: Address family not supported by protocol",
  ];
  for (const line of lines) assert.deepEqual(said(`${line}\n`), [NO_NETWORK], line);
});

Deno.test("what is not a stream is not called a name that was not found, nor the other way round", () => {
  const own = { net: "own" } as const;
  const name = [
    "ERROR: Could not find a version that satisfies the requirement six (from versions: none)",
    "dial tcp: lookup proxy.golang.org on 10.0.0.1:53: dial udp 10.0.0.1:53: socket: permission denied",
  ];
  const datagram = [
    "/bin/bash: socket: Permission denied",
    "> Could not determine a usable local IP for this machine.",
    "Error: bind EACCES 0.0.0.0\n    at node:dgram:364:20\n    at process.processTicksAndRejections",
    '  File "/usr/lib/python3.11/socket.py", line 232, in __init__\n' +
    "    _socket.socket.__init__(self, family, type, proto, fileno)\n" +
    "PermissionError: [Errno 13] Permission denied",
  ];
  datagram.push(
    '  File "/w/a.py", line 2, in <module>\n    s.sendto(b"x", ("127.0.0.1", 8125))\n' +
      "BrokenPipeError: [Errno 32] Broken pipe",
    "a.rb:2:in `send': Broken pipe - sendto(2) (Errno::EPIPE)",
  );
  const pair = [
    "socketpair: Permission denied",
    '  File "/usr/lib/python3.11/socket.py", line 608, in socketpair\n' +
    "    a, b = _socket.socketpair(family, type, proto)\n" +
    "PermissionError: [Errno 13] Permission denied",
  ];
  for (
    const [lines, words] of [
      [name, /so names can't be looked up; /],
      [datagram, /so datagrams can't be sent \(UDP\); /],
      [pair, /no unix sockets for datagrams/],
    ] as const
  ) {
    for (const line of lines) {
      const found = said(line, { policy: own });
      assert.equal(found.length, 1, line);
      assert.match(found[0] ?? "", words, line);
    }
  }
  const others = [
    "ERROR: Could not find a version that satisfies the requirement six==9 (from versions: 1.0, 1.1)",
    "ERROR: No matching distribution found for six==9",
    "Error: bind EACCES null:80\n    at Server.setupListenHandle [as _listen2] (node:net:1817:21)",
  ];
  for (const line of others) assert.deepEqual(said(line, { policy: own }), [], line);
});

Deno.test("a browser and extended attributes get the one line that helps", () => {
  for (
    const line of [
      "[1:1:FATAL:content/browser/zygote_host/zygote_host_impl_linux.cc:128] No usable sandbox! If this",
      "[1:1:ERROR:zygote_host_impl_linux.cc(100)] Running as root without --no-sandbox is not supported.",
    ]
  ) assert.match(said(line)[0] ?? "", /--no-sandbox --user-data-dir=\$TMPDIR\/browser$/, line);
  const unsupported = "OSError: [Errno 95] Operation not supported: 'a'";
  assert.match(said("setfattr: a: Operation not supported")[0] ?? "", /extended attributes/);
  assert.match(
    said(unsupported, { command: "python3 -c 'import os; os.setxattr(...)'" })[0] ?? "",
    /extended attributes; .* --allow-write,/,
  );
  assert.deepEqual(said(unsupported, { command: "python3 a.py" }), []);
  assert.deepEqual(said("mount error: Operation not supported", { command: "cp a b" }), []);
});

Deno.test("a registry that wants npm's token gets the line that gives it, where it was kept back", () => {
  const home = Deno.makeTempDirSync();
  try {
    const policy = { net: "all", env: { HOME: home }, deny_read: [`${home}/.npmrc`] } as const;
    const told = (given: Partial<typeof POLICY>) =>
      said("npm error code E401\nnpm error Unable to authenticate", { policy: given });
    assert.deepEqual(told(policy), [], "there are no settings");
    Deno.writeTextFileSync(`${home}/.npmrc`, "a=b");
    assert.deepEqual(told(policy), [
      "the sandbox keeps npm's tokens from commands; the user can allow them with " +
      `--allow-read=${home}/.npmrc`,
    ]);
    assert.deepEqual(told({ ...policy, deny_read: [] }), [], "npm has them");
  } finally {
    Deno.removeSync(home, { recursive: true });
  }
});

Deno.test("unix sockets have no flag, and tracing has none", () => {
  const lines = [
    'psql: error: connection to server on socket "/var/run/postgresql/.s.PGSQL.5432" failed: ' +
    "Permission denied",
    "permission denied while trying to connect to the Docker daemon socket at " +
    'unix:///var/run/docker.sock: Get "http://%2Fvar%2Frun%2Fdocker.sock/v1.50/json": dial unix ' +
    "/var/run/docker.sock: connect: permission denied",
    "Error: connect EACCES /var/run/docker.sock\n  code: 'EACCES',\n  address: '/var/run/docker.sock'",
  ];
  for (const line of lines) {
    const [hint, ...more] = said(line);
    assert.match(hint ?? "", /no connection to unix sockets.*TCP with --allow-net$/, line);
    assert.deepEqual(more, [], line);
  }
  for (
    const line of [
      "strace: ptrace(PTRACE_TRACEME, ...): Operation not permitted",
      "unshare: unshare failed: Operation not permitted",
    ]
  ) assert.match(said(line)[0] ?? "", /no namespaces or mounts, and no tracing/);
});

Deno.test("the flag for the network depends on what is allowed already", () => {
  const name = "curl: (6) Could not resolve host: example.com\n";
  const connection = "Error: connect EACCES 127.0.0.1:5432\n";
  const given = (net: Policy["net"], output: string) =>
    hints({ command: "make", exit_code: 1, output }, { ...POLICY, net });
  for (const net of ["own", "loopback"] as const) {
    assert.match(
      given(net, name)[0] ?? "",
      /^the sandbox allows TCP only to servers .* --allow-net$/,
    );
    // The supervisor says it, with the address.
    assert.deepEqual(given(net, connection), []);
  }
  assert.deepEqual(given("none", connection), [NO_NETWORK]);
  for (const output of [name, connection]) assert.deepEqual(given("all", output), []);
});

Deno.test("a connection that was refused is no file that is named beside it", () => {
  const command = "which ssh; ssh -o ConnectTimeout=3 root@10.0.0.5 true 2>&1 | tail -2";
  const output = "/usr/bin/ssh\nssh: connect to host 10.0.0.5 port 22: Permission denied\n";
  assert.deepEqual(said(output, { command, code: 255 }), []);
});
