/** A thing that the order names, and of which the answer says that just that was not done with it. */
import { shared_start } from "../../config/text.ts";
import { is_told } from "../phrases/orders.ts";

const NAME = "(?:the )?[`'\"]?(?<name>[\\w.$/-]*\\w)(?:\\(\\))?[`'\"]?";
/** Nothing that limits it, or says why it need not be, may follow: "is not fixed by that alone", "is not bumped: it was never released". */
const END =
  "(?: yet)?(?= ?(?:[.;!)]|$)|[:,–—-]+ .*\\b(?:could|can|can't|cannot|unable|fail\\w*)\\b)";
const NOT = "(?:is|are)(?: not|n't)";
const WITHIN = "(?:[^;:.]|\\.(?=\\w))";
/** "`format` is not fixed." */
const DENIED = new RegExp(`^(?:but |however,? )?${NAME} ${NOT}(?: yet)? (?<deed>\\w+)${END}`);
/** "I fixed `total`, but not `format`." */
const BUT_NOT = new RegExp(`\\b(?<deed>\\w{4,}) ${WITHIN}{1,120}?,? but not ${NAME}${END}`);
/** "`total` is fixed; `format` is not." */
const UNLIKE = new RegExp(
  `\\b(?:is|are) (?:now )?(?<deed>\\w{4,})\\b${WITHIN}{0,60}?[;,:–—]+ (?:and |but |while )?${NAME} ${NOT}${END}`,
);
/** What stands behind it in an order is not what the verb is for. */
const OTHERWISE =
  /\b(?:but|leave|keep|without|except|unless|not|only|instead|so|that|which|whether|where|how|why)\b/;
const SHORTEST_STEM = 3, LONGEST_STEM = 6;

/** `order`: without what it forbids. */
export function denies_object(sentence: string, order: string): boolean {
  return [DENIED, BUT_NOT, UNLIKE].some((form) => {
    const { name = "", deed = "" } = form.exec(sentence)?.groups ?? {};
    return name.length >= SHORTEST_STEM &&
      verbs_of(deed, order).some((verb) =>
        order.split(/[.;:!?](?=\s|$)/).some((part) =>
          part.split(new RegExp(`\\b${verb}\\b`)).slice(1).some((rest) =>
            has_name(rest.split(OTHERWISE)[0] ?? "", name)
          )
        )
      );
  });
}

/** The verbs of the order that a word is a form of. */
function verbs_of(deed: string, order: string): readonly string[] {
  return (order.match(/\b[a-z]{3,}\b/g) ?? [] as string[]).filter((verb: string) =>
    shared_start(deed, verb) >= Math.max(SHORTEST_STEM, Math.min(LONGEST_STEM, verb.length - 1)) &&
    is_told(verb, order)
  );
}

function has_name(object: string, name: string): boolean {
  return (object.match(/[\w.$/-]*\w/g) ?? [] as string[]).includes(name);
}
