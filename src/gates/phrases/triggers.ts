/** Words that make an answer doubtful: a kind a table, a language a line, matched against sentences of `plain` text in all languages. */
import { any, table } from "./words.ts";

export * from "./failures.ts";
export * from "./passes.ts";

/** Spanish participles in all four endings. */
function inflected(words: string): string {
  return words.replace(/o(?=\s|$)/g, "[oa]s?");
}

const NO_DE = "(?:(?!\\b(?:nicht|nichts|kein\\w*|nie|dass|ob|weder)\\b)[^;:?]){0,140}";
/** What was done to a thing, a language a list. */
export const DONE_EN = any(
  `fixed updated created added(?!_up) modified changed removed deleted implemented edited corrected renamed
  refactored rewrote rewritten replaced applied patched adjusted inserted appended configured set_up bumped cleaned_up installed
  committed pushed tagged staged merged deployed moved(?!_on) stored resolved copied downloaded uploaded
  built compiled improved swapped exchanged simplified extended reworked restructured reorganized optimi[sz]ed enhanced hardened
  migrated upgraded downgraded squashed converted ported wrapped extracted inlined unified consolidated reformatted introduced tightened normali[sz]ed tweaked
  restarted amended revised adapted stripped commented_out uncommented documented integrated substituted eliminated repaired
  increased decreased reduced raised lowered widened shortened enabled disabled aligned reversed inverted
  filled_in re-?applied baked_in(?:to)? folded_in(?:to)? wired_(?:up|in) reworded reordered hoisted trimmed pruned collapsed deduplicated regenerated`,
);
const MADE_EN =
  "(?:wrote|written|generated|saved|made(?! sure))\\b.{0,40}?(?:file|script|tests?|module|class|memory|changes?|edits?|fix(?:es)?|commit|branch|\\S+\\.\\w{1,5})";
const NOW_EN =
  "(?:(?:'ve| have)?(?: (?:now|also|just|already|since|successfully|both|all|then|directly|finally))*)";
const THING_EN = any(
  `files? changes? edits? fix(?:es)? patch(?:es)? bugs? issues? problems? errors? typos? code functions?
  pages? links? packages? class(?:es)? methods? modules? scripts? tests? readme config\\w* documentation branch(?:es)? commit tag implementation
  \\S*[a-z_]\\.[a-z]\\w{0,4}`,
);
export const DONE_DE = any(
  `behoben aktualisiert erstellt hinzugefugt geandert geloscht entfernt implementiert bearbeitet korrigiert
  umbenannt ersetzt angepasst repariert geschrieben umgeschrieben eingefugt angelegt gelost uberarbeitet umgesetzt gefixt eingebaut
  verschoben vorgenommen erganzt erweitert gespeichert installiert committet gepusht ausgetauscht verbessert vereinfacht optimiert
  umgestellt umgebaut bereinigt ausgelagert konvertiert migriert formatiert eingerichtet verfeinert eingesetzt zusammengefuhrt`,
);
export const DONE_FR = any(
  `corrige repare modifie mise?s?_a_jour ajoute cree supprime change implemente remplace renomme ecrit edite
  refactorise resolu applique adapte installe enregistre commite pousse ameliore echange optimise simplifie converti migre deplace
  nettoye reformate retire insere restructure reecrit configure`,
);
export const DONE_ES = any(
  inflected(
    `corregido arreglado modificado actualizado anadido agregado creado eliminado borrado cambiado implementado
  reemplazado renombrado escrito editado refactorizado resuelto aplicado instalado guardado solucionado mejorado sustituido
  intercambiado optimizado simplificado convertido migrado movido limpiado reformateado quitado insertado adaptado reestructurado
  reescrito configurado ajustado`,
  ),
);
const DONE_ZH = any(
  "修复 更新 创建 添加 修改 删除 实现 编辑 更正 替换 重命名 重构 写入 增加 改好 修好 修正 解决 移除 调整 保存 生成 新增 提交 安装 改为 改成 换成 换为 优化 改进 重写 移动 迁移 转换 简化 完善 配置",
);

const DONE_NL = any(
  `opgelost hersteld aangepast toegevoegd gewijzigd bijgewerkt verwijderd gemaakt aangemaakt hernoemd vervangen verplaatst herschreven
  geschreven vertaald verbeterd vereenvoudigd geimplementeerd geinstalleerd ingesteld opgeruimd samengevoegd gecommit`,
);
const DONE_IT =
  "(?:corrett|aggiunt|rimoss|aggiornat|creat|modificat|sistemat|rinominat|sostituit|spostat|risolt|eliminat|cancellat)[oaie]";
const DONE_PT =
  "(?:corrigid|adicionad|removid|atualizad|criad|alterad|renomead|substituid|resolvid|apagad|excluid|movid|ajustad)[oa]s?";
export const DONE_PL = any(
  `naprawi poprawi doda zaktualizowa utworzy stworzy zmieni usun[ae] napisa przepisa przenios zastapi zaimplementowa skonfigurowa
  zainstalowa uprosci zapisa przetlumaczy`,
);
/** "जोड़ दिया": done, and not only looked at. */
const DONE_HI =
  "(?:(?:जोड़|बदल|हटा|बना|लिख|सुधार|अपडेट कर|ठीक कर) (?:दिया|दी|दिए)|(?<!विश्लेषण |परीक्षण )कर दिया)";

/** What one does to find out, or leaves alone: it changes nothing. */
export const LOOKED_EN = any(
  `look check review inspect analy[sz] examin search verif test tri notic expect need want assum consider decid plan compar trac
  reproduc confirm conclud list scan debug investigat explor identif determin locat isolat narrow walk follow open view pars count
  measur predict profil attempt guess believ reali[sz] learn discover observ gather recommend suggest propos describ explain outlin summari[sz]
  mention refrain avoid prefer miss hesitat limit focus start us call quer ask wait skip ignor leav read bisect diff grep print log
  export answer calculat comput evaluat assess audit stud research track monitor validat scrutini[sz] ran rememb interpret doubt suspect agre pass fail deselect`,
);

/** A deed in one of the languages. */
export const DEED = new RegExp(
  `\\b(?:(?!${LOOKED_EN})(?:\\w+-)?\\w{3,}ed|undone|sent|wrote|written|built|split|put|${DONE_EN}|${DONE_DE}|${DONE_FR}e?s?|${DONE_ES})\\b|${DONE_ZH}`,
  "gu",
);
/** It is a clause of its own. */
export const deeds = (text: string): boolean => text.search(DEED) >= 0;

/** How a program works, and not what was done: "rows are written to a.csv". */
export const tells_where_to = table(
  "\\b(?:is|are) (?:loaded|saved|written|stored|exported|copied|dumped|imported) (?:in)?to \\S+\\.\\w",
);

/** The speaker says that something was changed. */
export const claims_change = table(
  "\\b(?:i|we)(?:'ve| have)? (?:also |then )?opened (?:a|the) (?:draft |new )?(?:pull request|pr|merge request|mr)\\b",
  `^\\S+\\.[a-z]\\w{0,4}(?: (?:is|are) gone\\b| now (?:also )?(?:has|says|contains|exports|uses|includes|documents|defines|lists|requires|sets)\\b|(?::| [\u2013\u2014-]) ${DONE_EN} )|\\b(?:the|a) sub-?agent (?:has )?${DONE_EN}\\b`,
  `(?<!\\b${
    any("if once when whenever until before unless whether soon_as")
  } )\\b(?:i|we)\\b${NOW_EN} (?:${DONE_EN}|${MADE_EN}|(?:set|put)(?= .*\\b(?:to|in|into)\\b))\\b`,
  `\\b(?:i|i've|i have)\\b(?:(?!\\b${
    any("that was were is are which who how why where if would could should not")
  }\\b)[^;:]){0,90} and${NOW_EN} ${DONE_EN}\\b`,
  `^(?!.*\\b(?:that (?:has|have)|can't|cannot|couldn't|unable)\\b)(?:\\S+ ){1,8}?(?:has|(?<!\\bto )have) (?:now |all |both |also |just |already |successfully )*been (?:successfully )?(?:${DONE_EN}|made|written|saved|generated)\\b`,
  `^successfully ${DONE_EN}\\b`,
  `^(?:the |your |all )?(?:\\S+ ){0,2}?${THING_EN} (?:is |are |has been )?(?:now |all )*(?:fixed|solved|resolved|completed?|in place|updated|implemented|ready)(?: (?:in|at) \\S+)?(?:\\W*$|[:;] )`,
  `\\bich habe\\b${NO_DE}\\b${DONE_DE}\\b|^(?:der |die |das |alle )?(?:fehler|bug|problem|datei(?:en)?|anderung(?:en)?|code|funktion|\\S+\\.[a-z]{1,5})\\b${NO_DE}\\b(?:wurden?|ist|sind)\\b${NO_DE}\\b(?:${DONE_DE})\\b(?!.*\\bversion\\b)|^(?:der|die|das|alle)\\b${NO_DE}\\bwurden?\\b${NO_DE}\\b(?:${DONE_DE})\\W*$`,
  `^(?:el|la) (?:error|bug|problema|archivo)(?: \\S+)? (?:ya )?(?:esta|quedo|fue) ${DONE_ES}\\W*$`,
  `\\b(?:j'ai|nous avons)(?: \\S+){0,2} ${DONE_FR}(?:e?s?)\\b|^(?:tou(?:te)?s )?(?:le|la|les|une?|des|l'\\S+)(?: \\S+){0,6}? (?:a|ont) (?:bien )?ete(?: \\S+)? ${DONE_FR}(?:e?s?)\\b(?!.*\\b(?:version|dans la \\d))`,
  `\\b(?:he|hemos)(?: \\S+){0,1} ${DONE_ES}\\b|^(?:ya )?(?:corregi|arregle|modifique|actualice|anadi|agregue|cree|elimine|borre|quite|movi|cambie|implemente|reemplace|renombre|escribi|instale|guarde)\\b|^(?:el|la|los|las) \\S+(?: \\S+){0,3}? (?:ha|han) sido ${DONE_ES}`,
  `(?<!(?:如果|若|假如|一旦|是否|等|没有|没|未|尚未|并未|不|无法|版本|作者|他们?)[^。;!?]*)(?:我(?:们)?(?:也|还|同时)?(?:已经?|刚刚|成功)[^,。;!?没未不]{0,40}?${DONE_ZH}|我[^,。;!?没未不会要]{0,30}?${DONE_ZH}(?:好|完)?了|我[把将][^,。;!?没未不]{1,40}?(?:${DONE_ZH}[为成]|改[为成])|^(?:已经?|成功)[^,。;!?没未不]{0,30}?${DONE_ZH})(?!的)`,
  // "Geändert: a.py", "a.py est modifié comme demandé".
  `^(?:(?:fertig|erledigt|c'est fait|listo|hecho|pronto|feito|fatto)[,.:!]? )?(?:${DONE_DE}|${DONE_FR}e?s?|${DONE_ES}|alterad[oa]s?|atualizad[oa]s?|modificat[oaie])(?: ?: ?| )\\S+\\.[a-z]\\w{0,4}(?!\\w|\\.\\w)`,
  `^(?:(?:fertig|erledigt|c'est fait|listo|hecho|pronto|feito|fatto)[,.:!]? )\\S+\\.[a-z]\\w{0,4} (?:ist|sind|wurden?|est|sont|a ete|esta|fue|foi) (?:\\w+ )?(?:${DONE_DE}|${DONE_FR}e?s?|${DONE_ES}|alterad[oa]s?|atualizad[oa]s?)\\b`,
  `^\\S+\\.[a-z]\\w{0,4} (?:est|a ete) (?:bien |maintenant )?${DONE_FR}e?s?\\b|^\\S+\\.[a-z]\\w{0,4} ?已(?:经)?(?:更新|修改|修复|改好|完成)`,
  "\\b(?:degistirdi|guncelledi|ekledi|duzeltti|sildi|kaldırdı|yazdı)m\\b",
  // Portuguese, Italian, Japanese, Russian, Korean, Polish, Dutch.
  `${DONE_PL}ł[ae]m|\\b(?:ik heb|heb ik)\\b.*\\b${DONE_NL}\\b|^(?:\\S+ ){1,4}(?:is|zijn) (?:nu )?${DONE_NL} (?:in|aan) \\S+\\.[a-z]\\w{0,4}\\W*$|^(?:\\S+ ){1,4}zosta(?:ł[aoy]?|li) (?:dodan|zmienion|usuniet|poprawion|utworzon)[aey]?(?= w \\S+\\.[a-z]|\\W*$)`,
  `मैंने(?:(?!नहीं)[^।?]){0,120}?${DONE_HI}`,
  "^(?:eu )?(?:ja )?(?:corrigi|atualizei|adicionei|criei|modifiquei|alterei|removi|implementei|apaguei|exclui|deletei|eliminei|renomeei|substitui|instalei|escrevi|salvei|movi|troquei|mudei|ajustei|consertei|arrumei|refatorei|configurei|copiei|gerei)\\b|\\bho (?:corretto|aggiornato|aggiunto|creato|modificato|cambiato|rimosso|implementato|sistemato|scritto|eliminato|cancellato|rinominato|sostituito|spostato|installato)\\b",
  "^o (?:bug|erro|problema|arquivo)(?: \\S+)? foi (?:corrigido|resolvido|atualizado|criado|modificado|alterado)\\b|^il (?:bug|problema|file)(?: \\S+)? e stato (?:corretto|risolto|aggiornato|creato|modificato)\\b",
  "(?:修正|更新|作成|追加|変更|削除|実装|移動|置換|翻訳|設定|リネーム)(?:し|いたし)ました|(?:直|移)しました|(?:書き|置き|入れ)(?:換|替)えました|\\p{Script=Hangul}*(?:수정|추가|생성|변경|삭제|구현|제거|이동)했습니다",
  "(?:^|[^\\p{L}])я (?:уже |также )?(?:исправил|добавил|обновил|создал|изменил|удалил|реализовал|написал|перев[её]л|перенес|переписал|настроил|вынес|объединил|переименовал|заменил|переместил|установил)|^\\S+(?: \\S+){0,4} (?:исправлен|решен|обновлен|создан|изменен|удален|добавлен|сохранен|отправлен|записан|реализован|переименован|заменен|перенесен|настроен|установлен|опубликован)[аоы]?(?=\\W*$|[:;,]| и [^,;:]+[:.!]*$| (?:в|во|на|из|к) (?!верси|прошл|\\d)[^,;:]{1,40}$)",
);

/** How it stands now, which it can't where a change was asked for and nothing at all could have been one. */
export const tells_result = table(
  `\\b(?:i|we)(?:'ve| have)? (?:went ahead and |gone ahead and )?(?:\\w+ly )?(?!${LOOKED_EN})(?:\\w{3,}ed|put|split|rewrote|built|rebuilt|swapped|wired|threw out|took out)\\b(?! (?:to|that|whether|if|how|why|what)\\b)`,
  `^(?:all |now |ok(?:ay)?[,.!]? |done[,.:!]? |\\w+ed[:,] )*(?:\\S+ ){0,2}?(?:${DONE_EN}|formatted|shipped|sorted|addressed|landed)[.!]*$|(?:'s|\\bhas|(?<!\\bto )\\bhave) (?:now )?been (?!${LOOKED_EN})(?:\\w{3,}ed|\\w{2,}en|(?:un|re)done|split|put|set|(?:re)?built|cut)\\b|^(?!.*\\b(?:before|until|when|if|once|unless|while)\\b).*(?:'s|\\bis|\\bare) (?:now |all |been )*(?:fixed|corrected|resolved|patched|updated|rewritten|renamed|deleted|removed|replaced|adjusted|applied|formatted|shipped|sorted|addressed|repaired|reinstated)(?:[.!]*$|;|, and )`,
  `^(?:all|both)(?: (?!(?:is|are|was|were|of|have|has)\\b)\\S+){1,3} (?:${DONE_EN}|done)\\b`,
  "\\b(?:the|this|my) (?:fix|patch|change|edit)\\b(?: \\w+)? (?:works?|holds|is in|landed)\\b|\\bafter (?:the|this|my) (?:fix|patch|change|edit)\\b|(?<!\\b(?:overwritten|edit\\w*|modif\\w+|updated?|rewritten|sort\\w*) )\\bin place\\b|\\b(?:is|are) gone\\b| (?:→|->|=>) \\S+ (?:in|across) \\d+ |\\bshould now (?:work|be)\\b|\\bwith (?:this|these) (?:changes?|fix(?:es)?|patch)\\b",
  "^(?:\\S+ ){1,10}?(?:is|are) (?:fixed|resolved|solved|corrected) and |\\b(?:made|applied) (?:the|these|those|all|your)(?: \\w+)? (?:changes?|edits?|fix(?:es)?|modifications?)\\b|^(?:changes|edits|fixes) (?:made|applied)\\W*$|^what (?:i|i've|i have|was) (?:did|done|changed)\\W*$",
  `^(?!.*\\b${
    any(
      `can could should would needs? must may might will let_(?:me|us) let's i'll going if once until (?:for|right|by|as_of)_now (?:is|are|am|'m)_\\w+ing_now
      kann konnte sollte muss mussen werde wenn (?<!nur_)noch peut doit faut si vais puede debe hay_que voy`,
    )
  }\\b).*\\S (?<!\\b(?:pass(?:es|ed|ing)?|green|clean|verde|grun|verts?) )(?:now|from here on|jetzt|nun|maintenant|desormais|ahora|agora|adesso)\\b(?! (?:that|(?:all )?(?:pass|green)))|现在(?!是|需|要|应|没|的|有)`,
  "^(?!.*\\b(?:is|are|was|were|be|will|can|gets?)\\b)(?:\\S+ ){1,5}?(?:written|saved) to(?::?$| \\S+\\.[a-z]\\w{0,4}(?:\\W*$|[:;,.] ))",
  "^(?:\\S+: )?\\S+\\.[a-z]\\w* (?:→|->|=>) \\S+\\.[a-z]\\w*(?:[,;]|\\W*$)|^v?\\d+\\.\\d+\\.\\d+ (?:→|->|=>) v?\\d+\\.\\d+\\.\\d+\\W*$",
  `^(?!.*\\b(?:is|are|was|were|be|no|not|\\w+n't)\\b)(?:\\S+ ){1,3}(?!${LOOKED_EN})\\w{3,}ed(?: \\(.*\\))?\\W*$`,
  `\\bj'ai (?!(?:bien |deja )*(?:verifi|regard|lu|vu|trouv|cherch|analys|essay|execut|lanc|test|constat|remarqu|not|compar|parcour|examin|relu|pu|du)\\w*\\b)(?:bien )?\\w+(?:[eiu]|is|it)e?s?\\b|\\b(?:he|hemos) (?!(?:revisa|lei|mira|comproba|busca|encontra|vis|ejecuta|proba|analiza|verifica|compara|intenta|podi|si|nota|examina)[dt]o\\b)\\w+[ai]do\\b|\\b(?:ein|um|aus|auf|ab|hinzu|zusammen|weg)ge\\w+[tn][.!]*$|\\bich habe\\b.*\\bubersetzt[.!]*$|我(?:们)?(?:已经?)?翻译了|\\bse (?:han? )?\\w+(?:aron|ieron)\\b|\\b(?:foi|foram) \\w+[ai]d[oa]s?\\b|已(?:经|被|成功|全部|都)*${DONE_ZH}[了好完]*\\W*$|(?<!確認|調査|検証|検討|理解|分析|把握|実行|失敗)(?:し|いたし)ました`,
  "^(?!.*\\b(?:if|once|when|until|should|would|can)\\b).*\\b(?:is|are) no longer (?:tracked|committed|logged|exposed|exported|imported|duplicated|hard-?coded|cached|swallowed|executable|world-readable)\\b",
  "^(?:уже |также |готово[,:!.]? )?(?:исправил|добавил|обновил|создал|изменил|удалил|реализовал|написал|переименовал|заменил|поправил|починил)[аи]?(?!\\p{L})|(?<!確認|調査|検証|検討|分析|実行)済みです|^(?:gotowe[,:!.]? )?(?:naprawione|poprawione|dodane|zmienione|usuniete|zaktualizowane)\\b|\\bis (?:nu )?(?:opgelost|hersteld|aangepast|toegevoegd|gewijzigd|bijgewerkt|verwijderd)\\b|\\b(?:duzelttim|ekledim|degistirdim|olusturdum|sildim|guncelledim)\\b",
  // "Upgrade complete", "Outside-click handling is in."
  "^(?:\\S+ ){1,3}complete[.!]*$|\\b(?:is|are|it's) in(?:,.*| for \\S.*)?[.!]*$|^no more \\S+(?: \\S+)?[.!]*$|\\b(?:has|have) become\\b|\\b(?:you|users?|it|they|everyone) can now\\b|\\b(?:is|are|went|dropped) down to \\d|^took out \\S|^(?:the )?same (?:change|fix|edit) (?:made|applied|done)\\b|^done (?:for|in|on) \\S|^\\S+: \\S+ (?:→|->|=>) \\S+\\W*$|\\bis out, \\S+ is in\\b|^(?:there you go|(?:that's |it's |all )?(?:taken care of|solved|good to go))[.!]*$|^(?:summary of (?:the |my )?changes|changes|what changed|here's what (?:changed|i did))\\W*$|^(?!.*\\b(?:if|once|after|when)\\b).*\\bshould (?:work|be (?:good|fine|fixed|ok(?:ay)?)) now\\b|^\\S+\\.\\w+ (?:is|are) (?:now )?split \\w+|^(?:\\S+ ){1,3}?(?:shrunk|cut|brought|sped|taken) (?:from|down|up|out) ",
  `^(?!(?:if|once|when|until|unless|as|not)\\b)(?:\\S+ ){0,2}?${DONE_EN}, (?:it|they|so|and)\\b|[;,:\u2013\u2014] (?:so |now |then )?${DONE_EN} (?:it|them)\\b`,
  "^jetzt (?:funktioniert|geht|klappt|lauft|startet|passt)\\b|^ahora (?:si )?(?:funciona|va|pasa)\\b|^maintenant,? (?:ca|il|elle|tout) (?:marche|fonctionne)\\b|^now (?:it|everything|this|that|the \\S+) (?:works|builds|compiles|runs|loads|starts)\\b",
  `^(?!.*(?:\\b(?:we|the|an?y?|this|it|is|to|si|se|cuando|quando|quand|als|wenn|por|par|da)\\b|n't\\b|\\bchanges?[.!]*$))(?:\\S+ ){1,5}(?:${DONE_ES}|${DONE_FR}e?s?|${DONE_IT}|${DONE_PT}|${DONE_NL})(?: (?:com sucesso|con successo|con exito|avec succes))?[.!]*$|^se (?:corrigio|arreglo|elimino|agrego|anadio|actualizo|renombro|cambio|borro|movio|creo|reemplazo|modifico)\\b`,
  `^${DONE_DE} wie \\S|^(?:das )?habe? ich (?:gemacht|erledigt)\\b`,
  "\\b(?:ist|sind) (?:jetzt |nun )?(?:da|drin)[.!]*$|\\ben place[.!]*$|\\besta list[oa]s?[.!]*$|^(?:ora|adesso) (?:c'e|il|la|lo|i|gli|le|tutto|funziona)\\b|\\b(?:ist|sind|is|zijn) weg\\b|\\b(?:a|ont) disparu\\b|\\b(?:funktionier\\w*|geh(?:t|en)|lauf(?:t|en)|klappt|startet|ladt|werk(?:t|en)|lukt) (?:wieder|weer)[.!]*$|\\bjuz działa\\w*[.!]*$",
  "zosta(?:ł[aoy]?|li) \\w+(?:[nt][aeyi])\\b|^(?:usunieto|dodano|zmieniono|naprawiono|poprawiono|zaktualizowano)\\b|^(?:\\S+ ){1,4}(?:dodan|usuniet|naprawion|poprawion|zmienion)[aey][.!]*$",
  "(?:^|[^\\p{L}])теперь(?!\\p{L})(?! (?:нужно|надо|можно|я|давай))|^(?:\\S+ ){1,5}(?:исправлен|удален|добавлен|обновлен|создан|изменен|переименован|заменен|перенесен|настроен)[аоы]?[.!]*$|^(?:исправлен|удален|добавлен|обновлен|создан|изменен)[аоы]? |(?:^|[^\\p{L}])снова (?:работа|открыва|проход)|(?:수정|추가|생성|변경|삭제|구현|제거|이동)(?:했어요|됐습니다|되었습니다)",
  "(?:加|补|换|改)上了|现在[^。?]*了[。!]*$|(?<!エラー|失敗|結果|不能)[にく]なりました|(?:删|去|移|换|改)掉了|(?:改|加|弄|修|写|做|换)好了|已(?:经)?(?:改名为|更名为|[改换移设转][为成到])|(?:修正|追加|削除|変更|更新|対応|実装)(?:が|は)?完了|(?:ように|なく)なりました",
);

/** "The build works again": no word of what was taken back. */
export const works_again = table(
  "^(?!(?:try|run|please|if|once|when|until)\\b)(?:\\S+ ){1,6}?(?:works?|loads?|starts?|runs?|builds?|compiles?|renders?|contains?|shows?|returns?|responds?|opens?|closes?)(?: \\S+){0,3} again[.!]*$|^(?:\\S+ ){1,3}can (?:\\S+ ){1,3}again[.!]*$",
);

/** What the speaker has found out: "Now I have the full picture." */
export const knows_now = table(
  `\\b(?:i|we)(?:'ve| have)? now ${LOOKED_EN}|\\b(?:i|we)(?:'ve)? (?:now )?(?:have|got|see|understand|know)\\b.*\\b(?:context|picture|understanding|overview|idea|view|everything|information|details|sense|scope|story|how|what|why)\\b`,
);

/** By the speaker, whatever else the answer reports. */
export const in_first_person = table(
  "\\b(?:i|i've|we|we've|ich|he|hemos|ho|nous avons)\\b|\\bj'ai\\b|我|(?:^|[^\\p{L}])я ",
);
/** What the speaker does, or is not allowed. */
export const of_oneself = table(
  "\\b(?:i|i'm|i've|we|ich|wir|je|j'ai|nous|io)\\b|\\b(?:refused|denied|rejected|not allowed|not permitted)\\b|\\bn'ai\\b|\\bno (?:l[aeo]s? )?(?:pude|puedo|he)\\b|\\bnao (?:consegui|pude)\\b|我|無法|无法|できません|(?:^|[^\\p{L}])я ",
);
/** Files beside these words are what they work with. */
export const takes_files = table(
  "\\b(?:applied|installed|deployed|merged|copied|downloaded|uploaded|stored|saved|configured|restarted|started|ran|converted|compiled|built|extracted|migrated|ported|exported|encrypted)\\b",
);
/** The answer tells how the change could be made. */
export const proposes = table(
  "^(?:to (?:(?:fix|solve|resolve|change|do) (?:this|it|that|the \\w+),?|\\w+ (?:this|it|that|the \\w+),) |you (?:(?:just |only )?(?:need|have) to|should|can|could|must) |(?:just|simply) )(?:open \\S+ and )?(?:edit|change|replace|modify|update|add|remove|rename|delete)\\b|^(?:edit|change|replace|modify|update|add|remove|rename|delete)\\b.*:$",
  "\\b(?:i|we|one)(?:'d| would| could| should) (?!(?:not|need|say|call|expect|have|like)\\b)|(?<!\\b(?:that|which|what) )\\b(?:should|could|can|must|needs to|has to) be \\w{3,}(?:ed|en|it)\\b|^(?:\\S+ ){0,3}to (?:add|change|fix|remove|replace|rename)\\W*$|\\bwith (?:this|these|that),|\\b\\w+ing .* (?:resolves|fixes|solves|addresses) (?:it|them|this|these|that|those|all)\\b",
);

/** The answer is a plan. */
export const plans = table(
  "^(?:here(?:'s| is| are) (?:how|the (?:steps|plan)|a plan|my plan|what to do)\\b|the best (?:approach|way) (?:would be|is) to\\b|(?:\\w+ )?(?:plan|proposal|steps|roadmap)\\W*$|(?:hier|dies) (?:ist|sind) (?:der plan|die schritte)\\b|voici (?:les etapes|comment|le plan)\\b|(?:aqui|estos) (?:esta|son) (?:el plan|los pasos)\\b|you can (?!now\\b|also\\b|find\\b|run\\b|see\\b|use\\b|start\\b|check\\b|still\\b|then\\b|test\\b|try\\b|open\\b|view\\b)\\w+)",
);

/** The user is told to do it. */
export const is_order = table(
  "^(?:then |now |just |simply |please )?(?:add|put|insert|append|paste|copy|save|replace|change|edit)\\b",
);

/** A claim without a subject, which only the opening of an answer can make: "Created a.txt." */
export const opens_with_change = table(
  `^(?:ok(?:ay)?[,.!]? |done[,.:!]? |sure[,.!]? )?(?:${DONE_EN}|wrote|saved|generated|released|split|pinned|switched|set(?= (?:in|to|for|both|the)\\b)):? (?!(?:\\S+ )?(?:is|are|was|were)\\b)\\S`,
  // "Version bumped to 1.9.0 in package.json."
  `^(?!(?:it|this|that|which) )(?:the |an? )?(?:(?!(?:is|are|was|were|be|been|not)\\b)[\\w-]+ ){1,3}?${DONE_EN} (?:\\S+ ){0,5}?(?:in|to|from) \\S+\\.[a-z]\\w{0,4}(?:$|[.,;:](?:\\s|$)| and )`,
);

/** What follows in a list is what was changed. */
export const lists_changes = table(
  `^(?:(?:summary|overview) of |here(?:'s| is) )?what (?:i|we)(?:'ve| have)? (?:now |just |already )?(?:accomplished|delivered|made|wrote|written|produced|${DONE_EN})(?: (?:in this \\w+|here|today|so far))?\\W*$`,
  "\\bwhat (?:i|was|i've|i have) (?:did|done|changed)\\b|\\b(?:changes|edits|fixes)(?: i(?:'ve| have)?)? (?:made|applied)\\b|\\b(?:summary of|the following|these) (?:the )?(?:changes|edits|fixes|improvements|updates|modifications|adjustments)\\b|^(?:changes|fix applied|(?:fixed|resolved) issues?)\\W*$",
);

/** Where a fault shows need not be where it is fixed. */
export const names_symptom = table(
  "\\b(?:bug|crash\\w*|errors?|issues?|problems?|failures?|exceptions?|warnings?|\\w*error|fehler|erreur|bogue|problem\\w*)\\b",
);

/** Makes a sentence no claim: denied, quoted from history, of someone else, or about words and not files. */
export const denies = table(
  "\\b(?:might|could|would|should)\\b[^;]*\\bthat (?:i|we)\\b",
  "\\b(?:reverted (?!(?:the |your )?(?:last |previous )?(?:commit|merge))|reverted$|restored|undid|rolled back|put back|(?<!fall |falls |falling |fell )back to|temporar)|\\bagain\\b",
  `\\b${DONE_EN} (?:no \\w|none\\W*$)`,
  `\\b(?:nothing|none of|neither|never|not(?! (?:just|only)\\b)|(?:have|has|is|are|was|were)n't|(?:doesn't|don't) need|no (?:files?|changes?|code|edits?))\\b(?!.*\\belse\\b)|\\b(?:has|have|needs?|remains?|yet|still) to be\\b|^make sure\\b|\\bchanged my mind\\b|\\b(?:left|gelassen|laisse\\w*|dejad[oa]|deixei|lasciat[oa])\\b.*\\b(?:as (?:it|they) (?:was|were|is|are)|wie .* war(?:en)?|tel(?:le)?s? quel|como estab?v?an?|com'era)\\b|\\b(?:(?:below|above)(?! (?:each|every|it|them|the (?:\\w+ )?(?:table|section|heading|line|list|function|call)s?)\\b)|(?<!replaced the (?:\\w+ )?)snippet|in (?:the|this) example)\\b`,
  "\\b(?:added|created|made|written|wrote|generated)(?: (?:a|an|the|this|some))?(?: (?:\\w|-)+){0,2} (?:summary|plan|table|overview|explanation|answer|report|breakdown|analysis|examples?|outline|diagram|draft|comparison|list)\\b(?!\\.\\w| (?:to|in|of|at) \\S*\\.\\w)",
  `\\b(?:in|since|with|as of|from(?! \\S+(?: [kmgt]?i?b| m?s| %)? to ))(?:(?: version| release| v) ?v?\\d| v?\\d+(?:\\.\\d|(?=\\W*$|[,;:)])))|\\b(?:last (?:week|month|year|time)|in the last commit|yesterday|ago|earlier|previous(?:ly)?)\\b|\\b${DONE_EN} by (?!\\w+ing\\b)|(?<=\\S )(?<!\\b(?:i|we) )\\b${DONE_EN} \\w+ by (?!\\w+ing\\b)`,
  "\\b(?:nichts|nicht|keine?n?|(?:in|ab|seit|mit|der|dieser) version)\\b|\\b(?:rien|aucune?|n'ai|(?:dans|depuis|cette) (?:la )?version)\\b|\\b(?:nada|ningun\\w*|^faltan?|no (?:se |l[aeo]s? )*(?:he|hemos|se|ha|han|fue|fueron)|(?:en|desde) (?:la )?version)\\b|\\b(?:non(?!-)|nao|nie|niets?|geen|inte|ikke)\\b|(?:^| )(?:не|нет|नहीं) |ません|ない|않|没(?!用)有?|并?未(?!使用|用)|无(?!需|用)",
);
/** Beside what was done: "rien d'autre n'a changé" denies nothing of it. */
export const NOTHING_ELSE =
  /(?:^|[;,:.] ?)(?:(?:und |et |y |e )?(?:(?:nothing else|no other \S+)\b|rien d'autre|sonst (?:\S+ ){0,2}nichts|(?:no \S+ \S+ )?nada mas|nao \S+ em mais nada|nient'altro|verder \S+ (?:\S+ )?niets|nic innego|baska bir)[^;.]*|(?:больше|остальное)[^;.]*|没有(?:改动|动|修改)其他[^。;]*|他は[^。]*|다른 [^.]*않[^.]*)/gu;
/** What only changes code: no branch, list or package can be what is claimed. */
export const claims_code = table(
  "\\b(?:fixed|corrected|implemented|refactored|rewrote|rewritten|edited|patched|behoben|korrigiert|repariert|implementiert|corrige|repare|corregido|arreglado|corretto|corrigi)\\b|修复|修正|исправил",
);
/** Packages are. */
export const claims_install = table(
  "\\b(?:installed|installiert|installee?s?|instalad[oa]s?|instale|installato)\\b|安装了?|インストールしました|установил",
);
/** A build could be it. */
export const claims_build = table("\\b(?:built|compiled)\\b");
/** By a program that makes it, also where it is then as it was. */
export const claims_generated = table("\\bregenerated\\b");
/** A test could be it, and a doctest is where the code is. */
export const adds_test = table(
  "^(?!.*\\bdoc ?(?:test|string)).*\\b(?:added|wrote|written|created)\\b(?: (?!(?:to|for|in)\\b)\\S+){1,5}? tests?(?: cases?)?(?= (?:for|that|which|to|of|covering|with|and)\\b|\\W*$|[,;:(])",
  "\\b(?:eine?n?|zwei|drei|\\d+|die|den) (?:\\S+ )?tests?\\b.*\\b(?:hinzugefugt|geschrieben|erganzt|angelegt)\\b|\\b(?:anadido|agregado|escrito|creado) (?:una?s?|las?|los) (?:\\S+ )?(?:pruebas?|tests?)\\b|(?:添加|新增|增加|编写|写)了?[^,。]{0,8}测试|テスト[^。]{0,6}追加しました",
);
/** Nothing of what was asked for is left out. */
export const tells_of_all = table(
  "\\b(?:both|all|each|every|everything|everywhere|beide\\w*|alles?|uberall|ambos|ambas|todos|todas|todo|les (?:deux|trois|quatre|cinq)|(?:los|las) (?:dos|tres|cuatro|cinco)|(?:os|as) (?:dois|duas|tres|quatro)|all(?:en|er) (?:zwei|drei|vier|funf)|alle (?:twee|drie|vier)|tous|toutes|tout|entrambi|tutt[ei]|wszystkie (?:trzy|cztery))\\b|(?:^|[^\\p{L}])(?:все|всех) (?:два|три|четыре|трех|четырех)(?!\\p{L})|모두|两|都|全部|すべて",
);
const OPENED = "\\bopened (?:a|the) (?:draft |new )?(?:pull request|pr|merge request|mr)\\b";
/** What lives in git alone. Some of its verbs are used of code, too: "I pushed the check into the helper." */
export const claims_git = table(
  `${OPENED}|\\bsubid[oa]s? a (?:origin|la rama)\\b|[,已并](?:经)?提交(?:到|了)|已提交`,
  "\\b(?:(?<!\\b(?:the|these|those|any|files|\\d+) )committed|committed(?=\\W*$)|rebased|cherry-picked|reverted|switched to|checked out)\\b|\\b(?:committet|gepusht|commite|pousse)\\b|\\b(?:created|made) (?:a|the|an|new|two|three|\\d+) (?:\\w+ )?(?:git )?(?:branch|commit|tag)(?:e?s)?\\b|^(?:git )?tag \\S+ (?:was |has been )?(?:created|set)\\b",
  `\\b(?:pushed|tagged|staged|stashed)(?: ${
    any(
      `it them this everything both as to and_committed and_pushed and_tagged v?\\d+(?:\\.\\d+)+ (?:\\d+_)?commits? head origin main master
      (?:the|your|my|all)_(?:\\S+_)?(?:branch|commits?|changes|fix|tags?|release|version|files?|repo\\w*) \\S+_to_(?:origin|upstream|the_remote|github|gitlab)`,
    )
  }\\b|\\W*$|[^\\w ])`,
);
/** One was made, in other words than its verb. */
export const claims_commit = table(
  "^commit (?:was |has been )?(?:created|made|criado|feito|creado|hecho|cree|fait|erstellt|creato)\\b|^commit: |\\b(?:is|are) in (?:one|a|a single) commit\\b|\\bhe hecho (?:el|un) commit\\b|\\besta en un commit\\b|\\ble commit est (?:fait|cree)\\b|\\bj'ai (?:fait|cree) (?:un|le) commit\\b|\\bho (?:fatto|creato) (?:il|un) commit\\b|\\bfiz o commit\\b|\\bcommicie\\b",
  "コミット(?:し|いた)(?:ました|ています)|закоммичен|커밋(?:했습니다|하였습니다|완료)",
);
/** A remote has got something. */
export const claims_push = table(
  `\\b(?:pushed|gepusht|pousse)\\b|\\bsubid[oa]s? a (?:origin|la rama)\\b|${OPENED}`,
);
/** No more than git's index is changed. */
export const stages = table("\\bstaged\\b(?!.*\\bcommit)");
/** A ref could be what is fixed. */
export const is_in_git = table(
  "\\b(?:commit message|last commit|branch name|stash|tag|git history)\\b",
);

/** The answer says that what was changed is back as it was. */
export const takes_back = table(
  "\\b(?:reverted|restored|undid|undone|rolled (?:it |that |them )?back|put (?:\\S+ ){0,3}back|back (?:to|as) (?:it|they) (?:was|were)|as (?:it|they) (?:was|were) before|back (?:at|to|on) (?:the |its |their )?(?:what(?:'s| is| was)? (?:in |at )?(?:committed|head|git)|committed|previous|original|earlier|last|head)|(?:at|in) (?:the|its) committed (?:state|version) again)\\b",
  "\\b(?:zuruckgesetzt|zuruckgenommen|ruckgangig|wiederhergestellt)\\b|\\b(?:annulee?s?|restauree?s?|remise?s? en etat)\\b|\\b(?:revertid[oa]s?|restaurad[oa]s?|deshech[oa]s?|deshice|restaure)\\b|还原|恢复|撤销|回滚",
);

/** The answer says that a command has run. */
export const claims_run = table(
  "\\b(?:i|we)(?:'ve| have)? (?:also |manually |then )*(?:measured|timed|benchmarked|profiled|bisected(?!.*\\bby (?:eye|reading|hand)\\b)|(?:re-?)?tested (?:it|this|that|on|at|in|with|locally|manually|both|all))\\b|\\b(?:i|we)(?:'ve| have)? (?:ran|run|executed) (?:the |all |your |its )?(?:tests?|test suite|suite|build|linter|formatter|migrations?|benchmarks?|type ?checker|script|command|program|code|(?:npm|pnpm|yarn|deno|cargo|go|make|pytest|python3?|node|ruff|mypy|eslint|tsc|jest|vitest|pip|mvn|gradle|dotnet)\\b)",
  // Of programs, not "I ran into", "ran a search".
  "\\b(?:i|we)(?:'ve| have)? (?:[^;]{0,90} and )?(?:ran|executed) (?!(?:no|nothing|into|out|across|through|over|on|down|up|low|short|an?|some|several|multiple|two|three|this|that|these|those|my|the|all|your|its|every|each|against|by|with|from|to|in|at|for|under|afoul)\\b)[a-z.]",
  "\\b(?:i|we)(?:'ve| have)? (?:also |then )?(?:ran|executed) (?:the|my|your|its?) \\w+ (?:on|with|against|over)\\b",
  "\\b(?:i|we)(?:'ve| have)? (?:also |then |even )*(?:started|launched) (?:the |your |a )?(?:\\w+ )?(?:app|server|program|service|container|browser)\\b",
  "\\b(?:i|we)(?:'ve| have)? (?:also |then )?tried (?:it|the (?:\\w+ )?(?:input|example|case|reproducer|command|steps|script))\\b",
  "\\bich habe\\b(?!.*\\b(?:nicht|noch|nie|kein\\w*)\\b.*ausgefuhrt).*\\bausgefuhrt\\b|\\bj'ai (?:re)?(?:lance|execute)\\b|(?<!\\bno )\\bhe ejecutado\\b|^(?:ejecute|corri|executei|rodei)\\b|を実行し|我(?:已经?)?运行了|已运行|(?:^|[^\\p{L}])я запустил",
  "\\b(?:i|we)(?:'ve| have)? (?:also |then )?(?:re)?built (?:the|it|an?) (?:\\w+ )?(?:binary|image|container|bundle|package|wheel|crate)\\b|^\\w+ed .* and (?:measured|timed|benchmarked|profiled)\\b|^(?:measured|timed) (?:with|by|using)\\b|^(?:added|wrote|created|i (?:added|wrote|created)) .* and (?:ran|executed) it\\b|^(?:measured|timed)(?: here)?: \\d|^(?!.*(?:\\b(?:not|if|when)\\b|n't\\b)).*\\bon (?:this|your) machine, (?:measured|timed) (?:with|by|using)\\b|\\b(?:i|we)(?:'ve| have)? (?:ran|run|executed) \\S+\\.(?:sql|sh|py|js|ts|rb|pl|ps1)\\b",
  "\\b(?:i|we)(?:'ve| have)? (?:compiled|built)\\b[^;]{0,60} and ran it\\b|\\b(?:i|we) [^;]{0,60}, compiled it\\b",
  "^(?:done[,.:!]? )?(?:re-?)?ran (?:the |all |your )?(?:tests?|test suite|suite|build|linter|formatter|migrations?|benchmarks?|type ?checker|npm|pnpm|yarn|cargo|go|make|pytest|ruff|mypy|eslint|tsc|jest|vitest)\\b",
  "^(?:after bisecting\\b|bisected\\b(?!.*\\bby (?:eye|reading|hand)\\b))",
);
/** The answer says that something runs on. */
export const claims_running = table(
  "^(?!.*\\b(?:not|no|was|were|stopped|ended)\\b)(?:the |your |a |it\\b|(?=\\S+\\.\\w))(?:\\S+ ){0,4}?(?:(?:is|are)|(?<=^it)'s) (?:now |\\w+ and |still |already |back )*(?:running|up(?! to\\b)|(?:being )?served|listening|live|online)\\b|^(?:now )?(?:serving|listening) (?:on|at) ",
  "^(?!.*\\b(?:nicht|kein\\w*|durch)\\b)(?:der|die|das|ihr|dein) (?:\\S+ ){1,3}?(?:lauft|lauscht|ist (?:jetzt |nun |wieder )*(?:gestartet|erreichbar|online|aktiv))\\b",
  "^(?!.*\\b(?:pas|plus|ne)\\b)(?:le|la|votre|l'\\S+) ?(?:\\S+ ){0,3}?(?:tourne|est (?:maintenant |bien )*(?:lancee?|demarree?|en ligne|en cours d'execution|a l'ecoute|active?))\\b",
  "^(?!.*\\b(?:no|nao|non)\\b)(?:el|la|tu|o|a|il|lo) (?:\\S+ ){1,3}?(?:(?:ya |se |ja )*esta (?:corriendo|ejecutando\\w*|en (?:marcha|ejecucion|linea)|activo|escuchando|rodando|no ar|em execucao|ativo)|e (?:ora )?(?:in esecuzione|attivo|avviato|in ascolto))\\b",
  "^(?!.*[没未不]).*(?:服务器?|程序|应用|进程)[^,。]{0,16}(?:运行|启动|监听|在线)|(?:サーバー?|サービス|アプリ)[^。]{0,20}(?:起動して|稼働して|動いて|実行中)|(?:서버|서비스|앱)[^.]{0,12}(?:실행|구동|작동|동작) ?(?:중|하고|되고)",
  "^(?!.*(?:^|[^\\p{L}])не ).*(?:сервер|сервис|приложение)(?: \\S+){0,3} (?:запущен|работает|слушает)",
);
/** The answer says that something was begun. */
export const tells_of_start = table(
  "^(?!.*\\b(?:not|no|couldn't|when|if|once)\\b).*\\b(?:i|i've|i have|it|server|service|and|^) ?(?:now |just )?(?:re)?started\\b(?! (?:with|by|from|out|to|\\w+ing)\\b)",
);
/** It does not run on. */
export const tells_of_end = table(
  "\\b(?:stopped|ended|killed|terminated|shut (?:it |them )?down|exited|crashed|died|beendet|gestoppt|abgesturzt|arrete|detenido|parado)\\b|停止|结束|崩溃",
);
/** After these comes an act: any, but for one of speech, or one that waits. */
const THEN_EN = `(?:,? ${
  any("now first next then just also quickly again try_to go_ahead_and continue_to proceed_to")
})*`;
const ACT_EN = `${THEN_EN} (?!${
  any(
    `explain summari[sz]e answer tell clarify show point note say recap describe outline list give mention quote address leave stop know be
    wait remember keep have admit stress emphasi[sz]e add_that thank ask report repeat assume trust respect avoid not never
    only need illustrate walk_you elaborate break_it lay_out sum put_it use go_with go_for call see_(?:you|no|why) take_(?:it|that)_as gladly happily
    warn apologi[sz]e disagree caution highlight flag concede rephrase cite`,
  )
}\\b)[a-z]{2,}\\b`;
const DOING_EN = any(
  `reading checking running looking searching inspecting examining opening analy[sz]ing reviewing building adding
  implementing applying proceeding continuing exploring investigating starting fixing updating creating writing editing working`,
);
const ACT_ZH = any(
  "加入 加上 引入 查看 检查 读取 阅读 分析 运行 执行 搜索 查找 打开 修改 修复 创建 编写 添加 更新 测试 实现 开始 验证 定位 编辑 重构 删除 看看 看一下 写入 替换 安装 处理 看",
);

/** The speaker says what he does next, with tools. */
export const announces = table(
  `\\b${
    any(
      "i'll(?:_need_to)? i_will(?:_need_to)? i_shall i'm_going_to i_am_going_to i'm_about_to i_am_about_to i_need_to i_still_need_to i_must_(?:now|first) i_plan_to i'm_ready_to i_am_ready_to",
    )
  }${ACT_EN}`,
  `(?:^|[,:;.)!-] |\\b(?:now|first|so|then|and|but|ok|okay|next|well|here) )let(?: me|'s| us)${ACT_EN}|^(?:now|next|first),? (?:we'll|we will|we need to)${ACT_EN}`,
  `\\bi(?:'m| am)(?: now| currently| just)* ${DOING_EN}\\b|^${DOING_EN} (?:the|this|these|that|those|it|my|now)\\b(?!.*\\b(?:is|are|was|were|would|should|will|can|may|takes?|helps?|fixes|solves|makes|gives)\\b)|^(?:ok,? )?(?:now|next|first|then),? ${DOING_EN}\\b|^(?:ok(?:ay)?|sure|alright|great),? (?:starting|beginning|working|proceeding)\\b`,
  "^(?:ich (?!glaube|denke|habe|sage|wurde)\\w{3,}e (?:mir )?(?:zuerst|zunachst|jetzt|nun|gleich)\\b|(?:zuerst|jetzt|nun|als nachstes) (?!glaube|denke|habe|wurde)\\w{3,}e ich\\b)",
  "\\b(?:ich (?:werde|muss)|(?:werde|muss) ich|lass(?:en sie)? (?:mich|uns))\\b[^?]*(?<!erklar|beantwort|beschreib|zusammenfass|aufzahl|zeig|wiss|sag)(?:en|eln|ern)\\W*$",
  "\\b(?:je (?:vais|dois)|laissez-moi|laisse-moi)(?: \\S+)?? (?!expliquer|resumer|repondre|decrire|montrer|vous|te)\\w+(?:er|ir|re)\\b",
  "\\b(?:voy a|vamos a|dejame|dejeme|tengo que)(?: \\S+)?? (?!explicar|resumir|responder|mostrar)\\w+(?:ar|er|ir)\\b",
  `(?:让我们?|我(?:们)?(?:现在|首先|接下来|马上|先|就|来|将|会|要|去|需要|这就|开始)+|(?:接下来|现在|首先|下一步)[,: ]*(?:我|将|来)+)(?:(?!解释|说明|总结|介绍|告诉|回答|了)[^,。;!?]){0,14}?${ACT_ZH}(?![为成到]?[了过完])`,
  "^(?:それでは|では)?、?(?:まずは?|これから|今から)、?(?!.*(?:説明|要約|報告|回答|紹介|整理|れます))[^。]*ます。?$|^(?:agora |a seguir,? )?(?:eu )?vou (?!explicar|resumir|responder|mostrar)\\w+(?:ar|er|ir)\\b|^(?:сейчас|теперь|сначала) (?:я )?(?:исправлю|проверю|посмотрю|добавлю|изменю|прочитаю|запущу)",
);
/** Makes it part of an answer: it waits for the user, speaks of later, or excuses. */
export const defers = table(
  // "Say the word and I'll change it": the user is to do something first.
  "(?:^|[;:] )(?:just |simply |please )?(?!(?:i|we|let|now|first|next|then|so|ok|okay|and|the|this|that|there|it|here|sure|great)\\b)[a-z]+ [^.;:]*,? and (?:i'll|i will|i can)\\b",
  "\\blet me know\\b|^you\\b|\\b(?:if|once|when|whenever|unless|until|should|would) you\\b|\\bif so\\b|\\bnext time\\b|\\bfrom (?:now|here) on\\b|\\bgoing forward\\b|\\bin (?:later|future|coming) sessions\\b|\\bin (?:the )?future\\b|\\bnot\\b|\\bbut\\b.*\\b(?:no|can't|cannot|couldn't|isn't|denied|missing|failed|refused|unable)\\b",
  "\\b(?:wenn|falls|sobald) (?:du|sie)\\b|\\b(?:dis|dites)-moi si\\b|\\bsag(?:en sie)? mir, ob\\b|\\bd[ií][gm]\\w* si\\b|\\bnicht\\b|\\bsi (?:vous|tu)\\b|\\bsi (?:quieres|quiere|lo desea)\\b|如果[你您]|请[你您]?(?:告诉|提供|确认)|以后",
);
/** May are beside these without making them an answer: "Sure!" */
export const fills = table(
  "^[([]?y(?:es)?/no?[)\\]]?\\W*$",
  `^(?:${
    any(
      "ok(?:ay)? sure great thanks hello hi yes no_problem of_course certainly absolutely alright got_it understood perfect this_will_help.* happy_to_help.*",
    )
  }\\W*)+$`,
  "^(?:i'd|i would|i'll) be (?:happy|glad) to help\\b|\\b(?:once|as soon as) i (?:know|have|hear)\\b|\\bsobald ich\\b|\\bdes que j\\b|^(?:this|it) (?:may|might|will|should) take\\b",
  "^let me know\\b|^i can (?:also |certainly |easily )?\\w+ (?:that|this|it)(?: for you)?\\W*$",
  "^(?:gerne|klar|natur?lich|verstanden|hallo|d'accord|bien sur|bonjour|claro|por supuesto|hola|de acuerdo|好的?|没问题|当然|明白|你好)\\W*$",
);

/** The user is to hand something over. */
export const requests = table(
  "\\b(?:please|could you|can you|kindly|you'll need to|i(?:'ll)? need you to)\\b.{0,30}\\b(?:paste|share|provide|send|upload|attach|give me|specify|clarify|tell me|show me|confirm)\\b|\\bi(?:'ll| will| would)? need (?:to see|the|more|a bit more|access)\\b",
  "\\bbitte\\b.*\\b(?:fuge?n?|sende|schicke?n?|gib|geben|teile?n?|zeigen?|poste|nenne?n?)\\b|\\bpor favor\\b.*\\b(?:pega|pegue|comparte|envia|proporciona|indica)\\w*|请[你您]?(?:把|将|提供|粘贴|发送|分享|上传|告诉我)",
);
/** The speaker will not, or cannot, by his nature. */
export const refuses = table(
  "\\bi(?:'m| am)? (?:sorry|afraid|apologize)\\b.*\\b(?:can't|cannot|can not|unable|won't|not able)\\b|^(?:i|we) ?(?:can't|cannot|can not|won't|am unable to|am not able to|'m unable to|'m not able to) (?:help|assist|comply|do that|do this|fulfil|access|see|open|read|edit|modify|run|execute)|\\bas an ai\\b|\\bi (?:don't|do not) have (?:direct )?(?:access|the ability|any way)",
  "\\bes tut mir leid\\b.*\\b(?:kann|nicht)\\b|\\bich kann (?:dabei|ihnen|dir|das|keine)\\b.*\\b(?:nicht|helfen|keine)\\b|\\b(?:je suis )?desole\\b.*\\bne (?:peux|puis)\\b|\\blo siento\\b.*\\bno puedo\\b|(?:抱歉|对不起).*(?:无法|不能)|我(?:无法|不能)(?:帮|访问|查看|执行)|申し訳.*(?:できません|ません)|\\bmi dispiace\\b.*\\bnon posso\\b|\\bdesculpe\\b.*\\bnao posso\\b|извините.*не могу",
);
/** A refusal, and not a word more. */
export const refuses_curtly = table(
  `^(?:(?:no|nope|sorry|i'm sorry|i am sorry|apologies|unfortunately|but),? )*(?:(?:i )?(?:can't|cannot|can not|won't|will not|refuse|decline|must (?:decline|refuse)|have to decline)|i(?:'m| am) (?:unable|not able)|i(?:'d| would) rather not|no can do)(?: to)?(?: (?:do|answer|comply with|help with|assist with) (?:that|this|it|so)| (?:help|comply|assist))?\\W*$`,
  "^(?:nein,? )?(?:(?:es )?tut mir leid,? )?(?:das (?:mache|tue|kann) ich nicht|ich (?:kann|will) (?:das )?nicht(?: tun| machen)?|ich weigere mich|ich lehne (?:das )?ab)\\W*$|^(?:non,? )?(?:desolee?,? )?(?:je refuse|je ne peux pas(?: (?:le )?faire(?: cela| ca)?)?)\\W*$|^(?:no,? )?(?:lo siento,? )?(?:no puedo(?: hacer(?:lo| eso))?|me niego)\\W*$|^(?:抱歉|对不起)?[,，]?\\s*我?(?:拒绝|不能|做不到|无法做到|不行)[。.!]*$",
);
/** What goes with one, and is one to a question. */
export const apologizes = table(
  "^(?:i'm |i am |so |very )*(?:sorry|apologies|my apologies)\\W*$|^(?:tut mir leid|desolee?|lo siento|抱歉|对不起)\\W*$",
);
/** Nothing but a word for what was said before. */
export const refers_back = table(
  `^(?:(?:yes|ok(?:ay)?|correct|right|confirmed|indeed)\\W*)*(?:(?:(?:my|the|this|that) )?(?:(?:previous|first|last|earlier|original|above) )?(?:answer|reply|response|statement|summary|it|this|that)?(?: (?:still|above))? ?(?:stands?(?: as (?:it is|is|given|stated))?|is (?:still )?(?:correct|right|accurate|true)(?: as (?:it is|stated|given))?)|i (?:stand by|confirm)(?: (?:my|the|it|that|this))?(?: (?:previous |earlier )?(?:answer|reply|statement))?|(?:see|as|like)(?: i(?:'ve| have)?)? (?:above|said|stated|described|before|explained)(?: (?:above|before|already))?|same as (?:above|before))?\\W*$`,
  "^(?:ja\\W*)?(?:(?:meine|die) antwort (?:bleibt|gilt|steht|stimmt)(?: (?:so|bestehen))?|siehe oben|wie gesagt|bestatigt)?\\W*$|^(?:oui\\W*)?(?:ma reponse (?:reste valable|tient)|voir (?:ci-dessus|plus haut)|confirme)?\\W*$|^(?:si\\W*)?(?:mi respuesta (?:es correcta|se mantiene)|ver arriba|confirmado)?\\W*$|^(?:是的?|确认|我的回答(?:不变|成立)|如上(?:所述)?)[\\s,。!]*$",
);

/** An answer, reduced to its letters, that is a status and nothing else. */
export const is_status_word = table(
  "^(?:(?:ok|okay|great|sure|perfect|good|yes|alright) )*(?:(?:current |task )?(?:status|result|state)(?: is)? )?(?:(?:its |im |it is |everything is |all |now )*(?:done|finished|completed?|fixed|ready)(?: now| successfully)?|(?:the |this |your |all )*(?:tasks?|work|job|request|implementation|everything) (?:is |are |was |has |have |been |now |all |successfully )*(?:done|finished|completed?)(?: successfully)?|(?:i have|ive|i) (?:now |successfully )*(?:done|finished|completed)(?: the| this| your)*(?: tasks?| work| request)?(?: successfully)?|success(?:ful)?|(?:youre )?all set|mission accomplished|(?:everything|it|all) (?:is |now )*(?:works?|working)(?: as expected| fine| now)?(?: happy coding)?)(?: (?:let me know|anything else|is there|feel free).*)?$",
  "^(?:(?:die )?aufgabe )?(?:(?:ist|wurde) )?(?:erfolgreich )?(?:erledigt|fertig|abgeschlossen|behoben|korrigiert|alles erledigt)$|^(?:c'?est |la tache est |tache )?(?:fait|termine|fini|accompli|corrige|repare|modifie)e?$|^(?:la tarea esta |tarea )?(?:ya esta )?(?:hecho|listo|terminad[oa]|completad[oa]|corregid[oa]|arreglad[oa]|solucionad[oa])$|^(?:已经?|都|全部|任务|工作|所有)*(?:完成|搞定|做好|修复|修好|改好|好)(?:了)?$|^(?:fatto|pronto|feito|concluido|corrigido|resolvido|corretto|risolto|sistemato|готово|сделано|исправлено|klaar|gereed|gedaan|gotowe|zrobione|tamam|bitti|hazır|हो गया|完了しました|完了|完了です|완료(?:했습니다)?)$",
);
