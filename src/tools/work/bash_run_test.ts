import assert from "node:assert/strict";
import { end_written } from "../../sandbox/_testing.ts";
import { bench } from "../_testing.ts";
import { ending } from "./shell/ending.ts";
import type { CommandResult } from "./shell/shell.ts";

Deno.test("bash tells output and exit code, and leaves a fact of both", async () => {
  await bench({}, async (b) => {
    const good = await b.call("bash", { command: "echo hi" });
    assert.deepEqual([good.ok, good.text, good.summary], [true, "hi", "exit code 0"]);
    const bad = await b.call("bash", { command: "echo hi; exit 3" });
    assert.deepEqual([bad.ok, bad.text, bad.summary], [
      false,
      "hi\n[exit code 3]",
      "exit code 3",
    ]);
    const [fact] = bad.facts ?? [];
    assert.ok(fact?.kind === "command" && fact.exit_code === 3);
    assert.equal(fact.command, "echo hi; exit 3");
    assert.equal((await b.call("bash", { command: "true" })).text, "[no output]");
    assert.equal(
      (await b.call("bash", { command: "kill -9 $$" })).text,
      "[ended by signal SIGKILL]",
    );
    assert.equal((await b.call("bash", { command: "printf '\\n\\n'" })).text, "\n");
  });
});

Deno.test("bash shows what a terminal would, and says where it left colors out", async () => {
  await bench({}, async (b) => {
    const text = async (command: string) => (await b.call("bash", { command })).text;
    assert.equal(
      await text("printf '\\033[31mred\\033[0m\\n 10%%\\r100%%\\n'; exit 1"),
      "red\n100%\n[colors left out: cat -v shows them]\n[exit code 1]",
    );
    assert.equal(await text("printf '\\033[31mred' | cat -v"), "^[[31mred");
    // Nobody works on the colors of a test runner.
    assert.equal(await text("pytest() { printf '\\033[31mred'; }; pytest -q"), "red");
    assert.match(await text("printf '\\033[31mred'; : test_colors.py"), /^red\n\[colors left out/);
    assert.equal(await text("printf 'a\\r\\nb'"), "a\r\nb");
  });
});

Deno.test("bash says when the time was up, and that something goes on", async () => {
  await bench({}, async (b) => {
    const late = await b.call("bash", { command: "echo begun; sleep 9", timeout: 1 });
    assert.deepEqual([late.ok, late.text], [
      false,
      "begun\n[ended: it took longer than 1 s]\n" +
      '[give a longer "timeout", or "background": true for a server; nothing can be typed here]',
    ]);
    const [fact] = late.facts ?? [];
    assert.ok(fact?.kind === "command" && fact.exit_code === null);
    const kind = await b.call("bash", {
      command: "trap 'exit 0' TERM; sleep 9 & wait",
      timeout: 1,
    });
    assert.deepEqual([kind.ok, kind.text.split("\n")[0]], [
      false,
      "[ended: it took longer than 1 s]",
    ]);
    const on = await b.call("bash", { command: "sleep 9 & echo $!" });
    assert.match(on.text, /^\d+\n\[background processes keep running until the run ends\]$/);
    end_written(on.text.split("\n")[0]);
    await new Promise((resolve) => setTimeout(resolve, 100));
  });
});

Deno.test("an ending is told in words", () => {
  const result: CommandResult = {
    exit_code: 0,
    signal: null,
    ended_by: "itself",
    background: false,
    output: "",
    errors: "",
  };
  const table: [Partial<CommandResult>, string][] = [
    [{}, "exit code 0"],
    [{ exit_code: null, signal: "SIGSEGV" }, "ended by signal SIGSEGV"],
    [{ exit_code: null, signal: "SIGTERM", ended_by: "timeout" }, "ended: it took longer than 5 s"],
    [{ exit_code: 0, ended_by: "timeout" }, "ended: it took longer than 5 s"],
    [{ exit_code: null, ended_by: "cancel" }, "ended: the run was stopped"],
  ];
  for (const [part, words] of table) assert.equal(ending({ ...result, ...part }, 5), words);
});

Deno.test("bash notes a failure that its exit code does not tell", async () => {
  await bench({}, async (b) => {
    const told = async (command: string) => (await b.call("bash", { command })).facts?.[0];
    const row = { kind: "command", exit_code: 0 };
    const hidden = "echo '1 failed in 0.1s' | tail -1";
    assert.deepEqual(await told(hidden), { ...row, command: hidden, tells_failure: true });
    assert.deepEqual(await told("echo ok | cat"), { ...row, command: "echo ok | cat" });
    const piped = "sh -c 'echo bad; exit 3' 2>&1 | tail -1 || true";
    const failed = ["sh -c 'echo bad; exit 3' 2>&1"];
    assert.deepEqual(await told(piped), {
      ...row,
      command: piped,
      failed,
      skipped: ["true"],
    });
  });
});
