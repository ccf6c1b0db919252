import assert from "node:assert/strict";
import { Hidden } from "./hidden.ts";
import { secrets_in } from "./secret_patterns.ts";

const TOKEN = "ghp_abcdefghijklmnopqrst";

Deno.test("what is hidden leaves nothing of it, and every length as it was", () => {
  const hidden = new Hidden([TOKEN, "hunter2!", "s3cr3t"]);
  const text = `a ${TOKEN} b hunter2! c s3cr3t, not s3cr3ts`;
  const clean = hidden.in(text);
  assert.equal(clean.length, text.length);
  assert.ok(!/ghp_|hunter2|s3cr3t,/.test(clean), clean);
  assert.ok(clean.endsWith("not s3cr3ts"));
});

Deno.test("cutting first and hiding then is the same as hiding first", () => {
  const hidden = new Hidden([TOKEN]);
  const text = `the token ${TOKEN} is it`;
  for (let at = 18; at <= text.length; at++) {
    assert.equal(hidden.in(text.slice(0, at)), hidden.in(text).slice(0, at));
  }
  for (let at = 0; at <= 26; at++) {
    assert.equal(hidden.in(text.slice(at)), hidden.in(text).slice(at));
  }
});

Deno.test("different secrets stay different, and those with signs in them are found in JSON", () => {
  const hidden = new Hidden(["first-secret", "other-secret", 'with "a quote" in-it-too']);
  assert.notEqual(hidden.in("first-secret"), hidden.in("other-secret"));
  const clean = hidden.in(JSON.stringify({ password: 'with "a quote" in-it-too' }));
  assert.ok(!/quote|in-it-too/.test(clean), clean);
  JSON.parse(clean);
});

Deno.test("secrets_in() gives the secret itself", () => {
  const cases: readonly (readonly [string, readonly string[]])[] = [
    [`token ${TOKEN}.`, [TOKEN]],
    ["Authorization: Bearer abcdefghijklmnop1234", ["abcdefghijklmnop1234"]],
    ["https://me:hunter22@example.org/x", ["hunter22"]],
    ['password: "hunter 2"', []],
    ['api_key = "abc123def"', ["abc123def"]],
    ["nothing to hide", []],
    [
      "-----BEGIN RSA PRIVATE KEY-----\n1: MIIEowIBAAKCAQEAabc\n2: +/0123456789abcdef=\n-----END RSA",
      ["MIIEowIBAAKCAQEAabc", "+/0123456789abcdef="],
    ],
  ];
  for (const [text, secrets] of cases) assert.deepEqual(secrets_in(text), secrets, text);
});
