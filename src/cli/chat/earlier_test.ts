import assert from "node:assert/strict";
import { hello_in } from "./earlier.ts";
import type { ChatSetup } from "./setup.ts";

Deno.test("hello_in() says that a copy knows what was said before", () => {
  const place = { workspace: "/nowhere", environ: {}, paths: { config_file: null } };
  const hello = (flags: { readonly fork?: string }) => {
    const setup = { look: { plain: true }, settings: place, begun: false, opened: { flags } };
    return hello_in(setup as unknown as ChatSetup, "12345678");
  };
  assert.equal(hello({}), "");
  assert.equal(
    hello({ fork: "e8bfad62-feb5-4e1b" }),
    "A copy: the model knows what was said in e8bfad62.",
  );
});
