import assert from "node:assert/strict";
import { bench } from "../../_testing.ts";
import { EDITED_FILE, is_for, with_file } from "./edited_file.ts";

Deno.test("is_for() takes patterns as .gitignore has them, and braces", () => {
  const cases: [patterns: string[], path: string, expected: boolean][] = [
    [[], "a.py", true],
    [["*.py"], "a.py", true],
    [["*.py"], "src/deep/a.py", true],
    [["*.py"], "src/.hidden.py", true],
    [["*.py"], "a.pyi", false],
    [["*.py"], "a.PY", false],
    [["src/*.py"], "src/a.py", true],
    [["src/*.py"], "src/deep/a.py", false],
    [["src/*.py"], "lib/src/a.py", false],
    [["src/**/*.py"], "src/a.py", true],
    [["src/**/*.py"], "src/x/y/a.py", true],
    [["src/"], "src/a.py", true],
    [["**/test_*"], "a/b/test_c.py", true],
    [["/a.py"], "src/a.py", false],
    [["*.{ts,tsx}"], "a.tsx", true],
    [["*.{ts,tsx}"], "a.js", false],
    [["{src,lib}/*.{c,h}"], "lib/a.h", true],
    [["{src,lib}/*.{c,h}"], "bin/a.h", false],
    [["*.{c,{h,hh}}"], "a.hh", true],
    [["*.{$&,x}"], "a.x", true],
    [["{a}.py"], "{a}.py", true],
    [["*.py", "!test_*"], "a.py", true],
    [["*.py", "!test_*"], "test_a.py", false],
    [["*.md", "*.py"], "a.py", true],
    [["*.py"], "/elsewhere/a.py", true],
    [["src/*.py"], "/elsewhere/src/a.py", false],
  ];
  for (const [patterns, path, expected] of cases) {
    assert.equal(is_for(patterns, path), expected, `${patterns} ${path}`);
  }
});

Deno.test("with_file() gives the path to a shell, wherever it stands and whatever it is", async () => {
  const commands: [command: string, expected: (path: string) => string][] = [
    ["printf '%s|' {file}", (path) => `${path}|`],
    ['printf "%s|" "{file}"', (path) => `${path}|`],
    ['printf "%s|" "file={file};"', (path) => `file=${path};|`],
    ["printf '%s|' --file={file}", (path) => `--file=${path}|`],
    ["printf '%s|' {file} {file}", (path) => `${path}|${path}|`],
    [`printf '%s|' "it's" {file}`, (path) => `it's|${path}|`],
    [`printf '%s|' 'a"b' {file}`, (path) => `a"b|${path}|`],
    [`printf '%s|' 'a\\' {file}`, (path) => `a\\|${path}|`],
    [`printf '%s|' "a\\"b {file}"`, (path) => `a"b ${path}|`],
    [`printf '%s|' \\"{file}`, (path) => `"${path}|`],
    [`bash -c 'printf "%s|" "{file}"'`, (path) => `${path}|`],
    ["printf '%s|' \\{file}", () => "{file}|"],
    ["printf '%s|' {files}", () => "{files}|"],
    ['printf "%s|" "$HAMR_EDITED_FILE"', (path) => `${path}|`],
  ];
  const paths = [
    "/w/plain.py",
    "/w/with blank.py",
    "/w/a;touch pwned b.py",
    "/w/$(touch pwned).py",
    "/w/`touch pwned`.py",
    "/w/it's.py",
    '/w/say "hi".py',
    "/w/back\\slash\\.py",
    "/w/new\nline.py",
    "/w/*.py",
    "/w/'; touch pwned; '.py",
    '/w/"; touch pwned; ".py',
    "/w/{file}.py",
    "/w/$&.py",
  ];
  await bench({}, async (b) => {
    for (const path of paths) {
      for (const [command, expected] of commands) {
        const { output } = await b.machine.shell.run(with_file(command), {
          timeout_s: 60,
          signal: new AbortController().signal,
          env: { [EDITED_FILE]: path },
        });
        assert.equal(output, expected(path), `${command} with ${path}`);
      }
    }
    assert.deepEqual([...Deno.readDirSync(b.workspace)], []);
  });
});

Deno.test("no name of a file becomes a command even where the quotes are not understood", async () => {
  const commands = [
    'echo "$(echo {file})"',
    "bash -c 'echo {file}'",
    "cat <<END\n{file}\nEND",
    "echo $'it\\'s {file}'",
    "# it's\necho {file}",
  ];
  await bench({}, async (b) => {
    for (const path of ["/w/a;touch pwned;b.py", "/w/$(touch pwned).py", "/w/`touch pwned`.py"]) {
      for (const command of commands) {
        const { exit_code, output } = await b.machine.shell.run(with_file(command), {
          timeout_s: 60,
          signal: new AbortController().signal,
          env: { [EDITED_FILE]: path },
        });
        assert.equal(exit_code, 0, `${command}: ${output}`);
      }
    }
    assert.deepEqual([...Deno.readDirSync(b.workspace)], []);
  });
});
