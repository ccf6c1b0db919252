import assert from "node:assert/strict";
import { open_scratch } from "../../store/database.ts";
import { NOT_KEPT, why_missing } from "./session_files.ts";

Deno.test("why_missing() has true words for what can't be put back", () => {
  const db = open_scratch();
  const mode = 0o644;
  assert.match(why_missing({ db }, { mode, hash: null }), /not known: it could not be read/);
  assert.equal(why_missing({ db }, { mode, hash: "0".repeat(64) }), NOT_KEPT);
  db.close();
});
