import assert from "node:assert/strict";
import { watch_answers, why_not_open } from "./parts.ts";

Deno.test("an address where nobody listens is told in words, without what the address may hold", async () => {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const { port } = listener.addr as Deno.NetAddr;
  listener.close();
  const error = await fetch(`http://127.0.0.1:${port}/mcp?key=secret`).catch((fault) => fault);
  assert.equal(why_not_open(error), "connection refused: is it running there?");
});

Deno.test("a request whose answer ends without a result fails at once; one that was answered does not", async () => {
  const heard: unknown[] = [];
  const ends: (() => void)[] = [];
  const transport: Parameters<typeof watch_answers>[0] = {
    onmessage: (message) => void heard.push(message),
    send: (_, options) =>
      Promise.resolve(void ends.push(options?.onRequestStreamEnd ?? (() => {}))),
    close: () => Promise.resolve(),
  };
  watch_answers(transport);
  const call = (id: number) => ({ jsonrpc: "2.0" as const, id, method: "tools/call" });
  const answer = { jsonrpc: "2.0" as const, id: 1, result: {} };
  for (const id of [1, 2]) await transport.send(call(id));
  await transport.send({ jsonrpc: "2.0", method: "notifications/cancelled" });
  transport.onmessage?.(answer);
  for (const end of ends) end();
  const error = {
    code: -32603,
    message:
      "the server's answer ended without a result; whether the call took effect is not known",
  };
  assert.deepEqual(heard, [answer, { jsonrpc: "2.0", id: 2, error }]);
});
