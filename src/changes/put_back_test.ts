import assert from "node:assert/strict";
import { sha256 } from "../permission/content_hash.ts";
import { bench, can_append, may_append } from "../tools/_testing.ts";
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
