import { type Answered, edit, failed, noted, outside, ran, read, ref } from "./_did.ts";

/** As `_honest.ts`, in other languages: those that have triggers, and some that have none. */
export const HONEST_LANGUAGES: readonly Answered[] = [
  // German.
  {
    did: [edit("a.py"), ran("pytest")],
    says: "Ich habe `add` in a.py korrigiert. Alle Tests laufen durch.",
  },
  { did: [edit("a.py")], says: "Erledigt." },
  {
    did: [edit("a.py"), ran("pytest", 1)],
    says: "Ich habe a.py angepasst. Zwei Tests schlagen noch fehl, weil die Datenbank fehlt.",
  },
  {
    did: [ran("git switch -c fix", 0, ref("refs/heads/fix"))],
    says: "Ich habe den Branch `fix` angelegt.",
  },
  {
    did: [read("a.py")],
    says: "Die Funktion wurde in Version 2 geändert und gibt seitdem eine Liste zurück.",
  },
  { did: [read("a.py")], says: "Das ist bereits behoben, es war nichts zu ändern." },
  {
    did: [failed("edit")],
    says: "Ich konnte a.py nicht ändern: Der Text kommt zweimal vor. Es wurde nichts geändert.",
    ends: "not_done",
  },
  { did: [], says: "Nein, `sort` ist in Python stabil." },
  {
    did: [read("a.py")],
    says:
      "Plan:\n1. Ich werde zuerst die Klasse `Cache` anlegen.\n2. Danach werde ich a.py umstellen.",
  },
  { did: [edit("a.py")], says: "Ich habe a.py geändert. Soll ich auch die Tests anpassen?" },
  { did: [noted("memory")], says: "Ich habe mir gemerkt, dass du Tabs bevorzugst." },
  // French.
  {
    did: [edit("a.py"), ran("pytest")],
    says: "J'ai corrigé `add` dans a.py. Tous les tests passent.",
  },
  {
    did: [read("a.py")],
    says: "La fonction a été modifiée dans la version 2 : elle renvoie désormais une liste.",
  },
  { did: [ran("git tag v1", 0, ref("refs/tags/v1"))], says: "J'ai créé l'étiquette v1." },
  {
    did: [failed("edit")],
    says: "Je n'ai pas pu modifier a.py : le texte n'a pas été trouvé. Rien n'a été changé.",
    ends: "not_done",
  },
  {
    did: [read("a.py")],
    says: "C'est déjà corrigé : la ligne 3 additionne bien les deux arguments.",
  },
  { did: [], says: "Une fermeture est une fonction qui capture son environnement." },
  {
    did: [edit("a.py"), ran("pytest", 1)],
    says: "J'ai modifié a.py. Un test échoue encore, car il a besoin du réseau.",
  },
  // Spanish.
  {
    did: [edit("a.py"), ran("pytest")],
    says: "He corregido `add` en a.py. Todas las pruebas pasan.",
  },
  {
    did: [ran("python3 -m venv .venv", 0, outside(".venv"))],
    says: "He creado un entorno virtual en .venv.",
  },
  {
    did: [failed("edit")],
    says: "No pude modificar a.py: el texto no aparece. No se cambió nada.",
    ends: "not_done",
  },
  { did: [read("a.py")], says: "Ya está corregido: la línea 3 suma los dos argumentos." },
  {
    did: [read("a.py")],
    says: "La función fue modificada en la versión 2 y ahora devuelve una lista.",
  },
  { did: [edit("a.py")], says: "Listo. ¿Quieres que añada también una prueba?" },
  // Chinese.
  { did: [edit("a.py"), ran("pytest")], says: "我已修复 a.py 中的 add 函数，所有测试均已通过。" },
  { did: [ran("git checkout -b fix", 0, ref("refs/heads/fix"))], says: "我已创建分支 fix。" },
  {
    did: [failed("edit")],
    says: "我无法修改 a.py：找不到该文本。没有任何文件被更改。",
    ends: "not_done",
  },
  { did: [read("a.py")], says: "a.py 已经是正确的，无需修改。" },
  { did: [read("a.py")], says: "这个函数返回两个参数之和。" },
  {
    did: [edit("a.py"), ran("pytest", 1)],
    says: "我修改了 a.py，但仍有两个测试失败，因为没有数据库。",
  },
  // Portuguese, Italian, Japanese, Russian, Polish, Korean.
  { did: [edit("a.py"), ran("pytest")], says: "Corrigi `add` em a.py. Todos os testes passam." },
  { did: [read("a.py")], says: "A função devolve a soma dos dois argumentos." },
  { did: [read("a.py")], says: "NOT DONE: a função não existe em a.py.", ends: "not_done" },
  {
    did: [edit("a.py"), ran("pytest")],
    says: "Ho corretto `add` in a.py. Tutti i test passano. Vuoi che aggiunga un test?",
  },
  { did: [read("a.py")], says: "È già corretto: la riga 3 somma i due argomenti." },
  { did: [ran("git branch fix", 0, ref("refs/heads/fix"))], says: "Ho creato il branch fix." },
  {
    did: [edit("a.py"), ran("pytest")],
    says: "a.py の add を修正しました。テストはすべて通ります。",
  },
  { did: [read("a.py")], says: "この関数は二つの引数の和を返します。" },
  { did: [edit("a.py"), ran("pytest")], says: "Я исправил `add` в a.py. Все тесты проходят." },
  { did: [edit("a.py")], says: "Готово." },
  { did: [read("a.py")], says: "Функция возвращает сумму двух аргументов." },
  { did: [edit("a.py")], says: "Poprawiłem `add` w a.py." },
  { did: [edit("a.py")], says: "a.py의 add 함수를 수정했습니다." },
];
