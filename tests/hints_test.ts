/** What a model is told when a command fails on what the policy refuses: the words are those of the real programs. */
import assert from "node:assert/strict";
import { ANSWER, say } from "./support/model_server.ts";
import { missing } from "./support/toolchains.ts";
import { inside_stage, type Stage, steps, tools } from "./support/stage.ts";

const on_linux = Deno.build.os === "linux";

/** Commands of one run, each with what its result has to say; null: nothing of the sandbox. */
type Case = readonly [needs: string, command: string, says: RegExp | null];

function judged(
  name: string,
  /** `port`: of a server on this machine that the run did not start. */
  cases: (
    at: { readonly home: string; readonly root: string; readonly port: number },
  ) => readonly Case[],
  flags: (s: Stage) => readonly string[] = () => [],
): void {
  Deno.test({
    name,
    ignore: !on_linux,
    async fn() {
      let script = steps();
      await inside_stage({ script: (request, n) => at_step(script, request, n) }, async (s) => {
        s.home.write(".ssh/id", "key\n");
        s.home.write("notes/a.txt", "note\n");
        s.home.write(".gnupg/pubring.kbx", "");
        const root = s.home.path.slice(0, s.home.path.lastIndexOf("/"));
        const all = cases({ home: s.home.path, root, port: s.server.port });
        const here = all.filter(([needs]) => missing(needs) === null);
        assert.ok(here.length > 0);
        script = steps(
          ...here.map(([, command]) => ["bash", { command }] as [string, { command: string }]),
        );
        const { texts } = await tools(s, ...flags(s));
        for (const [i, [, command, says]] of here.entries()) {
          const text = texts[i] ?? "";
          if (says === null) assert.doesNotMatch(text, /\[the sandbox/, `${command}\n${text}`);
          else assert.match(text, says, command);
          const lines = text.match(/^\[the sandbox.*$/gm) ?? [];
          assert.equal(new Set(lines).size, lines.length, `${command}: said twice\n${text}`);
        }
      });
    },
  });
}

function at_step(
  script: ReturnType<typeof steps>,
  ...[request, n]: Parameters<Extract<ReturnType<typeof steps>, (...args: never[]) => unknown>>
) {
  return typeof script === "function" ? script(request, n) : script[n]!;
}

/** A program that tries to look up a name, and ends with this code. */
const resolver = (code: number) =>
  `python3 -c 'import contextlib, socket as s
with contextlib.suppress(OSError): s.socket(s.AF_INET, s.SOCK_DGRAM | s.SOCK_NONBLOCK | s.SOCK_CLOEXEC)
raise SystemExit(${code})'`;

/** Root's commands could read what only root can: there no folder is listed that holds it. */
const SYSTEM_FOLDERS = on_linux && Deno.uid() === 0 ? ["ls /etc", "cat /etc/*release"] : [];

/** Where root gives files away and installs packages; anybody else hears from the system that these are not theirs. */
const AS_ROOT: readonly Case[] = [
  [
    "tar",
    "touch a; tar --owner=4321 -cf a.tar a; tar -xf a.tar",
    /^\[the sandbox can't give files .* tar --no-same-owner/m,
  ],
  ["tar", "touch a; tar --owner=4321 -cf a.tar a; tar --no-same-owner -xf a.tar", null],
  ["rsync", "touch b; rsync --chown=4321 b c", /^\[the sandbox can't give files /m],
  ["bash", "touch d; chown 4321 d", /^\[the sandbox can't give files /m],
  ["bash", "touch e; chown $(id -u) e; false", null],
  [
    "apt-get",
    "apt-get install -y no-such-package-of-ours",
    /^\[the sandbox installs no system packages; .* the user\]$/m,
  ],
];
const JAVA_DATAGRAM =
  `echo 'class U { public static void main(String[] a) throws Exception { new java.net.DatagramSocket(0).send(new java.net.DatagramPacket(new byte[1], 1, java.net.InetAddress.getLoopbackAddress(), 9)); } }' > U.java
java U.java`;

judged("a refused key, and a folder that cannot be listed", ({ home, root }) => {
  const key = new RegExp(
    `^\\[the sandbox does not allow reading ${home}/.ssh/id, as keys .* --allow-read=${home}/.ssh/id\\]$`,
    "m",
  );
  const list = (path: string) =>
    new RegExp(`^\\[the sandbox does not list ${path}/?, because .*\\(${home}/`, "m");
  return [
    ["bash", "cat ~/.ssh/id", key],
    ["bash", "head -1 ~/.ssh/id | wc -l", key],
    ["bash", "read -r x < ~/.ssh/id", key],
    ["bash", "ln -s ~/.ssh k; cp k/id .", new RegExp(`--allow-read=${home}/.ssh/id\\]$`, "m")],
    ["node", `node -e 'require("fs").readFileSync("${home}/.ssh/id")'`, key],
    ["python3", `python3 -c 'open("${home}/.ssh/id")'`, key],
    ["bash", "ls ~", list(home)],
    ["bash", "cd ~ && ls", list(home)],
    ["bash", "ls ~/*.txt", list(home)],
    ["bash", "find / -maxdepth 1", list("")],
    ["bash", `ls ${root}`, list(root)],
    ...SYSTEM_FOLDERS.map((
      command,
    ): Case => ["bash", command, /^\[the sandbox does not list \/etc\/?, /m]),
    ["node", `node -e 'require("fs").readdirSync("${home}")'`, list(home)],
    ["python3", `python3 -c 'import os; os.listdir("${home}")'`, list(home)],
    ["bash", "ls ~/notes && cat ~/notes/a.txt", null],
    ["bash", "cat ~/no_such", null],
  ];
});

judged("what is not on the list of what may be read", ({ home }) => {
  const says = new RegExp(
    `^\\[the sandbox does not allow reading ${home}/notes.* --allow-read=${home}/notes\\]$`,
    "m",
  );
  return [
    ["bash", "cat ~/notes/a.txt", says],
    ["bash", "ls ~/notes", says],
    ["bash", "ls -d ~/notes; ls /usr > /dev/null; ls ../outside", null],
  ];
}, (s) => [`--allow-read=${s.outside.path}`]);

judged("what is not on the list of what may be run", () => {
  const says = (name: string) =>
    new RegExp(`^\\[the sandbox does not allow running ${name}; .* --allow-run=${name}\\]$`, "m");
  return [
    ["bash", "ls", says("ls")],
    ["bash", "env date", says("date")],
    ["bash", "cat /dev/null && echo fine", null],
    ["bash", "xargs -n1 ls <<< x", says("xargs")],
    ["python3", "awk 'BEGIN { exit system(\"sort a\") }'", says("(?:sort|awk)")],
  ];
}, () => ["--allow-run=cat,env,sh"]);

judged("a network that is not there", ({ port }) => {
  const closed = /^\[the sandbox allows TCP only to servers on this machine.* --allow-net\]$/m;
  const near = new RegExp(
    `^\\[the sandbox refused a connection to 127.0.0.1:${port}, .* --allow-net=loopback\\]$`,
    "m",
  );
  const far = /^\[the sandbox refused a connection to 192\.0\.2\.1:80\b.* --allow-net\]$/m;
  return [
    ["curl", "curl -sS http://example.com/", closed],
    ["bash", "echo > /dev/udp/127.0.0.1/53", closed],
    [
      "python3",
      `python3 -c 'import socket; socket.socket(type=socket.SOCK_DGRAM).sendto(b"x", ("127.0.0.1", 9))'`,
      closed,
    ],
    ["python3", "python3 -c 'import socket; socket.socket(type=socket.SOCK_DGRAM)'; false", null],
    // As the C library opens what asks DNS: who fails and says little is told why that may be.
    [
      "python3",
      resolver(1),
      /^\[the sandbox refused UDP, .*can allow all networks with --allow-net]$/m,
    ],
    ["python3", resolver(0), null],
    ["python3", `${resolver(0)}; printf 'a\\nb\\nc\\n'; false`, null],
    ["node", 'node -e \'require("dgram").createSocket("udp4").bind(0)\'', closed],
    ["node", "node -e 'fetch(\"http://example.com\").catch((e) => { throw e.cause })'", closed],
    ["bash", `echo > /dev/tcp/127.0.0.1/${port}`, near],
    ["bash", "echo > /dev/tcp/127.0.0.1/9", null],
    ["bash", "echo > /dev/tcp/192.0.2.1/80", far],
    ["curl", `curl -sS http://127.0.0.1:${port}/`, near],
  ];
});

const is_root = on_linux && Deno.uid() === 0;
const SIGNED = "git init -q s; cd s; git -c user.name=a -c user.email=a@b -c user.signingkey=AB";

judged("what is refused of everyday work, with the way that works", () => [
  ["java", JAVA_DATAGRAM, /^\[the sandbox allows TCP .* datagrams can't be sent \(UDP\)/m],
  ["gpg", `${SIGNED} commit -q -S --allow-empty -m a`, /^\[the sandbox keeps .* --no-gpg-sign/m],
  ["gpg", `GNUPGHOME=$TMPDIR; export GNUPGHOME; ${SIGNED} commit -q -S --allow-empty -m a`, null],
  ["git", `${SIGNED} commit -q --allow-empty -m a`, null],
  ["ss", "ss -ltn; false", null],
  ...(is_root ? AS_ROOT : []),
]);

judged("no network at all", () => {
  const none = /^\[the sandbox allows no network; .* --allow-net\]$/m;
  return [
    ["bash", "echo > /dev/tcp/127.0.0.1/9", none],
    ["curl", "curl -sS http://127.0.0.1:9/", none],
    ["curl", "curl -sS http://example.com/", none],
  ];
}, () => ["--deny-net"]);

Deno.test({
  name: "what a verify command was refused is told as well",
  ignore: !on_linux,
  fn: () =>
    inside_stage({ script: [say(ANSWER), say(ANSWER)] }, async (s) => {
      const command = `echo > /dev/tcp/127.0.0.1/${s.server.port}`;
      await s.run("Do it.", "--mode", "verify", "--verify", command);
      assert.match(
        s.server.requests[1]?.raw ?? "",
        /\[the sandbox refused a connection to 127\.0\.0\.1:\d+, .* --allow-net=loopback\]/,
      );
    }),
});
