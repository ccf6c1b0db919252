import assert from "node:assert/strict";
import { may_lack_a_name } from "./refusals.ts";

Deno.test("a name that was not looked up is told where a failure has few words, or any words may be about it", () => {
  const about = [
    "npm error code EAI_AGAIN\nnpm error syscall getaddrinfo\nls: cannot access 'node_modules'\n",
    "a\nERROR: Could not find a version that satisfies the requirement six (from versions: none)\nb\n",
    "a\nfatal: unable to access 'https://x.test/': Could not resolve host: x.test\nb\n",
    "a\nW: Temporary failure resolving 'deb.debian.org'\nb\n",
  ];
  for (const text of about) {
    for (const ok of [true, false]) assert.ok(may_lack_a_name({ ok, text }), text);
  }
  const told = "x\n[the user can allow it with --allow-net]";
  for (const text of ["", "3 passed\n", "Resolved 12 packages\nadded 3\n[exit code 0]", told]) {
    assert.ok(!may_lack_a_name({ ok: true, text }), text);
  }
  assert.ok(may_lack_a_name({ ok: false, text: "[exit code 1]" }));
  for (const text of ["a\nb\nc\n", told]) assert.ok(!may_lack_a_name({ ok: false, text }), text);
});
