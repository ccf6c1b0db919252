import assert from "node:assert/strict";
import { lies_deep } from "./web_fetch_run.ts";

Deno.test("lies_deep() tells what no parser gets along with, and no long page", () => {
  const many = (text: string) => text.repeat(50_000);
  for (const tags of ["<div>", "<b class=x>", "<ul><li>", "<table><tr><td>", "<x-y>", "<A>"]) {
    assert.ok(lies_deep(many(tags)), tags);
  }
  const honest = [
    ...[
      "<div>a</div>",
      "<p>a",
      "<li>a",
      "<br>",
      "<img src=a>",
      "<tr><td>a<td>b",
      "a < b <3 ",
      "</div>",
    ],
    "<dl><dt>a<dd>b</dl>",
    "<select><option>a<option>b</select>",
  ];
  for (const tags of honest) assert.ok(!lies_deep(many(tags)), tags);
});
