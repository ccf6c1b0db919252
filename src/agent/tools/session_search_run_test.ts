import assert from "node:assert/strict";
import { spoken_text } from "../said.ts";
import { snippet } from "./session_search_run.ts";

Deno.test("snippet() shows a word, or another form of it, with what stands around it", () => {
  const text = `${"before ".repeat(40)}the Parsers dropped it ${"after ".repeat(100)}`;
  for (const word of ["parsers", "parser", "parsing", "pars"]) {
    const found = snippet(text, word);
    assert.match(found, /^….{120}Parsers dropped it after [^]*…$/, word);
    assert.ok(found.length < 430, `${found.length}`);
  }
  assert.equal(snippet("short", "absent"), "short");
  assert.equal(snippet("a 数据库", "据库"), "a 数据库");
});

Deno.test("said_in() knows what the user and the model said, whatever a message may be", () => {
  const internal = "<hamr>\nGo on.\n</hamr>";
  const cases: readonly (readonly [message: unknown, said: string])[] = [
    [{ role: "user", content: `Fix it.\n\n${internal}` }, "Fix it."],
    [{ role: "user", content: internal, internal: true }, ""],
    [{ role: "assistant", content: "Fixed." }, "Fixed."],
    [{ role: "assistant", content: "(no reply)" }, ""],
    [{ role: "tool", content: "a file" }, ""],
    [{ role: "system", content: "You are" }, ""],
    [{ role: "user", content: ["x"] }, ""],
    [null, ""],
    [7, ""],
  ];
  for (const [message, said] of cases) assert.equal(spoken_text(message), said);
});
