import assert from "node:assert/strict";
import { stamped } from "../_testing.ts";
import { ChatLog } from "./log.ts";
import { theme_of } from "./theme.ts";

function log_of(...texts: readonly string[]): readonly string[] {
  const log = new ChatLog(theme_of("none"), { verbose: false });
  for (const text of texts) {
    log.hear(stamped({ type: "text_delta", text }));
    log.hear(stamped({ type: "text_delta", text: "", finished: true }));
  }
  return log.render(40).map((one) => one.trimEnd());
}

Deno.test("two answers, one after the other, are two paragraphs", () => {
  assert.deepEqual(log_of("Fixed it."), ["Fixed it."]);
  assert.deepEqual(log_of("Fixed it.", "I could not."), ["Fixed it.", "", "I could not."]);
  assert.deepEqual(log_of("", "Fixed it."), ["Fixed it."]);
});
