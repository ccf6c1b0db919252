import assert from "node:assert/strict";
import { CALLS } from "./calls.ts";
import { CLAIMS } from "./claims.ts";
import { COMMANDS } from "./commands.ts";
import { CONTEXTS } from "./context.ts";
import { EMPTIES } from "./empty.ts";
import { INJECTIONS } from "./injection.ts";
import { LIMITS } from "./limits.ts";
import { LOOPS } from "./loops.ts";
import { type Specimen, watch } from "./specimen.ts";
import { STREAMS } from "./streams.ts";
import { TEXT_CALLS } from "./text_calls.ts";

const ZOO: Readonly<Record<string, readonly Specimen[]>> = {
  loops: LOOPS,
  empty: EMPTIES,
  claims: CLAIMS,
  calls: CALLS,
  text_calls: TEXT_CALLS,
  streams: STREAMS,
  context: CONTEXTS,
  limits: LIMITS,
  commands: COMMANDS,
  injection: INJECTIONS,
};

for (const [family, specimens] of Object.entries(ZOO)) {
  for (const specimen of specimens) {
    Deno.test(`zoo, ${family}: ${specimen.name} [${specimen.from}]`, () => watch(specimen));
  }
}

Deno.test("zoo: no two specimens have one name", () => {
  const names = Object.values(ZOO).flat().map(({ name }) => name);
  assert.equal(new Set(names).size, names.length);
});
