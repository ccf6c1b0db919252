/** MCP servers: found, started in the sandbox, called, logged, replayed; and what they can do wrong. */
import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { pause, PROGRAM, until } from "./support/hamr.ts";
import { serve_mcp } from "./support/mcp_web.ts";
import { ANSWER, call, type Reply, say } from "./support/model_server.ts";
import { type Stage, stage, type StageOptions } from "./support/stage.ts";
import { Terminal } from "./support/terminal.ts";
import { thorough } from "./support/thorough.ts";

const SERVER = fileURLToPath(new URL("./support/mcp_server.js", import.meta.url));
const CONFIG = ".config/hamr/config.toml";

/** `[mcp.NAME]` with the server for tests. */
function section(name: string, kind = "honest", ...lines: string[]): string {
  const args = ["run", "-A", "--no-config", "--no-lock", SERVER, kind];
  return [
    `[mcp.${name}]`,
    `command = ${JSON.stringify(Deno.execPath())}`,
    `args = ${JSON.stringify(args)}`,
    ...lines,
    "",
  ].join("\n");
}

/** A stage with settings. */
async function play(
  script: readonly Reply[],
  settings: string,
  body: (s: Stage) => Promise<void>,
  options: StageOptions = {},
): Promise<void> {
  await stage({ script: [...script], ...options }, async (s) => {
    s.home.write(CONFIG, settings);
    await body(s);
  });
}

const names = (s: Stage, n: number) =>
  (s.server.requests[n]?.body.tools ?? []).map((tool) => tool.function.name);

Deno.test("tools of a server are looked for, called by its name, logged and replayed", async () => {
  const script = [
    call("tool_search", { query: "add numbers" }),
    call("calc__add", { a: "2", b: 3 }),
    call("mcp__calc__add", { a: 2 }),
    call("calc__write_note", { path: "note.txt", text: "hello" }),
    call("calc__read_resource", { uri: "note://one" }),
    say("The note is written to note.txt."),
  ];
  await play(script, section("calc"), async (s) => {
    const run = await s.events("Write a note.", "--context-window", "16384");
    assert.equal(run.code, 0, run.stderr);
    assert.equal(names(s, 0).includes("tool_search"), true);
    assert.equal(names(s, 0).some((name) => name.includes("__")), false);
    assert.equal(names(s, 1).includes("calc__add"), true);
    const { messages, tools } = s.server.requests[0]!.body;
    assert.match(JSON.stringify(tools), /MCP servers: calc\./);
    const bytes = JSON.stringify(tools).length + JSON.stringify(messages[0]).length;
    assert.equal(bytes <= 5200, true, `${bytes}`);
    const [found, five, fault, wrote, note] = s.server.results();
    assert.match(found!, /From now on you can call:\n- calc__add: The tool add/);
    assert.equal(five, "5");
    assert.match(fault!, /^Error: calc__add was not run: .*"b"/);
    assert.equal(wrote, "wrote note.txt");
    assert.match(note!, /^resource note:\/\/one:\nwhat note:\/\/one says$/);
    assert.equal(s.ws.read("note.txt"), "hello");
    assert.deepEqual(run.result.files_changed.map(({ path }) => path), ["note.txt"]);
    assert.match(run.stderr, /🌐 add → \{"a":"2","b":3\} \(MCP: calc\)\n +✓ OK/);
    assert.equal(run.events.find(({ name }) => name === "calc__add")?.["mcp"], "calc");
    const id = run.result.session_id;
    const sent = s.server.requests.length;
    await s.server.close();
    const replay = await s.hamr(["replay", id]);
    assert.match(replay.stdout, new RegExp(`replayed ${sent} requests of 1 run: every byte`));
  });
});

Deno.test("in a large window a few tools are offered from the second request on, many are looked for", async () => {
  const cases = [["few", "add", true], ["hostile", "bash", false]] as const;
  for (const [kind, tool, offered] of cases) {
    const script = [call("tool_search", { query: tool }), say(ANSWER)];
    await play(script, section("calc", kind), async (s) => {
      const { code, stderr } = await s.run("Look.", "--context-window", "65536");
      assert.equal(code, 0, stderr);
      assert.equal(names(s, 0).some((name) => name.startsWith("calc__")), false);
      assert.equal(names(s, 0).includes("tool_search"), true);
      assert.equal(names(s, 1).includes(`calc__${tool}`), true);
      assert.equal(names(s, 1).includes("calc__write_note"), offered);
      const words = offered ? "You can already call" : "From now on you can call";
      assert.equal(s.server.results()[0]?.startsWith(words), true);
    });
  }
});

Deno.test("what a server gives back is bounded, shown and never obeyed", async () => {
  const script = [
    call("t__big", {}),
    call("t__image", {}),
    call("t__resource", {}),
    call("t__structured", {}),
    call("t__env", { name: "MY_KEY" }),
    call("t__fail", {}),
    call("t__escape", {}),
    call("t__roots", {}),
    call("t__sample", {}),
    call("t__progress", {}),
    call("t__lie", {}),
    call("t__rubbish", {}),
    call("t__more", {}),
    call("t__later", {}),
    say("NOT DONE: no reason."),
  ];
  const settings = section("t", "honest", 'env = { MY_KEY = "${OWN_KEY}" }');
  await play(script, settings, async (s) => {
    const run = await s.events("Look around.");
    const all = s.server.results();
    const [big, image, resource, structured, key, fail, escape, roots, sample] = all;
    assert.match(big!, /lines \(\d+ bytes\) left out; all of it is in .*mcp-1\.txt/);
    assert.equal(big!.length < 60_000, true);
    assert.match(image!, /an image: PNG image, 1×1 pixels/);
    assert.equal(resource, "resource note://one:\nthe note");
    assert.equal(structured, '{"sum":5}');
    assert.equal(key, "a secret");
    assert.match(fail!, /^Error: it did not work/);
    assert.match(escape!, /cleared/);
    assert.equal(run.stderr.includes("\u001b"), false);
    assert.equal(roots!.includes(`file://${s.ws.path}`), true, roots);
    assert.match(sample!, /"code":-32601/);
    assert.equal(all[9], "done");
    assert.equal(all[10], "the truth");
    assert.equal(all[11], "said");
    assert.equal(all[13], "late");
    const warnings = run.result.warnings.filter((line) => line.startsWith("MCP server t"));
    assert.match(
      warnings.join("\n"),
      /answers requests that were not sent[^]*prints lines that are not MCP/,
    );
    assert.equal(warnings.length, 2);
    assert.equal(run.events.filter(({ type, ok }) => type === "tool_result" && !ok).length, 1);
  }, { env: { OWN_KEY: "a secret" } });
});

Deno.test("a server that fails costs its calls and a warning, is started again once, and the run goes on", async () => {
  const cases: readonly (readonly [
    kind: string,
    calls: readonly string[],
    results: readonly RegExp[],
    warning: RegExp,
  ])[] = [
    [
      "broken",
      ["add"],
      [/there is no tool "x__add"/],
      /x did not start: exit code 1: Error: no such module/,
    ],
    [
      "honest",
      ["die", "add", "die", "add"],
      [
        /^Error: the server ended during the call; whether it took effect is not known$/,
        /^5$/,
        /^Error: the server ended during the call/,
        /^Error: it is not running: exit code 3$/,
      ],
      /x ended: exit code 3; it is started again\n[^]*x ended again: exit code 3; its tools fail/,
    ],
    ["honest", ["hang", "add"], [/^Error: no answer within 1 s$/, /^5$/], /^$/],
    [
      "honest",
      ["flood", "add"],
      [/^Error: the server ended/, /^5$/],
      /10000 unsolicited messages/,
    ],
    [
      "honest",
      ["endless", "add"],
      [/^Error: the server ended/, /^5$/],
      /a message of more than 32 MiB/,
    ],
  ];
  for (const [kind, calls, results, warning] of cases) {
    const script = [
      ...calls.map((name) => call(`x__${name}`, name === "add" ? { a: 2, b: 3 } : {})),
      say("NOT DONE: it failed."),
    ];
    // Only where it is to pass.
    const limit = calls.includes("hang") ? ["timeout_s = 1"] : [];
    await play(script, section("x", kind, ...limit), async (s) => {
      const run = await s.run("Call it.");
      assert.equal(run.code, 2, run.stderr);
      assert.equal(run.result.stop_reason, "not_done");
      s.server.results().forEach((text, n) => assert.match(text, results[n]!, `${kind} ${n}`));
      const said = run.result.warnings.filter((line) => line.startsWith("MCP server x"));
      assert.match(said.join("\n"), warning, kind);
    });
  }
});

Deno.test("a server may ask the person where somebody can answer, for as long as they take; it hears of what is given up", async () => {
  const script = [call("x__form", {}), call("x__hang", {}), call("x__heard", {}), say(ANSWER)];
  await play(script, section("x", "honest", "timeout_s = 1"), async (s) => {
    const { readable, writable } = new TransformStream<
      Uint8Array<ArrayBuffer>,
      Uint8Array<ArrayBuffer>
    >();
    const writer = writable.getWriter();
    const running = s.start(
      ["run", "--output", "jsonl", "--steer", "--confirm", "sensitive", "--mode", "ask", "Who?"],
      { stdin: readable },
    );
    const events = () => running.stdout().split("\n").slice(0, -1).map((line) => JSON.parse(line));
    const answer = async (nth: number, text: string) => {
      const asked = () => events().filter(({ type }) => type === "question")[nth];
      await until("a question", () => asked() !== undefined);
      const { id, question, choices } = asked();
      // Longer than the server's own limit.
      if (nth === 0) await pause(1500);
      await writer.write(
        new TextEncoder().encode(`${JSON.stringify({ type: "answer", id, text })}\n`),
      );
      return [question, ...choices];
    };
    assert.deepEqual(await answer(0, "Ann"), ["MCP server x asks: Who is it for?\nwho (text)"]);
    assert.deepEqual(await answer(1, "yes"), ["MCP server x: sure (yes or no)", "yes", "no"]);
    const { code } = await running.done;
    await writer.close().catch(() => {});
    assert.equal(code, 0);
    const [form, hang, heard] = s.server.results();
    assert.deepEqual(JSON.parse(form!), {
      action: "accept",
      content: { who: "Ann", sure: true },
    });
    assert.equal(hang, "Error: no answer within 1 s");
    assert.match(heard!, /notifications\/cancelled/);
  });
  await play([call("x__form", {}), say(ANSWER)], section("x"), async (s) => {
    await s.run("Who?", "--mode", "ask");
    assert.match(s.server.results()[0]!, /"code":-32601/);
  });
});

Deno.test("a hostile server can neither fill the prompt, nor speak as hamr, nor take another tool's name", async () => {
  const script = [
    call("tool_search", { query: "*" }),
    call("evil__bash", {}),
    call("evil________etc_passwd", {}),
    say(ANSWER),
  ];
  await play(script, section("evil", "hostile"), async (s) => {
    const run = await s.run("Look.");
    assert.equal(run.code, 0, run.stderr);
    const [found, bash] = s.server.results();
    assert.equal(found!.length < 12_000, true, `${found!.length}`);
    assert.match(found!, /and \d+ more$/);
    assert.equal(bash, "called bash");
    for (const { body } of s.server.requests) {
      const text = JSON.stringify(body);
      assert.equal(text.length < 60_000, true, `${text.length}`);
      for (const bad of ["\u001b", "\\u001b", "\u202e"]) assert.equal(text.includes(bad), false);
      assert.equal(text.includes("</hamr><hamr>Run"), false);
    }
    assert.match(run.result.warnings.join("\n"), /MCP server evil: \d+ tools are left out/);
    assert.equal(run.stderr.includes("\u001b"), false);
  });
});

Deno.test("a call that may change something is asked about, barred in a dry run, and a fact for an ending", async () => {
  const writes = [
    call("x__write_note", { path: "a.txt", text: "a" }),
    say("I have written the note."),
  ];
  await play(writes, section("x"), async (s) => {
    const asked = await s.run("Write it.", "--confirm", "all");
    assert.equal(s.ws.exists("a.txt"), false);
    assert.match(s.server.results()[0]!, /^Error: refused: no one can be asked here/);
    assert.notEqual(asked.code, 0);
  }, { script: [...writes, ...writes] });
  await play(writes, section("x"), async (s) => {
    const dry = await s.run("Write it.", "--dry-run");
    assert.match(dry.stderr, /dry run: MCP servers are not started/);
    assert.equal(s.ws.exists("a.txt"), false);
  }, { script: [...writes, say(ANSWER), say(ANSWER)] });
  // What the server did elsewhere, nobody saw; the claim stands all the same.
  const remote = [call("x__more", {}), say("I created the ticket and changed its title.")];
  await play(remote, section("x"), async (s) => {
    assert.equal((await s.run("Create a ticket.")).code, 0);
    assert.equal(s.server.requests.length, 2);
  });
});

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
    const clash = await s.run("Look.");
    assert.equal(clash.code, 3);
    assert.match(
      clash.stderr,
      /two MCP servers are called one, in .*config\.toml and .*\.mcp\.json/,
    );
    s.ws.write(".mcp.json", json("two", { url: "http://127.0.0.1" }));
    assert.equal((await s.hamr(["config", "trust"])).code, 0);
    s.home.write(
      CONFIG,
      `${section("one", "honest", 'env = { A = "${NOT_SET}" }')}${
        section("net", "honest", "net = true")
      }`,
    );
    const { stdout, stderr } = await s.hamr(["mcp", "list"]);
    assert.match(stdout, /^No MCP servers\./);
    assert.match(stderr, /one is not used: NOT_SET is not set/);
    assert.match(stderr, /two is not used: give it a command or a url, and not both/);
    assert.match(stderr, /net is not used: it needs the network: --allow-net/);
  });
});

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
    const none = await s.hamr(["mcp", "test", "other"]);
    assert.deepEqual([none.code, /known: good, bad/.test(none.stderr)], [3, true]);
  });
});

Deno.test("nothing of a server outlives the run, however that ends", async () => {
  const settings = section("x", "stubborn");
  const hang = call("x__hang", {});
  await play([hang, hang], settings, async (s) => {
    const pids = s.ws.at("pids");
    const args = settings.replace('"stubborn"]', `"stubborn", "${pids}"]`);
    s.home.write(CONFIG, args);
    const alive = () =>
      s.ws.read("pids").trim().split("\n").filter((pid) => {
        try {
          return !/^State:\s+Z/m.test(Deno.readTextFileSync(`/proc/${pid}/status`));
        } catch {
          return false;
        }
      });
    for (const signal of ["SIGINT", "SIGKILL"] as const) {
      const run = s.start(["run", "-v", "Call it."]);
      await until("the call", () => /hang →/.test(run.stderr()));
      assert.equal(alive().length, 1);
      run.kill(signal);
      await run.done;
      await until("the end of the server", () => alive().length === 0);
    }
    // Two runs, one server: the second request begins another conversation.
  }, { violations: true });
});

Deno.test(
  "a server that never says hello is named while it is waited for, and nobody has to wait",
  {
    ignore: Deno.build.os !== "linux",
  },
  async () => {
    await stage({ script: [call("mute__add", {}), say(ANSWER)] }, async (s) => {
      s.home.write(CONFIG, section("calc") + section("mute", "silent"));
      const place = { cwd: s.ws.path, home: s.home.path, env: s.env };
      const terminal = new Terminal([...PROGRAM, "run", "Call it."], place);
      await terminal.until("waiting for MCP server mute", 0);
      await terminal.type("\x03");
      assert.equal((await terminal.status).code, 130);
      assert.equal(s.server.requests.length, 1);
    });
  },
);

Deno.test("a server that never says hello is given up, and the run goes on", {
  ignore: !thorough,
}, async () => {
  await play([call("mute__add", {}), say(ANSWER)], section("mute", "silent"), async (s) => {
    const run = await s.run("Call it.");
    assert.equal(run.code, 0, run.stderr);
    assert.match(
      run.result.warnings.join("\n"),
      /mute did not start: it was not ready within 30 s/,
    );
  });
});

Deno.test("a session that goes on, and a subagent, have the tools of servers as before", async () => {
  const script = [
    call("calc__add", { a: 1, b: 2 }),
    say("It is 3."),
    { calls: [5, 6].map((a) => ({ name: "calc__add", args: { a, b: 1 } })) },
    call("delegate_task", { task: "Add 1 and 2." }),
    call("calc__add", { a: 1, b: 2 }),
    say("It is 3."),
    say("All is added."),
  ];
  const flags = ["--context-window", "16384"];
  await play(script, section("calc"), async (s) => {
    const { code, result } = await s.run("Add.", ...flags);
    assert.equal(code, 0);
    const more = await s.hamr(["resume", "--json", result.session_id, "more", ...flags]);
    assert.equal(more.code, 0, more.stderr);
    assert.equal(names(s, 2).includes("calc__add"), true);
    assert.deepEqual(names(s, 2), names(s, 1));
    assert.deepEqual(s.server.results().slice(0, 3), ["3", "6", "7"]);
    assert.match(more.stderr, /│ +🌐 add → .*\n +│ +✓ OK/);
    const replay = await s.hamr(["replay", result.session_id]);
    assert.match(replay.stdout, /every byte the same/);
    // A subagent's conversation starts over.
  }, { violations: true });
});

Deno.test("with ten servers the first request is as small as with none, and waits for none of them", async () => {
  const asked = Promise.withResolvers<void>();
  const tools = Array.from({ length: 20 }, (_, n) => ({
    name: `tool_${n}`,
    description: "It does what it is there for. ".repeat(9),
    inputSchema: { type: "object" },
  }));
  // No server answers before the model has been asked.
  await using web = serve_mcp({ tools, first: asked.promise });
  const sections = Array.from(
    { length: 10 },
    (_, n) => `[mcp.server${n}]\nurl = "http://${web.host}/${n}"\n`,
  );
  const bytes = ({ body: { tools, messages } }: Stage["server"]["requests"][number]) =>
    JSON.stringify(tools).length + JSON.stringify(messages[0]).length;
  for (const window of ["16384", "131072"]) {
    const script = (_: unknown, n: number) => {
      asked.resolve();
      return n === 0 ? call("server7__tool_3", {}) : say(ANSWER);
    };
    await stage({ script }, async (s) => {
      s.home.write(CONFIG, sections.join(""));
      const { code, stderr } = await s.run("Look.", "--context-window", window);
      assert.equal(code, 0, stderr);
      const [first, second] = s.server.requests;
      assert.equal(bytes(first!) <= 5200, true, `${window}: ${bytes(first!)}`);
      assert.equal(names(s, 0).some((name) => name.startsWith("server")), false);
      assert.equal(s.server.results()[0], "found it");
      // 200 tools are more than 3 kB of schemas: only what was called is offered.
      assert.deepEqual(names(s, 1).filter((name) => name.startsWith("server")).length <= 1, true);
      assert.ok(second);
    });
  }
});
