import assert from "node:assert/strict";
import { sh } from "../tools/_testing.ts";
import { unified_diff, type Version } from "./unified_diff.ts";

const FILE = 0o100644;
const MS = 1000;

function version(content: string | Uint8Array | null, mode = FILE): Version | null {
  if (content === null) return null;
  return { mode, bytes: typeof content === "string" ? new TextEncoder().encode(content) : content };
}

const lines = (n: number, word = "line") =>
  Array.from({ length: n }, (_, at) => `${word} ${at + 1}\n`).join("");

Deno.test("a change is shown with three lines around it, and counted", async () => {
  const before = version(lines(20));
  const after = version(lines(20).replace("line 9\n", "nine\nnine b\n"));
  assert.deepEqual(await unified_diff("a.ts", { before, after, ms: MS }), {
    text: `diff --git a/a.ts b/a.ts
--- a/a.ts
+++ b/a.ts
@@ -6,7 +6,8 @@
 line 6
 line 7
 line 8
-line 9
+nine
+nine b
 line 10
 line 11
 line 12
`,
    added: 2,
    removed: 1,
  });
});

Deno.test("what has no lines to show is named", async () => {
  const cases: [Version | null, Version | null, string][] = [
    [null, version(""), "new file mode 100644\n"],
    [version(""), null, "deleted file mode 100644\n"],
    [version("x"), version("x", 0o100755), "old mode 100644\nnew mode 100755\n"],
    [version("x"), version("a\0b"), "Binary files differ\n"],
    [
      { mode: FILE, bytes: null },
      version("x"),
      "[not compared: too large, or its earlier content is not known]\n",
    ],
  ];
  for (const [before, after, words] of cases) {
    const diff = await unified_diff("a", { before, after, ms: MS });
    assert.deepEqual(diff, { text: `diff --git a/a b/a\n${words}`, added: 0, removed: 0 });
  }
});

/** Numbers that look random and are the same each time. */
function random(seed: number): (below: number) => number {
  let state = seed;
  return (below) => (state = (state * 1_103_515_245 + 12_345) % 2_147_483_648) % below;
}

Deno.test("git applies it, and gets what was there", async () => {
  const folder = Deno.makeTempDirSync();
  try {
    sh("git init -q .", folder);
    const pick = random(7);
    const text = () => {
      const all = Array.from({ length: pick(30) }, () => `${"abcde"[pick(5)]}\n`).join("");
      return pick(3) === 0 ? all.slice(0, -1) : all;
    };
    const names = ["a", "with space", 'q"uote', "tab\there", "back\\slash", "umlaut ü", "d/e"];
    for (let n = 0; n < 63; n++) {
      const name = names[n % names.length]!;
      const old = n % 9 === 0 ? null : text();
      const now = n % 11 === 0 ? null : text();
      if (old === now) continue;
      const sides = { before: version(old), after: version(now) };
      const { text: diff, added, removed } = await unified_diff(name, { ...sides, ms: MS });
      // Git takes away a folder that it has emptied.
      Deno.mkdirSync(`${folder}/d`, { recursive: true });
      if (old !== null) Deno.writeTextFileSync(`${folder}/${name}`, old);
      Deno.writeTextFileSync(`${folder}/.diff`, diff);
      const stat = sh("git apply --numstat .diff && git apply .diff", folder);
      assert.equal(stat.split("\t").slice(0, 2).join(), `${added},${removed}`, diff);
      const got = now === null ? null : Deno.readTextFileSync(`${folder}/${name}`);
      assert.equal(got, now, diff);
      if (now !== null) Deno.removeSync(`${folder}/${name}`);
    }
  } finally {
    Deno.removeSync(folder, { recursive: true });
  }
});

Deno.test("a file that becomes a link goes and comes", async () => {
  const diff = await unified_diff("a", {
    before: version("x\n"),
    after: version("to", 0o120777),
    ms: MS,
  });
  assert.match(diff.text, /deleted file mode 100644[^]*-x\n[^]*new file mode 120000[^]*\+to\n/);
  assert.deepEqual([diff.added, diff.removed], [1, 1]);
});

Deno.test("a rewrite from end to end is shown as one", async () => {
  const old = lines(4000);
  const now = lines(4000).split("\n").reverse().join("\n");
  const { added, removed, text } = await unified_diff("a", {
    before: version(old),
    after: version(now),
    ms: MS,
  });
  assert.deepEqual([added, removed], [4001, 4000]);
  assert.equal(text.match(/^@@/gm)?.length, 1);
});

Deno.test("what is not UTF-8 is compared by its own characters, and another encoding is a change", async () => {
  const [umlaut, other] = [Uint8Array.of(0x67, 0xfc, 10), Uint8Array.of(0x67, 0xe4, 10)];
  const of = async (before: Uint8Array | string, after: Uint8Array | string) => {
    const sides = { before: version(before), after: version(after) };
    const { text } = await unified_diff("a", { ...sides, ms: MS });
    return text.split("\n").slice(3).join("\n");
  };
  assert.equal(await of(umlaut, other), "@@ -1,1 +1,1 @@\n-gü\n+gä\n");
  assert.equal(await of(umlaut, "gue\n"), "@@ -1,1 +1,1 @@\n-gü\n+gue\n");
  assert.equal(await of(umlaut, "gü\n"), "@@ -1,1 +1,1 @@\n-g\ufffd\n+gü\n");
  const mixed = (byte: number) => Uint8Array.of(0xc3, 0xbc, byte, 10);
  const sides = { before: version(mixed(0xfc)), after: version(mixed(0xe4)) };
  assert.match((await unified_diff("a", { ...sides, ms: MS })).text, /Binary files differ/);
});
