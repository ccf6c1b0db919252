import assert from "node:assert/strict";
import { as_text, schema_file, schema_of_type, SCHEMAS } from "./main.ts";

Deno.test("schema/ is as the types are", async (t) => {
  const schemas = await Promise.all(SCHEMAS.map(schema_of_type));
  for (const [nth, schema] of schemas.entries()) {
    if (schema === null) {
      // deno-lint-ignore no-console
      console.log(`SKIP ${t.name}: the generator is not available here`);
      return;
    }
    const text = Deno.readTextFileSync(schema_file(SCHEMAS[nth]!.file));
    assert.equal(text, as_text(schema), "deno task schemas writes it again");
  }
});
