import assert from "node:assert/strict";
import { each, type Outcome } from "./support/hamr.ts";
import { ANSWER, bash, call, type Reply, say } from "./support/model_server.ts";
import {
  inside_stage,
  open_stage,
  type Stage,
  stage,
  type StageOptions,
  steps,
  tools,
} from "./support/stage.ts";

/** A clear ending: the code, a word of the cause in the error and on stderr, and no trace of a crash. */
function check(run: Outcome, code: number, cause: RegExp): void {
  assert.equal(run.code, code, run.stderr);
  assert.match(run.result.error?.message ?? "", cause);
  assert.match(run.stderr, cause);
  assert.doesNotMatch(run.stderr, /^\s+at .*\.ts:\d+/m, "a stack trace");
  assert.notEqual(run.result.stop_reason, "internal_error");
}

async function ends(options: StageOptions, code: number, cause: RegExp, ...flags: string[]) {
  // Where a run can't begin, it is the process that says so.
  const set = code === 3 ? stage : inside_stage;
  await set(options, async (s) => check(await s.run("What is it?", ...flags), code, cause));
}

Deno.test("a connection that is refused", async () => {
  const socket = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const { port } = socket.addr as Deno.NetAddr;
  socket.close();
  const url = `http://127.0.0.1:${port}/v1`;
  await ends({}, 1, new RegExp(`127\\.0\\.0\\.1:${port}`), "--base-url", url);
});

Deno.test("a host that has no address", async () => {
  await ends({}, 1, /no-such-host\.invalid/, "--base-url", "http://no-such-host.invalid/v1");
});

Deno.test("a base URL that is none", async () => {
  await ends({ script: [] }, 3, /base.?url|not a url/i, "--base-url", "not a url");
});

Deno.test("401 and 403 say which key is asked for", async () => {
  for (const status of [401, 403]) {
    const reply = { status, body: '{"error":{"message":"Invalid API Key"}}' };
    await ends({ script: () => reply }, 4, /Invalid API Key[^]*KEY|KEY[^]*Invalid API Key/);
  }
});

Deno.test("500 is not asked again and again", async () => {
  const reply = { status: 500, body: '{"error":{"message":"out of memory","code":500}}' };
  await open_stage({ script: () => reply }, async (s) => {
    check(await s.run("What is it?"), 1, /500[^]*out of memory|out of memory[^]*500/);
    assert.ok(s.server.requests.length <= 4, `${s.server.requests.length} requests`);
  });
});

Deno.test("HTML instead of JSON", async () => {
  const html = "<!DOCTYPE html><html><body><h1>Sign in to the hotel</h1></body></html>";
  for (const status of [200, 502]) {
    const reply = { status, body: html, type: "text/html" };
    await open_stage({ script: () => reply }, async (s) => {
      const run = await s.run("What is it?");
      assert.equal(run.code, 1);
      assert.match(run.result.error?.message ?? "", /html|json|502|hotel/i);
      assert.ok((run.result.error?.message ?? "").length < 2_000);
    });
  }
});

Deno.test("a body that is empty, no JSON, or the wrong JSON", async () => {
  const bodies = [
    "",
    "hello",
    "null",
    "[]",
    "{}",
    '{"choices":[]}',
    '{"choices":"x"}',
    "data: {\n\n",
  ];
  await each(
    bodies,
    (body) =>
      open_stage({ script: () => ({ body }), one_conversation: false }, async (s) => {
        for (const flags of [[], ["--no-stream"]]) {
          const run = await s.run("What is it?", ...flags);
          assert.equal(run.code, 1, `${JSON.stringify(body)}: ${run.stderr}`);
          assert.notEqual(run.result.stop_reason, "internal_error", body);
        }
      }),
  );
});

Deno.test("an error in the middle of a stream", async () => {
  const body = 'data: {"choices":[{"index":0,"delta":{"content":"Well, "}}]}\n\n' +
    'data: {"error":{"code":400,"message":"the grammar broke","type":"server_error"}}\n\n';
  await ends({ script: () => ({ body }) }, 1, /the grammar broke/);
});

Deno.test("a prompt that the server finds too long", async () => {
  const body = JSON.stringify({
    error: {
      code: 400,
      message:
        "request (1042 tokens) exceeds the available context size (512 tokens), try increasing it",
      type: "exceed_context_size_error",
      n_prompt_tokens: 1042,
      n_ctx: 512,
    },
  });
  await open_stage({ script: () => ({ status: 400, body }) }, async (s) => {
    const { result } = await s.run("What is it?");
    assert.deepEqual([result.exit_code, result.stop_reason], [2, "context_full"]);
    assert.match(result.error?.message ?? "", /512/);
  });
});

Deno.test("a model that stalls", async () => {
  const env = { HAMR_AGENT_IDLE_TIMEOUT_S: "1" };
  await inside_stage({ script: () => ({ text: ANSWER, stall_after: 200 }), env }, async (s) => {
    const run = await s.run("What is it?");
    assert.notEqual(run.code, 0);
    assert.match(
      run.result.error?.message ?? "",
      /\b1 ?s|idle|stall|silen|no (data|bytes?)|nothing/i,
    );
    assert.ok(run.ms < 100_000, `${run.ms} ms`);
  });
});

Deno.test("a model that says nothing at all, ever", async () => {
  await open_stage({ script: () => ({ text: "" }) }, async (s) => {
    const { result } = await s.run("What is it?");
    assert.deepEqual([result.exit_code, result.stop_reason], [1, "empty_response"]);
  });
});

Deno.test("a model that calls what is not a tool, with what are not arguments", async () => {
  const script = [
    call("launch_missiles", { now: true }),
    call("bash", "echo hi"),
    call("bash", '{"command": "echo h'),
    say("Neither of these could be called."),
  ];
  await open_stage({ script }, async (s) => {
    const { run, texts } = await tools(s);
    assert.equal(run.code, 0);
    assert.match(texts[0]!, /launch_missiles/);
    assert.match(texts[1]!, /JSON/);
    assert.match(texts[2]!, /JSON/);
  });
});

Deno.test("a workspace that is missing or no folder", async () => {
  await stage({ files: { "file.txt": "" }, script: [] }, async (s) => {
    check(await s.run("What is it?", "-C", "missing"), 3, /missing/);
    check(await s.run("What is it?", "-C", "file.txt"), 3, /file\.txt/);
    check(await s.run("What is it?", "-C", "file.txt/deeper"), 3, /file\.txt/);
  });
});

/** Makes a folder read-only for a run: by mode, or for root by a mount that only the run sees. */
function read_only(s: Stage): { wrapper: string[] } | null {
  Deno.chmodSync(s.ws.path, 0o555);
  if (Deno.uid() !== 0) return { wrapper: [] };
  const mount = 'mount --bind "$0" "$0" && mount -o remount,ro,bind "$0"';
  const wrapper = ["unshare", "-m", "sh", "-c", `${mount} && cd "$0" && exec "$@"`, s.ws.path];
  const [command, ...args] = [...wrapper, "sh", "-c", "! touch probe"];
  try {
    const { code } = new Deno.Command(command!, { args, stderr: "null" }).outputSync();
    return code === 0 ? { wrapper } : null;
  } catch {
    return null;
  }
}

Deno.test("a workspace that is read-only", async () => {
  const script = [
    call("write", { path: "new.txt", content: "x" }),
    bash("echo x > new.txt"),
    say("The folder can not be written to."),
  ];
  await stage({ files: { "a.txt": "one\n" }, script }, async (s) => {
    const how = read_only(s);
    if (how === null) return;
    const run = await s.hamr(["run", "--output", "jsonl", "--verify", "true", "Make it."], how);
    assert.equal(run.code, 0, run.stderr);
    const results = run.events.filter((event) => event.type === "tool_result");
    assert.deepEqual(results.map((event) => event["ok"]), [false, false]);
    for (const text of s.server.results()) assert.match(text, /read-only|permission|denied/i);
    Deno.chmodSync(s.ws.path, 0o755);
  });
});

Deno.test("a task of nothing", async () => {
  await stage({ script: [] }, async (s) => {
    check(await s.run(""), 3, /task/i);
    check(await s.run("  \n\t "), 3, /task/i);
    check(await s.hamr(["run", "--json"]), 3, /task/i);
    check(await s.hamr(["run", "--json"], { stdin: "" }), 3, /task/i);
  });
});

Deno.test("a task of 5 MB is sent whole or refused in a line", async () => {
  const task = "Explain this: " + "lorem ipsum ".repeat(440_000);
  const error = {
    code: 400,
    message: "the request exceeds the available context size",
    type: "exceed_context_size_error",
  };
  const script = () => ({ status: 400, body: JSON.stringify({ error }) });
  // A window that is known refuses it before that.
  await stage({ script, window: null }, async (s) => {
    const run = await s.hamr(["run", "--json", "-"], { stdin: task });
    assert.equal(run.code, 2, run.stderr);
    assert.match(run.result.stop_reason, /^(context_full|budget_exhausted)$/);
    assert.ok(run.stderr.length < 10_000, "the task is not printed");
    const [first] = s.server.requests;
    if (first !== undefined) assert.ok(first.raw.includes(task.trim()), "the task was cut");
  });
});

Deno.test("a task of strange characters arrives as it is", async () => {
  const task = 'tab\t"quote" \\back\\ \u2028 \u{1f600} \u0001 ﷽ \u202e end';
  await open_stage({}, async (s) => {
    assert.equal((await s.run(task)).code, 0);
    assert.ok(s.server.requests[0]!.body.messages.at(-1)!.content!.includes(task));
  });
});

Deno.test("file names of strange characters", async () => {
  const names = [
    "with space.txt",
    "quote'\".txt",
    "ñ世.txt",
    "new\nline.txt",
    "-dash.txt",
    "$HOME.txt",
  ];
  const script = steps(
    ...names.map((path) =>
      ["write", { path, content: `in ${path}` }] as [string, Record<string, unknown>]
    ),
    ["read", { path: "." }],
  );
  await open_stage({ script }, async (s) => {
    const { run, events } = await tools(s);
    assert.deepEqual(events.map((event) => event["ok"]), events.map(() => true));
    for (const name of names) assert.equal(s.ws.read(name), `in ${name}`);
    assert.deepEqual(run.result.files_changed.map((file) => file.path).sort(), names.toSorted());
  });
});

Deno.test("a reply of many megabytes", async () => {
  const reply: Reply = { text: "word ".repeat(1_000_000) };
  await open_stage({ script: () => reply }, async (s) => {
    const { code, result } = await s.run("Tell me everything.");
    assert.equal(code, 0);
    assert.equal(result.final_output.trim().length, 4_999_999);
  });
});
