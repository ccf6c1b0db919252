/** "Check that it compiles": the answer says so, and after the last change nothing ran that could have shown it. */
import type { View } from "../../guards/rule.ts";
import { changed_paths } from "../../tools/ledger.ts";
import { begins_beside, only_shows, parts_of } from "../facts/commands.ts";
import { plain } from "../answer/text.ts";
import { tells_trouble } from "../phrases/reports.ts";

const PLURAL = "compile|parse|build|validate|apply|render|run|load|start";
const RUNS =
  `(?<what>compiles|parses|builds|validates|applies|renders|runs|loads|starts|kompiliert|lauft|compila|(?<=\\w\\w[st] |they |all |both |\\d )(?:${PLURAL})|compile(?= (?:sans|bien|correct)))`;
/** Nothing more is said of how. */
const BARE =
  "(?: (?:again|now|fine|cleanly|correctly|properly|successfully|without|with no|to the end|ohne|fehlerfrei|sans|sin)\\b|[.,;:)]| (?:and|und|et|y)\\b|\\W*$)";
const ORDER = new RegExp(
  `\\b(?:check|verify|confirm|validate|test|prove|make sure|ensure|prufe|stelle sicher|verifie|comprueba|verifica),? (?:\\S+ ){0,5}?${RUNS}${BARE}`,
);
const CLAIM = new RegExp(
  `^(?!.*\\b(?:if|should|would|will|can|once|until|whether|so that|make sure|wenn|ob|damit|si)\\b).*\\b${RUNS}${BARE}`,
);
/** No program reads these. */
const PROSE = /\.(?:md|rst|txt|adoc)$/i;

/** The same for all its forms. */
const verb = (of: RegExp, sentence: string): string | undefined =>
  of.exec(sentence)?.groups?.["what"]?.replace("k", "c").slice(0, 3);

export function claims_ordered_check(said: readonly string[], view: View): boolean {
  const what = verb(ORDER, plain(view.asked));
  const is_claimed = what !== undefined && said.some((one) => verb(CLAIM, one) === what);
  if (!is_claimed || said.some(tells_trouble)) return false;
  const { ledger, actions } = view;
  const last = ledger.findLastIndex((row) =>
    row.kind === "file" && !PROSE.test(row.path) && changed_paths([row]).length > 0
  );
  return !actions.some(begins_beside) &&
    ledger.slice(last + 1).every((row) =>
      row.kind === "attempt" ||
      row.kind === "file" ||
      row.kind === "command" && parts_of(row.command).every((part) => only_shows(part))
    );
}
