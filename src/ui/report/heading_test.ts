import assert from "node:assert/strict";
import { RESULT } from "../_testing.ts";
import { html } from "./html.ts";
import { markdown } from "./markdown.ts";
import type { Page } from "./page.ts";

Deno.test("a long task is a heading by its beginning, in each form", () => {
  const task = `Fix the parser.\n${"It drops the last line. ".repeat(40)}`;
  const page: Page = {
    ...{ name: task, workspace: "/w", result: RESULT, checks: [], diff: "" },
    lines: [{ step: 0, kind: "task", text: task }],
  };
  const start = /Fix the parser\. It drops the last line\. .*…/;
  const [first = ""] = markdown([page]).split("\n");
  assert.match(first, start);
  assert.ok(first.length < 140, first);
  const [, h1 = ""] = /<h1>(.*?)<\/h1>/s.exec(html([page])) ?? [];
  assert.match(h1, start);
  assert.ok(h1.length < 140, h1);
});

Deno.test("what the verify command printed stands below the verdict as it was printed, and in no table", () => {
  const message =
    "The verify command `npm test` failed with exit code 1. The end of its output:\n\n> tap\n1 failing";
  const failed = { status: "partial", stop_reason: "verification_failed" } as const;
  const result = { ...RESULT, ...failed, error: { kind: "verification_failed", message } };
  const page: Page = {
    ...{ name: "t", workspace: "/w", result, checks: [], diff: "", lines: [] },
  };
  assert.match(
    markdown([page]),
    /\n\*\*verification\\_failed: [^\n]* exit code 1\.\*\* \([^\n]*\n\n```\n> tap\n1 failing\n```\n/,
  );
  assert.doesNotMatch(markdown([page, page]), /failing/);
});
