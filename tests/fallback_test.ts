/** Another provider takes over where one fails; other models for other work; keys that are read again. */
import assert from "node:assert/strict";
import { failing, FALLBACK, of_type, QUICK, sections, two, USER } from "./support/bad_days.ts";
import { each } from "./support/hamr.ts";
import {
  ANSWER,
  bash,
  call,
  type Recorded,
  type Reply,
  say,
  type Script,
} from "./support/model_server.ts";
import { open_stage, stage } from "./support/stage.ts";

Deno.test("another provider takes the same history, and keeps it to the end", async () => {
  const script = ({ body }: Recorded, n: number): Reply =>
    body.stream
      ? failing(500, "Cannot use tools with stream")
      : n === 1
      ? bash("echo 1 >> log; echo seen")
      : failing(503, "busy");
  const b = [bash("echo 2 >> log"), bash("echo 3 >> log"), say(ANSWER)];
  await two({ script, b, env: QUICK, inside: false }, async ({ s, b }) => {
    // The first has no key, and is not asked.
    const chain = ["--fallback", "openai/m", ...FALLBACK];
    const { code, result, events, stderr } = await s.events("Count.", ...chain);
    assert.deepEqual([code, result.final_output, result.steps], [0, ANSWER, 4]);
    assert.deepEqual([result.provider, result.model], ["b", "other"]);
    assert.equal(s.ws.read("log"), "1\n2\n3\n");
    assert.deepEqual([s.server.requests.length, b.requests.length], [3, 3]);
    const [mine] = b.requests;
    assert.deepEqual(mine!.body.messages, s.server.requests[2]!.body.messages);
    assert.ok(b.requests.every(({ body }) => body.stream), "what one refuses, another is asked");
    assert.equal(mine!.body.model, "other");
    const [fallback, ...more] = of_type(events, "fallback");
    assert.deepEqual([fallback?.["from"], fallback?.["to"], more], ["a/scripted", "b/other", []]);
    assert.match(
      result.warnings.join("\n"),
      /^openai\/m cannot be used: it needs a key: .*OPENAI_API_KEY\na\/scripted failed, b\/other took over: .*503.*busy/m,
    );
    assert.match(stderr, /⇄ a\/scripted → b\/other/);
    const [start] = of_type(events, "session_start");
    assert.deepEqual([start?.["provider"], start?.["model"]], ["a", "scripted"]);
  });
});

Deno.test("what makes another provider take over, and what does not", async () => {
  const moved: Reply[] = [
    failing(429, "slow down", { headers: { "retry-after": "3600" } }),
    failing(500, "out of memory"),
    failing(501, "not implemented"),
    failing(401, "no such key"),
    failing(403, "not yours"),
    failing(402, "Insufficient Balance"),
    { text: "half", cut_after: 100 },
    { body: 'data: {"error":{"message":"Overloaded","type":"overloaded_error"}}\n\n' },
  ];
  await each(
    moved,
    (reply) =>
      two({ script: () => reply, b: [say(ANSWER)], env: QUICK, walls: false }, async ({ s }) => {
        const { code, result } = await s.run("What is it?", ...FALLBACK);
        assert.deepEqual([code, result.provider], [0, "b"], JSON.stringify(reply));
      }),
  );
  const stays: Reply[] = [failing(400, "bad"), failing(404, "no such model")];
  await each(
    stays,
    (reply) =>
      two({ script: () => reply, b: [], env: QUICK, walls: false }, async ({ s, b }) => {
        const { code, result } = await s.run("What is it?", ...FALLBACK);
        assert.deepEqual([code, result.provider, b.requests.length], [1, "a", 0]);
      }),
  );
});

Deno.test("no server at all is said at once, and is not a reason to stop where there is another", async () => {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const { port } = listener.addr;
  listener.close();
  const gone = { HAMR_PROVIDERS_A_BASE_URL: `http://127.0.0.1:${port}/v1` };
  await two({ script: [], b: [], env: gone }, async ({ s }) => {
    const { code, result, events } = await s.events("What is it?");
    assert.deepEqual([code, result.stop_reason, of_type(events, "retry")], [1, "llm_error", []]);
    assert.match(result.error?.message ?? "", /connection refused at http:/);
  });
  await two({ script: [], b: [say(ANSWER)], env: gone }, async ({ s }) => {
    const { code, result } = await s.run("What is it?", ...FALLBACK);
    assert.deepEqual([code, result.provider], [0, "b"]);
  });
});

Deno.test("where all have failed, the last error ends the run; 4 only where each refused a key", async () => {
  const denied = () => failing(401, "no such key");
  const busy = () => failing(503, "busy");
  const endings: readonly (readonly [Script, Script, number, string, RegExp])[] = [
    [denied, denied, 4, "auth", /no such key.*; failed before that: a\/scripted: .*no such key/],
    [denied, busy, 1, "server", /busy.*; failed before that: a\/scripted: .*no such key/],
    [busy, denied, 1, "server", /busy.*; failed after that: b\/other: .*no such key/],
    [busy, busy, 1, "server", /busy.*; failed before that: a\/scripted: .*busy/],
  ];
  await each(
    endings,
    ([script, b, code, kind, words]) =>
      two({ script, b, env: QUICK, walls: false }, async ({ s }) => {
        const { result } = await s.run("What is it?", ...FALLBACK);
        assert.equal(result.exit_code, code);
        assert.equal(result.stop_reason, code === 4 ? "auth_error" : "llm_error");
        assert.equal(result.error?.kind, kind);
        assert.match(result.error?.message ?? "", words);
      }),
  );
});

Deno.test("a chain can be in a file, is the user's own, and has to be sound", async () => {
  const script = () => failing(503, "busy");
  await two({ script, b: [say(ANSWER)], env: QUICK }, async ({ s }) => {
    s.home.write(USER, `[fallback]\nchain = ["a/again", "b/third"]\n${s.home.read(USER)}`);
    const { code, result, events } = await s.events("What is it?");
    assert.deepEqual([code, result.model], [0, "third"]);
    assert.deepEqual(of_type(events, "fallback").map(({ to }) => to), ["a/again", "b/third"]);
    const show = await s.hamr(["config", "show", "--fallback", "b/x", "--fallback", "b/y"]);
    assert.match(show.stdout, /chain = \["b\/x", "b\/y"\] +# flag --fallback/);
  });
  await two({ script, b: [], env: QUICK, inside: false }, async ({ s }) => {
    s.ws.write(".hamr/config.toml", '[fallback]\nchain = ["b/other"]\n');
    const { code, result } = await s.run("What is it?");
    assert.deepEqual([code, result.provider], [1, "a"]);
    assert.match(result.warnings[0] ?? "", /ignored fallback\.chain/);
    for (
      const [spec, words] of [["nobody/x", /hamr: --fallback: unknown provider "nobody"/], [
        "b",
        /PROVIDER\/MODEL/,
      ]] as const
    ) {
      const refused = await s.run("What is it?", "--fallback", spec);
      assert.equal(refused.code, 3);
      assert.match(refused.stderr, words);
    }
    const dear = await s.run("What is it?", "--max-cost", "1", ...FALLBACK);
    assert.equal(dear.code, 3);
    assert.match(dear.stderr, /price/);
  });
  const env = { ...QUICK, HAMR_PROVIDERS_A_PRICE_IN: "1", HAMR_PROVIDERS_A_PRICE_OUT: "1" };
  await two({ script, b: [], env, inside: false }, async ({ s }) => {
    const { code, stderr } = await s.run("What is it?", "--max-cost", "1", ...FALLBACK);
    assert.equal(code, 3);
    assert.match(stderr, /the price of other at .* is not known: .*\[providers\.b\]/);
  });
});

Deno.test("a smaller window makes room before the conversation is sent to it", async () => {
  const long = Array.from({ length: 600 }, (_, n) => `line ${n} of a file that is long`).join("\n");
  const script = (_: unknown, n: number): Reply =>
    n < 3 ? call("read", { path: `f${n}.txt` }) : failing(503, "busy");
  const files = { "f0.txt": long, "f1.txt": long, "f2.txt": long };
  await two(
    { script, b: () => say(ANSWER), files, env: QUICK, settings: "context_window = 12000" },
    async ({ s, b }) => {
      const { code, events } = await s.events("Read them.", "--mode", "ask", ...FALLBACK);
      assert.equal(code, 0);
      assert.ok(of_type(events, "compaction").length > 0);
      for (const { raw } of b.requests) assert.ok(raw.length / 4 < 12_000, `${raw.length}`);
    },
  );
});

Deno.test("where a subagent's model fails, the agent that sent it continues with the new one too", async () => {
  const by_task = ({ body }: Recorded) => String(body.messages[1]?.content);
  const script = (request: Recorded): Reply =>
    by_task(request) === "Look."
      ? failing(503, "busy")
      : call("delegate_task", { task: "Look.", tools: "read" });
  const b = (request: Recorded): Reply =>
    by_task(request) === "Look." ? say("I looked at it all.") : say(ANSWER);
  await two({
    script,
    b,
    env: { ...QUICK, HAMR_TOOLS_DEFERRED: "none" },
    one_conversation: false,
    b_options: { one_conversation: false },
  }, async ({ s, b }) => {
    const { code, result, events } = await s.events(
      "Have it looked at.",
      "--mode",
      "ask",
      ...FALLBACK,
    );
    assert.deepEqual([code, result.final_output, result.provider], [0, ANSWER, "b"]);
    assert.equal(of_type(events, "fallback").length, 1);
    assert.deepEqual([s.server.requests.length, b.requests.length], [2, 2]);
    const { messages } = b.requests[1]!.body;
    assert.deepEqual(messages.map(({ role }) => role), ["system", "user", "assistant", "tool"]);
    assert.match(String(messages[3]?.content), /I looked at it all/);
  });
});

const MET = '{"verdict": "satisfied", "feedback": ""}';
const is_grader = ({ body }: Recorded) => String(body.messages[0]?.content).startsWith("You grade");

Deno.test("a grader of its own is asked, with a chain of its own", async () => {
  const grader = '[auxiliary.grader]\nprovider = "b"\nmodel = "judge"\n';
  const script = (request: Recorded): Reply => is_grader(request) ? say(MET) : say(ANSWER);
  const run = ["What is it?", "--rubric", "It is said."] as const;
  await two({ script, b: [say(MET)] }, async ({ s, b }) => {
    s.home.write(USER, grader + s.home.read(USER));
    const { code, result, events } = await s.events(...run);
    assert.deepEqual([code, result.provider, result.model], [0, "a", "scripted"]);
    assert.deepEqual([s.server.requests.length, b.requests.length], [1, 1]);
    assert.equal(b.requests[0]!.body.model, "judge");
    assert.equal(result.usage.input_tokens, 20, "its tokens count");
    assert.deepEqual(of_type(events, "evaluation").map(({ verdict }) => verdict), ["satisfied"]);
  });
  const busy = () => failing(503, "busy");
  await two({ script, b: busy, env: QUICK }, async ({ s }) => {
    s.home.write(USER, grader + s.home.read(USER));
    const { code, result, events } = await s.events(...run);
    assert.equal(code, 0);
    assert.match(result.warnings[0] ?? "", /grader of the rubric could not be asked: .*503/);
    assert.deepEqual(of_type(events, "evaluation").map(({ verdict }) => verdict), ["unavailable"]);
  });
  await two({
    script,
    b: busy,
    env: { ...QUICK, HAMR_AUXILIARY_GRADER_CHAIN: "a/again" },
    one_conversation: false,
  }, async ({ s }) => {
    s.home.write(USER, grader + s.home.read(USER));
    const { code, result, events } = await s.events(...run);
    assert.deepEqual([code, result.provider, result.model], [0, "a", "scripted"]);
    assert.deepEqual(of_type(events, "fallback").map(({ to }) => to), ["a/again"]);
    assert.equal(s.server.requests[1]!.body.model, "again");
  });
});

Deno.test("a summary can come from a model of its own; without it the calls are listed", async () => {
  const long = (at: number) =>
    Array.from({ length: 225 }, (_, n) => `f${at} ${n} abcdefg`).join("\n");
  const files = Object.fromEntries(Array.from({ length: 12 }, (_, n) => [`f${n}.txt`, long(n)]));
  const script = (_: unknown, n: number): Reply =>
    n < 16 ? call("read", { path: `f${n % 12}.txt`, limit: 300 }) : say(ANSWER);
  const env = {
    ...QUICK,
    HAMR_AUXILIARY_SUMMARY_PROVIDER: "b",
    HAMR_AUXILIARY_SUMMARY_MODEL: "cheap",
  };
  const flags = ["--mode", "ask", "--context-window", "8192", "--max-output-tokens", "1000"];
  const words = "The summary of another model.";
  for (
    const [b, kept] of [[() => say(words), words], [() => failing(503, "busy"), "- read "]] as const
  ) {
    const more = { one_conversation: false, b_options: { one_conversation: false } };
    await two({ script, b, files, env, ...more }, async ({ s, b }) => {
      const { code, result } = await s.run("Read them.", ...flags);
      assert.deepEqual([code, result.provider], [0, "a"]);
      assert.ok(b.requests.length > 0 && b.requests.every(({ body }) => body.model === "cheap"));
      assert.ok(String(s.server.requests.at(-1)!.body.messages[1]?.content).includes(kept));
    });
  }
});

Deno.test("a key for whatever is run does not follow it to another provider", async () => {
  const env = { ...QUICK, HAMR_API_KEY: "general-key-0123", B_KEY: "other-key-4567" };
  const script = () => failing(503, "busy");
  await two({ script, b: [say(ANSWER)], env }, async ({ s, b }) => {
    assert.equal((await s.run("What is it?", ...FALLBACK)).code, 0);
    assert.equal(s.server.requests[0]!.headers.get("authorization"), "Bearer general-key-0123");
    assert.equal(b.requests[0]!.headers.get("authorization"), null);
  });
  await two({
    script,
    b: [say(ANSWER)],
    env,
    key: "other-key-4567",
    settings: 'api_key_env = "B_KEY"',
  }, async ({ s }) => {
    assert.equal((await s.run("What is it?", ...FALLBACK)).code, 0);
  });
});

Deno.test("a key is read again once, from its file or by its command", async () => {
  for (const way of ["file", "cmd"] as const) {
    let valid = "first-key-000";
    let renew = () => {};
    const script = ({ headers }: { headers: Headers }, n: number): Reply => {
      if (headers.get("authorization") !== `Bearer ${valid}`) return failing(401, "expired");
      // What the server is, is asked while the first request is in flight: with the key that is there then.
      if (n === 1) renew();
      return n < 2 ? bash(`echo ${n} >> log; env | grep -c [k]ey-000`) : say(ANSWER);
    };
    await open_stage({ script, env: { HAMR_BASE_URL: "", HAMR_PROVIDER: "a" } }, async (s) => {
      const file = s.outside.at("key");
      const key = way === "file"
        ? `api_key_file = "${file}"`
        : `api_key_cmd = "echo asked >> ${s.outside.at("asked")}; cat ${file}"`;
      s.home.write(USER, sections({ a: `base_url = "${s.server.url}"\n${key}` }));
      s.outside.write("key", `${valid}\n`);
      renew = () => s.outside.write("key", `${valid = "second-key-000"}\n`);
      const { code, result, events, stdout, stderr } = await s.events("Count.");
      assert.deepEqual([code, result.final_output], [0, ANSWER], stderr);
      const [retry] = of_type(events, "retry");
      assert.match(String(retry?.["reason"]), /401: expired.*the key was read again/);
      assert.ok(!`${stdout}${stderr}`.includes("key-000"));
      assert.match(s.server.results()[0] ?? "", /^0/, "no child sees it");
      if (way === "cmd") assert.equal(s.outside.read("asked"), "asked\nasked\n");
    });
  }
});

Deno.test("where one key is refused, the next one that is meant for the provider is tried", async () => {
  const script = ({ headers }: { headers: Headers }): Reply =>
    headers.get("authorization") === "Bearer own-key-000" ? say(ANSWER) : failing(401, "unknown");
  const env = {
    HAMR_BASE_URL: "",
    HAMR_PROVIDER: "a",
    HAMR_API_KEY: "any-key-000",
    OWN: "own-key-000",
  };
  await open_stage({ script, env }, async (s) => {
    s.home.write(USER, sections({ a: `base_url = "${s.server.url}"\napi_key_env = "OWN"` }));
    const { code, events, stderr } = await s.events("Count.");
    assert.equal(code, 0, stderr);
    const [retry] = of_type(events, "retry");
    assert.match(String(retry?.["reason"]), /in HAMR_API_KEY was refused; trying the one in OWN$/);
  });
  await open_stage({ script, env: { ...env, OWN: "old-key-000" } }, async (s) => {
    s.home.write(USER, sections({ a: `base_url = "${s.server.url}"\napi_key_env = "OWN"` }));
    const { code, result } = await s.events("Count.");
    assert.deepEqual([code, result.stop_reason], [4, "auth_error"]);
  });
});

Deno.test("a key that is not available ends the run before it begins", async () => {
  const keys: readonly (readonly [string, RegExp])[] = [
    ['api_key_file = "~/no_such_key"', /api_key_file of \[providers\.a\]: .*no such file/],
    [
      'api_key_cmd = "exit 3"',
      /api_key_cmd of \[providers\.a\]: the command failed \(exit code 3\)/,
    ],
    ['api_key_cmd = "true"', /the command printed nothing/],
  ];
  await each(
    keys,
    ([key, words]) =>
      stage({ script: [], env: { HAMR_BASE_URL: "", HAMR_PROVIDER: "a" } }, async (s) => {
        s.home.write(USER, sections({ a: `base_url = "${s.server.url}"\n${key}` }));
        const { code, stderr } = await s.run("What is it?");
        assert.equal(code, 3);
        assert.match(stderr, words);
      }),
  );
});
