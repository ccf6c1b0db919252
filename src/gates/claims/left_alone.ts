/** Files that the task says to leave alone, and that a tool has changed without a word of it in the answer. */
import type { View } from "../../guards/rule.ts";
import type { LedgerRow } from "../../tools/ledger.ts";
import { files_in, names_file } from "../answer/files.ts";
import { asks, type FinalAnswer } from "../answer/answer.ts";
import { asked_for, JUDGED_TASK_CHARS } from "../answer/task.ts";
import { plain } from "../answer/text.ts";
import { parts_of } from "../facts/commands.ts";
import { is_in_place } from "../facts/effects.ts";
import { changed, is_same } from "../facts/facts.ts";
import { commands } from "../facts/outcomes.ts";

const TO_CHANGE =
  "(?:touch|chang|edit|modif(?:y|i)|alter(?:ing)?\\b|andern|anfass|anzufass|toqu|toca|cambi|toucher|change[rz]|mexer|alterar)\\w*";
/** "Don't touch", "ohne … zu ändern", "sans modifier": an order, and not how something is. */
const FORBIDS = new RegExp(
  `\\b(?:don't|do not|never|without|nichts?|ohne|sans|sin|senza|sem|nao|no|ne|non)\\b(?! (?:time|idea))[^.;!,]{0,40}?\\b${TO_CHANGE}|(?:不要|别)(?:再)?(?:改|动|修改|更改|碰)`,
  "g",
);
/** What may stand before it. */
const OPENS =
  /^\W*(?:please|but|and|just|also|for now|bitte|aber|und|noch|mais|et|pero|y|ma|mas|e)?\W*$/;
/** It goes on to the end of the clause. */
const CLAUSE_END = /[.;!](?:\s|$)|\n|, | (?:but|and|then|aber|und|mais|pero|ma|mas) /;
/** A part of them, a wish, or only for now: who knows what is meant. */
const PARTLY =
  /\b(?:else|other|more|if|unless|except|possible|ideally|preferabl\w+|existing|public|api|names?|signatures?|behaviou?rs?|formats?|sonst|weiter\w*|andere\w*|autre|otr[oa]s?|altro|outr[oa]s?)\b|其他|别的/;
const ANYTHING =
  /\b(?:anything|any (?:files?|code)|nichts|rien|nada|nulla|niente)\b|\w (?:the )?code(?: yet)?\W*$|任何|代码/;
const TESTS = /\b(?:tests|specs|test (?:files?|code|suite)|pruebas|testes)\b|测试/;
const OF_TESTS = /(?:^|[\W_])(?:tests?|specs?)(?=[\W_]|$)|[a-z](?:Test|Spec)s?\./;

const TESTS_CHANGED =
  /\b(?:tests?|specs?)\b.*\b(?:changed|updated|adapted|adjusted|edited|renamed)\b|\b(?:changed?|updated?|adapt(?:ed)?|adjust(?:ed)?|edit(?:ed)?|renamed?)\b.*\b(?:tests?|specs?)\b/;
/** What an answer says of a file that it leaves alone. */
const UNTOUCHED =
  /\b(?:untouched|unchanged|unmodified|as (?:it|they) (?:was|were))\b|(?:\b(?:not|never|no)|n't) (?:\S+ ){0,3}?(?:touch|chang|edit|modif|alter)/;

/** Whether there is one; a new file is none. */
export function touches_forbidden({ said }: FinalAnswer, { asked, turn }: View): boolean {
  const task = plain(asked.slice(0, JUDGED_TASK_CHARS));
  const clauses = [...task.matchAll(FORBIDS)].flatMap(({ 0: found, index }) => {
    const before = task.slice(0, index).split(CLAUSE_END).at(-1) ?? "";
    const after = task.slice(index + found.length).split(CLAUSE_END)[0] ?? "";
    const is_order = OPENS.test(before) || asked_for(before).work;
    return !is_order || PARTLY.test(before + found + after) ? [] : [found + after];
  });
  if (clauses.length === 0) return false;
  // "Add a test; don't change the code."
  const has_work = asked_for(clauses.reduce((rest, one) => rest.replace(one, ""), task)).work;
  const left = changed(turn);
  const is_forbidden = (path: string) =>
    clauses.some((clause) =>
      !has_work && ANYTHING.test(clause) || TESTS.test(clause) && OF_TESTS.test(path) ||
      files_in(clause).some((name) => is_same(plain(path), name))
    );
  const is_told = (path: string) =>
    said.some((one) =>
      (names_file(one, path, { stem: true }) || OF_TESTS.test(path) && TESTS_CHANGED.test(one)) &&
      !asks(one) && !UNTOUCHED.test(one)
    );
  return turn.flatMap((row) => changed_by_hand(row, turn)).some((path) =>
    left.some((one) => is_same(plain(path), plain(one))) && !is_new(path, turn) &&
    is_forbidden(path) && !is_told(path)
  );
}

/** What a call was told to change, by an edit or by `sed -i` with its name. */
function changed_by_hand(row: LedgerRow, turn: View["turn"]): readonly string[] {
  if (row.kind === "attempt") return row.ok && row.path !== undefined ? [row.path] : [];
  if (row.kind !== "command") return [];
  const parts = parts_of(row.command).filter(is_in_place);
  return turn.flatMap((one) =>
    one.kind === "file" && one.call === row.call &&
      parts.some((part) => part.split(" ").includes(one.path))
      ? [one.path]
      : []
  );
}

/** Taken away, or put elsewhere. */
const GONE =
  /\b(?:remov|delet|drop|mov(?:e|ing)|renam|replac|merg|consolidat|split|convert|migrat|port(?:ed|ing)|obsolete|clean|gone|no longer|revert|restor|rebas|entfern|losch|gelosch|geloscht|ersetz|verschob|supprim|retir|elimin|borr|quit[eoa]|rimoss|apag)\w*|удал|убра|删|移|去掉|合并|重命名|削除|삭제|제거|이동/;
const DELETES = /\b(?:rm|unlink|Remove-Item)\b/;

/** Whether a file of tests that was there was deleted, none is new, and neither task nor answer says a word of it. */
export function deletes_tests({ text }: FinalAnswer, { asked, turn, ledger }: View): boolean {
  if (GONE.test(plain(asked)) || GONE.test(plain(text))) return false;
  const files = ledger.filter((row) => row.kind === "file");
  const is_of_tests = (path: string) => OF_TESTS.test(path) && TEST_CODE.test(path);
  if (files.some(({ path, before }) => before === null && is_of_tests(path))) return false;
  return changed(turn).some((path) => {
    const last = files.findLast((row) => row.path === path);
    const name = path.split("/").at(-1) ?? "";
    return is_of_tests(path) && last?.after === null && !text.includes(name) &&
      commands(turn).some(({ call, command }) =>
        call === last.call && DELETES.test(command) && command.includes(name)
      );
  });
}

const TEST_CODE =
  /\.(?:py|[cm]?[jt]sx?|go|rs|java|kts?|rb|php|cs|c|cc|cpp|swift|exs?|scala|sh|bats)$/;

function is_new(path: string, turn: View["turn"]): boolean {
  return turn.some((row) =>
    row.kind === "file" && row.before === null && is_same(plain(path), plain(row.path))
  );
}
