/** `hamr undo --redo`: what an undo took away comes back. */
import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { bash, say } from "./support/model_server.ts";
import { sh } from "./support/shell.ts";
import { inside_stage, stage } from "./support/stage.ts";
import { all_of, told } from "./support/undo.ts";

const DONE = say("Changed what was asked for.");

Deno.test("an undo is taken back, the last one first, and not over what the user did since", async () => {
  const script = [
    bash("echo 1 >> a.txt; echo 1 > b.txt; mkdir d; echo 1 > d/c.txt; rm e.txt"),
    bash("echo 2 >> a.txt"),
    DONE,
  ];
  await inside_stage({ script, files: { "a.txt": "0\n", "e.txt": "e\n" } }, async (s) => {
    await s.run("Do it.");
    const after = all_of(s.ws.path);
    await told(s, "undo", "--step", "2");
    await told(s, "undo");
    assert.deepEqual(Object.keys(all_of(s.ws.path)).sort(), ["a.txt", "e.txt"]);
    const lines = ["a.txt: restored", "b.txt: restored", "d/c.txt: restored", "e.txt: removed"];
    assert.deepEqual(await told(s, "undo", "--redo"), [0, lines, ""]);
    assert.equal(s.ws.read("a.txt"), "0\n1\n");
    assert.deepEqual((await told(s, "undo", "--redo"))[1], ["a.txt: restored"]);
    assert.deepEqual(all_of(s.ws.path), after);
    assert.deepEqual(await told(s, "undo", "--redo"), [0, [], "hamr: nothing to redo\n"]);
    // What is back is what it was: of the same steps.
    assert.deepEqual((await told(s, "undo", "--step", "2"))[1], ["a.txt: restored"]);
    assert.equal(s.ws.read("a.txt"), "0\n1\n");
    assert.deepEqual((await told(s, "undo"))[0], 0);
    assert.deepEqual(Object.keys(all_of(s.ws.path)).sort(), ["a.txt", "e.txt"]);
    sh(s, "echo mine > a.txt");
    const [code, some] = await told(s, "undo", "--redo");
    assert.deepEqual([code, some[0]], [2, "a.txt: left alone: changed by someone else since"]);
    assert.equal(s.ws.read("a.txt"), "mine\n");
    // What --force overwrote comes back, too.
    await told(s, "undo", "--force");
    assert.deepEqual(Object.keys(all_of(s.ws.path)).sort(), ["a.txt", "e.txt"]);
    assert.deepEqual((await told(s, "undo", "--redo"))[0], 0);
    assert.equal(s.ws.read("a.txt"), "mine\n");
    assert.match((await told(s, "undo", "--redo", "--step", "1"))[2], /give only one of them/);
  });
});

Deno.test("a fork has its own undo: what was undone before it comes back in the session it came from", async () => {
  const script = [bash("echo 1 > a.txt"), DONE, bash("echo 2 > b.txt"), DONE];
  await stage({ script, files: {} }, async (s) => {
    const { result } = await s.run("Do it.");
    await told(s, "undo");
    assert.equal((await s.run("Do it.", "--fork", result.session_id)).code, 0);
    assert.deepEqual(await told(s, "undo", "--redo"), [0, [], "hamr: nothing to redo\n"]);
    assert.deepEqual((await told(s, "undo"))[1], ["b.txt: removed"]);
    assert.deepEqual((await told(s, "undo", "--redo"))[1], ["b.txt: restored"]);
    const { code, stdout } = await s.hamr(["undo", "--redo", result.session_id]);
    assert.deepEqual([code, stdout], [0, "a.txt: restored\n"]);
  });
});

Deno.test("a file and a folder with folders in it take each other's place; what a redo has left alone comes back by the next", async () => {
  const script = [bash("rm -r d a.txt; echo new > d; mkdir -p a.txt/x/y; echo 1 > e.txt"), DONE];
  await inside_stage({ script, files: { "a.txt": "0\n", "d/e/f.txt": "f\n" } }, async (s) => {
    await s.run("Do it.");
    const after = all_of(s.ws.path);
    const undone = ["a.txt: restored", "d: removed", "d/e/f.txt: restored", "e.txt: removed"];
    assert.deepEqual(await told(s, "undo"), [0, undone, ""]);
    sh(s, "echo mine > d/mine.txt");
    const [code, some] = await told(s, "undo", "--redo");
    assert.deepEqual([code, some[1]], [2, "d: left alone: a folder is in its place now"]);
    assert.equal(s.ws.read("d/mine.txt"), "mine\n");
    sh(s, "rm d/mine.txt; mkdir -p a.txt/x/y");
    assert.deepEqual(await told(s, "undo", "--redo"), [0, ["d: restored"], ""]);
    assert.deepEqual(all_of(s.ws.path), after);
    assert.deepEqual(await told(s, "undo"), [0, undone, ""]);
  });
});

Deno.test("an undo that was killed is ended by the next, and what both took away comes back", async () => {
  const script = [bash("echo 1 > a.txt; echo 1 > b.txt"), DONE];
  await inside_stage({ script, files: { "a.txt": "0\n", "b.txt": "0\n" } }, async (s) => {
    await s.run("Do it.");
    const after = all_of(s.ws.path);
    const killed = (row: unknown) => {
      sh(s, "echo 0 > a.txt");
      const db = new DatabaseSync(s.home.at(".local/share/hamr/hamr.db"));
      db.prepare("INSERT INTO changes SELECT max(id) + 1, 1, ? FROM changes")
        .run(JSON.stringify(row));
      db.close();
    };
    killed({ kind: "undo", of: "all", files: [], begun: true });
    const refused = /^hamr: the last undo was cut off; hamr undo does what is left of it\n$/;
    assert.match((await s.hamr(["undo", "--redo"])).stderr, refused);
    const both = ["a.txt: already restored", "b.txt: restored"];
    assert.deepEqual(await told(s, "undo"), [0, both, ""]);
    assert.equal((await told(s, "undo", "--redo"))[0], 0);
    assert.deepEqual(all_of(s.ws.path), after);
    // So is a redo.
    await told(s, "undo");
    killed({ kind: "redo", files: [], begun: true });
    sh(s, "echo 1 > a.txt");
    assert.match((await s.hamr(["undo"])).stderr, /the last redo was cut off; hamr undo --redo /);
    assert.deepEqual(await told(s, "undo", "--redo"), [0, both, ""]);
    assert.deepEqual((await told(s, "undo"))[0], 0);
    assert.equal(s.ws.read("a.txt"), "0\n");
    // What one has overwritten by force is found.
    await told(s, "undo", "--redo");
    sh(s, "echo mine > b.txt");
    const { stdout } = await s.hamr(["undo", "--force"]);
    const copies = /^b\.txt: restored: a copy is in (.*)\/b\.txt$/m.exec(stdout)?.[1];
    killed({ kind: "undo", of: "all", files: [], begun: true });
    const where = `what the last undo overwrote before it was cut off: any copies are in ${copies}`;
    assert.ok((await told(s, "undo"))[2].endsWith(`hamr: not covered: ${where}\n`));
  });
});
