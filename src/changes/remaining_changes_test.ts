import assert from "node:assert/strict";
import type { FileState, FileStep, UndoneSteps } from "../store/file_state.ts";
import {
  as_far_as_known,
  type ChangeEvent,
  file_events,
  type FoundFile,
  has_changes,
} from "./events.ts";
import { last_to_undo, type Left, left_by_all, left_by_step } from "./remaining_changes.ts";

/** A file that holds a letter; nothing for `-`. */
const holds = (content: string): FileState | null =>
  content === "-" ? null : { mode: 0o100644, hash: content };

/** Of `PATH BEFORE AFTER`. */
function step_of(file: string): FileStep {
  const [path = "", before = "-", after = "-"] = file.split(" ");
  return { path, before: holds(before), after: holds(after) };
}

const done = (step: number, ...files: string[]): ChangeEvent => ({
  kind: "done",
  call: "c",
  step,
  files: files.map(step_of),
});
const wrote = (step: number, ...files: string[]): ChangeEvent => ({
  kind: "wrote",
  call: "c",
  step,
  files: files.map(step_of),
});
const begin = (step: number, ...files: string[]): ChangeEvent => ({
  kind: "begin",
  call: "c",
  step,
  at: 0,
  files: files.map(step_of),
});
const undo = (step: number, of: UndoneSteps, ...files: string[]): ChangeEvent => ({
  kind: "undo",
  of,
  step,
  files: files.map(step_of),
});

const told = (left: readonly Left[]) =>
  left.map(({ path, before, after, doubt }) =>
    [path, before?.hash ?? "-", after?.hash ?? "-", ...(doubt === null ? [] : [doubt])].join(" ")
  );
const all = (rows: readonly ChangeEvent[], cuts: Parameters<typeof file_events>[1] = []) =>
  told(left_by_all(file_events(rows, cuts)));
const one = (rows: readonly ChangeEvent[], step: number) =>
  told(left_by_step(file_events(rows, []), step));

Deno.test("a file that an undo left alone holds up no undo of the tasks before it", () => {
  const done_by = [done(1, "a - 1"), done(3, "b - 1", "c - 1"), done(5, "d - 1")];
  const last = (rows: readonly ChangeEvent[], again = false) => {
    const all = [...done_by, ...rows];
    return last_to_undo(all, { events: file_events(all, []), begins: [1, 2, 3, 5, 6], again });
  };
  const redo = (...files: string[]): ChangeEvent => (
    { kind: "redo", step: 5, files: files.map(step_of) }
  );
  assert.equal(last([]), 5);
  const one = undo(5, { since: 5 }, "d 1 -");
  assert.equal(last([one]), 3);
  // b was changed by someone else since. A task that only talked is not in between.
  const two = [one, { ...undo(5, { since: 3 }), begun: true }, undo(5, { since: 3 }, "c 1 -")];
  assert.equal(last(two as ChangeEvent[]), 1);
  assert.equal(last(two as ChangeEvent[], true), 3, "with --force");
  assert.equal(last([...two, undo(5, { since: 1 }, "a 1 -")] as ChangeEvent[]), undefined);
  assert.equal(last([...two, redo("c - 1")] as ChangeEvent[]), 3);
  assert.equal(last([...two, done(7, "c - 2")] as ChangeEvent[]), 6, "a new one is the last");
});

Deno.test("a file that one step made and a later one removed is the first one's again once that is undone", () => {
  const rows = [done(1, "n - 1"), done(2, "n 1 -", "a 0 1"), undo(3, 2, "n - 1", "a 1 0")];
  assert.deepEqual(all(rows), ["n - 1"]);
  assert.deepEqual(all([...rows, undo(3, "all", "n 1 -")]), []);
  // Nothing is left of the later steps either.
  const both = [done(1, "n - 1"), done(2, "n 1 2"), undo(3, "all", "n 2 -")];
  assert.deepEqual(told(left_by_all(file_events(both, []), 2)), []);
  const since = [
    done(1, "n - 1"),
    done(2, "n 1 2"),
    done(3, "n 2 -"),
    undo(3, { since: 2 }, "n - 1"),
  ];
  assert.deepEqual(all(since), ["n - 1"]);
  assert.deepEqual(one(since, 3), []);
  assert.deepEqual(one(since, 1), ["n - 1"]);
  // What somebody had made of it meanwhile came back.
  assert.deepEqual(all([done(1, "n - 1"), done(2, "n 5 6"), undo(2, 2, "n 6 5")]), [
    "n - 5 changed by someone else after step 1, before step 2",
  ]);
});

Deno.test("what is left is from before the first change to after the last", () => {
  const rows = [
    done(1, "a 0 1", "b 0 1", "n - 1"),
    done(2, "a 1 2", "b 1 0", "m - 1"),
    done(3, "m 1 -"),
  ];
  assert.deepEqual(all(rows), ["a 0 2", "n - 1"], "what was changed back is as it was");
  assert.deepEqual(one(rows, 1), [
    "a 0 1 changed again in step 2",
    "b 0 1 changed again in step 2",
    "n - 1",
  ]);
  assert.deepEqual(one(rows, 3), ["m 1 -"]);
  assert.deepEqual(one(rows, 4), []);
});

Deno.test("a gap between two changes is someone else's, and who puts a file back begins it again", () => {
  assert.deepEqual(all([done(1, "a 0 1"), begin(12, "a 1 x"), done(12, "a x 2")]), [
    "a 0 2 changed by someone else after step 1, before step 12",
  ]);
  assert.deepEqual(all([done(1, "a 0 1"), done(2, "a 0 2")]), ["a 0 2"]);
  assert.deepEqual(all([begin(1, "a 0 1"), done(1)]), [], "what others did is not the session's");
});

Deno.test("what a run that was at work at the same time has done may be that one's, until it has put it back", () => {
  const rows = [done(1, "a 0 1", "b 0 1"), wrote(2, "c - 1")];
  const beside = (...others: ChangeEvent[]) =>
    told(left_by_all(file_events(rows, [], { runs: others, undos: [] })));
  const doubt = "it may be the change of another run, which was at work at the same time";
  assert.deepEqual(beside(done(7, "a 0 1", "b 0 2", "c - 1")), [
    `a 0 1 ${doubt}`,
    "b 0 1",
    "c - 1",
  ]);
  assert.deepEqual(beside(wrote(7, "a 0 x"), wrote(8, "a x 1"), wrote(9, "b 1 2")), [
    ...[`a 0 1 ${doubt}`, "b 0 1", "c - 1"],
  ], "several steps of the other run in one command of this one");
  assert.deepEqual(
    told(left_by_step(file_events(rows, [], { runs: [done(7, "a 0 1")], undos: [] }), 1)),
    [`a 0 1 ${doubt}`, "b 0 1"],
  );
  const own = ["a 0 1", "b 0 1", "c - 1"];
  assert.deepEqual(beside(begin(7, "a 0 1"), done(7)), own, "it only saw it");
  assert.deepEqual(beside(done(7, "a 0 1"), undo(7, "all", "a 1 0")), own);
});

Deno.test("what the undo of another session put back during a command is not that command's", () => {
  const at = (ms: number) => ({ ...begin(1), at: ms }) as ChangeEvent;
  const rows = [at(10), done(1, "a 1 0", "b 1 0"), at(20), done(2, "c - 1")];
  const beside = (from: number, to: number, ...files: string[]) => {
    const row = { ...undo(7, "all", ...files), from_to: [from, to] as const } as ChangeEvent;
    return told(left_by_all(file_events(rows, [], { runs: [], undos: [row] })));
  };
  const doubt = "it may be what an undo of another run put back at the same time";
  const own = ["a 1 0", "b 1 0", "c - 1"];
  const doubtful = [`a 1 0 ${doubt}`, "b 1 0", "c - 1"];
  assert.deepEqual(beside(12, 14, "a 1 0"), doubtful);
  assert.deepEqual(beside(5, 11, "a 1 0"), doubtful, "it ended in the command");
  assert.deepEqual(beside(1, 9, "a 1 0"), own, "it had ended before");
  assert.deepEqual(beside(21, 23, "a 1 0"), own, "it began after the next command had");
  assert.deepEqual(beside(12, 14, "a 0 0", "b 1 2"), own, "it found it so, or made it another");
  assert.deepEqual(
    told(left_by_all(file_events(rows, [], { runs: [], undos: [undo(7, "all", "a 1 0")] }))),
    own,
    "an older hamr did not note when",
  );
});

Deno.test("what was put back is left no more, until it changes again", () => {
  const undone = [done(1, "a 0 1"), undo(9, "all", "a 1 0")];
  assert.deepEqual(all(undone), []);
  assert.deepEqual(one(undone, 1), []);
  assert.deepEqual(all([...undone, done(12, "a x 2")]), ["a x 2"], "what the person had is theirs");
});

Deno.test("one step that was put back leaves the others", () => {
  const rows = [done(1, "a 0 1"), done(2, "a 1 2", "b - 2"), undo(9, 2, "a 2 1", "b 2 -")];
  assert.deepEqual(all(rows), ["a 0 1"]);
  assert.deepEqual(one(rows, 2), []);
  assert.deepEqual(one(rows, 1), ["a 0 1"], "it is again as step 1 left it");
});

Deno.test("what an undo found to be as before may come back, as with another branch", () => {
  const found = (rows: readonly ChangeEvent[], step?: number) => {
    const events = file_events(rows, []);
    const left = step === undefined ? left_by_all(events) : left_by_step(events, step);
    return left.map((one) => [...told([one]), one.was_back === true]);
  };
  const rows = [done(1, "a 0 1"), undo(9, "all", "a 0 0")];
  assert.deepEqual(found(rows), [["a 0 1", true]]);
  assert.deepEqual(found(rows, 1), [["a 0 1", true]]);
  assert.deepEqual(found([...rows, undo(9, "all", "a 1 0")]), []);
  assert.deepEqual(found([...rows, undo(9, "all", "a 1 0")], 1), []);
  assert.deepEqual(found([...rows, done(12, "a 0 2")]), [["a 0 2", false]]);
  assert.deepEqual(found([...rows, done(12, "a 1 2")]), [["a 0 2", false]]);
  // Of one step, it is as an earlier one left it.
  const one = [done(1, "a 0 1"), done(2, "a 1 2"), undo(9, 2, "a 1 1")];
  assert.deepEqual(found(one), [["a 0 1", false]]);
  assert.deepEqual(found(one, 1), [["a 0 1", false]]);
});

Deno.test("an undo of a step that a later one has undone itself brings nothing of it back", () => {
  const rows = [done(1, "a 1 2", "n - 1", "b 0 1"), done(2, "a 2 1", "n 1 -", "b 1 2")];
  assert.deepEqual(all([...rows, undo(2, 1, "a 1 1", "n - -")]), ["b 0 2"]);
  assert.deepEqual(all([...rows, undo(2, 1, "a 5 1", "n 5 -")]), ["b 0 2"], "by force");
  const more = [...rows, done(3, "b 2 1"), undo(3, 2, "b 1 1")];
  assert.deepEqual(all(more), ["b 0 1"]);
});

Deno.test("what a command that was cut off may have done is in doubt", () => {
  const rows = [begin(1), done(1, "a 0 1", "n - 1"), begin(2)];
  const found = [step_of("a 1 2"), step_of("b 0 x"), step_of("m - 1")];
  const doubt =
    "it changed in a command of step 2 whose end was not saved: by the run or by someone else";
  const cut = [{ step: 2, row: 2, found }];
  assert.deepEqual(all(rows, cut), [`a 0 2 ${doubt}`, `b 0 x ${doubt}`, `m - 1 ${doubt}`, "n - 1"]);
  const undone = [...rows, undo(2, "all", "a 2 0", "b x 0", "n 1 -", "m 1 -")];
  assert.deepEqual(all(undone, cut), []);
  const more = [...rows, begin(3), done(3, "a 2 3")];
  assert.deepEqual(all(more, cut)[0], `a 0 3 ${doubt}`, "a session that went on has both halves");
  assert.deepEqual(has_changes(rows.slice(0, 1)), true, "nobody knows what it did");
  assert.deepEqual(has_changes([begin(1, "a 0 1"), done(1)]), false);
});

Deno.test("where not all files are watched, none counts as new or gone by itself", () => {
  const found: FoundFile[] = ["a 0 1", "b 0 -", "c - 1", "d 0 0"].map(step_of);
  assert.deepEqual(as_far_as_known(found, true).map(({ path }) => path), ["a"]);
  assert.deepEqual(as_far_as_known(found, false).map(({ path }) => path), ["a", "b", "c"]);
  const rules = ["sub/.gitignore x -", "sub/key - 1", "key - 1"].map(step_of);
  assert.deepEqual(as_far_as_known(rules, false).map(({ before }) => before?.mode ?? null), [
    0o100644,
    0,
    null,
  ]);
});
