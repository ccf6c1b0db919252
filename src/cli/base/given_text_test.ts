import assert from "node:assert/strict";
import { UsageError } from "./usage_error.ts";
import { StartError } from "../../app/start_error.ts";
import { refuse_long_rubric } from "../../app/rubric.ts";
import { given_text } from "./given_text.ts";

Deno.test("a rubric is its text, or the text of the file after the @", () => {
  const file = Deno.makeTempFileSync();
  try {
    Deno.writeTextFileSync(file, "\n- All tests pass.\n");
    assert.equal(given_text("--rubric", " It works. "), "It works.");
    assert.equal(given_text("--rubric", `@${file}`), "- All tests pass.");
    assert.equal(given_text("--rubric", "mail to a@b"), "mail to a@b");
  } finally {
    Deno.removeSync(file);
  }
});

Deno.test("a rubric that is none is refused with the reason", () => {
  const folder = Deno.makeTempDirSync();
  const at = (name: string, content: string | Uint8Array) => {
    const bytes = typeof content === "string" ? new TextEncoder().encode(content) : content;
    Deno.writeFileSync(`${folder}/${name}`, bytes);
    return `@${folder}/${name}`;
  };
  const cases: [string, RegExp][] = [
    ["  ", /it is empty/],
    ["@", /name a file/],
    [`@${folder}`, /not a regular file/],
    [`@${folder}/none`, /No such file|not found/i],
    ["@/dev/zero", /not a regular file/],
    [at("empty", " \n"), /it is empty/],
    [at("large", "x".repeat(65_537)), /65537 bytes; at most 65536/],
    [at("latin1", Uint8Array.of(0xe9, 0x20)), /not UTF-8 text/],
    ["é".repeat(40_000), /80000 bytes/],
  ];
  try {
    for (const [given, expected] of cases) {
      assert.throws(() => given_text("--rubric", given), (error) => {
        assert.ok(error instanceof UsageError);
        assert.match(error.message, expected);
        assert.match(error.message, /^--rubric/);
        assert.ok(error.message.length < 500);
        return true;
      });
    }
  } finally {
    Deno.removeSync(folder, { recursive: true });
  }
});

Deno.test("a rubric may take an eighth of a known window", () => {
  const endpoint = (context_window: number, window_known = true) => ({
    model: "m",
    context_window,
    window_known,
    window_source: "set",
  });
  refuse_long_rubric(endpoint(8192), "x".repeat(4096));
  assert.throws(() => refuse_long_rubric(endpoint(8192), "x".repeat(4097)), StartError);
  refuse_long_rubric(endpoint(8192, false), "x".repeat(65_536));
  refuse_long_rubric(endpoint(131_072), "x".repeat(65_536));
});
