import assert from "node:assert/strict";
import { bench, sh } from "../../_testing.ts";
import type { OutputLimits } from "../../limits.ts";
import { Output } from "./output.ts";

const LIMITS: OutputLimits = { lines: 2000, bytes: 51_200 };

const encode = (text: string) => new TextEncoder().encode(text);

/** What is shown of pieces that come one after the other, and the folder with the spill file. */
async function shown(
  pieces: readonly (string | Uint8Array)[],
  limits = LIMITS,
): Promise<{ text: string; spilled: string | null }> {
  return await bench({}, ({ policy }) => {
    const output = new Output(limits, `${policy.spill}/output-1`);
    for (const piece of pieces) output.push(typeof piece === "string" ? encode(piece) : piece);
    const text = output.finish();
    const path = /(\/\S+\.txt)/.exec(text)?.[1];
    return {
      text: text.replaceAll(policy.spill, "SPILL"),
      spilled: path === undefined ? null : Deno.readTextFileSync(path),
    };
  });
}

const seq = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, i) => `${from + i}\n`).join("");

Deno.test("a short output is what it was", async () => {
  assert.equal((await shown([])).text, "");
  assert.equal((await shown(["one\n", "", "two"])).text, "one\ntwo");
  assert.equal(
    (await shown([seq(1, 2000)])).text,
    seq(1, 2000),
    "the limit itself is not too long",
  );
});

Deno.test("too many lines: the first and the last, whole, and what is between is counted", async () => {
  const { text, spilled } = await shown([seq(1, 500), seq(501, 3000)]);
  const bytes = seq(401, 1400).length;
  assert.equal(
    text,
    `${seq(1, 400)}[… 1000 of 3000 lines (${bytes} bytes) left out; ` +
      `all of it is in SPILL/output-1.txt …]\n${seq(1401, 3000)}`,
  );
  assert.equal(spilled, seq(1, 3000));
  const odd = await shown(["1\n2\n3\n4\n5"], { lines: 4, bytes: 1000 });
  assert.match(odd.text, /^1\n\[… 1 of 5 lines \(2 bytes\) left out; .*…\]\n3\n4\n5$/);
});

Deno.test("too many bytes: whole lines within them, in pieces of any size", async () => {
  const line = "é".repeat(20) + "\n";
  const whole = line.repeat(5000);
  for (const size of [1, 7, 1000, 65_536, 1_000_000]) {
    const bytes = encode(whole);
    const pieces: Uint8Array[] = [];
    for (let at = 0; at < bytes.length; at += size) pieces.push(bytes.slice(at, at + size));
    const { text, spilled } = await shown(pieces, { lines: 10_000, bytes: 4000 });
    assert.equal(spilled, whole);
    const [head, tail] = text.split(/\[….*\n/);
    assert.equal(head, line.repeat(19), `pieces of ${size}: a fifth of 4000 bytes`);
    assert.equal(tail, line.repeat(78));
  }
});

Deno.test("one endless line is cut, not within a character", async () => {
  const { text } = await shown(["x" + "é😀".repeat(50_000)], { lines: 10, bytes: 1000 });
  assert.match(text, /^x(?:é|😀)+\n\[… 299\d\d\d of 300001 bytes left out; .*…\]\n(?:é|😀)+$/u);
  const mixed = await shown(["a\n", "x".repeat(5000), "\nz\n"], { lines: 10, bytes: 1000 });
  assert.match(mixed.text, /^a\n\[… 1 of 3 lines \(5001 bytes\) left out; .*…\]\nz\n$/);
});

Deno.test("bytes that are not text do no harm", async () => {
  const bytes = new Uint8Array([97, 0xff, 0xfe, 0, 98, 0x80]);
  assert.equal((await shown([bytes])).text, "a\ufffd\ufffd␀b\ufffd");
  assert.equal((await shown([new Uint8Array([0x80, 97])])).text, "\ufffda", "nothing is dropped");
});

Deno.test("without a limit everything is shown", async () => {
  const unlimited = { lines: Number.MAX_SAFE_INTEGER, bytes: Number.MAX_SAFE_INTEGER };
  const { text, spilled } = await shown([seq(1, 100_000)], unlimited);
  assert.deepEqual([text.length, spilled], [seq(1, 100_000).length, null]);
});

Deno.test("limits of one byte and one line still say what happened", async () => {
  const { text } = await shown(["abc\ndef\n"], { lines: 1, bytes: 1 });
  assert.match(text, /^a\n\[… .* left out; all of it is in SPILL\/output-1\.txt …\]\n\n?$/);
});

Deno.test("a spill file is never written over, nor through a link", async () => {
  await bench({}, ({ policy }) => {
    Deno.writeTextFileSync(`${policy.spill}/output-1.txt`, "an older one");
    Deno.symlinkSync("/etc/hostname", `${policy.spill}/output-1-2.txt`);
    const output = new Output({ lines: 2, bytes: 100 }, `${policy.spill}/output-1`);
    output.push(encode(seq(1, 9)));
    assert.match(output.finish(), /output-1-3\.txt/);
    assert.equal(Deno.readTextFileSync(`${policy.spill}/output-1.txt`), "an older one");
    assert.equal(Deno.readTextFileSync(`${policy.spill}/output-1-3.txt`), seq(1, 9));
  });
});

Deno.test("what is kept of one output and of a session has an end, and that is said", async () => {
  await bench({}, ({ policy }) => {
    const piece = new Uint8Array(1024 * 1024).fill(120);
    const of = (mib: number) => {
      const output = new Output(LIMITS, `${policy.spill}/output-1`);
      for (let n = 0; n < mib; n++) output.push(piece);
      return output.finish();
    };
    const kept = () =>
      [...Deno.readDirSync(policy.spill)]
        .reduce((sum, { name }) => sum + Deno.statSync(`${policy.spill}/${name}`).size, 0) /
      2 ** 20;
    assert.match(
      of(65),
      /its first 67108864 bytes are in .*, and no more is kept/,
    );
    assert.equal(kept(), 64);
    // What an earlier run of the session has left counts, and takes no time to make.
    Deno.truncateSync(`${policy.spill}/output-1.txt`, 250 * 2 ** 20);
    assert.match(of(7), /its first 6291456 bytes are in .*output-1-2\.txt, and no more/);
    assert.match(of(1), /all of it could not be kept: this session's outputs take 256 MiB/);
    assert.equal(kept(), 256);
  });
});

Deno.test("where it cannot be kept, that is said, and the disk is left as it was", async () => {
  const closed = new Output({ lines: 2, bytes: 100 }, "/none/such/output");
  closed.push(encode(seq(1, 9)));
  assert.match(closed.finish(), /^1\n\[… .*could not be kept: .*\n9\n$/);
  await bench({}, ({ workspace }) => {
    try {
      sh("mkdir small && mount -t tmpfs -o size=64k tmpfs small", workspace);
    } catch {
      Deno.stderr.writeSync(encode("SKIP a full disk: no right to mount a file system\n"));
      return;
    }
    try {
      const output = new Output(LIMITS, `${workspace}/small/output`);
      for (let n = 0; n < 100; n++) output.push(encode(`${n} ${"x".repeat(5000)}\n`));
      const text = output.finish();
      assert.match(text, /all of it could not be kept: the disk is full/);
      assert.match(text, /^0 x/);
      assert.match(text, /\n99 x+\n$/);
      assert.equal([...Deno.readDirSync(`${workspace}/small`)].length, 0);
    } finally {
      sh("umount small", workspace);
    }
  });
});
