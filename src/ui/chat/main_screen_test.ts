import { equal, ok } from "node:assert/strict";
import process from "node:process";
import fc from "fast-check";
import { type Component, CURSOR_MARKER, Text, wrapTextWithAnsi } from "@earendil-works/pi-tui";
import { MuteTerminal, TestTerminal } from "./_testing.ts";
import { type AskedTerminal, MainScreen } from "./main_screen.ts";

/** A terminal that keeps what is written to it. */
class Written extends MuteTerminal implements AskedTerminal {
  text = "";
  columns = 40;
  resized = 0;
  readonly rows = 10;
  frame(draw: () => void): void {
    draw();
  }
  ask_place(): void {}
  write(data: string): void {
    this.text += data;
  }
  moveBy(): void {}
}

Deno.test("a screen that was stopped with a frame still to come draws again once it is started", async () => {
  const terminal = new Written();
  const screen = new MainScreen(terminal, true);
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
  const screen = new MainScreen(terminal, true);
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
    const screen = new MainScreen(terminal, true);
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
    equal(terminal.text.split("\x1b[?7h").at(-1), "\r\n");
  });
}

/** A screen of what was said, and below it an input between two rules, with the cursor in it. */
class Said implements Component {
  readonly lines: string[] = [];
  while_drawn: () => void = () => {};
  invalidate(): void {}
  render(width: number): string[] {
    this.while_drawn();
    const rule = "─".repeat(width);
    return [
      ...this.lines.flatMap((one) => wrapTextWithAnsi(one, width)),
      rule,
      CURSOR_MARKER,
      rule,
    ];
  }
}

function stage(said: number, whole = true) {
  const terminal = new TestTerminal({ columns: 40, rows: 10 });
  terminal.write("the shell\r\n");
  const screen = new MainScreen(terminal, whole);
  const log = new Said();
  let nth = 0;
  const say = () => void log.lines.push(`line ${nth++}, which is broken in a narrow window`);
  while (nth < said) say();
  screen.addChild(log);
  screen.start();
  const draws = () => screen.renderNow();
  /** All that is under way arrives. */
  const settles = () => {
    for (let turn = 0; turn < 4; turn++) {
      terminal.tells();
      draws();
      terminal.reads();
      terminal.answers();
    }
  };
  /** It stands there once, whatever window it was broken for. */
  const is_once = (shell: boolean | null) => {
    const letters = (text: string) => text.replace(/[^a-z0-9]/g, "");
    const seen = letters(terminal.text);
    const expected = letters(log.lines.join(""));
    const above = letters("the shell");
    equal(seen, shell ?? seen.startsWith(above) ? above + expected : expected);
    equal(terminal.text.trimEnd().match(/─\n+─+$/g)?.length, 1, terminal.text);
  };
  return { terminal, screen, say, draws, settles, is_once, log };
}

const resizes: readonly [number, number][] = [[20, 10], [40, 10], [39, 5], [80, 20], [40, 10]];

for (const said of [2, 30]) {
  Deno.test(`a screen of ${said} lines that stands still is the same in a window of any size, and what was above it, too`, () => {
    const { terminal, screen, settles, is_once } = stage(said);
    settles();
    for (const size of resizes) {
      terminal.becomes(...size);
      settles();
      is_once(true);
    }
    screen.stop();
  });
}

/** Windows that are full: of two thirds of one that would be empty something comes again, and what a cursor says that was pushed out is no row. */
Deno.test("a screen that stands still is the same in windows of whatever sizes", () => {
  const size = fc.tuple(fc.integer({ min: 20, max: 60 }), fc.integer({ min: 7, max: 9 }));
  fc.assert(
    fc.property(
      fc.array(size, { maxLength: 8 }),
      fc.integer({ max: 40, min: 20 }),
      (sizes, said) => {
        const { terminal, screen, settles, is_once } = stage(said);
        settles();
        for (const one of sizes) {
          terminal.becomes(...one);
          settles();
          is_once(null);
        }
        screen.stop();
      },
    ),
    { numRuns: 60, seed: 1 },
  );
});

Deno.test("a frame is for a window of one size, also where that changes while it is drawn", () => {
  const { terminal, screen, say, draws, settles, is_once, log } = stage(30);
  settles();
  log.while_drawn = () => {
    terminal.becomes(20, 10);
    terminal.tells();
  };
  say();
  draws();
  log.while_drawn = () => {};
  settles();
  is_once(false);
  screen.stop();
});

Deno.test("what is drawn for a window that has another size by then is drawn again, and stands there once", () => {
  for (const size of resizes.filter(([columns]) => columns !== 40)) {
    const { terminal, screen, say, draws, settles, is_once } = stage(30);
    settles();
    terminal.becomes(...size);
    say();
    draws();
    terminal.reads();
    settles();
    is_once(false);
    terminal.becomes(...size);
    settles();
    is_once(false);
    screen.stop();
  }
});

Deno.test("a chat that was restarted clears nothing: what was said before stands above it alone", () => {
  const { terminal, screen, say, draws, settles } = stage(30, false);
  settles();
  terminal.becomes(20, 10);
  say();
  draws();
  terminal.reads();
  settles();
  ok(terminal.text.startsWith("the shell\n"), terminal.text);
  ok(terminal.text.replace(/\s/g, "").includes("line30"), terminal.text);
  screen.stop();
});

Deno.test("a line that only changes moves nothing, whatever size the window has by then", () => {
  const { terminal, screen, draws, settles, is_once, log } = stage(30);
  settles();
  terminal.becomes(20, 10);
  log.lines[29] = "the last line says something else, and more";
  draws();
  terminal.reads();
  settles();
  is_once(true);
  screen.stop();
});

Deno.test("a window that changes between a question and what is drawn by its answer, or untold, is drawn again", () => {
  const { terminal, screen, draws, settles, is_once } = stage(30);
  settles();
  terminal.becomes(20, 10);
  terminal.tells();
  draws();
  // It knows only this answer, and draws by it.
  terminal.reads();
  terminal.becomes(30, 12);
  terminal.answers();
  draws();
  settles();
  is_once(false);
  // One that is not told of: it is asked again, and then drawn for what is known.
  terminal.becomes(35, 12);
  terminal.resized++;
  for (let turn = 0; turn < 4; turn++) draws(), terminal.reads(), terminal.answers();
  settles();
  is_once(false);
  screen.stop();
});

Deno.test("whatever comes between what, all that was said stands there once in the end", () => {
  const step = fc.oneof(
    fc.constantFrom("says", "draws", "reads", "answers", "tells"),
    fc.tuple(fc.integer({ min: 12, max: 60 }), fc.integer({ min: 5, max: 9 })),
  );
  fc.assert(
    fc.property(
      fc.array(step, { maxLength: 40 }),
      fc.integer({ max: 40, min: 0 }),
      (steps, said) => {
        const { terminal, screen, say, draws, settles, is_once } = stage(said);
        for (const one of steps) {
          if (one === "says") say();
          else if (one === "draws") draws();
          else if (typeof one === "string") terminal[one as "reads" | "answers" | "tells"]();
          else terminal.becomes(...one);
        }
        settles();
        settles();
        is_once(null);
        screen.stop();
      },
    ),
    { numRuns: 60, seed: 1 },
  );
});

Deno.test("a screen that is left while its window changes is drawn once more, and asks nothing", () => {
  const { terminal, screen, settles, is_once } = stage(3);
  settles();
  terminal.becomes(50, 10);
  terminal.tells();
  screen.leave();
  screen.stop();
  terminal.reads();
  ok(terminal.text.includes("line 2"), terminal.text);
  equal(terminal.unanswered, 0);
  is_once(false);
});
