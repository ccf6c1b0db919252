/** How a conversation goes on where something was in its way, on a real terminal: tmux. */
import assert from "node:assert/strict";
import { bash, say, type Script } from "./support/model_server.ts";
import { until } from "./support/hamr.ts";
import { stage } from "./support/stage.ts";
import { CONFIG, section } from "./support/mcp.ts";
import { BY_WORDS, chat, HANG_MS, HAS_TMUX, IDLE, on_terminal } from "./support/tmux.ts";

/** Writes into the folder that it is told; says that it could not, where it could not. */
const OUTSIDE: Script = (request) => {
  const last = request.body.messages.at(-1);
  const text = String(last?.content);
  const folder = /into ([\w/.-]+)/.exec(JSON.stringify(request.body.messages))?.[1] ?? "";
  if (last?.role === "tool") {
    return say(/denied|Read-only/.test(text) ? "NOT DONE: I may not write there." : "It is there.");
  }
  if (/into |You may do that now/.test(text)) return bash(`touch ${folder}/made`);
  return (BY_WORDS as (asked: typeof request) => ReturnType<typeof say>)(request);
};

chat("what the sandbox refuses is offered, and allowed it is done in the same session", {
  script: OUTSIDE,
}, async (screen, s) => {
  await screen.shows(IDLE);
  const offered = /The sandbox refused writing[^]*→ leave it as it is[^]*allow it from now on/;
  await screen.keys(`Write into ${s.outside.path}`, "Enter");
  await screen.shows(offered);
  await screen.keys("Enter");
  await screen.shows(/NOT DONE(?:(?!leave it as it is)[^])*─\n *\n─/);
  await screen.keys(`Now write into ${s.outside.path}`, "Enter");
  await screen.shows(offered);
  assert.ok(!s.outside.exists("made"));
  await screen.keys("Down");
  await screen.shows(/→ allow it/);
  await screen.keys("Enter");
  await screen.has_shown("It is there.");
  assert.ok(s.outside.exists("made"));
  assert.match(
    JSON.stringify(s.server.requests.at(-1)!.body.messages),
    /Write into.*NOT DONE.*You may do that now: I have allowed writing/s,
  );
});

/** The list of what becomes of a plan is gone: the empty line of the input is also there below it. */
const NOT_ASKED = /^(?![^]*enter selects)[^]*─\n *\n─+\n.*· plan · read-only/;

chat("a plan is dropped, or changed with words", { script: BY_WORDS }, async (screen, s) => {
  await screen.shows(IDLE);
  await screen.keys("/mode plan", "Enter");
  await screen.shows(/· plan · read-only/);
  await screen.keys("One", "Enter");
  await screen.shows(/The plan:[^]*→ carry it out[^]*drop it/);
  await screen.keys("Down", "Down", "Enter");
  await screen.shows(NOT_ASKED);
  await screen.keys("Two", "Enter");
  await screen.shows(/› Two[^]*The plan:[^]*→ carry it out/);
  await screen.keys("Down", "Enter");
  await screen.shows(NOT_ASKED);
  await screen.keys("rather three", "Enter");
  await screen.has_shown(/You said: rather three\.[^]*The plan:/);
  assert.match(JSON.stringify(s.server.requests.at(-1)!.body.messages), /Two.*rather three/s);
});

chat("after SIGKILL in the middle of a task nothing that was said is lost", {
  script: BY_WORDS,
}, async (screen, s) => {
  await screen.shows(IDLE);
  await screen.keys("Hello", "Enter");
  await screen.has_shown("You said: Hello.");
  await screen.keys("Wait", "Enter");
  await until("the command runs", () => s.ws.exists("began"), HANG_MS);
  Deno.kill(screen.pid(), "SIGKILL");
  await screen.shows("EXIT 137");
  await screen.tmux("kill-server");
  const size = { width: 80, height: 24, args: ["chat", "--continue"] };
  await on_terminal(s, size, async (again) => {
    await again.has_shown(/› Hello\n[^]*› Wait\n[^]*no result[^]*continues\./);
    await again.keys("And now?", "Enter");
    await again.has_shown("You said: And now?");
    const told = JSON.stringify(s.server.requests.at(-1)!.body.messages);
    assert.match(told, /Hello.*Wait.*was cut off during this call.*And now\?/s);
  });
});

chat("what was seen of a first answer, which was interrupted, is there after a restart", {
  script: (_, n) =>
    n === 0 ? { text: "It is long. ".repeat(40), fragment: 20, stall_after: 2000 } : say("Yes."),
}, async (screen, s) => {
  await screen.shows(IDLE);
  await screen.keys("Tell", "Enter");
  await screen.shows("It is long.");
  await screen.keys("Escape");
  await screen.shows("interrupted");
  await screen.keys("/mode plan", "Enter", "Shorter", "Enter");
  await screen.shows("carry it out");
  const told = s.server.requests.at(-1)!.body.messages.slice(1).map(({ content }) => content);
  assert.match(told.join("\n"), /^Tell\nIt is long\.[^]*\n\n\(interrupted\)\nShorter/);
});

chat("a workspace that is gone starts nothing, and one made anew in its place is worked in", {
  script: ({ body: { messages } }) =>
    messages.at(-1)?.role === "tool"
      ? say(String(messages.at(-1)?.content))
      : bash("echo made > it; cat it"),
}, async (screen, s) => {
  await screen.shows(IDLE);
  await screen.keys("One", "Enter");
  await screen.shows(/made[^]*1 file[^]*─\n *\n─/);
  await Deno.remove(s.ws.path, { recursive: true });
  await screen.keys("/permissions --deny-net", "Enter", "Two", "Enter");
  await screen.shows(/(existing\s+folder[^]*){2}/);
  await Deno.mkdir(s.ws.path);
  await screen.keys("Three", "Enter");
  await screen.shows(/› Three[^]*changed 1 file/);
  assert.ok(s.ws.exists("it"));
  await Deno.remove(s.ws.path, { recursive: true });
  await Deno.symlink(s.outside.path, s.ws.path);
  await screen.keys("/new", "Enter");
  await screen.shows(/is a link to another\s+folder now/);
});

chat("one line is empty where a command or a plan restarts hamr", {
  script: BY_WORDS,
  height: 40,
}, async (screen) => {
  await screen.shows(IDLE);
  await screen.keys("One", "Enter");
  await screen.shows("You said: One.");
  await screen.keys("/memory", "Enter");
  await screen.shows(/You said: One\.\n\nno facts are kept for this workspace\n/);
  await screen.keys("/export talk.md", "Enter");
  await screen.shows(/no facts.*\n\nwritten to .*talk\.md\n/);
  await screen.keys("/mode plan", "Enter");
  await screen.shows(/talk\.md\n\nmode plan\n/);
  await screen.keys("Two", "Enter");
  await screen.shows(/mode plan\n\n› Two\n\nYou said: Two/);
  await screen.shows("carry it out");
  await screen.keys("Escape");
  await screen.shows(NOT_ASKED);
  await screen.keys("C-d");
  await screen.shows(/<.hamr>\.\n\nTo continue: hamr chat/);
});

chat(
  "what a task leaves running stands in the status until it ends, and is named where a restart ends it",
  {
    script: ({ body: { messages } }) => {
      const last = messages.at(-1);
      const [, seconds] = /^Sleep (\d+)/.exec(String(last?.content)) ?? [];
      return seconds === undefined ? say("It runs.") : bash(`sleep ${seconds} > /dev/null 2>&1 &`);
    },
  },
  async (screen, s) => {
    await screen.shows(IDLE);
    await screen.keys("Sleep 4", "Enter");
    await screen.shows(/It runs\.[^]*· runs sleep 4 ·/);
    await screen.shows(/· workspace · 0:0\d/);
    await screen.keys("Sleep 987", "Enter");
    await screen.shows(/· runs sleep 987 ·/);
    await screen.keys("/ps", "Enter");
    await screen.shows(/\nsleep 987\n!pkill -f WORDS ends/);
    for (const shown of ["/memory", "/mcp"]) await screen.keys(shown, "Enter");
    await screen.shows(/no facts[^]*No MCP servers[^]*· runs sleep 987 ·/);
    await screen.keys("/export talk.md", "Enter");
    await screen.shows(/written to .*talk\.md\n[^]*· runs sleep 987 ·/);
    assert.match(s.ws.read("talk.md"), /> Sleep 987\n[^]*── Finished: /);
    await screen.keys("/export ~/talk.md", "Enter");
    await screen.shows(/ended: sleep 987\n\nwritten to .*\/home\/talk\.md\n/);
  },
);

chat("the files that the model is given are named at the start, and by doctor", {
  script: BY_WORDS,
}, async (screen, s) => {
  await screen.shows(/type a task(?:(?!is given)[^])*─\n *\n─/);
  s.ws.write("AGENTS.md", "Use tabs.\n");
  await screen.keys("/new", "Enter");
  await screen.shows(/type a task.*\nThe model is given AGENTS\.md\.\n─/);
  const { stdout } = await s.hamr(["doctor"]);
  assert.match(stdout, /^✓ instructions: the model is given AGENTS\.md$/m);
});

Deno.test({
  name: "chat: a session of another folder goes on there, whatever takes a restart",
  ignore: !HAS_TMUX,
  fn: () =>
    stage({ script: BY_WORDS, violations: true }, async (s) => {
      const id = crypto.randomUUID();
      const there = ["-C", s.outside.path];
      await s.hamr(["run", "Hello", "--session-id", id, ...there]);
      await s.hamr(["memory", "add", "It is outside.", ...there]);
      const args = ["chat", "--resume", id];
      await on_terminal(s, { width: 120, height: 24, args }, async (screen) => {
        await screen.shows(`Session ${id.slice(0, 8)} continues in ${s.outside.path}.`);
        await screen.keys("/memory", "Enter");
        await screen.shows("It is outside.");
        await screen.keys("/new", "Enter");
        await screen.shows(/type a task/);
        await screen.keys("Write it", "Enter");
        await screen.shows("two");
        await screen.shows(IDLE);
      });
      assert.ok(s.outside.exists("a.txt") && !s.ws.exists("a.txt"));
    }),
});

Deno.test({
  name:
    "chat: folders that were named by relative paths are those, before the first task and after a restart",
  ignore: !HAS_TMUX,
  fn: () =>
    stage({ script: BY_WORDS }, async (s) => {
      const args = ["chat", "-C", "../outside", "--add-dir", "."];
      await on_terminal(s, { width: 160, height: 40, args }, async (screen) => {
        await screen.shows(IDLE);
        await screen.keys(`!pwd; touch ${s.ws.at("made")}`, "Enter");
        await screen.shows(/outside\n +exit code 0/);
        assert.ok(s.ws.exists("made"));
        await screen.keys("Hello", "Enter");
        await screen.has_shown("You said: Hello");
        await screen.shows(IDLE);
        await screen.keys("/export talk.md", "Enter");
        await screen.shows(/written to [^]*workspace \+1/);
        assert.doesNotMatch(await screen.has_shown("written to"), /continues with/);
        // Of the workspace, and not of the folder of the shell.
        s.outside.write("sub/x", "");
        await screen.keys("/permissions --allow-write=sub", "Enter");
        await screen.shows(`from now on: --allow-write=${s.outside.at("sub")}`);
      });
    }),
});

chat("/mcp names the servers, and what they offer once they run", {
  script: BY_WORDS,
  width: 200,
}, async (screen, s) => {
  await screen.shows(IDLE);
  s.home.write(CONFIG, section("desk"));
  await screen.keys("/new", "Enter");
  await screen.shows(/type a task[^]*type a task/);
  await screen.keys("/mcp", "Enter");
  await screen.shows(/\ndesk {2}[^]*they start with the next task\n/);
  await screen.keys("Hello", "Enter");
  await screen.shows("You said: Hello");
  await screen.shows(IDLE);
  await screen.keys("/mcp", "Enter");
  await screen.shows(/Hello\.\n\ndesk {2}[^]*:\s+\d+\s+tools,\s+in\s+the\s+sandbox\n/);
});

Deno.test({
  name: "chat: while a server loads its model that is said, and a task waits for it",
  ignore: !HAS_TMUX,
  fn: () => {
    let loading = true;
    const env = { HAMR_MODEL: "" };
    const options = { script: BY_WORDS, llama_ctx: 16_384, loading: () => loading, env };
    return stage(options, (s) =>
      on_terminal(s, { width: 100, height: 24 }, async (screen) => {
        await screen.shows(/^http:\/\/127\.0\.0\.1:\d+ is loading its model$/m);
        await screen.keys("Hello", "Enter");
        await screen.shows(
          /› Hello\n\nwaiting for http:\/\/127\.0\.0\.1:\d+: it is loading its model\n/,
        );
        loading = false;
        await screen.shows("You said: Hello");
      }));
  },
});

chat("what takes a restart is refused where the conversation is not saved, and it goes on", {
  script: BY_WORDS,
  args: ["chat", "--no-save"],
}, async (screen) => {
  await screen.shows(IDLE);
  await screen.keys("Write it", "Enter");
  await screen.shows(/Done[^]*\n─+\n *\n─+\n/);
  for (
    const [nth, keys] of [["/undo", "Enter"], ["C-g"], ["/mode plan", "Enter", "Go", "Enter"]]
      .entries()
  ) {
    await screen.keys(...keys);
    await screen.shows(new RegExp(`(?:this conversation is not saved[^]*){${nth + 1}}`));
  }
  await screen.keys("/mode auto", "Enter", "Hello", "Enter");
  await screen.shows("You said: Hello.");
  await screen.keys("/exit", "Enter");
  const shown = await screen.shows("EXIT 0");
  assert.doesNotMatch(shown, /To continue/);
});
