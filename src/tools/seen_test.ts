import assert from "node:assert/strict";
import { Seen } from "./seen.ts";

/** Files `a` and `b` with one line each, and a memory that has seen none of them. */
function look(work: (seen: Seen, at: (name: string) => string) => void): void {
  const folder = Deno.makeTempDirSync({ prefix: "seen-" });
  const at = (name: string) => `${folder}/${name}`;
  try {
    for (const name of ["a", "b"]) Deno.writeTextFileSync(at(name), "one\n");
    work(new Seen(), at);
  } finally {
    Deno.removeSync(folder, { recursive: true });
  }
}

let size = 1;
/** Another content than ever before, of another length: no clock is fast enough to hide it. */
function change(path: string): void {
  Deno.writeTextFileSync(path, "x".repeat(++size));
}

Deno.test("outdated() has what changed since it was read, until it is read again", () => {
  look((seen, at) => {
    seen.note(at("a"));
    assert.deepEqual(seen.outdated(), []);
    change(at("a"));
    change(at("b")); // Never read.
    const [first, ...more] = seen.outdated();
    assert.equal(first?.path, at("a"));
    assert.deepEqual(more, []);
    assert.deepEqual(seen.outdated(), [first], "the same change has the same number");
    change(at("a"));
    const [second] = seen.outdated();
    assert.ok(second!.change > first!.change, "another change has a higher one");
    seen.note(at("a"));
    assert.deepEqual(seen.outdated(), []);
    Deno.removeSync(at("a"));
    const [third] = seen.outdated();
    assert.ok(third!.gone && third!.change > second!.change);
  });
});

Deno.test("outdated() takes no change of our own for another's", () => {
  look((seen, at) => {
    seen.note(at("a"));
    change(at("a"));
    const told = seen.outdated();
    assert.equal(seen.state(at("a")), "changed");
    change(at("a"));
    seen.rewrote(at("a"));
    assert.deepEqual(seen.outdated(), told);
    seen.rewrote(at("b")); // Never read.
    assert.equal(seen.state(at("b")), "never");
  });
});

Deno.test("a change is found, though an edit of our own follows before anybody looked", () => {
  look((seen, at) => {
    seen.note(at("a"));
    change(at("a"));
    assert.equal(seen.state(at("a")), "changed"); // As an edit does.
    change(at("a"));
    seen.rewrote(at("a"));
    assert.deepEqual(seen.outdated().map(({ path }) => path), [at("a")]);
  });
});

Deno.test("a file that changes all the time is not told of forever", () => {
  look((seen, at) => {
    seen.note(at("a"));
    const numbers = Array.from({ length: 9 }, () => {
      change(at("a"));
      return seen.outdated()[0]?.change;
    });
    assert.equal(new Set(numbers).size, 3);
  });
});

Deno.test("only the files read last are looked after", () => {
  look((seen, at) => {
    for (const name of ["a", "b"]) seen.note(at(name));
    for (let n = 0; n < 199; n++) seen.note(at(`none${n}`));
    change(at("a"));
    change(at("b"));
    assert.deepEqual(seen.outdated().map(({ path }) => path), [at("b")]);
    assert.equal(seen.state(at("a")), "changed", "but all are known");
  });
});

Deno.test("what a command wrote anew with what was in it is as it was read, if it was before and is so still", () => {
  look((seen, at) => {
    for (const name of ["a", "b"]) seen.note(at(name));
    change(at("b"));
    const ended = seen.around();
    for (const name of ["a", "b"]) change(at(name));
    const touched = ended();
    for (const name of ["a", "b"]) touched(at(name));
    assert.equal(seen.state(at("a")), "same");
    assert.equal(seen.state(at("b")), "changed");
    const later = seen.around()();
    change(at("a"));
    later(at("a"));
    assert.equal(seen.state(at("a")), "changed");
  });
});
