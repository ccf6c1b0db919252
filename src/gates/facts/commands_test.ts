import assert from "node:assert/strict";
import { effects_of, is_test, reads_report } from "./commands.ts";

Deno.test("what a command line does is the sum of its parts", () => {
  const cases: Record<string, string> = {
    "ls -la": "look",
    "cd /x && cat a.py | head -3": "look",
    "sed -n 1,9p a.py": "look",
    "git status --short; git diff": "look",
    "git branch --list fix": "look",
    "git stash list": "look",
    "git stash": "act",
    "git branch": "look",
    "git tag": "look",
    "git tag -l v1*": "look",
    "git tag --sort=-v:refname": "look",
    "git tag -a v1 -m x": "git",
    "git tag -v v1": "look",
    "sed -i s/a/b/ a.py": "act",
    "echo x > /srv/x": "look act",
    "echo 'a > b' 2>/dev/null": "look",
    "cat a 2>&1 | grep x": "look",
    "find . -name x -delete": "act",
    "pytest -q": "check",
    "python3 -m pytest tests": "check",
    "timeout 60 npx jest": "check",
    "npm run build && npm test": "check",
    "npm ci": "act",
    "cargo fmt": "act",
    "eslint --fix .": "act",
    "make": "check",
    "make -j4 test": "check",
    "make deploy": "act",
    "go vet ./...": "check",
    "deno task test": "check",
    "bash -c 'pytest'": "check",
    "bash x.sh": "act",
    "./tool": "act",
    "git commit -m x": "git",
    "git checkout -b x": "git",
    "git checkout a.py": "act",
    "pytest && git add -A && git commit -m x": "check git",
    "for i in 1 2; do pytest; done": "check",
    "": "",
  };
  for (const [command, expected] of Object.entries(cases)) {
    assert.equal([...effects_of(command)].join(" "), expected, command);
  }
});

Deno.test("a test is known by its name, a report by its file", () => {
  for (
    const command of [
      "pytest",
      "npm test",
      "cargo test -q",
      "./run_tests.sh",
      "make test",
      "go test ./...",
    ]
  ) {
    assert.ok(is_test(command), command);
  }
  for (
    const command of [
      "make lint",
      "grep -rn test src",
      "ls tests",
      "rm -r tests/out",
      "./latest.sh",
    ]
  ) {
    assert.ok(!is_test(command), command);
  }
  assert.ok(reads_report("tail -5 build.log") && reads_report("cat ci-output.txt"));
  assert.ok(!reads_report("cat a.py"));
});
