/** MCP servers over HTTP: reached by hamr itself, and what they can do wrong. */
import assert from "node:assert/strict";
import { serve_mcp } from "./support/mcp_web.ts";
import { installed } from "./support/installed.ts";
import { ANSWER, call, say } from "./support/model_server.ts";
import { play } from "./support/mcp.ts";

Deno.test("a server over HTTP is reached by hamr itself, and the policy names its host", async () => {
  await using web = serve_mcp();
  const settings = `[mcp.web]\nurl = "${web.url}"\nheaders = { X-Key = "k" }\n`;
  await play([call("web__search", {}), say(ANSWER)], settings, async (s) => {
    const run = await s.events("Search.");
    assert.equal(run.code, 0, run.stderr);
    assert.deepEqual(s.server.results(), ["found it"]);
    const { policy } = run.events[0] as unknown as { policy: { lines: { line: string }[] } };
    const lines = policy.lines.map(({ line }) => line).join("\n");
    assert.equal(lines.includes(`MCP server web to ${web.host}`), true, lines);
    assert.equal(web.seen.every((line) => line.endsWith(" k")), true);
    const doctor = await s.hamr(["doctor"]);
    assert.match(doctor.stdout, /✓ mcp web: 1 tool, at 127\.0\.0\.1:\d+\n/);
  });
});

Deno.test({
  name: "a port at which hamr asks a server is no command's to take over: it would be sent the key",
  ignore: !installed("python3"),
  async fn() {
    await using web = serve_mcp();
    using spare = Deno.listen({ hostname: "127.0.0.1", port: 0 });
    using grader = Deno.listen({ hostname: "127.0.0.1", port: 0 });
    const unused = Deno.listen({ hostname: "127.0.0.1", port: 0 });
    unused.close();
    const [asked, none] = [[spare, grader], [unused]].map((all) =>
      all.map(({ addr }) => String((addr as Deno.NetAddr).port))
    );
    const ports = [web.host.split(":")[1]!, ...asked!, ...none!, "0"];
    // Beside the server, as where it was once it has ended.
    const takes = (port: string) =>
      call("bash", {
        command: "python3 -c 'import socket; s = socket.socket(); " +
          `s.bind(("127.0.0.2", ${port})); s.listen(); print("took")' 2>&1 | tail -1`,
      });
    const provider = (name: string, port: string) =>
      `[providers.${name}]\nbase_url = "http://127.0.0.1:${port}/v1"\n`;
    const settings = `[mcp.web]\nurl = "${web.url}"\n[fallback]\nchain = ["b/m", "d/m"]\n` +
      `[auxiliary.grader]\nprovider = "c"\n` +
      ["b", "c", "d"].map((name, at) => provider(name, ports[at + 1]!)).join("");
    for (const net of [[], ["--allow-net"]]) {
      await play([...ports.map(takes), say(ANSWER)], settings, async (s) => {
        await s.run("Listen.", ...net);
        const taken = s.server.results().map((text) => /in use$/.test(text) ? "refused" : text);
        // Where nobody listened as the run began, anybody may.
        assert.deepEqual(taken, ["refused", "refused", "refused", "took", "took"]);
      });
    }
  },
});

Deno.test("a stream of events that ends at once is not asked for again and again, whatever its server says of that", async () => {
  for (const retry of [0, 1, 99_999_999_999]) {
    await using web = serve_mcp({ stream: `retry: ${retry}\nid: 1\ndata:\n\n` });
    const script = [call("bash", { command: "sleep 1" }), call("web__search", {}), say(ANSWER)];
    await play(script, `[mcp.web]\nurl = "${web.url}"\n`, async (s) => {
      const run = await s.run("Search.");
      assert.equal(run.code, 0, run.stderr);
      assert.equal(s.server.results()[1], "found it");
      const asked = web.seen.filter((line) => line.startsWith("GET")).length;
      assert.ok(asked >= 1 && asked <= 3 + run.ms / 500, `${asked} in ${run.ms} ms`);
    });
  }
});

Deno.test("a key for a server over HTTP is shown by nothing, though the server repeats it", async () => {
  const key = "hush-0123456789", password = "hush/pa55word";
  const repeated = (request: Request) =>
    `${request.headers.get("x-api-key")} ${request.headers.get("authorization")} ${request.url}`;
  const answers: readonly ((request: Request, id: unknown) => Response)[] = [
    (request, id) =>
      Response.json({
        ...{ jsonrpc: "2.0", id },
        result: { content: [{ type: "text", text: `You are ${repeated(request)}.` }] },
      }),
    (request) => new Response(`no: ${repeated(request)}`, { status: 400 }),
  ];
  for (const answer of answers) {
    await using web = serve_mcp({ answer });
    const url = `${web.url}?api_key=${encodeURIComponent(password)}`;
    const settings = `[mcp.web]\nurl = "${url}"\n` +
      'headers = { X-Api-Key = "${WEB_KEY}", Authorization = "Bearer ${WEB_KEY}", Accept-Language = "english" }\n' +
      `[mcp.off]\nurl = "http://127.0.0.1:9/mcp?token=${key}"\n` +
      '[mcp.program]\ncommand = "no-such-server"\nargs = ["--token", "${WEB_KEY}"]\n';
    await play([call("web__search", {}), say(ANSWER)], settings, async (s) => {
      const env = { env: { ...s.env, WEB_KEY: key } };
      const outcomes = [
        await s.hamr(["run", "--output", "jsonl", "-v", "Search."], env),
        ...await Promise.all(
          [["mcp", "list"], ["mcp", "list", "--output", "json"], ["doctor"], ["mcp", "test", "off"]]
            .map((args) => s.hamr(args, env)),
        ),
      ];
      assert.match(s.server.results()[0]!, /\*\*\* Bearer \*\*\* http.*api_key=\*\*\*/);
      for (const { stdout, stderr } of outcomes) {
        assert.doesNotMatch(stdout + stderr, /hush-0|hush%2F|hush\/pa55/);
      }
      assert.match(outcomes[1]!.stdout, /no-such-server --token \$\{WEB_KEY\}/);
      assert.ok(!JSON.stringify(s.server.requests.map(({ body }) => body)).includes("hush-0"));
    });
  }
});

Deno.test("a server over HTTP that goes on and on is given up; one that tells of its progress is not", async () => {
  const events = (id: unknown, count: number) => {
    const one = JSON.stringify({ jsonrpc: "2.0", method: "notifications/message", params: {} });
    const answer = JSON.stringify({ jsonrpc: "2.0", id, result: { content: [] } });
    return new Response(`data: ${one}\n\n`.repeat(count) + `data: ${answer}\n\n`, {
      headers: { "content-type": "text/event-stream" },
    });
  };
  for (const [count, words] of [[50_000, /^Error: /], [9000, /^(?!Error)/]] as const) {
    await using web = serve_mcp({ answer: (_, id) => events(id, count) });
    const script = [call("web__search", {}), say(ANSWER)];
    await play(script, `[mcp.web]\nurl = "${web.url}"\n`, async (s) => {
      const run = await s.run("Search.");
      assert.equal(run.code, 0, run.stderr);
      assert.match(s.server.results()[0]!, words);
    });
  }
});
