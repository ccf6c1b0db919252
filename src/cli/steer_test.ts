import assert from "node:assert/strict";
import { Steering } from "../agent/steering.ts";
import { say } from "./steer.ts";

Deno.test("say() takes a line as it stands, except for the two objects", () => {
  const cases: readonly (readonly [line: string, said: readonly string[], interrupts: boolean])[] =
    [
      ["Look at the README. \r", ["Look at the README."], false],
      ["", [], false],
      ['{"type":"user","text":"one\\ntwo"}', ["one\ntwo"], false],
      ['{"type":"interrupt","text":"Stop that."}\r', ["Stop that."], true],
      ['{"type":"interrupt"}', [], true],
      ['{"type":"interrupt","text":7}', ['{"type":"interrupt","text":7}'], false],
      ['{"type":"other"}', ['{"type":"other"}'], false],
      ["{ return 1; }", ["{ return 1; }"], false],
      ['["interrupt"]', ['["interrupt"]'], false],
    ];
  for (const [line, said, interrupts] of cases) {
    const steering = new Steering();
    say(steering, line);
    assert.equal(steering.interrupting, interrupts, line);
    assert.deepEqual(steering.take(), said, line);
  }
});
