import assert from "node:assert/strict";
import { only_looks, waits } from "./looks.ts";

const LOOKS = [
  "git status --short",
  "git -C sub --no-pager diff HEAD~1 -- src",
  "git branch --show-current && git log --oneline -3",
  "tail -n 20 build.log 2>&1 | grep -i error",
  "curl -s http://127.0.0.1:8080/health",
  "ls -la; cat a.txt 2>/dev/null || true",
  "sleep 5; tail -1 log",
  "sed -n '10,20p' a.ts",
  "ps aux | grep node | head",
];

const DOES = [
  "",
  "npm test",
  "echo same",
  "sleep 1; echo done",
  "sh test.sh",
  "git stash",
  "git branch new",
  "git tag v1",
  "git diff --output=x",
  "git status > status.txt",
  "echo x >> log",
  "sed -i s/a/b/ a.ts",
  "find . -name '*.o' -delete",
  "sort -o a a",
  "curl -X POST http://localhost:1/x",
  "curl -sO http://localhost/x",
  "cat $(ls)",
  "server & tail log",
  "env make",
  "ls | xargs rm",
  "cat <<END\nx\nEND",
];

for (const command of LOOKS) {
  Deno.test(`only_looks(): ${command}`, () => assert.ok(only_looks(command)));
}
for (const command of DOES) {
  Deno.test(`only_looks() does not hold for: ${command}`, () => assert.ok(!only_looks(command)));
}

Deno.test("waits() knows a command that lets time pass", () => {
  const waiting = [
    "sleep 5; tail log",
    "make & wait",
    "for i in 1 2; do sleep 0.5; done",
    "kubectl wait --for=x --wait",
  ];
  for (const command of waiting) assert.ok(waits(command), command);
  for (const command of ["echo sleepy", "cat sleep.txt", "await x"]) {
    assert.ok(!waits(command), command);
  }
});
