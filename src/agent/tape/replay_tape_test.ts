import assert from "node:assert/strict";
import { ToolsError } from "../../tools/failure.ts";
import type { HttpAnswer, Target } from "../../model/http/http.ts";
import { NoModelError } from "../../model/server/credentials.ts";
import { PendingWrites, TapeRecorder } from "../pending_writes.ts";
import { Exchanges } from "../exchanges.ts";
import { ReplayStopped, ReplayTape, type TapeRow } from "./replay_tape.ts";
import type { TapeSlot } from "../tape.ts";

const TARGET: Target = { url: "http://127.0.0.1:1/v1", headers: {}, key_hint: "", key: "" };
const OPTIONS = {
  limits: { connect_ms: 0, first_byte_ms: 0, idle_ms: 0 },
  signal: new AbortController().signal,
};
const bytes = (text: string) => new TextEncoder().encode(text);

/** Rows of exchanges: each request with the pieces of its reply. */
async function exchanges(...all: [string, ...Uint8Array[]][]): Promise<TapeRow[]> {
  const recorder = new Exchanges();
  const rows: TapeRow[] = [];
  for (const [request, ...pieces] of all) {
    const place: TapeSlot = { heard: null };
    const answer = recorder.take_down(place, {
      target: TARGET,
      request: recorder.pack(bytes(request)),
      answer: {
        content_type: "text/event-stream",
        read: () => Promise.resolve(pieces.shift() ?? null),
        close() {},
      },
    });
    assert.ok("read" in answer);
    while (await answer.read() !== null);
    rows.push(JSON.parse(JSON.stringify({ kind: "exchange", ...place.heard })));
  }
  return rows;
}

/** A tape, and what it has told. */
function playing(rows: readonly TapeRow[]) {
  const heard: string[] = [];
  const tape = new ReplayTape([{ kind: "begin" }, ...rows], {
    met: () => heard.push("met"),
    steer: (text) => heard.push(text),
    interrupt: () => heard.push("interrupt"),
  });
  tape.cuts(() => heard.push("cut"));
  tape.begin();
  return { tape, heard };
}

const send = (tape: ReplayTape, text: string) => tape.exchange(TARGET, bytes(text), OPTIONS);

Deno.test("a reply comes back byte for byte, text or not", async () => {
  for (
    const reply of [bytes("data: 世\n\n"), new Uint8Array([0xff, 0x00, 0xfe]), bytes("\ufeffx")]
  ) {
    const pieces = [reply.slice(0, 2), reply.slice(2)];
    const { tape } = playing(await exchanges(["{}", ...pieces]));
    const answer = await send(tape, "{}") as HttpAnswer;
    assert.deepEqual(await answer.read(), reply);
    assert.equal(await answer.read(), null);
    tape.end();
    assert.equal(tape.stopped, null);
  }
});

Deno.test("the first byte that differs is told, also where one request only goes on longer", async () => {
  const rows = await exchanges(["abc"], ["abcdef"]);
  for (const [text, offset] of [["abXdef", 2], ["abcde", 5], ["abcdefg", 6]] as const) {
    const { tape } = playing(rows);
    await send(tape, "abc");
    assert.throws(() => send(tape, text), ReplayStopped);
    assert.ok(tape.stopped?.kind === "request");
    assert.deepEqual([tape.stopped.nth, tape.stopped.offset], [2, offset]);
    await assert.rejects(() => tape.ask("wait"), ReplayStopped, "nothing goes on after it");
  }
});

Deno.test("answers come in the order of their questions, and errors as what they were", async () => {
  const { tape } = playing([
    { kind: "busy", value: [1] },
    { kind: "run", error: { name: "Error", message: "lost", cause_of_end: "internal_error" } },
    { kind: "busy", value: [2] },
    { kind: "memory_search", error: { name: "Error", message: "full" } },
    { kind: "loaded" },
  ]);
  assert.deepEqual(await tape.ask("busy"), [1]);
  assert.deepEqual(await tape.ask("busy"), [2]);
  await assert.rejects(() => tape.ask("run"), ToolsError);
  assert.throws(() => tape.ask_now("memory_search"), /full/);
  assert.equal(await tape.ask("loaded"), undefined);
});

Deno.test("an error that was taken down is the same one when it is replayed", async () => {
  const lost = new ToolsError("the tools worker stopped", "internal_error");
  const errors = [lost, new NoModelError("no server"), new TypeError("odd")];
  const pending = new PendingWrites();
  const recorder = new TapeRecorder(pending, () => 1);
  for (const error of errors) {
    await assert.rejects(recorder.ask("run", () => Promise.reject(error)), error);
  }
  const { tape } = playing(pending.take().map(({ body }) => JSON.parse(String(body))));
  for (const [kind, error] of [ToolsError, NoModelError, Error].map((of, n) => [of, errors[n]])) {
    await assert.rejects(tape.ask("run"), (again: Error) => {
      assert.ok(again instanceof (kind as typeof Error));
      assert.equal(again.message, (error as Error).message);
      return true;
    });
  }
});

Deno.test("what happened then happens behind the answer that it came after", async () => {
  const [first, second] = await exchanges(["a"], ["b"]);
  const { tape, heard } = playing([
    { kind: "met" },
    first!,
    { kind: "steer", text: "Look." },
    { kind: "cut", interrupted: true },
    second!,
  ]);
  assert.deepEqual(heard, ["met"]);
  await send(tape, "a");
  assert.deepEqual(heard, ["met", "Look.", "interrupt", "cut"]);
});

Deno.test("readings of the clock that mattered come back by their number", () => {
  const { tape } = playing([
    { kind: "clock", nth: 2, elapsed_ms: 900, step_ms: 5, interrupted: false },
  ]);
  assert.deepEqual([1, 2, 3].map(() => tape.read().elapsed_ms), [0, 900, 0]);
});

Deno.test("where a recording ends early, so does its replay; one that is whole tells what is too much", async () => {
  const rows = await exchanges(["a"]);
  const cut = playing(rows).tape;
  await send(cut, "a");
  assert.throws(() => send(cut, "b"), ReplayStopped);
  assert.deepEqual(cut.stopped, { kind: "cut" });
  const whole = playing([...rows, { kind: "end" }]).tape;
  await send(whole, "a");
  assert.throws(() => send(whole, "b"), ReplayStopped);
  assert.ok(whole.stopped?.kind === "course");
  const short = playing([...rows, { kind: "end" }]).tape;
  short.end();
  assert.deepEqual(short.stopped, {
    ...{ kind: "course", nth: 1, text: "the recorded run made 1 more request" },
  });
});
