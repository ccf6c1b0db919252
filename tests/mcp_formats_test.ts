/** MCP servers as people have written them down for other agents; resources by `@server:URI`; what shells and scripts learn of servers. */
import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { edit_with } from "./support/acp.ts";
import { ANSWER, call, say } from "./support/model_server.ts";
import { type Stage, stage } from "./support/stage.ts";

const SERVER = fileURLToPath(new URL("./support/mcp_server.js", import.meta.url));
const ARGS = ["run", "-A", "--no-config", "--no-lock", SERVER, "honest"];
const CONFIG = ".config/hamr/config.toml";
const section = (name: string) =>
  `[mcp.${name}]\ncommand = ${JSON.stringify(Deno.execPath())}\nargs = ${JSON.stringify(ARGS)}\n`;

const list = async (s: Stage, ...args: string[]) => {
  const { stdout, stderr } = await s.hamr(["mcp", "list", ...args]);
  return stdout + stderr;
};

Deno.test("lists of other agents work as they are; an entry that can't be used costs no other", async () => {
  const program = { command: Deno.execPath(), args: ARGS };
  const document = {
    mcpServers: {
      // Claude Code
      claude: { type: "stdio", ...program, env: { PORT: 3000, ON: true }, timeout: 600_000 },
      // Gemini, Windsurf, Cursor
      gemini: { httpUrl: "http://127.0.0.1:9/mcp", includeTools: ["search"], trust: true },
      windsurf: { serverUrl: "http://127.0.0.1:9/mcp", disabled: false },
      cursor: {
        ...program,
        env: { KEY: "${env:SET}", AT: "${workspaceFolder}/x" },
        envFile: ".env",
      },
      cline: { ...program, timeout: 60, autoApprove: ["add"] },
      copilot: { type: "local", ...program, tools: ["*"] },
      off: { ...program, enabled: false },
      old: { type: "sse", url: "http://127.0.0.1:9/sse" },
      socket: { type: "ws", url: "ws://127.0.0.1:9" },
      odd: { command: 5 },
      "…": program,
    },
  };
  await stage({ script: [], env: { SET: "a key" } }, async (s) => {
    s.outside.write("mcp.json", JSON.stringify(document));
    const file = s.outside.at("mcp.json");
    const { stdout, stderr } = await s.hamr(["mcp", "list", "--json", "--mcp-config", file]);
    const { servers } = JSON.parse(stdout);
    const told = servers.map(({ name, kind, tools, timeout_s }: Record<string, unknown>) =>
      [name, kind, tools, timeout_s].join(" ")
    );
    assert.deepEqual(told, [
      "claude stdio  600",
      "gemini http search 120",
      "windsurf http  120",
      "cursor stdio  120",
      "cline stdio  60",
      "copilot stdio  120",
    ]);
    assert.equal(stdout.includes("a key"), false);
    assert.match(stderr, /MCP server old \(.*mcp\.json\) is not used: MCP has dropped type "sse"/);
    assert.match(stderr, /MCP server socket .*: its type is not one of stdio and http/);
    assert.match(stderr, /MCP server odd .*: command must be a string/);
    assert.match(stderr, /MCP server … .*: its name has no letter/);
    assert.match(stderr, /MCP server cursor .*: envFile can't be used here/);
    // VS Code, and the list itself instead of a file.
    const vscode = JSON.stringify({
      servers: { ask: { ...program, env: { KEY: "${input:key}" } }, here: program },
    });
    const inline = await list(s, "--mcp-config", vscode);
    assert.match(inline, /^here .*\(--mcp-config\)\n/);
    assert.match(inline, /ask is not used: input:key is not set in the environment/);
  });
});

Deno.test("a server starts in the folder it names, sees every folder of the run, and leaves out what only runs as a task", async () => {
  const script = [
    call("x__where", {}),
    call("x__roots", {}),
    call("x__task_only", {}),
    call("add", { a: 1, b: 2 }),
    call("x__ad", { a: 1, b: 2 }),
    say(ANSWER),
  ];
  // The name of the folder is none that an address could hold as it is.
  const files = { "a #1?/b%20c/": "" };
  await stage({ script, files, violations: true }, async (s) => {
    const workspace = s.ws.at("a #1?");
    const more = `cwd = "b%20c"\nenv.AT = "\${workspaceFolder}"\n`;
    s.home.write(CONFIG, section("x") + more);
    const flags = ["--add-dir", s.outside.path];
    const run = await s.hamr(["run", "--json", "-C", workspace, ...flags, "Look."]);
    assert.equal(run.code, 0, run.stderr);
    const [where, roots, task, bare, slip] = s.server.results();
    assert.equal(where, `${workspace}/b%20c`);
    const uris = JSON.parse(roots!).roots.map(({ uri }: { uri: string }) => uri);
    assert.deepEqual(uris.map((uri: string) => fileURLToPath(uri)), [workspace, s.outside.path]);
    assert.match(task!, /^Error: there is no tool "x__task_only"/);
    assert.match(bare!, /tool_search finds those of MCP servers, such as x__add/);
    assert.match(slip!, /such as x__add/);
    assert.deepEqual(run.result.warnings, []);
    s.home.write(CONFIG, section("x") + `cwd = "gone"\n`);
    const gone = await s.hamr(["mcp", "test", "x"]);
    assert.match(gone.stdout, /^✗ x: not usable: exit code \d+: .*gone/);
  });
});

Deno.test("resources: files that can be read are, images are shown, @server:URI in a task is read before it", async () => {
  const script = [
    call("x__read_resource", { uri: "note://json" }),
    call("x__read_resource", { uri: "note://png" }),
    call("x__read_resource", { uri: "note://zip" }),
    say(ANSWER),
    say(ANSWER),
  ];
  await stage({ script, violations: true }, async (s) => {
    s.home.write(CONFIG, section("x"));
    const named = "Sum up (@x:note://one), @x:note://gone. @other:note://one a@x:b://c @x:no";
    const run = await s.run(named);
    assert.equal(run.code, 0, run.stderr);
    assert.match(run.stderr, /hamr: warning: @x:note:\/\/gone: .*no such note\n/);
    const sent = JSON.stringify(s.server.requests[0]!.body.messages.at(-1)!.content);
    const [, ...resources] = sent.split("<resource ");
    assert.equal(resources.length, 1, sent);
    assert.match(resources[0]!, /^server=.*what note:\/\/one says\\n<\/resource>/);
    const [json, png, zip] = s.server.results();
    assert.match(json!, /^resource note:\/\/json:\n\{"a":1\}$/);
    assert.match(png!, /\[an image: PNG image/);
    assert.match(zip!, /application\/zip, 3 bytes, not shown$/);
    // Those of an editor, whose servers already run at the second prompt.
    const editor = await edit_with(s);
    const id = await editor.open();
    assert.equal(await editor.prompt(id, "And @x:note://two?"), "end_turn");
    const again = JSON.stringify(s.server.requests.at(-1)!.body.messages.at(-1)!.content);
    assert.match(again, /what note:\/\/two says/);
    await editor.leave();
  });
});

Deno.test("a shell completes servers, and the prompts of those that a word is about", async () => {
  await stage({ script: [] }, async (s) => {
    s.home.write(CONFIG, section("desk"));
    const complete = async (...words: string[]) =>
      (await s.hamr(["__complete", ...words])).stdout.split("\n").map((line) =>
        line.split("\t")[0]
      );
    assert.deepEqual(await complete(":", "mcp", "test"), ["desk", ""]);
    assert.deepEqual(await complete(":mcp__d", "run", "--command"), [
      ...["mcp__desk__greet", "mcp__desk__a_title", ""],
    ]);
    assert.deepEqual(await complete(":--command=mcp__desk__a", "run"), [
      ...["--command=mcp__desk__a_title", ""],
    ]);
    assert.deepEqual(await complete(":mcp__none__", "run", "--command"), [""]);
    // Nothing is started for a word that may be anything.
    s.home.write(
      CONFIG,
      section("desk").replace('"honest"', `"honest", ${JSON.stringify(s.ws.at("pids"))}`),
    );
    await complete(":", "run", "--command");
    assert.equal(s.ws.exists("pids"), false);
    await complete(":mcp", "run", "--command");
    assert.equal(s.ws.exists("pids"), true);
  });
});

/** What a server says that speaks the revision of 2026-07-28 and no other. */
function newer(method: string, params: { readonly _meta?: Record<string, unknown> } = {}) {
  const [revision, common] = ["2026-07-28", { resultType: "complete" }];
  const listed = { ...common, ttlMs: 0, cacheScope: "private" };
  const asked = params._meta?.["io.modelcontextprotocol/protocolVersion"];
  if (asked !== revision) {
    const data = { supported: [revision], requested: String(asked) };
    return { error: { code: -32022, message: "Unsupported protocol version", data } };
  }
  const results: Record<string, unknown> = {
    "server/discover": {
      ...listed,
      supportedVersions: [revision],
      capabilities: { tools: {} },
      serverInfo: { name: "new", version: "1" },
    },
    "tools/list": { ...listed, tools: [{ name: "find", inputSchema: { type: "object" } }] },
    "tools/call": { ...common, content: [{ type: "text", text: "new words" }] },
  };
  return { result: results[method] };
}

Deno.test("a server over HTTP says why it can't be used, and is found again where it has lost its session", async () => {
  let sessions = 0;
  const losses = [
    { status: 404, said: "" },
    null,
    { status: 400, said: '{"error":{"code":-32000,"message":"No valid session ID provided"}}' },
  ];
  const asked: string[] = [];
  const listener = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen() {} },
    async (request) => {
      const { pathname, port } = new URL(request.url);
      asked.push(pathname);
      if (pathname === "/401") return new Response("who are you?", { status: 401 });
      if (pathname === "/307") {
        return Response.redirect(`http://localhost:${port}/elsewhere`, 307);
      }
      if (pathname === "/500") return new Response("out of order", { status: 500 });
      if (request.method !== "POST") return new Response(null, { status: 405 });
      const { id, method, params } = await request.json();
      if (pathname === "/new") {
        return Response.json({ jsonrpc: "2.0", id, ...newer(method, params) });
      }
      // It has been started again since, and knows nothing of who was there.
      const lost = method === "tools/call" ? losses.shift() : undefined;
      if (lost) return new Response(lost.said, { status: lost.status });
      if (id === undefined) return new Response(null, { status: 202 });
      if (method === "initialize") sessions++;
      const results: Record<string, unknown> = {
        "initialize": {
          protocolVersion: "2025-06-18",
          capabilities: { tools: {} },
          serverInfo: { name: "web", version: "1" },
        },
        "tools/list": { tools: [{ name: "find", inputSchema: { type: "object" } }] },
        "tools/call": { content: [{ type: "text", text: "found it" }] },
      };
      return Response.json({ jsonrpc: "2.0", id, result: results[method] }, {
        headers: { "mcp-session-id": String(sessions) },
      });
    },
  );
  const at = (path: string) =>
    `[mcp.s${path}]\nurl = "http://127.0.0.1:${listener.addr.port}/${path}"\n`;
  try {
    const calls = ["sweb__find", "sweb__find", "snew__find"].map((name) => call(name, {}));
    const script = [...calls, say(ANSWER)];
    await stage({ script }, async (s) => {
      s.home.write(CONFIG, ["307", "401", "500", "web"].map(at).join(""));
      const why = async (name: string) => (await s.hamr(["mcp", "test", name])).stdout;
      assert.match(
        await why("s401"),
        /refused hamr \(HTTP 401\): it needs a token, such as headers/,
      );
      // Its headers are for the host that the settings name, and no other.
      assert.match(await why("s307"), /not usable: HTTP 307: .*\/elsewhere not followed/);
      assert.equal(asked.includes("/elsewhere"), false);
      assert.match(await why("s500"), /not usable: HTTP 500: out of order/);
      s.home.write(CONFIG, at("web") + at("new"));
      const before = sessions;
      const run = await s.run("Find it.");
      assert.equal(run.code, 0, run.stderr);
      assert.deepEqual(s.server.results(), ["found it", "found it", "new words"]);
      assert.equal(sessions, before + 3);
      assert.match(
        run.result.warnings.join("\n"),
        /^MCP server sweb ended: .*; it is started again\n.* ended again: .*No valid session.*; it is asked again at the next call$/,
      );
    });
  } finally {
    await listener.shutdown();
  }
});
