import assert from "node:assert/strict";
import { view_of } from "./_testing.ts";
import { gates } from "./mod.ts";

const PLANS: readonly string[] = [
  "I'll start by reading the configuration file.",
  "Let me check the tests before I change anything.",
  "First, I need to understand how the parser works. I'm going to open parser.ts.",
  "Now I will run the tests",
  "Here is what I am going to do next:",
  "Looking into it…",
  "让我先看看代码",
  "我现在来检查一下测试文件。",
  "Voy a revisar el código primero.",
  "Primero déjame leer el archivo de configuración.",
  "Je vais d'abord examiner le code.",
  "Laissez-moi regarder les tests.",
  "Ich schaue mir zuerst den Code an.",
  "Lass mich kurz die Tests ansehen.",
];

const ANSWERS: readonly string[] = [
  "The function returns the sum of both numbers.",
  "No. The test fails because `add` subtracts; it should use `+` on line 3.",
  "Let me know if you need more. The port is 8080, set in config.ts.",
  "To run it, first install Deno, then type `deno task test`.",
  "There are three files: a.ts, b.ts and c.ts.",
  "You will need to check the log yourself; it is in /var/log/app.log.",
  "42",
  "这个函数返回两个数的和。",
  "端口是 8080，在 config.ts 里设置。",
  "La función devuelve la suma de los dos números.",
  "El puerto es 8080.",
  "La fonction renvoie la somme des deux nombres.",
  "Le port est 8080, comme le dit config.ts.",
  "Die Funktion gibt die Summe beider Zahlen zurück.",
  "Der Port ist 8080, so steht es in config.ts.",
];

Deno.test("a plan is told from an answer, in five languages", () => {
  const { ending } = gates({ action_nudges: 3, claim_nudges: 2 });
  const nudged = (text: string) =>
    ending.some(({ check, start }) =>
      check({ at: "ending", text }, view_of({ mode: "auto" }), start).verdict.kind !== "go_on"
    );
  assert.deepEqual(PLANS.filter((text) => !nudged(text)), []);
  assert.deepEqual(ANSWERS.filter(nudged), []);
});
