/** Every key, command and answer of a chat, in a window of each size: what is seen, and that it fits. On a real terminal: tmux. */
import assert from "node:assert/strict";
import { call, say, type Script } from "./support/model_server.ts";
import { until } from "./support/hamr.ts";
import { type Stage, stage } from "./support/stage.ts";
import { thorough } from "./support/thorough.ts";
import {
  BY_WORDS,
  chat,
  HANG_MS,
  HAS_TMUX,
  IDLE,
  on_terminal,
  type Screen,
} from "./support/tmux.ts";

const SIZES = [[80, 24], [48, 20], [200, 50]] as const;
const LINES = 10_000;
const MANY = Array.from({ length: LINES }, (_, nth) => `- line ${nth + 1}\n`).join("");

const PASTED = Array.from({ length: 12 }, (_, nth) => `pasted ${nth + 1}`).join("\r");

const SCRIPTED: Script = (asked) => {
  const { messages } = asked.body;
  const text = String(messages.at(-1)?.content);
  if (/summar/i.test(String(messages[0]?.content)) && messages.length === 2) return say("Summed.");
  if (text.startsWith("Stream")) return { ...say(MANY), fragment: 200 };
  if (text.startsWith("Think")) return { ...say("Thought."), reasoning: "deep\nthoughts\n" };
  if (text.startsWith("Edit")) return call("edit", { path: "b.txt", old: "old", new: "new" });
  return (BY_WORDS as (request: typeof asked) => ReturnType<typeof say>)(asked);
};

/** What is typed, and what is seen then, words being as far apart as they like. `@`: the answer to what was typed. */
type Step = readonly [keys: readonly string[], seen: RegExp, after?: (s: Stage) => unknown];

const enter = (text: string) => [text, "Enter"];

/** Keys and what they do where nothing is under way. */
const KEYS: readonly Step[] = [
  [["?"], /enter sends; shift-enter.* ctrl-z suspends.*!command runs one in the sandbox/],
  [
    ["one", "C-j", "two", "M-Enter", "three", "\\", "Enter", "four", "Enter"],
    /one\|two\|three\|four\./,
  ],
  [["Up"], /four ─/],
  [["C-c"], /── ──/],
  [["half"], /half ─/],
  [["Escape"], /── ──/],
  // What was cleared is there again.
  [["Up"], /half ─/],
  [["C-c"], /── ──/],
  [["C-c"], /── ctrl-c again to quit/],
  [["BTab"], /· plan · read-only/],
  // So it is after a restart.
  [["Up"], /half ─/],
  [["C-c"], /── ──/],
  [["BTab"], /· ask · workspace/],
  [["BTab"], /· auto · workspace/],
  [["C-r"], /Earlier: .*→ half one two three four/],
  [["three", "Enter"], /one two three four ─/],
  [["C-c", "draft", "C-g"], /draft, edited ─/],
  [["C-c", "C-v"], /no image: there is no clipboard here/],
  [["C-l"], /there is no clipboard here .*── ──/],
  // Shift-Enter, as the Kitty protocol and as xterm have it.
  [["five", "\x1b[13;2u", "six", "\x1b[27;2;13~", "seven", "Enter"], /five\|six\|seven\./],
  [[`\x1b[200~${PASTED}\x1b[201~`], /\[paste #1 \+12 lines\] ─/],
  [["Enter"], /You said: pasted 1\|.*\|pasted 12\./],
  [["see @b"], /→ b\.txt/],
  [["Tab", "Enter"], /You said: see @b\.txt\./],
  [["/he"], /→ \/help/],
  [
    ["C-c", ...enter("Write it")],
    /write → a\.txt .*1 \+ one 2 \+ two .*one point.*two .*tool call/,
  ],
  [["C-o"], /nothing more to show/],
  [enter("Think"), /thought for 0 s \(ctrl-o\) Thought\./],
  [["C-o"], /thinking deep thoughts/],
  [enter("!echo mine; touch /etc/x"), /mine .*(?:Read-only|denied).* exit code 1/],
  [enter("Ask"), /\? Which\? 1 red 2 blue .*a number/],
  [["2"], /Which\? blue/, (s) => told(s, /The user says: blue/)],
  [enter("Ask again"), /\? Which\?/],
  [enter("Both"), /Which\? Both/, (s) => told(s, /The user says: Both/)],
  [enter("Ask"), /\? Which\?/],
  [["Escape"], /Which\? \(no answer\)/],
  [["Escape", "Escape"], /Go back to before: .*→ Ask/],
  [["C-c"], /── ──/],
];

/** Every command; those that end the conversation come last. */
const COMMANDS: readonly Step[] = [
  [enter("/help"), /\/quit leave.*!COMMAND run a command/],
  [enter("/nope"), /no command \/nope; \/help lists them/],
  [enter("/diff"), /nothing has been changed yet/],
  [enter("/copy"), /there is no answer yet/],
  [enter("Write it"), /write → a\.txt .*tool call/],
  [enter("/effort"), /effort: the server's own/],
  [enter("/effort low"), /effort low from the next task on/],
  [enter("/mode"), /mode: auto/],
  [enter("/mode ask"), /mode ask .* · ask ·/],
  [enter("/mode auto"), /mode auto .* · auto ·/],
  [enter("/verify true"), /must pass at the end: true .*· verify ·/],
  [enter("And?"), /Verify true: ✓/],
  [enter("/verify"), /no verification/],
  [enter("/permissions"), /write \/\S+ .*network only servers .*you are asked before dangerous/],
  [enter("/diff"), /a\.txt .*\+one \+two/],
  [
    enter("/context"),
    /of 131\.1k tokens \(<?\d%\): rules ~[\d.]+k?, .*results ~[\d.]+k?, and the tools/,
  ],
  [enter("/cost"), /tokens, no price known/],
  [enter("/tools"), /read, edit, write, bash/],
  [enter("/mcp"), /No MCP servers/],
  [enter("/memory"), /no facts|nothing|remembered/i],
  [enter("/theme none"), /theme none; \[chat\] theme/],
  [enter("/rename My name"), /this session is now: My name/],
  [
    enter("/export out.md"),
    // A long path is broken anywhere.
    /written to /,
    (s) => assert.match(s.ws.read("out.md"), /And\?/),
  ],
  [enter("/compact"), /compact/],
  [enter("/undo"), /a\.txt: removed/, (s) => assert.ok(!s.ws.exists("a.txt"))],
  [enter("/rewind"), /Go back to before: .*→ And\?/],
  [["Enter"], /→ only the conversation/],
  [["Enter"], /back to before: And\? .*── And\? ──/],
  [["C-c", ...enter("Otherwise")], /You said: Otherwise/],
  [enter("/sessions"), /Continue which session\? .*My name/],
  [["My", "Enter"], /Write it .*Session \w+ continues\./],
  [enter("/resume 0000"), /no other session of this workspace|no other session here has 0000/],
  [enter("/new"), /type a task/],
  [enter("/quit"), /EXIT 0/],
];

/** Every answer to a question for leave. */
const ANSWERS: readonly Step[] = [
  [
    enter("Push"),
    /\? bash → git push --force .*y yes · n no · w no, with words (?:· )?a always in this task (?:· )?e change it/,
  ],
  [["n"], /the user said no/],
  [enter("Push"), /y yes/],
  [["w"], /say what to do instead, then enter; esc goes back/],
  [["Escape"], /y yes/],
  [["w"], /say what to do instead/],
  [enter("stay here"), /said no: stay here/, (s) => told(s, /said no: stay here/)],
  [enter("Push"), /y yes/],
  [["e"], /change the command, then enter runs it/],
  [
    ["C-u", ...enter("touch other")],
    /run instead: touch other .* two/,
    (s) => assert.ok(s.ws.exists("other")),
  ],
  [enter("Push"), /y yes/],
  [["y"], /bash: yes .*exit code 128/],
  [enter("Edit it"), /\? edit → b\.txt .*- old .*\+ new .*A all edits/],
  [["y"], /edit: yes .*1 - old 1 \+ new/, (s) => assert.equal(s.ws.read("b.txt"), "new\n")],
  [enter("Write it"), /\? write → a\.txt .*\+ one \+ two .*A all edits/],
  [["A"], /write: all edits/, (s) => assert.ok(s.ws.exists("a.txt"))],
  [enter("Push"), /y yes/],
  [["a"], /bash: always/],
  [enter("Push"), /y yes|exit code 128/],
  [["Escape"], /── ──/],
];

/** The screen shows an answer before the model is sent it. */
async function told(s: Stage, what: RegExp): Promise<void> {
  for (const end = performance.now() + HANG_MS;;) {
    const messages = s.server.requests.flatMap(({ body }) => body.messages);
    const text = messages.map(({ content }) => content).join("\n");
    if (what.test(text)) return;
    assert.ok(performance.now() < end, `${what} is not in:\n${text}`);
    await new Promise((resolve) => setTimeout(resolve, 30));
  }
}

/** Takes the steps. What was seen before does not count: it has scrolled away. */
async function takes(screen: Screen, steps: readonly Step[], s: Stage): Promise<void> {
  await screen.shows(IDLE);
  const flat = async () =>
    (await screen.tmux("capture-pane", "-p", "-S", "-500")).replace(/─+/g, "──").replace(
      /\s+/g,
      " ",
    );
  for (const [keys, seen, after] of steps) {
    await screen.tmux("clear-history");
    const before = await flat();
    // Pressed by a person: what is open is seen before the next key comes.
    for (const key of keys) {
      await screen.keys(key);
      if (key === "Escape") await new Promise((resolve) => setTimeout(resolve, 50));
    }
    for (const end = performance.now() + HANG_MS;;) {
      const text = fresh(await flat(), before);
      const idle = !text.includes("esc to interrupt");
      if (idle && seen.test(text)) break;
      assert.ok(performance.now() < end, `after ${keys}: ${seen} is not in:\n${text}`);
      await new Promise((resolve) => setTimeout(resolve, 30));
    }
    await after?.(s);
  }
}

/** What has come, and a little of what stands before it: the log only grows, and below it are input and status. */
function fresh(text: string, before: string): string {
  let same = 0;
  while (same < text.length && text[same] === before[same]) same++;
  return text.slice(Math.max(0, same - "──".length - 1));
}

for (const [width, height] of SIZES) {
  const at = (name: string, body: (s: Stage) => Promise<void>) =>
    Deno.test({
      name: `chat at ${width}x${height}: ${name}`,
      ignore: !HAS_TMUX || !thorough,
      fn: () =>
        stage({ script: SCRIPTED, violations: true, files: { "b.txt": "old\n" } }, async (s) => {
          await body(s);
        }),
    });
  const size = { width, height };
  at("every key", (s) => on_terminal(s, size, (screen) => takes(screen, KEYS, s)));
  at("every command", (s) => on_terminal(s, size, (screen) => takes(screen, COMMANDS, s)));
  at("every answer", (s) =>
    on_terminal(
      s,
      { ...size, args: ["chat", "--confirm", "all"] },
      (screen) => takes(screen, ANSWERS, s),
    ));
  at(
    "steered, queued, interrupted, and quit by two presses",
    (s) =>
      on_terminal(s, size, async (screen) => {
        await screen.shows(IDLE);
        await screen.keys(...enter("Wait"));
        await screen.shows(/running touch began/);
        await until("it runs", () => s.ws.exists("began"), HANG_MS);
        await screen.keys(...enter("at once"), "later", "Tab");
        await screen.shows(/⇢ at once[^]*⧗ later/);
        await screen.keys("Up");
        await screen.shows(/\nlater *\n/);
        await screen.keys("C-c");
        await screen.keys("Escape");
        await screen.has_shown(/› at once[^]*You said: at once\./);
        assert.doesNotMatch(await screen.shows(/^(?:(?!esc to interrupt)[^])*$/), /⧗/);
        await screen.keys("C-c");
        await screen.shows("ctrl-c again to quit");
        await screen.keys("C-c");
        await screen.shows("EXIT 0");
      }),
  );
  at(
    "resized and typed into while 10,000 lines stream; what was there before stays",
    (s) =>
      on_terminal(s, { ...size, jobs: true }, async (screen) => {
        await screen.shows(IDLE);
        for (const [x, y] of [...SIZES, ...SIZES]) {
          await screen.tmux("resize-window", "-x", `${x}`, "-y", `${y}`);
          await screen.shows(new RegExp(`^─{${x}}\\n *\\n─{${x}}\\n.*·`, "m"));
        }
        // The line that was typed into the shell.
        assert.match(await screen.tmux("capture-pane", "-p", "-S", "-"), /[$#] [^]*type a task/);
        await screen.keys(...enter("Stream"));
        await screen.shows(/- line \d+\n/);
        for (const [nth, [x, y]] of SIZES.entries()) {
          await screen.keys(`word${nth}.`);
          await screen.tmux("resize-window", "-x", `${x}`, "-y", `${y}`);
        }
        const [x] = SIZES.at(-1)!;
        const end = await screen.shows(
          new RegExp(
            `- line ${LINES}\\n(?:[^]*\\n)?─{${x}}\\nword0\\.word1\\.word2\\. *\\n─{${x}}\\n.*·`,
          ),
        );
        assert.equal(end.match(/^─+$/gm)?.length, 2, end);
        await screen.keys("Enter");
        await screen.has_shown("You said: word0.word1.word2..");
      }),
  );
}

chat(
  "what stood there while the screen was loaded is gone, also from what can be scrolled back to",
  {
    script: BY_WORDS,
  },
  async (screen) => {
    await screen.shows(IDLE);
    const all = await screen.tmux("capture-pane", "-p", "-S", "-500");
    assert.equal(all.match(/type a task/g)?.length, 1, all);
  },
);
