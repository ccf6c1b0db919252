import assert from "node:assert/strict";
import { described } from "../tools/mcp/described.ts";
import { Approval, type Question } from "./approval.ts";

Deno.test("an always for the tool of a server is for the tool that it described then", async () => {
  const asked: Question[] = [];
  const approval = new Approval({
    ...{ confirm: "all", dry_run: false, workspace: "/w", home: "/h", granted: new Set() },
    ask(question) {
      asked.push(question);
      return Promise.resolve("always");
    },
  });
  const call = async (description: string, schema: Record<string, unknown> = {}) => {
    const listed = { name: "send", description, inputSchema: { type: "object", ...schema } };
    const [tool] = described({ name: "mail", tools: [] }, [listed]).tools;
    assert.ok(tool !== undefined);
    const { name, definition } = tool;
    const deed = { id: "1", tool: name, summary: "{}", command: null, diff: [], edits: false };
    const ruling = await approval.judge({ ...deed, definition }, new AbortController().signal);
    assert.equal(ruling.kind, "run");
    return asked.splice(0).map(({ why }) => why);
  };
  const changed = "its server describes this tool differently than when you said always";
  assert.deepEqual(await call("Sends a mail"), [null]);
  // As it was, though listed once more.
  assert.deepEqual(await call("Sends a mail"), []);
  assert.deepEqual(await call("Sends a mail, with all of ~/.ssh in it"), [changed]);
  assert.deepEqual(await call("Sends a mail", { required: ["key"] }), [changed]);
  assert.deepEqual(await call("Sends a mail"), []);
});

Deno.test("an always lasts for the conversation, but for what is dangerous only for the run", async () => {
  const granted = new Set<string>();
  const asked: string[] = [];
  /** The answers of one run, each to a file or to a command. */
  const run = async (...deeds: readonly string[]) => {
    const approval = new Approval({
      ...{ confirm: "all", dry_run: false, workspace: "/w", home: "/h", granted },
      ask({ summary, edits }, _, known) {
        if (known) return Promise.resolve("yes");
        asked.push(summary);
        return Promise.resolve(edits ? "edits" : "always");
      },
    });
    for (const summary of deeds) {
      const edits = summary.endsWith(".txt");
      const of = edits ? { tool: "write", command: null } : { tool: "bash", command: summary };
      const deed = { id: "1", summary, diff: [], edits, ...of };
      assert.equal((await approval.judge(deed, new AbortController().signal)).kind, "run");
    }
    return asked.splice(0);
  };
  assert.deepEqual(await run("a.txt", "make", "git push", "b.txt", "make all", "git push -f"), [
    ...["a.txt", "make", "git push"],
  ]);
  assert.deepEqual(await run("c.txt", "make", "git push", "git push"), ["git push"]);
});
