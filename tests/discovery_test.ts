import assert from "node:assert/strict";
import { ANSWER, say } from "./support/model_server.ts";
import { inside_stage, stage, type StageOptions } from "./support/stage.ts";
import { on_standard_ports } from "./support/standard_ports.ts";

/** `run` with none of the variables that a stage sets. */
async function run(
  options: StageOptions,
  judge: (start: Record<string, unknown>, url: string) => void,
) {
  await inside_stage(options, async (s) => {
    const outcome = await s.here(["run", "--output", "jsonl", "What is it?"], { env: {} });
    assert.equal(outcome.code, 0, outcome.stderr);
    assert.equal(outcome.result.final_output, ANSWER);
    judge(outcome.events[0]!, s.server.url);
  });
}

Deno.test("no model anywhere ends in 3 and says how to get one", () =>
  on_standard_ports(async () => {
    await stage({ script: [] }, async (s) => {
      const outcome = await s.hamr(["run", "--json", "What is it?"], { env: {} });
      assert.equal(outcome.code, 3);
      assert.equal(outcome.result.stop_reason, "config_error");
      assert.match(outcome.stderr, /ollama/i);
      assert.match(outcome.stderr, /llama/i);
      assert.match(outcome.stderr, /API_KEY/);
      const env = { OLLAMA_HOST: "me:pw@127.0.0.1:1" };
      const named = await s.hamr(["run", "What is it?"], { env });
      const asked = "OLLAMA_HOST (http://127.0.0.1:1, asked in place of 127.0.0.1:11434)";
      assert.ok(named.stderr.includes(`answered, nor did ${asked}, and`), named.stderr);
    });
  }));

Deno.test("Ollama is found on its port, with the window it has loaded", () =>
  on_standard_ports(async () => {
    await run({ port: 11434, ollama_ctx: 12288, models: ["smol:latest"] }, (start) => {
      assert.equal(start["model"], "smol:latest");
      assert.equal(start["context_window"], 12288);
      assert.match(String(start["window_source"]), /api\/ps/);
      assert.match(String(start["provider"]), /ollama/);
    });
  }));

Deno.test("llama.cpp is found on both of its ports, with the window of its slot", () =>
  on_standard_ports(async () => {
    for (const port of [8080, 9931]) {
      await run({ port, llama_ctx: 8192, models: ["smollm2"] }, (start) => {
        assert.equal(start["model"], "smollm2");
        assert.equal(start["context_window"], 8192);
        assert.match(String(start["window_source"]), /props/);
      });
    }
  }));

Deno.test("LM Studio and vLLM are found on their ports", () =>
  on_standard_ports(async () => {
    for (const port of [1234, 8000]) {
      await run(
        { port, models: ["some/model"] },
        (start) => assert.equal(start["model"], "some/model"),
      );
    }
  }));

Deno.test("a service on a port that is no model server is passed over", () =>
  on_standard_ports(async () => {
    const other = Deno.serve(
      { hostname: "127.0.0.1", port: 8080, onListen: () => {} },
      () => new Response("<html>a web shop</html>", { headers: { "content-type": "text/html" } }),
    );
    try {
      await run({ port: 8000, models: ["some/model"] }, (start) => {
        assert.equal(start["model"], "some/model");
      });
    } finally {
      await other.shutdown();
    }
  }));

Deno.test("a service that never answers does not hold up the search", () =>
  on_standard_ports(async () => {
    const mute = Deno.listen({ hostname: "127.0.0.1", port: 11434 });
    const open: Deno.Conn[] = [];
    const loop = (async () => {
      for await (const connection of mute) open.push(connection);
    })();
    try {
      await run({ port: 8000, models: ["some/model"] }, (start) => {
        assert.equal(start["model"], "some/model");
      });
    } finally {
      mute.close();
      await loop;
      for (const connection of open) connection.close();
    }
  }));

Deno.test("OLLAMA_HOST is where Ollama is looked for", async () => {
  const options: StageOptions = { ollama_ctx: 12_288, models: ["smol:latest"] };
  for (const form of ["127.0.0.1:PORT", "http://127.0.0.1:PORT", "http://127.0.0.1:PORT/"]) {
    await inside_stage(options, async (s) => {
      const env = { OLLAMA_HOST: form.replace("PORT", String(s.server.port)) };
      const outcome = await s.here(["run", "--output", "jsonl", "What is it?"], { env });
      assert.equal(outcome.code, 0, `${form}: ${outcome.stderr}`);
      assert.equal(outcome.events[0]!["model"], "smol:latest");
      assert.equal(outcome.events[0]!["context_window"], 12_288);
      assert.ok(s.server.requests.every(({ native }) => native), "in its own protocol");
    });
  }
});

Deno.test("a base URL is corrected, with and without /v1", async () => {
  for (const form of ["ORIGIN", "ORIGIN/", "ORIGIN/v1", "ORIGIN/v1/"]) {
    await inside_stage({}, async (s) => {
      const url = form.replace("ORIGIN", s.server.origin);
      const { code, stderr } = await s.run("What is it?", "--base-url", url);
      assert.equal(code, 0, `${form}: ${stderr}`);
    });
  }
});

Deno.test("a base URL alone is enough: the model is the one that the server has", async () => {
  await inside_stage({ models: ["only/one"] }, async (s) => {
    const env = { HAMR_BASE_URL: s.server.url };
    const outcome = await s.here(["run", "--json", "What is it?"], { env });
    assert.equal(outcome.code, 0, outcome.stderr);
    assert.equal(s.server.requests[0]!.body.model, "only/one");
  });
});

Deno.test("a service whose key is not set is not asked: that is said, with 4; a server elsewhere needs none", async () => {
  await stage({ script: () => say("Nothing to do here.") }, async (s) => {
    const services = [["openai", "OPENAI_API_KEY"], ["anthropic", "ANTHROPIC_API_KEY"]] as const;
    for (const [provider, variable] of services) {
      const args = ["run", "--quiet", "--provider", provider, "--model", "m", "What?"];
      const { code, stderr } = await s.hamr(args, { env: {} });
      assert.equal(code, 4, stderr);
      assert.equal(
        stderr,
        `hamr: ${provider} needs a key, and none is set: set it in ${variable}\n`,
      );
    }
    const flags = ["--provider", "openai", "--base-url", s.server.url, "--model", "scripted"];
    assert.equal((await s.hamr(["run", ...flags, "What?"])).code, 0);
  });
});

Deno.test("OPENAI_BASE_URL and OPENAI_API_KEY are used where nothing else is said", async () => {
  await inside_stage({ key: "k-1", script: [say(ANSWER)] }, async (s) => {
    const env = { OPENAI_BASE_URL: s.server.url, OPENAI_API_KEY: "k-1", HAMR_MODEL: "m" };
    const outcome = await s.here(["run", "--json", "What is it?"], { env });
    assert.equal(outcome.code, 0, outcome.stderr);
  });
});

Deno.test("a run asks nobody but its model server", async () => {
  await stage({}, async (s) => {
    const proxy = "http://127.0.0.1:9";
    const env = { ...s.env, NO_PROXY: "127.0.0.1", HTTP_PROXY: proxy, HTTPS_PROXY: proxy };
    const { code } = await s.hamr(["run", "What is it?"], { env });
    assert.equal(code, 0);
    for (const path of s.server.paths) {
      assert.match(path, /^(POST \/v1\/chat\/completions|GET \/(v1\/models|props|api\/\w+))$/);
    }
  });
});
