import { say } from "./support/model_server.ts";
import assert from "node:assert/strict";
import { stage } from "./support/stage.ts";

Deno.test("demo runs the whole loop, says that the model was scripted, and what to type next", async () => {
  await stage({ script: [] }, async (s) => {
    const { code, stdout, stderr } = await s.hamr(["demo"], { env: {} });
    assert.equal(code, 0, stderr);
    const told = stdout + stderr;
    assert.match(told, /scripted/i);
    assert.match(told, /hamr run/);
    assert.match(told, /Step 1/);
    assert.match(told, /🔧/);
    assert.deepEqual([...Deno.readDirSync(s.ws.path)], [], "it works in a folder of its own");
  });
});

Deno.test("a workspace where no file can be opened is refused before anything is asked", async () => {
  await stage({ script: [] }, async (s) => {
    const { code, stderr } = await s.hamr(["run", "-C", "/dev", "What?"]);
    assert.equal(code, 3);
    assert.match(stderr, /^hamr: the workspace \/dev is in \/dev, .* with -C$/m);
    assert.equal(s.server.requests.length, 0);
  });
});

Deno.test("demo needs no model, even where one is set that does not answer", async () => {
  await stage({ script: [] }, async (s) => {
    const env = { HAMR_BASE_URL: "http://127.0.0.1:9/v1", HAMR_MODEL: "none" };
    const { code, stderr } = await s.hamr(["demo"], { env });
    assert.equal(code, 0, stderr);
    assert.deepEqual(s.server.paths, []);
  });
});

Deno.test("doctor says a line each and exits with 0 if all is well", async () => {
  const env = { HAMR_API_KEY: "sk-hush-doctor" };
  await stage({ script: [], env, llama_ctx: 4096 }, async (s) => {
    const { code, stdout, stderr } = await s.hamr(["doctor"]);
    assert.equal(code, 0, stdout + stderr);
    for (const subject of [/provider/i, /model/i, /sandbox/i, /store|data|writable/i]) {
      assert.match(stdout, subject);
    }
    assert.ok(stdout.includes(`127.0.0.1:${s.server.port}`), "it names the host it asks");
    assert.ok(!(stdout + stderr).includes("sk-hush"));
    assert.deepEqual(s.server.requests.length, 0, "it costs no tokens");
  });
});

Deno.test("doctor counts what is kept", async () => {
  await stage({}, async (s) => {
    await s.run("Look.");
    const { code, stdout, stderr } = await s.hamr(["doctor"]);
    assert.equal(code, 0, stdout + stderr);
    assert.match(stdout, /memory: 0 facts for this workspace\n.*sessions: 1 session of this/);
  });
});

Deno.test("doctor exits with 3 where the provider does not answer", async () => {
  await stage({ script: [] }, async (s) => {
    const env = { HAMR_BASE_URL: "http://127.0.0.1:9/v1", HAMR_MODEL: "m" };
    const { code, stdout, stderr } = await s.hamr(["doctor"], { env });
    assert.equal(code, 3, stdout + stderr);
    assert.match(stdout + stderr, /127\.0\.0\.1:9/);
  });
});

Deno.test("doctor exits with 3 where no task would fit the window, as run does", async () => {
  await stage({ script: () => say("Hi."), llama_ctx: 2048 }, async (s) => {
    const refused =
      /the window of scripted is 2048 tokens .* task needs about \d+; start the server/;
    const { code, stdout } = await s.hamr(["doctor"]);
    assert.equal(code, 3, stdout);
    assert.match(stdout, /✗ model: /);
    assert.match(stdout, refused);
    const run = await s.run("Hi");
    assert.equal(run.code, 3, run.stderr);
    assert.match(run.stderr, refused);
    assert.doesNotMatch(run.stderr, /shorten/);
  });
});

Deno.test("doctor exits with 3 where the data folder can't be written", async () => {
  await stage({ script: [] }, async (s) => {
    s.home.write("file", "not a folder");
    const env = { ...s.env, XDG_DATA_HOME: s.home.at("file") };
    const { code, stdout, stderr } = await s.hamr(["doctor"], { env });
    assert.equal(code, 3, stdout + stderr);
  });
});
