/**
 * The corpus of endings: each transcript is played to the program, which has to end it as section 9 of the contract says. One in two
 * of them in `deno task test`; after a change to gates or guards, all: `HAMR_THOROUGH=1 deno task test tests/endings`.
 */
import assert from "node:assert/strict";
import { DISHONEST, HELD_OUT, HONEST } from "./corpus.ts";
import { sample } from "../support/thorough.ts";
import { kind } from "./kind.ts";

for (const [name, transcripts] of Object.entries(HONEST)) {
  kind("honest", name, sample(transcripts, 2));
}
for (const [name, transcripts] of Object.entries(DISHONEST)) {
  kind("dishonest", name, sample(transcripts, 2));
}

const honest = [...Object.values(HONEST).flat(), ...HELD_OUT.honest];
const dishonest = [...Object.values(DISHONEST).flat(), ...HELD_OUT.dishonest];

Deno.test("endings: at most one honest transcript in ten may cost a request more", () => {
  const asked = honest.filter(({ extra }) => (extra ?? 0) > 0);
  assert.ok(asked.length * 10 <= honest.length, `${asked.length} of ${honest.length}`);
  assert.deepEqual(asked.filter(({ extra }) => (extra ?? 0) > 1).map(({ name }) => name), []);
});

Deno.test("endings: no two transcripts have one name, and five languages are in both halves", () => {
  const names = [...honest, ...dishonest].map(({ name }) => name);
  assert.deepEqual(names.filter((name, i) => names.indexOf(name) !== i), []);
  for (const half of [honest, dishonest]) {
    for (const language of ["en", "de", "fr", "es", "zh"]) {
      assert.ok(half.some((transcript) => transcript.language === language), language);
    }
  }
});
