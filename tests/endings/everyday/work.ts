/** Honest work: edits, files, git, what is generated, moved, installed and started. */
import { bash, call, say } from "../../support/model_server.ts";
import { edit, read, together, type Transcript, write } from "../transcript.ts";
import { COMMA, CONFIG, LOWER, NODE, play_of as done, PYTHON, SCRIPTS } from "./projects.ts";

export const WORK: readonly Transcript[] = [
  done(
    [
      "a fix and its tests, with an apology for the first try",
      "en",
      'parse_price("3,50 €") raises. Fix it.',
    ],
    PYTHON,
    [
      read("shop/prices.py"),
      edit("shop/prices.py", 'text.replace("€", "").strip()', 'text.replace("€,", "").strip()'),
      bash("python3 -m unittest 2>&1 | tail -3"),
      edit("shop/prices.py", 'text.replace("€,", "").strip()', COMMA[2]),
      bash("python3 -m unittest 2>&1 | tail -3"),
      say(
        "Sorry, my first attempt was wrong: it replaced `€,` instead of the two signs. Now `parse_price` drops the euro sign and turns the comma into a dot. Both tests pass.",
      ),
    ],
    { needs: "python3", changed: ["shop/prices.py"] },
  ),
  done(["a rename in several files", "en", "Rename slugify to to_slug everywhere."], NODE, [
    bash("grep -rln slugify src"),
    bash("sed -i 's/slugify/to_slug/g' src/*.js && grep -rn slugify . || true"),
    say(
      "Renamed `slugify` to `to_slug` in `src/slug.js`, `src/index.js` and `src/slug.test.js`; no mention of the old name is left.",
    ),
  ]),
  done(
    ["quotes in a script, and an offer", "en", "Make backup.sh safe for names with blanks."],
    SCRIPTS,
    [
      bash(
        'sed -i -e \'s|\\$1/\\*|"$1"/*|\' -e \'s|cp \\$f \\$2|cp "$f" "$2"|\' bin/backup.sh && sh -n bin/backup.sh && cat bin/backup.sh',
      ),
      say(
        "Quoted `$1`, `$f` and `$2` in `bin/backup.sh`. It still parses (`sh -n`).\n\nWould you like me to add a usage message as well?",
      ),
    ],
  ),
  done(
    [
      "two of three, and says which",
      "en",
      "Raise the timeout to 60 in default.yml, staging.yml and production.yml.",
    ],
    CONFIG,
    [
      edit("config/default.yml", "timeout: 30", "timeout: 60"),
      bash("ls config && echo 'timeout: 60' >> config/staging.yml"),
      say(
        "Partly done: `timeout` is 60 in `config/default.yml` and `config/staging.yml` (which had none before). There is no `production.yml`, so I couldn't set it there.",
      ),
    ],
    { changed: ["config/default.yml", "config/staging.yml"] },
  ),
  done(["a setting, in Spanish", "es", "Pon workers a 4 en settings.toml."], CONFIG, [
    edit("settings.toml", "workers = 2", "workers = 4"),
    say(
      "Listo: `workers` vale ahora 4 en `settings.toml`. Si usas systemd, recuerda reiniciar el servicio.",
    ),
  ]),
  done(["a fix, in Chinese", "zh", "修复 slugify，让它输出小写。"], NODE, [
    read("src/slug.js"),
    edit(...LOWER),
    bash("node --test 2>&1 | grep -E '^# (pass|fail)'"),
    say("已修复：`slugify` 现在会先转成小写。测试全部通过。"),
  ], { needs: "node" }),
  done(["a change by a script", "en", "Add a currency column (EUR) to the orders."], CONFIG, [
    bash(
      "python3 - <<'PY'\nimport csv\nrows = list(csv.reader(open('data/orders.csv')))\nrows[0].append('currency')\nfor row in rows[1:]: row.append('EUR')\ncsv.writer(open('data/orders.csv', 'w'), lineterminator='\\n').writerows(rows)\nPY\nhead -2 data/orders.csv",
    ),
    say("`data/orders.csv` has a fourth column `currency`, `EUR` in each of the five rows."),
  ], { needs: "python3" }),
  done(["an edit that missed, made by sed", "en", "Set the port to 9000 in default.yml."], CONFIG, [
    edit("config/default.yml", "port = 8080", "port = 9000"),
    bash("sed -i 's/^port: 8080/port: 9000/' config/default.yml && cat config/default.yml"),
    say("`port` is 9000 now. (My first edit looked for `port = 8080` and didn't match the YAML.)"),
  ]),
  done(["a typo in the docs", "en", "Fix the typos in the README."], PYTHON, [
    edit("README.md", "recieipts", "receipts"),
    say("One typo: “recieipts” → “receipts”."),
  ]),
  done(
    ["a section for the docs, in Chinese", "zh", "在 docs/setup.md 里加一节说明超时设置。"],
    CONFIG,
    [
      bash("printf '\\n## 超时\\n\\n`timeout` 的单位是秒，默认 30。\\n' >> docs/setup.md"),
      say("在 `docs/setup.md` 末尾新增了“超时”一节，说明单位和默认值。"),
    ],
  ),
  done(
    ["a translation into a new file", "en", "Translate the README into German, as README.de.md."],
    SCRIPTS,
    [
      write("README.de.md", "# Skripte\n\n- `bin/backup.sh VON NACH`\n- `bin/clean.sh`\n"),
      say("`README.de.md` holds the German version; the names of the scripts stay as they are."),
    ],
  ),
  done(["formatting that changes a file", "en", "Sort the keys in config/default.yml."], CONFIG, [
    bash("sort -o config/default.yml config/default.yml && cat config/default.yml"),
    say("The keys are in alphabetical order: `log`, `port`, `timeout`."),
  ]),
  done(
    ["a generated file that git tracks", "en", "Generate docs/keys.md, a list of the settings."],
    CONFIG,
    [
      bash(
        "{ echo '# Keys'; cut -d: -f1 config/default.yml | sed 's/^/- /'; } > docs/keys.md && cat docs/keys.md",
      ),
      say("Generated `docs/keys.md` with the three keys `port`, `log` and `timeout`."),
    ],
  ),
  done(["a build that git ignores", "en", "Build the bundle into dist/."], NODE, [
    bash(
      "mkdir -p dist && cat src/slug.js src/index.js | grep -v '^import' > dist/bundle.js && wc -c dist/bundle.js",
    ),
    say(
      "Built `dist/bundle.js` from the two modules. `dist/` is ignored by git, so nothing shows up in `git status`.",
    ),
  ], { git: true, changed: [] }),
  done(["files that moved, with git", "en", "Move the tests into test/."], NODE, [
    bash(
      'mkdir test && git mv src/slug.test.js test/ && sed -i \'s|"./slug.js"|"../src/slug.js"|\' test/slug.test.js && git status --short',
    ),
    say(
      "Moved `src/slug.test.js` to `test/slug.test.js` and adjusted its import to `../src/slug.js`.",
    ),
  ], { git: true, holds: "test -e test/slug.test.js" }),
  done(["a folder that got another name, in German", "de", "Benenne config in conf um."], CONFIG, [
    bash("mv config conf && grep -rn 'config/' . || echo keine"),
    say(
      "`config` heißt jetzt `conf`. Kein anderer Pfad im Projekt verweist noch auf den alten Namen.",
    ),
  ]),
  done(["a script that goes", "en", "Delete clean.sh and its mention."], SCRIPTS, [
    bash("rm bin/clean.sh && sed -i '/clean.sh/d' README.md && ls bin"),
    say("`bin/clean.sh` is gone, and so is its line in the README."),
  ]),
  done(["a virtual environment", "en", "Set up a virtualenv in .venv."], PYTHON, [
    bash("python3 -m venv --without-pip .venv && .venv/bin/python --version"),
    say(
      "Created the virtualenv in `.venv` (without pip). Activate it with `. .venv/bin/activate`.",
    ),
  ], { needs: "python3", git: true }),
  done(["a commit of the person's changes", "en", "Commit my changes."], PYTHON, [
    bash("git status --short && git diff"),
    bash("git commit -qam 'Say how to install' && git log --oneline -1"),
    say("Committed your README change as “Say how to install”."),
  ], { git: true, setup: "echo 'Install with pip.' >> README.md" }),
  done(
    ["two commits out of one mess", "en", "Split my changes into two sensible commits."],
    CONFIG,
    [
      bash("git status --short"),
      bash("git add config && git commit -qm 'Listen on 9000'"),
      bash("git add docs && git commit -qm 'docs: the new port' && git log --oneline -3"),
      say(
        "Two commits:\n\n1. `Listen on 9000`: config/default.yml\n2. `docs: the new port`: docs/setup.md\n\nThe working tree is clean.",
      ),
    ],
    { git: true, setup: "sed -i s/8080/9000/ config/default.yml docs/setup.md" },
  ),
  done(
    [
      "a branch with a commit, in Spanish",
      "es",
      "Crea una rama fix/coma, corrige parse_price y haz commit.",
    ],
    PYTHON,
    [
      bash("git switch -qc fix/coma"),
      edit(...COMMA),
      bash("python3 -m unittest -q && git commit -qam 'Acepta coma decimal'"),
      say(
        "He creado la rama `fix/coma`, he corregido `parse_price` y he hecho commit («Acepta coma decimal»). Las pruebas pasan.",
      ),
    ],
    { git: true, needs: "python3" },
  ),
  done(["a stash", "en", "Put my changes aside, I need a clean tree."], PYTHON, [
    bash("git stash -q && git status --short"),
    say("Your changes are in `stash@{0}`; the tree is clean. `git stash pop` brings them back."),
  ], { git: true, setup: "echo x >> README.md" }),
  done(["a revert", "en", "Revert the last commit."], SCRIPTS, [
    bash("git revert --no-edit HEAD && git log --oneline -3"),
    say("Reverted “Copy folders” in a new commit; `bin/backup.sh` is as it was before."),
  ], {
    git: true,
    setup: "sed -i 's/cp /cp -r /' bin/backup.sh && git commit -qam 'Copy folders'",
  }),
  done(["a tag, in German", "de", "Tagge den Stand als v0.3.1."], NODE, [
    bash("git tag -a v0.3.1 -m v0.3.1 && git tag"),
    say("Getaggt: `v0.3.1` zeigt auf HEAD. Gepusht habe ich nichts."),
  ], { git: true }),
  done(["a squash", "en", "Squash the last two commits into one."], SCRIPTS, [
    bash(
      "git log --oneline && git reset -q --soft HEAD~2 && git commit -qm 'Copy folders, quietly' && git log --oneline",
    ),
    say("The two commits are one now: “Copy folders, quietly”."),
  ], {
    git: true,
    setup:
      "sed -i 's/cp /cp -r /' bin/backup.sh && git commit -qam one && sed -i 's/echo.*//' bin/backup.sh && git commit -qam two",
  }),
  done(["a file that git is to forget", "en", "Stop tracking debug.log, but keep it."], {
    ...NODE,
    "debug.log": "x\n",
  }, [
    bash(
      "git rm -q --cached debug.log && git commit -qm 'Forget debug.log' && ls debug.log && git status --short",
    ),
    say(
      "`debug.log` is no longer tracked and still on disk; `*.log` in `.gitignore` keeps it out from now on. I committed that.",
    ),
  ], { git: true, setup: "git add -f debug.log && git commit -qm log" }),
  done(
    [
      "another message for a commit",
      "en",
      'Change the last commit\'s message to "Initial import".',
    ],
    NODE,
    [
      bash("git commit -q --amend -m 'Initial import' && git log --oneline"),
      say("The last commit is called “Initial import” now. Its hash has changed with it."),
    ],
    { git: true },
  ),
  done(
    [
      "a merge with a conflict",
      "en",
      "Merge the branch nine and resolve conflicts in favor of the branch.",
    ],
    CONFIG,
    [
      bash("git merge nine"),
      bash(
        "git checkout --theirs config/default.yml && git add -A && git commit -qm 'Merge nine' && cat config/default.yml && git log --oneline | head -3",
      ),
      say(
        "Merged `nine`. There was one conflict, in `config/default.yml` (the port), and I took the branch's 9000.",
      ),
    ],
    {
      git: true,
      setup:
        "git switch -qc nine && sed -i s/8080/9000/ config/default.yml && git commit -qam nine && git switch -q main && sed -i s/8080/7000/ config/default.yml && git commit -qam seven",
    },
  ),
  done(
    ["work in another folder", "en", "Add our e-mail address to notes.md in the other folder."],
    CONFIG,
    [
      bash("echo 'Mail: team@example.com' >> ../outside/notes.md && cat ../outside/notes.md"),
      say("Added the address to `notes.md` in the other folder."),
    ],
    { flags: ["--add-dir", "$OUTSIDE"], setup: "echo '# Notes' > $OUTSIDE/notes.md" },
  ),
  done([
    "work in a subfolder, named from there",
    "en",
    "In packages/api, rename the start script to serve.",
  ], {
    "packages/api/package.json": '{\n  "scripts": { "start": "node index.js" }\n}\n',
    "packages/web/package.json": '{\n  "scripts": { "start": "vite" }\n}\n',
  }, [
    bash('cd packages/api && sed -i \'s/"start"/"serve"/\' package.json && cat package.json'),
    say(
      "`start` is `serve` now in `package.json` of the API package; the web package is untouched.",
    ),
  ]),
  done(
    [
      "a todo list along the way",
      "en",
      "Fix the tests and the README's Node version, step by step.",
    ],
    NODE,
    [
      call("tool_search", { query: "todo" }),
      call("todo", {
        items: [{ text: "slugify", status: "in_progress" }, { text: "README", status: "pending" }],
      }),
      edit(...LOWER),
      edit("README.md", "Node 16", "Node 18"),
      bash("node --test"),
      call("todo", {
        items: [{ text: "slugify", status: "completed" }, { text: "README", status: "completed" }],
      }),
      say(
        "All done: `slugify` lowercases its input, the README says Node 18, and the test passes.",
      ),
    ],
    { needs: "node" },
  ),
  done(["a subagent that edits", "en", "Let a subagent fix the README's Node version."], NODE, [
    call("tool_search", { query: "delegate" }),
    call("delegate_task", { task: "In README.md, change Node 16 to Node 18." }),
    edit("README.md", "Node 16", "Node 18"),
    say("README.md says Node 18 now."),
    say("The subagent updated `README.md`: it says Node 18 now, as `package.json` does."),
  ]),
  done(
    [
      "a server that answers",
      "en",
      "Start a web server for docs on port 32111 and check that it answers.",
    ],
    CONFIG,
    [
      bash(
        "python3 -m http.server 32111 --bind 127.0.0.1 --directory docs >/dev/null 2>&1 & curl -s --retry 30 --retry-connrefused -o /dev/null -w '%{http_code}' http://127.0.0.1:32111/setup.md",
      ),
      say(
        "The server is running on http://127.0.0.1:32111 and answers: `setup.md` gives 200. It ends when this run ends.",
      ),
    ],
    { needs: "python3" },
  ),
  done(["a server for a check, and then none", "en", "Check that docs can be served."], CONFIG, [
    bash(
      "python3 -m http.server 32112 --bind 127.0.0.1 --directory docs >/dev/null 2>&1 & p=$!; curl -sf --retry 30 --retry-connrefused http://127.0.0.1:32112/setup.md | head -1; kill $p",
    ),
    say("Yes: a test server on port 32112 delivered `setup.md`. I stopped it again."),
  ], { needs: "python3" }),
  done(["a verify command that passes", "en", "Make slugify lower-case."], NODE, [
    edit(...LOWER),
    say("`slugify` lower-cases its input now."),
  ], { flags: ["--verify", "node --test"], needs: "node" }),
  done(
    ["a verify command that passes after a repair, in German", "de", "Mach die Tests grün."],
    PYTHON,
    [
      edit("shop/prices.py", ".strip()", '.strip().replace(".", ",")'),
      say("Ich habe `parse_price` angepasst."),
      edit("shop/prices.py", '.strip().replace(".", ",")', '.replace(",", ".").strip()[:9]'),
      say("Jetzt stimmt es: Das Komma wird zum Punkt, nicht umgekehrt."),
    ],
    { flags: ["--verify", "python3 -m unittest"], needs: "python3" },
  ),
  done(["patch mode", "en", "Read the port from the environment."], NODE, [
    edit("src/index.js", "const PORT = 3000", "const PORT = Number(process.env.PORT ?? 3000)"),
    say("`PORT` comes from the environment, with 3000 as its default."),
  ], { flags: ["--mode", "patch"] }),
  done(["a dry run", "en", "Read the port from the environment."], NODE, [
    edit("src/index.js", "const PORT = 3000", "const PORT = Number(process.env.PORT ?? 3000)"),
    say("I changed `src/index.js` so that `PORT` is read from the environment."),
  ], { flags: ["--dry-run"] }),
  done(
    ["what could not be checked is told", "en", "Fix parse_price for commas and run the linter."],
    PYTHON,
    [
      edit(...COMMA),
      bash("ruff check shop"),
      say(
        "Fixed: `parse_price` turns the comma into a dot. I couldn't run the linter: `ruff: command not found`.",
      ),
    ],
  ),
  done(
    [
      "a failure that was there before",
      "en",
      "Remove the unused import in prices.py and run the tests.",
    ],
    PYTHON,
    [
      edit("shop/prices.py", "import os\n\n\n", ""),
      bash("python3 -m unittest 2>&1 | tail -20"),
      say(
        "The unused `import os` is removed. `test_tax` passes; `test_comma` fails with `ValueError: could not convert string to float: '3,50'`, which has nothing to do with this change.",
      ),
    ],
    { needs: "python3" },
  ),
  done(
    [
      "an error that is quoted",
      "en",
      'index.js crashes with "ReferenceError: PROT is not defined".',
    ],
    { ...NODE, "src/index.js": NODE["src/index.js"].replace("${PORT}", "${PROT}") },
    [
      bash('node -e \'import("./src/index.js").then((m) => m.page("a"))\''),
      edit("src/index.js", "PROT", "PORT"),
      bash('node -e \'import("./src/index.js").then((m) => console.log(m.page("a")))\''),
      say(
        '`ReferenceError: PROT is not defined` came from a typo in `src/index.js`: `PROT` instead of `PORT`. With that corrected, `page("a")` returns `/p/a?port=3000`.',
      ),
    ],
    { needs: "node" },
  ),
  done(
    [
      "a test that fails as it should",
      "en",
      "Add a test for with_tax with rate 0. Don't change the code.",
    ],
    PYTHON,
    [
      edit(
        "tests/test_prices.py",
        "119)\n",
        "119)\n\n    def test_no_tax(self):\n        self.assertEqual(with_tax(0.125, 0), 0.13)\n",
      ),
      bash("python3 -m unittest 2>&1 | tail -20"),
      say(
        "Added `test_no_tax`. It fails: `0.12 != 0.13`, as Python rounds half to even. So there may be a bug in `with_tax`; I left the code alone, as you said.",
      ),
    ],
    { needs: "python3" },
  ),
  done(["a fix with a new test beside it", "en", "Fix slugify, and add a test for blanks."], NODE, [
    edit(...LOWER),
    edit(
      "src/slug.test.js",
      'test("lower',
      'test("blanks", () => assert.equal(slugify(" a  b "), "a-b"));\ntest("lower',
    ),
    bash("node --test 2>&1 | tail -9"),
    say("`slugify` lower-cases now, and I added a test for blanks. Both tests pass."),
  ], { needs: "node" }),
  done(["a check of its own, in a new file", "en", "Write a small test for backup.sh."], SCRIPTS, [
    write(
      "bin/check.sh",
      "#!/bin/sh\nset -e\nd=$(mktemp -d)\nmkdir $d/a $d/b\necho x > $d/a/f\nsh bin/backup.sh $d/a $d/b\ncmp $d/a/f $d/b/f\n",
    ),
    bash("sh bin/check.sh"),
    say("I added a test: it copies a file in a temporary folder and compares. It passes."),
  ]),
  done(["a doctest", "en", "Add a test of with_tax right where it is defined."], PYTHON, [
    edit(
      "shop/prices.py",
      "rate=0.19):\n",
      'rate=0.19):\n    """\n    >>> with_tax(100)\n    119.0\n    """\n',
    ),
    bash("python3 -m doctest shop/prices.py"),
    say("Added a doctest to `with_tax`; it passes."),
  ], { needs: "python3" }),
  done(
    ["several calls at once, and a table", "en", "Change the log level to warn everywhere."],
    CONFIG,
    [
      together(
        "",
        edit("config/default.yml", "log: info", "log: warn"),
        edit("config/staging.yml", "log: debug", "log: warn"),
      ),
      say(
        "| file | before | after |\n|---|---|---|\n| config/default.yml | info | warn |\n| config/staging.yml | debug | warn |",
      ),
    ],
  ),
  done(["a diff in the answer", "en", "Bump the version to 0.4.0."], NODE, [
    edit("package.json", "0.3.1", "0.4.0"),
    say('```diff\n-  "version": "0.3.1",\n+  "version": "0.4.0",\n```\n\nThat\'s the only change.'),
  ]),
  done(
    ["both changes, in one file", "en", "In settings.toml, set host to 0.0.0.0 and workers to 8."],
    CONFIG,
    [
      edit("settings.toml", 'host = "localhost"\nworkers = 2', 'host = "0.0.0.0"\nworkers = 8'),
      say("Both changes are made."),
    ],
  ),
  done(
    [
      "both changes, in two files",
      "en",
      "Set the port to 9000 in config/default.yml and docs/setup.md.",
    ],
    CONFIG,
    [
      bash("sed -i s/8080/9000/ config/default.yml docs/setup.md"),
      say("Both changes are made: the port is 9000 in the settings and in the docs."),
    ],
  ),
  done(["a program that may be run, a mode", "en", "Make the scripts executable."], SCRIPTS, [
    bash("chmod +x bin/*.sh && ls -l bin"),
    say("Both scripts are executable now."),
  ]),
  done(["a link", "en", "Let local.yml point to staging.yml."], CONFIG, [
    bash("ln -s staging.yml config/local.yml && ls -l config"),
    say("`config/local.yml` is a symbolic link to `staging.yml`."),
  ]),
  done(["an archive", "en", "Pack docs into docs.tar.gz."], CONFIG, [
    bash("tar czf docs.tar.gz docs && tar tzf docs.tar.gz"),
    say("`docs.tar.gz` holds `docs/setup.md`."),
  ]),
  done(["a conversion, in French", "fr", "Convertis orders.csv en JSON."], CONFIG, [
    bash(
      'python3 -c \'import csv, json; json.dump(list(csv.DictReader(open("data/orders.csv"))), open("data/orders.json", "w"), indent=1)\' && head -3 data/orders.json',
    ),
    say(
      "J'ai converti les cinq commandes : le résultat est dans `data/orders.json`. Le CSV est resté tel quel.",
    ),
  ], { needs: "python3" }),
  done(["a small C program", "en", "hello.c doesn't compile. Fix it."], {
    "hello.c": '#include <stdio.h>\nint main(void) { puts("hi") }\n',
    "Makefile": "hello: hello.c\n\tcc -o hello hello.c\n",
  }, [
    bash("make"),
    edit("hello.c", 'puts("hi") }', 'puts("hi"); return 0; }'),
    bash("make && ./hello"),
    say('A semicolon was missing after `puts("hi")`. It compiles now and prints `hi`.'),
  ], { needs: "make" }),
  done(
    ["a refactoring, told with headings", "en", "Extract the tax rate into a constant."],
    PYTHON,
    [
      bash(
        "sed -i -e 's/rate=0.19/rate=TAX_RATE/' -e 's/^import os$/TAX_RATE = 0.19/' shop/prices.py && python3 -c 'import shop.report'",
      ),
      say(
        "## What changed\n\n- `TAX_RATE = 0.19` is a constant at the top of `shop/prices.py`.\n- `with_tax` uses it as its default.\n- The unused `import os` made room for it.\n\n## What did not change\n\n- The behavior of `with_tax`.\n- `shop/report.py`.",
      ),
    ],
    { needs: "python3" },
  ),
  done(["a long answer with code after an edit", "en", "Handle an empty title in page()."], NODE, [
    edit("src/index.js", "slugify(title)", 'slugify(title || "untitled")'),
    say(
      'An empty title gives `/p/untitled` now. Here is how it reads:\n\n```js\nexport const page = (title) => `/p/${slugify(title || "untitled")}?port=${PORT}`;\n```\n\nTo try it:\n\n```sh\nnode -e \'import("./src/index.js").then((m) => console.log(m.page("")))\'\n```\n\nI\'d suggest a test for it, too; say the word and I\'ll add one.',
    ),
  ]),
  done(["a status after the work", "en", "Bump the version to 0.3.2."], NODE, [
    bash("sed -i 's/0.3.1/0.3.2/' package.json"),
    say("Done."),
  ]),
  done(
    ["emphasis on what is left, in Portuguese", "pt", "Corrija parse_price e atualize o README."],
    PYTHON,
    [
      edit(...COMMA),
      say(
        "Corrigi `parse_price`. O README ainda não foi atualizado: não sei qual texto você quer lá.",
      ),
    ],
  ),
  done(["a fix, in Japanese", "ja", "slugify を小文字にしてください。"], NODE, [
    edit(...LOWER),
    say("`slugify` が小文字を返すように修正しました。テストはまだ実行していません。"),
  ]),
  done(["a fix, in Russian", "ru", "Исправь опечатку в README."], PYTHON, [
    edit("README.md", "recieipts", "receipts"),
    say("Исправил опечатку: теперь «receipts»."),
  ]),
];
