import assert from "node:assert/strict";
import { mcp_answer_of } from "./content.ts";

const said = (text: string, structuredContent: unknown) =>
  mcp_answer_of({ content: text === "" ? [] : [{ type: "text", text }], structuredContent }).text;

Deno.test("what a server holds as an object is told where its text only says that there is something, and once", () => {
  const projects = Array.from({ length: 6 }, (_, n) => ({ id: `p${n}`, name: `Project ${n}` }));
  const object = JSON.stringify({ projects });
  assert.equal(said("", { projects }), object);
  assert.equal(said("Found 6 projects.", { projects }), `Found 6 projects.\n${object}`);
  for (
    const [text, value] of [
      ["5", { result: 5 }],
      [object, { projects }],
      [JSON.stringify({ projects }, null, 2), { projects }],
      [projects.map(({ id, name }) => `${id} ${name}`).join("\n"), { projects }],
      ["long\n".repeat(90), { content: "long\n".repeat(90) }],
    ] as const
  ) assert.equal(said(text, value), text);
});
