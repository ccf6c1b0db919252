/** Answers after what was done, and how each has to end: a file of `tests/endings/answers` is a kind of them, a line an answer. */
import assert from "node:assert/strict";
import * as calls from "./_did.ts";
import type { Answered, Did } from "./_did.ts";
import { played } from "./_played.ts";

/** A call as data: its name in `_did.ts`, and what it takes; what it leaves is written in the same way. */
type Written = readonly [name: string, ...args: readonly unknown[]];

/** An answer as data, or several that have to end alike. `undone`: in anything but 0. `told`: in 0 or `not_done`, unasked. */
interface WrittenAnswer extends Omit<Answered, "did" | "ends" | "says" | "then"> {
  readonly did: readonly Written[];
  readonly says: string | readonly string[];
  readonly ends?: Answered["ends"] | "undone" | "told";
  readonly then?: { readonly did: readonly Written[]; readonly says: string };
}

const FOLDER = new URL("../../tests/endings/answers/", import.meta.url);
const LEFT = ["files", "ref", "outside"];

function call_of([name, ...args]: Written): Did {
  const make = (calls as unknown as Record<string, (...args: unknown[]) => Did>)[name];
  assert.ok(make, name);
  return make(
    ...args.map((arg) =>
      Array.isArray(arg) && LEFT.includes(arg[0]) ? call_of(arg as unknown as Written) : arg
    ),
  );
}

/** The answers that end otherwise than they have to. */
function wrong(
  { did, says, ends = "done", asks = 0, then, ...answer }: WrittenAnswer,
): readonly string[] {
  const after = then === undefined ? {} : { then: { ...then, did: then.did.map(call_of) } };
  return [says].flat().flatMap((says) => {
    const seen = played({ ...answer, says, did: did.map(call_of), ...after });
    const is_right = ends === "undone"
      ? seen.ends !== "done"
      : ends === "told"
      ? /^(?:not_)?done$/.test(seen.ends) && seen.asks === 0
      : seen.ends === ends && seen.asks === asks;
    return is_right ? [] : [`${says}: ${seen.ends} after ${seen.asks}, not ${ends} ${asks}`];
  });
}

for (const { name } of [...Deno.readDirSync(FOLDER)].sort((a, b) => a.name < b.name ? -1 : 1)) {
  const [title, ...answers] = Deno.readTextFileSync(new URL(name, FOLDER)).trim().split("\n");
  Deno.test(JSON.parse(title ?? "{}").what, () => {
    assert.deepEqual(answers.flatMap((line) => wrong(JSON.parse(line))), []);
  });
}
