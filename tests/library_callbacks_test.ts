/** A program whose callbacks throw or never return, and lists with commas in their items. */
import assert from "node:assert/strict";
import type { AgentCallbacks } from "../mod.ts";
import { agent_on } from "./support/agent.ts";
import { bash, call, type Recorded, say } from "./support/model_server.ts";
import { stage } from "./support/stage.ts";

const WRITES = ({ body: { messages } }: Recorded) => {
  const last = messages.at(-1);
  if (last?.role === "tool") return say("I wrote a.txt.");
  return String(last?.content).startsWith("Write")
    ? call("write", { path: "a.txt", content: "one\n" })
    : say("Hello.");
};

const NAMES = ["step", "streamDelta", "toolProgress", "status", "thinking", "toolGen"] as const;

Deno.test("library: a callback that throws, at whatever moment, ends the run as it is, once", async () => {
  for (const name of NAMES) {
    for (const kept of [0, 1, 3]) {
      const has_thrown = await stage({ script: WRITES, one_conversation: false }, async (s) => {
        let calls = 0;
        const throws = () => {
          if (calls++ >= kept) throw new Error("mine");
        };
        await using agent = await agent_on(s, {
          callbacks: { [name]: throws } as AgentCallbacks,
        });
        const run = agent.run("Write a.txt");
        const types: string[] = [];
        for await (const { type } of run) types.push(type);
        const result = await run.result;
        const where = `${name} after ${kept}: ${types.join(" ")}`;
        const has_thrown = calls > kept;
        assert.deepEqual(
          [result.stop_reason, result.exit_code, result.error?.message],
          has_thrown
            ? ["internal_error", 1, "a callback has thrown: mine"]
            : ["llm_done", 0, undefined],
          where,
        );
        // No more are called, and what the task did before is told.
        assert.ok(calls <= kept + 1, where);
        assert.equal(result.files_changed.length, s.ws.exists("a.txt") ? 1 : 0, where);
        for (const once of ["session_start", "result"]) {
          const times = types.filter((type) => type === once).length;
          assert.ok(times === 1 || (times === 0 && once === "session_start"), where);
        }
        assert.equal(types.at(-1), "result", where);
        // The agent goes on.
        calls = -1000;
        if (kept === 0) assert.equal(await agent.chat("Hello?"), "Hello.", where);
        return has_thrown;
      });
      // It is called no more often: a later throw is none.
      if (!has_thrown) break;
    }
  }
});

Deno.test("library: a callback that throws where a run can't begin does not take its result away", async () => {
  await stage({ script: [] }, async (s) => {
    await using agent = await agent_on(s, {
      workspace: s.ws.at("missing"),
      callbacks: {
        status: (state) => {
          if (state === "config_error") throw new Error("mine");
        },
      },
    });
    const run = agent.run("Write a.txt");
    const types: string[] = [];
    for await (const { type } of run) types.push(type);
    const { stop_reason, error } = await run.result;
    assert.equal(stop_reason, "config_error");
    assert.match(error?.message ?? "", /no such file or folder/);
    assert.equal(types.filter((type) => type === "result").length, 1);
  });
});

for (const how of ["abort", "close", "timeout", "interrupt"] as const) {
  Deno.test(`library: an approval that never comes does not keep a run from its end: ${how}`, async () => {
    await stage({ script: [bash("touch made"), say("NOT DONE: no.")] }, async (s) => {
      const { promise: asked, resolve } = Promise.withResolvers<void>();
      await using agent = await agent_on(s, {
        confirm: "all",
        approval: () => {
          resolve();
          return new Promise(() => {});
        },
        ...(how === "timeout" ? { timeout: 0.5 } : {}),
      });
      const stop = new AbortController();
      const { result } = agent.run("Make it", { signal: stop.signal });
      await Promise.race([asked, result]);
      if (how === "abort") stop.abort();
      if (how === "interrupt") agent.interrupt();
      if (how === "close") await agent.close();
      const { stop_reason, exit_code } = await result;
      const expected = how === "timeout" ? ["timeout", 5] : ["user_interrupt", 130];
      assert.deepEqual([stop_reason, exit_code], expected);
      assert.equal(s.ws.exists("made"), false);
    });
  });
}

Deno.test("library: a path with a comma is one path; a list with another item is refused; a task is a string", async () => {
  await stage({ script: [bash("echo x > 'made'; cat made"), say("Made.")] }, async (s) => {
    const [odd, first, second] = ["a,b", "a", "b"].map((name) => s.outside.at(name));
    for (const folder of [odd, first, second]) Deno.mkdirSync(folder!);
    const write = [`${first},${second}`];
    await using agent = await agent_on(s, { allowWrite: write });
    // Neither of the two is meant.
    const { error } = await agent.run("Make it").result;
    assert.match(error?.message ?? "", /a,.*b: there is no such file or folder/);
    await using other = await agent_on(s, { allowWrite: [odd!] });
    const { exit_code } = await other.run("Make it").result;
    assert.equal(exit_code, 0);
    await assert.rejects(
      agent_on(s, { allowRun: [7] as unknown as string[] }),
      /permissions\.run must be/,
    );
    assert.throws(() => agent.run(undefined as unknown as string), /a task must be a string/);
    await using guarded = await agent_on(s, { settings: { "guards.escalation_steps": [1, 2, 3] } });
    assert.equal(guarded.state, "idle");
  });
});

Deno.test("library: what is no answer runs nothing, and the task says whose it was", async () => {
  const asks = [
    bash("git push --force; touch pushed"),
    call("clarify", { question: "Which?" }),
  ];
  // Of programs that nobody checks: an object without words allowed the command. More of them beside `setup_of`.
  const options: [Record<string, unknown>, RegExp][] = [
    ...[{}, true, { no: 5 }].map((
      answer,
    ): [Record<string, unknown>, RegExp] => [
      { approval: () => answer },
      /^approval returned something that is not an answer: /,
    ]),
    ...[{}].map((answer): [Record<string, unknown>, RegExp] => [
      { clarify: () => Promise.resolve(answer), settings: { "agent.confirm": "never" } },
      /^clarify returned something that is not an answer: /,
    ]),
  ];
  for (const [option, said] of options) {
    const script = ["approval" in option ? asks[0]! : asks[1]!];
    await stage({ script }, async (s) => {
      await using agent = await agent_on(s, option);
      const { stop_reason, error } = await agent.run("Push it").result;
      assert.equal(stop_reason, "internal_error", Deno.inspect(option));
      assert.match(error?.message ?? "", said);
      assert.ok(!s.ws.exists("pushed"), error?.message);
    });
  }
});

Deno.test("library: a program's own command ends where `printed` throws, and its tools go on", async () => {
  await stage({ script: [bash("echo a"), say("I ran it.")] }, async (s) => {
    await using agent = await agent_on(s);
    await agent.chat("Run it");
    const { signal } = new AbortController();
    const printed = () => {
      throw new Error("mine");
    };
    const printing = agent.command("echo a; sleep 60", { timeout_s: 0, signal, printed });
    await assert.rejects(printing, /^Error: mine$/);
    await assert.rejects(
      agent.command(undefined as unknown as string, { timeout_s: 0, signal }),
      /a command must be a string/,
    );
    const { output } = await agent.command("echo b", { timeout_s: 0, signal }) ?? {};
    assert.equal(output, "b\n");
  });
});
