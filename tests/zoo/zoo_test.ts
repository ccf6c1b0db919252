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
  for (const [n, specimen] of specimens.entries()) {
    // One of a family meets the program from outside: the others are about the model and its server, not about a process. Where a run
    // can't begin, it is the process that says so.
    const inside = n > 0 && specimen.ends.code !== 3;
    Deno.test({
      name: `zoo, ${family}: ${specimen.name} [${specimen.from}]`,
      // What it started ends with the run, and its timers with the test's process.
      ...(inside ? { sanitizeOps: false, sanitizeResources: false } : {}),
      fn: () => watch(specimen, inside),
    });
  }
}

Deno.test("zoo: no two specimens have one name", () => {
  const names = Object.values(ZOO).flat().map(({ name }) => name);
  assert.equal(new Set(names).size, names.length);
});
