import assert from "node:assert/strict";
import { folded } from "./folded.ts";

Deno.test("what a file system may take for one name becomes one", () => {
  const spellings = ["hooks", "HOOKS", "Hooks", "hoo\u212as", "hook\u017f", "ho\u200bok\u00ads"];
  spellings.push("\ufeffhooks", "\uff48ooks");
  for (const name of spellings) assert.equal(folded(name), "hooks", JSON.stringify(name));
  assert.equal(folded(".G\u0131t"), ".git");
  assert.equal(folded("Stra\u00dfe"), folded("STRASSE"));
  assert.equal(folded("Caf\u00e9"), folded("cafe\u0301"));
  const others = ["hook", "hooks ", "h\u00f6oks", "hooks.sample", ""];
  for (const name of others) assert.notEqual(folded(name), "hooks", name);
});
