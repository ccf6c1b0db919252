import assert from "node:assert/strict";
import { instead_of } from "./instead.ts";

Deno.test("instead_of() says what other agents' commands are here, and which one was meant", () => {
  const said = (name: string) => instead_of(name, ["effort", "undo"]);
  assert.equal(said("mention"), "instead: @");
  assert.equal(said("doctor"), "in a shell: hamr doctor");
  assert.equal(said("efort"), "did you mean /effort?");
  assert.equal(said("zzz"), "/help lists them");
});
