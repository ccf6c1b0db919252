import assert from "node:assert/strict";
import { Validator } from "@cfworker/json-schema";
import { fileURLToPath } from "node:url";
import { bash, call, say } from "./support/model_server.ts";
import { stage, type StageOptions } from "./support/stage.ts";

/** With nothing but what the schema names: what a program reads has to be written down. */
function strict(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(strict);
  if (typeof value !== "object" || value === null) return value;
  const all = Object.fromEntries(Object.entries(value).map(([key, one]) => [key, strict(one)]));
  const named = "properties" in all && !("additionalProperties" in all);
  return named ? { ...all, additionalProperties: false } : all;
}

function validator(name: string): Validator {
  const path = fileURLToPath(new URL(`../schema/${name}.schema.json`, import.meta.url));
  const schema = strict(JSON.parse(Deno.readTextFileSync(path)));
  return new Validator(schema as ConstructorParameters<typeof Validator>[0], "2020-12", false);
}

const RUNS: readonly { readonly options: StageOptions; readonly flags: readonly string[] }[] = [
  {
    options: {
      files: { "a.txt": "one\n" },
      script: [
        {
          ...call("edit", { path: "a.txt", old: "one", new: "two" }),
          text: "I edit.",
          reasoning: "Hm.",
        },
        bash("exit 3"),
        bash("exit 3"),
        bash("exit 3"),
        call("todo", { items: [{ text: "look", status: "done" }] }),
        { status: 500, text: "busy" },
        say("Changed it."),
        say("No verdict."),
      ],
    },
    flags: ["--verify", "grep two a.txt", "--self-eval", "basic"],
  },
  { options: { script: [say("NOT DONE: no.")] }, flags: ["--max-steps", "1"] },
  { options: {}, flags: ["--provider", "none"] },
];

Deno.test("what a run prints as JSON is what schema/ says, each field of it", async () => {
  const [event, result] = [validator("event"), validator("result")];
  const seen = new Set<string>();
  for (const { options, flags } of RUNS) {
    await stage({ ...options, violations: true, one_conversation: false }, async (s) => {
      const { events } = await s.events("Change it.", ...flags);
      for (const one of events) {
        const { valid, errors } = event.validate(one);
        assert.ok(valid, `${JSON.stringify(one)}\n${JSON.stringify(errors.slice(-3))}`);
        seen.add(one.type);
      }
      const { t: _t, step: _step, ...rest } = events.at(-1)!;
      const { valid, errors } = result.validate(rest);
      assert.ok(valid, JSON.stringify(errors.slice(-3)));
    });
  }
  for (const type of ["session_start", "tool_result", "verification", "turn_diff", "result"]) {
    assert.ok(seen.has(type), `${type} was seen`);
  }
});
