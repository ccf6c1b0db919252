/** Hooks about the run itself: session_start, turn_end, notification. docs/hooks.md, schema/hook.schema.json. */
import assert from "node:assert/strict";
import { Validator } from "@cfworker/json-schema";
import { edit_with } from "./support/acp.ts";
import { until } from "./support/hamr.ts";
import { ANSWER, bash, call, say } from "./support/model_server.ts";
import { stage } from "./support/stage.ts";

const CONFIG = ".config/hamr/config.toml";
const SCHEMA = JSON.parse(
  Deno.readTextFileSync(new URL("../schema/hook.schema.json", import.meta.url)),
);

function hook(event: string, command: string, more = ""): string {
  return `[[hooks.${event}]]\nname = "h"\ncommand = ${JSON.stringify(command)}\n${more}\n`;
}

/** What the hooks have read, each checked against the schema. */
function told(text: string): Record<string, unknown>[] {
  const validator = new Validator(SCHEMA, "2020-12", false);
  return text.trim().split("\n").map((line) => {
    const value = JSON.parse(line);
    const { valid, errors } = validator.validate(value);
    assert.ok(valid, `${line}\n${JSON.stringify(errors.slice(-3))}`);
    return value;
  });
}

Deno.test("session_start and turn_end hooks are told, in the sandbox, and change no verdict", async () => {
  const write = (name: string) => `cat >> ${name}`;
  const settings = [
    hook("session_start", write("started.jsonl")),
    hook("pre_tool", write("calls.jsonl")),
    hook("post_tool", write("calls.jsonl")),
    hook("turn_end", write("ended.jsonl")),
    hook("turn_end", "echo no good >&2; touch ../outside/x; exit 3"),
    hook("turn_end", "touch never", "enabled = false"),
  ].join("");
  const script = [
    bash("cat started.jsonl"),
    call("write", { path: "a.txt", content: "1\n" }),
    bash("printf 'a\\0b' > b.bin"),
    say(ANSWER),
    say(ANSWER),
  ];
  // The dry run is another conversation.
  await stage({ script, violations: true }, async (s) => {
    s.home.write(CONFIG, settings);
    const run = await s.run("Write a.txt.");
    assert.equal(run.code, 0, run.stderr);
    // It ran before the first call.
    const [start] = told(s.server.results()[0]!);
    assert.deepEqual([start?.event, start?.task, start?.model], [
      "session_start",
      "Write a.txt.",
      "scripted",
    ]);
    const [end] = told(s.ws.read("ended.jsonl"));
    assert.equal(end?.session_id, run.result.session_id);
    assert.equal(end?.stop_reason, "llm_done");
    assert.match(JSON.stringify(end?.files), /"path":"a\.txt","status":"added"/);
    // `git apply` takes it, whatever the files hold.
    assert.match(
      String(end?.diff),
      /^diff --git a\/a\.txt [^]*\+1\n[^]*b\.bin[^]*GIT binary patch\n/,
    );
    assert.equal(told(s.ws.read("calls.jsonl")).length, 6);
    assert.match(run.result.warnings.join("\n"), /the turn_end hook h: exit code 3: /);
    assert.equal(s.ws.exists("never") || s.outside.exists("x"), false);
    const replay = await s.hamr(["replay", run.result.session_id]);
    assert.match(replay.stdout, /every byte the same/);
    assert.equal(told(s.ws.read("ended.jsonl")).length, 1);
    const dry = await s.run("Again.", "--dry-run");
    assert.equal(dry.code, 0, dry.stderr);
    assert.equal(told(s.ws.read("ended.jsonl")).length, 1);
  });
});

Deno.test("notification hooks are told of what somebody is asked", async () => {
  const script = [
    bash("git push origin main"),
    call("clarify", { question: "Which?", choices: ["a", "b"] }),
    say(ANSWER),
  ];
  await stage({ script }, async (s) => {
    s.home.write(CONFIG, hook("notification", "cat >> asked.jsonl"));
    const editor = await edit_with(s, {
      capable: { elicitation: { form: {} } },
      person: {
        permit: () => "no",
        fill: () => ({ action: "accept", content: { choice: "a" } }),
      },
    });
    await editor.prompt(await editor.open(), "Push it.");
    await until(
      "both were told",
      () => s.ws.exists("asked.jsonl") && s.ws.read("asked.jsonl").split("\n").length > 2,
    );
    const [approval, question] = told(s.ws.read("asked.jsonl"));
    assert.deepEqual([approval?.kind, approval?.tool, question?.kind, question?.question], [
      ...["approval", "bash", "question", "Which?"],
    ]);
    await editor.leave();
  });
});
