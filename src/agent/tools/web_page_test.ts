import assert from "node:assert/strict";
import { page_of } from "./web_page.ts";

Deno.test("page_of() gives what a page is about: headings, lists, code, links, tables", () => {
  const { title, text } = page_of(`<!doctype html><html><head><title> Sort  it </title>
    <style>p { color: red }</style><script>alert(1)</script></head><body>
    <nav><a href="/">Home</a></nav><main><h1>Sort it<a href="#sort">¶</a></h1>
    <p>Use <code>sort_by</code> with <a href="/api/key" title="Key">a key</a><a href="/run?code=x"></a>, not <a href="#x">max_key</a>.</p>
    <button>Copy</button><pre><code class="language-py">sort_by(key)\n</code></pre><ul><li>quick<li>stable</ul>
    <table><tr><th>Name<th>Cost</tr><tr><td>quick<td>n | log n</tr></table>
    <img src="data:image/png;base64,AAAA" alt="a chart"><svg><text>no</text></svg></main>
    <footer>Made by nobody</footer></body></html>`);
  assert.equal(title, "Sort it");
  assert.equal(
    text,
    "# Sort it\n\nUse `sort_by` with [a key](/api/key), not max_key.\n\n```py\nsort_by(key)\n```\n\n" +
      "-   quick\n-   stable\n\n| Name | Cost |\n| --- | --- |\n| quick | n \\| log n |\n\na chart",
  );
});

Deno.test("page_of() of two articles, and of no HTML", () => {
  assert.equal(page_of("<article>one</article><article>two</article>").text, "one\n\ntwo");
  assert.equal(page_of("just words").text, "just words");
  assert.equal(page_of("").text, "");
});
