import assert from "node:assert/strict";
import { ANSWER, bash, call, say } from "./support/model_server.ts";
import { stage } from "./support/stage.ts";

const ID = "0f8fad5b-d9cb-469f-a165-70867728950e";

Deno.test("--session-id names the new session, which no second one can have", async () => {
  await stage({ script: [say(ANSWER), say("More.")] }, async (s) => {
    // As macOS' uuidgen prints it.
    const { result } = await s.run("Look.", "--session-id", ID.toUpperCase());
    assert.equal(result.session_id, ID);
    const again = await s.run("Look.", "--session-id", ID);
    assert.equal(again.code, 3);
    assert.match(again.stderr, /there is a session 0f8f.* already; to continue it: hamr resume/);
    assert.equal(again.result.session_id, ID, "what never began has the ID it was to have, too");
    const goes_on = await s.run("Look.", "--continue", "--session-id", ID);
    assert.match(goes_on.stderr, /^hamr: --session-id is for a new session/);
    const resumed = await s.hamr(["resume", ID.slice(0, 8).toUpperCase(), "more", "--json"]);
    assert.deepEqual([resumed.code, resumed.result.session_id], [0, ID]);
    assert.equal(s.server.requests.length, 2);
  });
});

Deno.test("--system adds rules to the prompt, as text or from a file, and a replay has them", async () => {
  await stage({ script: [say(ANSWER)], files: { "r.md": "Answer in French.\n" } }, async (s) => {
    const { code } = await s.run("Look.", "--system", "@r.md");
    assert.equal(code, 0);
    const system = s.server.requests[0]!.body.messages[0]!.content!;
    assert.match(
      system,
      /^You are hamr.*\nThe user's own rules:\nAnswer in French\.\n\nPlatform: /s,
    );
    s.ws.write("r.md", "gone");
    const replay = await s.hamr(["replay"]);
    assert.equal(replay.code, 0, replay.stdout + replay.stderr);
    const none = await s.run("Look.", "--system", "@none.md");
    assert.match(none.stderr, /^hamr: --system @none\.md: /);
  });
});

Deno.test("--tools: the others are neither offered nor run, not even after resuming", async () => {
  const script = [
    call("read", { path: "." }),
    bash("touch made"),
    say(ANSWER),
    bash("touch more"),
    say("Looked."),
  ];
  await stage({ script }, async (s) => {
    const { code } = await s.run("Look.", "--tools", "read,todo");
    assert.equal(code, 0);
    const offered = s.server.requests.map(({ body }) => body.tools?.map((t) => t.function.name));
    assert.deepEqual(offered[0], ["read", "todo"]);
    assert.deepEqual(offered[2], ["read", "todo"]);
    const resumed = await s.hamr(["resume", "again", "--json"]);
    assert.equal(resumed.code, 0);
    assert.deepEqual(s.server.requests.at(-1)!.body.tools?.map((t) => t.function.name), [
      "read",
      "todo",
    ]);
    assert.deepEqual([s.ws.exists("made"), s.ws.exists("more")], [false, false]);
    const wrong = await s.run("Look.", "--tools", "raed");
    assert.match(wrong.stderr, /^hamr: --tools: there is no tool raed; did you mean read\?/);
  });
});

Deno.test("-vv shows a line a request, and a short time limit ends soon after it", async () => {
  await stage({ script: [bash("sleep 30"), { silent: true }] }, async (s) => {
    const { code, stderr } = await s.hamr(["run", "-vv", "--timeout", "5s", "Wait."]);
    assert.equal(code, 5);
    assert.match(
      stderr,
      /⇅ POST http:\/\/127\.0\.0\.1:\d+\/v1\/chat\/completions, .* answered in /,
    );
    const [, seconds] = /⇅ POST .* failed \(.*\) in ([\d.]+) s/.exec(stderr) ?? [];
    assert.ok(Number(seconds) < 30, "a longer run may take 60 s for its closing words");
  });
});

Deno.test("what is not there is told by the name it was given under: a flag, a variable, a line", async () => {
  const given: readonly (readonly [RegExp, readonly string[], Record<string, string>, string])[] = [
    [/^--add-dir none: there is no such/, ["--add-dir", "none"], {}, ""],
    [/^--add-dir pipe: not a folder; --allow-write gives a file$/, ["--add-dir", "pipe"], {}, ""],
    [/^--add-dir file: not a folder/, ["--add-dir", "file"], {}, ""],
    [/^--allow-write=none: there is no such/, ["--allow-write=none"], {}, ""],
    [
      /^HAMR_PERMISSIONS_READ: permissions\.read: none: there is no such/,
      [],
      { HAMR_PERMISSIONS_READ: "none" },
      "",
    ],
    [/config\.toml:2: permissions\.run: none: there is no such/, [], {}, 'run = ["none"]'],
    [/^-o -: name a file; \/dev\/stdout is one/, ["-o", "-"], {}, ""],
    [/^--junit -: name a file/, ["--junit", "-"], {}, ""],
    [
      /^-o and --junit both name \.\/a: each needs a file of its own$/,
      ["-o", "a", "--junit", "./a"],
      {},
      "",
    ],
    [/^--log-file and --code-quality both name a/, ["--log-file=a", "--code-quality=a"], {}, ""],
  ];
  for (const [told, flags, env, line] of given) {
    await stage({ script: [], env }, async (s) => {
      await new Deno.Command("mkfifo", { args: [s.ws.at("pipe")] }).output();
      s.ws.write("file", "");
      s.home.write(".config/hamr/config.toml", `[permissions]\n${line}\n`);
      const { code, result } = await s.run("Look.", ...flags);
      assert.equal(code, 3);
      assert.match(result.error?.message ?? "", told);
      assert.ok(!s.ws.exists("-") && !s.ws.exists("a"));
    });
  }
});
