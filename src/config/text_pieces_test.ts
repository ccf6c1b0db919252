import assert from "node:assert/strict";
import { Pile } from "./text_pieces.ts";

/** Bytes that a million pieces of one character leave behind; with a node for each it would be 30 MB. */
const MOST_KEPT = 8 * 1024 * 1024;

Deno.test("a text is what its pieces are together", () => {
  const pile = new Pile("of ");
  assert.equal(pile.text, "of ");
  for (const piece of ["a", "", "b".repeat(70_000), "c"]) pile.add(piece);
  assert.equal(pile.length, 70_005);
  assert.equal(pile.text, `of a${"b".repeat(70_000)}c`);
  pile.add("d");
  assert.equal(pile.text.slice(-2), "cd");
});

Deno.test("pieces are not kept one by one", async () => {
  // In a process of its own: there garbage can be collected when one likes, and the code is as hot as it gets.
  const script = `
    const { Pile } = await import(${
    JSON.stringify(new URL("./text_pieces.ts", import.meta.url).href)
  });
    const used = () => { gc(); return Deno.memoryUsage().heapUsed; };
    const before = used();
    const pile = new Pile();
    for (let n = 0; n < 1_000_000; n++) pile.add("a text"[n % 6]);
    console.log(used() - before, pile.length);`;
  const { stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["eval", "--v8-flags=--expose-gc", script],
  }).output();
  const text = new TextDecoder();
  const [kept, length] = text.decode(stdout).split(" ").map(Number);
  assert.equal(length, 1_000_000, text.decode(stderr));
  assert.ok(kept! < MOST_KEPT, `${kept} bytes`);
});
