import { deepStrictEqual } from "node:assert/strict";
import { Status } from "./status.ts";
import { theme_of } from "./theme.ts";

Deno.test("in a narrow window the status says what commands may do, and leaves out the rest first", () => {
  const facts = { mode: "auto", permissions: "workspace", branch: "main", background: [] };
  const status = new Status(theme_of("none"), () => facts);
  status.names("qwen", 128_000);
  status.resume({ used: 12_800, cost: 0.5 });
  deepStrictEqual([80, 50, 40, 25, 18].map((width) => status.render(width)[0]?.trimEnd()), [
    "qwen · 10% of 128.0k · $0.5000 · main · auto · workspace",
    "qwen · 10% of 128.0k · $0.5000 · auto · workspace",
    "qwen · 10% of 128.0k · auto · workspace",
    "qwen · auto · workspace",
    "auto · workspace",
  ]);
  const running = new Status(
    theme_of("none"),
    () => ({ ...facts, background: ["b1 (npm start)"] }),
  );
  deepStrictEqual(
    running.render(60)[0]?.trimEnd(),
    "no model yet · main · auto · workspace · runs b1 (npm start)",
  );
});
