import { ok, strictEqual } from "node:assert/strict";
import { redact } from "./secrets.ts";

const KEY = "sk-proj-Zq81mnbVCXlkj_hgf-DSApoiu4567";

function clean(text: string, key = KEY, headers: Readonly<Record<string, string>> = {}): string {
  return redact(text, { key, headers });
}

Deno.test("a key is hidden wherever it stands, whole or in part", () => {
  const cases: [string, string][] = [
    [`bad key ${KEY}!`, "bad key …!"],
    [`"${KEY}","${KEY}"`, '"…","…"'],
    [`Bearer ${KEY}`, "Bearer …"],
    [`x${KEY}y`, "x…y"],
    [`cut: ${KEY.slice(0, 20)}`, "cut: …"],
    [`tail: ${KEY.slice(-9)}.`, "tail: …."],
    [
      "Incorrect API key provided: sk-proj-****************4567. You",
      "Incorrect API key provided: …. You",
    ],
    ["Your api key: ****4567 is invalid", "Your api key: … is invalid"],
    ["key (sk-p...4567)", "key (…)"],
    ["key 'sk-pr…'", "key '…'"],
    ["key ...4567.", "key …."],
    ["key=sk-proj-ZXXXXXXXXXXXXXXXXXX4567", "key=…"],
    ["key=•••••••67", "key=…"],
    ["nothing of it ... here, ****, a**b, x…", "nothing of it ... here, ****, a**b, x…"],
    ["", ""],
  ];
  for (const [text, expected] of cases) strictEqual(clean(text), expected);
});

Deno.test("a short key is hidden as a word, and does not riddle the text", () => {
  strictEqual(clean("key none is no key; nonesuch", "none"), "key … is no key; nonesuch");
  strictEqual(clean("(k-1) k-12", "k-1"), "(…) k-12");
  strictEqual(clean("a $^. b", "$^."), "a … b");
  for (const key of ["", "1", "ab"]) strictEqual(clean("1 ab", key), "1 ab");
});

Deno.test("secrets in headers are hidden too, and the halves of basic authorization", () => {
  const basic = btoa("someone:correct horse battery");
  const headers = {
    "authorization": `Basic ${basic}`,
    "x-api-key": "0123456789abcdef",
    "x-team": "compilers-and-tools",
    "x-portkey-provider": "openai",
    "x-portkey-virtual-key": "open-ai-virtual-a1b2c3",
    "x-portkey-config": '{"api_key":"sk-up-9f8e7d6c"}',
  };
  const text = `${basic} someone correct horse battery 0123456789abcdef compilers-and-tools`;
  strictEqual(clean(text, "", headers), "… someone … … compilers-and-tools");
  strictEqual(
    clean("openai error: open-ai-virtual-a1b2c3, sk-up-9f8e7d6c", "", headers),
    "openai error: …, …",
  );
  strictEqual(
    clean("user tokentoken", "", { authorization: `Basic ${btoa("tokentoken:")}` }),
    "user …",
  );
  strictEqual(clean("x abcdefghij", "", { Authorization: "Bearer abcdefghij" }), "x …");
  strictEqual(clean("x %%%%%%%%", "", { Authorization: "Basic %%%%%%%%" }), "x …");
});

Deno.test("whatever the text, it comes to an end", () => {
  const began = performance.now();
  for (const part of ["*", "x", "a", "sk-proj", "…", ".", "a*"]) clean(part.repeat(2000));
  ok(performance.now() - began < 10_000);
});
