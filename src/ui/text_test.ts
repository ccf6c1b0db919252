import { deepStrictEqual } from "node:assert/strict";
import { ago, all_seen, percent, short, to_be_allowed, tokens } from "./text.ts";

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

Deno.test("tokens() counts one as one", () => {
  deepStrictEqual([0, 1, 2, 4100].map(tokens), ["0 tokens", "1 token", "2 tokens", "4.1k tokens"]);
});

Deno.test("short() and percent() are as exact as a person reads them, and nothing is what is not", () => {
  deepStrictEqual(
    [0, 999, 1000, 1234, 128_000, 999_949, 999_950, 2_000_000].map(short),
    ["0", "999", "1k", "1.2k", "128k", "999.9k", "1M", "2M"],
  );
  deepStrictEqual([0, 1, 9, 10, 999, 1000].map((part) => percent(part, 1000)), [
    ...["0%", "<1%", "<1%", "1%", "99%", "100%"],
  ]);
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

Deno.test("what is to be allowed names what can't be seen, and leaves letters and emoji as they are", () => {
  for (
    const char
      of "\u200b\u2060\u202e\u2066\u00ad\u034f\u061c\u180e\u3164\u115f\ufeff\u2028\u2800\ufe00\ufe0f\u200d\u200c\r\x1b\0\x7f\u009b\u{e0041}\u{1d173}"
  ) {
    const named = `U+${char.codePointAt(0)!.toString(16).toUpperCase().padStart(4, "0")}`;
    deepStrictEqual(to_be_allowed(`rm a${char}b`), `rm a[${named}]b`);
    deepStrictEqual(
      to_be_allowed(`rm a${`${char} `.repeat(9000)}b; ls`),
      "rm a[18000 characters that can't be seen]b; ls",
    );
  }
  const honest = [
    "git commit -m 'fix: 👩‍💻 ❤️ 👨‍👩‍👧 👍🏽 1️⃣ 🏳️‍🌈'",
    "echo 'é e\u0301 \u00a0 \u3000 日本語 한국어 עברית العربية'",
    "printf '%s\\r\\n' a\tb | sed 's/a/b/'",
  ];
  for (const text of honest) deepStrictEqual(to_be_allowed(text), text);
  // Joiners of letters are as they were.
  deepStrictEqual(to_be_allowed("echo می\u200cخواهم क्\u200dष"), "echo میخواهم क्\u200dष");
  deepStrictEqual(to_be_allowed("dir\r\nls\r\n"), "dir\nls\n");
  // In a change, too.
  deepStrictEqual(
    all_seen("+ if (admin\u2066 /* never\u2069 */)\r"),
    "+ if (admin[U+2066] /* never[U+2069] */)",
  );
});
