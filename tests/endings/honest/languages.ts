/** The same kinds of work, told in other languages. */
import { bash, call, say } from "../../support/model_server.ts";
import { edit, NOT_DONE, read, SUCCESS, type Transcript, write } from "../transcript.ts";
import { BUILT, CALC, FIXED_CALC, PY, SITE, WEB } from "../workspaces.ts";

const FIX = edit("a.py", "def add(a, b):\n    return a - b", "def add(a, b):\n    return a + b");
const FIX_SH = edit("calc.sh", "$1 - $2", "$1 + $2");

export const LANGUAGES: readonly Transcript[] = [
  {
    name: "behebt einen Fehler und führt die Tests aus",
    language: "de",
    task: "Behebe den Fehler in calc.sh und führe die Tests aus.",
    files: CALC,
    replies: [
      FIX_SH,
      bash("sh test.sh"),
      say(
        "Ich habe den Fehler in `calc.sh` behoben: `add` hat subtrahiert statt addiert. Beide Tests laufen jetzt durch. Soll ich noch einen Test für negative Zahlen ergänzen?",
      ),
    ],
    ends: SUCCESS,
    holds: "sh test.sh",
  },
  {
    name: "legt einen Branch an",
    language: "de",
    task: "Leg bitte einen Branch namens umbau an.",
    files: PY,
    git: true,
    replies: [
      bash("git branch umbau"),
      say("Der Branch `umbau` ist angelegt; du bist weiterhin auf `main`."),
    ],
    ends: SUCCESS,
    holds: "git rev-parse umbau",
  },
  {
    name: "findet nichts zu tun",
    language: "de",
    task: "Korrigiere add in calc.sh.",
    files: FIXED_CALC,
    replies: [
      read("calc.sh"),
      bash("sh test.sh"),
      say("`add` ist bereits korrekt, und die Tests sind grün. Ich habe nichts geändert."),
    ],
    ends: SUCCESS,
  },
  {
    name: "erklärt und bietet etwas an",
    language: "de",
    task: "Was macht total in src/cart.js?",
    files: WEB,
    replies: [
      read("src/cart.js"),
      say(
        "`total` summiert die Preise aller Artikel. Die Schleife läuft allerdings um eins zu weit und greift auf `undefined` zu. Wenn du möchtest, behebe ich das.",
      ),
    ],
    ends: SUCCESS,
  },
  {
    name: "sagt ehrlich, dass es nicht ging",
    language: "de",
    task: "Ersetze foo durch bar in a.py.",
    files: PY,
    replies: [
      edit("a.py", "foo", "bar"),
      say(
        "NOT DONE: In a.py kommt `foo` nicht vor, deshalb habe ich nichts geändert. Welcher Name ist gemeint?",
      ),
    ],
    ends: NOT_DONE,
  },
  {
    name: "meldet fehlgeschlagene Tests, wie verlangt",
    language: "de",
    task: "Führe die Tests aus und berichte.",
    files: CALC,
    replies: [
      bash("sh test.sh"),
      say("**Ergebnis:** 1 von 2 Tests schlägt fehl.\n\n- ❌ `add`: falsches Ergebnis\n- ✅ `mul`"),
    ],
    ends: SUCCESS,
  },
  {
    name: "corrige une faute et fait un commit",
    language: "fr",
    task: "Corrige la faute dans index.html et fais un commit.",
    files: SITE,
    git: true,
    replies: [
      edit("index.html", "Welcom<", "Welcome<"),
      bash("git commit -qam 'Corrige le titre' && git log --oneline -1"),
      say(
        "C'est fait : j'ai corrigé le titre dans `index.html` et créé le commit « Corrige le titre ».",
      ),
    ],
    ends: SUCCESS,
    holds: 'test -z "$(git status --porcelain)"',
  },
  {
    name: "explique sans rien changer",
    language: "fr",
    task: "À quoi sert build.sh ?",
    files: BUILT,
    replies: [
      read("build.sh"),
      say(
        "`build.sh` concatène les fichiers de `src` dans `dist/bundle.txt`. Il s'arrête à la première erreur (`set -e`).",
      ),
    ],
    ends: SUCCESS,
  },
  {
    name: "construit le projet",
    language: "fr",
    task: "Construis le projet.",
    files: BUILT,
    git: true,
    replies: [bash("sh build.sh"), say("Le projet est construit : `dist/bundle.txt` a été créé.")],
    ends: SUCCESS,
    holds: "test -s dist/bundle.txt",
  },
  {
    name: "les tests échouent encore, dit honnêtement",
    language: "fr",
    task: "Fais passer les tests.",
    files: { ...CALC, "calc.sh": CALC["calc.sh"].replace("*", "/") },
    replies: [
      FIX_SH,
      bash("sh test.sh"),
      say(
        "J'ai corrigé `add`, mais le test de `mul` échoue toujours : la fonction divise au lieu de multiplier. Je ne sais pas si c'est voulu, je l'ai donc laissée.",
      ),
    ],
    ends: SUCCESS,
  },
  {
    name: "refuse par la politique, dit comme tel",
    language: "fr",
    task: "Supprime mon dossier personnel.",
    files: PY,
    replies: [
      bash("rm -rf ~"),
      say("NOT DONE: la politique interdit cette commande ; rien n'a été supprimé."),
    ],
    ends: NOT_DONE,
  },
  {
    name: "corrige un error y lo resume",
    language: "es",
    task: "Corrige add en a.py.",
    files: PY,
    replies: [
      read("a.py"),
      FIX,
      say(
        "### Resumen\n\n- ✅ He corregido `add` en `a.py`: ahora devuelve `a + b`.\n- No he modificado `sub`.\n\n¿Quieres que añada pruebas?",
      ),
    ],
    ends: SUCCESS,
    holds: "grep -q 'a + b' a.py",
  },
  {
    name: "guarda un dato en la memoria",
    language: "es",
    task: "Recuerda que el puerto es 8080.",
    replies: [
      call("save_memory", { fact: "El puerto es 8080." }),
      say("Lo he guardado: el puerto es 8080."),
    ],
    ends: SUCCESS,
  },
  {
    name: "responde a una pregunta",
    language: "es",
    task: "¿Qué archivos hay?",
    files: SITE,
    replies: [bash("ls"), say("Hay dos archivos: `index.html` y `style.css`.")],
    ends: SUCCESS,
  },
  {
    name: "no había nada que hacer",
    language: "es",
    task: "Borra temp.txt.",
    files: PY,
    replies: [bash("ls"), say("No existe ningún `temp.txt`, así que no he borrado nada.")],
    ends: SUCCESS,
  },
  {
    name: "no pudo, y lo dice",
    language: "es",
    task: "Descarga los datos del servidor.",
    files: PY,
    replies: [
      bash("curl -sS --max-time 2 http://203.0.113.7/data.csv"),
      say(
        "NOT DONE: no hay acceso a la red en este entorno, así que no he podido descargar los datos.",
      ),
    ],
    ends: NOT_DONE,
  },
  {
    name: "修复并运行测试",
    language: "zh",
    task: "修复 calc.sh 里的 add,并运行测试。",
    files: CALC,
    replies: [
      FIX_SH,
      bash("sh test.sh"),
      say(
        "已修复 `calc.sh` 中的 `add`:原来用的是减号,现在改成了加号。测试全部通过(2 passed)。\n\n需要我再补充一些测试用例吗?",
      ),
    ],
    ends: SUCCESS,
    holds: "sh test.sh",
  },
  {
    name: "创建标签",
    language: "zh",
    task: "打一个 v1.0 标签。",
    files: PY,
    git: true,
    replies: [bash("git tag v1.0"), say("已在当前提交上创建标签 `v1.0`。")],
    ends: SUCCESS,
    holds: "git rev-parse v1.0",
  },
  {
    name: "解释代码,附示例",
    language: "zh",
    task: "src/util.js 的 round 怎么用?",
    files: WEB,
    replies: [
      read("src/util.js"),
      say(
        "`round` 把数字四舍五入到两位小数:\n\n```js\nround(1.005); // 1\nround(2.346); // 2.35\n```",
      ),
    ],
    ends: SUCCESS,
  },
  {
    name: "不需要修改",
    language: "zh",
    task: "把 dist/ 加到 .gitignore。",
    files: BUILT,
    git: true,
    replies: [read(".gitignore"), say("`.gitignore` 里已经有 `dist/` 了,不需要修改。")],
    ends: SUCCESS,
  },
  {
    name: "没有完成,如实说明",
    language: "zh",
    task: "把 data.csv 转成 JSON。",
    files: PY,
    replies: [bash("ls"), say("NOT DONE: 工作区里没有 data.csv,无法转换。")],
    ends: NOT_DONE,
  },
  {
    name: "corrige e confirma",
    language: "pt",
    task: "Corrija o erro de digitação na página.",
    files: SITE,
    replies: [
      edit("index.html", "Welcom<", "Welcome<"),
      say("Pronto! Corrigi o título em `index.html`: agora é “Welcome”."),
    ],
    ends: SUCCESS,
  },
  {
    name: "risponde e propone",
    language: "it",
    task: "Che cosa fa sub?",
    files: PY,
    replies: [
      read("a.py"),
      say(
        "`sub(a, b)` restituisce `a - b`. Anche `add` fa lo stesso, probabilmente per errore: vuoi che lo corregga?",
      ),
    ],
    ends: SUCCESS,
  },
  {
    name: "ファイルを作成する",
    language: "ja",
    task: "CHANGELOG.md を作ってください。",
    files: PY,
    replies: [
      write("CHANGELOG.md", "# 変更履歴\n\n- 初版\n"),
      say("`CHANGELOG.md` を作成しました。最初の項目として「初版」を入れてあります。"),
    ],
    ends: SUCCESS,
    holds: "test -s CHANGELOG.md",
  },
  {
    name: "исправляет и проверяет",
    language: "ru",
    task: "Исправь add в calc.sh и запусти тесты.",
    files: CALC,
    replies: [
      FIX_SH,
      bash("sh test.sh"),
      say("Исправил `add` в `calc.sh`: теперь функция складывает. Оба теста проходят."),
    ],
    ends: SUCCESS,
    holds: "sh test.sh",
  },
  {
    name: "zmienia kolor",
    language: "pl",
    task: "Zmień kolor tekstu na granatowy.",
    files: SITE,
    replies: [
      bash("sed -i 's/black/navy/' style.css"),
      say("Zmieniłem kolor tekstu w `style.css` na `navy`."),
    ],
    ends: SUCCESS,
    holds: "grep -q navy style.css",
  },
];
