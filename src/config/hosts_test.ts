import assert from "node:assert/strict";
import { is_named_address, named_host } from "./hosts.ts";

Deno.test("named_host() takes hosts, and no words, addresses or patterns of another kind", () => {
  const good = ["docs.python.org", "*.python.org", "wiki:8080", "localhost", "localhost:3000"];
  for (const text of [...good, "10.0.0.7", "[::1]:3000", "bücher.example", "EXAMPLE.com."]) {
    assert.notEqual(named_host(text), null, text);
  }
  const bad = ["", "lopback", "wiki", "https://a.b", "a.b/c", "a b.c", "*", "*.", "a.*", "a.b:x"];
  for (const text of [...bad, "user@a.b", "a.b:99999", ".."]) {
    assert.equal(named_host(text), null, text);
  }
});

Deno.test("is_named() goes by the whole host and by the port", () => {
  const cases: [string, string, boolean][] = [
    ["https://docs.python.org/3/", "docs.python.org", true],
    ["https://DOCS.python.org./3/", "docs.python.org", true],
    ["https://python.org/", "docs.python.org", false],
    ["https://evil-docs.python.org/", "docs.python.org", false],
    ["https://docs.python.org.evil.example/", "docs.python.org", false],
    ["https://docs.python.org@evil.example/", "docs.python.org", false],
    ["https://docs.python.org/", "*.python.org", true],
    ["https://python.org/", "*.python.org", false],
    ["https://evilpython.org/", "*.python.org", false],
    ["http://wiki:8080/", "wiki:8080", true],
    ["http://wiki:8081/", "wiki:8080", false],
    ["https://a.example/", "a.example:443", true],
    ["http://a.example/", "a.example:443", false],
    ["http://0x7f000001/", "127.0.0.1", true],
    ["http://bücher.example/", "xn--bcher-kva.example", true],
  ];
  for (const [url, named, expected] of cases) {
    assert.equal(is_named_address(new URL(url), [named]), expected, `${url} ${named}`);
  }
});
