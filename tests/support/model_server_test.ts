import assert from "node:assert/strict";
import { extends_prefix, raw_value, request_faults } from "./history.ts";
import { ANSWER, bash, type Reply, say, serve_model } from "./model_server.ts";

const user = { role: "user", content: "hi" };
const system = { role: "system", content: "you" };

async function ask(url: string, stream: boolean, messages: unknown[] = [user]): Promise<string> {
  const response = await fetch(`${url}/chat/completions`, {
    method: "POST",
    body: JSON.stringify({ model: "m", stream, messages }),
  });
  return await response.text();
}

function deltas(body: string): Record<string, unknown>[] {
  return body.split(/\r\n|\r|\n/).filter((line) => line.startsWith("data: {"))
    .map((line) => JSON.parse(line.slice(6)).choices[0]?.delta ?? {});
}

Deno.test("scripted model streams text and gives the same whole", async () => {
  const server = serve_model([{ text: "añ世", fragment: 1 }, { text: "añ世" }]);
  const body = await ask(server.url, true);
  assert.equal(deltas(body).map((d) => d["content"] ?? "").join(""), "añ世");
  assert.ok(body.endsWith("data: [DONE]\n\n"));
  const whole = JSON.parse(await ask(server.url, false));
  assert.equal(whole.choices[0].message.content, "añ世");
  assert.deepEqual(server.violations, []);
  await server.close();
});

Deno.test("scripted model cuts the arguments of calls in any place", async () => {
  const calls = [{ name: "a", args: { x: "é\n" } }, { name: "b", args: "{}" }];
  for (const interleave of [true, false]) {
    const server = serve_model([{ calls, fragment: 1, interleave, every: 41 }]);
    const joined = ["", ""];
    for (const delta of deltas(await ask(server.url, true))) {
      for (const part of (delta["tool_calls"] ?? []) as Record<string, never>[]) {
        joined[part["index"]!] += part["function"]!["arguments"];
      }
    }
    assert.deepEqual(joined, ['{"x":"é\\n"}', "{}"]);
    await server.close();
  }
});

Deno.test("scripted model cuts a stream in the middle or cleanly", async () => {
  const server = serve_model([{ text: ANSWER, cut_after: 30 }, {
    text: ANSWER,
    cut_after: 30,
    cut: "clean",
  }]);
  await assert.rejects(ask(server.url, true));
  assert.equal((await ask(server.url, true)).length, 30);
  await server.close();
});

Deno.test("scripted model stalls until it is closed and sees the client leave", async () => {
  const server = serve_model([{ text: ANSWER, stall_after: 10 }, { silent: true }]);
  const leave = new AbortController();
  const response = await fetch(`${server.url}/chat/completions`, {
    method: "POST",
    signal: leave.signal,
    body: JSON.stringify({ model: "m", stream: true, messages: [user] }),
  });
  const reader = response.body!.getReader();
  assert.equal((await reader.read()).value?.length, 10);
  leave.abort();
  await assert.rejects(reader.read());
  const silent = assert.rejects(ask(server.url, true).then((text) => JSON.parse(text)));
  while (!server.requests[0]?.aborted || server.requests.length < 2) {
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  await server.close();
  await silent;
});

Deno.test("scripted model answers with a status, a body and the fixed endpoints", async () => {
  const server = serve_model([{ status: 500, body: "<html>", type: "text/html" }], {
    key: "k",
    llama_ctx: 4096,
    ollama_ctx: 2048,
  });
  const get = async (path: string) => {
    const headers = { authorization: "Bearer k" };
    return await (await fetch(server.origin + path, { headers })).json();
  };
  const denied = await fetch(`${server.url}/models`);
  assert.equal(denied.status, 401);
  await denied.body?.cancel();
  assert.equal((await get("/v1/models")).data[0].id, "scripted");
  assert.equal((await get("/props")).default_generation_settings.n_ctx, 4096);
  assert.equal((await get("/api/ps")).models[0].context_length, 2048);
  assert.equal((await get("/nope")).error.message, "not found");
  const response = await fetch(`${server.url}/chat/completions`, {
    method: "POST",
    headers: { authorization: "Bearer k" },
    body: JSON.stringify({ model: "m", messages: [user] }),
  });
  assert.equal(response.status, 500);
  assert.equal(response.headers.get("content-type"), "text/html");
  assert.equal(await response.text(), "<html>");
  await server.close();
});

Deno.test("scripted model reports an end of its script and a rewritten history", async () => {
  const server = serve_model([say("a"), say("b")]);
  await ask(server.url, false, [system, user]);
  await ask(server.url, false, [system, { role: "user", content: "other" }]);
  await ask(server.url, false, [system, { role: "user", content: "other" }]);
  assert.equal(server.violations.length, 2);
  assert.match(server.violations[0]!, /request 1: .*begin/);
  assert.match(server.violations[1]!, /request 2: the script has only 2 replies/);
  await server.close();
});

Deno.test("history rules: a good one has no faults, each bad one has", () => {
  const tool_call = (id: string, args: string) => ({
    id,
    type: "function",
    function: { name: "bash", arguments: args },
  });
  const calls = (...list: unknown[]) => ({ role: "assistant", content: null, tool_calls: list });
  const result = (id: string) => ({ role: "tool", tool_call_id: id, content: "" });
  const faults = (messages: unknown[], more = {}) =>
    request_faults({ model: "m", messages, ...more });
  const good = [system, user, calls(tool_call("1", "{}"), tool_call("2", "{}"))];
  assert.deepEqual(faults([...good, result("1"), result("2")]), []);
  assert.deepEqual(faults([user, { role: "assistant", content: "x" }, user]), []);
  const bad: [unknown[], RegExp][] = [
    [[...good, result("2"), result("1")], /expected 1/],
    [[...good, result("1")], /without an answer: 2/],
    [[...good, result("1"), result("2"), result("2")], /expected nothing/],
    [[...good, result("1"), result("2"), user], /user after tool/],
    [[user, user], /user after user/],
    [[user, system], /system message after/],
    [[user, { role: "assistant", content: "" }, user], /neither content/],
    [[user, { role: "assistant", content: "x" }], /last message is of assistant/],
    [[user, calls(tool_call("1", '{"a":')), result("1")], /JSON object/],
    [[user, calls(tool_call("1", "[]")), result("1")], /JSON object/],
    [[user, calls(), user], /tool_calls is empty/],
    [[{ role: "developer", content: "x" }, user], /role/],
    [[{ ...user, internal: true }], /unknown property internal/],
  ];
  for (const [messages, fault] of bad) assert.match(faults(messages).join("\n"), fault);
  assert.match(faults([user], { stream_options: {} }).join(), /stream_options/);
  assert.match(faults([user], { tool_choice: "none" }).join(), /tool_choice/);
  assert.match(faults([user], { tools: [{ type: "function" }] }).join(), /not a function/);
});

Deno.test("prefix is judged by bytes, wherever the messages are in the body", () => {
  const a = '{"x":{"messages":[9]},"messages":[{"c":"],\\""}],"t":1}';
  assert.equal(raw_value(a, "messages"), '[{"c":"],\\""}]');
  assert.equal(raw_value(a, "t"), "1");
  assert.equal(raw_value(a, "none"), null);
  assert.ok(extends_prefix(a, '{"messages":[{"c":"],\\""},{"d":1}]}'));
  assert.ok(!extends_prefix(a, '{"messages":[{"c": "],\\""},{"d":1}]}'));
  const body = (...messages: string[]) =>
    JSON.stringify({ messages: messages.map((c) => ({ c })) });
  const said = (text: string) => `x\n\n<hamr>\n${text}\n</hamr>`;
  assert.ok(extends_prefix(body("a", said("Reminder: b")), body("a", "x", "y")));
  assert.ok(!extends_prefix(body("a", said("Hurry.")), body("a", "x", "y")));
  assert.ok(!extends_prefix(body(said("Reminder: b"), "a"), body("x", "a", "y")));
});

Deno.test("scripted model takes a function as its script", async () => {
  const script = (_: unknown, n: number): Reply => n === 0 ? bash("true") : say("end");
  const server = serve_model(script, { one_conversation: false });
  assert.match(await ask(server.url, true), /"name":"bash"/);
  assert.match(await ask(server.url, true), /end/);
  assert.deepEqual(server.violations, []);
  await server.close();
});
