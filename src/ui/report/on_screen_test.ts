import { strictEqual } from "node:assert/strict";
import { on_screen } from "./on_screen.ts";

const PAGE = "# ✅ fix it\n\n**done**\n\n> `a.ts` is\x1b[2J fine, see [it](https://a.example)\n\n" +
  "| file | |\n| --- | ---: |\n| a.ts | +1 |\n\n```diff\n-a\n+b\n```\n";

Deno.test("a page is read on a terminal without the marks of Markdown", () => {
  strictEqual(
    on_screen(PAGE, { columns: 60, colorless: true }),
    "✅ fix it\n\ndone\n\n│ a.ts is[2J fine, see it (https://a.example)\n\n" +
      "┌──────┬────┐\n│ file │    │\n├──────┼────┤\n│ a.ts │ +1 │\n└──────┴────┘\n\n  -a\n  +b\n",
  );
});

Deno.test("its diff is in colors where there are some", () => {
  const shown = on_screen("```diff\n-a\n+b\n```\n", { columns: 60, colorless: false });
  strictEqual(shown, "  \x1b[31m-a\x1b[39m\n  \x1b[32m+b\x1b[39m\n");
});
