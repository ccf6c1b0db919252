/** `hamr acp` with a client that nobody here wrote: acpx, from npm. Without a registry the test says SKIP. */
import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { environment, PROGRAM, until } from "./support/hamr.ts";
import { bash, call, say } from "./support/model_server.ts";
import { serve_mcp } from "./support/mcp_web.ts";
import { asleep, gone, mark, type Stage, stage } from "./support/stage.ts";
import { skip } from "./support/skip.ts";

const CACHE = `${
  Deno.env.get("XDG_CACHE_HOME") ?? `${Deno.env.get("HOME")}/.cache`
}/hamr-acpx-test-1`;
const PACKAGE = "acpx@0.19.1";
const CLIENT = `${CACHE}/node_modules/acpx/dist/cli.js`;

/** Whether it is there, installed now where need be. */
async function installed(): Promise<boolean> {
  try {
    Deno.statSync(CLIENT);
    return true;
  } catch {
    Deno.mkdirSync(CACHE, { recursive: true });
  }
  const args = ["install", "--silent", "--no-audit", "--ignore-scripts", "--prefix", CACHE];
  const npm = new Deno.Command("npm", {
    args: [...args, PACKAGE],
    stdin: "null",
    stdout: "null",
    stderr: "null",
  });
  const ok = await npm.output().then(({ success }) => success, () => false);
  if (!ok) skip(`${PACKAGE} could not be installed; nothing was shown`);
  return ok;
}

interface Acpx {
  /** What it prints; fails where it does. */
  (...args: string[]): Promise<string>;
}

async function with_acpx(s: Stage, body: (acpx: Acpx) => Promise<void>): Promise<void> {
  const agent = s.outside.at("agent.sh");
  const words = [...PROGRAM, "acp"].map((word) => `'${word}'`).join(" ");
  s.outside.write("agent.sh", `#!/bin/sh\nexec ${words}\n`);
  Deno.chmodSync(agent, 0o755);
  const acpx: Acpx = async (...args) => {
    const flags = ["--cwd", s.ws.path, "--agent", agent, "--ttl", "60", "--timeout", "60"];
    const { success, stdout, stderr } = await new Deno.Command("node", {
      args: [CLIENT, ...flags, ...args],
      cwd: s.ws.path,
      clearEnv: true,
      env: environment(s.home.path, s.env),
      stdin: "null",
    }).output();
    const [out, err] = [stdout, stderr].map((bytes) => new TextDecoder().decode(bytes));
    // That a permission was denied is a failure of its own.
    const fine = success || args.includes("--deny-all");
    assert.ok(fine, `acpx ${args.join(" ")}: ${out}${err}`);
    return out!;
  };
  try {
    await body(acpx);
  } finally {
    await acpx("sessions", "close").catch(() => {});
  }
}

Deno.test("acpx: prompts, permissions, modes, models, MCP servers, cancel, sessions", async () => {
  if (!await installed()) return;
  const seconds = mark();
  const script = [
    call("todo", { items: [{ text: "greet", status: "completed" }] }),
    call("calc__add", { a: 2, b: 3 }),
    call("web__search", {}),
    say("Hello from exec."),
    bash("echo out > made.txt; git push origin main"),
    say("Not pushed."),
    bash("echo out > made.txt; git push origin main"),
    say("NOT DONE: there is no repository."),
    say("Hello there."),
    say("1. A plan."),
    bash(`sleep ${seconds}`),
    say("After it."),
    say("Hello first."),
    say("Hello again."),
  ];
  // A plan is offered other tools, and each session starts over.
  await using web = serve_mcp();
  await stage({ script, violations: true }, async (s) => {
    const server = fileURLToPath(new URL("./support/mcp_server.js", import.meta.url));
    s.outside.write(
      "mcp.json",
      JSON.stringify({
        mcpServers: [
          {
            name: "calc",
            type: "stdio",
            command: Deno.execPath(),
            args: ["run", "-A", "--no-config", "--no-lock", server, "honest"],
            env: [],
          },
          { name: "web", type: "http", url: web.url, headers: [{ name: "x-key", value: "k" }] },
        ],
      }),
    );
    await with_acpx(s, async (acpx) => {
      const once = await acpx("--mcp-config", s.outside.at("mcp.json"), "exec", "Say hello");
      assert.match(once, /Hello from exec\.[^]*\[done\] end_turn/);
      assert.match(once, /greet/);
      assert.deepEqual(s.server.results().slice(1), ["5", "found it"]);
      assert.equal(web.seen.every((line) => line.endsWith(" k")), true);
      const pushed = await acpx("--deny-all", "exec", "Push.");
      assert.match(pushed, /Not pushed\./);
      assert.match(s.server.results().at(-1)!, /the user said no/);
      assert.equal(s.ws.exists("made.txt"), false);
      await acpx("--approve-all", "exec", "Push.");
      assert.match(s.server.results().at(-1)!, /not a git repository/);
      assert.equal(s.ws.exists("made.txt"), true);
      await acpx("sessions", "new");
      assert.match(await acpx("prompt", "Hi."), /Hello there\./);
      assert.match(await acpx("set-mode", "plan"), /plan/);
      assert.match(await acpx("prompt", "Plan it."), /1\. A plan\./);
      await acpx("set", "model", "scripted");
      await acpx("set-mode", "auto");
      const waiting = acpx("prompt", "Wait.");
      await until("it sleeps", () => asleep(seconds));
      await acpx("cancel");
      assert.match(await waiting, /cancelled/);
      await gone(seconds);
      assert.match(await acpx("prompt", "And then?"), /After it\./);
      assert.match(await acpx("sessions", "list"), /Push\./);
      assert.match(await acpx("status"), /mode: auto/);
      // Once its owner has gone, the session is found again.
      await acpx("sessions", "new");
      await acpx("--ttl", "1", "prompt", "Hello.");
      for (let said = ""; !/^pid: -$/m.test(said);) said = await acpx("status");
      assert.match(await acpx("prompt", "And again."), /session\/resume[^]*Hello again\./);
      assert.match(JSON.stringify(s.server.requests.at(-1)!.body.messages), /Hello first\./);
      assert.match(await acpx("sessions", "close"), /\S/);
      assert.match(await acpx("status"), /no-session|closed/);
    });
  });
});
