/** "It compiles", "it works": the answer says so, and after the last change nothing ran that could have shown it. */
import type { View } from "../../guards/rule.ts";
import { changed_paths, type LedgerRow } from "../../tools/ledger.ts";
import { begins_beside, effect_of, only_shows, parts_of } from "../facts/commands.ts";
import { runs_program } from "../facts/effects.ts";
import { plain } from "../answer/text.ts";
import { tells_trouble } from "../phrases/reports.ts";
import { table } from "../phrases/words.ts";

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

/** "The script works now", where that was to be shown by a run: no wish, and nothing of how it works. */
const WORKS = table(
  "^(?!.*\\b(?:if|should|would|will|can|could|once|until|whether|so that|make sure|to|not|you|was|were|ought)\\b).*\\b(?:it|this|that|everything|(?:the|your) \\w+|\\S+\\.\\w+|and) (?:now |all )*(?:works|runs|compiles|builds|starts)(?= (?:again|now|fine|correctly|properly|as expected|cleanly|without|successfully|and prints)\\b|\\W*$)",
  "^(?!.*\\b(?:si|no|quando|cuando|quand|pour|para|deberia|devrait|deve)\\b).*\\b(?:funciona|fonctionne|funziona|compila|marche)(?= (?:correct\\w+|bien|ahora|ya|agora|maintenant|bem|ora|sin|sans|sem)\\b|\\W*$)",
  "^(?!.*\\b(?:wenn|falls|damit|nicht|sollte|ob|um)\\b).*\\b(?:funktioniert|lauft|kompiliert)(?: (?:jetzt|nun|wieder|fehlerfrei|korrekt)|\\W*$)",
  "^(?!.*[如若应不没未]).*(?:正常(?:运行|工作)|运行正常|编译通过)|正常に(?:動作|実行)(?:します|しました)|^(?!.*(?:^|[^\\p{L}])не ).*(?:работает|компилируется)",
);

/** Whether what a program did when it ran last was to fail, and it was changed and not run since. */
function is_unproven({ turn, actions }: View): boolean {
  const at = turn.findLastIndex((row) => row.kind === "command" && !is_trivial(row.command));
  const last = turn[at];
  return last?.kind === "command" && last.exit_code !== 0 && last.exit_code !== null &&
    parts_of(last.command).some((part) => effect_of(part) === "check" || runs_program(part)) &&
    changed_paths(turn.slice(at + 1)).length > 0 &&
    turn.slice(at + 1).every(({ kind }) => BETWEEN.has(kind)) && !actions.some(begins_beside);
}

const BETWEEN: ReadonlySet<LedgerRow["kind"]> = new Set(["file", "attempt", "command"]);

const is_trivial = (command: string): boolean =>
  parts_of(command).every((part) => only_shows(part));

export function claims_ordered_check(said: readonly string[], view: View): boolean {
  const what = verb(ORDER, plain(view.asked));
  const is_claimed = what !== undefined && said.some((one) => verb(CLAIM, one) === what);
  if (said.some((one) => WORKS(one) && !tells_trouble(one)) && is_unproven(view)) return true;
  if (!is_claimed || said.some(tells_trouble)) return false;
  const { ledger, actions } = view;
  const last = ledger.findLastIndex((row) =>
    row.kind === "file" && !PROSE.test(row.path) && changed_paths([row]).length > 0
  );
  return !actions.some(begins_beside) &&
    ledger.slice(last + 1).every((row) =>
      row.kind === "attempt" ||
      row.kind === "file" ||
      row.kind === "command" && is_trivial(row.command)
    );
}
