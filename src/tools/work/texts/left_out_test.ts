import assert from "node:assert/strict";
import { bench } from "../../_testing.ts";
import { refuse_left_out } from "./left_out.ts";

const LONG = Array.from({ length: 20 }, (_, at) => `line_${at}()`).join("\n");

const refuses = (line: string, { path = "a.py", before = LONG } = {}) => {
  try {
    refuse_left_out(path, before, `line_0()\n${line}\nline_19()`);
    return false;
  } catch {
    return true;
  }
};

Deno.test("a comment that stands for code is known in any language", () => {
  const left_out = `# ... existing code ...
    # ... rest of the file remains unchanged ...
// ... existing code ...
  /* ... keep the rest of the methods ... */
// rest of the code unchanged
# (rest of the function is unchanged)
// ... other methods ...
-- ... remaining functions unchanged
{/* ... existing code ... */}
<!-- ... rest of the code ... -->
# ... Rest bleibt unverändert
// ... le reste du code est inchangé ...
// ... resto del código sin cambios
// ... 其余代码保持不变 ...
# …(以下省略)…`.split("\n");
  assert.deepEqual(left_out.filter((line) => !refuses(line)), []);
});

Deno.test("what only sounds like it is written: prose, code, a comment that tells something, a line that was there", () => {
  const kept = `# The rest of the options are passed on unchanged.
# existing code
# keep the rest of the line for the next token
print("... existing code ...")
"# ... existing code ..."
# TODO: the remaining cases
# wait ... and then go on
// ...args are passed on
# ...
# see the rest of the file
# unchanged since 2019`.split("\n");
  assert.deepEqual(kept.filter((line) => refuses(line)), []);
  const line = "# ... existing code ...";
  assert.equal(refuses(line, { path: "docs/edit.md" }), false);
  assert.equal(refuses(line, { before: `${line}\n${LONG}` }), false);
  assert.equal(refuses(line, { before: "line_0()\nline_19()" }), false, "nothing is lost");
});

Deno.test("write, edit and a patch leave a file whole where a comment would replace a part of it", async () => {
  await bench({ files: { "a.py": `${LONG}\n` } }, async (b) => {
    await b.call("read", { path: "a.py" });
    const written = await b.call("write", {
      path: "a.py",
      content: "line_0()\n# ... rest of the file remains unchanged ...\n",
    });
    assert.equal(written.ok, false);
    assert.equal(
      written.text,
      'a.py was not changed: line 2 of the new text, "# ... rest of the file remains unchanged ...", ' +
        "stands for code that is left out. Replace only what changes with edit, or write all of it",
    );
    const old = "line_1()\nline_2()\nline_3()";
    const edited = await b.call("edit", {
      path: "a.py",
      old,
      new: "line_one()\n# ... existing code ...",
    });
    assert.match(edited.text, /a\.py was not changed: line 2/);
    const patched = await b.call("apply_patch", {
      input: `*** Begin Patch\n*** Update File: a.py\n@@\n line_0()\n${
        old.replace(/^/gm, "-")
      }\n+# ... existing code ...\n line_4()\n*** End Patch`,
    });
    assert.match(patched.text, /a\.py was not changed: line 2/);
    assert.equal(b.text("a.py"), `${LONG}\n`);
  });
});

Deno.test("blanks within a comment, however many, hold nothing up", () => {
  const gap = " ".repeat(100_000);
  assert.equal(refuses(`// a${gap}b`), false);
  assert.equal(refuses(`// ...${gap}existing code${gap}x */`), true);
  assert.equal(refuses(`/* a ${"*".repeat(100_000)} b`), false);
});
