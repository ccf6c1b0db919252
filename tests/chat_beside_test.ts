/** `/btw` in a chat: what is asked beside the conversation. */
import assert from "node:assert/strict";
import { bash, say, type Script } from "./support/model_server.ts";
import { chat, IDLE } from "./support/tmux.ts";

const SCRIPTED: Script = ({ body: { messages } }) => {
  const last = messages.at(-1);
  const text = String(last?.content);
  if (text.startsWith("What")) return say("**Nothing** yet.\n<hamr>\nsaid again\n</hamr>");
  if (text.startsWith("Fail")) return { status: 400, body: '{"error":{"message":"no, thanks"}}' };
  if (text.startsWith("Wait")) return bash("touch began; until [ -e go ]; do sleep 0.1; done");
  return say(last?.role === "tool" ? "It is done." : "Hello there.");
};

chat("a question beside the conversation is answered from it at any time, and kept nowhere", {
  script: SCRIPTED,
  width: 100,
}, async (screen, s) => {
  await screen.shows(IDLE);
  await screen.keys("/btw What", "Enter");
  await screen.shows("/btw: nothing was said since this start; ask it as a message");
  await screen.keys("Wait for it", "Enter");
  await screen.shows(/running touch began/);
  await screen.keys("/btw What is going on?", "Enter");
  await screen.shows(/btw: What is going on\?\nNothing yet\.\n.*running touch began/);
  const [task, aside] = s.server.requests;
  assert.ok(task && aside);
  assert.equal(aside.body.tool_choice, "none");
  assert.deepEqual(aside.body.tools, task.body.tools);
  assert.deepEqual(aside.body.messages.slice(0, 2), task.body.messages);
  const [call, result] = aside.body.messages.slice(2);
  assert.match(JSON.stringify(call), /until \[ -e go \]/, "it may be what is asked about");
  assert.equal(result?.content, "[under way: no result yet]");
  s.ws.write("go", "");
  await screen.shows(/It is done\.[^]*tool call/);
  await screen.keys("/btw Fail", "Enter");
  await screen.shows(/\/btw: .*no, thanks/);
  await screen.keys("/btw What was that?", "Enter");
  await screen.shows(/btw: What was that\?\nNothing yet\./);
  assert.equal(s.server.requests.at(-1)?.body.messages.at(-2)?.content, "It is done.");
  await screen.keys("/cost", "Enter");
  await screen.shows(/[\d.]+k? tokens, no price known/);
  await screen.keys("Hello", "Enter");
  await screen.shows("Hello there.");
  const said = JSON.stringify(s.server.requests.at(-1)?.body.messages);
  assert.doesNotMatch(
    said,
    /What is going on|What was that|Nothing\*\* yet|beside the task|under way/,
  );
});
