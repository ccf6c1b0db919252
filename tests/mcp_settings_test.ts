/** Where MCP servers come from, and what `hamr mcp test` says of one. */
import assert from "node:assert/strict";
import { ANSWER, say } from "./support/model_server.ts";
import { CONFIG, play, section, SERVER } from "./support/mcp.ts";

Deno.test("servers come from settings, --mcp-config and a trusted .mcp.json, each name once", async () => {
  const json = (name: string, more = {}) =>
    JSON.stringify({
      mcpServers: {
        [name]: { command: Deno.execPath(), args: ["run", "-A", "--no-config", SERVER], ...more },
      },
    });
  await play([say(ANSWER)], section("one"), async (s) => {
    s.ws.write(".mcp.json", json("two"));
    s.outside.write("three.json", json("three", { env: { A: "${NOT_SET:-b}" } }));
    const file = s.outside.at("three.json");
    for (
      const [given, words] of [[".", "a folder, not a file"], [
        "none",
        "can't be read: no such file or folder",
      ]]
    ) {
      const { code, stderr } = await s.hamr(["mcp", "list", "--mcp-config", given!]);
      assert.deepEqual([code, stderr], [3, `hamr: --mcp-config ${given}: ${words}\n`]);
    }
    const before = await s.hamr(["mcp", "list", "--mcp-config", file]);
    assert.match(before.stdout, /^one .*\nthree .*\n$/);
    assert.match(before.stderr, /\.mcp\.json: ignored until you trust it: .*hamr config trust/);
    assert.match((await s.hamr(["config", "trust"])).stdout, /\.mcp\.json[^]*two[^]*Trusted/);
    assert.match((await s.hamr(["mcp", "list"])).stdout, /^one .*\ntwo .*\n$/);
    const elsewhere = await s.hamr(["mcp", "list", "-C", s.outside.path]);
    assert.match(elsewhere.stdout, /^one .*\n$/, "the other workspace has no .mcp.json");
    const run = await s.run("Look.", "--mcp-config", file);
    assert.match(JSON.stringify(s.server.requests[0]!.body), /MCP servers: one, three, two\./);
    assert.equal(run.code, 0);
    s.ws.write(".mcp.json", json("one"));
    assert.equal((await s.hamr(["config", "trust"])).code, 0);
    const clash = await s.hamr(["run", "Look."]);
    assert.equal(clash.code, 3);
    assert.match(
      clash.stderr,
      /two MCP servers are called one, in .*config\.toml and .*\.mcp\.json/,
    );
    const headers = { Accept: "x ${HOME}", "X-Team": "${A:-b}c${PATH}", Authorization: "d" };
    s.ws.write(".mcp.json", json("two", { url: "http://127.0.0.1", headers }));
    assert.match(
      (await s.hamr(["config", "trust"])).stdout,
      /\(sets Accept from \$\{HOME\}, X-Team from \$\{A\} and \$\{PATH\}, Authorization\)$/m,
    );
    s.home.write(
      CONFIG,
      `${section("one", "honest", 'env = { A = "${NOT_SET}" }')}${
        section("net", "honest", "net = true")
      }`,
    );
    const { stdout, stderr } = await s.hamr(["mcp", "list"]);
    assert.match(stdout, /^No MCP servers: add \[mcp\.NAME\]/);
    assert.match(stderr, /one is not used: NOT_SET is not set/);
    assert.match(stderr, /two is not used: give it a command or a url, and not both/);
    assert.match(stderr, /net is not used: it needs the network: --allow-net/);
  });
});

Deno.test("hamr mcp test says what a server has, or why it is of no use", async () => {
  await play([], `${section("good", "few")}${section("bad", "broken")}`, async (s) => {
    const good = await s.hamr(["mcp", "test", "good"]);
    assert.equal(good.code, 0, good.stderr);
    assert.match(
      good.stdout,
      /^✓ good: 2 tools, in the sandbox\n {2}good__add \(read-only\): The tool add/,
    );
    const bad = await s.hamr(["mcp", "test", "bad"]);
    assert.deepEqual([bad.code, bad.stdout], [
      1,
      "✗ bad: not usable: exit code 1: Error: no such module\n",
    ]);
    assert.match(bad.stderr, /changed files that run later outside the sandbox: \.envrc/);
    const none = await s.hamr(["mcp", "test", "other"]);
    assert.deepEqual([none.code, /known: good, bad/.test(none.stderr)], [3, true]);
    assert.match(
      (await s.hamr(["mcp", "test", "goood"])).stderr,
      /goood .*; did you mean good\?$/m,
    );
  });
  await play([], "", async (s) => {
    const { code, stderr } = await s.hamr(["mcp", "test", "files"]);
    assert.equal(code, 3);
    assert.match(stderr, /no MCP server files: add \[mcp\.files\] with a command or a url/);
  });
});
