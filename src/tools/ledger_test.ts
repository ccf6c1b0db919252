import assert from "node:assert/strict";
import { alters, changed_paths, type LedgerRow } from "./ledger.ts";

type Change = readonly [path: string, before: string | null, after: string | null];

const rows = (changes: readonly Change[]): LedgerRow[] =>
  changes.map(([path, before, after], step) => ({
    kind: "file",
    step,
    call: null,
    path,
    before,
    after,
  }));

Deno.test("changed_paths() names what differs in the end, and a changed mode", () => {
  const table: [readonly Change[], string[]][] = [
    [[], []],
    [[["a", "1", "2"], ["b", null, "3"], ["c", "4", null]], ["a", "b", "c"]],
    [[["a", "1", "2"], ["a", "2", "3"]], ["a"]],
    [[["a", "1", "2"], ["b", "5", "6"], ["a", "2", "1"]], ["b"]],
    [[["a", null, "1"], ["a", "1", null]], []],
    [[["a", "1", "1"]], ["a"]],
    [[["a", "1", "1"], ["a", "1", "2"], ["a", "2", "1"]], ["a"]],
  ];
  for (const [changes, paths] of table) {
    const attempt: LedgerRow = { kind: "attempt", step: 0, call: "c", tool: "edit", ok: true };
    assert.deepEqual(changed_paths([attempt, ...rows(changes)]), paths, JSON.stringify(changes));
  }
});

Deno.test("alters(): a file and a ref do, a look that refreshes git's index does not", () => {
  const ref = (name: string) => ({ kind: "ref", ref: name, before: null, after: "a" }) as const;
  assert.ok(alters({ kind: "file", path: "a.txt", before: null, after: "a" }));
  assert.ok(alters(ref("HEAD")));
  assert.ok(!alters(ref("index")));
  assert.ok(!alters({ kind: "command", command: "ls", exit_code: 0 }));
});
