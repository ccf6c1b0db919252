/** Which files an answer says were changed: only in the place of the changed thing, not as in "the link to guide.md". In doubt none. */
import { files_in } from "./files.ts";
import type { Claim } from "./claim.ts";
import { DONE_DE, DONE_EN, DONE_ES, DONE_FR, DONE_PL, LOOKED_EN } from "../phrases/triggers.ts";

/** After these words comes what was worked from, or something else about it. */
const SOURCES =
  / ?;|\b(?:rows?|records?|entries|data|headers?) of\b|[为给](?=.*\.)|\b(?:que|qui|dont|who|whose|che|welche[rs]?)\b|\b(?:from|using|with|via|for(?! it\b)|about|based on|according to|like|(?:cover|describ|document|list|explain|test|exercis)ing|found by|in order to|so that|so|which|that|after|before|while|when|fur|aus|mit|laut|pour|avec|para|selon|a partir de|desde|segun)\b/;
/** "By doing", and what a program is made to do. */
const DOING = /\b(?:by|durch|en) \w+(?:ing|ant|ando|iendo)\b/;

/** Verbs whose object is the file. */
const VERB =
  `(?:(?!replaced|swapped|exchanged|substituted|applied|merged|converted|ported|extracted|inlined)${DONE_EN}|formatted|rewrote|wrote|written|made|generated|saved|touched|ich habe|habe ich|${DONE_FR}e?|${DONE_ES}|` +
  `${DONE_DE}|${DONE_PL}ł[ae]m|ik heb|` +
  "alterei|mudei|alterad[oa]|atualizad[oa]|degistirdim|corrigi|atualizei|adicionei|criei|modifiquei|corretto|aggiornato|creato|modificato|исправил|обновил|создал|изменил)";
/** Between the verb and the file: "the file", "both", "also". */
const FILLER =
  "(?:[\\s\"'(:]|(?:the|a|an|my|your|our|new|existing|old|its|this|that|both|also|now|all|two|three|\\d+|following|files?|scripts?|modules?|tests?|documents?|documentation|docs|" +
  "config(?:uration)?|die|der|das|den|eine?|neue|auch|nun|jetzt|datei(?:en)?|le|la|les|un|une|fichiers?|el|los|las|una?|archivos?|" +
  "o|os|arquivo|il|i|файл|文件)(?![\\w.])|(?:done|fertig|erledigt|hecho|listo|pronto|feito|fatto)[,.:!]?(?: and)?)*";
const IN = "(?:in|inside|within|im|dans|em|no|na|nel|nella|w|в)";
const PART =
  "(?:sections?|parts?|top|end|bottom|beginning|start|body|code|lines? \\d+(?:-\\d+)?) of";
const AT =
  `(?:^${FILLER}|(?<![\\p{L}\\w])${VERB}${FILLER}|(?<![\\p{L}])${IN}\\b${FILLER}|\\ben (?:el |la )?(?:archivo )?|\\b${PART}${FILLER}|[在把将]${FILLER}|` +
  "(?:修复|更新|创建|添加|修改|删除|编辑|更正|重构|写入|新增|生成)了?\\s*(?:文件)?\\s*)$";
const DIRECT = new RegExp(AT, "u");
/** "In a.md": beside that, other files are only what is written about. */
const WITHIN = new RegExp(`(?<![\\p{L}])${IN}\\b${FILLER}$`, "u");
/** What is put somewhere: "an entry to a.md", not "a link to a.md". */
const PUT = new RegExp(
  `\\b(?:added|appended|inserted|wrote|written|moved|extracted|saved)\\b(?!.*\\b(?:links?|references?|paths?|pointers?|redirects?|` +
    `symlinks?|imports?|calls?|exports?|uploads?|options?|support)\\b).* (?:to|into)${FILLER}$`,
  "u",
);
/** Put somewhere else, or taken away from there, it stays as it is. */
const ELSEWHERE = /\b(?:added|removed|appended|included|hinzugefugt)\b/;
const TO_OTHER = /^["'\s]*(?:to|into|in|from|zur?|zum|a la|au|al) /;
/** "a.py を変更しました": the verb comes last. */
const OBJECT =
  /^["']? ?(?:を|를|을) ?(?:変更|修正|更新|追加|作成|削除|編集|수정|변경|추가|생성|삭제|업데이트)/;
const IS = /^["']? (?:was|were|is|are|needs?|had|has|did|does|stays?|remains?|imports?)\b/;
/** What is between the files of a list. */
const ONLY_LOOKS = new RegExp(
  `(?:^|[,.;:] |\\b(?:and|then|please) )(?:${LOOKED_EN}|merge|combine|join|concatenate)(?:\\S* ){1,3}$`,
  "u",
);
const FOR = /\b(?:for|from|using|with|against|between|of|like|than)(?: (?:both|the|all))* $/;
/** An order of its own: "a in x.py and add b to y.md". */
const AND_ORDER =
  /^(?:;|,? (?:and|then)|,) (?:then |also )?(?:update|pin|bump|add|remove|delete|rename|change|set|replace|fix|write|document|mention|use|insert)\b(?:[^.;]|\.\d){0,60} (?:in|to|from) $/;
const AND = /^(?:[\s,、"']|(?:and|und|et|y|e|и)(?!\w)|和|と)+$/u;

/** Whether what follows is only to be looked at, or taken from. */
export function is_source(before: string): boolean {
  return ONLY_LOOKS.test(before) || FOR.test(before);
}

/** Files that stand in lists of a task, but for what is only to be looked at: "compare a.py and b.py". */
export function listed_files(task: string): readonly (readonly string[])[] {
  const found: { names: string[]; end: number }[] = [];
  let at = 0;
  for (const name of files_in(task)) {
    const start = task.indexOf(name, at);
    const last = found.at(-1);
    const between = task.slice(last?.end ?? 0, start);
    if (last !== undefined && (AND.test(between) || AND_ORDER.test(between))) last.names.push(name);
    else if (!is_source(task.slice(0, start))) {
      found.push({ names: [name], end: 0 });
    }
    at = start + name.length;
    const open = found.at(-1);
    if (open?.names.at(-1) === name) open.end = at;
  }
  return found.flatMap(({ names }) => names.length > 1 ? [names] : []);
}

/** The files that a clause says were changed: not a test that showed the fault. */
export function named(clause: string, what: Claim["what"]): readonly string[] {
  if (DOING.test(clause)) return [];
  const [head = ""] = clause.split(SOURCES);
  const found: { name: string; start: number; end: number; within: boolean }[] = [];
  let at = 0;
  for (const name of files_in(head)) {
    const start = head.indexOf(name, at);
    at = start + name.length;
    const last = found.at(-1);
    const listed = last !== undefined && AND.test(head.slice(last.end, start));
    const before = head.slice(0, start);
    const within = listed ? last.within : WITHIN.test(before);
    if (listed || DIRECT.test(before) || PUT.test(before) || OBJECT.test(head.slice(at))) {
      found.push({ name, start, end: at, within });
    }
  }
  // "I fixed a.py, b.py was fine."
  if (found.length > 1 && !/^\W*$/.test(head.slice(0, found[0]?.start))) {
    if (IS.test(head.slice(found.at(-1)?.end))) found.pop();
  }
  const [first, last] = [found[0], found.at(-1)];
  if (first === undefined || last === undefined) return [];
  const after = clause.slice(last.end);
  // "Updated: gen.py has written it."
  if (found.length === 1 && /:\s*$/.test(clause.slice(0, first.start)) && IS.test(after)) {
    return [];
  }
  if (ELSEWHERE.test(clause) && TO_OTHER.test(after) && files_in(after).length === 0) return [];
  const some_within = found.some(({ within }) => within);
  return found.filter(({ within }) => within || !some_within).map(({ name }) => name)
    .filter((name) => what !== "code" || !/test|spec/.test(name));
}
