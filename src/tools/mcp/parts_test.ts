import assert from "node:assert/strict";
import { why_not_open } from "./parts.ts";

Deno.test("an address where nobody listens is told in words, without what the address may hold", async () => {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const { port } = listener.addr as Deno.NetAddr;
  listener.close();
  const error = await fetch(`http://127.0.0.1:${port}/mcp?key=secret`).catch((fault) => fault);
  assert.equal(why_not_open(error), "connection refused: is it running there?");
});
