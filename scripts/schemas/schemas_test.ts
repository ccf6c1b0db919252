import assert from "node:assert/strict";
import { as_text, schema_file, schema_of_type } from "./main.ts";

Deno.test("schema/ is as the types are", async (t) => {
  const of = { type: "Result", title: "The result of hamr run --json" };
  const schema = await schema_of_type(of);
  if (schema === null) {
    // deno-lint-ignore no-console
    console.log(`SKIP ${t.name}: the generator can't be had here`);
    return;
  }
  const text = Deno.readTextFileSync(schema_file("result"));
  assert.equal(text, as_text(schema), "deno task schemas writes it anew");
});
