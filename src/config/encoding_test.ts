import assert from "node:assert/strict";
import { from_bytes, to_bytes } from "./encoding.ts";

const utf8 = (text: string) => new TextEncoder().encode(text);

Deno.test("text is read in the encoding from which its bytes can be made again", () => {
  const every = Uint8Array.from({ length: 255 }, (_, at) => at + 1);
  const latin = Uint8Array.of(0x67, 0x72, 0xfc, 0xdf, 0x65, 0x80, 0x0a);
  for (const bytes of [utf8("\ufeffgrüße\r\n"), utf8("a\0b"), utf8(""), every, latin]) {
    const { text = "", encoding = "UTF-8" } = from_bytes(bytes) ?? {};
    assert.deepEqual(to_bytes(text, encoding), bytes);
  }
  assert.deepEqual(from_bytes(latin), { text: "grüße€\n", encoding: "Windows-1252" });
});

Deno.test("what is not text, or is UTF-8 for the most part, has no text from which it can be made again", () => {
  assert.equal(from_bytes(Uint8Array.of(0xfc, 0, 1)), null);
  assert.equal(from_bytes(Uint8Array.of(...utf8("grüße"), 0xfc)), null);
});

Deno.test("a character that an encoding does not have is told", () => {
  assert.equal(to_bytes("a → b", "Windows-1252"), "→");
  assert.equal(to_bytes("a 😀", "Windows-1252"), "😀");
});
