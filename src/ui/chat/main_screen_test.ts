import { equal, ok } from "node:assert/strict";
import process from "node:process";
import { type Terminal, Text } from "@earendil-works/pi-tui";
import { MainScreen } from "./main_screen.ts";

/** A terminal that keeps what is written to it. */
class Written implements Terminal {
  text = "";
  readonly columns = 40;
  readonly rows = 10;
  readonly kittyProtocolActive = false;
  start(): void {}
  stop(): void {}
  drainInput(): Promise<void> {
    return Promise.resolve();
  }
  write(data: string): void {
    this.text += data;
  }
  moveBy(): void {}
  hideCursor(): void {}
  showCursor(): void {}
  clearLine(): void {}
  clearFromCursor(): void {}
  clearScreen(): void {}
  setTitle(): void {}
  setProgress(): void {}
}

Deno.test("a screen that was stopped with a frame still to come draws again once it is started", async () => {
  const terminal = new Written();
  const screen = new MainScreen(terminal);
  screen.addChild(new Text("words", 0, 0));
  screen.start();
  screen.renderNow();
  // The next frame is asked for, has its moment, and is dropped.
  screen.requestRender();
  await new Promise<void>((resolve) => process.nextTick(resolve));
  screen.stop();
  terminal.text = "";
  screen.start();
  screen.repaint("below");
  for (let turn = 0; turn < 1000 && !terminal.text.includes("words"); turn++) {
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  screen.stop();
  ok(terminal.text.includes("words"), JSON.stringify(terminal.text));
});

Deno.test("a screen on which nothing was said leaves what stands above it alone", () => {
  const terminal = new Written();
  const screen = new MainScreen(terminal);
  const below = new Text("input\nstatus", 0, 0);
  screen.addChild(below);
  screen.start();
  screen.renderNow();
  screen.removeChild(below);
  terminal.text = "";
  screen.leave();
  screen.stop();
  ok(!terminal.text.includes("\x1b[H") && !terminal.text.includes("\x1b[2J"), terminal.text);
});

for (const lines of [1, 3, 20]) {
  Deno.test(`what comes after a screen of ${lines} lines begins in the line below it`, () => {
    const terminal = new Written();
    const screen = new MainScreen(terminal);
    const said = Array.from({ length: lines }, (_, at) => `said ${at}`).join("\n");
    const below = new Text("input\nstatus", 0, 0);
    screen.addChild(new Text(said, 0, 0));
    screen.addChild(below);
    screen.start();
    screen.renderNow();
    screen.removeChild(below);
    terminal.text = "";
    screen.leave();
    screen.stop();
    equal(terminal.text.split("\x1b[?2026l").at(-1), "\r\n");
  });
}
