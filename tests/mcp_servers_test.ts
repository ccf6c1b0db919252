/** MCP servers that nobody here wrote. They are installed once, into a cache of their own; without a registry the tests say SKIP. */
import assert from "node:assert/strict";
import { CACHE, CONFIG, runs, section } from "./support/mcp_others.ts";
import { ANSWER, call, say } from "./support/model_server.ts";
import { inside_stage as stage } from "./support/stage.ts";
import { skip } from "./support/skip.ts";

const NODE = [
  "@modelcontextprotocol/server-everything@2026.8.31",
  "@modelcontextprotocol/server-filesystem@2026.8.31",
];
const PYTHON = ["mcp-server-git==2026.10.19", "mcp-server-time==2026.10.19"];

/** Whether they are there, installed now where need be. */
async function installed(kind: "node" | "python"): Promise<boolean> {
  const done = `${CACHE}/${kind}.done`;
  try {
    Deno.statSync(done);
    return true;
  } catch {
    // Not yet.
  }
  const folder = `${CACHE}/${kind}`;
  Deno.mkdirSync(folder, { recursive: true });
  const ok = kind === "node"
    ? await runs("npm", ["install", "--silent", "--no-audit", "--prefix", folder, ...NODE])
    : await runs("python3", ["-m", "venv", folder]) &&
      await runs(`${folder}/bin/pip`, ["install", "--quiet", ...PYTHON]);
  if (ok) Deno.writeTextFileSync(done, "");
  else skip(`MCP servers for ${kind} could not be installed; nothing was shown`);
  return ok;
}

Deno.test("server-everything and server-filesystem work over pipes", async () => {
  if (!await installed("node")) return;
  const bin = (name: string) => `${CACHE}/node/node_modules/.bin/${name}`;
  const script = [
    call("tool_search", { query: "sum of two numbers" }),
    call("every__get-sum", { a: 2, b: 3 }),
    call("every__get-tiny-image", {}),
    call("every__trigger-long-running-operation", { duration: 0.2, steps: 2 }),
    call("every__get-roots-list", {}),
    call("every__get-structured-content", { location: "New York" }),
    call("every__read_resource", { uri: "demo://resource/dynamic/text/1" }),
    call("fs__write_file", { path: "made.txt", content: "made by a server" }),
    call("fs__read_text_file", { path: "../outside.txt" }),
    say("made.txt is written."),
  ];
  await stage({ script }, async (s) => {
    s.home.write(
      CONFIG,
      section("every", bin("mcp-server-everything")) +
        section("fs", bin("mcp-server-filesystem"), s.ws.path),
    );
    const run = await s.run("Do it.", "--context-window", "16384");
    assert.equal(run.code, 0, run.stderr);
    const [found, sum, image, long, roots, structured, resource, wrote, denied] = s.server
      .results();
    assert.match(found!, /every__get-sum/);
    assert.match(sum!, /sum of 2 and 3 is 5/);
    assert.match(image!, /an image: PNG image/);
    assert.match(long!, /completed/i);
    assert.equal(roots!.includes(s.ws.path), true, roots);
    assert.match(structured!, /temperature/);
    assert.match(resource!, /resource demo:\/\/resource\/dynamic\/text\/1:\n/);
    assert.match(wrote!, /Successfully wrote/);
    assert.match(denied!, /^Error: .*outside allowed directories/i);
    assert.deepEqual(run.result.files_changed.map(({ path }) => path), ["made.txt"]);
    assert.deepEqual(run.result.warnings, []);
  });
});

Deno.test("server-filesystem writes no more than its section says, though it would", async () => {
  if (!await installed("node")) return;
  const script = [
    call("fs__write_file", { path: "notes/a.txt", content: "a note" }),
    call("fs__write_file", { path: "src/a.txt", content: "no" }),
    call("fs__read_text_file", { path: "src/b.txt" }),
    say("notes/a.txt is written."),
  ];
  await stage({ script, files: { "notes/": "", "src/b.txt": "b" } }, async (s) => {
    const bin = `${CACHE}/node/node_modules/.bin/mcp-server-filesystem`;
    const less = '[mcp.fs.permissions]\nwrite = ["notes"]\nnet = "none"\n';
    s.home.write(CONFIG, section("fs", bin, s.ws.path) + less);
    const run = await s.run("Write it.");
    assert.equal(run.code, 0, run.stderr);
    const [wrote, denied, read] = s.server.results();
    assert.match(wrote!, /Successfully wrote/);
    assert.match(denied!, /^Error: .*EACCES/);
    assert.match(read!, /^b/);
    assert.deepEqual(run.result.files_changed.map(({ path }) => path), ["notes/a.txt"]);
  });
});

Deno.test("a prompt of server-everything is a task", async () => {
  if (!await installed("node")) return;
  await stage({ script: [say(ANSWER)] }, async (s) => {
    const bin = `${CACHE}/node/node_modules/.bin/mcp-server-everything`;
    s.home.write(CONFIG, section("every", bin));
    const run = await s.hamr(["run", "--command", "mcp__every__args-prompt", "Oslo", "Norway"]);
    assert.equal(run.code, 0, run.stderr);
    assert.match(JSON.stringify(s.server.requests[0]?.body.messages.at(-1)), /Oslo, Norway/);
  });
});

Deno.test("server-everything works over HTTP", async () => {
  if (!await installed("node")) return;
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const { port } = listener.addr;
  listener.close();
  const server = new Deno.Command(`${CACHE}/node/node_modules/.bin/mcp-server-everything`, {
    args: ["streamableHttp"],
    env: { PORT: String(port) },
    stdin: "null",
    stdout: "null",
    stderr: "piped",
  }).spawn();
  try {
    // It says so on standard error once it listens.
    const reader = server.stderr.getReader();
    for (let said = ""; !said.includes("listening");) {
      const { value, done } = await reader.read();
      if (done) throw new Error(said);
      said += new TextDecoder().decode(value);
    }
    void (async () => {
      while (!(await reader.read()).done) { /* It must not wait for a reader. */ }
    })();
    const script = [call("web__get-sum", { a: 2, b: 3 }), say(ANSWER)];
    await stage({ script }, async (s) => {
      s.home.write(CONFIG, `[mcp.web]\nurl = "http://127.0.0.1:${port}/mcp"\n`);
      const run = await s.run("Add.");
      assert.equal(run.code, 0, run.stderr);
      assert.match(s.server.results()[0]!, /sum of 2 and 3 is 5/);
      assert.deepEqual(run.result.warnings, []);
    });
  } finally {
    server.kill("SIGTERM");
    await server.status;
  }
});

Deno.test("mcp-server-git and mcp-server-time work", async () => {
  if (!await installed("python")) return;
  const bin = (name: string) => `${CACHE}/python/bin/${name}`;
  const script = [
    call("git__git_status", { repo_path: "." }),
    call("git__git_add", { repo_path: ".", files: ["a.txt"] }),
    call("git__git_commit", { repo_path: ".", message: "First" }),
    call("time__convert_time", {
      source_timezone: "UTC",
      time: "12:00",
      target_timezone: "Asia/Tokyo",
    }),
    say("I committed a.txt."),
  ];
  await stage({ script, files: { "a.txt": "a" } }, async (s) => {
    const git = (...args: string[]) =>
      new Deno.Command("git", { args, cwd: s.ws.path, stdout: "null" }).outputSync();
    git("init", "-q");
    git("config", "user.name", "Test");
    git("config", "user.email", "test@localhost");
    s.home.write(
      CONFIG,
      section("git", bin("mcp-server-git")) + section("time", bin("mcp-server-time")),
    );
    const run = await s.run("Commit it.");
    assert.equal(run.code, 0, run.stderr);
    const [status, , commit, time] = s.server.results();
    assert.match(status!, /a\.txt/);
    assert.match(commit!, /committed/i);
    assert.match(time!, /21:00/);
  });
});
