import assert from "node:assert/strict";
import type { Event } from "../agent/events.ts";
import { RESULT, stamped } from "./_testing.ts";
import { human_log } from "./human_log.ts";
import { new_screen } from "./human_log_options.ts";

Deno.test("human_log() does not tell of a change that stands below its edit, but of one to the same file in another step", () => {
  let text = "";
  const hear = human_log({
    ...{ write: (more) => void (text += more), quiet: false, verbose: false, requests: false },
    ...{ color: false, width: 100, live: false, screen: new_screen(), heartbeat_ms: 0 },
  });
  const edit: Event = {
    ...{ type: "tool_call", id: "a", name: "edit", nth: 1, of: 1 },
    arguments: { path: "src/a.ts", old: "a", new: "b" },
  };
  hear({ ...edit, t: 1, step: 2 });
  hear({
    type: "tool_result",
    id: "a",
    name: "edit",
    ok: true,
    summary: "",
    ...{ bytes: 1, ms: 1, refused: null },
    t: 1,
    step: 2,
  });
  for (const step of [2, 3]) {
    const files = [{ path: "src/a.ts", status: "modified", added: 1, removed: 1 }] as const;
    hear({ type: "turn_diff", step, diff: "", files, t: 1 });
  }
  assert.deepEqual(text.match(/📝.*/g), ["📝 Step 3 changed 1 file +1 -1: src/a.ts"]);
});

Deno.test("human_log() says how long a call and a run took that were not quick", () => {
  let text = "";
  const hear = human_log({
    ...{ write: (more) => void (text += more), quiet: false, verbose: false, requests: false },
    ...{ color: false, width: 100, live: false, screen: new_screen(), heartbeat_ms: 0 },
  });
  const at = { t: 1, step: 1, id: "a", name: "bash" };
  const called = (ok: boolean, ms: number) => {
    hear({ ...at, type: "tool_call", arguments: { command: "make" }, nth: 1, of: 1 });
    const summary = ok ? "" : "exit code 2";
    hear({ ...at, type: "tool_result", ok, summary, bytes: 1, ms, refused: null });
  };
  called(true, 9_999);
  called(true, 12_000);
  called(false, 240_000);
  hear(stamped({ ...RESULT, duration_ms: 252_000 }));
  assert.deepEqual(text.match(/(?<= )[✓✗] (?!1 ).*/g), [
    ...["✓ OK", "✓ OK (12 s)", "✗ exit code 2 (4 min)"],
  ]);
  assert.match(text, /^✅ Done \(3 steps, 1 tool call, 4\.1k tokens, 4 min, 1 file /m);
});
