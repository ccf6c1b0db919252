/** Another model under a conversation that was begun with one: its template refuses what was said so far, and gets it as it wants. */
import assert from "node:assert/strict";
import { ANSWER, type Recorded, type Reply, say, serve_model } from "./support/model_server.ts";
import { open_stage, type Stage } from "./support/stage.ts";

function refusal(name: string, status = 400): Reply {
  const body = Deno.readTextFileSync(new URL(`./wire/templates/${name}.body`, import.meta.url));
  return { status, body, type: "application/json" };
}

/** Calls with ids of another server, two of them in one message. */
const BEGUN: readonly Reply[] = [
  {
    calls: ["one", "two"].map((word, at) => ({
      name: "bash",
      args: { command: `echo ${word} >> log` },
      id: `hqNsR3Vmx7a8bPqLzK0WJ5dC2uYtE6g${at}`,
    })),
  },
];

/** Refuses as the templates of Llama 3.1 and Mistral Nemo do in llama.cpp. */
function strict({ body: { messages } }: Recorded): Reply {
  if (messages.some(({ tool_calls = [] }) => tool_calls.length > 1)) {
    return refusal("llama31-two-calls");
  }
  const ids = messages.flatMap(({ tool_calls = [] }) => tool_calls.map(({ id }) => id));
  if (!ids.every((id) => /^[a-zA-Z0-9]{9}$/.test(id))) return refusal("nemo-ids");
  return say(ANSWER);
}

/** Takes no tools beside the messages: an answer of a tool is not a user's. */
function alternating({ body: { messages } }: Recorded): Reply {
  return messages.some(({ role }) => role === "tool")
    ? refusal("small32-user-after-result")
    : say(ANSWER);
}

const LOOSE = { one_conversation: false } as const;

/** A run that is cut off after its first step. */
async function begun(s: Stage): Promise<void> {
  const { code } = await s.run("Log it.", "--max-steps", "1");
  assert.equal(code, 2);
}

for (const [name, script] of Object.entries({ strict, alternating })) {
  Deno.test(`a saved session continues with another model: ${name}`, async () => {
    const other = serve_model(script, LOOSE);
    try {
      await open_stage({ ...LOOSE, script: [...BEGUN, say("Not yet."), say("")] }, async (s) => {
        await begun(s);
        const env = { HAMR_BASE_URL: other.url, HAMR_MODEL: "scripted" };
        const more = await s.hamr(["resume", "--output", "json"], { env });
        assert.deepEqual([more.code, more.result.final_output], [0, ANSWER], more.stderr);
        assert.deepEqual(other.violations, []);
        assert.equal(s.ws.read("log"), "one\ntwo\n", "nothing is run again");
      });
    } finally {
      await other.close();
    }
  });

  Deno.test(`a fallback takes over with what it takes: ${name}`, async () => {
    const other = serve_model(script, LOOSE);
    try {
      const failing = { status: 503, body: '{"error":{"message":"busy"}}' };
      const options = {
        ...LOOSE,
        script: (_: Recorded, n: number) => BEGUN[n] ?? failing,
        env: { HAMR_RETRY_ATTEMPTS: "1" },
      };
      await open_stage(options, async (s) => {
        s.home.write(
          ".config/hamr/config.toml",
          `[providers.spare]\nbase_url = "${other.url}"\n[fallback]\nchain = ["spare/scripted"]\n`,
        );
        const run = await s.run("Log it.");
        assert.deepEqual([run.code, run.result.final_output], [0, ANSWER], run.stderr);
        assert.deepEqual(other.violations, []);
      });
    } finally {
      await other.close();
    }
  });
}

Deno.test("what cannot go on is not said to", async () => {
  const refused = { status: 400, body: '{"error":{"message":"no such thing"}}' };
  await open_stage({ ...LOOSE, script: [...BEGUN, refused] }, async (s) => {
    const run = await s.run("Log it.");
    assert.equal(run.code, 1);
    assert.doesNotMatch(run.stderr, /To continue: hamr resume/);
  });
});
