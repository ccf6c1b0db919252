import assert from "node:assert/strict";
import { bytes_of } from "../store/content.ts";
import type { Listing } from "../store/file_state.ts";
import type { RecordAnswer, RecordRequest } from "../store/recorder.ts";
import { type Bench, bench, sh } from "./_testing.ts";
import { IgnoreRules } from "./ignore_rules.ts";
import { Recording } from "./recording.ts";
import { Tracker } from "./tracker.ts";
import { turn_diff } from "./turn_diff.ts";

const COMMIT =
  "git init -q && git add . && git -c user.name=t -c user.email=t@localhost commit -qm x";

interface Recorded {
  readonly recording: Recording;
  readonly tracker: Tracker;
  /** All that was asked, in its order. */
  readonly asked: RecordRequest[];
  /** What was stored, as text. */
  stored(): Promise<string[]>;
  /** A step that runs a command. */
  step(nth: number, command: string): Promise<void>;
}

/** A recording as the worker has it; `answer` plays the main thread. */
async function recorded(
  b: Bench,
  test: (on: Recorded) => Promise<void>,
  answer: (request: RecordRequest) => Partial<RecordAnswer> = () => ({}),
): Promise<void> {
  const asked: RecordRequest[] = [];
  const recording = new Recording(b.policy, (request) => {
    asked.push(request);
    const unknown = request.kind === "unknown" ? request.hashes : [];
    return Promise.resolve({ ok: true, unknown, ...answer(request) });
  });
  const { baseline } = recording;
  const ignore = new IgnoreRules(b.workspace);
  const tracker = Tracker.start(b.workspace, ignore, { folder: b.policy.spill, baseline });
  const machine = { ...b.machine, tracker, recording, ignore };
  tracker.keep();
  await test({
    recording,
    tracker,
    asked,
    async stored() {
      const texts: string[] = [];
      for (const request of asked) {
        if (request.kind !== "contents") continue;
        for (const one of request.contents) {
          texts.push(new TextDecoder().decode(await bytes_of(one)));
        }
      }
      return texts;
    },
    async step(nth, command) {
      sh(command, b.workspace);
      tracker.scan();
      await turn_diff(nth, machine);
      await recording.end_step(nth, false);
    },
  });
  tracker[Symbol.dispose]();
}

const is_listing = (text: string) => text.startsWith('{"files"');

Deno.test("the start is written down: git's contents by their ids, a copy of the others, each once", async () => {
  const files = { "a.txt": "a\n", "b.txt": "b\n", "sub/c.txt": "c\n", "none.txt": "" };
  await bench({ files }, async (b) => {
    sh(`${COMMIT}; echo dirty >> b.txt; cp b.txt d.txt; ln -s a.txt l; mkdir -p e/f`, b.workspace);
    await recorded(b, async ({ recording, tracker, asked, stored }) => {
      await Promise.all([recording.begin(tracker), recording.begin(tracker)]);
      assert.deepEqual(asked.map(({ kind }) => kind), ["unknown", "contents", "baseline"]);
      const texts = await stored();
      assert.deepEqual(
        texts.filter((text) => !is_listing(text)).sort(),
        ["", "a.txt", "b\ndirty\n"],
      );
      const listing: Listing = JSON.parse(texts.find(is_listing)!);
      assert.deepEqual(listing.empty, ["e/f/"]);
      assert.deepEqual(
        listing.files.map(([path, mode, hash, git]) => [path, mode.toString(8), hash?.length, git]),
        [
          ["a.txt", "100644", 64, sh("git rev-parse :a.txt", b.workspace).trim()],
          ["b.txt", "100644", 64, undefined],
          ["d.txt", "100644", 64, undefined],
          ["l", "120777", 64, undefined],
          ["none.txt", "100644", 64, undefined],
          ["sub/c.txt", "100644", 64, sh("git rev-parse :sub/c.txt", b.workspace).trim()],
        ],
      );
    });
  });
});

Deno.test("what is known already is not sent", async () => {
  await bench({ files: { "a.txt": "a\n" } }, async (b) => {
    await recorded(b, async ({ recording, tracker, asked }) => {
      await recording.begin(tracker);
      assert.deepEqual(asked.map(({ kind }) => kind), ["unknown", "baseline"]);
    }, () => ({ unknown: [] }));
  });
});

Deno.test("each step tells what it changed, with what was there before and after", async () => {
  await bench({ files: { "a.txt": "0\n", "b.txt": "b\n" } }, async (b) => {
    await recorded(b, async ({ recording, tracker, asked, stored, step }) => {
      await recording.begin(tracker);
      await step(1, "echo 1 > a.txt; echo n > n.txt");
      await step(2, "echo 2 > a.txt; rm b.txt; chmod +x n.txt");
      await step(3, "touch a.txt");
      const rows = asked.flatMap((one) => one.kind === "changes" ? [one] : []);
      const shown = rows.map(({ step, files }) => [
        step,
        ...files.map(({ path, before, after }) =>
          `${path} ${before?.mode.toString(8) ?? "-"} ${after?.mode.toString(8) ?? "-"}`
        ),
      ]);
      assert.deepEqual(shown, [
        [1, "a.txt 100644 100644", "n.txt - 100644"],
        [2, "a.txt 100644 100644", "b.txt 100644 -", "n.txt 100644 100755"],
      ]);
      assert.deepEqual(rows[1]!.files[0]!.before, rows[0]!.files[0]!.after, "without a gap");
      const texts = await stored();
      for (const text of ["0\n", "1\n", "2\n", "b\n", "n\n"]) assert.ok(texts.includes(text), text);
    });
  });
});

Deno.test("where nothing was called that changes anything, nobody waits for the start", async () => {
  await bench({ files: { "a.txt": "a\n" } }, async (b) => {
    await recorded(b, async ({ recording, asked }) => {
      await recording.end_step(1, true);
      assert.deepEqual(asked, []);
    });
  });
});

Deno.test("once something could not be written down, nothing more is asked", async () => {
  await bench({ files: { "a.txt": "0\n" } }, async (b) => {
    await recorded(b, async ({ recording, tracker, asked, step }) => {
      await recording.begin(tracker);
      await step(1, "echo 1 > a.txt");
      assert.deepEqual(asked.map(({ kind }) => kind), ["unknown", "contents"]);
    }, ({ kind }) => kind === "contents" ? { ok: false } : {});
  });
});
