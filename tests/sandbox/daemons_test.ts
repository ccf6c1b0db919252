/** Programs of the user's that listen on unix sockets and do what they are told, outside the sandbox. */
import assert from "node:assert/strict";
import type { Policy } from "../../src/sandbox/policy.ts";
import { installed, on_linux, result_of, run_job, sh } from "./support/world.ts";
import { with_world, type World } from "./support/world.ts";

/** One that runs outside, and someone who talks to it. */
interface Daemon {
  /** What has to be installed. */
  readonly programs: readonly string[];
  /** Starts it in the foreground, listening at `socket`. */
  readonly start: (socket: string) => readonly string[];
  /** Talks to it, in bash; exits with 0 if it answers. */
  readonly talk: (socket: string) => string;
}

const DAEMONS: Readonly<Record<string, Daemon>> = {
  "ssh-agent": {
    programs: ["ssh-agent", "ssh-add"],
    start: (socket) => ["ssh-agent", "-D", "-a", socket],
    talk: (socket) => `SSH_AUTH_SOCK=${socket} ssh-add -l | grep 'no identities'`,
  },
  "D-Bus": {
    programs: ["dbus-daemon", "dbus-send"],
    start: (socket) => ["dbus-daemon", "--session", "--nofork", `--address=unix:path=${socket}`],
    talk: (socket) => `${dbus_ids(`unix:path=${socket}`)}`,
  },
  "D-Bus, by a name without a file": {
    programs: ["dbus-daemon", "dbus-send"],
    start: (socket) => [
      "dbus-daemon",
      "--session",
      "--nofork",
      `--address=unix:abstract=${socket}`,
    ],
    talk: (socket) => `${dbus_ids(`unix:abstract=${socket}`)}`,
  },
  "a server like Docker's": {
    programs: ["python3", "curl"],
    start: (socket) => ["python3", "-c", DOCKER, socket],
    talk: (socket) => `curl -sS --unix-socket ${socket} http://localhost/containers/json`,
  },
};

const DOCKER = `import http.server, socketserver, sys
class Handler(http.server.BaseHTTPRequestHandler):
  address_string = lambda self: ""
  def do_GET(self): self.send_response(200); self.end_headers(); self.wfile.write(b"[]")
socketserver.UnixStreamServer(sys.argv[1], Handler).serve_forever()`;

function dbus_ids(address: string): string {
  return `dbus-send --bus=${address} --print-reply --dest=org.freedesktop.DBus / ` +
    `org.freedesktop.DBus.GetId`;
}

/** Waits until it answers outside; false if it never does. */
async function answers(script: string): Promise<boolean> {
  for (let tries = 0; tries < 200; tries++) {
    const { success } = await new Deno.Command("bash", {
      args: ["-c", script],
      stdout: "null",
      stderr: "null",
    }).output();
    if (success) return true;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return false;
}

/** What the one inside said, beside a daemon that answers outside. */
async function talked(
  daemon: Daemon,
  { world, policy }: { world: World; policy: Partial<Policy> },
): Promise<{ readonly code: number; readonly said: string; readonly refusals: readonly string[] }> {
  const socket = `${world.outside}/socket`;
  const [program = "", ...args] = daemon.start(socket);
  const child = new Deno.Command(program, {
    args,
    cwd: world.outside,
    stdin: "null",
    stdout: "null",
    stderr: "null",
  }).spawn();
  try {
    const talk = daemon.talk(socket);
    assert.ok(await answers(talk), `${program} does not answer outside`);
    const outcome = await run_job(world, { policy, steps: [sh("talk", talk)] });
    const { code = -1, stdout, stderr } = result_of(outcome, "talk");
    return { code, said: `${stdout}${stderr}`, refusals: outcome.refusals };
  } finally {
    child.kill("SIGKILL");
    await child.status;
  }
}

for (const [name, daemon] of Object.entries(DAEMONS)) {
  const missing = daemon.programs.filter((program) => !installed(program));
  const without = missing.length === 0 ? "" : ` (${missing.join(", ")} not installed)`;
  for (const net of ["own", "loopback", "none", "all"] as const) {
    Deno.test({
      name: `net ${net}: ${name} is not reached${without}`,
      ignore: !on_linux || missing.length > 0,
      fn: () =>
        with_world("self", async (world) => {
          const { code, said, refusals } = await talked(daemon, { world, policy: { net } });
          assert.notEqual(code, 0, said);
          assert.match(refusals.join("\n"), /refused a connection to .*socket/);
        }),
    });
  }
}

const tmux_missing = installed("tmux") ? "" : " (tmux not installed)";
for (const no_supervisor of [false, true]) {
  const without = no_supervisor ? " without a supervisor" : "";
  Deno.test({
    name: `a tmux server outside runs no commands for what is inside${without}${tmux_missing}`,
    ignore: !on_linux || tmux_missing !== "",
    fn: () =>
      with_world("self", async (world) => {
        const socket = `${world.root}/tmux`;
        const tmux = (...args: string[]) =>
          new Deno.Command("tmux", { args: ["-S", socket, "-f", "/dev/null", ...args] }).output();
        await tmux("new-session", "-d", "-s", "main", "sleep 60");
        try {
          const ask = (file: string) =>
            `tmux -S ${socket} new-window 'echo > ${world.root}/${file}'`;
          assert.ok(await answers(ask("proof")), "tmux does not answer outside");
          const outcome = await run_job(world, {
            policy: { net: "own" },
            ...(no_supervisor ? { no_supervisor: true as const } : {}),
            steps: [sh("tmux", `${ask("new")}; sleep 0.3`)],
          });
          assert.match(result_of(outcome, "tmux").stderr ?? "", /Permission denied/);
          const names = [...Deno.readDirSync(world.root)].map((entry) => entry.name);
          assert.ok(names.includes("proof") && !names.includes("new"), names.join(" "));
        } finally {
          await tmux("kill-server");
        }
      }),
  });
}
