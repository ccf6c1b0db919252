/** Rows of the table of everyday commands: version control, languages, and their tools. */
import type { Everyday } from "./everyday.ts";

const NO_NAME = /^\[the sandbox .*names can't be looked up; .* --allow-net\]$/m;
const ALLOW_NET = "`--allow-net`";
const NODE_SERVER = `require("os").networkInterfaces();
const s = require("http").createServer((_, r) => r.end("served")).listen(0, () =>
  fetch("http://localhost:" + s.address().port).then((r) => r.text()).then((t) => { console.log(t); s.close(); }));`;
export const DEVELOPMENT: readonly Everyday[] = [
  {
    name: "`git commit`, `git rebase`, `git stash`",
    needs: ["git"],
    run: `git init -q -b main . && git config user.name A && git config user.email a@example.com
echo a > a && git add a && git commit -qm a && git switch -qc b && echo b > b && git add b && git commit -qm b
git rebase -q main && echo c > a && git stash -q && git stash pop -q && git diff --quiet; [ $? = 1 ]`,
  },
  {
    name: "`git worktree add .worktrees/x`",
    needs: ["git"],
    run: `git init -q . && git -c user.name=A -c user.email=a@b commit -q --allow-empty -m a
git worktree add -q .worktrees/x && cd .worktrees/x && git status`,
  },
  {
    name: "`git clone --filter`, `git sparse-checkout`",
    note: "of a repository in the workspace; one elsewhere with `--allow-net`",
    needs: ["git"],
    run: `git init -q a && git -C a -c user.name=A -c user.email=a@b commit -q --allow-empty -m a
git -C a config uploadpack.allowFilter true; git clone -q --filter=blob:none "file://$PWD/a" b
git -C b sparse-checkout set x && git -C b status && git -C b config remote.origin.promisor`,
  },
  {
    name: "`git worktree add ../x`",
    note: "`--allow-write=..`, or a folder in the workspace",
    needs: ["git"],
    run: `git init -q . && git -c user.name=A -c user.email=a@b commit -q --allow-empty -m a
git worktree add {OUT}/x`,
    refused: /^\[the sandbox does not allow writing .*--allow-write=.*\/outside\]$/m,
    flags: ["--allow-write={OUT}"],
  },
  {
    name: "`git clone https://…`, `git fetch`",
    note: ALLOW_NET,
    needs: ["git"],
    run: "git clone -q https://example.com/x.git",
    refused: NO_NAME,
  },
  {
    name: "`git push`, `npm publish`",
    note: "refused, as it can't be undone; `--yolo` with `--allow-net`",
    needs: ["git"],
    run: "git push origin main",
    refused: /^Error: refused: .*--yolo/m,
  },
  {
    name: "`npm test`, `npm run build`",
    needs: ["npm"],
    run: `echo '{"scripts":{"test":"node --test"}}' > package.json
echo 'require("node:test").test("a", () => {})' > a.test.js && npm test`,
  },
  {
    name: "`npm install`, `npm ci`",
    note: "what is in your cache with `--offline`; the rest `--allow-net`",
    needs: ["npm"],
    run: "echo '{}' > package.json && npm install left-pad",
    refused: NO_NAME,
  },
  {
    name: "`jest`",
    needs: ["jest"],
    run: "echo '{}' > package.json && echo 'test(\"a\", () => {})' > a.test.js && jest",
  },
  { name: "`tsc`", needs: ["tsc"], run: "echo 'export const a: number = 1' > a.ts && tsc a.ts" },
  {
    name: "a development server (`node`, `vite`, `next dev`) and `curl` to it",
    needs: ["node"],
    run: `node -e '${NODE_SERVER}' | grep served`,
  },
  {
    name: "`vite`",
    needs: ["vite", "curl"],
    run:
      `echo served > index.html; vite --port 5199 --host > log & until grep -q Local log; do sleep 0.05; done
curl -sS http://localhost:5199/ | grep served; code=$?; kill %1; exit $code`,
  },
  {
    name: "`deno test`, `deno run`",
    needs: ["deno"],
    run: "echo 'Deno.test(\"a\", () => {})' > a_test.ts && deno test --no-lock --no-check",
  },
  {
    name: "`pytest`, `python3 -m unittest`",
    needs: ["pytest"],
    run: "echo 'def test_a(tmp_path): pass' > a_test.py && pytest -q",
  },
  {
    name: "`python3 -m venv`",
    needs: ["python3"],
    run:
      "python3 -m venv --without-pip v && v/bin/python -c 'import sys; assert sys.prefix != sys.base_prefix'",
  },
  {
    name: "Python's `multiprocessing`",
    needs: ["python3"],
    run: `echo 'import multiprocessing as m
if __name__ == "__main__":
  with m.Pool(2) as p: print(p.map(abs, [-1, -2]))' > a.py && python3 a.py`,
  },
  {
    name: "`jupyter nbconvert --execute`, `ipython`",
    needs: ["jupyter", "ipython"],
    run: `ipython -c 'print(6 * 7)' | grep 42 &&
echo '{"cells": [{"cell_type": "code", "source": ["print(6 * 7)"], "execution_count": null, "metadata": {}, "outputs": []}], "metadata": {}, "nbformat": 4, "nbformat_minor": 4}' > a.ipynb &&
jupyter nbconvert --to notebook --execute a.ipynb --output b && grep 42 b.ipynb`,
  },
  {
    name: "`ansible-playbook` on this machine",
    needs: ["ansible-playbook"],
    run:
      `echo '[{"hosts": "localhost", "connection": "local", "gather_facts": false, "tasks": [{"command": "touch done"}]}]' > a.yml &&
ansible-playbook a.yml && test -f done`,
  },
  {
    name: "`pip install`",
    note: ALLOW_NET,
    needs: ["pip"],
    run: "python3 -m pip install --disable-pip-version-check --target p no-such-package-of-ours",
    refused: NO_NAME,
  },
  {
    name: "`go build`, `go vet`, `go test`",
    needs: ["go"],
    // Without imports: Go's own packages take half a minute to compile. `go test` is in toolchains_test.ts.
    run: `printf 'module a\\n\\ngo 1.21\\n' > go.mod
printf 'package a\\n\\nfunc A() int { return 42 }\\n' > a.go && go build ./... && go vet ./...`,
  },
  {
    name: "`go get`",
    note: ALLOW_NET,
    needs: ["go"],
    run: "printf 'module a\\n\\ngo 1.21\\n' > go.mod && go get example.com/x",
    refused: NO_NAME,
  },
  {
    name: "`cargo build --offline`, `cargo test --offline`",
    needs: ["cargo"],
    run: `mkdir src && printf '[package]\\nname = "a"\\nversion = "0.1.0"\\n' > Cargo.toml
echo '#[test] fn a() {}' > src/lib.rs && cargo test --offline -q`,
  },
  {
    name: "`javac`, `java`",
    note:
      '`java` says "Picked up JAVA_TOOL_OPTIONS" on stderr; `env -u JAVA_TOOL_OPTIONS` where that is in the way',
    needs: ["javac"],
    run: `echo 'class A { public static void main(String[] a) throws Exception {
  java.io.File.createTempFile("a", "b"); } }' > A.java && javac A.java && java A 2> err
grep -q '^Picked up JAVA_TOOL_OPTIONS: -Djava.io.tmpdir=' err && env -u JAVA_TOOL_OPTIONS java -version 2>&1 | grep -v Picked`,
  },
  {
    name: "`mvn -o`",
    note: "what is in your repository; the rest `--allow-net`",
    needs: ["mvn"],
    run:
      `echo '<project><modelVersion>4.0.0</modelVersion><groupId>a</groupId><artifactId>a</artifactId>
<version>1</version><packaging>pom</packaging></project>' > pom.xml && mvn -o -q validate`,
  },
  {
    name: "`gradle`, `./gradlew`",
    note: "two builds that share a lock can't tell each other, so one at a time",
    needs: ["gradle"],
    run: "echo 'task hello { }' > build.gradle && gradle --offline hello",
  },
  {
    name: "`make`, `gcc`, `g++`",
    needs: ["make", "gcc"],
    run:
      "printf 'a: a.c\\n\\t$(CC) -o a a.c\\n' > Makefile && echo 'int main(void) { return 0; }' > a.c && make -s && ./a",
  },
  {
    name: "`cmake`, `ninja`, `ctest`",
    needs: ["cmake", "ninja", "gcc"],
    run:
      `printf 'cmake_minimum_required(VERSION 3.10)\\nproject(a C)\\nenable_testing()\\nadd_executable(a a.c)\\nadd_test(a a)\\n' > CMakeLists.txt
echo 'int main(void) { return 0; }' > a.c && cmake -G Ninja -B b > log && ninja -C b > log && cd b && ctest`,
  },
  {
    name: "AddressSanitizer, with its search for leaks",
    needs: ["gcc"],
    run:
      `echo 'int main(void) { return 0; }' > a.c && gcc -fsanitize=address a.c -o a && ./a || exit 9
echo '#include <stdlib.h>
int main(void) { return malloc(10) == 0; }' > b.c && gcc -O0 -fno-builtin -fsanitize=address b.c -o b
./b 2>&1 | grep '10 byte(s) leaked'`,
  },
  {
    name: "`meson`, `./configure`, `make distcheck`",
    needs: ["meson", "ninja", "autoreconf"],
    run: `mkdir m a && echo 'int main(){return 0;}' | tee m/a.c > a/a.c
printf "project('a','c')\ntest('t',executable('a','a.c'))\n" > m/meson.build
(cd m && meson setup b && meson test -C b) && cd a && printf 'bin_PROGRAMS=a\na_SOURCES=a.c\nTESTS=a\n' > Makefile.am
printf 'AC_INIT([a],[1])\nAM_INIT_AUTOMAKE([foreign])\nAC_PROG_CC\nAC_CONFIG_FILES([Makefile])\nAC_OUTPUT\n' > configure.ac
autoreconf -i && ./configure && make distcheck`,
  },
  {
    name: "`scons`",
    note:
      "`--allow-write=/tmp`, or `ENV=os.environ` in its environment: it takes `TMPDIR` from gcc",
    needs: ["scons", "gcc"],
    run: `echo "Program('a', 'a.c')" > SConstruct && echo 'int main(){return 0;}' > a.c && scons`,
    refused:
      /^\[the sandbox does not allow writing \/tmp\/; use \$TMPDIR .*--allow-write=\/tmp\]$/m,
  },
  {
    name: "`sccache`",
    note: "a server of the run's own, never yours",
    needs: ["sccache", "gcc"],
    run: "echo 'int main(void) { return 0; }' > a.c && sccache gcc -c a.c && sccache --stop-server",
  },
  {
    name: "`watchman`",
    note: "a server of the run's own, never yours",
    needs: ["watchman"],
    run: "watchman watch-project . && watchman shutdown-server",
  },
  {
    name: "`pipenv`",
    needs: ["pipenv", "python3"],
    run: 'pipenv --python "$(command -v python3)" run python -c 1',
  },
  {
    name: "`lua`",
    note: "`--allow-write=/tmp` where it makes temporary files (`os.tmpname`, luarocks)",
    needs: ["lua5.4"],
    run: "lua5.4 -e 'io.tmpfile(); os.tmpname()'",
    refused: /^\[Lua creates temporary files only in \/tmp.* --allow-write=\/tmp\]$/m,
  },
  {
    name: "nodes of Erlang (`erl -sname`)",
    note: "`-setcookie NAME`: yours is a key",
    needs: ["erl"],
    run: "erl -noshell -sname a -setcookie b -eval 'halt().'",
  },
  {
    name: "`mix test`",
    needs: ["mix"],
    run: `mkdir test && echo 'ExUnit.start()' > test/test_helper.exs
echo 'defmodule C.MixProject do use Mix.Project; def project, do: [app: :c, version: "0.1.0"] end' > mix.exs
echo 'defmodule CTest do use ExUnit.Case; test "a", do: assert 1 == 1 end' > test/c_test.exs && mix test`,
  },
  {
    name: "`Rscript`, and clusters of R",
    needs: ["Rscript"],
    run:
      `Rscript -e 'library(parallel); cl <- makeCluster(2); stopifnot(parLapply(cl, 1:2, identity)[[2]] == 2)'`,
  },
  {
    name: "`pm2`",
    note: "a daemon of the run's own, never yours",
    needs: ["pm2"],
    run:
      "echo 'setInterval(() => {}, 9)' > a.js && pm2 start a.js --name mine && pm2 ls | grep mine && pm2 kill",
  },
];
