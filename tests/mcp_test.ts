/** MCP servers: found, started in the sandbox, called, logged, replayed; and what they can do wrong. */
import assert from "node:assert/strict";
import { pause, PROGRAM, until } from "./support/hamr.ts";
import { serve_mcp } from "./support/mcp_web.ts";
import { ANSWER, call, say } from "./support/model_server.ts";
import { type Stage, stage } from "./support/stage.ts";
import { Terminal } from "./support/terminal.ts";
import { thorough } from "./support/thorough.ts";
import { CONFIG, names, play, section } from "./support/mcp.ts";

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
