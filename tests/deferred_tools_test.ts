import assert from "node:assert/strict";
import { raw_value } from "./support/history.ts";
import { ANSWER, call, type Recorded, say } from "./support/model_server.ts";
import { open_stage, stage, type StageOptions } from "./support/stage.ts";
import { EVERY_TOOL } from "../src/tools/declared/every_tool.ts";

const NEEDED = ["read", "edit", "write", "bash", "search_memory", "save_memory"];
const CORE = [...NEEDED, "view_image"];

/** Whoever adds a tool has nothing to change here. */
const DEFERRABLE = EVERY_TOOL.filter((tool) =>
  tool.offered === "in_large_windows" && tool.needs !== "person" && tool.needs !== "net"
).map(({ name }) => name);
const NOT_TODO = DEFERRABLE.filter((name) => name !== "todo");
const EVERY = EVERY_TOOL.map(({ name }) => name)
  .filter((name) => [...CORE, ...DEFERRABLE, "tool_search"].includes(name));

const names = ({ body }: Recorded) => (body.tools ?? []).map((tool) => tool.function.name);

async function first_offer(options: StageOptions, ...flags: string[]): Promise<string[]> {
  return await open_stage(options, async (s) => {
    assert.equal((await s.run("What is it?", ...flags)).code, 0);
    return names(s.server.requests[0]!);
  });
}

Deno.test("which tools the first request offers goes by the window and the setting", async () => {
  const deferred = (word: string) => ({ HAMR_TOOLS_DEFERRED: word });
  const all = [...CORE, ...DEFERRABLE];
  const none = [...CORE, "tool_search"];
  const cases: readonly (readonly [StageOptions, string[], string[]])[] = [
    [{}, [], none],
    [{}, ["--context-window", "8192"], none],
    [{}, ["--context-window", "32767"], none],
    [{}, ["--context-window", "32768"], all],
    [{}, ["--context-window", "131072"], all],
    [{}, ["--context-window", "131072", "--mode", "auto"], all],
    [{ env: deferred("all") }, ["--context-window", "131072"], [...NEEDED, "tool_search"]],
    [{ env: deferred("view_image") }, ["--context-window", "131072"], [
      ...NEEDED,
      ...[...DEFERRABLE, "tool_search"],
    ]],
    [{ env: deferred("none") }, ["--context-window", "8192"], all],
    [{ env: deferred("todo") }, ["--context-window", "8192"], [
      ...CORE,
      ...[...NOT_TODO, "tool_search"],
    ]],
  ];
  for (const [options, flags, expected] of cases) {
    const found = await first_offer(options, ...flags);
    assert.deepEqual(found, expected, `${JSON.stringify(options)} ${flags.join(" ")}`);
  }
});

Deno.test("what is offered does not change when the window becomes known after the first request", async () => {
  const script = [call("read", { path: "." }), say(ANSWER)];
  await open_stage({ script, llama_ctx: 131_072 }, async (s) => {
    const { code, events } = await s.events("What is it?");
    assert.equal(code, 0);
    assert.equal(events[0]?.["context_window"], 131_072);
    for (const request of s.server.requests) {
      assert.deepEqual(names(request), [...CORE, "tool_search"]);
    }
  });
});

Deno.test("a server that has to be asked first says how large its window is", async () => {
  const model = { HAMR_MODEL: "" };
  const small = await first_offer({ llama_ctx: 8192, env: model });
  const large = await first_offer({ llama_ctx: 131_072, env: model });
  assert.deepEqual([small.includes("todo"), large.includes("todo")], [false, true]);
});

Deno.test("tools that are looked for are at the end of the next request's list", async () => {
  const script = [
    call("tool_search", { query: "fetch a web page" }),
    call("tool_search", { query: "a todo list" }),
    call("tool_search", { query: "*" }),
    call("tool_search", { query: "" }),
    say(ANSWER),
  ];
  await open_stage({ script }, async (s) => {
    const { code, events } = await s.events("What is it?");
    assert.equal(code, 0);
    const base = [...CORE, "tool_search"];
    const all = [...base, "todo", ...NOT_TODO];
    assert.deepEqual(s.server.requests.map(names), [
      ...[base, base, [...base, "todo"]],
      ...[all, all],
    ]);
    const summaries = events.filter(({ type }) => type === "tool_result")
      .map(({ summary }) => summary);
    assert.deepEqual(summaries, [
      ...["nothing found", "todo", NOT_TODO.join(", "), "nothing found"],
    ]);
    const [nothing, todo, more, over] = s.server.results();
    const each = DEFERRABLE.map((name) => `\n- ${name}: .*`).join("");
    assert.match(nothing!, new RegExp(`^No match\\..*${each}$`));
    assert.match(todo!, /^From now on you can call:\n- todo: [^\n]*$/);
    assert.match(more!, new RegExp(`call:${NOT_TODO.map((name) => `\n- ${name}: .*`).join("")}$`));
    assert.equal(over, "You already have every tool.");
  });
});

Deno.test("a deferred tool that is called unasked works, and is offered from then on", async () => {
  const items = [{ text: "Look", status: "pending" }];
  const script = [call("todo", { items: 3 }), call("todo", { items }), say(ANSWER)];
  await open_stage({ script }, async (s) => {
    const { code, events } = await s.events("What is it?");
    assert.equal(code, 0);
    assert.equal(events.filter(({ type }) => type === "todo").length, 1);
    const base = [...CORE, "tool_search"];
    assert.deepEqual(s.server.requests.map(names), [base, [...base, "todo"], [...base, "todo"]]);
  });
});

Deno.test("a tool that there is not is answered with all that there are", async () => {
  await open_stage({ script: [call("teleport", {}), say(ANSWER)] }, async (s) => {
    await s.run("What is it?");
    assert.ok(s.server.results()[0]!.endsWith(`the tools are: ${EVERY.join(", ")}`));
  });
});

Deno.test("system prompt and every schema are at most 5,200 bytes of JSON, and far less where they are deferred", async () => {
  // The first: what it takes today, as the first request does not grow.
  const cases = [["8192", 3_250], ["131072", 5_200]] as const;
  for (const [window, most] of cases) {
    await open_stage({ files: { "README.md": "# x\n" } }, async (s) => {
      await s.run("What is it?", "--context-window", window);
      const { raw, body } = s.server.requests[0]!;
      const text = JSON.stringify(body.messages[0]) + raw_value(raw, "tools")!;
      const size = new TextEncoder().encode(text).length;
      const advice = "each request of each run carries them: fewer words, or another `offered`";
      assert.ok(size <= most, `${size} bytes with a window of ${window}; ${advice}`);
    });
  }
});

Deno.test("a setting that defers what no work can be done without is refused", async () => {
  for (const name of ["read", "edit", "write", "bash", "tool_search"]) {
    const env = { HAMR_TOOLS_DEFERRED: `todo,${name}` };
    await stage({ script: [], env }, async (s) => {
      const { code, result } = await s.run("What is it?");
      assert.equal(code, 3);
      const told = result.error?.message ?? "";
      assert.match(told, /HAMR_TOOLS_DEFERRED.*never read, edit, write, bash or tool_search/);
      assert.ok(told.includes(`not "${name}"`), told);
    });
  }
});

Deno.test("a setting that defers what there is not says so, and where it comes from is shown", async () => {
  await open_stage({}, async (s) => {
    const names = '["todo", "grep", "skill", "tracker__issue"]';
    s.home.write(".config/hamr/config.toml", `[tools]\ndeferred = ${names}\n`);
    const { code, result } = await s.run("What is it?");
    assert.equal(code, 0);
    // The last two always are, and are none while there is no skill and no such server.
    const told = result.warnings.filter((warning) => warning.includes("tools.deferred"));
    assert.equal(told.length, 1);
    assert.match(told[0]!, /tools\.deferred: grep is not a tool that can be deferred/);
    const shown = await s.hamr(["config", "show"]);
    assert.ok(shown.stdout.includes(`deferred = ${names}`));
    assert.match(shown.stdout, /deferred = .*config\.toml:2/);
    assert.match(shown.stdout, /delegate_max_steps = 50 +# default/);
  });
});
