/** An answer may say what it has not done, what it leaves to others, and what it offers, in any of these words. */
import assert from "node:assert/strict";
import { edit } from "./_did.ts";
import { played } from "./_played.ts";

interface Disclaimers {
  readonly task: string;
  readonly says: string;
  /** Sentences, with the words of a deed in braces. */
  readonly left: readonly string[];
  readonly deeds: readonly Readonly<Record<string, string>>[];
}

const FILE = new URL("../../tests/endings/disclaimers.json", import.meta.url);

for (
  const { task, says, left, deeds } of JSON.parse(Deno.readTextFileSync(FILE)) as Disclaimers[]
) {
  Deno.test(`what is not done may be told: ${task}`, () => {
    const pressed = deeds.flatMap((deed) =>
      left.map((one) => one.replace(/\{(\w+)\}/g, (_, word) => deed[word] ?? assert.fail(word)))
    ).filter((one) => {
      const { ends, asks } = played({ did: [edit("a.py")], task, says: `${says} ${one}` });
      return ends !== "done" || asks > 0;
    });
    assert.deepEqual(pressed, []);
  });
}
