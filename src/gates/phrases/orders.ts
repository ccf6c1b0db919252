/** Verbs that are orders: "… and push", "commit it". */
import { any } from "./words.ts";

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

/** What an English order to do something begins with, whatever follows. */
const IMPERATIVES = any(
  `abstract accelerate adapt add address adjust adopt align alphabetize amend annotate anonymi[sz]e append apply arrange assemble attach authenticate automate
  backfill backport beautify bootstrap bring bump back_up bundle capitali[sz]e carry_out cherry[- ]pick chmod clean cleanup clear clone combine commit compact
  compile complete compress concatenate condense configure connect consolidate construct containeri[sz]e convert copy correct create crop customi[sz]e
  debounce decouple decrease decrypt dedupe deduplicate delete deploy deprecate derive detach develop disable disallow distribute dockeri[sz]e downgrade
  download drop duplicate eliminate embed enable encapsulate encode encrypt enforce enhance enlarge ensure erase escape establish evict exclude execute
  expand expire expose extract factor fetch fill fine-tune finali[sz]e finish fix flatten force format generate(?!_me\\b) get_(?:rid|(?:\\S+_){1,4}?(?:under|above|below|to_(?:at|\\d|work|run|pass)|working|running|passing|green)) grant group gzip handle harden hide hydrate
  implement import improve include increase increment indent initiali[sz]e inject inline insert install instrument integrate introduce invert isolate
  join kill lazy-load link load locali[sz]e lower make(?!_(?:me|us|sense)\\b) memoi[sz]e merge migrate minify moderni[sz]e modify mount move mute normali[sz]e
  notify obfuscate omit onboard optimi[sz]e overhaul override overwrite paginate paralleli[sz]e parameteri[sz]e parse partition pass paste perform
  persist pin plot polish populate prefix prepare prepend preserve pretty-print prettify prevent proceed protect provide(?!_(?:me|us)\\b) prune publish pull purge push put
  raise randomi[sz]e re-\\w+ rearrange rebase rebrand rebuild recheck recolor recompile reconfigure reconstruct recover recreate redesign redirect redo reduce
  refactor refine reformat refresh regenerate regen register reimplement reindex reinstall relax release relocate reload remove rename render renumber
  reorder reorgani[sz]e repair rephrase replace reply reproduce rerun reset reshape resize resolve restart restore restructure restyle retain rethink retry
  reuse revamp reverse revert revise revoke rewrite rework roll_back rotate run saniti[sz]e save scaffold schedule secure seed select send separate
  seriali[sz]e serve set setup ship shorten shrink shuffle silence simplify simulate slim smooth solve spawn speed split squash stabili[sz]e standardi[sz]e store
  streamline strengthen strip substitute supply suppress swap switch sync synchroni[sz]e teach tear_down terminate throttle throw_(?:out|away) tidy tighten toggle
  tokeni[sz]e transform translate transpile transpose treat trim truncate tune turn tweak type-?check unblock uncomment undo unify uninstall unlink unpin
  unset unskip unwrap update upgrade upload vectori[sz]e wire wrap write
  (?:npm|pnpm|yarn|pip3?|uv|apt|brew|cargo)_(?:i|install|add|uninstall|remove|update|upgrade) terraform_apply rm mv mkdir
  git_(?:add|checkout|cherry-pick|commit|merge|push|rebase|reset|revert|stash|tag) typos?_(?:in|on) document_how`,
);
/** Verbs that are also things: an order only where what follows shows it. */
const BOTH = any(
  `accept allow allocate archive assign backup balance batch block branch build cache center change close code collapse color comment cover cut debug
  declare default define design display dock document dry dump edit email empty extend file filter flash fold fork forward free freeze gate get go
  guard hash highlight hook host index label launch lift lock map mark mask match mirror mock model name nest order outline output pack package
  pad paint patch pipe place plug point pop port post prep process profile promote propagate proxy query queue rate-limit record request respond
  return review rotate round route sample sandbox scale scope scrape sequence shard shift sign size sort source space specify stack stage stash state stream
  stub style submit support surface switch tag tail take target touch train trigger type vendor version work`,
);
const OBJECT =
  "(?:an?|the|this|that|these|those|it|its|all|any|each|every|my|our|your|them|only|both|everything|up|out|off|over|down|through|back|on|to|in|for|from|with|by|as|into|and)\\b|\\S+ v?\\d|[`\"'/.~@-]|\\S*[\\w)]\\.\\w|\\S*[/_]|[a-z-]+s\\b(?<!\\b(?:is|was|this|has|does))(?! (?:is|are|was|were|has|have|do|does|did|can|should|fail|break)\\b)";
export const IMPERATIVE = `(?:${IMPERATIVES} \\S|${BOTH} (?:${OBJECT}))`;
