import { deepStrictEqual } from "node:assert/strict";
import { ago } from "./text.ts";

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
