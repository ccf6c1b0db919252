import assert from "node:assert/strict";
import fc from "fast-check";
import { Requests, same_head } from "./requests.ts";

const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

Deno.test("requests come back byte for byte, whatever they have in common", () => {
  const piece = fc.constantFrom(
    "a",
    "ab",
    "é",
    "世",
    "😀",
    "\ufeff",
    '{"role":"user"}',
    "0".repeat(99),
  );
  const request = fc.array(piece, { maxLength: 30 }).map((pieces) => pieces.join(""));
  fc.assert(fc.property(fc.array(request, { maxLength: 12 }), (texts) => {
    const [packer, unpacker] = [new Requests(), new Requests()];
    for (const text of texts) {
      const packed = JSON.parse(JSON.stringify(packer.pack(encoder.encode(text))));
      assert.equal(decoder.decode(unpacker.unpack(packed)), text);
    }
  }));
});

Deno.test("of a request that extends the one before it only what is new is kept, beside another conversation too", () => {
  const packer = new Requests();
  const tools = `],"tools":[${"t".repeat(3000)}]}`;
  let talk = `{"messages":[${"system ".repeat(100)}`;
  packer.pack(encoder.encode(talk + tools));
  for (let step = 0; step < 9; step++) {
    talk += `,{"step":${step}}`;
    const { text } = packer.pack(encoder.encode(talk + tools));
    assert.ok(text.length < 20, text);
    if (step === 4) packer.pack(encoder.encode(`{"messages":["summarize"]}`));
  }
});

Deno.test("a request that refers to what is not there is refused", () => {
  for (const packed of [{ base: 0, head: 5, tail: 0 }, { base: 7, head: 0, tail: 0 }]) {
    assert.throws(() => new Requests().unpack({ ...packed, text: "" }), RangeError);
  }
});

Deno.test("same_head() counts bytes, wherever the two are in memory", () => {
  const bytes = encoder.encode("x".repeat(40));
  for (const at of [0, 1, 3, 4, 7, 8, 31]) {
    const other = bytes.slice();
    other[at] = 1;
    assert.equal(same_head(bytes, other), at);
    assert.equal(same_head(bytes.subarray(1), other.subarray(1)), at === 0 ? 39 : at - 1);
  }
  assert.equal(same_head(bytes, bytes.subarray(0, 6)), 6);
});
