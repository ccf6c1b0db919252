import { match, strictEqual } from "node:assert/strict";
import { COMMANDS, WORDS } from "./commands.ts";
import { EXIT_CODES } from "../../app/exit_codes.ts";
import { FLAGS } from "./flags.ts";
import { help_text } from "./help.ts";

Deno.test("help_text() fits 80 columns and has no blanks at the end of a line", () => {
  for (const word of [undefined, ...WORDS]) {
    const text = help_text(word);
    for (const line of text.split("\n")) {
      strictEqual([...line].length <= 80, true, line);
      strictEqual(line, line.trimEnd());
    }
    match(text, /^hamr[^]*?\n\nUsage:\n {2}hamr /);
    match(text, /[^\n]\n$/);
  }
});

Deno.test("help_text() names every command with its line", () => {
  const page = flat(help_text());
  for (const { name, help, operands } of COMMANDS) {
    strictEqual(page.includes(flat(`hamr ${name} ${operands} ${help}`)), true, name);
  }
});

Deno.test("help_text() of a command has every flag it takes with its line", () => {
  for (const command of COMMANDS.filter(({ name }) => !name.includes(" "))) {
    const page = flat(help_text(command.name));
    for (const flag of FLAGS) {
      const own = flag.commands.includes(command.name);
      // The same name, for another command.
      const other = FLAGS.some(({ name, commands }) =>
        name === flag.name && commands.includes(command.name)
      );
      if (other !== own) continue;
      const named = page.includes(` --${flag.name} `) || page.includes(` --${flag.name}[`);
      strictEqual(named, own, `${command.name} --${flag.name}`);
      if (own) strictEqual(page.includes(flat(flag.help)), true, flag.name);
    }
  }
});

Deno.test("help_text() of run has every exit code with its meaning and stop reasons", () => {
  const page = flat(help_text("run"));
  for (const { code, name, meaning, reasons } of EXIT_CODES) {
    strictEqual(page.includes(`${code} ${name} ${meaning}`), true, name);
    if (reasons.length > 1) strictEqual(page.includes(reasons.join(", ")), true, name);
  }
});

Deno.test("every flag has a line of help that ends without a full stop", () => {
  for (const { name, help } of FLAGS) match(help, /^\S[^\n]{8,}[^.\s]$/, name);
});

/** One line with single blanks, whatever the layout. */
function flat(text: string): string {
  return text.replaceAll(/\s+/g, " ").trim();
}
