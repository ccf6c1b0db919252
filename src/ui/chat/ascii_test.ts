import { strictEqual } from "node:assert/strict";
import { visibleWidth } from "@earendil-works/pi-tui";
import { in_ascii } from "./ascii.ts";

Deno.test("what is drawn in ASCII takes as many columns, and leaves escape sequences alone", () => {
  const drawn = "\x1b[2m─── qwen · window 8.2k\x1b[22m ⠋ 🔧 bash → ✓ ⚠️  naïve 日本 👨‍👩‍👧";
  const plain = in_ascii(drawn);
  strictEqual(visibleWidth(plain), visibleWidth(drawn));
  strictEqual(
    plain,
    "\x1b[2m--- qwen | window 8.2k\x1b[22m * *  bash > + !   naive ???? ??",
  );
  strictEqual(in_ascii("plain\r\n\x1b[1A"), "plain\r\n\x1b[1A");
});
