/** `hamr replay --tools real`: the tools work in a copy of the workspace. */
import assert from "node:assert/strict";
import { ANSWER, bash, say, type Script } from "./support/model_server.ts";
import { contents, EDIT, FILES, READ, rows, same, TASK } from "./support/replays.ts";
import { stage } from "./support/stage.ts";

Deno.test("--tools real lets the tools work in a copy, and tells where they say something else", async () => {
  const script = [
    READ,
    EDIT,
    bash("pwd; echo $TMPDIR; ls; cat a.txt; seq 1 4000"),
    say("Changed a.txt."),
  ];
  await stage({ script, files: FILES }, async (s) => {
    Deno.symlinkSync("b.txt", s.ws.at("link"));
    const env = { ...s.env, TMPDIR: s.outside.path };
    const real = () => s.hamr(["replay", "--tools", "real"], { env });
    await s.hamr(["run", "--json", TASK], { env });
    // What the session changed is put back in the copy.
    assert.match(s.ws.read("a.txt"), /two/);
    const before = [contents(s.ws), contents(s.home), rows(s)];
    const alike = await real();
    assert.deepEqual([alike.code, alike.stdout, alike.stderr], [0, `${same(4)}\n`, ""]);
    assert.deepEqual([contents(s.ws), contents(s.home), rows(s)], before);
    s.ws.write("b.txt", "somebody else's\n");
    const other = await real();
    assert.equal(other.code, 2);
    assert.match(other.stdout, /^request 4 differs from byte \d+ on, in messages\[7\]\.content/);
    assert.match(other.stdout, /b\.txt/);
    // A binary keeps what V8 has compiled in the same folder.
    const left = [...Deno.readDirSync(s.outside.path)].map(({ name }) => name)
      .filter((name) => name.startsWith("hamr"));
    assert.deepEqual(left, []);
  });
});

Deno.test("--tools real: a link that the session left in the place of a folder leads out of no copy", async () => {
  let outside = "";
  const script: Script = ({ body }) =>
    [
      bash("echo x >> a/evil; echo x >> b/gone"),
      bash(`rm -rf a b; ln -s ${outside} a; ln -s ${outside} b`),
      say(ANSWER),
    ][body.messages.filter(({ role }) => role === "assistant").length]!;
  const files = { "a/evil": "evil\n", "b/x": "" };
  await stage({ script, files, one_conversation: false }, async (s) => {
    outside = s.outside.path;
    for (const name of ["evil", "gone"]) s.outside.write(name, "mine\n");
    assert.equal((await s.run("Do it.")).code, 0);
    const { code, stderr } = await s.hamr(["replay", "--tools", "real"]);
    assert.deepEqual([s.outside.read("evil"), s.outside.exists("gone")], ["mine\n", true]);
    assert.equal(code, 0, stderr);
  });
});
