import { match, rejects, strictEqual } from "node:assert/strict";
import { COMMANDS, FIRST_WORDS } from "./commands.ts";
import { documents, question_of, readable_page, word_for } from "./documents.ts";
import { EXIT_CODES } from "../../app/exit_codes.ts";
import { FLAGS } from "./flags.ts";
import { help_text } from "./help.ts";

Deno.test("help_text() fits 80 columns and has no blanks at the end of a line", async () => {
  for (const word of [undefined, ...FIRST_WORDS]) {
    const text = await help_text(word);
    for (const line of text.split("\n")) {
      strictEqual([...line].length <= 80, true, line);
      strictEqual(line, line.trimEnd());
    }
    match(text, /^hamr[^]*?\n\nUsage:\n {2}hamr /);
    match(text, /[^\n]\n$/);
  }
});

Deno.test("help_text() names every command with its line", async () => {
  const page = flat(await help_text());
  for (const { name, help, operands } of COMMANDS) {
    strictEqual(page.includes(flat(`hamr ${name} ${operands} ${help}`)), true, name);
  }
});

Deno.test("help_text() of a command has every flag it takes with its line", async () => {
  for (const command of COMMANDS.filter(({ name }) => !name.includes(" "))) {
    const page = flat(await help_text(command.name));
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

Deno.test("help_text() of run has every exit code with its meaning and stop reasons", async () => {
  const page = flat(await help_text("run"));
  for (const { code, name, meaning, reasons } of EXIT_CODES) {
    strictEqual(page.includes(`${code} ${name} ${meaning}`), true, name);
    if (reasons.length > 1) strictEqual(page.includes(reasons.join(", ")), true, name);
  }
});

Deno.test("help_text() of a topic is its page, whichever way it is written; all are listed", async () => {
  const top = flat(await help_text());
  const pages = await documents();
  strictEqual(pages.size > 15, true);
  for (const [name, page] of pages) {
    const text = await help_text(`docs/${name}.md`);
    strictEqual(await help_text(word_for(name)), text);
    match(text, /^# .+\?\n\n\S/);
    strictEqual(question_of(text), question_of(page));
    strictEqual(top.includes(flat(`${word_for(name)} ${question_of(page)}`)), true, name);
  }
  // Where a command has the same name, it is meant, and says where the page is.
  match(
    await help_text("chat"),
    /^hamr chat: [^]*\n {2}hamr help chat\.md +How do I talk to hamr\?/,
  );
});

Deno.test("help_text() of anything else names what is near", async () => {
  await rejects(help_text("rnu"), /^UsageError: help: unknown "rnu"; did you mean run\?$/);
  await rejects(help_text("permisions"), /did you mean permissions\?$/);
  await rejects(help_text("qqqqqqq"), /^UsageError: help: unknown "qqqqqqq"; see "hamr help"$/);
});

Deno.test("help_text() of a word that is no page names those that have most to say about it", async () => {
  const cases = [
    ...[["skills", "settings"], ["proxy", "providers"], ["gitlab", "ci"]],
    ...[["undo-limits", null], ["ollama", "local-models"], ["AGENTS.md", "settings"]],
  ] as const;
  for (const [word, page] of cases) {
    await rejects(help_text(word), ({ message }: Error) => {
      strictEqual(message.includes(`hamr help ${page}`), page !== null, message);
      return true;
    });
  }
  strictEqual(await help_text("hook"), await help_text("hooks"));
});

Deno.test("readable() leaves out comments, and says where links lead", () => {
  const page =
    "<!-- made -->\n\n# Why?\n\nSee [ci.md](ci.md), [the chat](chat.md#x), [`a`](../a.json) and\n" +
    "[it](https://x.example/y).\n\n```c\na[i](ci.md)\n```\n";
  strictEqual(
    readable_page(page, ["ci", "chat"]),
    "# Why?\n\nSee `hamr help ci`, the chat (`hamr help chat.md`), `a` and\n" +
      "it (https://x.example/y).\n\n```c\na[i](ci.md)\n```\n",
  );
});

Deno.test("every flag has a line of help that ends without a full stop", () => {
  for (const { name, help } of FLAGS) match(help, /^\S[^\n]{8,}[^.\s]$/, name);
});

/** One line with single blanks, whatever the layout. */
function flat(text: string): string {
  return text.replaceAll(/\s+/g, " ").trim();
}
