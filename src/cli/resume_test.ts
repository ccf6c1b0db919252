import assert from "node:assert/strict";
import { wanted_of } from "./resume.ts";

Deno.test("a first word that is an id, or one mistyped, names the session; any other is the message", () => {
  const ids = ["0f8f", "0f8f2a54", "0F8F2A54", "0f8f2a54-6a43", "0g8f2a54", "of8f2a54-6a43-4d2a"];
  for (const id of ids) assert.deepEqual(wanted_of([id]), { id, words: [] }, id);
  for (
    const word of [
      "go",
      "weiter",
      "added",
      "python39",
      "version2",
      "sha256sum",
      "issue-1234",
      "step2",
    ]
  ) {
    assert.deepEqual(wanted_of([word]), { id: null, words: [word] }, word);
  }
  assert.deepEqual(wanted_of(["nope", "go on"]), { id: "nope", words: ["go on"] });
  assert.deepEqual(wanted_of(["go", "-"]), { id: null, words: ["go", "-"] });
});
