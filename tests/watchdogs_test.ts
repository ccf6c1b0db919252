import assert from "node:assert/strict";
import { pause, until } from "./support/hamr.ts";
import { bash, type Recorded, type Reply } from "./support/model_server.ts";
import {
  asleep,
  gone,
  mark,
  open_stage,
  type Stage,
  stage,
  type StageOptions,
} from "./support/stage.ts";

const CLOSING = "Three numbers were counted, the others were not.";

/** Counts forever; says what is done when it is asked to close. */
const COUNT: StageOptions = {
  script: ({ body }: Recorded, n: number): Reply =>
    body.tool_choice === "none" ? { text: CLOSING } : bash(`echo ${n} >> log`),
};

/** The closing call: the last request, with the same tools and none to be chosen. */
function check_closing(s: Stage): void {
  const { requests } = s.server;
  const closing = requests.filter((request) => request.body.tool_choice === "none");
  assert.equal(closing.length, 1, "one closing call");
  assert.equal(closing[0], requests.at(-1));
  assert.deepEqual(closing[0]!.body.tools, requests[0]!.body.tools);
}

Deno.test("max steps stops the run with one closing call", async () => {
  await open_stage(COUNT, async (s) => {
    const { result } = await s.run("Count.", "--max-steps", "3");
    assert.deepEqual([result.exit_code, result.stop_reason], [2, "max_steps"]);
    assert.equal(result.final_output, CLOSING);
    assert.equal(s.ws.read("log"), "0\n1\n2\n");
    assert.equal(s.server.requests.length, 4);
    check_closing(s);
  });
});

Deno.test("max tool calls stops the run with one closing call", async () => {
  await open_stage(COUNT, async (s) => {
    const { result } = await s.run("Count.", "--max-tool-calls", "2");
    assert.deepEqual([result.exit_code, result.stop_reason], [2, "max_tool_calls"]);
    assert.equal(s.ws.read("log"), "0\n1\n");
    assert.equal(result.tool_calls, 2);
    check_closing(s);
  });
});

Deno.test("max tool calls holds within one reply, and every call is answered", async () => {
  const calls = [1, 2, 3, 4].map((n) => ({ name: "bash", args: { command: `echo ${n} >> log` } }));
  const script = ({ body }: Recorded): Reply =>
    body.tool_choice === "none" ? { text: CLOSING } : { calls };
  await open_stage({ script }, async (s) => {
    const { result } = await s.run("Count.", "--max-tool-calls", "2");
    assert.equal(result.stop_reason, "max_tool_calls");
    assert.equal(s.ws.read("log"), "1\n2\n");
  });
});

Deno.test("a run that answers after as many calls as it may make has done its task", async () => {
  const script = [bash("echo 1"), bash("echo 2"), { text: "Both numbers were printed." }];
  await open_stage({ script }, async (s) => {
    const { result } = await s.run("Count.", "--max-tool-calls", "2");
    assert.deepEqual([result.exit_code, result.tool_calls], [0, 2]);
    assert.equal(result.final_output, "Both numbers were printed.");
    assert.equal(s.server.requests.length, 3, "no closing call");
  });
});

Deno.test("calls in the closing reply are ignored", async () => {
  const script = ({ body }: Recorded, n: number): Reply =>
    body.tool_choice === "none"
      ? { text: CLOSING, calls: [{ name: "bash", args: { command: "echo late >> log" } }] }
      : bash(`echo ${n} >> log`);
  await open_stage({ script }, async (s) => {
    const { result } = await s.run("Count.", "--max-steps", "1");
    assert.equal(result.stop_reason, "max_steps");
    assert.equal(s.ws.read("log"), "0\n");
    assert.equal(s.server.requests.length, 2);
  });
});

Deno.test("a closing call that fails changes neither reason nor code", async () => {
  const script = ({ body }: Recorded, n: number): Reply =>
    body.tool_choice === "none" ? { status: 500, body: "no" } : bash(`echo ${n} >> log`);
  await open_stage({ script }, async (s) => {
    const { result } = await s.run("Count.", "--max-steps", "2");
    assert.deepEqual([result.exit_code, result.stop_reason], [2, "max_steps"]);
  });
});

Deno.test("the limit that is not reached stops nothing", async () => {
  const script = [bash("echo 1"), bash("echo 2"), { text: "Both numbers were printed." }];
  await open_stage({ script }, async (s) => {
    const { result } = await s.run("Count.", "--max-steps", "3", "--max-tool-calls", "3");
    assert.equal(result.stop_reason, "llm_done");
  });
});

Deno.test("the time of a run ends a command, with one closing call", async () => {
  const seconds = mark();
  const script = ({ body }: Recorded): Reply =>
    body.tool_choice === "none" ? { text: CLOSING } : bash(`sleep ${seconds}`);
  await open_stage({ script }, async (s) => {
    const { result, ms } = await s.run("Wait.", "--timeout", "2");
    assert.deepEqual([result.exit_code, result.stop_reason], [5, "timeout"]);
    assert.equal(result.final_output, CLOSING);
    assert.ok(ms > 1_900 && ms < 100_000, `${ms} ms`);
    check_closing(s);
    await gone(seconds);
  });
});

Deno.test("the time of a run ends though the model stalls in the closing call too", async () => {
  await open_stage({ script: () => ({ text: "begin", stall_after: 200 }) }, async (s) => {
    const { result, ms } = await s.run("Wait.", "--timeout", "1");
    assert.deepEqual([result.exit_code, result.stop_reason], [5, "timeout"]);
    assert.ok(ms < 100_000, `${ms} ms`);
  });
});

Deno.test("the time of a run counts from its start: a server that does not say what it serves is in it", async () => {
  let chats = 0;
  let serves = false;
  const unending = () =>
    new ReadableStream<Uint8Array>({
      start: (controller) => controller.enqueue(new TextEncoder().encode("{")),
    });
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, (request) => {
    if (request.method === "GET" && !serves) return new Response(unending());
    if (request.method === "GET") {
      return pause(300).then(() => Response.json({ data: [{ id: "m" }] }));
    }
    if (serves) return new Response(unending());
    chats++;
    return Response.json({
      choices: [{ message: { content: "It is 4." }, finish_reason: "stop" }],
    });
  });
  try {
    await stage({ script: [] }, async (s) => {
      const task = ["run", "--json", "--base-url", `http://127.0.0.1:${server.addr.port}/v1`];
      const unnamed = { env: { HAMR_MODEL: "" } };
      const asked = await s.hamr([...task, "--timeout", "1", "What is 2 + 2?"], unnamed);
      assert.deepEqual([asked.result.exit_code, asked.result.stop_reason], [5, "timeout"]);
      assert.match(asked.result.error?.message ?? "", /before the model's server had said/);
      assert.equal(chats, 0);
      // A reply that came in time stands.
      const named = await s.hamr([...task, "-m", "m", "--timeout", "10", "What is 2 + 2?"]);
      assert.deepEqual([named.result.exit_code, named.result.final_output], [0, "It is 4."]);
      serves = true;
      const late = await s.hamr([...task, "--timeout", "1", "What is 2 + 2?"], unnamed);
      assert.deepEqual([late.result.exit_code, late.result.stop_reason], [5, "timeout"]);
      assert.ok(Math.max(asked.ms, named.ms) < 50_000, `${asked.ms} and ${named.ms} ms`);
    });
  } finally {
    await server.shutdown();
  }
});

Deno.test("the time of a step ends a step that waits for the model", async () => {
  const script = ({ body }: Recorded, n: number): Reply => {
    if (body.tool_choice === "none") return { text: CLOSING };
    return n === 0 ? bash("echo quick") : { silent: true };
  };
  await open_stage({ script }, async (s) => {
    const { result, ms } = await s.run("Wait.", "--step-timeout", "2");
    assert.deepEqual([result.exit_code, result.stop_reason], [5, "timeout"]);
    assert.ok(ms < 100_000, `${ms} ms`);
  });
});

Deno.test("an interrupt in a command ends it, its children and the run", async () => {
  // The last three warn a batch job before it is killed.
  const signals = [
    ...["SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT", "SIGUSR1", "SIGUSR2", "SIGXCPU"] as const,
  ];
  for (const signal of signals) {
    const seconds = mark();
    const script = [bash(`setsid sleep ${seconds} & sleep ${seconds}`)];
    await stage({ script }, async (s) => {
      const running = s.start(["run", "--output", "jsonl", "Wait."]);
      await until("the command runs", () => asleep(seconds));
      running.kill(signal);
      const { result, ms } = await running.done;
      assert.deepEqual([result.exit_code, result.stop_reason], [130, "user_interrupt"]);
      assert.ok(ms < 100_000, `${ms} ms`);
      assert.equal(s.server.requests.length, 1, "an interrupt asks the model nothing more");
      await gone(seconds);
    });
  }
});

Deno.test("an interrupt in a reply closes the socket", async () => {
  await stage({ script: [{ text: "a long answer", stall_after: 200 }] }, async (s) => {
    const running = s.start(["run", "--json", "Tell me."]);
    await until("the request is there", () => s.server.requests.length === 1);
    await pause(300);
    running.kill("SIGINT");
    assert.equal((await running.done).result.stop_reason, "user_interrupt");
    await until("the server sees it", () => s.server.requests[0]!.aborted);
  });
});

Deno.test("an interrupt in the verify command ends it", async () => {
  const seconds = mark();
  await stage({}, async (s) => {
    const running = s.start(["run", "--json", "--verify", `sleep ${seconds}; true`, "Is it fine?"]);
    await until(
      "the command runs",
      () => asleep(seconds) && s.server.requests.length > 0,
    );
    await pause(500);
    running.kill("SIGINT");
    assert.equal((await running.done).result.stop_reason, "user_interrupt");
    await gone(seconds);
  });
});

Deno.test("a second interrupt quits at once", async () => {
  const seconds = mark();
  const stubborn = `trap '' INT TERM HUP; while :; do sleep ${seconds}; done`;
  await stage({ script: [bash(stubborn)] }, async (s) => {
    const running = s.start(["run", "Wait."]);
    await until("the command runs", () => asleep(seconds));
    running.kill("SIGINT");
    await pause(50);
    const second = performance.now();
    running.kill("SIGINT");
    assert.equal((await running.done).code, 130);
    assert.ok(performance.now() - second < 100_000);
    await gone(seconds);
  });
});

Deno.test("what the terminal's own interrupt does to the whole group is the same", async () => {
  const seconds = mark();
  await stage({ script: [bash(`sleep ${seconds}`)] }, async (s) => {
    const running = s.start(["run", "--json", "Wait."], { wrapper: ["setsid"] });
    await until("the command runs", () => asleep(seconds));
    Deno.kill(-running.pid, "SIGINT");
    const { result } = await running.done;
    assert.equal(result.stop_reason, "user_interrupt");
    await gone(seconds);
  });
});

Deno.test({
  name: "the time in which hamr itself is stopped is neither the server's nor a command's",
  ignore: Deno.build.os === "windows",
  fn: async () => {
    let running: ReturnType<Stage["start"]> | null = null;
    /** For longer than either limit. */
    const stop = async () => {
      running!.kill("SIGSTOP");
      await pause(4000);
      setTimeout(() => running!.kill("SIGCONT"), 200);
    };
    const script = async (_: Recorded, n: number): Promise<Reply> => {
      if (n === 0) await stop();
      const command = "touch began; sleep 1; echo over";
      return n === 0
        ? { calls: [{ name: "bash", args: { command, timeout: 3 } }] }
        : { text: "It ran." };
    };
    await stage({ script, env: { HAMR_AGENT_IDLE_TIMEOUT_S: "3" } }, async (s) => {
      running = s.start(["run", "--output", "jsonl", "Run it."]);
      await until("the command runs", () => s.ws.exists("began"));
      const stopped = stop();
      const { code, events } = await running.done;
      await stopped;
      assert.equal(code, 0);
      assert.ok(!events.some(({ type }) => type === "retry"), "asked again");
      const [result] = events.filter(({ type }) => type === "tool_result");
      assert.deepEqual([result?.["ok"], result?.["summary"]], [true, "exit code 0"]);
    });
  },
});
