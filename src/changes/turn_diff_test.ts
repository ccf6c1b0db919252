import assert from "node:assert/strict";
import type { Version } from "./unified_diff.ts";
import { type FileChange, turn_diff, whole_diff } from "./turn_diff.ts";

type Side = string | Uint8Array | null;

function version(side: Side): Version | null {
  if (side === null) return null;
  const bytes = typeof side === "string" ? new TextEncoder().encode(side) : side;
  return { mode: 0o100644, bytes };
}

/** Files with both their sides; those named in `hidden` are not for the model. */
function diff(
  files: Readonly<Record<string, readonly [before: Side, after: Side]>>,
  { chars = 10_000, hidden = [] as readonly string[] } = {},
): Promise<string> {
  const changes = Object.keys(files).map((path): FileChange => ({
    path,
    status: "modified",
    added: 2,
    removed: 1,
  }));
  return whole_diff(changes, {
    chars,
    shown: (path) => !hidden.includes(path),
    sides: (path) => {
      const [before, after] = files[path] ?? [null, null];
      return { before: version(before), after: version(after) };
    },
  });
}

Deno.test("a diff names each file and shows what differs", async () => {
  assert.equal(
    await diff({ "a.txt": ["one\nx\n", "two\nx\n"], "b.txt": [null, "b\n"] }),
    `modified a.txt
diff --git a/a.txt b/a.txt
--- a/a.txt
+++ b/a.txt
@@ -1,2 +1,2 @@
-one
+two
 x
modified b.txt
diff --git a/b.txt b/b.txt
new file mode 100644
--- /dev/null
+++ b/b.txt
@@ -0,0 +1,1 @@
+b`,
  );
  assert.equal(await diff({}), "");
});

Deno.test("what cannot or may not be shown is named all the same", async () => {
  const hidden = await diff({ "a\nb": ["old", "new"] }, { hidden: ["a\nb"] });
  assert.match(hidden, /^modified a\?b\n(.*\n)*\[its content is not shown\]$/);
  assert.doesNotMatch(hidden, /old|new/);
  assert.match(
    await diff({ "a.bin": ["x", new Uint8Array([0, 1])] }),
    /^modified a\.bin\n(.*\n)*Binary files differ$/,
  );
});

Deno.test("of too much, long diffs are cut in favor of short ones", async () => {
  const long = Array.from({ length: 2000 }, (_, n) => `line ${n}\n`).join("");
  const shown = await diff({
    "long.txt": [null, long],
    "short.txt": ["one\n", "two\n"],
    "more.txt": [long, null],
  }, { chars: 3000 });
  assert.ok(shown.length < 3100, `${shown.length}`);
  assert.match(shown, /-one\n\+two\n/);
  assert.match(shown, /\+line 0\n(.*\n)*\[cut here\]\nmodified short/);
  assert.match(shown, /-line 0\n(.*\n)*\[cut here\]$/);
});

Deno.test("many large files with few edits each are counted by their edits, however long that takes", async () => {
  const lines = Array.from({ length: 2_500 }, (_, at) => `line ${at}\n`);
  const before = version(lines.join(""));
  const after = version(
    lines.map((line, at) => at % 250 === 100 ? "new\n" : line).join(""),
  );
  const taken = Array.from({ length: 12 }, (_, at) => ({ path: `${at}.txt`, before, after }));
  const { files = [] } = await turn_diff(1, { take: () => taken }, () => true) ?? {};
  assert.deepEqual([...new Set(files.map(({ added, removed }) => `+${added} -${removed}`))], [
    "+10 -10",
  ]);
});
