/** What is tried in a network namespace of its own: prints what came of it as JSON. Started by `tests/air_gap_test.ts`. */
import { fileURLToPath } from "node:url";
import { bash, call, say, type Script } from "./model_server.ts";
import { stage } from "./stage.ts";

const MCP = fileURLToPath(new URL("./mcp_server.js", import.meta.url));
const EDIT = call("edit", { path: "a.txt", old: "one", new: "two" });
/** What a command asks for that looks around: a name, and an address. */
const OUT = bash("getent hosts example.com; exec 3<>/dev/tcp/198.51.100.7/443");
const script: Script = ({ body }) => {
  const results = body.messages.filter(({ role }) => role === "tool").length;
  return results === 0 ? EDIT : results === 1 ? OUT : say("It says two now.");
};

/** Prints whom a TCP connection is asked of and where a datagram goes, on the loopback device: it sees all that anybody tries there. */
const LISTENER = `import socket, sys
s = socket.socket(socket.AF_PACKET, socket.SOCK_DGRAM, socket.htons(3))
s.bind(("lo", 0))
print("listening", flush=True)
seen = set()
while True:
    p, where = s.recvfrom(65535)
    if where[2] == 4: continue
    if p[0] >> 4 == 6: host, kind, rest = socket.inet_ntop(socket.AF_INET6, p[24:40]), p[6], p[40:]
    else: host, kind, rest = socket.inet_ntoa(p[16:20]), p[9], p[(p[0] & 15) * 4:]
    asks = kind == 17 or kind == 6 and rest[13] & 18 == 2
    to = "%s:%d" % (host, int.from_bytes(rest[2:4], "big")) if kind in (6, 17) else "%s protocol %d" % (host, kind)
    if (asks or kind not in (1, 6, 17, 58)) and to not in seen:
        seen.add(to)
        print(to, flush=True)
`;

/** Starts it; gives what it has seen, and ends it. Null where there is no Python. */
async function listen(): Promise<() => Promise<readonly string[] | null>> {
  let child: Deno.ChildProcess;
  try {
    child = new Deno.Command("python3", {
      args: ["-c", LISTENER],
      ...{ stdin: "null", stdout: "piped", stderr: "null" },
    }).spawn();
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return () => Promise.resolve(null);
    throw error;
  }
  let printed = "";
  const begun = Promise.withResolvers<void>();
  const all = (async () => {
    for await (const text of child.stdout.pipeThrough(new TextDecoderStream())) {
      printed += text;
      if (printed.startsWith("listening\n")) begun.resolve();
    }
    begun.resolve();
  })();
  await begun.promise;
  return async () => {
    child.kill("SIGTERM");
    await child.status;
    await all;
    return printed.split("\n").slice(1, -1);
  };
}

const own = { command: Deno.execPath(), args: ["run", "-A", "--no-config", MCP] };
const files = {
  "a.txt": "one\n",
  "mcp.json": JSON.stringify({ mcpServers: { own } }),
};
await stage({ script, files, one_conversation: false, violations: true }, async (s) => {
  const alone = { ...s.env, HAMR_BASE_URL: "", HAMR_MODEL: "" };
  const tried: Record<string, readonly [number, string]> = {};
  const hamr = async (name: string, args: readonly string[], env = s.env) => {
    const { code, stdout, stderr } = await s.hamr(args, { env });
    tried[name] = [code, stdout + stderr];
  };
  // Its server is its own, on a port that nobody knows.
  await hamr("demo", ["demo"]);
  const heard = await listen();
  await hamr("run", ["run", "--verify", "grep two a.txt", "Change it."]);
  await hamr("resume", ["resume", "And again."]);
  await hamr("doctor", ["doctor", "--network"]);
  await hamr("mcp", ["mcp", "test", "own", "--mcp-config", "mcp.json"]);
  const asked = await heard();
  await hamr("no model", ["run", "Change it."], alone);
  Deno.stdout.writeSync(
    new TextEncoder().encode(
      `${JSON.stringify({ tried, asked, server: new URL(s.server.url).host })}\n`,
    ),
  );
});
