import assert from "node:assert/strict";
import { GitIndex } from "../changes/git_index.ts";
import { with_place } from "./_testing.ts";
import { links_of } from "./index_links.ts";

Deno.test("an index that says more than it holds is not an index", () =>
  with_place("git init -q .; git commit -q --allow-empty -m one", (place) => {
    place.sh("git update-index --add --cacheinfo 160000,$(git rev-parse HEAD),sub/x");
    const bytes = Deno.readFileSync(`${place.workspace}/.git/index`);
    const names = links_of(bytes)?.links.map((name) => new TextDecoder().decode(name));
    assert.deepEqual(names, ["sub/x"]);
    for (let end = 0; end < bytes.length; end++) {
      // Where it ends behind the entries nothing is missing.
      assert.ok((links_of(bytes.slice(0, end))?.links.length ?? 1) === 1, `${end} bytes`);
    }
  }));

/** An index of version 4 in which each entry has the path of the one before, but for its last digits. */
function repeating(count: number, mode: number, start: string): Uint8Array<ArrayBuffer> {
  const parts: Uint8Array[] = [];
  const last = "0000000";
  for (let n = 0; n < count; n++) {
    const own = n === 0 ? `${start}${last}` : String(n).padStart(last.length, "0");
    const entry = new Uint8Array(62 + 1 + own.length + 1);
    const view = new DataView(entry.buffer);
    view.setUint32(24, mode);
    view.setUint16(60, Math.min(0xfff, start.length + last.length));
    entry[62] = n === 0 ? 0 : last.length;
    entry.set(new TextEncoder().encode(own), 63);
    parts.push(entry);
  }
  const head = new Uint8Array(12);
  head.set(new TextEncoder().encode("DIRC"));
  new DataView(head.buffer).setUint32(4, 4);
  new DataView(head.buffer).setUint32(8, count);
  const whole = [head, ...parts, new Uint8Array(20)];
  const bytes = new Uint8Array(whole.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of whole) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}

Deno.test("a small index with a long path for each of its entries takes no more memory than it is large", () => {
  const long = "a/".repeat(2000);
  for (const mode of [0o160000, 0o040000]) {
    assert.equal(links_of(repeating(20_000, mode, long)), null);
    assert.equal(links_of(repeating(3, mode, "a/".repeat(3000))), null, "a path that nobody opens");
  }
  assert.equal(links_of(repeating(100_000, 0o160000, "s/"))?.links.length, 100_000);
  assert.equal(links_of(repeating(180_000, 0o160000, "s/")), null, "many short ones");
  assert.equal(links_of(repeating(20_000, 0o100644, long))?.links.length, 0);
  const place = { below: "", written: [0, 0] } as const;
  assert.equal(GitIndex.read(repeating(20_000, 0o100644, long), place), null);
  assert.ok(GitIndex.read(repeating(20_000, 0o100644, "src/"), place) !== null);
});
