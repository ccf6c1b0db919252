import assert from "node:assert/strict";
import { PROGRAM } from "../../../tests/support/hamr.ts";
import { skip } from "../../../tests/support/skip.ts";
import { ours } from "./agents.ts";
import { drive } from "./drive.ts";
import { serve, shell_call, STEPS } from "./server.ts";
import { fault_words, spread } from "./tables.ts";

Deno.test("shell_call() fits the tool of each agent, in either wire format", () => {
  const string = { type: "string" };
  const cases: [Record<string, unknown>, Record<string, unknown>][] = [
    [
      {
        type: "function",
        name: "exec_command",
        parameters: { properties: { cmd: string }, required: ["cmd"] },
      },
      { name: "exec_command", args: { cmd: "ls" } },
    ],
    [
      {
        type: "function",
        function: {
          name: "run_shell_command",
          parameters: {
            properties: { command: string, is_background: { type: "boolean" } },
            required: ["command", "is_background"],
          },
        },
      },
      { name: "run_shell_command", args: { command: "ls", is_background: false } },
    ],
    [
      { function: { name: "shell", parameters: { properties: { command: { type: "array" } } } } },
      { name: "shell", args: { command: ["bash", "-c", "ls"] } },
    ],
  ];
  for (const [tool, expected] of cases) {
    assert.deepEqual(shell_call([{ function: { name: "read" } }, tool], "ls"), expected);
  }
  assert.throws(() => shell_call([{ name: "read" }], "ls"), /no tool runs a shell: read/);
});

Deno.test("the model answers with a text where mini-swe-agent is not the one who asks", async () => {
  const server = serve("empty");
  try {
    const body = { model: "m", messages: [], tools: [{ function: { name: "bash" } }] };
    const reply = await fetch(`${server.url}/chat/completions`, {
      method: "POST",
      body: JSON.stringify(body),
    });
    const { choices } = await reply.json();
    assert.deepEqual([choices[0].message.content, choices[0].finish_reason], ["", "stop"]);
    assert.equal(server.asked[0]?.bytes, JSON.stringify(body).length);
  } finally {
    await server.close();
  }
});

Deno.test({
  name: "drive() measures a run of hamr, and what it does without a server",
  ignore: Deno.build.os !== "linux",
  async fn() {
    const agent = ours(PROGRAM, "0.0.0");
    const run = await drive(agent, "steps");
    assert.equal(run.code, 0, run.printed);
    assert.deepEqual([run.requests, run.steps_ms.length], [STEPS + 1, STEPS]);
    for (const value of [run.first_ms, run.first_bytes, ...run.steps_ms]) {
      assert.ok(value > 0, `${value}`);
    }
    if (Number.isNaN(run.peak_mb)) skip("the peak of memory: /proc hides it here (hidepid)");
    else assert.ok(run.peak_mb > 1, `${run.peak_mb}`);
    assert.match(fault_words(await drive(agent, "refused")), /^exit [13], [\d.]+ s, 0 requests$/);
  },
});

Deno.test("spread() is a median with what lies around it", () => {
  assert.equal(spread([3, 1, 2]), "2 (1–3)");
  assert.equal(spread([5.04, 5.01], 1), "5.0");
  assert.equal(spread([NaN]), "-");
});
