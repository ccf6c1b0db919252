import assert from "node:assert/strict";
import type { Message } from "../../model/message.ts";
import { left_over } from "./search_results.ts";

/** Calls of a run and their results. */
function session(
  ...calls: readonly (readonly [args: { search?: string; command?: string }, result: string])[]
): readonly Message[] {
  return calls.flatMap(([args, content], at): readonly Message[] => {
    const name = args.search === undefined ? "bash" : "read";
    const call = { id: `c${at}`, name, arguments: JSON.stringify(args) };
    return [
      { role: "assistant", content: "", tool_calls: [call] },
      { role: "tool", tool_call_id: call.id, content },
    ];
  });
}

const USES = "README.md:1:Use `calc_total(items)`.\nshop/report.py:4:  calc_total(x)\n" +
  "shop/core.py:1:def calc_total(items):\nshop/api.py:1:from shop.core import calc_total";
const ALL = "Rename `calc_total` to `compute_total` everywhere.";
const CHANGED = ["shop/core.py", "shop/api.py"];
const SEARCHED = session([{ search: "calc_total" }, USES]);

Deno.test("files that a search found and a run left are named, where all is said to be done", () => {
  const left = " Found by a search and not changed: README.md, shop/report.py. " +
    "If they are to stay so, say it.";
  const done = "`calc_total` is `compute_total` now throughout the project. The API still works.";
  assert.equal(left_over(done, ALL, SEARCHED, CHANGED), left);
  const grep = session([{ command: "grep -rn calc_total ." }, USES.replace(/^/gm, "./")]);
  assert.equal(left_over(done, ALL, grep, CHANGED), left);
  const later = session([{ search: "calc_total" }, USES], [
    { command: "grep -rn calc_total ." },
    "README.md:1:Use `calc_total(items)`.",
  ]);
  for (
    const [answer, task, before, changed] of [
      [done, ALL, SEARCHED, [...CHANGED, "README.md", "shop/report.py"]],
      [done, ALL, later, CHANGED],
      ["Renamed; `README.md` and `report.py` keep the old name.", ALL, SEARCHED, CHANGED],
      ["Renamed everywhere but in the docs, which still name it.", ALL, SEARCHED, CHANGED],
      ["Renamed in the code; the report already used it.", ALL, SEARCHED, CHANGED],
      ["`calc_total` rounds now.", "Let calc_total round.", SEARCHED, CHANGED],
      ["All tests pass.", "Let calc_total round.", SEARCHED, CHANGED],
      ["All uses are renamed.", "Rename the uses of calc_total in docs", SEARCHED, []],
      ["It is used in four files.", "Where is calc_total used, in all of the code?", SEARCHED, []],
    ] as const
  ) assert.equal(left_over(answer, task, before, changed), "", answer);
});

Deno.test("what nobody renames in is not left, nor a longer name, nor what is elsewhere", () => {
  const found = (text: string) => session([{ search: "calc_total" }, text]);
  const done = "All uses of calc_total are renamed.";
  for (
    const other of [
      "CHANGELOG.md:3:calc_total is new",
      "vendor/x.py:1:calc_total()",
      "package-lock.json:9: calc_total",
      "shop/tax.py:1:def calc_total_tax():",
      "shop/tax.py:1:def my_calc_total():",
    ]
  ) {
    const before = found(`${other}\nshop/core.py:1:def calc_total(items):`);
    assert.equal(left_over(done, ALL, before, ["shop/core.py"]), "", other);
  }
  const before = found("docs/a.md:1:calc_total\nshop/core.py:1:def calc_total(items):");
  const task = "Rename calc_total everywhere in shop";
  assert.equal(left_over(done, task, before, ["shop/core.py"]), "");
});

Deno.test("a count that the answer denies is named", () => {
  const counted = (command: string, result: string) => session([{ command }, result]);
  const all = "All 22 files have the header now.";
  const task = "Add the header to all .ts files";
  const count = (answer: string, result: string, command = "grep -rl SPDX . | wc -l") =>
    left_over(answer, task, counted(command, result), ["a.ts"]);
  assert.equal(count(all, "17"), " The last count was 17.");
  assert.equal(count("All ten files have it.", "7\n"), " The last count was 7.");
  assert.equal(count(all, "22"), "");
  assert.equal(count(all, "0"), "");
  assert.equal(count(all, "3"), "");
  assert.equal(count("All 22 files have it, 17 of them anew.", "17"), "");
  assert.equal(count(all, "17", "cat count.txt"), "");
  assert.equal(count("Every file has it.", "17"), "");
  const how_many = (answer: string, result: string, asked = "How many records are open?") =>
    left_over(answer, asked, counted("grep -c open data.csv", result), []);
  assert.equal(how_many("There are 4 open records.", "3"), " The last count was 3.");
  assert.equal(
    how_many("Es sind **73**.", "37", "Wie viele sind offen?"),
    " The last count was 37.",
  );
  assert.equal(how_many("1.234 sind offen.", "1234", "Wie viele sind offen?"), "");
  assert.equal(how_many("120 rows, without the header.", "121"), "");
  assert.equal(how_many("About 1,200.", "1234"), "");
  assert.equal(how_many("Some 1.2k.", "1234"), "");
  assert.equal(how_many("Three, since line 4 is a comment.", "3"), "");
  assert.equal(how_many("Drei; siehe Zeile 4.", "3", "Wie viele sind offen?"), "");
  assert.equal(how_many("There are 3 open records in 14 lines.", "3"), "");
});
