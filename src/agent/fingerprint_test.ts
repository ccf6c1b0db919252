import assert from "node:assert/strict";
import { fingerprint } from "./call_records.ts";

Deno.test("times, durations, ids and temporary places make no difference", () => {
  const pairs: [string, string][] = [
    ["ok 1 in 0.12s", "ok 1 in 3.4s"],
    ["# duration_ms 12.5", "# duration_ms 99"],
    ["2026-11-22T07:54:34Z start", "2026-11-23 08:00:00,5 start"],
    ["at 10:31:02 failed", "at 9:01:59.3 failed"],
    ["pid 123 died", "pid 99 died"],
    ["[123] started", "[77] started"],
    ["wrote /tmp/hamr-1/x.log", "wrote /tmp/hamr-2/y.log"],
    ["obj 0x7ffe", "obj 0x12ab"],
    ["id 0b7115ba-b0b9-4c56-a00b-614876e748ab", "id ccaaec86-7590-4ce8-bd1a-a2b601a6ed07"],
    ["listening on http://127.0.0.1:4242", "listening on http://127.0.0.1:51000"],
    ["\x1b[31mred\x1b[0m", "red"],
  ];
  for (const [a, b] of pairs) assert.equal(fingerprint(a), fingerprint(b), `${a} / ${b}`);
});

Deno.test("what is said makes a difference", () => {
  const texts = ["", "a", "b", "1 failed", "2 failed", "line 12: x", "line 13: x", "exit code 1"];
  assert.equal(new Set(texts.map(fingerprint)).size, texts.length);
});
