import { equal, ok } from "node:assert/strict";
import process from "node:process";
import { Text } from "@earendil-works/pi-tui";
import { type AskedTerminal, MainScreen } from "./main_screen.ts";

/** A terminal that keeps what is written to it. */
class Written implements AskedTerminal {
  text = "";
  columns = 40;
  resized = 0;
  /** Who has asked where the cursor is. */
  readonly asked: ((row: number | null) => void)[] = [];
  readonly rows = 10;
  readonly kittyProtocolActive = false;
  ask_row(told: (row: number | null) => void): void {
    this.asked.push(told);
  }
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

Deno.test("in a window of another size nothing is drawn before it is known where, and all of it then", () => {
  for (const row of [9, null]) {
    const terminal = new Written();
    const screen = new MainScreen(terminal);
    const said = new Text(Array.from({ length: 30 }, (_, at) => `said ${at}`).join("\n"), 0, 0);
    screen.addChild(said);
    screen.start();
    screen.renderNow();
    terminal.text = "";
    terminal.columns = 50;
    screen.renderNow();
    // A second frame asks no second time; another change does, if only back, and the first answer is none.
    screen.renderNow();
    terminal.columns = 40;
    terminal.resized++;
    screen.renderNow();
    equal(terminal.text, "");
    equal(terminal.asked.length, 2);
    terminal.asked[0]?.(row);
    screen.renderNow();
    equal(terminal.text, "");
    terminal.asked[1]?.(row);
    screen.renderNow();
    ok(!terminal.text.includes("said 19") && terminal.text.includes("said 20"), terminal.text);
    ok(terminal.text.includes("said 29"));
    screen.stop();
  }
});

Deno.test("a screen that is left while its window changes is drawn once more", () => {
  const terminal = new Written();
  const screen = new MainScreen(terminal);
  screen.addChild(new Text("said", 0, 0));
  screen.start();
  screen.renderNow();
  terminal.text = "";
  terminal.columns = 50;
  screen.renderNow();
  screen.leave();
  screen.stop();
  ok(terminal.text.includes("said"), terminal.text);
  equal(terminal.asked.length, 1);
});
