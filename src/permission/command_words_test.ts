/** Words of commands, however many. */
import assert from "node:assert/strict";
import { command_only_reads, folder_at_end } from "./command_words.ts";

Deno.test("which folder a command leaves the shell in", () => {
  const cases = {
    "cd a; ls": "/w/a",
    "\n\n  cd b\nls": "/w/b",
    "echo cd c": "/w",
    "(cd -- d && ls": "/w/d",
  };
  for (const [command, folder] of Object.entries(cases)) {
    assert.equal(folder_at_end(command, "/w"), folder, command);
  }
  assert.equal(folder_at_end(`${"\n".repeat(500_000)}x cd a`, "/w"), "/w");
});

Deno.test("whether a command only shows files", () => {
  const shows = ["cat a", "sed -n 1p a", "find . -name a", "sort a | head", "cd a && grep -i b c"];
  for (const command of shows) assert.ok(command_only_reads(command), command);
  const changes = [
    "sed -i s/a/b/ c",
    "cat a\nsed -ni p a",
    "find . -delete",
    "sort -o a a",
    "cat $(ls)",
  ];
  for (const command of changes) assert.ok(!command_only_reads(command), command);
  assert.ok(command_only_reads(`sed ${"sed ".repeat(300_000)}`));
});
