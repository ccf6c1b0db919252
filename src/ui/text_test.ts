import { deepStrictEqual } from "node:assert/strict";
import { ago, to_be_allowed } from "./text.ts";

Deno.test("ago() says how long ago as people do", () => {
  const minute = 60_000, hour = 60 * minute, day = 24 * hour;
  deepStrictEqual(
    [-5, 59_000, minute, 59 * minute, hour, 23 * hour, day, 47 * hour, 400 * day].map(ago),
    [
      ...["just now", "just now", "1 min ago", "59 min ago", "1 h ago", "23 h ago"],
      ...["1 day ago", "1 day ago", "400 days ago"],
    ],
  );
});

Deno.test("what is to be allowed shows all of it, and code as it is", () => {
  deepStrictEqual(to_be_allowed(`ls${" ".repeat(9000)}; rm x`), "ls [9000 blanks] ; rm x");
  deepStrictEqual(to_be_allowed(`ls${"\t".repeat(90)}; rm x`), "ls [90 blanks] ; rm x");
  deepStrictEqual(to_be_allowed(`rm x${"\n".repeat(500)}ls`), "rm x\n[499 blank lines]\nls");
  deepStrictEqual(
    to_be_allowed(`rm x\n${" \u2003\n".repeat(500)}ls`),
    "rm x\n[500 blank lines]\nls",
  );
  const code = `cat > a <<'E'\nclass A:\n\n\n${" ".repeat(40)}def b(): pass\nE\n`;
  deepStrictEqual(to_be_allowed(code), code);
});
