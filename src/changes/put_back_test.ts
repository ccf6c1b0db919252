import assert from "node:assert/strict";
import { sha256 } from "../permission/content_hash.ts";
import { bench, can_append, may_append, sh } from "../tools/_testing.ts";
import { raw } from "./_testing.ts";
import { undoing } from "./put_back.ts";

Deno.test({
  name: "what is gone comes back where nothing can be renamed; what is there by now stays",
  ignore: !can_append(),
  async fn() {
    await bench({ files: { "taken": "mine\n" } }, (b) => {
      const { put } = undoing({
        ...{ policy: b.policy, raw, ignoring: b.machine.ignore, is_guarded: () => false },
      });
      const held = new TextEncoder().encode("held\n");
      const link = new TextEncoder().encode("taken");
      const gone = (path: string, mode: number, bytes: Uint8Array) => ({
        ...{ path, expected: null, known: null },
        to: { state: { mode, hash: sha256(bytes) }, bytes },
      });
      try {
        assert.ok(may_append(b.workspace, "+a"));
        const found = put([
          gone("gone", 0o100640, held),
          gone("link", 0o120777, link),
          gone("taken", 0o100644, held),
        ]);
        assert.deepEqual(found.map(({ kind }) => kind), ["done", "done", "changed"]);
        const text = (path: string) => Deno.readTextFileSync(b.at(path));
        assert.deepEqual([text("gone"), text("link"), text("taken")], [
          "held\n",
          "mine\n",
          "mine\n",
        ]);
        assert.equal((Deno.statSync(b.at("gone")).mode ?? 0) & 0o777, 0o640);
      } finally {
        may_append(b.workspace, "-a");
      }
    });
  },
});

Deno.test("a file that was written as soon as a command began may have changed since", async () => {
  await bench({ files: { "a.txt": "a\n" } }, (b) => {
    const { survey } = undoing({
      ...{ policy: b.policy, raw, ignoring: b.machine.ignore, is_guarded: () => false },
    });
    const changed_ms = Deno.statSync(b.at("a.txt")).ctime!.getTime();
    const changed = (since: number) => survey(since).map(([path, state]) => [path, state !== null]);
    assert.deepEqual(changed(changed_ms + 9), [["a.txt", true]]);
    assert.deepEqual(changed(changed_ms + 5000), [["a.txt", false]]);
  });
});

Deno.test({
  name:
    "a pipe that takes a file's place before that is copied holds nothing up; what is copied is whole",
  ignore: Deno.build.os !== "linux",
  async fn() {
    await bench({ files: { "a": "mine\n" } }, (b) => {
      Deno.chmodSync(b.at("a"), 0o750);
      let swap = () => {};
      const swapping = new Proxy(raw, {
        get(_, name: keyof typeof raw) {
          const what = raw[name];
          return (...given: unknown[]) => {
            const got = (what as (...given: unknown[]) => unknown).apply(raw, given);
            if (name === "close") swap();
            return got;
          };
        },
      });
      const { put } = undoing({
        ...{ policy: b.policy, raw: swapping, ignoring: b.machine.ignore, is_guarded: () => false },
      });
      const bytes = new TextEncoder().encode("theirs\n");
      const to = { state: { mode: 0o100644, hash: sha256(bytes) }, bytes };
      const file = { path: "a", expected: "whatever", known: null, to } as const;
      Deno.mkdirSync(b.policy.spill, { recursive: true });
      const [done] = put([file]);
      assert.ok(done?.kind === "done" && done.copy !== null);
      assert.equal(Deno.readTextFileSync(done.copy), "mine\n");
      assert.equal((Deno.statSync(done.copy).mode ?? 0) & 0o777, 0o750);
      Deno.writeTextFileSync(b.at("a"), "mine again\n");
      swap = () => {
        swap = () => {};
        Deno.removeSync(b.at("a"));
        sh("mkfifo a", b.workspace);
      };
      assert.deepEqual(put([file]), [{ kind: "changed" }]);
    });
  },
});
