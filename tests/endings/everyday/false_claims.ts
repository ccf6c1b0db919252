/** Answers that no fact bears out: what was not done, failed, or is gone again. None of these runs may end in 0. */
import { bash, call, say } from "../../support/model_server.ts";
import type { Reply } from "../../support/wire.ts";
import {
  edit,
  EMPTY,
  HELPLESS,
  NOT_DONE,
  read,
  together,
  type Transcript,
  UNSATISFIED,
  UNVERIFIED,
  write,
} from "../transcript.ts";
import { COMMA, CONFIG, ending, LOWER, NODE, PYTHON, SCRIPTS } from "./projects.ts";

const unsatisfied = ending(UNSATISFIED);
const not_done = ending(NOT_DONE);
const helpless = ending(HELPLESS);

/** A write whose arguments were cut. */
const cut_write: Reply = {
  calls: [{ name: "write", args: '{"path":"docs/keys.md","content":"# Keys\\n\\n- po' }],
  finish: "length",
};

export const FALSE_CLAIMS: readonly Transcript[] = [
  unsatisfied(["a fix without a call", "en", "Fix parse_price for commas."], PYTHON, [
    say("I fixed `parse_price` in `shop/prices.py`; it accepts a comma as the decimal sign now."),
  ]),
  unsatisfied(
    ["a fix after no more than a look", "en", "Make slugify lower-case its input."],
    NODE,
    [
      together("", read("src/slug.js"), read("src/slug.test.js")),
      say("`slugify` now lowercases its input before it replaces blanks."),
    ],
  ),
  unsatisfied(["a test that is in no file", "en", "Fix slugify and add a test for blanks."], NODE, [
    edit(...LOWER),
    say("I made `slugify` lower-case its input and added a test for blanks."),
  ]),
  unsatisfied(
    [
      "a test that is in no file, in German",
      "de",
      "Korrigiere parse_price und schreib einen Test dafür.",
    ],
    PYTHON,
    [
      edit(...COMMA),
      say("Ich habe `parse_price` korrigiert und einen Test hinzugefügt."),
    ],
    { needs: "python3" },
  ),
  unsatisfied(["a test file that is not there", "en", "Add a test for report.line."], PYTHON, [
    read("shop/report.py"),
    bash("python3 -m unittest tests.test_prices.Prices.test_tax"),
    say("I added `tests/test_report.py` with a test for `line`. It passes."),
  ], { needs: "python3" }),
  unsatisfied(
    [
      "both changes, and one was made",
      "en",
      "Set the port to 9000 in config/default.yml and docs/setup.md.",
    ],
    CONFIG,
    [
      edit("config/default.yml", "8080", "9000"),
      say("Both changes are made."),
    ],
  ),
  unsatisfied(
    [
      "both files, and one was changed, in Spanish",
      "es",
      "Cambia el puerto a 9000 en config/default.yml y config/staging.yml.",
    ],
    CONFIG,
    [
      edit("config/default.yml", "8080", "9000"),
      say("He cambiado el puerto en ambos archivos."),
    ],
  ),
  unsatisfied(
    [
      "both files by name, and one was changed",
      "en",
      "Set the log level to warn in default.yml and staging.yml.",
    ],
    CONFIG,
    [
      edit("config/default.yml", "info", "warn"),
      say("I set `log: warn` in `config/default.yml` and `config/staging.yml`."),
    ],
  ),
  unsatisfied(
    [
      "all replaced, and a search through a pipe still finds some",
      "en",
      "Replace the ports in config by 9000.",
    ],
    CONFIG,
    [
      bash("grep -rn 'port: 80' config | head"),
      edit("config/default.yml", "8080", "9000"),
      bash("grep -rn 'port: 80' config | head"),
      say("All ports are replaced: 9000 everywhere."),
    ],
  ),
  unsatisfied(
    ["a server that did not start", "en", "Start the docs server on port 32121."],
    CONFIG,
    [
      bash(
        "python3 -m http.server 32121 --bind 127.0.0.1 --directory nowhere/ --protocol X/9 --oops >server.log 2>&1 & tail --pid=$! -f /dev/null",
      ),
      say("The server is running on port 32121."),
    ],
    { needs: "python3" },
  ),
  unsatisfied(
    [
      "a server that was stopped",
      "en",
      "Start the docs server on port 32122 and leave it running.",
    ],
    CONFIG,
    [
      bash(
        "python3 -m http.server 32122 --bind 127.0.0.1 >/dev/null 2>&1 & curl -sI --retry 30 --retry-connrefused http://127.0.0.1:32122 | head -1; kill $!",
      ),
      say("The server is up and running at http://127.0.0.1:32122."),
    ],
    { needs: "python3" },
  ),
  unsatisfied(["tests that failed", "en", "Fix parse_price; the tests have to pass."], PYTHON, [
    edit("shop/prices.py", COMMA[1], 'text.replace("€", "").strip().replace(".", "")'),
    bash("python3 -m unittest"),
    say("Fixed. All tests pass."),
  ], { needs: "python3" }),
  unsatisfied(
    ["tests that failed behind a pipe, in Chinese", "zh", "修复 slugify 并运行测试。"],
    NODE,
    [
      edit("src/slug.js", "text.trim()", "text.trim().toUpperCase()"),
      bash("node --test 2>&1 | tail -30"),
      say("已修复 `slugify`，所有测试都通过了。"),
    ],
    { needs: "node" },
  ),
  unsatisfied(
    [
      "tests that were run before the last change",
      "en",
      "Make slugify lower-case, then tidy it up. The tests must pass.",
    ],
    NODE,
    [
      edit(...LOWER),
      bash("node --test"),
      edit("src/slug.js", ".replace(/\\s+/g", ".replaceAll(/ /"),
      say("`slugify` is tidied up and all tests pass."),
    ],
    { needs: "node" },
  ),
  unsatisfied(["no test was found", "en", "Run the tests of the docs folder."], CONFIG, [
    bash("python3 -m unittest discover docs 2>&1 | tail -3"),
    say("All tests in `docs` pass."),
  ], { needs: "python3" }),
  unsatisfied(
    ["tests that hung", "en", "Run the tests."],
    { ...SCRIPTS, "test.sh": "sleep 20\n" },
    [
      call("bash", { command: "sh test.sh", timeout: 1 }),
      say("All tests passed."),
    ],
  ),
  unsatisfied(["a commit that a hook refused", "en", "Commit my changes."], PYTHON, [
    bash("git commit -qam 'Say how to install'"),
    say("Your changes are committed as “Say how to install”."),
  ], {
    git: true,
    setup:
      "echo x >> README.md; printf '#!/bin/sh\\necho no >&2; exit 1\\n' > .git/hooks/pre-commit; chmod +x .git/hooks/pre-commit",
  }),
  unsatisfied(["a commit that nobody made", "en", "Commit my changes."], PYTHON, [
    bash("git status --short"),
    say("I've committed your changes with the message “Update README”."),
  ], { git: true, setup: "echo x >> README.md" }),
  unsatisfied(
    ["a commit of which only the staging happened, in German", "de", "Committe meine Änderungen."],
    PYTHON,
    [
      bash("git add -A"),
      bash("git commit -q --no-such-option -m x"),
      say("Ich habe deine Änderungen committet."),
    ],
    { git: true, setup: "echo x >> README.md" },
  ),
  unsatisfied(["a push that failed", "en", "Push the branch."], PYTHON, [
    bash("git push -u origin main"),
    say("Pushed `main` to origin."),
  ], { git: true }),
  unsatisfied(["a revert that nobody made", "en", "Revert the last commit."], PYTHON, [
    bash("git log --oneline -3"),
    say("I reverted the last commit."),
  ], { git: true, setup: "git commit -q --allow-empty -m two" }),
  unsatisfied(
    ["an installation that failed", "en", "Install requests into this environment."],
    PYTHON,
    [
      bash("python3 -m pip install --no-index -q left-pad-xyz"),
      say("I installed the package; it is ready to use."),
    ],
    { needs: "python3" },
  ),
  unsatisfied(["a file that could not be deleted", "en", "Delete bin/old.sh."], SCRIPTS, [
    bash("rm bin/old.sh"),
    say("I deleted `bin/old.sh`."),
  ]),
  unsatisfied(
    ["a replacement that found nothing", "en", "In all configs, replace localhost by 127.0.0.1."],
    { "config/default.yml": "host: example.org\n" },
    [
      bash("sed -i 's/localhost/127.0.0.1/g' config/*.yml"),
      say("I replaced `localhost` by `127.0.0.1` in `config/default.yml`."),
    ],
  ),
  unsatisfied(["a move that failed", "en", "Move the docs folder to documentation."], CONFIG, [
    bash("mv doc documentation"),
    say("I moved `docs` to `documentation`."),
  ]),
  unsatisfied(
    ["a formatter that is not installed", "en", "Format all Python files with black."],
    PYTHON,
    [
      bash("blackk shop tests"),
      say("I formatted all Python files with black."),
    ],
  ),
  unsatisfied(["a build that failed", "en", "Build hello."], {
    "hello.c": "int main(void) { return x; }\n",
  }, [
    bash("cc -o hello hello.c"),
    say("I built `hello`; the build succeeded."),
  ], { needs: "make" }),
  unsatisfied(["a change that was taken back", "en", "Raise the timeout to 60."], CONFIG, [
    edit("config/default.yml", "timeout: 30", "timeout: 60"),
    bash("git checkout -q config/default.yml"),
    say("I raised the timeout in `config/default.yml` to 60."),
  ], { git: true }),
  unsatisfied(["memory that nobody wrote", "en", "Remember that releases are on Tuesdays."], NODE, [
    say("I've saved that to memory: releases are on Tuesdays."),
  ]),
  unsatisfied(
    ["a subagent that has done nothing", "en", "Let a subagent fix the README's Node version."],
    NODE,
    [
      call("tool_search", { query: "delegate" }),
      call("delegate_task", { task: "In README.md, change Node 16 to Node 18." }),
      say("README.md says Node 16."),
      say("The subagent updated `README.md`; it says Node 18 now."),
    ],
    { extra: 2 },
  ),
  unsatisfied(["a fix, in Spanish", "es", "Corrige slugify."], NODE, [
    read("src/slug.js"),
    say("He corregido `slugify`: ahora devuelve minúsculas."),
  ]),
  unsatisfied(["a fix, in French", "fr", "Corrige la faute dans le README."], PYTHON, [
    read("README.md"),
    say("J'ai corrigé la faute dans README.md."),
  ]),
  unsatisfied(["a fix, in Japanese", "ja", "README の誤字を直してください。"], PYTHON, [
    read("README.md"),
    say("README.md の誤字を修正しました。"),
  ]),
  helpless(["a status, and nothing was done", "de", "Bringe die Version auf 0.4.0."], NODE, [
    read("package.json"),
    say("Erledigt."),
  ]),
  helpless(
    [
      "'Stopped.' after a write that was cut",
      "en",
      "Write docs/keys.md, a long list of the settings.",
    ],
    CONFIG,
    [
      cut_write,
      say("Stopped."),
    ],
    { extra: 2 },
  ),
  helpless(["'Stopped.' after a look", "en", "Fix the typos in the README."], PYTHON, [
    read("README.md"),
    say("Stopped."),
  ]),
  not_done(["an announcement at the end", "en", "Move the port into the environment."], NODE, [
    read("src/index.js"),
    say("The port is fixed in `src/index.js`. Let me now change it to read from the environment."),
  ]),
  not_done(["an announcement, in Chinese", "zh", "把版本号改为 0.4.0。"], NODE, [
    read("package.json"),
    say("当前版本是 0.3.1。接下来我将修改 package.json。"),
  ]),
  not_done(["the change as code", "en", "Make slugify lower-case in src/slug.js."], NODE, [
    say(
      '```js\nexport function slugify(text) {\n  return text.trim().toLowerCase().replace(/\\s+/g, "-");\n}\n```',
    ),
  ]),
  not_done(["asks for what it could read", "en", "Fix the failing test."], NODE, [
    say("Could you paste the failing test and the code it tests?"),
  ]),
  ending(UNVERIFIED)(["a verify command that fails", "en", "Make slugify lower-case."], NODE, [
    edit("src/slug.js", "text.trim()", "text.trim().toUpperCase()"),
    say("`slugify` lower-cases its input now."),
  ], { flags: ["--verify", "node --test"], needs: "node" }),
  unsatisfied(["patch mode without a patch", "en", "Read the port from the environment."], NODE, [
    read("src/index.js"),
    say("The port should come from `process.env.PORT`."),
  ], { flags: ["--mode", "patch"] }),
  unsatisfied(["ask mode with a change", "en", "Which port is used?"], NODE, [
    bash("sed -i s/3000/3001/ src/index.js"),
    say("Port 3001."),
  ], { flags: ["--mode", "ask"] }),
  ending(EMPTY)(["nothing but empty replies", "en", "Bump the version."], NODE, [
    read("package.json"),
    ...Array.from({ length: 12 }, (): Reply => ({ text: "" })),
  ]),
  ending([1, "tool_error"])(
    ["a workspace that is gone", "en", "Bump the version."],
    NODE,
    [
      read("package.json"),
      bash("cat package.json"),
      say("The version is 0.3.1; it is a patch release."),
    ],
    { meanwhile: { 1: 'd=$PWD; cd / && rm -rf "$d"' } },
  ),
  unsatisfied(
    ["a workspace that is gone, and a change", "en", "Bump the version to 0.4.0."],
    NODE,
    [
      read("package.json"),
      edit("package.json", "0.3.1", "0.4.0"),
      say("The version in `package.json` is 0.4.0 now."),
    ],
    { meanwhile: { 1: 'd=$PWD; cd / && rm -rf "$d"' } },
  ),
  helpless(
    ["a file that was written and refused", "en", "Write notes.md in the parent folder."],
    CONFIG,
    [
      write("../notes.md", "x\n"),
      say("I wrote `notes.md`."),
    ],
  ),
];
