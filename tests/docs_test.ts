/** README.md and docs/: short, one question a page, no link to nowhere, and no command that hamr would not take. */
import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { parse } from "../src/cli/args/args.ts";
import { check_document } from "../src/config/schema.ts";
import { parse_toml } from "../src/config/toml.ts";
import { code_lines } from "./support/pages.ts";
import { stage } from "./support/stage.ts";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const PAGES = ["README.md", ...pages("docs")];

function pages(folder: string): string[] {
  return [...Deno.readDirSync(`${ROOT}${folder}`)].map(({ name }) => `${folder}/${name}`)
    .filter((path) => path.endsWith(".md")).sort();
}

const text_of = (path: string) => Deno.readTextFileSync(`${ROOT}${path}`);

/** The arguments of a command, as a shell splits them, up to what ends it. */
function words_of(command: string): string[] {
  const words: string[] = [];
  for (const [, raw = ""] of command.matchAll(/((?:"[^"]*"|'[^']*'|[^\s"'])+)/g)) {
    if (/^(?:[|<>&;#]|2>|\\$)/.test(raw)) break;
    words.push(raw.replaceAll(/"([^"]*)"|'([^']*)'/g, (_, a, b) => a ?? b));
    if (raw.endsWith(";")) break;
  }
  return words;
}

Deno.test("README.md fits into 150 lines, and each page has one question in its title", () => {
  assert.ok(text_of("README.md").split("\n").length <= 151);
  for (const page of pages("docs")) {
    const [title = "", ...rest] = text_of(page).split("\n").filter((line) => /^# /.test(line));
    assert.match(title, /^# [A-Z].*\?$/, page);
    // A comment in a block of code begins like a title.
    const comments = new Set(code_lines(text_of(page)));
    assert.deepEqual(rest.filter((line) => !comments.has(line)), [], page);
  }
});

Deno.test("no link of README.md and docs/ leads nowhere", () => {
  for (const page of PAGES) {
    const folder = page.includes("/") ? page.slice(0, page.lastIndexOf("/") + 1) : "";
    for (const [, target = ""] of text_of(page).matchAll(/\]\(([^)#\s]+)(?:#[^)]*)?\)/g)) {
      if (/^\w+:/.test(target)) continue;
      assert.ok(Deno.statSync(`${ROOT}${folder}${target}`), `${page}: ${target}`);
    }
  }
});

Deno.test("every command line of README.md and docs/ is one that hamr takes", () => {
  let seen = 0;
  const faults: string[] = [];
  for (const page of PAGES) {
    for (const line of code_lines(text_of(page))) {
      const command = /(?:^|[$|]\s+|\d+ |\s-\s)\s*((?:[A-Z_]+=\S+ )*hamr [^|]*)/.exec(line)?.[1];
      if (command === undefined || /^hamr [=:]|…|\.\.\.$|\[|<</.test(command)) continue;
      const args = words_of(command.slice(command.indexOf("hamr ") + 5).replace("{}", "0"));
      seen++;
      try {
        parse(args);
      } catch (error) {
        faults.push(`${page}: ${line}: ${error}`);
      }
    }
  }
  assert.deepEqual(faults, []);
  assert.ok(seen > 40, `${seen} commands`);
});

Deno.test("every command that README.md and docs/ name in a sentence is one, too", () => {
  let seen = 0;
  const faults: string[] = [];
  for (const page of PAGES) {
    for (const [, command = ""] of text_of(page).matchAll(/`((?:[A-Z_]+=\S+ )*hamr [^`]*)`/g)) {
      // Who signs a release is called that.
      if (command.startsWith("hamr ssh-ed25519")) continue;
      seen++;
      try {
        // As it is typed in a terminal.
        parse(words_of(command.slice(command.indexOf("hamr ") + 5)), "chat");
      } catch (error) {
        // A flag is named without a value of the reader's own.
        if (!/ needs a value/.test(String(error))) faults.push(`${page}: ${command}: ${error}`);
      }
    }
  }
  assert.deepEqual(faults, []);
  assert.ok(seen > 60, `${seen} commands`);
});

Deno.test("what README.md and docs/ show as settings is taken as settings, and JSON is JSON", () => {
  const seen = { toml: 0, json: 0 };
  for (const page of PAGES) {
    for (const [, kind, block = ""] of text_of(page).matchAll(/^```(toml|json)\n([^]*?)^```$/gm)) {
      if (kind === "toml") {
        seen.toml++;
        assert.equal(check_document(parse_toml(page, block).tables), null, `${page}: ${block}`);
      } else {
        seen.json++;
        // A file of tasks has an object a line.
        const parts = block.startsWith('{"') ? block.trim().split("\n") : [block];
        for (const part of parts) JSON.parse(part);
      }
    }
  }
  assert.ok(seen.toml > 10 && seen.json > 2, JSON.stringify(seen));
});

Deno.test("each promise of the threat model names tests, and every test that a page names is there", () => {
  const rows = /## Promises, and their tests\n([\s\S]*?)\n## /.exec(
    text_of("docs/threat-model.md"),
  )![1]!
    .split("\n").filter((line) => line.startsWith("|")).slice(2);
  assert.ok(rows.length > 20, `${rows.length} promises`);
  assert.deepEqual(rows.filter((row) => !row.includes("_test.ts`")), []);
  const faults: string[] = [];
  for (const page of [...PAGES, "SECURITY.md"]) {
    for (
      const [, path = "", title] of text_of(page).matchAll(
        /`([\w./]+_test\.ts)`(?:,\s+"([^"]+)")?/g,
      )
    ) {
      const code = code_of(path);
      if (!/\bDeno\.test\b|^chat\(/m.test(code)) faults.push(`${page}: ${path} has no tests`);
      else if (title !== undefined && !code.includes(title)) {
        faults.push(`${page}: ${path}: no "${title}"`);
      }
    }
  }
  assert.deepEqual(faults, []);
});

Deno.test("what docs/troubleshooting.md says that one sees is what hamr says", () => {
  const rows = text_of("docs/troubleshooting.md").split("\n").filter((line) => /^\| `/.test(line));
  // The runtime's own words are not ours.
  const seen = rows.filter((row) => !row.includes("Deno's runtime"))
    .map((row) => /`([^`]+)`/.exec(row)![1]!);
  assert.ok(seen.length > 15, `${seen.length} rows`);
  const source = sources("src").map(text_of).join("\n");
  assert.deepEqual(seen.filter((words) => !source.includes(words)), []);
});

function sources(folder: string): string[] {
  return [...Deno.readDirSync(`${ROOT}${folder}`)].flatMap(({ name, isDirectory }) =>
    isDirectory
      ? sources(`${folder}/${name}`)
      : /(?<!_test)\.ts$/.test(name)
      ? [`${folder}/${name}`]
      : []
  );
}

/** Nothing, if there is no such file. */
function code_of(path: string): string {
  try {
    return text_of(path);
  } catch {
    return "";
  }
}

Deno.test("hamr help has every page with it: what is printed is the page, without links", async () => {
  await stage({ script: [] }, async (s) => {
    const listed = await s.hamr(["help"]);
    for (const page of pages("docs")) {
      const name = page.slice("docs/".length, -".md".length);
      assert.match(listed.stdout, new RegExp(`^ {2}${name}(?:\\.md)? +\\S`, "m"));
    }
    const { code, stdout, stderr } = await s.hamr(["help", "scale"]);
    assert.deepEqual([code, stderr], [0, ""]);
    assert.ok(stdout.endsWith(text_of("docs/scale.md").slice(-500)));
    const unknown = await s.hamr(["help", "scael"]);
    const said = 'hamr: help: unknown "scael"; did you mean scale?\n';
    assert.deepEqual([unknown.code, unknown.stdout, unknown.stderr], [3, "", said]);
  });
});
