import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { COMMANDS, FIRST_WORDS, SHELLS } from "./commands.ts";
import { candidates, completion_script } from "./completions.ts";
import { FLAGS } from "./flags.ts";

const SESSIONS = ["0197a", "0198b"].map((word) => ({ word, help: "a task" }));

/** What is offered for the words of a line, the last of which is being typed. */
async function offered(words: readonly string[]): Promise<string> {
  const found = await candidates(
    words.at(-1) ?? "",
    words.slice(0, -1),
    (kind) =>
      Promise.resolve(
        kind === "session" ? SESSIONS : [{ word: kind === "topic" ? "ci" : "fix", help: "" }],
      ),
  );
  return typeof found === "string" ? `:${found}` : found.map(({ word }) => word).join(" ");
}

Deno.test("candidates() are commands, flags, values, sessions, or a kind of path", async () => {
  const cases: [string[], string][] = [
    [[""], FIRST_WORDS.join(" ")],
    [["r"], "run resume review replay report"],
    [["-"], "-h -V --help --version"],
    [["run", "--mo"], "--mode --model"],
    [["run", "--mode", ""], "auto ask plan patch verify"],
    [["run", "--mode", "=", "pa"], "patch"],
    [["run", "--mode", "="], "auto ask plan patch verify"],
    [["run", "--mode=pa"], "--mode=patch"],
    [["run", "--output", "json"], "json jsonl"],
    [["run", "--command", ""], "fix"],
    [["run", "--model", ""], "fix"],
    [["run", "--model", "--j"], ""],
    [["run", "--model", "m", "--js"], "--json"],
    [["run", "--model", "=", "m", "--js"], "--json"],
    [["run", "--model=m", "--js"], "--json"],
    [["run", "--config", "c"], ":file"],
    [["run", "--config=c"], ":file"],
    [["run", "--allow-write", "c"], ""],
    [["run", "--allow-write", "=", "c"], ":file"],
    [["run", "--allow-write=c"], ":file"],
    [["run", "--allow-net", ""], ""],
    [["run", "--allow-net", "="], "loopback"],
    [["run", "--allow-net="], "--allow-net=loopback"],
    [["run", "--confirm", ""], "refuse sensitive all never"],
    [["run", "-C", "../ba"], ":folder"],
    [["run", "--", "--m"], ""],
    [["run", "task", "--js"], "--json"],
    [["run", "-", "--js"], "--json"],
    [["run", "--no-such", "--js"], "--json"],
    [["run", "--no-such=a"], ""],
    [["run", "--resume", "0198"], "0198b"],
    [["resume", ""], "0197a 0198b"],
    [["resume", "0197a", ""], ""],
    [["sessions", "show", "0"], "0197a 0198b"],
    [["sessions", "rm", "0197a", ""], "0197a 0198b"],
    [["sessions", "import", ""], ":file"],
    [["--model", "m", ""], FIRST_WORDS.join(" ")],
    [["--model", "=", "m", "do"], "doctor"],
    [["config", ""], "path show init trust import"],
    [["config", "show", "--allow-n"], "--allow-net"],
    [["config", "init", "--m"], ""],
    [["completions", ""], SHELLS.join(" ")],
    [["completions", "bash", ""], ""],
    [["help", "c"], "chat context config completions ci"],
    [["sandbox", "--js"], ""],
    [["no-such", ""], ""],
    [[], FIRST_WORDS.join(" ")],
  ];
  for (const [words, expected] of cases) {
    strictEqual(await offered(words), expected, words.join(" "));
  }
});

Deno.test("candidates() offers each command all of its flags", async () => {
  for (const { name } of COMMANDS) {
    const expected = FLAGS.filter(({ commands }) => commands.includes(name))
      .flatMap((flag) => [`--${flag.name}`, ...flag.short === undefined ? [] : [`-${flag.short}`]]);
    const found = (await offered([...name.split(" "), "-"])).split(" ");
    deepStrictEqual(found.toSorted(), expected.toSorted(), name);
  }
});

Deno.test("completion_script() has a script for every shell, which asks hamr", () => {
  for (const shell of SHELLS) {
    const script = completion_script(shell);
    strictEqual(script.includes("__complete"), true, shell);
    strictEqual(script.includes("undefined"), false, shell);
  }
});
