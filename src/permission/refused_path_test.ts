import assert from "node:assert/strict";
import { test_policy } from "../sandbox/_testing.ts";
import { hints } from "./hints.ts";

/** A home with a key in it, notes beside it, and a program. */
function with_home(work: (home: string) => void): void {
  const root = Deno.realPathSync(Deno.makeTempDirSync());
  try {
    const home = `${root}/home`;
    for (const name of [".ssh", "notes", "project", "bin"]) {
      Deno.mkdirSync(`${home}/${name}`, { recursive: true });
    }
    Deno.writeTextFileSync(`${home}/.ssh/id`, "key");
    Deno.writeTextFileSync(`${home}/notes/a.txt`, "note");
    Deno.writeTextFileSync(`${home}/bin/tool`, "#!/bin/sh\n", { mode: 0o755 });
    Deno.symlinkSync(`${home}/.ssh`, `${home}/project/keys`);
    work(home);
  } finally {
    Deno.removeSync(root, { recursive: true });
  }
}

Deno.test("of what --deny-read names no flag is told that would not allow it; nor the workspace of a read-only run to write in", () => {
  with_home((home) => {
    const denied = [`${home}/.ssh`];
    const policy = test_policy({
      ...{ workspace: `${home}/project`, deny_read: denied, denied_by_flag: denied },
      ...{ env: { HOME: home }, read_only: true as const },
    });
    const said = (output: string) => hints({ command: "x", exit_code: 1, output }, policy);
    const key = `${home}/.ssh/id`;
    assert.deepEqual(said(`cat: ${key}: Permission denied\n`), [
      `the user has denied reading ${key} with --deny-read`,
    ]);
    assert.match(
      said(`touch: cannot touch '${home}/x': Permission denied\n`)[0] ?? "",
      /; use \$TMPDIR, or/,
    );
  });
});

Deno.test("a refused key is told, by those who only read as well", () => {
  with_home((home) => {
    const policy = test_policy({
      workspace: `${home}/project`,
      deny_read: [`${home}/.ssh`, `${home}/.aws`],
      env: { HOME: home },
    });
    const key = `${home}/.ssh/id`;
    const hint = (path: string) =>
      `the sandbox does not allow reading ${path}, as keys are kept there; ` +
      `the user can allow it with --allow-read=${key}`;
    const table: [command: string, line: string, path?: string][] = [
      ["cat ~/.ssh/id", `cat: ${key}: Permission denied`],
      ["cat ../.ssh/id", "cat: ../.ssh/id: Permission denied"],
      ["cd ~ && cat .ssh/id", "cat: .ssh/id: Permission denied"],
      ["cd $HOME/.ssh; head id", "head: cannot open 'id' for reading: Permission denied"],
      ["cat keys/id", "cat: keys/id: Permission denied", `${home}/project/keys/id`],
      ["grep x ~/.ssh/id | wc -l", `grep: ${key}: Permission denied`],
      ["sed -n 1p ~/.ssh/id", `sed: can't read ${key}: Permission denied`],
      ["wc < ~/.ssh/id", `/bin/bash: line 1: ${key}: Permission denied`],
      ["python3 x.py", `PermissionError: [Errno 13] Permission denied: '${key}'`],
      ["node x.js", `Error: EACCES: permission denied, open '${key}'`],
      ["go run .", `2026/11/22 04:37:58 open ${key}: permission denied`],
      ["ssh h", `Load key "${key}": Permission denied`],
      ["cp ~/.ssh/id .", `cp: cannot open '${key}' for reading: Permission denied`],
    ];
    for (const [command, line, path = key] of table) {
      const given = hints({ command, exit_code: 1, output: `${line}\n` }, policy);
      assert.deepEqual(given, [hint(path)], line);
    }
  });
});

Deno.test("a folder that cannot be listed is told with the reason", () => {
  with_home((home) => {
    const policy = test_policy({
      workspace: `${home}/project`,
      deny_read: [`${home}/.aws`, `${home}/.ssh`],
      env: { HOME: home },
    });
    const hint = (path: string) =>
      `the sandbox does not list ${path}, because it holds what must not be read (${home}/.aws); ` +
      "name what you need there, or the user can allow reading everything with --allow-read";
    const table: [command: string, line: string, path?: string][] = [
      ["ls ~", `ls: cannot open directory '${home}': Permission denied`],
      ["ls ..", "ls: cannot open directory '..': Permission denied"],
      ["cd ~ && ls", "ls: cannot open directory '.': Permission denied"],
      ["ls /", "ls: cannot open directory '/': Permission denied", "/"],
      ["find ~ -name x", `find: ‘${home}’: Permission denied`],
      ["tree ~ || true", `PermissionError: [Errno 13] Permission denied: '${home}'`],
      ["node x.js", `Error: EACCES: permission denied, scandir '${home}'`],
      ["ls ~/*.md", `ls: cannot access '${home}/*.md': No such file or directory`, `${home}/`],
    ];
    for (const [command, line, path = home] of table) {
      const given = hints({ command, exit_code: 2, output: `${line}\n` }, policy);
      assert.deepEqual(given, [hint(path)], line);
    }
    const both = `ls: cannot open directory '/': Permission denied\n${table[0]?.[1]}\n`;
    const given = hints({ command: "ls / ~", exit_code: 2, output: both }, policy);
    assert.equal(given.length, 1, "one of a kind is enough");
    const other = [
      `mkdir: cannot create directory ‘${home}/x’: Permission denied`,
      `ls: cannot access '${home}/project/*.md': No such file or directory`,
      `ls: cannot access '${home}/notes/*.md': No such file or directory`,
      `ls: cannot open directory '${home}/notes': Permission denied`,
    ];
    for (const line of other) {
      const given = hints({ command: "make", exit_code: 2, output: `${line}\n` }, policy);
      assert.ok(!given.some((text) => text.includes("does not list")), line);
    }
  });
});

Deno.test("with a list of what may be read, what is not on it is told", () => {
  with_home((home) => {
    const policy = test_policy({
      workspace: `${home}/project`,
      read: [`${home}/bin`],
      env: { HOME: home, PATH: "/usr/bin:/bin" },
    });
    const said = (command: string, output: string) =>
      hints({ command, exit_code: 1, output }, policy);
    const flag = `--allow-read=${home}/notes`;
    assert.deepEqual(said("cat ~/notes/a.txt", `cat: ${home}/notes/a.txt: Permission denied\n`), [
      `the sandbox does not allow reading ${home}/notes/a.txt; the user can allow it with ${flag}`,
    ]);
    assert.match(
      said("ls ~/notes", `ls: cannot open directory '${home}/notes': Permission denied\n`)[0] ?? "",
      new RegExp(`reading ${home}/notes; the user can allow it with ${flag}$`),
    );
    assert.match(
      said(
        "cp a ~/notes/b",
        `cp: cannot create regular file '${home}/notes/b': Permission denied`,
      )[0] ??
        "",
      new RegExp(`writing ${home}/notes/b; .* --allow-write=${home}/notes$`),
    );
    assert.deepEqual(said("cat ~/bin/tool", `cat: ${home}/bin/tool: Permission denied\n`), []);
  });
});

Deno.test("with a list of what may be run, what is not on it is told", () => {
  with_home((home) => {
    const policy = test_policy({
      workspace: `${home}/project`,
      run: ["/usr/bin/bash", "/bin/bash"],
      env: { HOME: home, PATH: `${home}/bin:/usr/bin:/bin` },
    });
    const hint = (name: string) =>
      `the sandbox does not allow running ${name}; the user can allow it with --allow-run=${name}`;
    Deno.copyFileSync(`${home}/bin/tool`, `${home}/project/run.sh`);
    Deno.writeTextFileSync(`${home}/project/no_program`, "", { mode: 0o644 });
    const tool = `${home}/bin/tool`;
    const table: [line: string, name?: string][] = [
      [`/bin/bash: line 1: ${tool}: Permission denied`],
      ["sh: 1: tool: Permission denied"],
      ["/usr/bin/env: ‘tool’: Permission denied"],
      ["make: tool: Permission denied"],
      ["xargs: tool: Permission denied"],
      ["Error: spawn tool EACCES"],
      ["PermissionError: [Errno 13] Permission denied: 'tool'"],
      [`fork/exec ${tool}: permission denied`],
      [`error: could not execute process \`${tool} -vV\` (never executed)\n\nCaused by:\n  Permission denied (os error 13)`],
      ["/bin/bash: line 1: ./run.sh: Permission denied", `${home}/project/run.sh`],
      [`/bin/bash: line 1: ./x.py: ${tool}: bad interpreter: Permission denied`],
    ];
    for (const [line, name = "tool"] of table) {
      const given = hints({ command: "./x", exit_code: 126, output: `${line}\n` }, policy);
      assert.deepEqual(given, [hint(name)], line);
      const all = { ...policy, run: "all" as const };
      const none = hints({ command: "./x", exit_code: 126, output: `${line}\n` }, all);
      assert.ok(!none.some((text) => text.includes("--allow-run")), line);
    }
    const line = "/bin/bash: line 1: ./no_program: Permission denied\n";
    assert.deepEqual(hints({ command: "./no_program", exit_code: 126, output: line }, policy), []);
  });
});

Deno.test("an address that bash takes for a file is none: no flag for reading would help", () => {
  with_home((home) => {
    const policy = test_policy({ workspace: `${home}/project`, read: [`${home}/project`] });
    const refused = (path: string) => `/bin/bash: line 1: ${path}: Permission denied\n`;
    const given = (path: string) =>
      hints({ command: `exec 3<>${path}`, exit_code: 1, output: refused(path) }, policy);
    assert.doesNotMatch(JSON.stringify(given("/dev/tcp/198.51.100.7/443")), /--allow-read/);
    assert.match(JSON.stringify(given(`${home}/notes/a.txt`)), /--allow-read/);
  });
});
