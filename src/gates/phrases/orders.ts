/** Verbs that are orders: "… and push", "commit it". */

/** What stands before a verb that is an order: "… and push", "2) run npm install", "… et pousse". */
const TOLD =
  "(?:^|[.;:,!?)]\\s+|\\b(?:and|then|please|also|finally|run|et|puis|und|dann|y|luego|e|poi|en|i)\\s+)(?:(?:the|npm|pip|git|go|cargo|make|haz|fais un|fai)\\s+)?";
/** The same verb in other languages. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  push: "push|pousse[rz]?|pushen?|duw",
  install: "install|installe[rz]?|installiere|instala(?:lo)?|installa|installeer",
  publish: "publish|publie[rz]?|veroffentliche|publica(?:lo)?|pubblica|publiceer",
  merge: "merge|fusionne[rz]?|fusiona",
  deploy: "deploy|deploie|deploye[rz]?|despliega",
};
/** What is to do it later. */
const THING =
  "\\b(?:script|command|function|target|job|workflow|hook|button|endpoint|method|tool|\\S+\\.\\w{2,4}) (?:\\S+ ){0,3}?(?:to|that|which|for|qui|pour|der|die|das|zum|que|para|che|per)\\b[^.;]*\\b";
const FAILS = "[^.,;]*\\b(?:fail|break|broken|hang|crash|error|refus|reject)";

/** "The push fails": that is what is to be mended. */
export function is_to_mend(verb: string, order: string): boolean {
  return new RegExp(`\\b${verb}${FAILS}`).test(order);
}

/** Whether an order tells to do what a verb says. */
export function is_told(verb: string, order: string): boolean {
  const forms = `(?:${ELSEWHERE[verb] ?? verb})\\b`;
  return !is_to_mend(verb, order) &&
    new RegExp(`${TOLD}${forms}`).test(order) && !new RegExp(`${THING}${forms}`).test(order);
}

/** The verbs that an order begins with, or that stand behind "and", each with what it is done to. */
export function orders_in(order: string): readonly (readonly [verb: string, object: string])[] {
  return [
    ...order.matchAll(
      new RegExp(
        `${TOLD}((?!(?:then|also|please|finally)\\b)[a-z-]{4,})\\b([^.,;:]*?)(?= (?:and|then) |[.,;:]|$)`,
        "g",
      ),
    ),
  ]
    .map(([, verb = "", object = ""]) => [verb, object]);
}
