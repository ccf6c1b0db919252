import { strictEqual } from "node:assert/strict";
import { signs_in_ascii, wants_ascii } from "./signs.ts";

Deno.test("hamr's own signs are drawn in ASCII, and what a model says stays as it is", () => {
  strictEqual(
    signs_in_ascii("🔄 Step 1 → model call\n   ⚠️  naïve 日本 · 👨‍👩‍👧 ✅ Done\n⠧ running…"),
    "=> Step 1 > model call\n   !   naïve 日本 | 👨‍👩‍👧 OK Done\n* running.",
  );
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
