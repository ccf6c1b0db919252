import assert from "node:assert/strict";
import { Title } from "./title.ts";

function written(name: string): { title: Title; all: string[] } {
  const all: string[] = [];
  return { title: new Title(name, (text) => void all.push(text)), all };
}

Deno.test("the title says what a chat does, once, and what was there comes back", () => {
  const { title, all } = written("app\x07\x1b]52;c;eA==");
  for (const state of ["", "", "working", "asks you", "working", ""] as const) title.show(state);
  title.end();
  title.end();
  title.show("");
  const name = "app]52;c;eA== - hamr\x07";
  assert.deepEqual(all, [
    "\x1b[22;2t",
    `\x1b]2;${name}`,
    `\x1b]2;working - ${name}`,
    `\x1b]2;asks you - ${name}`,
    `\x1b]2;working - ${name}`,
    `\x1b]2;${name}`,
    "\x1b[23;2t",
    "\x1b[22;2t",
    `\x1b]2;${name}`,
  ]);
});

Deno.test("a title that is to be left alone is", () => {
  const { title, all } = written("");
  title.show("working");
  title.end();
  assert.deepEqual(all, []);
});
