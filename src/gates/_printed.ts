/** Programs run for their output, and what the answer says about it: they change nothing, and need not. Each ends in 0. */
import {
  type Answered,
  blank,
  type Did,
  edit,
  failed,
  files,
  ran,
  read,
  red,
  ref,
} from "./_did.ts";

const ROWS: readonly (readonly [task: string, did: readonly Did[], says: string])[] = [
  [
    "The login crashes",
    [failed("edit", "login.py"), blank("python3 repro.py")],
    "The repro runs through: I can't see a crash here.",
  ],
  [
    "The login crashes",
    [failed("edit", "login.py"), edit("auth.py"), blank("python3 repro.py")],
    "Fixed.",
  ],
  ["Start the job", [failed("edit", "job.py"), blank("python3 job.py")], "Started; it printed 3."],
  ["Run job.py", [blank("python3 job.py")], "Job finished."],
  ["Run job.py", [blank("python3 job.py")], "Executed job.py: 3 items processed."],
  ["Run job.py", [blank("python3 job.py")], "3 items imported."],
  [
    "Import the data with import.py",
    [blank("python3 import.py", "here")],
    "All 3 items are imported now.",
  ],
  [
    "Import the data with import.py",
    [ran("python3 import.py", 0, files("data.db"))],
    "All 3 items are imported now.",
  ],
  ["Verify the checksums", [blank("sha256sum -c SUMS")], "All checksums verified."],
  ["Validate config.yaml", [
    blank("python3 -c 'import yaml; yaml.safe_load(open(\"config.yaml\"))'"),
  ], "Config validated: no errors."],
  ["Simulate 1000 rounds", [blank("python3 sim.py")], "1000 rounds simulated; the mean is 3.5."],
  ["Solve exercise 3", [blank("python3 -c 'print(42)'")], "Exercise 3 solved: 42."],
  ["Decode this base64: aGk=", [blank("python3 -c 'print(1)'")], "Decoded: hi"],
  [
    "Compress logo.png if it gets smaller",
    [blank("python3 opt.py")],
    "It doesn't get smaller, so I left it.",
  ],
  [
    "Optimize the query",
    [read("q.sql"), blank("python3 explain.py")],
    "It uses the index already; nothing to optimize.",
  ],
  [
    "Fix the flaky test if you can reproduce it",
    [blank("python3 loop.py")],
    "I couldn't reproduce it in 200 rounds.",
  ],
  [
    "Replace the placeholder",
    [blank("sed -i 's/@@X@@/1/' t.txt", "here")],
    "There is no placeholder any more.",
  ],
  ["Change nothing, just run x.py", [blank("python3 x.py")], "Ran it: prints 1."],
  ["Add the numbers in data.txt", [blank("python3 -c 'print(12)'")], "They add up to 12."],
  [
    "Create a report of the sizes and print it",
    [blank("python3 report.py")],
    "| file | size |\n|---|---|\n| a | 1 |",
  ],
  ["Generate a random password", [blank("python3 -c 'print(1)'")], "Generated: `x8Kd-29aa`"],
  ["Generate 3 UUIDs", [blank("python3 -c 'print(1)'")], "1. a\n2. b\n3. c"],
  ["Create a random number with python", [blank("python3 -c 'print(4)'")], "4"],
  ["Implementiere nichts, führe x.py aus", [blank("python3 x.py")], "Ausgeführt: gibt 1 aus."],
  ["Führe den Job aus", [blank("python3 x.py")], "Der Job ist jetzt durchgelaufen."],
  ["Lance le script", [blank("python3 x.py")], "Le script a été lancé ; il affiche 1."],
  ["Ejecuta el script", [blank("python3 x.py")], "El script se ha ejecutado y ahora imprime 1."],
  ["运行脚本", [blank("python3 x.py")], "脚本已运行,输出 1。"],
  ["スクリプトを実行して", [blank("python3 x.py")], "実行しました。1 と表示されます。"],
  ["запусти скрипт", [blank("python3 x.py")], "Скрипт запущен и выводит 1."],
  ["execute o script", [blank("python3 x.py")], "Executado; imprime 1."],
  ["Render the template to stdout", [blank("python3 render.py")], "Rendered; the output is above."],
  [
    "Convert temp.csv to JSON on stdout",
    [blank("python3 conv.py")],
    "Converted; 3 records, see above.",
  ],
  ["Fix the typo in the commit message", [
    ran("git commit --amend -m x", 0, ref("refs/heads/main")),
  ], "Fixed: the message is right now."],
  [
    "Fix the stash",
    [ran("git stash drop", 0, ref("refs/stash"))],
    "Fixed; the stale stash is gone.",
  ],
  ["Do the tests pass?", [red("npm test | tail -3")], "No, one fails."],
  [
    "Fix it",
    [edit("a.py"), red("npm test | tail -3")],
    "Fixed. One unrelated test still fails (network).",
  ],
  [
    "Fix it",
    [edit("a.py"), red("pytest -q | tail -3"), ran("pytest -q tests/test_a.py")],
    "Fixed; tests/test_a.py passes. The rest needs a database.",
  ],
  [
    "Fix it",
    [edit("a.py"), red("npm run lint | tail -3"), ran("npm test")],
    "Fixed; all tests pass.",
  ],
  ["Run the linter", [red("ruff check . | tail -1")], "It finds 2 errors, both unused imports."],
  ["Explain the failing test", [red("pytest -q | tail -3")], "test_a expects 3 and gets -1."],
];

export const PRINTED: readonly Answered[] = ROWS.map(([task, did, says]) => ({ task, did, says }));
