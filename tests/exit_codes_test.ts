import assert from "node:assert/strict";
import { ANSWER, bash, type Reply, say } from "./support/model_server.ts";
import { inside_stage, stage, type StageOptions, steps } from "./support/stage.ts";
import { each, until } from "./support/hamr.ts";
import { HIDDEN } from "./support/hidden.ts";

interface Ending {
  readonly code: number;
  readonly reason: string;
  readonly flags?: readonly string[];
  readonly options: StageOptions;
  readonly says?: RegExp;
}

const stalled: Reply = { silent: true };
const status = (code: number): Reply => ({
  status: code,
  body: JSON.stringify({ error: { message: `told ${code}`, code } }),
});

const ENDINGS: readonly Ending[] = [
  { code: 0, reason: "llm_done", options: {} },
  { code: 1, reason: "llm_error", options: { script: () => status(400) } },
  {
    code: 2,
    reason: "max_steps",
    flags: ["--max-steps", "1"],
    options: { script: steps(["bash", { command: "true" }]) },
  },
  {
    code: 2,
    reason: "max_tool_calls",
    flags: ["--max-tool-calls", "1"],
    options: { script: steps(["bash", { command: "true" }], ["bash", { command: "true" }]) },
  },
  {
    code: 2,
    reason: "budget_exceeded",
    flags: ["--token-budget", "1"],
    options: { script: steps(["bash", { command: "true" }]) },
  },
  {
    code: 2,
    reason: "contract_unsatisfied",
    flags: ["--mode", "patch"],
    options: { script: () => say("The file is fine as it stands, nothing to be changed.") },
  },
  {
    code: 2,
    reason: "not_done",
    flags: [],
    options: {
      script: [bash("touch ../outside/x"), say("NOT DONE: I may not write there.")],
    },
    says: /\n {3}To continue: hamr resume\n {3}To allow .* hamr resume --allow-write=/,
  },
  {
    code: 2,
    reason: "verification_failed",
    flags: ["--verify", "false"],
    options: { script: () => say("The tests are run by somebody else.") },
  },
  { code: 3, reason: "config_error", flags: ["--mode", "bogus"], options: {} },
  { code: 4, reason: "auth_error", options: { script: () => status(401) } },
  { code: 4, reason: "auth_error", options: { script: () => status(403) } },
  { code: 5, reason: "timeout", flags: ["--timeout", "1"], options: { script: () => stalled } },
  {
    code: 5,
    reason: "timeout",
    flags: ["--step-timeout", "1"],
    options: { script: () => stalled },
  },
];

/**
 * Whether a run hears signals. From the first on that is listened to, Deno takes SIGINT, SIGTERM and SIGHUP for itself: not yet heard,
 * they still end the program. SIGXCPU comes behind those. True where the system does not tell.
 */
function listens(pid: number): boolean {
  if (Deno.build.os !== "linux") return true;
  const [, caught = "0"] = /^SigCgt:\t(\w+)$/m.exec(Deno.readTextFileSync(`/proc/${pid}/status`)) ??
    [];
  return (BigInt(`0x${caught}`) & (1n << 23n)) !== 0n;
}

Deno.test("each ending has its exit code and its stop reason", async () => {
  await each(
    ENDINGS,
    ({ code, reason, flags = [], options, says }) => {
      // One that is 0, one that can't begin and one whose words are judged meet a process, and with a binary all do.
      const set = code === 0 || code === 3 || says !== undefined ? stage : inside_stage;
      return set(options, async (s) => {
        const { result, stderr } = await s.run("What does the function do?", ...flags);
        assert.deepEqual([result.exit_code, result.stop_reason], [code, reason], stderr);
        assert.match(stderr, says ?? /(?:)/);
        if (code === 0) assert.equal(result.error, null);
        if (code !== 0 && code !== 2) assert.ok((result.error?.message ?? "").length > 10);
      });
    },
  );
});

Deno.test({
  name: "an interrupt exits with 130 with a result",
  // Nobody knows when it hears signals there.
  ignore: HIDDEN,
  async fn() {
    await each(
      ["SIGINT", "SIGTERM"] as const,
      (signal) =>
        stage({ script: [stalled] }, async (s) => {
          const running = s.start(["run", "--json", "-v", "What is this?"]);
          await until("the request is there", () => s.server.requests.length === 1);
          await until("it listens to signals", () => listens(running.pid));
          running.kill(signal);
          const { result, stderr } = await running.done;
          assert.equal(result.exit_code, 130);
          assert.equal(result.stop_reason, "user_interrupt");
          assert.equal(result.status, "partial");
          assert.doesNotMatch(stderr, /⛔/, "no guard has stopped it");
        }),
    );
  },
});

Deno.test({
  name: "a run that was started to outlive its terminal is not ended by SIGHUP",
  ignore: Deno.build.os !== "linux",
  async fn() {
    const { promise, resolve } = Promise.withResolvers<Reply>();
    await stage({ script: () => promise }, async (s) => {
      const wrapper = ["sh", "-c", 'trap "" HUP; exec "$@"', "sh"];
      const running = s.start(["run", "--json", "What is this?"], { wrapper });
      await until("the request is there", () => s.server.requests.length === 1);
      running.kill("SIGHUP");
      resolve(say(ANSWER));
      const { result } = await running.done;
      assert.equal(result.stop_reason, "llm_done");
    });
  },
});

Deno.test({
  name: "an interrupt while standard input is read exits with 130 with a result, too",
  ignore: Deno.build.os !== "linux",
  async fn() {
    for (const args of [["run", "--json", "Explain:", "-"], ["run", "--json"]]) {
      await stage({}, async (s) => {
        let pulls = 0;
        // More than a pipe holds: once more is wanted, it reads.
        const stdin = new ReadableStream<Uint8Array<ArrayBuffer>>({
          pull(to) {
            if (pulls++ > 0) return new Promise<void>(() => {});
            to.enqueue(new Uint8Array(1 << 20).fill(97));
            return Promise.resolve();
          },
        }, { highWaterMark: 0 });
        const running = s.start(args, { stdin });
        await until("it reads", () => pulls === 2);
        running.kill("SIGTERM");
        const { result } = await running.done;
        assert.equal(result.stop_reason, "user_interrupt");
        assert.equal(result.error?.message, "interrupted while standard input was read");
        assert.equal(s.server.paths.length, 0);
      });
    }
  },
});

Deno.test({
  name: "an interrupt while the server is asked what it is exits with 130 with a result, too",
  ignore: Deno.build.os !== "linux",
  async fn() {
    const options = { ollama_ctx: 8192, slow_ms: 600_000 };
    await stage(options, async (s) => {
      const mode = ["--api-mode", "ollama_chat", "--base-url", s.server.origin];
      const running = s.start(["run", "--json", ...mode, "-m", "scripted", "What is this?"]);
      await until("it listens to signals", () => listens(running.pid));
      await until("the server is asked", () => s.server.paths.length > 0);
      running.kill("SIGTERM");
      const { result } = await running.done;
      assert.equal(result.stop_reason, "user_interrupt");
      assert.equal(result.error?.message, "interrupted before it was under way");
      assert.equal(s.server.requests.length, 0);
    });
  },
});

Deno.test("standard input that can't be read is said, and nothing starts", async () => {
  await stage({}, async (s) => {
    const wrapper = ["sh", "-c", 'exec "$@" < .', "sh"];
    const { result } = await s.hamr(["run", "--json", "-"], { wrapper });
    assert.equal(result.stop_reason, "config_error");
    assert.match(result.error?.message ?? "", /^standard input can't be read: /);
    assert.equal(s.server.paths.length, 0);
  });
});

Deno.test("the same input and the same replies give the same code", async () => {
  const script = steps(["bash", { command: "exit 3" }], ["read", { path: "missing" }]);
  const codes = await each(
    [1, 2, 3],
    () => inside_stage({ script }, async (s) => (await s.run("Look around.")).result.exit_code),
  );
  assert.deepEqual(codes, [0, 0, 0]);
});

Deno.test("the program ends with the code of its result where the folder it began in was replaced", async () => {
  let replace = () => {};
  const script = (_: unknown, n: number) => {
    if (n === 0) return bash("echo made > it");
    replace();
    return say("It is made.");
  };
  await stage({ script }, async (s) => {
    replace = () => {
      Deno.removeSync(s.ws.path, { recursive: true });
      Deno.mkdirSync(s.ws.path);
    };
    const { code, result, stderr } = await s.run("Make it.");
    assert.deepEqual([code, result.exit_code], [0, 0], stderr);
  });
});

Deno.test("--exit-code-on-partial=false turns 2 into 0 and leaves the reason", async () => {
  const flags = ["--max-steps", "1", "--exit-code-on-partial=false"];
  await stage({ script: steps(["bash", { command: "true" }]) }, async (s) => {
    const { code, result } = await s.run("Look around.", ...flags);
    assert.equal(code, 0);
    assert.equal(result.status, "partial");
    assert.equal(result.stop_reason, "max_steps");
  });
});

Deno.test("help lists every exit code with its name", async () => {
  await stage({}, async (s) => {
    const { stdout } = await s.hamr(["run", "--help"]);
    for (const code of [0, 1, 2, 3, 4, 5, 130]) {
      assert.match(stdout, new RegExp(`^\\s*${code}\\s+[a-z]`, "m"));
    }
  });
});
