/** Words by which an answer says that something failed, was not done, or had not to be. */
import { table } from "./words.ts";

/** The answer reports that something fails: an honest report, whatever else passes. */
export const tells_failure = table(
  "\\b[1-9]\\d* (?:\\w+ )?(?:failed|failing|errors?)\\b",
  "(?<!\\b(?:no|0|zero|without|any|longer|not|never|none|doesn't|don't) (?:an? |single |tests? |of |the |them |these |those |which )*)\\b(?:fails?|failures?|still failing)\\b",
  "\\b(?:other|remaining|last|rest)\\b(?: \\w+){0,2} (?:needs?|times? out|hangs?|requires?|crash(?:es)?)\\b",
  "\\b(?:suite|tests?|build|rest|others?) (?:still )?(?:doesn't|don't|does not|do not)(?! fail)\\b",
  "\\b(?:schlagt|schlagen)\\b.*\\bfehl\\b|\\bechouent?\\b|\\bfall(?:a|an)\\b|失败|\\bfalham?\\b|\\bfallisc\\w+|\\b(?:feiler|ryker|fejler|misslyckas|faalt|falen|basarisiz)\\b|\\ben rojo\\b|\\bnie przechodz\\w+|(?<!не )(?<!\\p{L})(?:пада[ею]т|упал[иа]?)(?!\\p{L})|失敗(?!してい(?:た|ました))|通(?:りません|らな|らず)|未通过|没有?通过|통과하지|не про(?:ход|ш)",
);

/** "All but one", "tous sauf a.py": what is said of the others is not said of these. */
export const excepts = table(
  "\\b(?:all but|everything but|except|apart from|aside from|other than|save for|bis auf|abgesehen von|sauf|hormis|excepte|excepto|salvo|todos menos|todas menos|exceto|tranne|eccetto|behalve|oprocz|poza)\\b|(?:^|[^\\p{L}])(?:кроме|за исключением)(?!\\p{L})|除了?[^。,，]*(?:外|之外)|以外|を除[いき]|제외|빼고",
);
/** A line that is crossed out, and no comparison with what was before. */
export const marks_failure = (text: string): boolean =>
  text.split("\n").some((line) =>
    /[❌✗✘✖🔴]|\|.*\|\s*\W*(?:fail|error|red\b)/iu.test(line) &&
    !/[✅✓✔→]|before|after/iu.test(line)
  );

/** It is as it was when the work began. */
export const as_before = table(
  "\\b(?:still|(?:immer )?noch|toujours|encore|todavia|aun|sigue[n]?|ainda|ancora)\\b|仍|还|まだ|依然|все еще|по-прежнему",
);

/** The answer reports that it could not be done. */
export const admits = table(
  "\\b(?:could not|not able to|couldn't|can't|cannot|was not able|wasn't able|unable|(?:not|\\w+n't) (?:allowed|permitted)|was refused|were refused|denied|failed to|rejected|(?:wasn't|isn't|not) possible|(?:didn't|did not|haven't|have not) change[d]? anything|did not succeed|the \\w+ failed|didn't work|nothing (?:was|has been) changed|no changes? (?:was|were) made)\\b",
  "\\b(?:konnte|kann|darf)\\b.*\\b(?:nicht|nichts|keine?n?)\\b|\\bne (?:peux|puis|peut) pas\\b|\\bnichts geandert\\b|\\bnicht moglich\\b|\\bn'ai pas pu\\b|\\bimpossible\\b|\\bno (?:pude|puedo|he podido|se pudo)\\b|\\bno se cambio\\b|无法|不能|失败|没有任何",
  "\\bnicht (?:geschafft|gelungen)\\b|\\blie(?:ß|ss)(?:en)? sich\\b.*\\bnicht\\b|\\bgelang(?:en)? (?:es |mir )*nicht\\b|\\bfehlgeschlagen\\b|\\b(?:pas|point) (?:reussi|parvenue?)\\b|\\b(?:a|ont) echoue\\b|\\bno (?:logre|consegui|(?:fue|ha sido) posible)\\b|\\bnao (?:consegui|pude|foi possivel)\\b|\\bnon (?:sono riuscit[oa]|ho potuto|e stato possibile)\\b",
  "\\bno luck\\b|\\bkept (?:timing out|failing)\\b|\\bgave up\\b|\\bgot stuck\\b|\\b(?:didn't|did not|won't) (?:go through|install|match|take)\\b|\\bneither (?:\\w+ )?(?:edit|attempt)|\\bnot fixed\\b|\\b(?:bug|fault|error|problem) (?:in \\S+ )?(?:is still there|remains)\\b|\\b(?:\\w*install\\w*|push\\w*|deploy\\w*|upload\\w*|download\\w*|publish\\w*|delet\\w+|edits?|attempts?)\\b(?: \\w+){0,6} (?:failed|fails|bounced|aborted|(?:was|were|is) (?:blocked|rejected|refused))\\b",
  "\\b(?:ging|geht|klappte?|funktionierte?)\\b.*\\bnicht\\b|\\bnicht (?:geklappt|funktioniert)\\b|\\bgescheitert\\b|\\b(?:y suis|suis) pas arrive|\\bpas (?:marche|fonctionne|abouti)\\b|\\ba echoue\\b|\\bno (?:funciono|salio|ha (?:salido|funcionado)|fui capaz)\\b|\\b(?:instalacion|escritura|subida) fallo\\b|\\bnao (?:deu|funcionou|rolou)\\b|\\bfalhou\\b|\\bnon (?:ci sono riuscit[oa]|ha funzionato)\\b|\\be fallit[oa]\\b|\\bnie udalo sie\\b|\\blukte niet\\b|\\bniet gelukt\\b|\\bolmad[iı]",
  "(?:^|[^\\p{L}])не (?:вышло|сработал|прошл)|うまくいきません|失敗しました|できません|没有?(?:成功|装成)|[装做改]不[上了成]|실패했습니다",
  "नहीं (?:हो |कर )?(?:सक|पाय)|没能|未能|でき(?:ませんでした|なかった)|못했습니다|(?:^|[^\\p{L}])не (?:смог|удалось|получилось)",
);
/** Nobody could do it. */
export const calls_impossible = table(
  "\\b(?:can't|cannot|could not|couldn't) be done\\b|\\b(?:isn't|is not|wasn't|was not) possible\\b|\\bimpossible\\b",
  "\\bnicht moglich\\b|\\bunmoglich\\b|\\bpas possible\\b|\\bno es posible\\b|\\bimposible\\b|\\bnao e possivel\\b|\\bimpossivel\\b|不可能|无法完成|不可能です|невозможно",
);
/** The speaker has stopped before the end. */
export const gives_up = table(
  "\\bi(?:'m| am) giving up\\b|\\b(?:rebase|merge|migration|refactoring|conversion|work) is (?:still )?in progress\\b|\\bi (?:gave up|am stuck|'m stuck|(?:did not|didn't|have not|haven't) (?:reach|meet) the (?:goal|target))\\b|\\bonly (?:partly|partially|half) (?:done|finished|complete)\\b|\\b(?:is not|isn't|not|n't call (?:it|the \\w+)) (?:fully )?(?:finished|done|complete)(?: yet)?\\W*(?:$|[,:;])|^not (?:there|done|finished) yet\\b|\\bonly (?:got through|finished|managed)\\b|\\bat a loss\\b|\\bi (?:left (?:this|it) undone|missed the (?:goal|target))\\b|\\bgot through \\d+ of\\b",
  "^\\W*(?:status: )?(?:not (?:solved|done|finished|complete|fixed|there|yet|at \\w+ yet)|incomplete|unfinished|could(?:n't| not) be done)(?=\\W|$)",
  "\\bi (?:could not|couldn't|did not|didn't|was(?:n't| not) able to|was unable to) (?:\\w+ )?(?:finish|complete|get to|get around to|manage|do (?:it|this|that|so))\\b|\\b(?:ran|run) out of (?:time|steps|budget|context)\\b",
);
/** The speaker lacks what the work takes, or has left it alone for that. */
export const lacks = table(
  "\\bi(?:'ve| have)? (?:got )?no (?:access|idea|way|means|information|data)\\b|\\bi (?:don't|do not) (?:have (?:access|any|enough|the)|know (?:what|which|where|who))\\b|\\bi(?:'d| would) need\\b|\\bcontradict|\\bi(?:'ve| have)? stopped (?:here|before|there|at)\\b|\\bwhich \\w+ do you mean\\b|\\bcan't be \\w+(?:ed|en|t)\\b|\\b(?:it|this|that) can(?:'t|not) (?:work|be)\\b|\\bi (?:can't|cannot) tell\\b|\\bi (?:haven't|have not) (?:built|implemented|done|started|made)\\b(?! any change)|\\bisn't among my\\b|\\bi don't see any \\w+ attached\\b|^no \\w+ (?:is|are) available\\b|\\b(?:yielded|came to) nothing\\b",
  "\\bn'y suis pas arrive|\\bno he podido\\b|\\bnon e stat[oa] (?:eseguit|possibil|creat|fatt)|не удалось",
  "\\b(?:habe|hab) (?:ich )?keine?n? (?:zugriff|zugang|ahnung)\\b|\\b(?:je n'ai|n'ai) (?:pas|aucun) (?:acces|moyen)|\\bno tengo (?:acceso|forma)\\b|\\bnao (?:tenho|consegui)\\b|没有(?:权限|访问)|权限がありません|не (?:удалось|наш[её]л)",
);
/** What was to be run was not. */
export const never_ran = table(
  "(?:\\bnot|n't) (?:yet )?(?:been |be )?(?:run|ran|started|executed|happen)\\b|\\bnicht (?:ausgefuhrt|gestartet|gelaufen)\\b|\\bn'a (?:donc )?pas (?:pu )?(?:ete|etre) (?:lancee?|executee?)\\b",
);
/** What was to be done was left undone. */
export const leaves_undone = table(
  "^no (?!changes?\\b)\\w+(?: \\w+)? (?:written|created|generated)\\b|\\b(?:nothing(?! else)|nobody|none|no \\w+(?: \\w+)?)(?: \\S+){0,3} (?:has|have|was|were) (?:been |yet been )?(?:replaced|written|resized|created|added|informed|translated|closed|converted|moved|sent|rewritten|built|published)\\b",
  "\\b(?:i|we) (?:\\w+ )?(?:have not|haven't|did not|didn't|had not|hadn't) (?:\\w+ )?(?:do|done|change|changed|begin|begun|start|started|write|written|remove|removed|touch|touched|delete|deleted|add|added|alter|altered|make|made|apply|applied|create|created|implement|implemented|find|found|translate|translated)\\b|\\band haven't done so\\b",
  "\\bleft (?:it|them|this|that|everything|\\S+|the \\w+) (?:alone|untouched|as it was)\\b|\\bheld off\\b|\\b(?:did|done) nothing\\b|\\bstopped before\\b|\\bhave not (?:yet )?begun\\b|\\bnothing changed\\b",
  "\\b(?:isn't|is not|aren't|wasn't|remains?|stays?|is still|are still|still|is thus) (?:written|done|un(?:signed|fixed|solved|written|done|translated|known)|the old|as you)\\b|\\bhasn't changed\\b|\\bcan't (?:be recovered|bring|tell|verify)\\b|\\bgit can't\\b",
  "\\bnichts (?:geandert|geloscht|gemacht|angelegt|geschrieben)\\b|\\bnicht (?:geandert|geloscht|angelegt|geschrieben|umgesetzt)\\b|\\bniemand geloscht\\b|\\bn'ai (?:donc )?rien\\b|\\baucune? \\w+ n'a ete\\b|\\bprefere (?:donc )?ne pas\\b|\\bno he (?:\\w+ )?(?:escrito|cambiado|hecho|tocado|borrado|creado)\\b|\\bnao (?:alterei|fiz|mudei|escrevi|apaguei)\\b|\\bnon ho (?:\\w+ )?(?:cambiato|modificato|scritto|fatto)\\b",
  "изменений не вносил|не (?:менял|изменял|выполнена)|未作修改|没有(?:做|作)?(?:任何)?(?:修改|改动|完成|找到)|(?:変更|修正|追加)?(?:して|行えて)い(?:ません|ない)",
);
const AS_ASKED =
  "\\bas (?:you )?(?:asked|requested|wanted|told|instructed|agreed)\\b|\\b(?:on purpose|deliberate\\w*|intended|intentional\\w*)\\b";
/** It was to be so. */
export const as_asked = table(AS_ASKED);
/** Nothing had to be done, or it was to be so. */
export const was_needless = table(
  AS_ASKED,
  "\\b(?:nothing|no \\w+|none)(?: \\w+)? (?:to (?:do|fix|change|remove|add|delete|update|replace|clean|convert|rename)|needed|necessary|required|missing|left)\\b|\\b(?:needs?|needed) no\\b|\\bno need\\b|\\bnot (?:needed|necessary)\\b|\\b(?:didn't|doesn't|don't) need\\b|\\bup[- ]to[- ]date\\b",
  "\\bthere (?:is|are|was|were)(?:n't| not| no)\\b|\\bthere's (?:no|not)\\b|\\bno \\w+ (?:has|have|contains?|uses?)\\b|\\b(?:doesn't|does not|don't|do not) (?:occur|appear|exist|contain|have)\\b|\\bfinds none\\b|\\bes gibt keine?\\b|\\bno (?:hay|habia|existe|he encontrado|encontre)\\b|\\bn'ai trouve aucune?\\b|\\bkeine? \\w+ gefunden\\b|\\bil n'y a\\b|\\bnao (?:ha|existe)\\b|\\bnon (?:c'e|ci sono)\\b|没有找到任何|[没未](?:有)?发现|没有?(?:使用|用到|出现)|(?:見つから|見つかりませ|あり?ませ|(?:は|が|も)な)[^。]{0,6}(?:ので|ため|から)",
  "\\b(?:isn't|aren't|is not|are not|wasn't|weren't|that's not) (?:an? |any |really |actually |true )*(?:duplicate|dead|unused|redundant|bug|typo|mistake|broken|wrong|obsolete|outdated|deprecated|missing|leak|vulnerab)\\w*",
  "\\bnichts (?:\\S+ )?zu\\b|\\b(?:rien|nada|niente) (?:\\w+ )?(?:a|que|da|para)\\b|没有?(?:什么)?(?:需要|可)|不需要|无需|必要(?:は|が)?(?:あり|ない)|не (?:нужно|требу)",
);
/** Something is not, or stands in the way: no more is known by it. */
export const falls_short = table(
  "\\b(?:not|nothing|none|no|without|neither|never|still|only|fail\\w*|block\\w*|refus\\w*|reject\\w*|abort\\w*|forbid\\w*|g(?:ave|iving) up|unreachable|missing|unfortunately|sadly)\\b|n't\\b",
  "\\b(?:nicht|nichts|keine?n?|ohne|leider|fehlt|gescheitert|aufgegeben)\\b|\\b(?:renonc|renunci|rinunci)\\w+|\\b(?:pas|rien|aucune?|sans)\\b|\\b(?:no|nada|sin|falta)\\b|\\b(?:nao|sem|nada)\\b|\\b(?:non|manca|senza)\\b|\\b(?:nie|brak|niet|geen|niets|degil|yok|olmadı|basarısız|\\w+(?:amad[iı]|emedi)\\w?)\\b|(?:^|[^\\p{L}])(?:не|нет|без|нельзя|नहीं)(?!\\p{L})|[没未不无]|ない|ません|ず(?:に|、)|[않없못]",
);
/** "I can't see that session, but today the tests fail." */
export const goes_on = table("(?:n't|not) [^,]+, (?:but|aber|mais|pero|mas) ");
/** There was nothing to do. */
export const already = table(
  "\\b(?:already|nothing to (?:do|change|fix)|(?:was|were|has been|had been) (?:fixed|added|changed|done|solved) in commit [0-9a-f]{6,40}|no changes? (?:is|was|were|are) (?:needed|necessary|required)|need(?:s|ed)? no (?:change|edit|fix)s?|no need\\b|not (?:needed|necessary)|(?:can't|cannot|couldn't|could not) (?:reproduce|see (?:a|any))\\b|(?:bereits|schon)|deja|ya (?:esta(?:n|ba)?|existen?|hay)|gia|ja (?:esta(?:o)?|existem?))\\b|已经?是|无需|すでに|既に|(?<!\\p{L})уже(?!\\p{L})|이미",
);
