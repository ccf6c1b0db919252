import { strictEqual } from "node:assert/strict";
import { visibleWidth } from "@earendil-works/pi-tui";
import { SIGNS, signs_in_ascii, wants_ascii } from "./signs.ts";

Deno.test("hamr's own signs are drawn in ASCII, and what a model says stays as it is", () => {
  strictEqual(
    signs_in_ascii("🔄 Step 1 → model call\n   ⚠️  naïve 日本 · 👨‍👩‍👧 ✅ Done\n⠧ running…"),
    "=> Step 1 > model call\n   !   naïve 日本 | 👨‍👩‍👧 OK Done\n* running.",
  );
});

Deno.test("what is drawn in ASCII takes as many columns, and leaves escape sequences alone", () => {
  for (const [sign, letters] of Object.entries(SIGNS)) {
    strictEqual(letters.length, visibleWidth(sign), sign);
  }
  const drawn = "\x1b[2m─┬─ qwen · window 8.2k\x1b[22m ⠋ 🔧 bash → ✓\r\n\x1b[1A日本 é";
  const plain = "\x1b[2m-+- qwen | window 8.2k\x1b[22m * *  bash > +\r\n\x1b[1A日本 é";
  strictEqual(signs_in_ascii(drawn), plain);
});

Deno.test("a terminal shows ASCII only where its type or the locale says so", () => {
  strictEqual(wants_ascii({ TERM: "dumb" }), true);
  strictEqual(wants_ascii({ TERM: "dumb", LANG: "de_DE.UTF-8" }), false);
  strictEqual(wants_ascii({ TERM: "dumb", LANG: "C" }), true);
  strictEqual(wants_ascii({ TERM: "xterm", LC_ALL: "C" }), true);
  strictEqual(wants_ascii({ TERM: "xterm", LANG: "C.utf8" }), false);
  strictEqual(wants_ascii({ TERM: "xterm", LC_ALL: "", LANG: "en_US.UTF-8" }), false);
  strictEqual(wants_ascii({ TERM: "xterm" }), false);
});
