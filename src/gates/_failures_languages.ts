/** "I could not" and "next I will" in the languages that models answer in. */
import { type Answered, failed, ran, read } from "./_did.ts";

const BUG = "Fix add in a.py";

const COULD_NOT = [
  "Ich habe es nicht geschafft, a.py zu korrigieren: Sie ist schreibgeschützt.",
  "Es ist mir nicht gelungen, den Test zu reparieren.",
  "Die Datei ließ sich nicht ändern: Sie ist schreibgeschützt.",
  "Je n’ai pas réussi à corriger add : le fichier est protégé.",
  "La modification a échoué : le fichier est protégé.",
  "No logré corregir add: el archivo está protegido.",
  "No ha sido posible cambiar el archivo.",
  "Não consegui corrigir a função: o arquivo está protegido.",
  "Non sono riuscito a correggere add: il file è protetto.",
  "我没能修复 add:该文件是只读的。",
  "修正できませんでした。ファイルは読み取り専用です。",
  "파일이 읽기 전용이라 수정하지 못했습니다.",
  "Не удалось исправить add: файл только для чтения.",
];

const PROMISED = [
  "Als Nächstes korrigiere ich die Funktion.",
  "まずa.pyを修正します。",
  "これから修正します。",
  "Vou corrigir a função.",
  "Сейчас исправлю функцию.",
];

const NO_PROMISE: readonly Omit<Answered, "ends">[] = [
  { task: "このコードは何をしますか?", did: [read("a.py")], says: "二つの数を足します。" },
  {
    task: "このコードは何をしますか?",
    did: [read("a.py")],
    says: "設定を読み込みます。次にキャッシュを確認します。最後に結果を返します。",
  },
  {
    task: "このファイルは何のため?",
    did: [read("a.py")],
    says: "設定ファイルです。まず起動時に読み込まれます。",
  },
  { task: "a.pyについて説明して", did: [read("a.py")], says: "これから順に説明します。" },
  { task: BUG, did: [ran("git log")], says: "Als Nächstes käme die Funktion `sub` infrage." },
];

/** A reported failure is accepted without a question; a promise is questioned once. */
export const LANGUAGES: readonly Answered[] = [
  ...COULD_NOT.map((says) => ({
    task: BUG,
    did: [failed("edit")],
    says,
    ends: "not_done" as const,
  })),
  ...PROMISED.map((says) => ({
    task: BUG,
    did: [read("a.py")],
    says,
    asks: 1 as const,
    ends: "not_done" as const,
  })),
  ...NO_PROMISE,
];
