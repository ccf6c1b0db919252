import assert from "node:assert/strict";
import { is_lookup } from "./lookups.ts";

Deno.test("a resolver's socket is a lookup, but not a probe's, nor a browser's own", () => {
  const resolver = 2 | 0x800 | 0x80000;
  for (
    const program of ["/usr/bin/curl", "/usr/lib/git-core/git-remote-http", "/opt/chrome/x", null]
  ) {
    assert.ok(is_lookup(resolver, program), String(program));
  }
  const browsers = ["/usr/lib/chromium/chromium", "/opt/google/chrome/chrome", "/x/headless_shell"];
  for (
    const program of [...browsers, "/x/chrome-headless-shell", "/usr/lib/firefox-esr/firefox-esr"]
  ) {
    assert.ok(!is_lookup(resolver, program), program);
  }
  for (const type of [2, 2 | 0x80000, 1 | 0x800 | 0x80000]) {
    assert.ok(!is_lookup(type, "/usr/bin/python3"), String(type));
  }
});
