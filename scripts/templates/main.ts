/**
 * Renders one conversation through chat templates by a llama.cpp server, and tells what each makes of it. Prints the table of
 * docs/local-models.md.
 *
 *     deno run -A scripts/templates/main.ts LLAMA_SERVER MODEL.gguf FOLDER_OF_TEMPLATES
 */

/** What a template makes of a conversation. */
interface Row {
  readonly name: string;
  /** The prompt is another one with tools. */
  readonly tools: boolean;
  /** A call, and its result, are in the next prompt. */
  readonly calls: boolean;
  /** Reasoning is in the next prompt of its turn, and still after a message of the user. */
  readonly reasoning: string;
  /** Part of a prompt that the next one begins with. */
  readonly step: string;
  readonly message: string;
  /** The same for words of `hamr` after an answer, said as `hamr` says them. */
  readonly nudge: string;
  readonly refuses: string;
}

const [server, model, folder] = Deno.args;
if (server === undefined || model === undefined || folder === undefined) {
  throw new Error("usage: main.ts LLAMA_SERVER MODEL.gguf FOLDER_OF_TEMPLATES");
}
/** Beside the ports that servers listen on by default. */
const PORT = 18_123;
const ORIGIN = `http://127.0.0.1:${PORT}`;
const START_MS = 60_000;

const tools = [{
  type: "function",
  function: {
    name: "probe_tool",
    description: "Reads one file.",
    parameters: { type: "object", properties: { path: { type: "string" } }, required: ["path"] },
  },
}];
const begin = [{ role: "system", content: "SYSTEM" }, { role: "user", content: "USER ONE" }];

function call(n: number, more: Record<string, unknown> = {}): readonly unknown[] {
  const id = `call0000${n}`;
  return [
    {
      role: "assistant",
      content: "",
      tool_calls: [{
        id,
        type: "function",
        function: { name: "probe_tool", arguments: JSON.stringify({ path: `PATH${n}` }) },
      }],
      ...more,
    },
    { role: "tool", tool_call_id: id, content: `RESULT${n}` },
  ];
}

const thought = (n: number) => ({ reasoning_content: `THOUGHT${n}` });
const answer = (n: number): readonly [object, object] => [
  { role: "assistant", content: `ANSWER${n}`, ...thought(n) },
  { role: "user", content: `USER AGAIN${n}` },
];
const two_calls = [
  {
    role: "assistant",
    content: "",
    tool_calls: [1, 2].map((n) => ({
      id: `call0000${n}`,
      type: "function",
      function: { name: "probe_tool", arguments: '{"path":"a"}' },
    })),
  },
  ...[1, 2].map((n) => ({ role: "tool", tool_call_id: `call0000${n}`, content: "RESULT" })),
];

/** The prompt, or the refusal. */
async function render(messages: readonly unknown[], offered: readonly unknown[] = tools) {
  const body = JSON.stringify({ messages, ...(offered.length === 0 ? {} : { tools: offered }) });
  const response = await fetch(`${ORIGIN}/apply-template`, { method: "POST", body });
  const said = await response.json();
  return { prompt: String(said.prompt ?? ""), error: String(said.error?.message ?? "") };
}

/** Part of a prompt with which the next one begins; NaN where one is refused. */
function shared(before: string, after: string): number {
  let at = 0;
  while (at < before.length && before[at] === after[at]) at++;
  return before === "" || after === "" ? NaN : at / before.length;
}

function percent(part: number): string {
  return Number.isNaN(part) ? "?" : `${Math.floor(100 * part)}%`;
}

async function measure(name: string): Promise<Row> {
  const step1 = [...begin, ...call(1, thought(1))];
  const step2 = [...step1, ...call(2, thought(2))];
  const ended = [...step2, ...answer(3)];
  // As src/model/server/llama_cpp.ts tells which way is taken.
  const as_result = [...step2, answer(3)[0], { ...call(2)[1] as object, content: "NUDGE" }];
  const [with_tools, without, one, two, asked, told] = await Promise.all([
    render(begin),
    render(begin, []),
    render(step1),
    render(step2),
    render(ended),
    render(as_result),
  ]);
  const long_id = JSON.parse(
    JSON.stringify([...begin, ...call(1)]).replaceAll("call00001", "a-longer-id_1"),
  );
  const [several, ids, alternate] = await Promise.all([
    render([...begin, ...two_calls]),
    render(long_id),
    render([...begin, ...call(1), { role: "user", content: "AGAIN" }]),
  ]);
  const refusals = [
    several.error === "" || two.error !== "" ? "" : "two calls in a message",
    ids.error === "" || one.error !== "" ? "" : "ids of other servers",
    alternate.error === "" || one.error !== "" ? "" : "a user after a result",
    one.error === "" ? "" : `calls (${one.error.replaceAll(/\s+/g, " ").slice(0, 60)})`,
  ];
  const in_turn = two.prompt.includes("THOUGHT1");
  const later = asked.prompt.includes("THOUGHT1");
  return {
    name: name.replace(/\.jinja$/, ""),
    tools: with_tools.prompt !== without.prompt,
    calls: one.prompt.includes("PATH1") && one.prompt.includes("RESULT1"),
    reasoning: !in_turn ? "no" : later ? "kept" : "in its turn",
    step: percent(shared(one.prompt, two.prompt)),
    message: percent(shared(two.prompt, asked.prompt)),
    nudge: percent(
      Math.max(
        shared(two.prompt, asked.prompt),
        told.prompt.includes("NUDGE") ? shared(two.prompt, told.prompt) : 0,
      ),
    ),
    refuses: refusals.filter((text) => text !== "").join(", "),
  };
}

async function with_server<T>(template: string, work: () => Promise<T>): Promise<T | null> {
  const child = new Deno.Command(server!, {
    args: [
      ...["-m", model!, "--host", "127.0.0.1", "--port", String(PORT), "--offline", "-np", "1"],
      ...["-c", "512", "--jinja", "--chat-template-file", template],
    ],
    stdin: "null",
    stdout: "null",
    stderr: "null",
  }).spawn();
  let ended = false;
  const gone = child.status.then(() => ended = true);
  try {
    const until = performance.now() + START_MS;
    while (!ended && performance.now() < until) {
      const health = await fetch(`${ORIGIN}/health`).catch(() => null);
      await health?.body?.cancel();
      if (health?.ok) return await work();
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    return null;
  } finally {
    if (!ended) child.kill("SIGKILL");
    await gone;
  }
}

const names = [...Deno.readDirSync(folder)].map(({ name }) => name)
  .filter((name) => name.endsWith(".jinja")).sort();
const print = (text: string) => Deno.stdout.writeSync(new TextEncoder().encode(`${text}\n`));
print(
  "| template | told of tools | calls and results | reasoning | next step | next message | next nudge | refuses |",
);
print("| --- | --- | --- | --- | --- | --- | --- | --- |");
for (const name of names) {
  const row = await with_server(`${folder}/${name}`, () => measure(name));
  const yes = (value: boolean) => value ? "yes" : "**no**";
  print(
    row === null
      ? `| ${name} | does not start | | | | | | |`
      : `| ${row.name} | ${yes(row.tools)} | ${
        yes(row.calls)
      } | ${row.reasoning} | ${row.step} | ${row.message} | ${row.nudge} | ${row.refuses} |`,
  );
}
