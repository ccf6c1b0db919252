import assert from "node:assert/strict";
import { theme_of } from "./theme.ts";

Deno.test("COLORFGBG says how light a terminal is until that says so itself", () => {
  const sent = (colors: string) => theme_of("auto", colors).sent("\x1b[36m›");
  for (const light of ["0;15", "0;default;15", "0;7", "8;11"]) {
    assert.equal(sent(light), "\x1b[34m›", light);
  }
  for (const dark of ["", "15;0", "7;8", "15;default;0", "0;default", "15", ";17"]) {
    assert.equal(sent(dark), "\x1b[36m›", dark);
  }
  const theme = theme_of("auto", "0;15");
  theme.light = false;
  assert.equal(theme.sent("\x1b[36m›"), "\x1b[36m›");
  assert.equal(theme_of("dark", "0;15").sent("\x1b[36m›"), "\x1b[36m›");
});
