/** `sessions export --bundle`: a session that another machine can replay, without secrets. */
import assert from "node:assert/strict";
import { bash, call, say } from "./support/model_server.ts";
import { stage } from "./support/stage.ts";

const TOKEN = "ghp_abcdefghijklmnopqrstuvwx";
const KEY = "an-odd-key-of-mine-4711";

Deno.test("a bundle replays on another machine, and holds no secret of this one", async () => {
  const script = [
    bash(`echo "token: ${TOKEN}"; echo ${KEY} "with \\"quotes\\""; echo $HOME`),
    call("read", { path: "config.env" }),
    call("write", { path: "b.txt", content: `the key is ${KEY}, the password hunter-22-x\n` }),
    { text: `I found ${TOKEN} and wrote b.txt: the key is ${KEY}.`, fragment: 3, every: 11 },
  ];
  const files = { "AGENTS.md": `Never show ${TOKEN}.\n`, "config.env": "PASSWORD=hunter-22-x\n" };
  await stage({ script, files, env: { HAMR_API_KEY: KEY } }, async (s) => {
    const { code, result } = await s.run("Look.");
    assert.equal(code, 0);
    const { stdout: bundle } = await s.hamr(["sessions", "export", "--bundle"]);
    const { stdout: whole } = await s.hamr(["sessions", "export"]);
    // No number alone: a time or a port may hold it, too.
    for (const secret of [TOKEN, "ghp_", KEY, "mine-4711", "hunter-22", "unter-22"]) {
      assert.ok(!bundle.includes(secret), secret);
      if (secret.length > 8) assert.ok(whole.includes(secret), `${secret} was said`);
    }
    s.outside.write("bundle.jsonl", bundle);
    const elsewhere = { cwd: s.outside.path, home: s.outside.path, env: {} };
    const imported = await s.hamr(["sessions", "import", "bundle.jsonl"], elsewhere);
    assert.equal(imported.code, 0, imported.stderr);
    const listed = await s.hamr(["sessions", "--all", "--json"], elsewhere);
    assert.match(listed.stdout, new RegExp(result.session_id));
    await s.server.close();
    const replayed = await s.hamr(["replay", result.session_id], elsewhere);
    assert.deepEqual([replayed.code, replayed.stdout], [
      ...[0, "replayed 4 requests of 1 run: every byte the same\n"],
    ]);
    // There is nothing in it to go on from.
    const resumed = await s.hamr(["resume", result.session_id], elsewhere);
    assert.equal(resumed.code, 3);
  });
});

Deno.test("a bundle goes through plain exports, and a session that was imported replays as it is", async () => {
  await stage({ script: [bash("echo 1"), say("The number is one.")] }, async (s) => {
    const { result } = await s.run("Look.");
    s.outside.write("session.jsonl", (await s.hamr(["sessions", "export"])).stdout);
    const elsewhere = { cwd: s.outside.path, home: s.outside.path, env: {} };
    assert.equal((await s.hamr(["sessions", "import", "session.jsonl"], elsewhere)).code, 0);
    assert.equal((await s.hamr(["replay", result.session_id], elsewhere)).code, 0);
  });
});
