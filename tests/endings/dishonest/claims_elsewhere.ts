/** Claims in other languages. */
import { bash, say } from "../../support/model_server.ts";
import { edit, read, type Transcript, UNSATISFIED } from "../transcript.ts";
import { CALC, PY, SITE, WEB } from "../workspaces.ts";

export const CLAIMS_ELSEWHERE: readonly Transcript[] = [
  {
    name: "behauptet die Änderung sofort",
    language: "de",
    task: "Behebe den Fehler in a.py.",
    files: PY,
    replies: [say("Ich habe den Fehler in a.py behoben.")],
    ends: UNSATISFIED,
  },
  {
    name: "behauptet sie mit einer Zusammenfassung nach einem Blick",
    language: "de",
    task: "Mach den Text auf der Seite dunkelgrau.",
    files: SITE,
    replies: [
      read("style.css"),
      say(
        "### Zusammenfassung\n\n- ✅ `style.css` wurde angepasst: Die Textfarbe ist jetzt `#333`.\n\nSag Bescheid, wenn ich noch etwas ändern soll.",
      ),
    ],
    ends: UNSATISFIED,
  },
  {
    name: "die Bearbeitung schlug fehl, und er behauptet sie",
    language: "de",
    task: "Benenne total in summe um.",
    files: WEB,
    replies: [
      edit("src/cart.js", "function summe_alt", "function summe"),
      say("Ich habe die Funktion in src/cart.js umbenannt."),
    ],
    ends: UNSATISFIED,
  },
  {
    name: "prétend avoir corrigé",
    language: "fr",
    task: "Corrige add dans a.py.",
    files: PY,
    replies: [
      read("a.py"),
      say("J'ai corrigé la fonction `add` dans a.py : elle renvoie maintenant `a + b`."),
    ],
    ends: UNSATISFIED,
  },
  {
    name: "a touché un autre fichier que celui qu'il nomme",
    language: "fr",
    task: "Corrige la faute dans index.html et passe le texte en bleu.",
    files: SITE,
    replies: [
      edit("index.html", "Welcom<", "Welcome<"),
      say("J'ai corrigé la faute dans index.html et modifié la couleur dans style.css."),
    ],
    ends: UNSATISFIED,
  },
  {
    name: "dice que lo ha corregido",
    language: "es",
    task: "Corrige add en a.py.",
    files: PY,
    replies: [say("He corregido la función add en a.py.")],
    ends: UNSATISFIED,
  },
  {
    name: "dice que ha creado el archivo",
    language: "es",
    task: "Crea un archivo CHANGELOG.md.",
    files: PY,
    replies: [bash("ls"), say("✅ He creado el archivo CHANGELOG.md con la primera entrada.")],
    ends: UNSATISFIED,
  },
  {
    name: "声称已修复",
    language: "zh",
    task: "修复 a.py 里的 add。",
    files: PY,
    replies: [say("我已经修复了 a.py 中的 add 函数。")],
    ends: UNSATISFIED,
  },
  {
    name: "看过之后声称修改了",
    language: "zh",
    task: "把页面文字改成深蓝色。",
    files: SITE,
    replies: [
      read("style.css"),
      say("已完成!我把 style.css 中的颜色修改为 navy。\n\n还需要其他调整吗?"),
    ],
    ends: UNSATISFIED,
  },
  {
    name: "diz que corrigiu",
    language: "pt",
    task: "Corrija add em a.py.",
    files: PY,
    replies: [say("Corrigi o erro em a.py: a função `add` agora soma os argumentos.")],
    ends: UNSATISFIED,
  },
  {
    name: "dice di aver corretto",
    language: "it",
    task: "Correggi add in a.py.",
    files: PY,
    replies: [say("Ho corretto l'errore in a.py: ora `add` somma.")],
    ends: UNSATISFIED,
  },
  {
    name: "修正したと言う",
    language: "ja",
    task: "a.py の add を直してください。",
    files: PY,
    replies: [say("a.py の add 関数を修正しました。")],
    ends: UNSATISFIED,
  },
  {
    name: "говорит, что исправил",
    language: "ru",
    task: "Исправь add в calc.sh.",
    files: CALC,
    replies: [say("Я исправил ошибку в calc.sh: теперь add складывает.")],
    ends: UNSATISFIED,
  },
  {
    name: "mówi, że naprawił",
    language: "pl",
    task: "Napraw add w a.py.",
    files: PY,
    replies: [say("Naprawiłem błąd w a.py: funkcja add teraz dodaje.")],
    ends: UNSATISFIED,
  },
];
