import assert from "node:assert/strict";
import { as_text, schema_file, schema_of_type, SCHEMAS } from "./main.ts";
import { skip } from "../../tests/support/skip.ts";

Deno.test("schema/ is as the types are", async (t) => {
  const schemas = await Promise.all(SCHEMAS.map(schema_of_type));
  for (const [nth, schema] of schemas.entries()) {
    if (schema === null) {
      return void skip(`${t.name}: the generator is not available here`);
    }
    const text = Deno.readTextFileSync(schema_file(SCHEMAS[nth]!.file));
    assert.equal(text, as_text(schema), "deno task schemas writes it again");
  }
});
