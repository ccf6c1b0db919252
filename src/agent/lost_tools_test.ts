import { match, strictEqual } from "node:assert/strict";
import { serve_raw, whole } from "../model/_testing.ts";
import { chat_completions } from "../model/protocols/chat_completions.ts";
import type { Endpoint } from "../model/server/endpoint.ts";
import type { ToolCall, Usage } from "../model/message.ts";
import { check_usage, may_lack_tools } from "./check_usage.ts";
import { History, tool_tokens } from "./history.ts";
import { fresh_state } from "./state.ts";
import { NO_TAPE } from "./pending_writes.ts";

const TOOLS = ["read", "edit", "write", "bash"].map((name) => ({
  name,
  description: "Does something to a file, or to several of them, as it is told. ".repeat(5),
  parameters: {
    type: "object" as const,
    properties: { path: { type: "string" } },
    required: ["path"],
    additionalProperties: false as const,
  },
}));

/** How a server counts a prompt. */
interface Case {
  /** Tokens that it takes for one of the estimate. */
  readonly ratio?: number;
  /** Part of the tools that its template renders: some are shorter than JSON, and some are none. */
  readonly tools: number;
  /** Default: a short task. */
  readonly task?: string;
  readonly offered?: number;
  /** What of the counts it says: default all. */
  readonly count?: (tokens: number, nth: number) => number | null;
  readonly calls?: readonly ToolCall[];
  readonly server?: Endpoint["server"];
  readonly probes?: boolean;
}

const CALL = { id: "c", name: "read", arguments: "{}" };
const CASES: Readonly<Record<string, readonly [Case, lost: boolean]>> = {
  "tools are left out": [{ tools: 0, probes: true }, true],
  "tools are left out, and tokens are short": [{ tools: 0, ratio: 1.35, probes: true }, true],
  "tools are left out, and tokens are long": [{ tools: 0, ratio: 0.6, probes: true }, true],
  "tools are left out beside a longer task": [
    { tools: 0, task: "word ".repeat(600), probes: true },
    true,
  ],
  "nothing is tried beside a task that is too long to tell": [
    { tools: 0, task: "word ".repeat(4000), probes: false },
    false,
  ],
  "tools are read": [{ tools: 1, probes: false }, false],
  "tools are read, and tokens are long": [{ tools: 1, ratio: 0.6 }, false],
  "tools are read, and tokens are short": [{ tools: 1, ratio: 1.4 }, false],
  "tools are rendered as shorter than JSON": [{ tools: 0.4, ratio: 0.6 }, false],
  "one small tool": [{ tools: 1, offered: 1, probes: true }, false],
  "a few tools beside a long task": [
    { tools: 1, task: "word ".repeat(600), ratio: 0.7, probes: true },
    false,
  ],
  "who calls has been told": [{ tools: 0, calls: [CALL], probes: false }, false],
  "no tools are offered": [{ tools: 0, offered: 0, probes: false }, false],
  "what is in the cache is not counted": [{ tools: 1, count: () => 12, probes: false }, false],
  "what is in the cache is not counted, and the task is long": [
    { tools: 1, task: "word ".repeat(900), count: (tokens, n) => n < 1 ? tokens - 90 : 7 },
    false,
  ],
  "every prompt has the same count": [{ tools: 0, count: () => 350, probes: false }, false],
  "nothing is counted": [{ tools: 0, count: () => null, probes: true }, false],
  "no stream is counted": [
    { tools: 0, count: (tokens, n) => n < 2 ? null : tokens, probes: true },
    true,
  ],
  "no stream is counted, and tools are read": [
    { tools: 1, count: (tokens, n) => n < 2 ? null : tokens, probes: true },
    false,
  ],
  "no stream is counted, and it calls": [
    { tools: 0, calls: [CALL], count: (tokens, n) => n < 2 ? null : tokens, probes: false },
    false,
  ],
  "it pretends to count": [{ tools: 0, count: () => 10, probes: false }, false],
  "later it does not count": [
    { tools: 0, count: (tokens, n) => n < 2 ? tokens : null, probes: true },
    false,
  ],
  "llama.cpp renders when it is asked": [
    { tools: 0, server: "llama.cpp", probes: false },
    false,
  ],
};

for (const [name, [given, lost]] of Object.entries(CASES)) {
  Deno.test(`tools that a server leaves out: ${name}`, async () => {
    const { ratio = 1, offered = 4, count = (tokens) => tokens, calls = [] } = given;
    const tools = TOOLS.slice(0, offered);
    let asked = 0;
    const tokens_of = (body: string) => {
      const { messages, tools = [] } = JSON.parse(body);
      const chars = JSON.stringify(messages).length + given.tools * JSON.stringify(tools).length;
      return count(Math.ceil((ratio * chars) / 4), asked++);
    };
    await using server = serve_raw(({ headers, body, write }) => {
      // As FastAPI does, and with it most servers in Python.
      const read = headers.get("content-type") === "application/json";
      const prompt_tokens = read ? tokens_of(body) : null;
      const usage = prompt_tokens === null ? {} : { usage: { prompt_tokens } };
      return write(whole(JSON.stringify({ choices: [], ...usage }), { type: "application/json" }));
    });
    const history = new History({ ...chat_completions, before: () => "[" }, "m");
    history.append({ role: "system", content: "You work in a folder. ".repeat(60) });
    history.append({ role: "user", content: given.task ?? "Say what is in it." });
    history.seal();
    const endpoint: Endpoint = {
      ...{ provider: "openai-compatible", api_mode: "chat_completions", model: "m", headers: {} },
      ...{ key: "", key_env: "", context_window: 32_768, window_known: true, price: null },
      ...{ window_source: "setting", proxied: false, base_url: `${server.origin}/v1` },
      ...(given.server === undefined ? {} : { server: given.server }),
    };
    const usage = (): Usage | null => {
      const messages = JSON.parse(new TextDecoder().decode(history.request("]")));
      const input_tokens = tokens_of(JSON.stringify({ messages, tools }));
      return input_tokens === null
        ? null
        : { input_tokens, output_tokens: 5, cached_tokens: 0, reasoning_tokens: 0 };
    };
    const session = {
      ...{
        endpoint,
        history,
        state: fresh_state("auto"),
        tape: NO_TAPE,
        wire: chat_completions,
        tools,
      },
      tool_tokens: tools.length === 0 ? 0 : tool_tokens(tools),
      limits: { max_output_tokens: 4096 },
      emit: () => {},
    };
    const first = await check_usage(session, { usage: usage(), tool_calls: calls });
    strictEqual(first, null, "one count alone says nothing");
    history.append({ role: "assistant", content: "I would look into it, but I know no tool." });
    history.append({ role: "user", content: "What did the commands show?" });
    history.seal();
    const news = await check_usage(session, { usage: usage(), tool_calls: calls });
    strictEqual(news !== null && "no_tools" in news, lost);
    if (news !== null) match(String(Object.values(news)[0]), /^m does not see them/);
    if (given.probes !== undefined) strictEqual(server.requests.length > 0, given.probes);
    const again = await check_usage(session, { usage: usage(), tool_calls: calls });
    strictEqual(again, null, "it is looked at once");
  });
}

Deno.test("a count is doubted where the messages alone could take as much", () => {
  const found = (messages: number, tools: number, counts: readonly number[]) =>
    counts.filter((counted) => may_lack_tools(counted, { messages, tools })).join();
  strictEqual(found(1000, 800, [0, 10, 599, 600, 1000, 1400, 1401, 1800]), "600,1000,1400");
  strictEqual(found(4000, 1000, [4000]), "4000");
  strictEqual(found(4001, 1000, [4001]), "");
});
