/** Hundreds of runs of the loop against a real server on loopback: what must hold, whatever the model says. */
import assert from "node:assert/strict";
import fc from "fast-check";
import { ANSWER, say, serve_model } from "../support/model_server.ts";
import { type Asked, asked, conversation, FILES, VERIFY } from "../support/replies.ts";
import type { Reply } from "../support/wire.ts";
import { event_faults, is_reason, wire_faults } from "./faults.ts";
import { Runner } from "./process.ts";

const RUNS = 200;

/** The count says that tools were left out, so that it is tried whether the server reads them. */
const ASKED_ASIDE: [Reply[], Asked] = [
  [{}, { text: "", usage: { prompt_tokens: 149, completion_tokens: 0 } }, { reasoning: "" }],
  { mode: "auto", max_steps: 3, max_tool_calls: 4, window: 8192, stream: true },
];

function reset(workspace: string): void {
  for (const { name } of Deno.readDirSync(workspace)) {
    if (!Object.hasOwn(FILES, name) && name !== "src") {
      Deno.removeSync(`${workspace}/${name}`, { recursive: true });
    }
  }
  Deno.mkdirSync(`${workspace}/src`, { recursive: true });
  for (const [name, content] of Object.entries(FILES)) {
    if (text_of(`${workspace}/${name}`) !== content) {
      Deno.writeTextFileSync(`${workspace}/${name}`, content);
    }
  }
}

function text_of(file: string): string | null {
  try {
    return Deno.readTextFileSync(file);
  } catch {
    return null;
  }
}

function differs(workspace: string): boolean {
  const names = [...Deno.readDirSync(workspace)].map(({ name }) => name);
  return names.some((name) => !["a.txt", "long.txt", "src"].includes(name)) ||
    Object.entries(FILES).some(([name, content]) => text_of(`${workspace}/${name}`) !== content);
}

/** What is wrong with one run, if anything. */
async function faults_of(
  runner: Runner,
  replies: readonly Reply[],
  { workspace, asked }: { workspace: string; asked: Asked },
): Promise<string[]> {
  reset(workspace);
  const server = serve_model((_, n) => replies[n] ?? say(ANSWER));
  try {
    const report = await runner.run({ ...asked, url: server.url, verify: VERIFY });
    const { reason, steps, calls, events } = report;
    const compactions = events.filter(({ type }) => type === "compaction").length;
    const out = [...wire_faults(server, compactions), ...event_faults(events)];
    const must = (holds: boolean, what: string) => holds || out.push(what);
    must(is_reason(reason), `an unknown reason ${reason}`);
    must(reason !== "internal_error", `internal error: ${report.error}`);
    must(steps <= asked.max_steps, `${steps} steps`);
    must(report.phase === "running", `left ${report.phase}`);
    // Every request is a step, the closing call, two more tries of either, a summary, or a smaller request.
    must(server.requests.length <= 3 * (steps + 2) + 6 * compactions + 6, "too many requests");
    must(calls <= asked.max_tool_calls + 3, `${calls} calls`);
    if (reason !== "llm_done") return out;
    const two = text_of(`${workspace}/a.txt`)?.includes("two") ?? false;
    must(asked.mode !== "verify" || two, "verified, but the command does not pass");
    must(asked.mode !== "patch" || differs(workspace), "patched, but no file differs");
    return out;
  } finally {
    await server.close();
  }
}

Deno.test({
  name:
    `any sequence of replies: limits hold, requests are valid, success is true on disk (${RUNS} runs)`,
  ignore: Deno.env.get("HAMR_BIN") !== undefined, // It is about the loop, not the program.
  sanitizeResources: false, // A connection that the script cuts is gone when its server is.
  sanitizeOps: false,
  async fn() {
    const root = Deno.realPathSync(Deno.makeTempDirSync({ prefix: "hamr_property_" }));
    const [workspace, home] = [`${root}/ws`, `${root}/home`];
    Deno.mkdirSync(workspace);
    Deno.mkdirSync(home);
    reset(workspace);
    const runner = new Runner(workspace, { home });
    try {
      await fc.assert(
        fc.asyncProperty(conversation, asked, async (replies, asked) => {
          assert.deepEqual(await faults_of(runner, replies, { workspace, asked }), []);
        }),
        { numRuns: RUNS, endOnFailure: false, examples: [ASKED_ASIDE] },
      );
      await runner.close();
    } finally {
      Deno.removeSync(root, { recursive: true });
    }
  },
});
