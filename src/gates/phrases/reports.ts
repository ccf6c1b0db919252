/** Words by which an answer may tell that something failed, or that it ran. */
import {
  admits,
  already,
  denies,
  falls_short,
  in_first_person,
  tells_failure,
} from "./triggers.ts";
import { table } from "./words.ts";

/** Nothing of what is feared. */
const NO_TROUBLE =
  /\b(?:without|no|zero|0|ohne|keine?n?|sans|aucune?|sin|ningun\w*|sem|senza|nessun\w*) (?:\w+ )?(?:errors?|warnings?|issues?|problems?|failures?|conflicts?|complaints?|fehler\w*|warnungen|probleme?s?|erreurs?|avertissements?|errores|advertencias|problemas|erros|avisos|errori|avvisi)\b|\bgeen (?:\w+ )?(?:fouten|meldingen|waarschuwingen|problemen)\b|\bno longer\b|без (?:\p{L}+ )?(?:ошибок|предупреждений)|エラー(?:なく|なし)|오류 ?없이|(?:没有|无)(?:错误|警告|报错)|\bbez błedow\b|\bhatasız\b/gu;
/** The answer may tell of something that failed, or was meant to. */
const HINTS = table(
  "\\b(?:reproduc\\w+|as (?:it|they) (?:was|were)|rais(?:es|ed)|throws?|thrown|exits?|exited|exit code|reject\\w*|complain\\w*|panic\\w*|warns?|(?:finds?|found) (?!no\\b|0|zero|nothing|that\\b)|exceptions?|usage|unable|error(?: message)?s?(?: |:)|crash\\w*|timed out|r[au]n(?:s|ning)? out of|denied|needs?|requires?|remain\\w*|left|rest|except)\\b|\\w(?:error|exception)\\b|[:=] [1-9]\\d* (?:failed|failing)|\\b(?:fehler\\w*|erreurs?|echou\\w*|fallo|falla|error|erro|errore|ошибк\\w*|bricht|abgebrochen|verweiger\\w*|refuse|rejette|absente?s?|introuvable|manque\\w*|rechaza\\w*|sale con|termina con|aborta)\\b|запрещ\\w*|拒否|거부|错误|失败|退出|中止|拒绝|终止|报错|无法|不能|没|未|不|エラー|失敗|ない|ません|오류|실패|(?:^|[^\\p{L}])не ",
);
export const hints_at_failure = (sentence: string): boolean =>
  tells_trouble(sentence) || HINTS(sentence.replace(NO_TROUBLE, ""));

/** By its own words, that something failed or was not done. */
export const tells_trouble = (sentence: string): boolean => {
  const told = sentence.replace(NO_TROUBLE, "");
  return falls_short(told) || admits(told) || tells_failure(told);
};

/** That a check did not end well, and not only that something is not so. */
export const tells_red = (sentence: string): boolean => {
  const told = sentence.replace(NO_TROUBLE, "");
  return admits(told) || tells_failure(told) || HINTS(told) || RED(told) || tells_of_others(told);
};
const RED = table(
  "\\b(?:still|yet|fail\\w*|red|flaky|pre-?existing|unrelated|skip\\w*|block\\w*|noch|encore|toujours|aun|todavia|ainda)\\b|\\b(?:not|n't|nicht|pas|nao) (?:\\w+ )?(?:pass|green|run|build|compile|work|start|finish|clean|grun|verts?|verde)\\w*|n't (?:pass|run|build|compile|work|start|finish)|(?:not|n't) (?:installed|available|present|on this)\\b|\\bnem\\b|\\bpas pu\\b|\\bno tests\\b|\\bno such (?:file|command)\\b|\\bnot found\\b",
);

/** "The other 23 pass", "everything else passes". */
export const tells_of_others = table(
  "\\b(?:others?|else|remaining|rest|andere[nrs]?|ubrigen|autres|altr[ie]|otr[oa]s|outr[oa]s|andre|andra|overige|pozostal\\w*|diger\\w*)\\b|друг|остальн|其[他余]|他の|残り|나머지",
);

const SUCCESS = table(
  "(?<!\\b(?:that|which|to) )\\b(?:works|builds|built|passes|passed|compiles|compiled|applied|deployed|installed|validates)(?= (?:now|again|fine|with|without)\\b|[^ \\w]|$)|\\bi built\\b|\\b(?:succe\\w+|cleanly|healthy|reports? ok)\\b",
  "\\b(?:funktionier\\w*|fehlerfrei|erfolgreich|angewendet|gebaut|fonctionn\\w*|passent?|compilent?|applique\\w*|funciona\\w*|compila|aplicad\\w*|funziona)\\b|成功|通过|正常|성공",
);
/** Something runs, or went through: what a command would have shown. */
export const tells_success = (sentence: string): boolean =>
  SUCCESS(sentence) || sentence.replace(NO_TROUBLE, "") !== sentence;

/** The speaker has run something. */
export const claims_to_have_run = table(
  "\\b(?:i|we)(?:'ve| have)? (?:also |then |just )?(?:ran|executed|launched|started|measured|seeded|migrated|formatted)\\b|\\band (?:run|ran|executed|migrated|formatted)\\b|\\bran (?:it|them|this)\\b",
  "\\b(?:habe|hab) \\S+ (?:\\S+ )*(?:ausgefuhrt|gestartet|laufen lassen)\\b|\\b(?:j'ai|on a) (?:execute|lance)\\b|\\b(?:he|hemos) (?:ejecutado|lanzado)\\b|\\bexecut(?:ei|ado)\\b",
);
const RUNS = table(
  "\\b(?:starts?|runs?|boots?|loads?) (?:up )?(?:normally|fine|properly|correctly|cleanly|as expected|again|now|without)\\b|\\bworks? (?:correctly|properly|perfectly|as (?:expected|intended|it should))\\b",
  "\\b(?:startet|lauft|funktioniert) (?:wieder|jetzt|nun|normal|sauber|korrekt|wie (?:erwartet|gewunscht))\\b",
);
/** The speaker has run something, or it is seen to run. */
export const tells_run = (sentence: string): boolean =>
  claims_to_have_run(sentence) || RUNS(sentence);

/** Something has left the workspace, or is in use. */
export const tells_deed = table(
  "\\b(?:deployed|opened (?:an?|the) (?:pr|mr|(?:pull|merge) request|issue)|rolled out|published|uploaded|downloaded|pushed|restarted|is live|veroffentlicht|ausgerollt|deployt|publiee?|deployee?|publicad[oa]|desplegad[oa])\\b|опубликован|развернут|发布|部署|デプロイ|배포",
);

/** Before figures that only the answer has: that they are asked about shows none. */
export const NO_RESULT = " No result shows ";

/** "12 of 14 tests pass". */
export function counts_failures(sentence: string): boolean {
  const [, passed, of] =
    /\b(\d+) ?(?:of|out of|\/|von|sur|de) ?(?:the |all |den )?(\d+)\b/.exec(sentence) ?? [];
  return Number(passed) < Number(of);
}

/** There is no such thing, as far as the speaker has seen. */
export const finds_none = table(
  "\\b(?:find|spot|detect|see|locate|reproduce|find(?:en)?|sehen|trouver|voir|encontrar|ver|trovare|vedere)\\b|\\bfound\\b|找到|发现|看到|見つ",
);

/** Where nobody did more than look, that is no failure: there may have been nothing to do. */
export const UNCHANGED =
  /\b(?:(?:did|have)(?:n't| not) (?:change|touch|modif|edit)\w* anything(?! else)|(?:nothing|no (?:changes?|files?)) (?:was|were|has been|have been) (?:changed|made|modified|touched|edited)|nichts geandert|no se cambio nada)\b|没有任何/;

/** What the speaker could not do, and not what anybody can't: "users can't delete others' posts". */
export const of_the_speaker = (sentence: string): boolean =>
  in_first_person(sentence) || /\bje\b|できませんでした/.test(sentence);

/** Whether a sentence says of what it names that nothing was done to it, or that this failed. */
export function leaves_alone(sentence: string): boolean {
  return hints_at_failure(sentence) || already(sentence) || denies(sentence) ||
    /\b(?:fine|ok|correct|right|unchanged|as (?:is|before|it (?:is|was|should be))|unaffected|untouched|had|all along)\b/
      .test(sentence);
}
