import assert from "node:assert/strict";
import { type Figure, holds, median, table } from "./figures.ts";

Deno.test("a figure keeps its limit by ratio or by itself, and NaN never does", () => {
  const ratio: Figure = { what: "a", measured: 30, baseline: 10, unit: "ms", limit: 3 };
  assert.ok(holds(ratio));
  assert.ok(!holds({ ...ratio, measured: 30.1 }));
  assert.ok(!holds({ ...ratio, measured: NaN }));
  assert.ok(holds({ ...ratio, baseline: null, limit: 30 }));
  assert.ok(!holds({ ...ratio, baseline: null, limit: 29 }));
});

Deno.test("the table shows each limit beside its figure", () => {
  const figures: Figure[] = [
    { what: "steps", measured: 30, baseline: 10, unit: "ms", limit: 2.5 },
    { what: "memory", measured: 100, baseline: null, unit: "MB", limit: 115 },
  ];
  const [, steps, memory] = table(figures).split("\n");
  assert.match(steps!, /^steps +30\.0 ms +10\.0 ms +3\.00x +2\.5x +MISSED$/);
  assert.match(memory!, /^memory +100\.0 MB +- +100\.0 MB +115 MB +ok$/);
});

Deno.test("median takes the middle and leaves its input alone", () => {
  const values = [9, 1, 5];
  assert.equal(median(values), 5);
  assert.deepEqual(values, [9, 1, 5]);
  assert.ok(Number.isNaN(median([])));
});
