import { equal } from "node:assert/strict";
import { LiveTail } from "./live_tail.ts";

const bytes = (text: string) => new TextEncoder().encode(text);

Deno.test("of what a command prints the end is told, and of a progress bar what it shows", async () => {
  const { promise, resolve } = Promise.withResolvers<string>();
  const tail = new LiveTail(resolve);
  tail.push(bytes(`${"x".repeat(5000)}\nbuilding\n`));
  tail.push(bytes("10 %\r50 %\r"));
  tail.push(bytes("90 %"));
  const told = await promise;
  equal(told.slice(-14), "building\n90 %".padStart(14, "\n"));
  equal(told.length < 2100, true);
  tail.over();
});

Deno.test("of a command that is over nothing is told", async () => {
  let told = 0;
  const tail = new LiveTail(() => told++);
  tail.push(bytes("done\n"));
  tail.over();
  const { promise, resolve } = Promise.withResolvers<string>();
  // Another one is told after that time.
  const other = new LiveTail(resolve);
  other.push(bytes("later\n"));
  await promise;
  equal(told, 0);
});
