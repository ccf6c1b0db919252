import assert from "node:assert/strict";
import { fill_in_form } from "./form.ts";

/** What comes of a form, and what was asked, where these are the answers. */
async function form(properties: unknown, answers: readonly (string | null)[], more: object = {}) {
  const asked: string[] = [];
  const left = [...answers];
  const requestedSchema = { type: "object", properties, required: ["who", "n", "ok", "size"] };
  const params = { message: "Tell\u001b[2J me", requestedSchema, ...more };
  const came = await fill_in_form("crm", params, (question, choices) => {
    asked.push([question, ...choices].join("|"));
    return Promise.resolve(left.shift() ?? null);
  });
  return { came, asked };
}

Deno.test("filled_in() asks field by field, by what each may hold", async () => {
  const { came, asked } = await form({
    who: { type: "string", title: "Name", description: "of the customer", maxLength: 5 },
    n: { type: "integer", minimum: 1, maximum: 3 },
    ok: { type: "boolean" },
    size: { type: "string", enum: ["S", "M"] },
    note: { type: "string" },
  }, ["far too long", "Ann", "x", "2.5", "3", "YES", "M", " "]);
  assert.deepEqual(came, {
    action: "accept",
    content: { who: "Ann", n: 3, ok: true, size: "M" },
  });
  assert.deepEqual(asked, [
    "MCP server crm asks: Tell me\nName: of the customer (text)",
    "Not text. MCP server crm asks: Tell me\nName: of the customer (text)",
    "MCP server crm: n (a whole number from 1 up to 3)",
    "Not a whole number from 1 up to 3. MCP server crm: n (a whole number from 1 up to 3)",
    "Not a whole number from 1 up to 3. MCP server crm: n (a whole number from 1 up to 3)",
    "MCP server crm: ok (yes or no)|yes|no",
    "MCP server crm: size (one of S or M)|S|M",
    "MCP server crm: note (text, may be empty)",
  ]);
});

Deno.test("filled_in() cancels where nobody answers, and declines what is no form", async () => {
  const who = { who: { type: "string" } };
  assert.deepEqual((await form(who, [null])).came, { action: "cancel" });
  assert.deepEqual((await form(who, ["", "", "", "late"])).came, { action: "cancel" });
  assert.deepEqual((await form({}, ["yes"])).came, { action: "accept", content: {} });
  assert.deepEqual((await form({}, ["no"])).came, { action: "decline" });
  const away = await form(who, ["x"], { mode: "url", url: "https://a.example" });
  assert.deepEqual(away, { came: { action: "decline" }, asked: [] });
  const many = Object.fromEntries(Array.from({ length: 11 }, (_, n) => [`f${n}`, {}]));
  assert.deepEqual((await form(many, ["x"])).came, { action: "decline" });
});
