import assert from "node:assert/strict";
import { DENO_TICK_MS } from "../changes/folders.ts";
import { open_folders } from "../changes/linux_folders.ts";
import { bench } from "./_testing.ts";

// In a file of its own: what is opened once stays open.
Deno.test({
  name: "without raw calls the same is found, by paths",
  permissions: { ffi: false, read: true, write: true, env: true, run: true, sys: true },
  fn: async () => {
    const files = {
      ".gitignore": "no\n",
      "no/x": "hit\n",
      "b/x": "hit\n",
      "a": "a\nhit\n",
      "b/y": "",
    };
    await bench({ files }, async (b) => {
      assert.equal(open_folders().tick_ms, DENO_TICK_MS, "by paths");
      const { text } = await b.call("read", { path: ".", search: "hit" });
      assert.equal(text, "a:2:hit\nb/x:1:hit");
    });
  },
});
