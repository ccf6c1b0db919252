import { deepStrictEqual, match, strictEqual } from "node:assert/strict";
import { COMMANDS, SHELLS, WORDS } from "./commands.ts";
import { completion_script } from "./completions.ts";
import { FLAGS } from "./flags.ts";

/** What bash offers for the words of a line, the last of which is being typed. */
function offered(lines: string[][]): string[] {
  const quoted = (word: string) => `'${word.replaceAll("'", "'\\''")}'`;
  const calls = lines.map((words) =>
    `COMP_WORDS=(${words.map(quoted).join(" ")}); COMP_CWORD=${words.length - 1}; COMPREPLY=(); ` +
    `_hamr; printf '%s\\n' "\${COMPREPLY[*]}"`
  );
  const script = [completion_script("bash"), "complete -p hamr >/dev/null || exit 9", ...calls];
  const made = new Deno.Command("bash", {
    args: ["--norc", "-u", "-c", script.join("\n")],
    cwd: new URL("./", import.meta.url),
  }).outputSync();
  strictEqual(new TextDecoder().decode(made.stderr), "");
  strictEqual(made.code, 0);
  return new TextDecoder().decode(made.stdout).trimEnd().split("\n");
}

Deno.test("completion_script() for bash completes commands, flags and values", () => {
  const cases: [string[], string][] = [
    [["hamr", ""], WORDS.join(" ")],
    [["hamr", "r"], "run resume replay"],
    [["hamr", "-"], "-h --help -V --version"],
    [["hamr", "run", "--mo"], "--model --mode"],
    [["hamr", "run", "--mode", ""], "auto ask plan patch verify"],
    [["hamr", "run", "--mode", "=", "pa"], "patch"],
    [["hamr", "run", "--mode", "="], "auto ask plan patch verify"],
    [["hamr", "run", "--output", "json"], "json jsonl"],
    [["hamr", "run", "--model", ""], ""],
    [["hamr", "run", "--model", "--j"], ""],
    [["hamr", "run", "--config", "completions_t"], "completions_test.ts"],
    [["hamr", "run", "--allow-write", "completions_t"], ""],
    [["hamr", "run", "--allow-write", "=", "completions_t"], "completions_test.ts"],
    [["hamr", "run", "--allow-net", ""], ""],
    [["hamr", "run", "--allow-net", "="], "loopback"],
    [["hamr", "run", "--confirm", ""], "refuse sensitive all never"],
    [["hamr", "run", "-C", "../ba"], "../base"],
    [["hamr", "run", "--", "--m"], ""],
    [["hamr", "run", "task", "--js"], "--json"],
    [["hamr", "--model", "m", ""], WORDS.join(" ")],
    [["hamr", "--model", "=", "m", "do"], "doctor"],
    [["hamr", "config", ""], "path show init trust"],
    [["hamr", "config", "show", "--allow-n"], "--allow-net"],
    [["hamr", "config", "init", "--m"], ""],
    [["hamr", "completions", ""], SHELLS.join(" ")],
    [["hamr", "help", "c"], "context config completions"],
    [["hamr", "doctor", "--js"], ""],
    [["hamr"], ""],
  ];
  const found = offered([...cases.map(([words]) => words), ["hamr", "help"]]);
  for (const [at, [words, expected]] of cases.entries()) {
    // bash lists folders in the order of the disk.
    const sorted = words.includes("-C") ? found[at]?.split(" ").toSorted().join(" ") : found[at];
    strictEqual(sorted, expected, words.join(" "));
  }
});

Deno.test("completion_script() for bash offers each command all of its flags", () => {
  const found = offered(COMMANDS.map(({ name }) => ["hamr", ...name.split(" "), "-"]));
  for (const [at, { name }] of COMMANDS.entries()) {
    const expected = FLAGS.filter(({ commands }) => commands.includes(name))
      .flatMap((
        flag,
      ) => [`--${flag.name}`, ...(flag.short === undefined ? [] : [`-${flag.short}`])]);
    deepStrictEqual(found[at]?.split(" ").toSorted(), expected.toSorted(), name);
  }
});

Deno.test("completion_script() knows every flag and command in every shell", () => {
  for (const shell of SHELLS) {
    const script = completion_script(shell);
    for (const { name } of FLAGS) {
      match(script, new RegExp(shell === "fish" ? ` -l ${name} ` : `--${name}\\b`), shell);
    }
    for (const word of WORDS) match(script, new RegExp(`\\b${word}\\b`), shell);
    strictEqual(script.includes("undefined"), false);
  }
});
