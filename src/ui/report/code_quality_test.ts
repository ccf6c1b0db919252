import assert from "node:assert/strict";
import { code_quality, type QualityFault } from "./code_quality.ts";

Deno.test("code_quality() is a list as GitLab documents it; what only moved keeps its fingerprint", () => {
  const fault: QualityFault = {
    ...{ path: "src/a.ts", line: 3, level: "error", message: "x is not defined", by: "review" },
  };
  const faults: QualityFault[] = [fault, { ...fault, line: 9 }, {
    ...fault,
    level: "note",
    by: "npm test",
  }];
  const list = JSON.parse(code_quality(faults));
  assert.deepEqual(list[0], {
    description: "x is not defined",
    check_name: "review",
    fingerprint: list[0].fingerprint,
    severity: "major",
    location: { path: "src/a.ts", lines: { begin: 3 } },
  });
  assert.equal(list[2].severity, "info");
  const prints = list.map(({ fingerprint }: { fingerprint: string }) => fingerprint);
  assert.equal(new Set(prints).size, 3);
  for (const print of prints) assert.match(print, /^[0-9a-f]{14}$/);
  const moved = JSON.parse(code_quality(faults.map((one) => ({ ...one, line: one.line + 1 }))));
  assert.deepEqual(moved.map((one: { fingerprint: string }) => one.fingerprint), prints);
  assert.equal(code_quality([]), "[]\n");
});
