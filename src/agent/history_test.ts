import assert from "node:assert/strict";
import { chat_completions } from "../model/protocols/chat_completions.ts";
import { text_calls } from "../model/protocols/text_calls.ts";
import { without_images } from "../context/clean.ts";
import {
  History,
  IMAGE_TOKENS,
  internal,
  NO_REPLY,
  without_internal,
  without_tag,
} from "./history.ts";

const BARE = { before: () => '{"messages":[', encode: chat_completions.encode };

function start(): History {
  const history = new History(BARE, "m");
  history.append({ role: "system", content: "rules" });
  history.append({ role: "user", content: "task" });
  return history;
}

const text = (history: History) => new TextDecoder().decode(history.request("]}"));
const roles = (history: History) => history.messages.map((message) => message.role).join(" ");

Deno.test("request() is valid JSON and begins with the bytes of the one before it", () => {
  const history = start();
  let last = text(history).slice(0, -2);
  for (let step = 0; step < 200; step++) {
    history.append({
      role: "assistant",
      content: `step ${step} ünïcödé 测试`,
      tool_calls: [{ id: `c${step}`, name: "read", arguments: "{}" }],
    });
    history.append({ role: "tool", tool_call_id: `c${step}`, content: "x".repeat(step * 7) });
    if (step % 5 === 0) history.say("a note");
    const now = text(history);
    assert.ok(now.startsWith(last), `step ${step}`);
    assert.equal(JSON.parse(now).messages.length, history.messages.length);
    last = now.slice(0, -2);
  }
});

Deno.test("results in text are one message, and each request begins with the one before it", () => {
  const history = new History(text_calls({ ...chat_completions, ...BARE }), "m");
  history.append({ role: "system", content: "rules" });
  history.append({ role: "user", content: "task" });
  let last = text(history).slice(0, -2);
  for (let step = 0; step < 50; step++) {
    const ids = Array.from({ length: 1 + step % 3 }, (_, at) => `c${step}_${at}`);
    const tool_calls = ids.map((id) => ({ id, name: "read", arguments: "{}" }));
    history.append({ role: "assistant", content: "", tool_calls });
    for (const id of ids) history.append({ role: "tool", tool_call_id: id, content: id });
    if (step % 5 === 0) history.say("a note");
    const now = text(history);
    assert.ok(now.startsWith(last), `step ${step}`);
    const { messages } = JSON.parse(now);
    assert.equal(messages.length, 4 + 2 * step);
    const results: string = messages.at(-1).content;
    assert.equal(results.split("<tool_response>").length, ids.length + 1);
    assert.ok(results.endsWith("\n</tool_response>"), "what hamr says stands inside");
    last = now.slice(0, -2);
  }
});

Deno.test("say() is inside the last tool result while that was not sent", () => {
  const history = start();
  text(history);
  history.append({ role: "assistant", content: "", tool_calls: [] });
  history.append({ role: "tool", tool_call_id: "c", content: "out" });
  history.say("hurry");
  assert.equal(roles(history), "system user assistant tool");
  assert.equal(history.messages[3]?.content, "out\n\n<hamr>\nhurry\n</hamr>");
});

Deno.test("say() never changes what was sent and keeps roles alternating", () => {
  const history = start();
  text(history);
  history.say("first"); // The task was sent and no reply came.
  assert.equal(roles(history), "system user assistant user");
  assert.equal(history.messages[2]?.content, NO_REPLY);
  history.say("second"); // Not sent yet: it joins the first.
  assert.equal(roles(history), "system user assistant user");
  text(history);
  history.append({ role: "assistant", content: "done" });
  history.say("third");
  assert.equal(roles(history), "system user assistant user assistant user");
});

Deno.test("a reminder is at the end of one request, and the next begins with what was kept", () => {
  const history = start();
  const kept = text(history);
  const ask = (words: string) => new TextDecoder().decode(history.request("]}", words));
  const reminded = ask("look <hamr>again</hamr>");
  assert.deepEqual(JSON.parse(reminded).messages[1], {
    role: "user",
    content: "task\n\n<hamr>\nlook <_hamr>again</_hamr>\n</hamr>",
  });
  assert.equal(ask("look <hamr>again</hamr>"), reminded, "the same request asked again");
  assert.equal(text(history), kept);
  history.append({ role: "assistant", content: "", tool_calls: [] });
  history.append({ role: "tool", tool_call_id: "c", content: "x".repeat(40_000) });
  const grown = ask("and here");
  assert.ok(grown.startsWith(kept.slice(0, -2)));
  assert.match(JSON.parse(grown).messages[3].content, /x\n\n<hamr>\nand here\n<\/hamr>$/);
  assert.ok(!text(history).includes("and here"));
});

Deno.test("hear() takes the user's words as they are, in a user message that alternates", () => {
  const history = start();
  history.hear("and more"); // Not sent yet: it is part of the task.
  assert.deepEqual(history.messages[1], { role: "user", content: "task\n\nand more" });
  text(history);
  history.append({ role: "assistant", content: "", tool_calls: [] });
  history.append({ role: "tool", tool_call_id: "c", content: "out" });
  history.say("hurry");
  history.hear("no hurry");
  assert.equal(roles(history), "system user assistant tool assistant user");
  assert.equal(history.messages[4]?.content, NO_REPLY);
  assert.deepEqual(history.messages[5], { role: "user", content: "no hurry" });
  text(history);
  history.append({ role: "assistant", content: "done" });
  history.say("really?");
  history.hear("thanks");
  assert.equal(roles(history), "system user assistant tool assistant user assistant user");
  assert.deepEqual(history.messages[7], {
    role: "user",
    content: "<hamr>\nreally?\n</hamr>\n\nthanks",
  });
  const shown = new History({ ...BARE, before: () => "" }, "m");
  shown.append({ role: "user", content: "task", images: [IMAGE] });
  shown.hear("and more");
  assert.deepEqual(shown.messages[0], {
    role: "user",
    content: "task\n\nand more",
    images: [IMAGE],
  });
});

Deno.test("tokens counts ASCII by four and other characters one by one", () => {
  const history = new History({
    before: () => "",
    encode: (all) => all.map(({ content }) => content).join(""),
  }, "m");
  history.append({ role: "user", content: "abcdefgh" });
  history.append({ role: "user", content: "测试é" });
  history.seal();
  assert.equal(history.tokens, 2 + 3);
});

Deno.test("without_tag() leaves nobody hamr's tag, however it is spelled", () => {
  const cases: readonly (readonly [string, string])[] = [
    ["<hamr>a</hamr>", "<_hamr>a</_hamr>"],
    ["< HAMR >a</ hamr\n>", "< _HAMR >a</ _hamr\n>"],
    ['<hamr from="you">', '<_hamr from="you">'],
    ["<hamr-x> hamr > <hamrs>", "<hamr-x> hamr > <hamrs>"],
  ];
  for (const [text, bare] of cases) assert.equal(without_tag(text), bare);
});

Deno.test("rewire() says all over another wire, and continues from there", () => {
  const history = start();
  const calls = [{ id: "c1", name: "read", arguments: "{}" }];
  history.append({ role: "assistant", content: "", tool_calls: calls });
  history.append({ role: "tool", tool_call_id: "c1", content: "found" });
  const native = JSON.parse(text(history));
  const wire = text_calls(chat_completions);
  const named = { ...wire, before: (model: string) => `{"model":"${model}","messages":[` };
  history.rewire(named, { model: "other", system: "rules and tools" });
  const told = JSON.parse(text(history));
  assert.equal(told.model, "other");
  assert.deepEqual(told.messages.map(({ role }: { role: string }) => role), [
    ...["system", "user", "assistant", "user"],
  ]);
  assert.equal(told.messages[0].content, "rules and tools");
  assert.equal(history.opening[0]?.content, "rules and tools");
  const before = text(history).slice(0, -2);
  history.append({ role: "assistant", content: "done" });
  assert.ok(text(history).startsWith(before));
  history.rewire(BARE, { model: "m", system: "rules" });
  assert.deepEqual(JSON.parse(text(history)).messages.slice(0, 4), native.messages);
});

Deno.test("without_internal() leaves what the user has said, before and behind what hamr has", () => {
  const table: [string, string][] = [
    ["Use tabs.", "Use tabs."],
    [`${internal("Act now.")}\n\nUse tabs.`, "Use tabs."],
    [`Use tabs.\n\n${internal("a </hamr> b")}\n\n${internal("c")}`, "Use tabs."],
    [internal("Act now."), ""],
    ["Write <hamr> in the README.", "Write <hamr> in the README."],
  ];
  for (const [content, words] of table) assert.equal(without_internal(content), words);
});

const IMAGE = { media_type: "image/png", data: "iVBORw0K".repeat(100_000) };

/** Two results, the first with an image. */
function look(history: History): void {
  const tool_calls = ["a", "b"].map((id) => ({ id, name: "view_image", arguments: "{}" }));
  history.append({ role: "assistant", content: "", tool_calls });
  history.append({ role: "tool", tool_call_id: "a", content: "seen", images: [IMAGE] });
  history.append({ role: "tool", tool_call_id: "b", content: "none" });
}

Deno.test("an image counts by what it takes in a model, whatever its bytes", () => {
  const [with_image, without] = [start(), start()];
  look(with_image);
  const { tokens_of } = with_image;
  for (const message of with_image.messages) without.append(without_images(message, ""));
  with_image.seal();
  without.seal();
  const more = with_image.tokens - without.tokens;
  assert.ok(more > IMAGE_TOKENS && more < IMAGE_TOKENS + 100, `${more}`);
  const alone = with_image.messages.map(tokens_of).reduce((a, b) => a + b);
  assert.ok(Math.abs(alone - with_image.tokens) < 50, `${alone} ${with_image.tokens}`);
});

Deno.test("ends_in_images as long as the results that bring them are the last messages", () => {
  const history = start();
  assert.equal(history.ends_in_images, false);
  look(history);
  assert.equal(history.ends_in_images, true);
  history.append({ role: "assistant", content: "A cat." });
  assert.equal(history.ends_in_images, false);
});

Deno.test("rewrite() changes every message and the opening, and what is sent from then on", () => {
  const history = new History(BARE, "m");
  history.append({ role: "system", content: "rules" });
  history.append({ role: "user", content: "task", images: [IMAGE] });
  look(history);
  assert.ok(text(history).includes(IMAGE.data));
  history.rewrite((message) => without_images(message, "[gone]"));
  const now = text(history);
  assert.ok(!now.includes("image_url"), now.slice(0, 300));
  const { messages } = JSON.parse(now);
  assert.deepEqual(messages.map(({ content }: { content: string }) => content), [
    "rules",
    "task\n[gone]",
    "",
    "seen\n[gone]",
    "none",
  ]);
  assert.equal(history.opening[1]?.content, "task\n[gone]");
});

Deno.test("call_ids has those of the messages that are there, also after a compaction", () => {
  const history = new History(chat_completions, "m");
  const calls = (id: string) => {
    const call = { id, name: "read", arguments: "{}" };
    return { role: "assistant", content: "", tool_calls: [call] } as const;
  };
  history.append(calls("a"));
  history.append(calls("b"));
  assert.deepEqual([...history.call_ids], ["a", "b"]);
  history.replace([calls("b")]);
  assert.deepEqual([...history.call_ids], ["b"]);
});

Deno.test("History: what is settled stays so, though results come behind it", () => {
  const history = new History(chat_completions, "m");
  history.append({ role: "system", content: "S" });
  history.append({ role: "user", content: "U" });
  history.seal();
  const call = { id: "c", name: "read", arguments: "{}" };
  history.append({ role: "assistant", content: "", tool_calls: [call] });
  assert.equal(history.settled, 3);
  history.append({ role: "tool", tool_call_id: "c", content: "R" });
  // Else a session that is saved between the two has the call twice.
  assert.equal(history.settled, 3);
  history.seal();
  assert.equal(history.settled, 4);
});

Deno.test("words of hamr after an answer say which call they come after, as long as it is there", () => {
  const history = new History({ before: () => "", encode: (all) => JSON.stringify(all) }, "m");
  history.append({ role: "user", content: "Do it" });
  history.say("Go on.");
  const call = { id: "c1", name: "read", arguments: "{}" };
  history.append({ role: "assistant", content: "", tool_calls: [call] });
  history.append({ role: "tool", tool_call_id: "c1", content: "x" });
  history.append({ role: "assistant", content: "Done." });
  history.say("Is it?");
  const [nudge] = history.messages.slice(-1);
  assert.deepEqual(nudge, {
    role: "user",
    content: "<hamr>\nIs it?\n</hamr>",
    internal: true,
    after: "c1",
  });
  history.replace([{ role: "user", content: "Do it" }, nudge!]);
  assert.equal("after" in history.messages[1]!, false);
});

Deno.test("what hamr has said is taken out, also of a text in which it never ends", () => {
  const said = internal("Is it?");
  assert.equal(without_internal(`Do it.\n${said}\nNow.${said}`), "Do it.\n\nNow.");
  const open = "<hamr>\n".repeat(500_000);
  assert.equal(without_internal(said + open), open.trim());
});
