/** Endings of runs that continue a session: what is a change of this run, and what was one of an earlier. */
import assert from "node:assert/strict";
import { each, pause } from "../support/hamr.ts";
import { bash, type Reply, say } from "../support/model_server.ts";
import { stage } from "../support/stage.ts";
import { edit } from "./transcript.ts";
import { PY } from "./workspaces.ts";

const FIX = [
  edit("a.py", "add(a, b):\n    return a - b", "add(a, b):\n    return a + b"),
  say("I fixed add."),
];
const PRINT = [
  edit("a.py", "return a - b\n\n\n", "print(a)\n    return a - b\n\n\n"),
  say("I added it."),
];

/** What happens first, then the task of the next run, what is done for it, and the exit code of that. */
type Later = readonly [first: readonly Reply[], task: string, then: readonly Reply[], code: number];

const LATER: readonly Later[] = [
  [PRINT, "Remove the print.", [
    edit("a.py", "print(a)\n    ", ""),
    say("I removed the print."),
  ], 0],
  [PRINT, "Remove the print.", [
    bash("sed -i '/print/d' a.py"),
    say("I removed the print from a.py."),
  ], 0],
  [FIX, "What did you change?", [say("I changed `a - b` to `a + b` in a.py.")], 0],
  [FIX, "Done?", [say("Yes, done.")], 0],
  [FIX, "but really we need no sub", [say("Right: sub is gone then, and only add is left.")], 0],
  [FIX, "Thanks!", [say("You're welcome!")], 0],
  [FIX, "Add a docstring, too.", [
    edit("a.py", "def sub", "# The rest.\ndef sub"),
    say("I fixed add and added a comment in a.py."),
  ], 0],
  [FIX, "Now add a docstring.", [say("There is one already.")], 0],
  [FIX, "Now add a docstring.", [say("I added a docstring.")], 2],
  [FIX, "Now fix b.py, too.", [say("I fixed b.py, too.")], 2],
  [FIX, "Do the tests pass?", [say("Yes, all tests pass.")], 2],
];

Deno.test("a run that continues a session is judged by what it did, and tells of what was done before", async () => {
  await each(LATER, async ([first, task, then, code], n) => {
    const all = [...first, ...then];
    const script = (_: unknown, n: number) => all[n] ?? all.at(-1)!;
    await stage({ script, files: PY, inside: n > 0 }, async (s) => {
      assert.equal((await s.run("Work on a.py.")).code, 0, task);
      const { code: seen, result } = await s.here(["run", "--json", "--continue", task]);
      const asked = s.server.requests.length - all.length;
      assert.deepEqual([seen, asked], [code, code === 0 ? 0 : 1], `${task} ${result.stop_reason}`);
    });
  });
});

Deno.test("what the user has taken back in the middle of a run is a change of its turn", async () => {
  const replies = [
    PRINT[0]!,
    say("I added it."),
    edit("a.py", "print(a)\n    ", ""),
    say("I removed the print."),
  ];
  let heard = () => {};
  const stdin = new ReadableStream<Uint8Array<ArrayBuffer>>({
    start(controller) {
      heard = () => controller.enqueue(new TextEncoder().encode("Remove the print again.\n"));
    },
  });
  const script = async (_: unknown, n: number) => {
    if (n === 1) {
      heard();
      // As in transcript.ts: a line on standard input is read meanwhile.
      await pause(150);
    }
    return replies[n] ?? replies.at(-1)!;
  };
  await stage({ script, files: PY }, async (s) => {
    const { code } = await s.hamr(["run", "--json", "--steer", "Print a."], { stdin });
    assert.deepEqual([code, s.server.requests.length], [0, 4]);
    assert.equal(s.ws.read("a.py"), PY["a.py"]);
  });
});
