/** A model that any agent can be driven with: it calls whichever tool runs a shell, as that tool's schema says. */
import { stream_body, whole_body } from "../../../tests/support/responses_server.ts";

/** What the model does. */
export type Behavior = "steps" | "500" | "empty" | "loop";

/** How many commands `steps` asks for before it answers. */
export const STEPS = 10;

/** What mini-swe-agent wants to see as the first line of a command's output, instead of an answer. */
const SUBMIT = "COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT";

/** A request for a reply. */
export interface Asked {
  /** Milliseconds of the clock of this process. */
  readonly at: number;
  /** When its reply was sent. */
  readonly sent: number;
  readonly bytes: number;
  /** Whether it offers tools: titles and the like are asked for without. */
  readonly has_tools: boolean;
}

/** A running server. */
export interface Server {
  readonly url: string;
  readonly asked: readonly Asked[];
  close(): Promise<void>;
}

/** A tool, in either wire format. */
interface Tool {
  readonly name?: string;
  readonly parameters?: Schema;
  readonly function?: { readonly name: string; readonly parameters?: Schema };
}

interface Schema {
  readonly properties?: Readonly<Record<string, { readonly type?: string | readonly string[] }>>;
  readonly required?: readonly string[];
}

/** The call that runs a command, by the tools of a request. */
export function shell_call(
  tools: readonly Tool[],
  command: string,
): { readonly name: string; readonly args: Record<string, unknown> } {
  const known = tools.map((tool) => ({
    name: tool.function?.name ?? tool.name ?? "",
    schema: tool.function?.parameters ?? tool.parameters ?? {},
  }));
  const tool = ["bash", "shell_command", "exec_command", "run_shell_command", "shell"]
    .flatMap((name) => known.filter((one) => one.name === name))[0];
  if (tool === undefined) {
    throw new Error(`no tool runs a shell: ${known.map(({ name }) => name).join(", ")}`);
  }
  const { properties = {}, required = [] } = tool.schema;
  const args: Record<string, unknown> = {};
  for (
    const name of new Set([
      ...required,
      ...["command", "cmd"].filter((one) => one in properties),
    ])
  ) {
    const type = properties[name]?.type;
    if (name === "command" || name === "cmd") {
      args[name] = type === "array" ? ["bash", "-c", command] : command;
    } else {
      args[name] = type === "boolean" ? false : type === "number" ? 10_000 : "a step";
    }
  }
  return { name: tool.name, args };
}

/** Serves `behavior` on loopback, by Chat Completions and by Responses. `before` is called before the reply to a request with tools. */
export function serve(behavior: Behavior, before: () => void = () => {}): Server {
  const asked: Asked[] = [];
  let done = 0;
  const server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen() {} }, async (request) => {
    const at = performance.now();
    const { pathname } = new URL(request.url);
    if (request.method !== "POST") {
      const model = { id: "scripted", object: "model", created: 0, owned_by: "bench" };
      return pathname.endsWith("/models")
        ? Response.json({ object: "list", data: [model], models: [] })
        : new Response("", { status: 404 });
    }
    const bytes = await request.bytes();
    if (!/\/(?:chat\/completions|responses)$/.test(pathname)) {
      return new Response("", { status: 404 });
    }
    const text = new TextDecoder().decode(bytes);
    const body = JSON.parse(text);
    const tools: Tool[] = body.tools ?? [];
    const has_tools = tools.length > 0;
    if (has_tools) before();
    const record = () =>
      void asked.push({ at, sent: performance.now(), bytes: bytes.length, has_tools });
    if (behavior === "500") {
      record();
      return Response.json({ error: { message: "it broke", type: "server_error" } }, {
        status: 500,
      });
    }
    const reply = !has_tools
      ? { text: "A title" }
      : behavior === "empty"
      ? { text: "" }
      : behavior === "loop"
      ? { calls: [shell_call(tools, "ls")] }
      : done++ < STEPS
      ? { calls: [shell_call(tools, `echo step ${done}`)] }
      : text.includes(SUBMIT)
      ? { calls: [shell_call(tools, `echo ${SUBMIT}`)] }
      : { text: "All steps are done." };
    const n = asked.length;
    const responses = pathname.endsWith("/responses");
    const said = responses
      ? body.stream ? stream_body(reply, n) : whole_body(reply, n)
      : chat(reply, { n, streamed: body.stream === true });
    record();
    const type = body.stream ? "text/event-stream" : "application/json";
    return new Response(said, { headers: { "content-type": type } });
  });
  return {
    url: `http://127.0.0.1:${server.addr.port}/v1`,
    asked,
    close: () => server.shutdown(),
  };
}

interface Said {
  readonly text?: string;
  readonly calls?: readonly { readonly name: string; readonly args: Record<string, unknown> }[];
}

/** The body of a reply in the format of Chat Completions. */
function chat({ text, calls }: Said, { n, streamed }: { n: number; streamed: boolean }): string {
  const tool_calls = calls?.map(({ name, args }, index) => ({
    ...{ index, id: `call_${n}_${index}`, type: "function" },
    function: { name, arguments: JSON.stringify(args) },
  }));
  const message = { role: "assistant", content: text ?? null, ...(calls ? { tool_calls } : {}) };
  const finish_reason = calls ? "tool_calls" : "stop";
  const usage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 };
  const head = { id: `c${n}`, created: 1_700_000_000, model: "scripted" };
  if (!streamed) {
    const choices = [{ index: 0, message, finish_reason }];
    return JSON.stringify({ ...head, object: "chat.completion", choices, usage });
  }
  const chunk = (choices: unknown[], more = {}) =>
    `data: ${JSON.stringify({ ...head, object: "chat.completion.chunk", choices, ...more })}\n\n`;
  return chunk([{ index: 0, delta: message, finish_reason: null }]) +
    chunk([{ index: 0, delta: {}, finish_reason }]) + chunk([], { usage }) + "data: [DONE]\n\n";
}
