import assert from "node:assert/strict";
import { ChatTerminal } from "./terminal.ts";

const ASKED = "\x1b[6n";

Deno.test({
  name: "what a terminal was asked, it has answered before it is given back, and keys are kept",
  // Standard input, which a person may have at a terminal, is read until the end.
  sanitizeOps: false,
  sanitizeResources: false,
  async fn() {
    let written = "";
    let keys = "";
    const terminal = new ChatTerminal({
      put: (text) => written += text,
      typed_ahead: 0,
      ended: () => {},
      unended: () => {},
      background: () => {},
    });
    terminal.start((key) => keys += key, () => {});
    const told: unknown[] = [];
    terminal.ask_place(0, (place) => told.push(place));
    // A question that still waits is not asked anymore.
    terminal.ask_place(60_000, () => {});
    let settled = false;
    const settling = terminal.settle().then(() => settled = true);
    terminal.typed_before("k");
    terminal.typed_before("\x1b[5;1R");
    await Promise.resolve();
    assert.deepEqual([settled, told, keys], [false, [], ""]);
    terminal.typed_before("\x1b[24;80R");
    await settling;
    assert.deepEqual(told, [{ row: 4, rows: 24, columns: 80 }]);
    terminal.stop();
    assert.equal(terminal.take_late(), "k");
    assert.equal(written.split(ASKED).length, 3);
    terminal.start((key) => keys += key, () => {});
    terminal.typed_before("l");
    assert.equal(keys, "l");
    // Nothing was asked.
    await terminal.settle();
    terminal.stop();
  },
});
