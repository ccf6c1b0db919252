import assert from "node:assert/strict";
import { REMINDERS } from "../../src/agent/reminders.ts";
import { EXIT_CODES } from "../../src/app/exit_codes.ts";
import { KEYS } from "../../src/config/keys.ts";
import { CONTEXT, JUDGES, REMINDED } from "./beside.ts";
import { formatted } from "./format.ts";
import { GATES } from "./gates.ts";
import { GUARDS } from "./guards.ts";
import { page } from "./page.ts";
import { ends_in, type Row, rules, said } from "./row.ts";

const ROWS: readonly Row[] = [...GUARDS, ...GATES];
const REASONS = EXIT_CODES.flatMap(({ reasons }) => reasons);

const here = (path: string) => new URL(`../../${path}`, import.meta.url);

/** The source of each rule, by the rule's name. */
function sources(): Map<string, string> {
  const found = new Map<string, string>();
  for (const room of ["src/guards", "src/gates"]) {
    for (const { name: file } of Deno.readDirSync(here(room))) {
      if (!file.endsWith(".ts") || file.endsWith("_test.ts")) continue;
      const text = Deno.readTextFileSync(here(`${room}/${file}`));
      const name = /return (?:rule<[^]*?>\(\{\s*name: |stateless\(\s*)"(\w+)"/.exec(text)?.[1];
      if (name !== undefined) found.set(name, text);
    }
  }
  return found;
}

/** Which of these words are in a source as strings. */
function named_in(source: string, words: readonly string[]): string[] {
  return words.filter((word) => source.includes(`"${word}"`)).sort();
}

function unique(words: readonly string[]): string[] {
  return [...new Set(words)].sort();
}

Deno.test("each guard, gate and reminder has a row, in the order in which it is asked", () => {
  const { guards, ending, contract } = rules();
  const names = (rows: readonly { readonly name: string }[]) => rows.map(({ name }) => name);
  assert.deepEqual(names(GUARDS), names(guards));
  assert.deepEqual(names(GATES), names([...ending, ...contract]));
  assert.deepEqual(names(REMINDED), names(REMINDERS));
});

Deno.test("each rule speaks in each of its scenes", () => {
  const silent = ROWS.flatMap((row) =>
    row.scenes.filter((scene) => said(row.name, scene).kind === "go_on")
      .map(({ where }) => `${row.name}: ${where}`)
  );
  assert.deepEqual(silent, []);
});

Deno.test("the scenes show every kind of verdict and every ending that the source of the rule names", () => {
  const source = sources();
  for (const { name, scenes } of ROWS) {
    const text = source.get(name) ?? "";
    const verdicts = scenes.map((scene) => said(name, scene));
    assert.deepEqual(unique(verdicts.flatMap(ends_in)), named_in(text, REASONS), name);
    const kinds = ["nudge", "answer", "stop"].filter((kind) => text.includes(`kind: "${kind}"`));
    assert.deepEqual(unique(verdicts.map(({ kind }) => kind)), kinds.sort(), name);
  }
  for (const { name, ends, ends_in_file } of [...JUDGES, CONTEXT]) {
    const text = Deno.readTextFileSync(here(ends_in_file ?? ""));
    assert.deepEqual(named_in(text, ends), unique(ends), name);
  }
});

Deno.test("each setting of a row exists and makes a difference to what the rule says", () => {
  for (const { name, scenes, settings } of ROWS) {
    for (const setting of settings) {
      const off = Array.isArray(KEYS.get(setting)?.fallback) ? [] : 0;
      const changed = scenes.some((scene) =>
        JSON.stringify(said(name, scene)) !== JSON.stringify(said(name, scene, { [setting]: off }))
      );
      assert.ok(changed, `${name} does not heed ${setting}`);
    }
  }
});

Deno.test("each setting that guards, gates, reminders and compaction keep to is on the page", () => {
  const shown = [...ROWS, ...JUDGES, ...REMINDED, CONTEXT].flatMap(({ settings }) => settings);
  const known = new Set([...shown, "guards.recoveries"]);
  const missing = [...KEYS.keys()].filter((name) =>
    /^(?:guards|budget|reminders|context)\./.test(name) && !known.has(name)
  );
  // What the model sees of a tool's result is the tool's affair.
  assert.deepEqual(missing, ["context.tool_result_lines", "context.tool_result_bytes"]);
  assert.deepEqual(shown.filter((name) => !KEYS.has(name)), []);
});

Deno.test("docs/guards.md is what `deno task docs` makes", async () => {
  const stands = Deno.readTextFileSync(here("docs/guards.md"));
  assert.ok(stands === await formatted(page()), "run `deno task docs`");
  // Six screens of 50 lines: nobody reads more, and a new rule, which takes about ten, still fits.
  assert.ok(stands.split("\n").length <= 300, "it is too long");
});
