import assert from "node:assert/strict";
import { test_policy } from "../sandbox/_testing.ts";
import { hints } from "./hints.ts";

Deno.test("a redirection that the shell could not open is told, whatever else was read and ended well", () => {
  const output = "/bin/bash: line 5: /tmp/server.log: Permission denied\n000\n" +
    "cat: /tmp/server.log: No such file or directory\n";
  const told = (command: string) =>
    hints({ command, exit_code: 0, output }, test_policy({ workspace: "/ws", tmp: "/tmp/run" }));
  const servers = [
    "pytest 2>&1 | tail -3; (flask run >/tmp/server.log 2>&1 &); sleep 3; tail -5 /tmp/server.log",
    'npm test > "/tmp/server.log" 2>&1 & cat a.txt',
    "cat <<'EOF' >> /tmp/server.log\na\nEOF\ncat a.txt",
  ];
  for (const command of servers) assert.match(told(command).join(), /use \$TMPDIR/, command);
  for (
    const command of [
      "cat ci.log",
      "cat ci.log > out.txt; cat out.txt",
      "make && cat /tmp/server.log",
    ]
  ) {
    assert.deepEqual(told(command), [], command);
  }
});
