import { strictEqual } from "node:assert/strict";
import { sleep_sync, within } from "./within.ts";

Deno.test("what came in while this process stood still is noticed before the limit", async () => {
  const read = Deno.readTextFile(new URL(import.meta.url));
  const text = within(600, read);
  sleep_sync(700);
  strictEqual((await text)?.slice(0, 6), "import");
});

Deno.test("a limit runs out, and what comes later is not heard", async () => {
  const { promise, resolve } = Promise.withResolvers<string>();
  strictEqual(await within(30, promise), null);
  resolve("late");
});
