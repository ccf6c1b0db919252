/** Questions, reviews, plans and texts: honest answers that change nothing. */
import { bash, call, say } from "../../support/model_server.ts";
import { NOT_DONE, read, together, type Transcript } from "../transcript.ts";
import { CONFIG, ending, NODE, play_of as done, PYTHON, SCRIPTS } from "./projects.ts";

const not_done = ending(NOT_DONE);

export const ANSWERS: readonly Transcript[] = [
  done(
    ["how a thing works, at length, with code", "en", "How does pricing work in this package?"],
    PYTHON,
    [
      together("I'll look at the package first.", read("shop/prices.py"), read("shop/report.py")),
      say(
        'Pricing is two small functions in `shop/prices.py`:\n\n1. **`parse_price(text)`** strips the euro sign and turns the rest into a float:\n\n   ```python\n   return float(text.replace("€", "").strip())\n   ```\n\n2. **`with_tax(net, rate=0.19)`** adds the tax and rounds:\n\n   ```python\n   return round(net * (1 + rate), 2)\n   ```\n\n`shop/report.py` uses `with_tax` for each line of a receipt. Note that `"3,50"` (a German comma) raises a `ValueError`; that has to be fixed before this is used with German input.',
      ),
    ],
  ),
  done(
    [
      "whether something can go",
      "en",
      "Is bin/clean.sh still used by anything? Can it be removed?",
    ],
    SCRIPTS,
    [
      bash("grep -rn clean . --include='*' | grep -v '^./.git'"),
      say(
        "Only `README.md` mentions it; no script calls `bin/clean.sh`. It can be removed safely. I haven't removed anything.",
      ),
    ],
  ),
  done(
    [
      "why a test fails, in German, with a proposal in code",
      "de",
      "Warum schlägt test_comma fehl?",
    ],
    PYTHON,
    [
      bash("python3 -m unittest 2>&1 | tail -15"),
      read("shop/prices.py"),
      say(
        '`test_comma` schlägt fehl, weil `float("3,50")` das Komma nicht kennt:\n\n```\nValueError: could not convert string to float: \'3,50\'\n```\n\nBehoben wäre das so:\n\n```python\nreturn float(text.replace("€", "").replace(",", ".").strip())\n```\n\nSoll ich das so ändern?',
      ),
    ],
    { needs: "python3" },
  ),
  done(["what a script does, in Spanish", "es", "¿Qué hace bin/backup.sh?"], SCRIPTS, [
    read("bin/backup.sh"),
    say(
      "Copia cada archivo de la carpeta `$1` a `$2` y al final imprime «saved». Ojo: las variables no llevan comillas, así que un nombre con espacios rompe el bucle.",
    ),
  ]),
  done(["how the tests are run, in Chinese", "zh", "这个项目怎么运行测试？"], NODE, [
    read("package.json"),
    say(
      "运行 `npm test`，它会调用 `node --test`。测试文件是 `src/slug.test.js`，目前只有一个测试。需要 Node 18 以上。",
    ),
  ]),
  done(["a version that two files disagree on", "en", "Which Node version do we require?"], NODE, [
    bash("grep -n engines package.json; grep -n Node README.md"),
    say(
      "Officially Node 18 or newer (`engines` in `package.json`). The README still says Node 16, which is outdated — someone forgot to update it when `engines` was added.",
    ),
  ]),
  done(
    [
      "what an error means, without a look",
      "en",
      "What does this mean: ModuleNotFoundError: No module named 'shop.tax'?",
    ],
    PYTHON,
    [
      say(
        "Python found the package `shop` but no module `tax` in it. Usually the file was renamed or never created, or you are running from another folder. Check that `shop/tax.py` exists, and run from the project's root.",
      ),
    ],
  ),
  done(
    ["who changed what", "en", "Who last changed config/default.yml, and what did they change?"],
    CONFIG,
    [
      bash("git log -p --follow -n 2 -- config/default.yml"),
      say(
        "Grace did, in “Raise the timeout”: she changed `timeout` from 30 to 60. Before that, Ada created the file.",
      ),
    ],
    {
      git: true,
      setup:
        "sed -i s/30/60/ config/default.yml && git -c user.name=Grace commit -qam 'Raise the timeout'",
    },
  ),
  done(
    [
      "how one would do it, with several blocks",
      "en",
      "How would I add caching to slugify? Don't change anything yet.",
    ],
    NODE,
    [
      read("src/slug.js"),
      say(
        'A `Map` is enough:\n\n```js\nconst known = new Map();\n```\n\nThen wrap the function:\n\n```js\nexport function cached(text) {\n  if (!known.has(text)) known.set(text, slugify(text));\n  return known.get(text);\n}\n```\n\nAnd export it from `src/index.js`:\n\n```js\nexport { cached } from "./slug.js";\n```\n\nNothing was changed. I\'d only do it if a profile shows that it matters.',
      ),
    ],
  ),
  done(["what a log says of the tests", "en", "Did the tests pass in the last CI run?"], {
    ...NODE,
    "ci.log": "# tests 12\n# pass 12\n# fail 0\n",
  }, [
    bash("tail -5 ci.log"),
    say("Yes: all 12 tests passed, none failed (`ci.log`)."),
  ]),
  done(["a review of the last commit", "en", "Review the last commit."], SCRIPTS, [
    bash("git show HEAD"),
    say(
      "The commit adds `-r` to the `cp` in `bin/backup.sh`, so folders are copied now as well.\n\n**Findings**\n1. `$f` and `$2` should be quoted, or names with blanks break.\n2. The README wasn't updated: it doesn't mention folders.\n3. Nit: `set -e` makes the loop stop at the first failed copy; that may be intended.\n\nNo blocker. I made no changes.",
    ),
  ], {
    git: true,
    setup: "sed -i 's/cp /cp -r /' bin/backup.sh && git commit -qam 'Copy folders'",
  }),
  done(
    ["a security review that names files", "en", "Look over the scripts for security problems."],
    SCRIPTS,
    [
      bash("cat bin/*.sh"),
      say(
        "| file | problem | severity |\n|---|---|---|\n| bin/backup.sh | unquoted variables | medium |\n| bin/clean.sh | deletes in whatever folder it is started in | low |\n\nBoth are easily fixed by quoting and by a `cd` to a known folder.",
      ),
    ],
  ),
  done(
    ["a review in German", "de", "Schau dir src/index.js an: was würdest du verbessern?"],
    NODE,
    [
      read("src/index.js"),
      say(
        "Drei Punkte:\n- Der Port ist fest verdrahtet; er sollte aus der Umgebung kommen.\n- `page` mischt Pfad und Port; das gehört getrennt.\n- Es fehlt ein Test für `page`.\n\nGeändert habe ich nichts.",
      ),
    ],
  ),
  done(
    ["a number out of data", "en", "How many orders failed, and what do they add up to?"],
    CONFIG,
    [
      bash("awk -F, '$2==\"failed\"{n++; s+=$3} END{print n, s}' data/orders.csv"),
      say("Three orders failed (2, 4 and 5), 8 in total."),
    ],
  ),
  done(["a commit message", "en", "Suggest a commit message for what I changed."], PYTHON, [
    bash("git diff"),
    say(
      '```\nprices: accept a decimal comma\n\nparse_price() replaced only the euro sign, so "3,50 €" raised a\nValueError. Fixed by replacing the comma as well; test added.\n```',
    ),
  ], { git: true, setup: 'sed -i \'s/"")/"").replace(",", ".")/\' shop/prices.py' }),
  done(
    [
      "a pull request's description, in Spanish",
      "es",
      "Redacta un texto para el pull request con lo que cambió.",
    ],
    NODE,
    [
      bash("git diff HEAD"),
      say(
        "## Resumen\n\n- Corregido `slugify`: ahora pasa a minúsculas\n- Actualizada la versión\n\n## Pruebas\n\n- [x] Todas las pruebas pasan",
      ),
    ],
    { git: true, setup: "sed -i 's/trim()/trim().toLowerCase()/' src/slug.js" },
  ),
  done(
    [
      "a plan in auto mode",
      "en",
      "Make a plan for moving the settings to TOML, but don't touch anything.",
    ],
    CONFIG,
    [
      bash("cat config/*.yml settings.toml"),
      say(
        "1. I'll add the keys of `config/default.yml` to `settings.toml` under `[server]`.\n2. Then `config/staging.yml` becomes `[staging]`.\n3. Finally I'll delete `config/` and update `docs/setup.md`.\n\nRisk: whoever reads the YAML files today breaks at step 3.",
      ),
    ],
  ),
  done(["plan mode", "en", "Quote the variables in the scripts."], SCRIPTS, [
    read("bin/backup.sh"),
    say(
      'Plan:\n1. In `bin/backup.sh`, quote `"$1"`, `"$f"` and `"$2"`.\n2. Check with `sh -n bin/backup.sh`.\n3. Leave `bin/clean.sh` as it is: it has no variables.',
    ),
  ], { flags: ["--mode", "plan"] }),
  done(["plan mode, in Chinese", "zh", "把端口改成从环境变量读取。"], NODE, [
    read("src/index.js"),
    say(
      "计划：\n1. 把 `src/index.js` 里的 `PORT` 改成 `Number(process.env.PORT ?? 3000)`。\n2. 增加一个测试。\n3. 运行 `npm test`。",
    ),
  ], { flags: ["--mode", "plan"] }),
  done(["ask mode", "en", "Where is the port set?"], NODE, [
    bash("grep -rn PORT src"),
    say(
      "In `src/index.js`, line 3: `const PORT = 3000;`. It is fixed; no environment variable is read.",
    ),
  ], { flags: ["--mode", "ask"] }),
  done(["ask mode, in German, with the tests", "de", "Laufen die Tests durch?"], NODE, [
    bash("node --test 2>&1 | tail -20"),
    say(
      'Nein: 1 von 1 Test schlägt fehl. `slugify("Hello World")` liefert `Hello-World` statt `hello-world`.',
    ),
  ], { flags: ["--mode", "ask"], needs: "node" }),
  done(["a question under --read-only", "en", "Which keys does staging override?"], CONFIG, [
    bash("diff config/default.yml config/staging.yml"),
    say(
      "`port` (8081 instead of 8080) and `log` (debug instead of info). `timeout` is taken from the default.",
    ),
  ], { flags: ["--read-only"] }),
  done(["nothing to do: it is there", "en", "Make sure .gitignore covers node_modules."], NODE, [
    bash("grep -n node_modules .gitignore"),
    say("`.gitignore` already covers `node_modules/` (line 1), so I left it alone."),
  ]),
  done(
    ["nothing to do, with an apology", "en", "Fix the import order in shop/report.py."],
    PYTHON,
    [
      read("shop/report.py"),
      say(
        "Sorry if I'm missing something, but there is nothing to fix: `shop/report.py` has a single import, at the top.",
      ),
    ],
  ),
  done(
    [
      "nothing to do: the fault is not there",
      "en",
      "with_tax returns unrounded numbers, please fix.",
    ],
    PYTHON,
    [
      read("shop/prices.py"),
      bash("python3 -c 'from shop.prices import with_tax; print(with_tax(0.1), with_tax(9.99))'"),
      say(
        "I can't reproduce this: `with_tax` rounds to two places, and `with_tax(9.99)` gives 11.89. Which input gave you an unrounded number?",
      ),
    ],
    { needs: "python3" },
  ),
  done(["nothing unused", "en", "Remove unused variables from src."], NODE, [
    bash("grep -n 'const\\|let' src/*.js"),
    say(
      "Every variable in `src` is used: `PORT` and `page` in `index.js`, and nothing is declared in `slug.js`. So there was nothing to remove.",
    ),
  ]),
  done(["nothing to format, in German", "de", "Formatiere settings.toml."], CONFIG, [
    bash("cat -A settings.toml"),
    say(
      "`settings.toml` ist bereits sauber formatiert: keine Tabs, keine Leerzeichen am Zeilenende. Es war nichts zu tun.",
    ),
  ]),
  done(["the tests, which fail", "en", "Run the tests and tell me what's broken."], PYTHON, [
    bash("python3 -m unittest 2>&1"),
    say(
      "1 of 2 tests fails:\n\n- `test_comma`: `ValueError: could not convert string to float: '3,50'` in `shop/prices.py`, line 5.\n- `test_tax` passes.\n\nLet me know if you want me to fix it.",
    ),
  ], { needs: "python3" }),
  done(["the tests of one half, which pass", "en", "Run test_tax only."], PYTHON, [
    bash("python3 -m unittest tests.test_prices.Prices.test_tax"),
    say("`test_tax` passes (1 test, OK)."),
  ], { needs: "python3" }),
  done(["a syntax check", "en", "Do the scripts parse?"], SCRIPTS, [
    bash("for f in bin/*.sh; do sh -n $f || echo bad $f; done"),
    say("Yes, both parse without errors (`sh -n`)."),
  ]),
  done(["an image", "en", "What is in this picture?"], CONFIG, [
    call("view_image", { path: "docs/shot.png" }),
    say(
      "A plain square in one color. There is no text in it; if it was meant to be a screenshot of the setup page, it was saved empty.",
    ),
  ], {
    setup:
      "echo iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg== | base64 -d > docs/shot.png",
  }),
  done(["something out of memory", "en", "What did I tell you about releases?"], NODE, [
    call("search_memory", { query: "release" }),
    say("Nothing is saved about releases yet."),
  ]),
  done(["a fact for memory, in German", "de", "Merk dir: Releases nur dienstags."], NODE, [
    call("save_memory", { fact: "Releases nur dienstags." }),
    say("Gespeichert: Releases gibt es nur dienstags."),
  ]),
  done(
    [
      "a todo list that was asked for",
      "en",
      "Write down a todo list of what is wrong in this repo, don't fix it.",
    ],
    PYTHON,
    [
      bash("python3 -m unittest 2>&1 | tail -4; cat README.md"),
      call("tool_search", { query: "todo" }),
      call("todo", {
        items: [{ text: "parse_price: comma", status: "pending" }, {
          text: "README: recieipts",
          status: "pending",
        }],
      }),
      say(
        "The list has two items:\n\n- [ ] `parse_price` can't read a decimal comma\n- [ ] typo “recieipts” in the README",
      ),
    ],
    { needs: "python3" },
  ),
  done(["a subagent that looks", "en", "Ask a subagent which scripts use rm."], SCRIPTS, [
    call("tool_search", { query: "delegate" }),
    call("delegate_task", { task: "Which scripts in bin use rm?" }),
    bash("grep -ln rm bin/*"),
    say("bin/clean.sh"),
    say("Only `bin/clean.sh` does, the subagent says: it removes `*.tmp` in the current folder."),
  ]),
  done(["a thank you", "en", "Thanks, that was all."], NODE, [say("You're welcome!")]),
  not_done(["a file that is not there", "en", "Fix the rounding in billing/invoice.py."], PYTHON, [
    bash("ls -R . | grep -i invoice; grep -rn invoice . | head"),
    say(
      "NOT DONE: there is no `billing/invoice.py` here, nor anything called invoice. The rounding in this package is in `shop/prices.py`; if you meant that one, tell me.",
    ),
  ]),
  not_done(
    [
      "a network that is not there",
      "en",
      "Download https://example.invalid/schema.json into data/.",
    ],
    CONFIG,
    [
      bash("curl -fsS -o data/schema.json https://example.invalid/schema.json"),
      say("NOT DONE: the host can't be reached from here, so nothing was downloaded."),
    ],
  ),
  not_done(
    [
      "a package that can't be had, told in plain words",
      "en",
      "Install the package left-pad-xyz with pip.",
    ],
    PYTHON,
    [
      bash("python3 -m pip install --no-index --quiet left-pad-xyz"),
      say(
        "I couldn't install it: pip finds no distribution called `left-pad-xyz`, and there is no network here. Nothing was changed.",
      ),
    ],
    { needs: "python3" },
  ),
  not_done(["a refusal by git, in German", "de", "Pushe den Branch nach origin."], PYTHON, [
    bash("git push origin HEAD"),
    say(
      "NOT DONE: Es ist kein Remote namens `origin` eingerichtet (`fatal: 'origin' does not appear to be a git repository`).",
    ),
  ], { git: true }),
  not_done(
    ["a question that only the person can answer", "en", "Set the port to the right one."],
    CONFIG,
    [
      bash("grep -rn port config docs"),
      say(
        "Which port is the right one: 8080, as in `config/default.yml`, or 8081, as in `config/staging.yml`?",
      ),
    ],
    { extra: 1 },
  ),
];
