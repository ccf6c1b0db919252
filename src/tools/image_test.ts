import assert from "node:assert/strict";
import { png, SMALL } from "./_images.ts";
import { image_header } from "./image.ts";

const ascii = (text: string) => [...text].map((char) => char.charCodeAt(0));
const told = (bytes: Uint8Array) => {
  const header = image_header(bytes);
  return header && [header.media_type, header.width, header.height];
};

Deno.test("image_header() tells format and size by the bytes", () => {
  const cases: [Uint8Array, string, number, number][] = [
    [png(3, 70_000), "image/png", 3, 70_000],
    [SMALL["jpeg"]!, "image/jpeg", 40, 30],
    [SMALL["gif"]!, "image/gif", 40, 30],
    [SMALL["webp_lossy"]!, "image/webp", 40, 30],
    [SMALL["webp_lossless"]!, "image/webp", 40, 30],
    [SMALL["webp_with_alpha"]!, "image/webp", 40, 30],
    // Fillings and a thumbnail's own sizes before the size that counts.
    [
      Uint8Array.of(
        ...[0xff, 0xd8, 0xff, 0xe1, 0, 6, 0xff, 0xc0, 9, 9],
        ...[0xff, 0xff, 0xff, 0xc4, 0, 3, 7, 0xff, 0xc2, 0, 17, 8, 1, 2, 3, 4],
      ),
      "image/jpeg",
      0x304,
      0x102,
    ],
    // A frame, also of an animation, that is larger than its canvas.
    ...[[], [...ascii("ANMF"), ...Array(20).fill(0)]].map((around): typeof cases[number] => [
      Uint8Array.of(
        ...ascii("RIFF....WEBPVP8X"),
        ...[10, 0, 0, 0, 0, 0, 0, 0, 9, 0, 0, 9, 0, 0, ...ascii("ALPH"), 1, 0, 0, 0, 7, 0],
        ...[...around, ...ascii("VP8 "), 10, 0, 0, 0, 0, 0, 0, 0x9d, 1, 0x2a, 0xff, 0x3f, 1, 0x20],
      ),
      "image/webp",
      0x3fff,
      0x2001,
    ]),
  ];
  for (const [bytes, ...expected] of cases) assert.deepEqual(told(bytes), expected);
});

Deno.test("image_header() of a damaged header has no size, and what is not an image has none at all", () => {
  const damaged: Uint8Array[] = [
    png(3, 3).subarray(0, 8),
    png(3, 3).subarray(0, 15),
    SMALL["jpeg"]!.subarray(0, 100),
    Uint8Array.of(0xff, 0xd8, 0xff, 0xda, 0, 2, 0xff, 0xc0),
    // Segments that say they have no length.
    Uint8Array.of(0xff, 0xd8, ...Array(99).fill([0xff, 0xe0, 0, 0]).flat()),
    Uint8Array.of(...ascii("GIF89a")),
    Uint8Array.of(...ascii("RIFF...."), ...ascii("WEBPVP9 ")),
  ];
  for (const bytes of damaged) assert.deepEqual(told(bytes)?.slice(1), [0, 0]);
  const none = ["", "GIF", "<svg/>", "RIFF....WAVE", "%PDF-1.7", "\u0089PN"];
  for (const text of none) assert.equal(told(Uint8Array.of(...ascii(text))), null, text);
});
