import assert from "node:assert/strict";
import { events_of, type Run } from "./changes.ts";
import type { ChangeRow, FileState, Listed } from "./file_state.ts";
import { type Left, left_by_all, left_by_step } from "./left.ts";

/** A file that holds a letter; nothing for `-`. */
const holds = (content: string): FileState | null =>
  content === "-" ? null : { mode: 0o100644, hash: content };

interface Step extends Pick<ChangeRow, "undo" | "last"> {
  readonly step: number;
  /** `PATH BEFORE AFTER`. */
  readonly files: readonly string[];
}

const listing = (start: Record<string, string>) => ({
  files: Object.entries(start).map(([path, content]): Listed => [path, 0o100644, content]),
  empty: [],
});

/** Runs of a session: what was there at the start of each, and its steps. Only with `last` one came to its end. */
function runs(...all: readonly [Record<string, string>, ...Step[]][]): Run[] {
  return all.map(([start, ...steps], at) => ({
    run: at + 1,
    step: 0,
    baseline: { listing: "", overflow: false, elsewhere: [] },
    listing: listing(start),
    changes: steps.map((row) => ({
      ...row,
      run: at + 1,
      files: row.files.map((file) => {
        const [path = "", before = "-", after = "-"] = file.split(" ");
        return { path, before: holds(before), after: holds(after) };
      }),
    })),
    ended: steps.some(({ last }) => last),
  }));
}

const told = (left: readonly Left[]) =>
  left.map(({ path, before, after, doubt }) =>
    [path, before?.hash ?? "-", after?.hash ?? "-", ...(doubt === null ? [] : [doubt])].join(" ")
  );
const all = (session: Run[], now: Record<string, string> | null = null) =>
  told(left_by_all(events_of(session, now && listing(now))));
const one = (session: Run[], step: number) => told(left_by_step(events_of(session, null), step));

const END = { step: 9, files: [], last: true } as const;

Deno.test("what is left is from before the first change to after the last", () => {
  const session = runs([
    { a: "0", b: "0" },
    { step: 1, files: ["a 0 1", "b 0 1", "n - 1"] },
    { step: 2, files: ["a 1 2", "b 1 0", "m - 1"] },
    { step: 3, files: ["m 1 -"] },
    END,
  ]);
  assert.deepEqual(all(session), ["a 0 2", "n - 1"], "what was changed back is as it was");
  assert.deepEqual(one(session, 1), [
    "a 0 1 changed again in step 2",
    "b 0 1 changed again in step 2",
    "n - 1",
  ]);
  assert.deepEqual(one(session, 3), ["m 1 -"]);
  assert.deepEqual(one(session, 4), []);
});

Deno.test("a gap between two changes is somebody else's", () => {
  const session = runs(
    [{ a: "0" }, { step: 1, files: ["a 0 1"] }, END],
    [{ a: "x" }, { step: 12, files: ["a x 2"] }, { ...END, step: 13 }],
  );
  assert.deepEqual(all(session), ["a 0 2 somebody else changed it after step 1, before step 12"]);
  assert.deepEqual(one(session, 12), ["a x 2"]);
});

Deno.test("what was put back is left no more, until it changes again", () => {
  const undone = { step: 9, files: ["a 1 0"], undo: "all" } as const;
  const first = [{ a: "0" }, { step: 1, files: ["a 0 1"] }, END, undone] as const;
  assert.deepEqual(all(runs([...first])), []);
  assert.deepEqual(one(runs([...first]), 1), []);
  const again = runs([...first], [{ a: "x" }, { step: 12, files: ["a x 2"] }, END]);
  assert.deepEqual(all(again), ["a x 2"], "what the person had in it then is theirs");
});

Deno.test("one step that was put back leaves the others", () => {
  const session = runs([
    { a: "0" },
    { step: 1, files: ["a 0 1"] },
    { step: 2, files: ["a 1 2", "b - 2"] },
    END,
    { step: 9, files: ["a 2 1", "b 2 -"], undo: 2 },
  ]);
  assert.deepEqual(all(session), ["a 0 1"]);
  assert.deepEqual(one(session, 2), []);
  assert.deepEqual(one(session, 1), ["a 0 1"], "it is again as step 1 left it");
});

Deno.test("of a run that was cut off, what differs from what it told is in doubt", () => {
  const session = runs([{ a: "0", b: "0", c: "0" }, { step: 1, files: ["a 0 1", "n - 1"] }]);
  const doubt = "it changed when the run was cut off, after step 1: by it, or by somebody else";
  assert.deepEqual(all(session, { a: "1", b: "0", c: "0", n: "1" }), ["a 0 1", "n - 1"]);
  assert.deepEqual(all(session, { a: "2", b: "x", m: "1", n: "1" }), [
    `a 0 2 ${doubt}`,
    `b 0 x ${doubt}`,
    `c 0 - ${doubt}`,
    `m - 1 ${doubt}`,
    "n - 1",
  ]);
  const put_back = { step: 1, files: ["a 2 0", "b x 0", "n 1 -"], undo: "all" } as const;
  const undone = runs([
    { a: "0", b: "0", c: "0" },
    { step: 1, files: ["a 0 1", "n - 1"] },
    put_back,
  ]);
  assert.deepEqual(all(undone, { a: "0", b: "0", c: "0" }), [], "nothing is left to undo");
});

Deno.test("a session that went on after it was cut off has both its halves", () => {
  const session = runs(
    [{ a: "0", b: "0" }, { step: 1, files: ["b 0 1"] }],
    [{ a: "x", b: "1" }, { step: 3, files: ["a x 2", "b 1 2"] }, END],
  );
  const doubt = "it changed when the run was cut off, after step 1: by it, or by somebody else";
  assert.deepEqual(all(session), [`a 0 2 ${doubt}`, "b 0 2"]);
  assert.deepEqual(one(session, 3), ["a x 2", "b 1 2"]);
});

Deno.test("where not all files are watched, none counts as new or gone by itself", () => {
  const [run] = runs([{ a: "0", b: "0" }, { step: 1, files: [] }]);
  const session = [{ ...run!, baseline: { ...run!.baseline, overflow: true } }];
  assert.deepEqual(all(session, { a: "1", c: "1" }).map((line) => line.slice(0, 5)), ["a 0 1"]);
});
