/**
 * Both real servers at their standard ports and no flags, on the source and on the binary (`HAMR_BIN`): what becomes of a run whose
 * server is killed, stopped or started again. Where a port is taken: `unshare -n sh -c "ip link set lo up; deno task test:real"`.
 */
import assert from "node:assert/strict";
import { on_standard_ports } from "../support/standard_ports.ts";
import { CALLS, llama_cpp, ollama, type Ran, type Real, until, workspace } from "./support.ts";

type Served = Real & { readonly root?: string };

/** What differs from the server as it is at first. */
interface Change {
  readonly context?: number;
  readonly model?: string;
  /** The folder of an Ollama before. */
  readonly root?: string | undefined;
}

const SERVERS: Readonly<Record<string, (change: Change) => Promise<Served | null>>> = {
  "llama.cpp": ({ context = 8192, model = "smollm2" }) =>
    llama_cpp(8080, context, { alias: model }),
  // Its models stay in their folder; what is new is one more.
  ollama: ({ context = 8192, model = "caller", root }) =>
    ollama(model, {
      ...{ template: CALLS, port: 11_434, env: { OLLAMA_CONTEXT_LENGTH: String(context) } },
      ...(root === undefined ? {} : { root }),
    }),
};

/** Whether the server has begun to read the prompt. */
const BEGUN: Readonly<Record<string, RegExp>> = {
  "llama.cpp": /processing task/,
  ollama: /llama runner started/,
};

interface Case {
  /** Done once the first request is being read; gives the server that is there afterwards. */
  readonly happens: (server: Served, again: (change?: Change) => Promise<Served | null>) => Promise<
    Served | null
  >;
  readonly env?: Readonly<Record<string, string>>;
  readonly judge: (ran: Ran, name: string) => void;
  /** The run sees it, unless the reply is there first: then it is tried again. */
  readonly is_seen?: true;
}

const MOST_TRIES = 3;

/** Sampled, the model calls another tool each time. */
const STEADY = ["--temperature", "0", "--max-output-tokens", "60"];

/** The server gave its replies, and the model ended the run: how well it did the task says nothing about hamr. */
function answered(ran: Ran): void {
  assert.ok(
    ["llm_done", "not_done", "contract_unsatisfied"].includes(ran.result.stop_reason),
    ran.stderr,
  );
  assert.ok(ran.events.some(({ type }) => type === "tool_call"), ran.stderr);
}

const MID_RUN: Readonly<Record<string, Case>> = {
  "it is killed and does not come back": {
    is_seen: true,
    async happens(server) {
      await server.stop();
      return null;
    },
    env: { HAMR_RETRY_MAX_WAIT_S: "3" },
    judge(ran) {
      assert.deepEqual([ran.code, ran.result.stop_reason], [1, "llm_error"], ran.stderr);
      assert.match(ran.result.error?.message ?? "", /it was not back after \d s/);
    },
  },
  "it is killed and started again": {
    is_seen: true,
    async happens(server, again) {
      await server.stop();
      return await again();
    },
    judge(ran) {
      answered(ran);
      assert.equal(ran.result.usage.cache_lost_tokens, 0);
    },
  },
  "it is stopped for a while": {
    async happens(server) {
      server.signal("SIGSTOP");
      await new Promise((resolve) => setTimeout(resolve, 8000));
      server.signal("SIGCONT");
      return server;
    },
    // It is looked at while it is stopped.
    env: { HAMR_AGENT_IDLE_TIMEOUT_S: "3" },
    judge: answered,
  },
  "it is started again with another model": {
    is_seen: true,
    async happens(server, again) {
      await server.stop();
      return await again({ model: "other" });
    },
    judge(ran, name) {
      answered(ran);
      // Ollama loads what it is asked for, whatever else it has.
      assert.equal(ran.result.model.split(":")[0], name === "ollama" ? "caller" : "other");
    },
  },
  "it is started again with a smaller window": {
    is_seen: true,
    async happens(server, again) {
      await server.stop();
      return await again({ context: 2048 });
    },
    judge(ran, name) {
      answered(ran);
      const told = ["the server is back with smollm2, window 2048 tokens"];
      assert.deepEqual(
        ran.result.warnings.filter((one) => /window/.test(one)),
        name === "ollama" ? [] : told,
      );
    },
  },
};

/** A run on a server to which it happens. */
async function play(name: string, { happens, env = {} }: Case): Promise<Ran | null> {
  const serve = SERVERS[name]!;
  let server = await serve({});
  if (server === null) return null;
  const { root } = server;
  try {
    return await workspace(async (_, run) => {
      let happening: Promise<void> | null = null;
      let over = false;
      const ran = await run(
        [...STEADY, "Create a file hello.txt containing hi"],
        env,
        ({ type }) => {
          if (type !== "step_start" || happening !== null) return;
          happening = (async () => {
            const before = server!;
            const begun = () => over || BEGUN[name]!.test(before.log());
            await until("it reads", () => Promise.resolve(begun()));
            if (!over) {
              server = await happens(before, (change = {}) => serve({ ...change, root }));
            }
          })();
        },
      );
      over = true;
      await happening;
      return ran;
    });
  } finally {
    await server?.stop();
  }
}

for (const name of Object.keys(SERVERS)) {
  for (const [what, one] of Object.entries(MID_RUN)) {
    Deno.test(`${name}, ${what}`, () =>
      on_standard_ports(async () => {
        for (let tries = 1;; tries++) {
          const ran = await play(name, one);
          if (ran === null) return;
          const seen = ran.events.some(({ type }) => type === "retry");
          if (!seen && one.is_seen && tries < MOST_TRIES) continue;
          return one.judge(ran, name);
        }
      }));
  }
}
