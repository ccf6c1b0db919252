import { deepStrictEqual } from "node:assert/strict";
import { hello } from "./early.ts";

Deno.test("the first row names the workspace, or its end where that is all there is room for", () => {
  const of_width = (room: number) => hello("/home/a/work/client/project", "/home/a", room);
  deepStrictEqual([100, 75, 70, 60].map((room) => of_width(room).split(":")[0]), [
    "hamr in ~/work/client/project",
    "hamr in …/client/project",
    "hamr in …/project",
    "hamr",
  ]);
});
