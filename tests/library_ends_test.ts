/** The library: how an agent ends, or its program. */
import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { agent_on } from "./support/agent.ts";
import { bash, say, type Script } from "./support/model_server.ts";
import { type Stage, stage } from "./support/stage.ts";

/** A program of its own, with the library; `server` are the options for that of the stage. */
function embedder(s: Stage, code: string): string[] {
  const [mod, config] = ["mod.ts", "deno.json"].map((name) =>
    fileURLToPath(new URL(`../${name}`, import.meta.url))
  );
  const server = JSON.stringify({ baseUrl: s.server.url, model: "m" });
  s.outside.write(
    "embeds.ts",
    `import { createAgent } from ${JSON.stringify(mod)};\nconst server = ${server};\n${code}`,
  );
  return [Deno.execPath(), "run", "-A", "--quiet", "--config", config!, s.outside.at("embeds.ts")];
}

Deno.test("library: a program that is killed in a task loses none of the tasks before", async () => {
  const script = [say("One."), bash("touch began; sleep 60"), say("I looked: nothing is lost.")];
  await stage({ script }, async (s) => {
    const program = embedder(
      s,
      `
const agent = await createAgent(server);
await agent.chat("First");
await agent.chat("Second");
`,
    );
    const running = s.start([], { program });
    while (!s.ws.exists("began")) await new Promise((resolve) => setTimeout(resolve, 20));
    running.kill("SIGKILL");
    await running.done.catch(() => {});
    const { code, result } = await s.hamr(["resume", "Go on", "--json"]);
    assert.deepEqual([code, result.final_output], [0, "I looked: nothing is lost."]);
    const told = JSON.stringify(s.server.requests.at(-1)?.body.messages);
    assert.match(told, /One\..*Second.*was cut off during this call/s);
  });
});

Deno.test("library: an agent is closed at once, also where its server takes requests and says nothing", async () => {
  const server = Deno.listen({ port: 0, hostname: "127.0.0.1" });
  const asked = Promise.withResolvers<void>();
  const silent: Deno.Conn[] = [];
  const taken = (async () => {
    for await (const one of server) {
      silent.push(one);
      asked.resolve();
    }
  })();
  const baseUrl = `http://127.0.0.1:${(server.addr as Deno.NetAddr).port}/v1`;
  // Without a model, the server is asked for one before the first request.
  for (const model of ["m", ""]) {
    await stage({ script: [] }, async (s) => {
      const agent = await agent_on(s, { baseUrl, model });
      const { result } = agent.run("Hello");
      await asked.promise;
      await agent.close();
      assert.equal((await result).stop_reason, "user_interrupt");
    });
  }
  server.close();
  silent.forEach((one) => one.close());
  await taken;
});

/** All paths below a folder. */
function below(folder: string): readonly string[] {
  return [...Deno.readDirSync(folder)].flatMap(({ name, isDirectory }) => [
    `${folder}/${name}`,
    ...(isDirectory ? below(`${folder}/${name}`) : []),
  ]);
}

Deno.test("library: after tools that could not start the agent works on, and leaves neither thread nor folder", async () => {
  const { Worker } = globalThis;
  const script = [bash("echo a"), bash("echo b"), say("I ran it: it printed b.")];
  await stage({ script, one_conversation: false }, async (s) => {
    const tmp = s.outside.at("tmp");
    const shared = s.outside.at("shared");
    let alive = 0;
    globalThis.Worker = class extends Worker {
      constructor(...made: ConstructorParameters<typeof Worker>) {
        super(...made);
        // The first finds one of its folders gone.
        if (alive++ === 0) Deno.removeSync(shared);
      }

      override terminate(): void {
        alive--;
        super.terminate();
      }
    };
    try {
      for (const folder of [tmp, shared]) Deno.mkdirSync(folder);
      // As npx has it, so that settings are lent there.
      s.home.write(".npmrc", "fund=false\n");
      const env = {
        ...{ ...s.env, HOME: s.home.path, PATH: Deno.env.get("PATH") ?? "", TMPDIR: tmp },
        npm_config_userconfig: s.home.at(".npmrc"),
      };
      await using agent = await agent_on(s, { allowWrite: [shared], env });
      const refused = await agent.run("Run it").result;
      assert.equal(refused.stop_reason, "config_error");
      assert.doesNotMatch(refused.warnings.join("\n"), /look at the workspace/);
      assert.match(refused.error?.message ?? "", /opening .*shared/);
      assert.deepEqual([alive, below(tmp)], [0, []]);
      Deno.mkdirSync(shared);
      alive = 1;
      assert.equal(await agent.chat("Run it again"), "I ran it: it printed b.");
      await agent.close();
      assert.deepEqual([alive, below(tmp)], [1, []]);
    } finally {
      globalThis.Worker = Worker;
    }
  });
});

Deno.test("library: agents that are closed leave no file open, and the program ends by itself", async () => {
  const script: Script = ({ body }) =>
    body.messages.at(-1)?.role === "tool" ? say("I ran it.") : bash("echo a");
  await stage({ script, one_conversation: false }, async (s) => {
    const program = embedder(
      s,
      `
for (const _ of "ab") {
  const agent = await createAgent(server);
  await agent.chat("Run it");
  await agent.close();
}
const left = () =>
  [...Deno.readDirSync("/proc/self/fd")].map(({ name }) => {
    try {
      return Deno.readLinkSync("/proc/self/fd/" + name);
    } catch {
      return "";
    }
  }).filter((link) => /journal|seccomp|oom_score_adj/.test(link));
// The kernel tells a moment later that the last of a sandbox has ended.
for (let look = 0; look < 500 && Deno.build.os === "linux" && left().length > 0; look++) {
  await new Promise((resolve) => setTimeout(resolve, 20));
}
console.log(Deno.build.os === "linux" ? left() : []);
`,
    );
    assert.equal((await s.start([], { program }).done).stdout, "[]\n");
  });
});
