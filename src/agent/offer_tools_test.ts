import { deepStrictEqual } from "node:assert/strict";
import { view_image } from "../tools/declared/machine_tools.ts";
import { deferred } from "./offer_tools.ts";
import type { Session } from "./session.ts";
import { fresh_state } from "./state.ts";

Deno.test("view_image is there for a model that may see, or to which another one tells what it sees", () => {
  const cases: readonly (readonly [sees: boolean | undefined, blind: boolean, offered: boolean])[] =
    [
      [true, false, true],
      [undefined, false, true],
      [false, false, false],
      [undefined, true, false],
    ];
  for (const [sees, blind, offered] of cases) {
    for (const describes of [false, true]) {
      const endpoint = { ...(sees === undefined ? {} : { sees }) } as Session["endpoint"];
      const state = { ...fresh_state("auto"), vision: { blind, described: {} } };
      const left = deferred({ tools: [], endpoint, state, describes }, [view_image]);
      deepStrictEqual(left, offered || describes ? [view_image] : [], `${sees} ${blind}`);
    }
  }
});
