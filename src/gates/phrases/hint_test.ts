import { deepStrictEqual as equal } from "node:assert/strict";
import fc from "fast-check";
import { de } from "./de.ts";
import { en } from "./en.ts";
import { es } from "./es.ts";
import { fr } from "./fr.ts";
import type { Phrases } from "./pattern.ts";

const SAMPLES = 2_000;

/** The pattern without what only narrows it: lookarounds and anchors, which no generator of texts knows. */
function widened(source: string): string {
  let out = "";
  for (let i = 0; i < source.length;) {
    if (!/^\(\?<?[=!]/.test(source.slice(i))) {
      const unit = source[i] === "\\" ? source.slice(i, i + 2) : source.charAt(i);
      out += ["\\b", "^", "$"].includes(unit) ? "" : unit;
      i += unit.length;
      continue;
    }
    let depth = 0;
    do {
      if (source[i] === "(") depth++;
      if (source[i] === ")") depth--;
      i += source[i] === "\\" ? 2 : 1;
    } while (depth > 0);
  }
  return out;
}

function hint_is_in_all_planning(language: string, { hint, planning }: Phrases): void {
  Deno.test(`${language}: no sentence is planning without a hint`, () => {
    const texts = fc.stringMatching(new RegExp(`^(?:${widened(planning.source)})$`));
    const plans = fc.sample(texts, SAMPLES).filter((text) => planning.test(text));
    equal(plans.length > SAMPLES / 10, true);
    equal(plans.filter((text) => !hint.test(text)), []);
  });
}

hint_is_in_all_planning("English", en);
hint_is_in_all_planning("Spanish", es);
hint_is_in_all_planning("French", fr);
hint_is_in_all_planning("German", de);
