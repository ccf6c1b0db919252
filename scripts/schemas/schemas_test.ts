import assert from "node:assert/strict";
import { as_text, schema_file, SCHEMAS, schemas_of_types } from "./main.ts";
import { skip } from "../../tests/support/skip.ts";

Deno.test("schema/ is as the types are", async (t) => {
  const schemas = await schemas_of_types();
  if (schemas === null) return void skip(`${t.name}: the generator is not available here`);
  for (const [nth, schema] of schemas.entries()) {
    const text = Deno.readTextFileSync(schema_file(SCHEMAS[nth]!.file));
    assert.equal(text, as_text(schema), "deno task schemas writes it again");
  }
});
