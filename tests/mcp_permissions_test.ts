/** `[mcp.NAME.permissions]`: a server's program may do less than the run, never more. */
import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { ANSWER, call, say } from "./support/model_server.ts";
import { inside_stage as stage } from "./support/stage.ts";

const SERVER = fileURLToPath(new URL("./support/mcp_server.js", import.meta.url));
const CONFIG = ".config/hamr/config.toml";

/** The server for tests, with what it may do. */
function section(name: string, ...permissions: string[]): string {
  const args = ["run", "-A", "--no-config", "--no-lock", SERVER, "honest"];
  return [
    `[mcp.${name}]`,
    `command = ${JSON.stringify(Deno.execPath())}`,
    `args = ${JSON.stringify(args)}`,
    ...(permissions.length === 0 ? [] : [`[mcp.${name}.permissions]`]),
    ...permissions,
    "",
  ].join("\n");
}

/** Whether there is such a process, and it is not one that only waits to be noticed. */
function is_running(pid: number): boolean {
  assert.ok(pid > 1, `${pid}`);
  try {
    return !/^State:\s+[ZX]/m.test(Deno.readTextFileSync(`/proc/${pid}/status`));
  } catch {
    return false;
  }
}

const FILES = { "notes/": "", "docs/a.txt": "the docs", "src/key.txt": "the key" };

Deno.test("a server writes where its section says, and a command beside it where the run may", async () => {
  const script = [
    call("bash", { command: "echo made > by_command.txt; sleep 300 & echo started" }),
    call("less__write_note", { path: "notes/a.txt", text: "a note" }),
    call("less__write_note", { path: "notes_too.txt", text: "no" }),
    call("less__mode", { path: "src/key.txt" }),
    call("less__mode", { path: "notes/a.txt" }),
    call("less__read_note", { path: "src/key.txt" }),
    call("same__write_note", { path: "b.txt", text: "b" }),
    call("less__leave", {}),
    say("notes/a.txt, b.txt and by_command.txt are written."),
  ];
  await stage({ script, files: FILES }, async (s) => {
    s.home.write(CONFIG, section("less", 'write = ["notes"]', 'net = "none"') + section("same"));
    const run = await s.events("Write notes.");
    assert.equal(run.code, 0, run.stderr);
    const [, note, denied, mode, own_mode, read, same, left] = s.server.results();
    assert.equal(note, "wrote notes/a.txt");
    assert.match(denied!, /^Error: .*denied/i);
    assert.match(mode!, /^Error: .*(?:denied|not permitted)/i);
    assert.equal(own_mode, "changed");
    assert.equal(read, "the key");
    assert.equal(same, "wrote b.txt");
    assert.deepEqual(
      run.result.files_changed.map(({ path }) => path).sort(),
      ["b.txt", "by_command.txt", "notes/a.txt"],
    );
    assert.equal(s.ws.exists("notes_too.txt"), false);
    assert.deepEqual(run.result.warnings, ["ended with the run: sleep 300"]);
    assert.equal(is_running(Number(left)), false);
    const { policy } = run.events[0] as unknown as {
      policy: { lines: readonly { line: string }[] };
    };
    const lines = policy.lines.map(({ line }) => line).join("\n");
    assert.match(lines, /MCP servers inside the sandbox, with its rights: same\n/);
    assert.match(lines, /MCP server less in a sandbox of its own, .*: writes notes; network: none/);
  });
});

Deno.test("a server reads what its section names, and connects nowhere where that says so", async () => {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const { port } = listener.addr;
  const script = [
    call("less__read_note", { path: "docs/a.txt" }),
    call("less__read_note", { path: "src/key.txt" }),
    call("less__write_note", { path: "docs/b.txt", text: "no" }),
    call("less__connect", { port }),
    call("same__connect", { port }),
    call("hidden__read_note", { path: "docs/a.txt" }),
    call("hidden__read_note", { path: "src/key.txt" }),
    say(ANSWER),
  ];
  const deno = JSON.stringify([Deno.execPath(), SERVER].concat("docs"));
  try {
    await stage({ script, files: FILES }, async (s) => {
      s.home.write(
        CONFIG,
        section("less", `read = ${deno}`, "write = []", 'net = "none"') + section("same") +
          section("hidden", 'deny_read = ["src"]'),
      );
      const run = await s.run("Read.", "--allow-net=loopback");
      assert.equal(run.code, 0, run.stderr);
      const [docs, key, write, none, some, seen, hidden] = s.server.results();
      assert.equal(docs, "the docs");
      assert.match(key!, /^Error: .*denied/i);
      assert.match(write!, /^Error: .*denied/i);
      assert.match(none!, /^Error: /);
      assert.equal(some, "connected");
      assert.equal(seen, "the docs");
      assert.match(hidden!, /^Error: .*denied/i);
      assert.deepEqual(run.result.warnings, []);
    });
  } finally {
    listener.close();
  }
});

Deno.test("what the run may not do, its servers may not either; that is said, and shown by mcp and doctor", async () => {
  const script = [
    call("more__write_note", { path: "../outside/a.txt", text: "no" }),
    call("more__write_note", { path: "notes/a.txt", text: "yes" }),
    say("notes/a.txt is written."),
    say(ANSWER),
    say(ANSWER),
  ];
  await stage({ script, files: FILES, violations: true }, async (s) => {
    const asked = [`write = ["${s.outside.path}", "notes", "gone"]`, 'net = "all"'];
    s.home.write(CONFIG, section("more", ...asked));
    const run = await s.run("Write.");
    assert.equal(run.code, 0, run.stderr);
    assert.deepEqual(s.server.violations, []);
    assert.match(s.server.results()[0]!, /^Error: .*denied/i);
    assert.equal(s.server.results()[1], "wrote notes/a.txt");
    assert.deepEqual(run.result.warnings, [
      `MCP server more: it may not write ${s.outside.path}: the run may not either (--allow-write)`,
      "MCP server more: it may not write gone: there is no such file or folder",
      "MCP server more: its network is own, not all: the run may do no more (--allow-net)",
    ]);
    const list = await s.hamr(["mcp", "list"]);
    assert.match(list.stdout, /^more .* {2}\[writes .* notes gone; network: all\] {2}\(/);
    const test = await s.hamr(["mcp", "test", "more"]);
    assert.match(test.stdout, new RegExp(`^✓ more: .*; writes ${s.ws.path}/notes; network: own`));
    assert.match(test.stderr, /warning: MCP server more: it may not write gone/);
    const doctor = await s.hamr(["doctor"]);
    assert.match(doctor.stdout, /mcp more: .*; writes .*\/notes; network: own/);
    // Of a run that writes nothing, nobody expects it.
    const reads = await s.run("Read.", "--read-only");
    assert.equal(reads.code, 0, reads.stderr);
    assert.doesNotMatch(reads.result.warnings.join("\n"), /may not write notes/);
    const off = await s.run("Read.", "--sandbox", "off");
    assert.deepEqual(off.result.warnings.filter((line) => line.startsWith("MCP server")), [
      "MCP server more: its permissions are not enforced: the sandbox is off",
    ]);
  });
});

Deno.test("what permissions can't say is an error with its place", async () => {
  await stage({}, async (s) => {
    const cases = [
      [
        section("a", 'wirte = ["x"]'),
        /mcp\.a\.permissions\.wirte: unknown key; did you mean write/,
      ],
      [section("a", 'write = "x"'), /mcp\.a\.permissions\.write: must be a list of strings/],
      [
        section("a", 'net = "some"'),
        /mcp\.a\.permissions\.net: must be none, own, loopback or all/,
      ],
      ['[mcp.a]\ncommand = "x"\npermissions = "all"\n', /mcp\.a\.permissions: must be a table/],
    ] as const;
    for (const [settings, words] of cases) {
      s.home.write(CONFIG, settings);
      const { code, stderr } = await s.hamr(["mcp", "list"]);
      assert.equal(code, 3, stderr);
      assert.match(stderr, words);
    }
    s.home.write(CONFIG, '[mcp.a]\nurl = "http://127.0.0.1:9"\npermissions = { write = [] }\n');
    const { code, stderr } = await s.hamr(["mcp", "list"]);
    assert.equal(code, 0);
    assert.match(
      stderr,
      /MCP server a is not used: permissions limit a program that hamr starts/,
    );
  });
});
