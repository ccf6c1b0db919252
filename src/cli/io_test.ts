import { strictEqual, throws } from "node:assert/strict";
import { writer } from "./io.ts";

/** A stream that answers each write from a script: how many bytes it takes, or what it throws. */
function stream(script: (number | Error)[]) {
  const seen: number[] = [];
  let calls = 0;
  return {
    text: () => new TextDecoder().decode(new Uint8Array(seen)),
    calls: () => calls,
    writeSync(bytes: Uint8Array): number {
      calls++;
      const next = script.shift() ?? bytes.length;
      if (next instanceof Error) throw next;
      seen.push(...bytes.subarray(0, next));
      return Math.min(next, bytes.length);
    },
  };
}

Deno.test("writer() writes all of a text over partial writes and full pipes", () => {
  const sink = stream([1, new Deno.errors.WouldBlock(), 2, new Deno.errors.Interrupted(), 1]);
  writer(sink, { quiet: false })("añ漢🔧 end\n");
  strictEqual(sink.text(), "añ漢🔧 end\n");
});

Deno.test("writer() stops at a reader that went away, without an error", () => {
  const sink = stream([3, new Deno.errors.BrokenPipe()]);
  const write = writer(sink, { quiet: false });
  write("one two");
  write("three");
  strictEqual(sink.text(), "one");
  strictEqual(sink.calls(), 2);
});

Deno.test("writer() tells of a full disk, unless it is quiet", () => {
  const full = () => stream([new Error("No space left on device")]);
  throws(() => writer(full(), { quiet: false })("x"), /No space left/);
  writer(full(), { quiet: true })("x");
});
