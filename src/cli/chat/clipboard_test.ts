import assert from "node:assert/strict";
import { png_in } from "./clipboard.ts";

Deno.test("png_in() takes an image as it is, or as AppleScript prints it, and nothing else", () => {
  const image = Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0xff);
  const bytes = (text: string) => new TextEncoder().encode(text);
  assert.deepEqual(png_in(image), image);
  assert.deepEqual(png_in(bytes("«data PNGf89504E470DFF»\n")), image);
  for (const other of ["", "none", "«data PNGfXY»", "«data PNGf895»", "«data TIFF8950»\n"]) {
    assert.equal(png_in(bytes(other)), null, other);
  }
});
