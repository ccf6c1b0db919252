/** What the editor has of files that are not saved, asked through the protocol's own SDK. */
import assert from "node:assert/strict";
import type { InitializeRequest } from "@agentclientprotocol/sdk";
import { edit_with } from "./support/acp.ts";
import { bash, call, type Reply, say } from "./support/model_server.ts";
import { type Stage, stage } from "./support/stage.ts";

/** An editor's open files: what is not among them, it takes from the disk. */
class Buffers {
  readonly read_paths: string[] = [];
  readonly written: string[] = [];
  readonly texts = new Map<string, string>();
  /** What becomes of a text that it saves. */
  save: (path: string, text: string) => void = (path, text) => Deno.writeTextFileSync(path, text);

  readonly read = (path: string): string | Promise<string> => {
    this.read_paths.push(path);
    return this.texts.get(path) ?? Deno.readTextFileSync(path);
  };

  readonly write = (path: string, text: string): void => {
    this.written.push(path);
    this.texts.delete(path);
    this.save(path, text);
  };
}

const BOTH = { readTextFile: true, writeTextFile: true };

/** One prompt with calls; what the model was told of each. */
async function edited(
  s: Stage,
  buffers: Buffers,
  { fs = BOTH, args = [] }: {
    fs?: NonNullable<InitializeRequest["clientCapabilities"]>["fs"];
    args?: readonly string[];
  } = {},
) {
  const editor = await edit_with(s, { person: buffers, capable: { fs }, args });
  const id = await editor.open();
  assert.equal(await editor.prompt(id, "Do it."), "end_turn");
  const updates = editor.updates.map(({ update }) => JSON.stringify(update));
  await editor.leave();
  return { id, results: s.server.results(), updates };
}

const UNSAVED = "not saved, so commands see an older one";
const calls = (...made: Reply[]) => [...made, say("Done.")];

Deno.test("acp files: unsaved text is read, changed through the editor, and undone to what the user had", async () => {
  const script = calls(
    call("read", { path: "a.txt" }),
    call("read", { path: "a.txt", search: "typed" }),
    bash("cat a.txt"),
    call("edit", { path: "a.txt", old: "two", new: "2" }),
    bash("cat a.txt"),
    call("read", { path: "a.txt" }),
    call("insert_lines", { path: "b.txt", line: 1, text: "between" }),
  );
  const files = { "a.txt": "one\ntwo\n", "b.txt": "one\r\ntwo\r\n" };
  await stage({ script, files, violations: true }, async (s) => {
    const buffers = new Buffers();
    buffers.texts.set(s.ws.at("a.txt"), "one\ntwo\ntyped\n");
    // Editors know only one line end, and save the file's.
    buffers.texts.set(s.ws.at("b.txt"), "one\ntwo\ntyped");
    buffers.save = (path, text) => {
      const saved = path.endsWith("b.txt") ? `${text}\n`.replaceAll("\n", "\r\n") : text;
      Deno.writeTextFileSync(path, saved);
    };
    const { id, results } = await edited(s, buffers);
    assert.match(results[0]!, /^1:one\n2:two\n3:typed\n\[.*not saved/);
    assert.match(results[0]!, new RegExp(UNSAVED));
    assert.match(results[1]!, /^a\.txt:3:typed\n\[/);
    assert.doesNotMatch(results[2]!, /typed/);
    assert.match(results[3]!, /^changed 1 place in a\.txt\n\[the user had unsaved changes/);
    assert.match(results[4]!, /one\n2\ntyped/);
    assert.equal(results[5]!, "1:one\n2:2\n3:typed");
    assert.match(results[6]!, /^inserted after line 1 of b\.txt\n\[/);
    assert.deepEqual(buffers.written, [s.ws.at("a.txt"), s.ws.at("b.txt")]);
    assert.equal(s.ws.read("b.txt"), "one\r\nbetween\r\ntwo\r\ntyped\r\n");
    // What the user had typed is none of the run's doing.
    const { stdout: diff } = await s.hamr(["diff", id]);
    assert.match(diff, /-two\n\+2\n typed/);
    assert.match(diff, /^\+between/m);
    assert.doesNotMatch(diff, /^[+-]typed/m);
    assert.equal((await s.hamr(["undo", id])).code, 0);
    assert.equal(s.ws.read("a.txt"), "one\ntwo\ntyped\n");
    assert.equal(s.ws.read("b.txt"), "one\r\ntwo\r\ntyped\r\n");
  });
});

Deno.test("acp files: where the editor has what the disk has, all is as without it", async () => {
  const script = calls(
    call("read", { path: "a.txt" }),
    call("read", { path: "crlf.txt" }),
    call("edit", { path: "crlf.txt", old: "two", new: "2" }),
    call("read", { path: "link.txt" }),
    call("write", { path: "a.txt", content: "new\n" }),
    call("write", { path: "made.txt", content: "made\n" }),
    call("read", { path: "data.bin" }),
    call("read", { path: "." }),
  );
  const bom = "\ufeffone\r\ntwo\r\n";
  const files = {
    "a.txt": "one\n",
    "crlf.txt": bom,
    "data.bin": Uint8Array.of(1, 0, 2),
  };
  await stage({ script, files }, async (s) => {
    Deno.symlinkSync("a.txt", s.ws.at("link.txt"));
    const buffers = new Buffers();
    buffers.texts.set(s.ws.at("crlf.txt"), "one\ntwo");
    const { results } = await edited(s, buffers);
    assert.deepEqual(results.slice(0, 5), [
      "1:one",
      "1:one\n2:two",
      "changed 1 place in crlf.txt",
      "1:one",
      "replaced a.txt (4 bytes)",
    ]);
    assert.equal(s.ws.read("crlf.txt"), "\ufeffone\r\n2\r\n");
    assert.equal(s.ws.read("a.txt"), "new\n");
    assert.deepEqual(buffers.written, []);
    // A link is not what the editor is given, and what is no text or not there it is not asked for.
    const names = new Set(buffers.read_paths);
    assert.deepEqual([...names].sort(), [s.ws.at("a.txt"), s.ws.at("crlf.txt")]);
  });
});

Deno.test("acp files: nothing is written over what the model has not seen, or where the editor can't write", async () => {
  const patch = "*** Begin Patch\n*** Update File: a.txt\n@@\n-one\n+1\n*** End Patch\n";
  const script = calls(
    call("read", { path: "a.txt" }),
    call("read", { path: "b.txt" }),
    call("write", { path: "a.txt", content: "mine\n" }),
    call("apply_patch", { input: patch }),
    call("edit", { path: "b.txt", old: "one", new: "1" }),
    call("edit", { path: "c.txt", old: "one", new: "1" }),
    // Its other name is outside.
    call("edit", { path: "linked.txt", old: "one", new: "1" }),
  );
  const files = { "a.txt": "one\n", "b.txt": "one\n", "c.txt": "one\n" };
  for (const writes of [true, false]) {
    await stage({ script, files, violations: true }, async (s) => {
      const buffers = new Buffers();
      s.outside.write("linked.txt", "one\n");
      Deno.linkSync(s.outside.at("linked.txt"), s.ws.at("linked.txt"));
      for (const name of ["b.txt", "linked.txt"]) buffers.texts.set(s.ws.at(name), "one\ntyped\n");
      const { read } = buffers;
      const person = Object.assign(buffers, {
        read(path: string) {
          const text = read(path);
          // The user types, after the model has read it.
          if (path.endsWith("a.txt")) buffers.texts.set(path, "one\ntyped\n");
          return text;
        },
      });
      // It keeps what it is given.
      buffers.save = () => {};
      const { results } = await edited(s, person, {
        fs: { readTextFile: true, writeTextFile: writes },
      });
      assert.equal(results[0], "1:one");
      assert.match(results[2]!, /a\.txt has unsaved changes .* not seen; read it again/);
      assert.match(results[3]!, /a\.txt has unsaved changes .* use edit/);
      const why = writes ? /the editor did not save yours/ : /ask the user to save it first/;
      assert.match(results[4]!, why);
      assert.equal(results[5], "changed 1 place in c.txt");
      assert.match(results[6]!, /ask the user to save it first/);
      assert.deepEqual(["a.txt", "b.txt", "c.txt"].map((name) => s.ws.read(name)), [
        ...["one\n", "one\n", "1\n"],
      ]);
      assert.deepEqual(buffers.written, writes ? [s.ws.at("b.txt")] : []);
    });
  }
});

Deno.test("acp files: what the model has seen of unsaved text it may replace; what the editor makes of it is news", async () => {
  const script = calls(
    call("read", { path: "a.txt" }),
    call("write", { path: "a.txt", content: "mine\n" }),
    call("write", { path: "a.txt", content: "other\n" }),
  );
  await stage({ script, files: { "a.txt": "one\n" } }, async (s) => {
    const buffers = new Buffers();
    buffers.texts.set(s.ws.at("a.txt"), "one\ntyped\n");
    buffers.save = (path, text) => Deno.writeTextFileSync(path, `// formatted\n${text}`);
    const { results } = await edited(s, buffers);
    assert.match(results[1]!, /^replaced a\.txt \(5 bytes\)\n\[the user had unsaved/);
    assert.match(results[2]!, /a\.txt has changed on disk since you read it/);
    assert.equal(s.ws.read("a.txt"), "// formatted\nmine\n");
  });
});

Deno.test("acp files: the editor is asked for nothing that hamr itself may not open, and not while a command could change the way", async () => {
  const script = calls(
    call("read", { path: "out.txt" }),
    call("read", { path: "out/key.txt" }),
    call("read", { path: ".env" }),
    call("edit", { path: ".env", old: "KEY", new: "K" }),
    call("read", { path: "../outside/key.txt" }),
    call("read", { path: "denied" }),
    call("edit", { path: "out.txt", old: "key", new: "lock" }),
    bash("setsid sleep 1000 > /dev/null 2>&1 & sleep 0"),
    call("read", { path: "a.txt" }),
    call("edit", { path: "a.txt", old: "one", new: "1" }),
  );
  const files = { "a.txt": "one\n", ".env": "KEY=1\n" };
  await stage({ script, files }, async (s) => {
    s.outside.write("key.txt", "key\n");
    Deno.symlinkSync(s.outside.at("key.txt"), s.ws.at("out.txt"));
    Deno.symlinkSync(s.outside.path, s.ws.at("out"));
    const buffers = new Buffers();
    buffers.texts.set(s.ws.at("a.txt"), "one\ntyped\n");
    s.home.write("denied.txt", "no\n");
    Deno.symlinkSync(s.home.at("denied.txt"), s.ws.at("denied"));
    const args = ["--deny-read", s.home.at("denied.txt")];
    const { results } = await edited(s, buffers, { args });
    assert.deepEqual([buffers.read_paths, buffers.written], [[], []]);
    for (const nth of [2, 3, 5]) {
      assert.match(results[nth]!, /--allow-read|not shown|may not be read/);
    }
    assert.equal(results.at(-2), "1:one");
    assert.equal(s.outside.read("key.txt"), "key\n");
    assert.equal(s.ws.read("a.txt"), "1\n");
  });
});

Deno.test("acp files: an editor that does not answer is asked once, and the user is told so once", async () => {
  const script = calls(
    call("read", { path: "a.txt" }),
    call("read", { path: "b.txt" }),
    call("edit", { path: "a.txt", old: "one", new: "1" }),
  );
  await stage({ script, files: { "a.txt": "one\n", "b.txt": "two\n" } }, async (s) => {
    const buffers = new Buffers();
    const asked: string[] = [];
    const silent = Object.assign(buffers, {
      read(path: string) {
        asked.push(path);
        return new Promise<string>(() => {});
      },
    });
    const { results, updates } = await edited(s, silent);
    assert.deepEqual(asked, [s.ws.at("a.txt")]);
    assert.deepEqual(results, ["1:one", "1:two", "changed 1 place in a.txt"]);
    assert.equal(
      updates.filter((one) => one.includes("does not answer requests for its files")).length,
      1,
    );
    assert.equal(s.ws.read("a.txt"), "1\n");
  });
});
