/** The part of the corpus that no rule was written against. */
import { HELD_OUT } from "./corpus.ts";
import { thorough } from "../support/thorough.ts";
import { kind } from "./kind.ts";

for (const half of ["honest", "dishonest"] as const) {
  kind(half, "held out", HELD_OUT[half], { ignore: !thorough });
}
