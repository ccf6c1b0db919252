import assert from "node:assert/strict";
import { lying_png, png, SMALL } from "../_images.ts";
import { bench, sh } from "../_testing.ts";
import { image_header } from "../image.ts";
import type { Done } from "../tool.ts";

/** Looks at one file of these bytes. */
async function view(bytes: Uint8Array, path = "a.bin"): Promise<Done> {
  return await bench({ files: { [path]: bytes } }, (b) => b.call("view_image", { path }));
}

/** What an image that is sent is, by its own bytes. */
function sent({ images }: Done): readonly [string, number, number, number] {
  const [image, ...more] = images ?? [];
  assert.ok(image !== undefined && more.length === 0);
  const header = image_header(Uint8Array.fromBase64(image.data));
  assert.equal(header?.media_type, image.media_type);
  return [image.media_type, header!.width, header!.height, image.data.length];
}

Deno.test("view_image sends a small PNG or JPEG as it is, whatever its name", async () => {
  for (const [bytes, kind] of [[png(40, 30), "PNG"], [SMALL["jpeg"]!, "JPEG"]] as const) {
    const done = await view(bytes, "a.txt");
    assert.deepEqual(done.images?.map(({ data }) => data), [bytes.toBase64()]);
    assert.equal(done.text, `a.txt: ${kind} image, 40×30 pixels`);
    assert.ok(done.ok);
  }
});

Deno.test("view_image makes a PNG of what not every server takes", async () => {
  for (const name of ["gif", "webp_lossy", "webp_lossless", "webp_with_alpha"]) {
    const done = await view(SMALL[name]!);
    assert.deepEqual(sent(done).slice(0, 3), ["image/png", 40, 30], name);
    assert.match(done.text, /^a\.bin: (GIF|WebP) image, 40×30 pixels$/);
  }
});

Deno.test("view_image makes what is too large smaller: 1,568 pixels and 1 MB of base64", async () => {
  const cases: [Uint8Array, string, number, number, string][] = [
    [png(3136, 1000), "image/png", 1568, 500, "3136×1000 pixels, shown at 1568×500"],
    [png(1, 20_000), "image/png", 1, 1568, "1×20000 pixels, shown at 1×1568"],
    [png(600, 600, true), "image/jpeg", 600, 600, "600×600 pixels"],
    [png(1000, 1000, true), "image/jpeg", 750, 750, "1000×1000 pixels, shown at 750×750"],
  ];
  for (const [bytes, ...expected] of cases) {
    const done = await view(bytes);
    const [media_type, width, height, chars] = sent(done);
    const words = done.text.replace("a.bin: PNG image, ", "");
    assert.deepEqual([media_type, width, height, words], expected);
    assert.ok(chars <= 1024 * 1024, `${chars}`);
  }
});

Deno.test("view_image refuses what is not an image, damaged, or claims too much, and unpacks no bomb", async () => {
  const cases: [Uint8Array, RegExp][] = [
    [new Uint8Array(), /^a\.bin is not a PNG, JPEG, GIF or WebP file$/],
    [new TextEncoder().encode("hello"), /is not a PNG, JPEG, GIF or WebP file$/],
    [png(900, 900, true).subarray(0, 4000), /is a damaged PNG image$/],
    [png(3, 3).subarray(0, 12), /is a damaged PNG image$/],
    [SMALL["jpeg"]!.subarray(0, 300), /is a damaged JPEG image$/],
    [SMALL["webp_lossy"]!.subarray(0, 40), /is a damaged WebP image$/],
    [lying_png(4000, 4000), /is a damaged PNG image$/],
    [lying_png(100_000, 100_000), /has 100000×100000 pixels, too many to be shown/],
    [lying_png(7072, 7072), /has 7072×7072 pixels, too many to be shown \(50 million at most\)$/],
  ];
  for (const [bytes, expected] of cases) {
    const before = Deno.memoryUsage().rss;
    const done = await view(bytes);
    assert.match(done.text, expected);
    assert.deepEqual([done.ok, done.images], [false, undefined]);
    const grown = Deno.memoryUsage().rss - before;
    assert.ok(grown < 300e6, `${expected}: ${grown} bytes more`);
  }
});

Deno.test("view_image reads what read may read: regular files, no secrets, nothing that hangs", async () => {
  await bench({ files: { ".env": "KEY=x", "folder": null } }, async (b) => {
    sh("mkfifo pipe && truncate -s 40M big.png", b.workspace);
    const cases: [string, RegExp][] = [
      [".env", /\.env is not shown/],
      ["folder", /folder is a folder/],
      ["pipe", /pipe is a pipe, not a regular file/],
      ["/dev/zero", /is the kernel's/],
      ["none.png", /none\.png does not exist/],
      ["big.png", /big\.png has 41943040 bytes, too many for this tool/],
    ];
    for (const [path, expected] of cases) {
      const { ok, text } = await b.call("view_image", { path });
      assert.match(text, expected);
      assert.equal(ok, false);
    }
  });
});
