import assert from "node:assert/strict";
import { bash, call, say } from "./support/model_server.ts";
import { open_stage, type Stage } from "./support/stage.ts";
import { type Event, until } from "./support/hamr.ts";

const DONE = say("Changed what was asked for.");

interface File {
  readonly path: string;
  readonly status: string;
  readonly added: number;
  readonly removed: number;
}

/** What each step is told to have changed: its number, its files, its diff. */
function diffs(events: readonly Event[]): [number, string[], string][] {
  return events.filter((event) => event.type === "turn_diff").map((event) => [
    event.step,
    (event["files"] as readonly File[]).map(({ path, status, added, removed }) =>
      `${path} ${status} +${added} -${removed}`
    ),
    String(event["diff"]),
  ]);
}

const without_text = ([step, files]: [number, string[], string]) => [step, files];

Deno.test("each step that changed files tells which, against the state before it", async () => {
  const script = [
    call("edit", { path: "a.txt", old: "one", new: "two" }),
    bash("cat a.txt"),
    bash("echo three >> a.txt; ln -s a.txt l"),
    call("write", { path: "new/b.txt", content: "b\n" }),
    bash("rm a.txt"),
    DONE,
  ];
  await open_stage({ script, files: { "a.txt": "one\n", "c.txt": "c\n" } }, async (s) => {
    const { events, result, stderr } = await s.events("Do it.");
    const told = diffs(events);
    assert.deepEqual(told.map(without_text), [
      [1, ["a.txt modified +1 -1"]],
      [3, ["a.txt modified +1 -0", "l added +1 -0"]],
      [4, ["new/b.txt added +1 -0"]],
      [5, ["a.txt deleted +0 -2"]],
    ]);
    assert.equal(
      told[0]![2],
      "diff --git a/a.txt b/a.txt\n--- a/a.txt\n+++ b/a.txt\n@@ -1,1 +1,1 @@\n-one\n+two\n",
    );
    assert.match(told[1]![2], /^ two\n\+three\n[^]*\+a\.txt\n/m, "of a link, its target");
    assert.match(stderr, /📝 Step 3 changed 2 files \+2 -0: a\.txt, l\n/);
    assert.equal(result.files_changed.length, 3, "the result is against the start of the run");
  });
});

Deno.test("several calls of one step are told together", async () => {
  const script = [
    {
      calls: [
        { name: "edit", args: { path: "a.txt", old: "one", new: "two" } },
        { name: "bash", args: { command: "echo three >> a.txt; echo b > b.txt" } },
        { name: "edit", args: { path: "b.txt", old: "b", new: "c" } },
      ],
    },
    DONE,
  ];
  await open_stage({ script, files: { "a.txt": "one\n" } }, async (s) => {
    const [first, ...more] = diffs((await s.events("Do it.")).events);
    assert.deepEqual(more, []);
    assert.deepEqual(without_text(first!), [1, ["a.txt modified +2 -1", "b.txt added +1 -0"]]);
    assert.match(first![2], /^-one\n\+two\n\+three\n[^]*\+c\n/m);
  });
});

Deno.test("what the verify command changes belongs to the turn it looked at", async () => {
  const script = [bash("echo x > x"), DONE, bash("echo y > y"), DONE];
  await open_stage({ script }, async (s) => {
    const verify = "echo v >> v; test $(wc -l < v) = 2";
    const { code, events } = await s.events("Do it.", "--mode", "verify", "--verify", verify);
    assert.equal(code, 0);
    assert.deepEqual(diffs(events).map(without_text), [
      [1, ["x added +1 -0"]],
      [2, ["v added +1 -0"]],
      [3, ["y added +1 -0"]],
      [4, ["v modified +1 -0"]],
    ]);
  });
});

Deno.test("what goes on in the background between calls is not a change of the run", async () => {
  let place: Stage | null = null;
  const script = async (_: unknown, n: number) => {
    if (n === 0) {
      return bash(
        "(until [ -e ../outside/go ]; do sleep 0.02; done; echo > late) > /dev/null 2>&1 &",
      );
    }
    place!.outside.write("go", "");
    await until("it is written", () => place!.ws.exists("late"));
    return DONE;
  };
  await open_stage({ script }, async (s) => {
    place = s;
    const { events } = await s.events("Do it.");
    assert.deepEqual(diffs(events), []);
  });
});

Deno.test("a step without a change tells nothing; what ignore rules cover is none", async () => {
  const files = { "a.txt": "a\n", ".gitignore": "*.log\n" };
  const script = [
    bash("echo x > x.log; cat a.txt"),
    call("read", { path: "a.txt" }),
    bash("touch a.txt; echo b > a.txt; echo a > a.txt"),
    say("The answer is 42."),
  ];
  await open_stage({ script, files }, async (s) => {
    const { events, stderr } = await s.events("Look.", "--mode", "auto");
    assert.deepEqual(diffs(events), []);
    assert.doesNotMatch(stderr, /📝/);
  });
});

Deno.test("keys do not get into the diff, and a long one is cut and says so", async () => {
  const script = [bash("echo KEY=sesame > .env; ln -s .env l; seq 20000 > long.txt"), DONE];
  await open_stage({ script }, async (s) => {
    const { events, stdout } = await s.events("Do it.");
    const [[, files, diff]] = diffs(events) as [[number, string[], string]];
    assert.deepEqual(files, [".env added +1 -0", "l added +1 -0", "long.txt added +20000 -0"]);
    assert.match(diff, /\n\[left out: \d{4,5} more lines, \d{5} bytes\]\n$/);
    assert.ok(new TextEncoder().encode(diff).length < 66_000);
    const told = stdout.split("\n").filter((line) => line.includes('"turn_diff"'));
    assert.equal(told.length, 1);
    assert.doesNotMatch(told.join(), /sesame/);
  });
});
