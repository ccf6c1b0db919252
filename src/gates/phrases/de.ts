import { group, pattern, type Phrases } from "./pattern.ts";

/** Who is about to act. The verb stands at the end of the sentence. */
const SOON = group`
  ich werde | werde ich | ich muss | muss ich | ich möchte | möchte ich | ich will | will ich | ich sollte
  sollte ich | ich würde gerne | lass mich | lassen sie mich | lasst uns | lass uns | lassen sie uns
  wir werden | werden wir
`;

/** Infinitives of what is done with tools, with or without "zu" inside. */
const ACT = group`
  lesen | prüfen | überprüfen | anschauen | ansehen | ausführen | untersuchen | analysieren | suchen
  durchsuchen | öffnen | starten | beginnen | anfangen | fortfahren | weitermachen | versuchen | testen
  erstellen | schreiben | hinzufügen | bearbeiten | beheben | reparieren | korrigieren | aktualisieren
  ändern | anpassen | implementieren | umsetzen | machen | auflisten | finden | herausfinden | verstehen
  anwenden | installieren | kompilieren | entfernen | löschen | ersetzen | laufen lassen | nachsehen
  schauen | sehen | einlesen | durchgehen | verschaffen | kümmern | ermitteln | vornehmen | debuggen | lösen
  umbenennen | anlegen | einfügen | nachschauen | durchlesen | inspizieren | erkunden | umschreiben
  refaktorisieren | verwenden | identifizieren | aufrufen | einbauen
`;

/** After "ich werde", at the end of the sentence: done with words, or no deed at all. */
const SAY = group`
  erklären | zeigen | zusammenfassen | beschreiben | erläutern | vorstellen | sein | haben | werden | können
  beantworten | antworten | warten | bleiben | wissen | nennen | aufzeigen | empfehlen | vorschlagen | geben
  stehen | sagen | müssen | dürfen | erwähnen | fragen | bitten
`;

/** First person, present: German says "Ich prüfe das" of what comes next. */
const NOW = group`
  lese | prüfe | überprüfe | untersuche | analysiere | suche | durchsuche | öffne | starte | behebe
  korrigiere | ändere | aktualisiere | erstelle | schreibe | füge | passe | implementiere | teste
  verschaffe | beginne | fange | mache | schaue | schau | gucke | führe | sehe (?:mir|nach|zuerst|jetzt)
  kümmere | inspiziere | bearbeite | ersetze | entferne | liste | gehe | versuche | probiere
`;

const DONE = group`
  behoben | aktualisiert | erstellt | hinzugefügt | geändert | gelöscht | entfernt | implementiert
  bearbeitet | korrigiert | umbenannt | ersetzt | angepasst | repariert | geschrieben | umgeschrieben
  refaktorisiert | eingefügt | angelegt | gelöst | überarbeitet | umgesetzt | gefixt | eingebaut
  verschoben | vorgenommen | ergänzt | erweitert | gespeichert | modifiziert
`;

/** Between "habe" and the participle, in one clause and without a negation. */
const GAP = String
  .raw`(?:(?!\b(?:nicht|nichts|kein|keine|keinen|keinerlei|nie|niemals|dass|ob|weder)\b)[^;:?]){0,140}`;

const ADVERB = `(?: ${group`
  nun | jetzt | erfolgreich | bereits | auch | ebenfalls | wie gewünscht | soeben | korrekt | entsprechend
`})*`;

/** What a task changes, at the start of the sentence, and no condition. */
const SUBJECT = String
  .raw`^(?:\S+ ){0,3}?${group`
  dateien | datei | änderungen | änderung | fehler | bugs? | probleme? | code | funktion(?:en)? | klassen?
  methoden? | module? | skripte? | tests? | ordner | \S*[a-z_]\.[a-z]\w{0,4}
`}(?: \S+){0,3}?(?<!\b${group`
  wenn | falls | sobald | nachdem | bevor | bis | ob | kein | keine | keinen | nichts | nicht | weder | dass
  laut
`}\b.*|, (?:die|der|das)\b.*)`;

const STATUS = group`
  (?:alles |bin |ich bin |das ist |ist |jetzt )?(?:fertig|erledigt|abgeschlossen|vollständig|geschafft|beendet|getan)(?: abgeschlossen)?
  (?:(?:die|der|das|alle|deine|ihre|meine) )?(?:aufgaben?|arbeit|auftrag|anfrage|alles|implementierung|umsetzung) (?:(?:ist|sind|wurde|wurden|erfolgreich|nun|jetzt|vollständig) )*(?:fertig|erledigt|abgeschlossen|beendet|ausgeführt)(?: worden)?
  ich habe (?:(?:die|den|das|alles) )?(?:(?:aufgabe|auftrag) )?(?:erledigt|abgeschlossen|beendet)
  erfolg | erfolgreich(?: abgeschlossen| erledigt| beendet)? | in bearbeitung
`;

/** German. */
export const de: Phrases = {
  hint: pattern`
    \b(?:ich|mich|uns|wir|moment|augenblick)\b
  `,
  planning: pattern`
    \b${SOON}\b${GAP}\b(?:\w{2,5}zu)?(?:zu )?${ACT}\b
    \b(?:ich werde|werde ich|lass mich|lassen sie mich)\b${GAP} (?!${SAY}\b)\w{3,}(?:en|ern|eln)[.!]*$
    \bich ${NOW}\b(?! (?:das|es|sie|ihn) nicht\b)(?! (?:davon aus|nicht))
    ^(?:(?:ok|gut|also),? )?(?:zuerst|zunächst|jetzt|nun|dann|als erstes|als nächstes|anschließend|danach|dazu|dafür|um)\b.{0,80}\b${NOW} ich\b
    ^(?:ok, |gut, |also )*(?:schauen|sehen|prüfen|fangen|beginnen|lesen|starten|gehen|werfen) wir\b
    ^(?:bitte )?(?:einen (?:kurzen )?(?:moment|augenblick)|moment)\b[^?]{0,40}$
  `,
  deferral: pattern`
    \b(?:wenn|falls|sobald|bevor|nachdem) (?:sie|du|ihr|gewünscht|nötig|dir|ihnen|das so)\b | \bbei bedarf\b
    \bsag(?:en sie)? (?:mir|bescheid|einfach)\b | \b(?:lass|lassen sie|lasst) (?:es )?mich (?:bitte )?(?:gerne? )?wissen\b
    \b(?:gib|geben sie) mir\b | \bteil(?:en sie|e)? mir\b | \bzeig(?:en sie|e)? mir\b | \bschick(?:en sie|e)? mir\b
    \bin zukunft\b | \bkünftig\b | \bnächstes mal\b | \bin diesem fall\b | ^du\b | ^sie (?:müssen|können|sollten)\b
    \bmelde?n? (?:dich|sie sich)\b | \bich empfehle\b | \bauf wunsch\b | \bgerne? auch\b
  `,
  filler: pattern`
    ^(?:ok|okay|klar|natürlich|gerne?|alles klar|verstanden|in ordnung|gut|perfekt|danke|hallo|selbstverständlich|super|sicher)\b(?:\w|[ ,]){0,40}\W*$
    ^(?:das|dies) (?:hilft|wird|gibt|ermöglicht) (?:mir|uns)\b
    ^(?:dann|danach|anschließend|als nächstes|zum schluss|sobald)\b.*\b(?:werde ich|ich)\b
  `,
  status: pattern`
    ^(?:(?:ok|okay|gut|perfekt|super|alles klar|prima) )*(?:status )?(?:${STATUS} ?){1,3}(?:(?:sag|sagen sie|lass|lassen sie|melde) .*)?$
  `,
  claim: pattern`
    (?<!\b(?:wenn|falls|sobald|nachdem|bevor|ob|dass) )\bich habe\b${GAP}\b${DONE}\b
    (?<!\b(?:wenn|falls|sobald|nachdem|bevor|ob|dass) )\bhabe ich\b${GAP}\b${DONE}\b
    \bwir haben\b${GAP}\b${DONE}(?=\W*$)
    \b(?:meine|die von mir vorgenommenen) änderungen\b
  `,
  opening: pattern`
    ^(?:(?:der|die|das) )?(?:datei|fehler|bug|funktion|test|problem|änderung(?:en)?)(?: \S+)?${ADVERB} ${DONE}(?=\W*$)
    ^\S+\.\w{1,5}${ADVERB} ${DONE}\b
    ^(?!.*\b(?:nicht|kein\w*|noch|wird|werden|wurden?|ist|sind|hat|haben)\b)(?:\w+ ){1,4}${DONE}[.!]*$
  `,
  passive: pattern`
    ${SUBJECT} (?:wurde|wurden)${ADVERB}(?: in \S+\.\w{1,5})?${ADVERB} ${DONE}(?=\W*$|,| und\b)
    ${SUBJECT} (?:ist|sind) (?:nun|jetzt) ${DONE}\b
  `,
  denial: pattern`
    \b(?:nichts|keinerlei|niemals|weder)\b | \b(?:hätte|würde|könnte|sollte)\b
    \b(?:eine?n?|die|den|das) (?:\w+ )?(?:zusammenfassung|plan|liste|tabelle|erklärung|antwort|bericht|analyse|beispiel|übersicht|entwurf)\b(?!.*\.\w{1,5}\b).*\b(?:erstellt|geschrieben|hinzugefügt|angelegt|ergänzt)\b
    \b(?:version|commit|python|node|deno) v?\d | \b(?:in|seit|ab) v?\d+\.\d | \b(?:in|seit|im jahr|im)? ?(?:19|20)\d\d\b
    \b(?:gestern|letzte woche|letzten monat|vor (?:einem|einer|zwei|\d+))\b | \b(?:wurde|wurden) (?:von|durch)\b
  `,
  history: pattern`
    \bcommits?\b | \bversion \d | \bversionshinweise\b | \bänderungsprotokoll\b | \bverlauf\b | \bautor(?:en)?\b | \bveraltet\b
  `,
};
